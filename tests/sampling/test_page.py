"""The tutorial of docs/sampling.md runs, from its first command to its last, and prints what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from errorbar import read_corpus
from errorbar.cli import main
from errorbar.edits.items import edit_items
from errorbar.studies.sample import sample_draw
from tests.helpers.cli import CommandLine

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sampling.md"


def shown(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> None:
    monkeypatch.setitem(main.COMMANDS, "sample", "Estimate P and R from a few hundred judgments.")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    commands = outputs = programs = 0
    for kind, block in re.findall(r"```(shell|python)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        if kind == "python":
            exec(block, {})
            programs += 1
            continue
        for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            done = errorbar(*shlex.split(command)[1:])
            assert done.code == 0, done.err
            commands += 1
            if output.strip():
                assert shown(done.out) == shown(output), command
                outputs += 1
    corpus = read_corpus(["demo/gold.jsonl"])
    frame = sample_draw("demo/greedy.txt", corpus="demo/gold.jsonl", budget=100).frame
    judgments = edit_items(corpus, "tokens").judgments.only(["1"])
    wrong = judgments.label == judgments.labels.index("error")
    errors = {judgments.items[code] for code in judgments.item[wrong].tolist()}
    flagged = {item for item, flag in zip(frame.items, frame.flags[0].tolist(), strict=True) if flag}
    hits = len(errors & flagged)
    scores = hits / len(flagged), hits / len(errors), 2 * hits / (len(flagged) + len(errors))
    truth = ", ".join(f"{name} {100 * value:.2f}" for name, value in zip("PRF", scores, strict=True))
    assert f"the truth is known: {truth}." in " ".join(PAGE.read_text(encoding="utf-8").split())
    assert (commands >= 8, outputs >= 5, programs) == (True, True, 2)
