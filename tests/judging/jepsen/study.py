"""A study for simulated raters: sentences of one urn for work and gold, whose truth a rater can see."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

MakeItem = Callable[[random.Random], dict[str, object]]
WORDS = ("small", "green", "quiet", "early", "famous", "dusty", "gentle", "narrow", "pale", "rapid")
NOUNS = ("boat", "garden", "teacher", "window", "river", "market", "engine", "letter", "forest", "bridge")
PAIRS = {"go": ("went", "goed"), "see": ("saw", "seed"), "take": ("took", "taked"), "give": ("gave", "gived")}
WRONG = frozenset(wrong for _, wrong in PAIRS.values())
SYSTEMS = "ABCD"
_TAG = re.compile(r"<[^>]*>")


def sentence(random: random.Random) -> tuple[str, str, str]:
    """Text, the word in it that is asked about, and what is right to say of it."""
    right, wrong = random.choice(list(PAIRS.values()))
    error = random.random() < 0.5
    verb = wrong if error else right
    number = random.randrange(10**6)
    text = f"In {number} the {random.choice(WORDS)} {random.choice(NOUNS)} {verb} to the {random.choice(NOUNS)} ."
    return text, verb, "error" if error else "ok"


SCHEME = """
name = "pairs"
title = "Which is better?"
shows = "rank"
main = "judgment"
[[questions]]
id = "judgment"
kind = "ranks"
ask = "Which is better?"
"""
"""Of rankings, with the question that the other study has too."""
_OUTPUT = re.compile(r'<li data-output="(\d)">(.*?)</li>', re.DOTALL)
EDITING = """
name = "making-right"
title = "Make it right"
shows = "post-edit"
main = "judgment"
[[questions]]
id = "judgment"
kind = "one"
ask = "Is it right?"
options = [
  { value = "error", label = "Edit it", key = "e" },
  { value = "ok", label = "Right", key = "r" },
  { value = "unknown", label = "Cannot be saved", key = "n" },
]
[[questions]]
id = "text"
kind = "rewrite"
ask = "How should it be?"
when = { judgment = ["error"] }
step = 2
"""
"""Of outputs that raters edit, with the same question."""
_EDITED = re.compile(r'<p class="text output"[^>]*>(.*?)</p>', re.DOTALL)
WRITING = """
name = "making-edits"
title = "What is wrong?"
shows = "edits"
main = "judgment"
[[questions]]
id = "judgment"
kind = "edits"
ask = "What is wrong?"
types = "nucle"
"""
"""Of sentences whose edits raters write, with the same question."""
_CELLS = re.compile(r'<div class="text cells"[^>]*>(.*?)</div>', re.DOTALL)


def pair(random: random.Random) -> dict[str, object]:
    """A source with the outputs of two of four systems, of which one is wrong; and what is right to say of them."""
    right, wrong = random.choice(list(PAIRS.values()))
    start, end = f"In {random.randrange(10**6)} the {random.choice(NOUNS)}", f"to the {random.choice(NOUNS)} ."
    systems = random.sample(SYSTEMS, 2)
    outputs = {"candidate1": f"{start} {right} {end}", "candidate2": f"{start} {wrong} {end}"}
    named = {"system1": systems[0], "system2": systems[1], "answer": " > ".join(systems)}
    return {"text": f"{start} has {end}", **outputs, **named, "explanation": "It must be right."}


def answered(word: str, html: str) -> str | list[int]:
    """An answer to what is shown: the word; of two outputs ranks, ``ok`` where the right one is the better one."""
    outputs = {int(number): text for number, text in _OUTPUT.findall(html)}
    if not outputs or word == "unknown":
        return [1] * len(outputs) or word
    is_wrong = {number: truth(_TAG.sub("", text)) == "error" for number, text in outputs.items()}
    return [1 + (is_wrong[number] == (word == "ok")) for number in sorted(outputs)]


def edits_of(word: str, text: str) -> list[dict[str, Any]]:
    """The edits of a sentence: of ``error`` its wrong verb or, where there is none, its end; of ``ok`` none.

    Who does not know writes one of everything that an edit can hold.
    """
    tokens = text.split()
    if word == "ok":
        return []
    if word == "unknown":
        first = {"start": 0, "end": 0, "corrections": ["Now", "Well ,"], "type": "Trans", "optional": True}
        last = {"start": len(tokens) - 1, "end": len(tokens), "corrections": [""], "type": "Mec", "note": "or ‘!’"}
        return [first | {"group": "1"}, last | {"group": "1"}]
    verbs = {wrong: right for right, wrong in PAIRS.values()}
    wrong = [place for place, token in enumerate(tokens) if token in verbs]
    return [
        {"start": place, "end": place + 1, "corrections": [verbs[tokens[place]]], "type": "Vt"} for place in wrong
    ] or [{"start": len(tokens), "end": len(tokens), "corrections": ["So it was ."], "type": "Others"}]


def answer_to(word: str, html: str) -> dict[str, object]:
    """The whole answer to an item: an output that is wrong comes with its text made right."""
    if cells := _CELLS.search(html):
        return {"judgment": edits_of(word, cells[1])}
    output = _EDITED.search(html)
    if output is None or word != "error":
        return {"judgment": answered(word, html)}
    text = output[1]
    for right, wrong in PAIRS.values():
        text = text.replace(f" {wrong} ", f" {right} ")
    return {"judgment": word, "text": f"{text} So it was ." if text == output[1] else text}


def in_a_cell(answer: object) -> str:
    """An answer as a table has it: ranks between bars, edits as JSON."""
    if not isinstance(answer, list):
        return str(answer or "")
    are_ranks = answer and all(isinstance(rank, int) for rank in answer)
    return " | ".join(map(str, answer)) if are_ranks else json.dumps(answer, ensure_ascii=False)


def truth(text: str) -> str:
    """What a rater with a dictionary says; of two outputs, one of them wrong: that the other is better."""
    if "data-output" in text:
        return "ok"
    return "error" if WRONG & set(re.findall(r"[a-z]+", text)) else "ok"


def write_outputs(folder: Path, items: int, gold: int, seed: int) -> tuple[Path, list[str], Path]:
    """The file of sentences, those of four systems' outputs, and which outputs are gold: all of some sentences."""
    draw = random.Random(f"items {seed}")
    sources, outputs, answers = list[str](), {system: list[str]() for system in SYSTEMS}, ["item,answer"]
    n_gold = -(-gold // len(SYSTEMS))
    n = n_gold + -(-items // len(SYSTEMS))
    is_gold = {*draw.sample(range(1, n + 1), n_gold)}
    for number in range(1, n + 1):
        start, end = f"In {draw.randrange(10**6)} the {draw.choice(NOUNS)}", f"to the {draw.choice(NOUNS)} ."
        sources.append(f"{start} has {end}")
        for system in SYSTEMS:
            error = draw.random() < 0.5
            outputs[system].append(f"{start} {draw.choice(list(PAIRS.values()))[error]} {end}")
            if number in is_gold:
                answers.append(f"{number}/{system},{'error' if error else 'ok'}")
    for name, lines in {
        "source.txt": sources,
        "gold.csv": answers,
        **{f"{s}.txt": outputs[s] for s in SYSTEMS},
    }.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "source.txt", [f"{system}={folder / f'{system}.txt'}" for system in SYSTEMS], folder / "gold.csv"


def span_item(draw: random.Random) -> dict[str, object]:
    """A sentence with its verb to judge."""
    text, verb, answer = sentence(draw)
    start = text.index(f" {verb} ") + 1
    known = {"answer": answer, "explanation": f"It must be the past tense: {verb}."}
    return {"text": text, "start": start, "end": start + len(verb), **known}


def edits_item(draw: random.Random) -> dict[str, object]:
    """A sentence to edit, with the label of what is right to write."""
    text, _, answer = sentence(draw)
    label = "; ".join(f"{edit['start']}-{edit['end']}:{edit['corrections'][0]}" for edit in edits_of(answer, text))
    return {"text": text, "answer": label or "∅", "explanation": "It must be the past tense."}


def write_items(folder: Path, items: int, gold: int, seed: int, make: MakeItem = span_item) -> tuple[Path, Path]:
    """The file of items and that of gold items, which alone say what is right."""
    draw = random.Random(f"items {seed}")
    files = folder / "items.jsonl", folder / "gold.jsonl"
    for file, prefix, count in zip(files, ("w", "g"), (items, gold), strict=True):
        with file.open("w", encoding="utf-8") as lines:
            for number in range(count):
                item = {"id": f"{prefix}{number}", **make(draw)}
                kept = {key: item[key] for key in item if prefix == "g" or key not in ("answer", "explanation")}
                lines.write(json.dumps(kept) + "\n")
    return files


def errorbar(*words: str | Path, environment: Mapping[str, str] | None = None) -> str:
    """What a command prints."""
    command = [sys.executable, "-m", "errorbar", *map(str, words)]
    done = subprocess.run(
        command, env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"errorbar {' '.join(map(str, words))}: {done.stderr}")
    return done.stdout
