"""The recipe of docs/llm.md, typed word for word against a local server, whose address alone is another."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.cli import CommandLine
from tests.llm.server import ModelServer, user_message
from tests.pages import fits, renewed
from tests.test_docs import Typed, blocks, examples_of, record

ADDRESS = "http://localhost:8000/v1"


def answer(body: Any) -> object:  # noqa: ANN401
    """A model that calls a third of the prepositions errors, and corrects every other sentence as ``greedy`` does."""
    message = user_message(body)
    if '"text"' in message:
        texts = [Path(f"demo/{name}.txt").read_text(encoding="utf-8").splitlines() for name in ("copy", "greedy")]
        sentence = message.partition("\n\n")[2]
        at = texts[0].index(sentence)
        return {"text": texts[at % 2][at]}
    if '"errors"' in message:
        return {"errors": [{"number": 1, "instead": "on"}] if "[1 of]" in message else []}
    return {"judgment": "error" if sum(map(ord, message)) % 3 == 0 else "ok"}


@pytest.mark.slow
def test_the_recipe_is_typed_word_for_word(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    for name in ("ERRORBAR_LLM_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.chdir(tmp_path)
    shown = [block for where, block in blocks("console") if where.startswith("llm.md:")]
    examples = [example for block in shown for example in examples_of("llm.md:1", block)]
    assert sum(ADDRESS in example.command for example in examples) == 4
    typed = Typed(replace(errorbar, every_note=False), tmp_path)
    with ModelServer(answer=answer) as server:
        for example in examples:
            code, out, err = typed.run(example.command.replace(ADDRESS, server.url))
            printed = [out, err + out, out + err]
            if request.config.getoption("--record-pages"):
                record(example, renewed(example.output, printed))
            else:
                assert any(fits(example.output, text) for text in printed), f"{example.command}\n{out}{err}"
            assert code == 0, f"{example.command}: {err}"
    assert (tmp_path / "llm.txt").read_bytes() == (tmp_path / "again.txt").read_bytes()
