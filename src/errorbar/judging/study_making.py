"""``judge_init``: a new study, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, Unpack

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem, UsageError, shortened
from errorbar.core.problems import Problems
from errorbar.formats.look import Lines, Source
from errorbar.judging.about import About, write_about
from errorbar.judging.changes import add_items, set_rules
from errorbar.judging.corpus_questions import Against
from errorbar.judging.gold_items import with_gold
from errorbar.judging.item_sources import read_items
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.proposed_verbs import with_verbs
from errorbar.judging.rules import Policy, Rules
from errorbar.judging.schemes import Scheme, load_scheme, scheme_text
from errorbar.judging.stop_fit import fitting
from errorbar.judging.study_filling import emptied_if_failed
from errorbar.judging.study_folder import Study
from errorbar.judging.study_import import Restored, is_export, restore
from errorbar.judging.study_key import read_study_key
from errorbar.studies.door import Said, public
from errorbar.studies.inputs import Systems
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__

_USUAL = Rules()
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
MOST = 10**9
BOUNDS = (
    ("raters_per_item", 1, 10_000),
    ("items_per_rater", 0, MOST),
    ("page", 1, 10),
    ("lease_minutes", 0.01, MOST),
    ("gold_per_page", 0, 10),
    ("quiz", 0, MOST),
    *((name, 0, 1) for name in ("quiz_pass", "policy_share", "repeats")),
    ("policy_gold", 1, MOST),
)
_DEFAULTS = asdict(_USUAL)


class Ruling(TypedDict, total=False):
    """The rules of a study."""

    raters_per_item: Annotated[int, Said(_USUAL.raters_per_item, "Judgments of each item, by different raters.")]
    items_per_rater: Annotated[int, Said(_USUAL.items_per_rater, "The most items of one rater; 0: all there are.")]
    page: Annotated[int, Said(_USUAL.page, "Items that a browser holds at a time, 1 to 10.")]
    lease_minutes: Annotated[float, Said(_USUAL.lease_minutes, "How long an item is kept for who holds it.")]
    gold_per_page: Annotated[int, Said(_USUAL.gold_per_page, "Hidden gold items among those of a page.")]
    quiz: Annotated[int, Said(_USUAL.quiz, "Gold items with explanations before the work; 0: none.")]
    quiz_pass: Annotated[float, Said(_USUAL.quiz_pass, "The share of right answers that passes the quiz.")]
    policy: Annotated[Policy, Said(_USUAL.policy, "How raters are excluded by their answers to gold items.")]
    policy_share: Annotated[float, Said(_USUAL.policy_share, "Of ``posterior`` and ``fixed``: the least accuracy.")]
    policy_gold: Annotated[int, Said(_USUAL.policy_gold, "Of ``fixed``: answers to gold items before it decides.")]
    repeats: Annotated[float, Said(_USUAL.repeats, "The share of a rater's items that are shown once more.")]
    pay: Annotated[str, Said(_USUAL.pay, "What an item pays, e.g. ``$0.02``, as raters read it.")]
    consent: Annotated[str, Said(_USUAL.consent, "Text that raters must agree to.")]
    eligibility: Annotated[str | Sequence[str], Said((), "Questions that raters must answer with yes.")]
    language: Annotated[str, Said(_USUAL.language, "Of the texts, e.g. ``en``.")]
    direction: Annotated[Literal["ltr", "rtl", "auto"], Said(_USUAL.direction, "Of the texts.")]
    stop: Annotated[str, Said(_USUAL.stop, "When judging may stop early, e.g. ``R(half_width=0.03)``.")]


@dataclass(frozen=True, slots=True, repr=False)
class JudgeInit(Result):
    """A study that was made.

    Attributes:
        folder: Of the study.
        scheme: What is asked.
        rules: Who judges how much.
        n_items: Items for work.
        n_gold: Gold items.
        notes: Warnings.
    """

    folder: Path
    scheme: Scheme
    rules: Rules
    n_items: int
    n_gold: int
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """What the study has."""
        return {
            "study": str(self.folder),
            "scheme": self.scheme.name,
            "items": self.n_items,
            "gold_items": self.n_gold,
            "raters_per_item": self.rules.raters_per_item,
            "judgments": self.n_items * self.rules.raters_per_item,
        }

    def tables(self) -> list[Table]:
        """One row."""
        k = self.rules.raters_per_item
        row: list[Cell] = [str(self.folder), self.scheme.name, self.n_items, self.n_gold, k, k * self.n_items]
        columns = [Column("study"), Column("scheme")]
        names = ("items", "gold items", "raters per item", "judgments")
        return [Table([*columns, *(Column(name, "count") for name in names)], [row])]


@public()
def judge_init(
    folder: str | PathLike[str],
    items_from: Source | Corpus,
    *,
    scheme: str | Path = "error-ok",
    systems: Systems = (),
    items: str = "",
    against: Against = "writer",
    gold_items: Source | None = None,
    guidelines: Source | None = None,
    key: Source | None = None,
    tagger: Source | None = None,
    store: str = "",
    lenient: bool = False,
    **rules: Unpack[Ruling],
) -> JudgeInit:
    """Make a study: a folder with what is asked, of how many, and the store of the judgments. All of it, or nothing.

    Args:
        folder: Of the study, a new one.
        items_from: What is judged: a table of items, a set of ``sample_draw``, a corpus, sentences one a line; or
            everything that ``judge_export`` wrote of another study (JSONL), which is restored.
        scheme: ``error-ok``, ``choice``, ``cloze``, ``preposition``, or a TOML file.
        systems: Texts of systems for the sentences: what they change is judged.
        items: Of a corpus: ``words:CLASS``, ``tokens``, ``gaps``, ``sentences``, ..., or ``edits``, what was changed.
        against: Of a choice test: a system's text against the ``writer``'s, or two ``systems``' against each other.
        gold_items: A table of items whose answers are known.
        guidelines: Markdown for raters, in the place of the scheme's.
        key: Of the sample or audit that the items are: what ``stop`` asks is estimated with it. No rater sees it.
        tagger: A folder of models whose tagger proposes the verb of each preposition; ``auto``: ``models`` here, else
            those of errorbar-models; None: nothing is proposed.
        store: ``postgresql://USER@HOST/DATABASE``; empty: SQLite, in the folder.
        lenient: Repair what can be repaired of a corpus or table and note it; otherwise refuse it.
        rules: Who judges how much.

    Raises:
        InputError: If a file is bad: with all that is wrong, and nothing is made.
        UsageError: If arguments do not fit each other.
    """
    if not isinstance(items_from, Corpus) and is_export(items_from):
        given = {"systems": bool(systems), "items": bool(items), "against": against != "writer"}
        given |= {
            "gold_items": gold_items is not None,
            "guidelines": guidelines is not None,
            "key": key is not None,
            "tagger": tagger is not None,
        }
        given |= {"scheme": scheme != "error-ok"} | {name: said != _DEFAULTS[name] for name, said in rules.items()}
        return _restored(Path(folder), items_from, store, given)
    problems = Problems(lenient=lenient)
    chosen, said = load_scheme(scheme), checked_rules(rules)
    found = read_items(items_from, chosen, problems, systems=systems, items=items, against=against)
    if gold_items is not None:
        found = with_gold(found, gold_items, chosen, problems)
    if tagger is not None:
        problems.raise_errors()
        found = with_verbs(found, chosen, tagger, problems)
    text = chosen.guidelines if guidelines is None else "\n".join(Lines(guidelines, problems))
    problems.raise_errors()
    n_gold = sum(item.kind == "gold" for item in found)
    _check_gold(said, n_gold, len(found))
    known = "" if key is None else read_study_key(key, problems)
    said = replace(said, stop=fitting(said.stop, chosen, found, known))
    about = About(chosen, said, text, __version__, known)
    made = Study.create(folder, lambda study: _fill(study, about, found), store=store, scheme_toml=scheme_text(scheme))
    return JudgeInit(made.folder, chosen, said, len(found) - n_gold, n_gold, tuple(problems.notes))


def _fill(study: Study, about: About, items: Sequence[JudgedItem]) -> None:
    with emptied_if_failed(study) as store, store.exclusive() as tx:
        now = store.clock()
        write_about(tx, about)
        set_rules(tx, about.rules, now)
        add_items(tx, items, now)


def _restored(folder: Path, source: Source, store: str, given: Mapping[str, bool]) -> JudgeInit:
    """A study of an export, which says all there is to say of it."""
    for name, said in given.items():
        if said:
            what = f"--{name.replace('_', '-')} is for new studies, and this is the export of one, which is restored"
            raise UsageError(Problem("useless-option", what, fix="leave it out"))
    found: list[Restored] = []
    scheme_toml = "# Restored from an export: the scheme is in the store.\n"
    made = Study.create(
        folder, lambda study: found.append(restore(study, source)), store=store, scheme_toml=scheme_toml
    )
    (restored,) = found
    what = "raters come back by new links, and completion codes are new: neither is in an export"
    note = Problem("judge-restored", what, fix="errorbar judge invite --back RATER", severity="warning")
    about = restored.about
    return JudgeInit(made.folder, about.scheme, about.rules, restored.n_items, restored.n_gold, (note,))


def checked_rules(given: Mapping[str, Any]) -> Rules:
    """The rules, each within its bounds."""
    said: dict[str, Any] = {**given}
    one = said["eligibility"]
    rules = Rules(**said | {"eligibility": (one,) if isinstance(one, str) and one else tuple(one)})
    for name, low, high in BOUNDS:
        value = getattr(rules, name)
        if not low <= value <= high:
            upto = f"from {low:g} to {high:g}" if high < MOST else f"at least {low:g}"
            what = f"--{name.replace('_', '-')} must be {upto}, got {value:g}"
            raise UsageError(Problem("bad-parameter", what))
    if not _LANGUAGE.fullmatch(rules.language):
        what = f"--language must be the code of a language, got '{shortened(rules.language)}'"
        raise UsageError(Problem("bad-parameter", what, fix="for example en, pt-BR or zh-Hant"))
    if rules.gold_per_page > rules.page:
        what = f"--gold-per-page must be at most the {rules.page} items of a page, got {rules.gold_per_page}"
        raise UsageError(Problem("bad-parameter", what))
    return rules


def _check_gold(rules: Rules, n_gold: int, n_all: int) -> None:
    if rules.quiz > n_gold:
        what = f"a quiz of {rules.quiz} needs as many gold items, and there are {n_gold}"
        raise UsageError(Problem("judge-gold", what, fix="give --gold-items, or a shorter quiz"))
    if n_gold == n_all:
        what = "every item is gold: there is nothing left to judge"
        raise UsageError(Problem("judge-gold", what, fix="add items whose answer is not known"))
