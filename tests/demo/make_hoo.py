"""The HOO corpus of ``errorbar demo --hoo``: texts of our own with marked errors, as HOO files and two runs.

``python -m tests.demo.make_hoo`` writes ``src/errorbar/demo/hoo`` again; a test checks that the same files come out.
In ``TEXTS`` a place is ``{what stands there|what may stand there|or this|TYPE}``: nothing before the first bar is an
insertion, nothing between two bars a deletion, and no alternative means that nobody knows what is right. A type that
ends with ``?`` marks an optional edit; the type ``+`` is no error at all, but what a rash system would change. What
follows ``!`` is a wrong correction, for the runs.
"""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from errorbar import Problems
from errorbar.core import Fragment, StandoffEdit
from errorbar.formats import save_fragments, save_texts

FOLDER = Path(__file__).parents[2] / "src/errorbar/demo/hoo"
MARK = re.compile(r"\{([^{}]*)\}")
TRAP = "+"
WRONG = "!"
SEED = 1
RUNS = {"careful": (0.45, 0.1), "greedy": (0.8, 0.9)}
"""The share of the errors that a run changes, and of the traps that it falls into."""
MISTAKEN = 0.5
"""How often a run takes the wrong correction where there is one."""

TEXTS = (
    """In this paper we {describes|describe|AGV} a method for {|the |+}finding {spelling mistake|spelling mistakes|FN}
in short messages. Such messages {contains|contain|AGV} words which no dictionary {know|knows|!knew|AGV}. We
{learnt|learn|TV?} a model {for|of|!about|RT} sound and letters from {a ||UD}pairs of words {that were|that had
been|+} collected by hand.""",
    """{Experiment were|Experiments were|The experiment was|FN} done {on|with|RT?} three {corpus|corpora|FN} of
different {size|sizes|FN?}. For each {corpora|corpus|FN} we {have repeated|repeated|TV?} the training five
{time|times|FN}, and {the mean is|means are|+} reported {at|in|RT} Table 2. {Largest|The largest|MD} corpus gave
{|the |MD}best result.""",
    """It is well {know|known|FV} that {the ||UD}people speak {different|differently|DJ} when they {are write|write|are
writing|FV} to {|a |MD}machine. This effect was {investigate|investigated|FV} by {several|a number of|+}
studies{|,|MP?} but none of them {have|has|AGV?} looked {on|at|!to|RT} children.""",
    """The first step {of|in|RT?} our system {is consist|consists|FV} of {divide|dividing|FV} the text {in|into|!to|RT}
sentences. Then {the|each|+} sentence is parsed{;|,|RP?} and {|the |MD}subject {are|is|AGV} compared with
{it's|its|S} verb. If they {does|do|AGV} not agree, the verb is marked {by|with|RT?} a star.""",
    """We asked two {annotator|annotators|FN} to {marks|mark|!marking|FV} every {sentences|sentence|FN} which
{sounds|sounded|+} strange {for|to|RT} them. They {agree|agreed|!agrees|TV} on 78% of {|the |MD?}sentences. Most
of {|the |MD}disagreements {was|were|AGV} about articles, {what|which|!that|RA} {shows|showed|+} that they are
difficult even {to|for|RT} teachers.""",
    """There {is|are|AGV} two {reason|reasons|FN} for {this|these|+} result. {Firstly|First|RY?}, the test set
{contain|contains|AGV} longer sentences {as|than|!like|RT} the training set. Second, {much|many|RQ} names were
{wrote|written|!writing|FV} in {small|lower-case|RJ?} letters, so {|that |+}our model {do|does|AGV} not
recognize them{| as names|MN?}.""",
    """Figure 4 {show|shows|AGV} how {does the accuracy change|the accuracy changes|W} when more {datas|data|FN}
{is|are|AGV?} added. {After|Beyond|+} 10,000 sentences the curve {get|gets|becomes|!got|AGV} flat, so it
{has|makes|RV} no sense {to collect|collecting|FV?} more. {Nevertheless of this|Nevertheless|Despite this|RY},
rare words {still|yet|+} gain from it, which {we the cause do not|W}.""",
    """In {|the |MD?}future we {want|plan|RV?} to {applying|apply|!applied|FV} the method {for|to|RT} {the ||UD}other
languages. {A|One|+} problem is that for {the ||UD}most languages there {exists|exist|AGV?} no annotated
{corpuses|corpora|FN?}. We {hopes|hope|AGV} that our tool {helps|will help|TV?} {to build|building|+}
{it|them|!this|RA}.""",
)


def read(text: str) -> tuple[str, list[StandoffEdit]]:
    """The text without its marks, and what they say."""
    text = " ".join(text.split())
    raw, at, edits = "", 0, []
    for match in MARK.finditer(text):
        raw += text[at : match.start()]
        at = match.end()
        original, *corrections, code = match.group(1).split("|")
        start, raw = len(raw), raw + original
        optional, code = code.endswith("?"), code.removesuffix("?")
        edits.append(StandoffEdit("", start, len(raw), original, tuple(corrections), optional=optional, type=code))
    return raw + text[at:], edits


def apply(text: str, edits: Sequence[StandoffEdit]) -> str:
    """The text with the first correction of every edit."""
    for edit in reversed(edits):
        text = text[: edit.start] + edit.corrections[0] + text[edit.end :]
    return text


def gold(edits: Sequence[StandoffEdit]) -> tuple[StandoffEdit, ...]:
    """What the annotator marked: neither traps nor wrong corrections."""
    right = [edit._replace(corrections=tuple(each for each in edit.corrections if each[:1] != WRONG)) for edit in edits]
    return tuple(edit for edit in right if edit.type != TRAP)


def proposed(edits: Sequence[StandoffEdit], share: float, trapped: float, drawn: random.Random) -> list[StandoffEdit]:
    """What a run makes of the marked places: a correction of some, now and then the wrong one."""
    made = []
    for edit in edits:
        if edit.corrections and drawn.random() < (trapped if edit.type == TRAP else share):
            mistaken = edit.corrections[-1][:1] == WRONG and drawn.random() < MISTAKEN
            correction = edit.corrections[-1][1:] if mistaken else edit.corrections[0]
            made.append(StandoffEdit("", edit.start, edit.end, edit.original, (correction,)))
    return made


def write(folder: Path) -> None:
    """Write texts, gold edits, and the runs: careful's as edits, greedy's as corrected texts."""
    problems = Problems()
    texts = {str(number): read(text) for number, text in enumerate(TEXTS, 1)}
    fragments = [Fragment(name, gold(edits), f"{raw}\n") for name, (raw, edits) in texts.items()]
    save_fragments(fragments, str(folder), problems, texts=True)
    drawn = random.Random(SEED)
    runs = {
        run: {name: proposed(edits, *shares, drawn) for name, (_, edits) in texts.items()}
        for run, shares in RUNS.items()
    }
    careful = [Fragment(name, tuple(edits)) for name, edits in runs["careful"].items()]
    save_fragments(careful, str(folder / "careful"), problems)
    greedy = {name: f"{apply(texts[name][0], edits)}\n" for name, edits in runs["greedy"].items()}
    save_texts(greedy, str(folder / "greedy"))


if __name__ == "__main__":
    shutil.rmtree(FOLDER, ignore_errors=True)
    write(FOLDER)
