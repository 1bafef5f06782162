"""A package with a corrector, a detector and a command of its own, as docs/detectors.md shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import click

from errorbar.api.installed_systems import WordFlag

COMMANDS = {
    "whisper": ("Write a text in lower case.", "errorbar_loud:whisper"),
    "task whisper": ("Write the name of a task in lower case.", "errorbar_loud:whisper"),
    "score": ("Never listed: it is errorbar's own.", "errorbar_loud:whisper"),
}


def correct(sentences: Sequence[Sequence[str]]) -> Iterator[str]:
    """Correct one word."""
    for tokens in sentences:
        yield " ".join("on" if token == "of" else token for token in tokens)


def too_few(sentences: Sequence[Sequence[str]]) -> list[str]:
    """Forget the last sentence."""
    return [" ".join(tokens) for tokens in sentences[:-1]]


def detect(sentences: Sequence[Sequence[str]]) -> Iterator[WordFlag]:
    """Flag one word, the last sentence first."""
    for number, tokens in reversed([*enumerate(sentences)]):
        for at, token in enumerate(tokens):
            yield WordFlag(number, at, token == "of", float(token == "of"), "on" if token == "of" else "")


def outside(_: Sequence[Sequence[str]]) -> list[WordFlag]:
    """Flag a word that is not there."""
    return [WordFlag(7, 0, True, 1.0)]


@click.command("whisper")
@click.argument("text")
def whisper(text: str) -> None:
    """Write a text in lower case."""
    click.echo(text.lower())
