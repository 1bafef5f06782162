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


def sentence(random: random.Random) -> tuple[str, str, str]:
    """Text, the word in it that is asked about, and what is right to say of it."""
    right, wrong = random.choice(list(PAIRS.values()))
    error = random.random() < 0.5
    verb = wrong if error else right
    number = random.randrange(10**6)
    text = f"In {number} the {random.choice(WORDS)} {random.choice(NOUNS)} {verb} to the {random.choice(NOUNS)} ."
    return text, verb, "error" if error else "ok"


def truth(text: str) -> str:
    """What a rater with a dictionary says."""
    return "error" if WRONG & set(re.findall(r"[a-z]+", text)) else "ok"


def write_items(folder: Path, items: int, gold: int, seed: int) -> tuple[Path, Path]:
    """The file of items and that of gold items."""
    draw = random.Random(f"items {seed}")
    files = folder / "items.jsonl", folder / "gold.jsonl"
    for file, prefix, count in zip(files, ("w", "g"), (items, gold), strict=True):
        with file.open("w", encoding="utf-8") as lines:
            for number in range(count):
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
