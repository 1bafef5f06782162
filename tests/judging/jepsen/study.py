"""A study for simulated raters: sentences of one urn for work and gold, whose truth a rater can see."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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


def pair(random: random.Random, number: int) -> dict[str, str]:
    """A source with the outputs of two of four systems, of which one is wrong; and what is right to say of them."""
    right, wrong = random.choice(list(PAIRS.values()))
    start, end = f"In {random.randrange(10**6)} the {random.choice(NOUNS)}", f"to the {random.choice(NOUNS)} ."
    systems = random.sample(SYSTEMS, 2)
    outputs = {"candidate1": f"{start} {right} {end}", "candidate2": f"{start} {wrong} {end}"}
    named = {"system1": systems[0], "system2": systems[1], "answer": " > ".join(systems)}
    return {"id": str(number), "text": f"{start} has {end}", **outputs, **named, "explanation": "It must be right."}


def answered(word: str, html: str) -> str | list[int]:
    """An answer to what is shown: the word; of two outputs ranks, ``ok`` where the right one is the better one."""
    outputs = {int(number): text for number, text in _OUTPUT.findall(html)}
    if not outputs or word == "unknown":
        return [1] * len(outputs) or word
    is_wrong = {number: truth(_TAG.sub("", text)) == "error" for number, text in outputs.items()}
    return [1 + (is_wrong[number] == (word == "ok")) for number in sorted(outputs)]


def answer_to(word: str, html: str) -> dict[str, object]:
    """The whole answer to an item: an output that is wrong comes with its text made right."""
    output = _EDITED.search(html)
    if output is None or word != "error":
        return {"judgment": answered(word, html)}
    text = output[1]
    for right, wrong in PAIRS.values():
        text = text.replace(f" {wrong} ", f" {right} ")
    return {"judgment": word, "text": f"{text} So it was ." if text == output[1] else text}


def in_a_cell(answer: object) -> str:
    """An answer as a table has it."""
    return " | ".join(map(str, answer)) if isinstance(answer, list) else str(answer or "")


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


def write_items(folder: Path, items: int, gold: int, seed: int, *, pairs: bool = False) -> tuple[Path, Path]:
    """The file of items and that of gold items."""
    draw = random.Random(f"items {seed}")
    files = folder / "items.jsonl", folder / "gold.jsonl"
    for file, prefix, count in zip(files, ("w", "g"), (items, gold), strict=True):
        with file.open("w", encoding="utf-8") as lines:
            for number in range(count):
                if pairs:
                    two = pair(draw, number) | {"id": f"{prefix}{number}"}
                    kept = {key: two[key] for key in two if prefix == "g" or key not in ("answer", "explanation")}
                    lines.write(json.dumps(kept) + "\n")
                    continue
                text, verb, answer = sentence(draw)
                start = text.index(f" {verb} ") + 1
                item = {"id": f"{prefix}{number}", "text": text, "start": start, "end": start + len(verb)}
                if prefix == "g":
                    item |= {"answer": answer, "explanation": f"It must be the past tense: {verb}."}
                lines.write(json.dumps(item) + "\n")
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
