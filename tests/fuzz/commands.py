"""Whole command lines, made of the commands and options that there are, by introspection of click."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import chdir
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import click

from errorbar.core import Problem, UsageError
from tests.fuzz import seeds
from tests.fuzz.readers import COMMAND, Reader
from tests.fuzz.seeds import Case
from tests.fuzz.shapes import Shape
from tests.fuzz.study_readers import run_command
from tests.fuzz.values import GENTLE_NUMBERS, NUMBERS, WORDS
from tests.helpers.commands import every_command

LEFT_OUT = {
    *("judge serve", "judge demo", "judge restore", "data fetch", "reproduce", "train", "completion"),
    *("task bundle", "task board", "report", "demo"),
}
"""Commands that serve, fetch, open a browser or take longer than an input may; files of theirs have readers."""
SKIPPED_OPTIONS = {"--jobs", "--pipeline", "--models", "--corrector", "--store", "--help"}
"""Those that start processes or load a library of half a gigabyte; ``--jobs`` has a relation."""
COSTLY = {"--resamples": "20", "--swaps": "20", "--draws": "20", "--repetitions": "5", "--pilots": "5", "--starts": "2"}
"""What a user asks to be repeated takes as long as is asked for."""
MOST_OPTIONS = 4

Parameters = dict[str, list[click.Parameter]]


@cache
def commands() -> Parameters:
    """The parameters of each command that is tried."""
    return {name: list(command.params) for name, command in every_command() if name not in LEFT_OUT}


FILES: Case = {
    "gold.m2": seeds.m2_of_demo(),
    "gold.jsonl": seeds.jsonl_of_demo(),
    "source.txt": seeds.source_of_demo(),
    "careful.txt": seeds.system_of_demo("careful"),
    "greedy.txt": seeds.system_of_demo("greedy"),
    "votes.csv": next(iter(seeds.judgments_csv()))["a.csv"],
    "flags.csv": b"item,flag,score,text\ns1,1,0.9,x\ns2,0,0.2,y\ns3,yes,0.5,z\ns4,no,0.1,w\ns5,1,0.3,v\n",
    "answers.csv": next(iter(seeds.answers()))["a.csv"],
    "ranks.csv": next(iter(seeds.rankings_csv()))["a.csv"],
    "scores.csv": next(iter(seeds.metric_scores()))["a.csv"],
    "task.toml": next(iter(seeds.task()))["a.toml"],
    "key.json": next(iter(seeds.sample_key()))["key.json"],
    "labels.tsv": seeds.labels()[0]["a.tsv"],
    "empty.txt": b"",
    **{name: content for name, content in seeds.TASK_FILES.items() if "/" in name},
}
TYPICAL: dict[str, tuple[str, ...]] = {
    "score": ("careful.txt", "--gold", "gold.m2"),
    "compare": ("careful.txt", "greedy.txt", "--gold", "gold.m2"),
    "ceiling": ("careful.txt", "--gold", "gold.jsonl"),
    "attack": ("careful.txt", "--gold", "gold.m2"),
    "audit draw": ("careful.txt", "greedy.txt", "--gold", "gold.m2", "--out", "set.csv", "--key", "new.json"),
    "check": ("gold.m2", "votes.csv"),
    "convert": ("gold.m2", "--to", "jsonl"),
    "rank": ("ranks.csv",),
    "meta": ("--human", "ranks.csv", "--scores", "scores.csv"),
    "agree": ("votes.csv",),
    "curve": ("votes.csv", "flags.csv"),
    "task validate": ("task.toml", "careful.txt"),
    "task run": ("task.toml",),
    "judge init": ("study", "--from", "gold.m2"),
    "sample plan": ("flags.csv", "--budget", "5"),
    "sample compare": ("--flagged", "20", "--unflagged", "80", "--budget", "60"),
    "sample draw": ("flags.csv", "--budget", "5", "--out", "set.csv", "--key", "new.json"),
    "sample estimate": ("--counts", "flagged:1000:750:600", "--counts", "unflagged:9000:300:6"),
    "crowd score": ("votes.csv", "flags.csv"),
    "crowd sweep": ("votes.csv", "flags.csv"),
    "crowd howmany": ("votes.csv", "--experts", "r1", "--labels", "unknown=unclear"),
    "crowd judgments": ("votes.csv",),
    "crowd aggregate": ("votes.csv",),
    "crowd raters": ("votes.csv",),
    "data show": ("conll2014",),
}
"""Command lines that run; the others are made of options alone."""


def command_lines() -> list[Case]:
    return [{"line.argv": json.dumps([*name.split(), *arguments]).encode()} for name, arguments in TYPICAL.items()]


def gentle_line(rng: Random, _: bytes) -> bytes:
    """A command line that runs, with one or two options more whose values mostly fit."""
    name = rng.choice(sorted(TYPICAL))
    options = [option for option in commands()[name] if isinstance(option, click.Option)]
    more = [
        word for option in rng.sample(options, min(len(options), rng.randint(0, 2))) for word in _option(rng, option)
    ]
    return _dumped([*name.split(), *TYPICAL[name], *more])


def wild_line(rng: Random, _: bytes) -> bytes:
    """Any command with options of its own, of others and of nobody, and with files of any kind."""
    name = rng.choice(sorted(commands()))
    words = list(TYPICAL.get(name, ())) if rng.random() < 0.6 else []
    options = [option for option in commands()[name] if isinstance(option, click.Option)]
    for option in rng.choices(options, k=rng.randint(0, MOST_OPTIONS)) if options else ():
        words += _option(rng, option, odd=0.4)
    if rng.random() < 0.4:
        words.insert(
            rng.randint(0, len(words)), rng.choice((*FILES, *WORDS[:60], "-", "missing.m2", "a=b=gold.m2", "."))
        )
    if words and rng.random() < 0.2:
        del words[rng.randrange(len(words))]
    return _dumped([*name.split(), *words])


def _option(rng: Random, option: click.Option, odd: float = 0.1) -> list[str]:
    """An option with a value that fits its type, or seldom does."""
    switch = rng.choice([*option.opts, *option.secondary_opts])
    if option.opts[-1] in SKIPPED_OPTIONS or option.opts[0] in SKIPPED_OPTIONS:
        return []
    if option.is_flag:
        return [switch]
    if switch in COSTLY:
        return [switch, COSTLY[switch]]
    if switch in ("-o", "--out", "--key", "--write", "--chart", "--junit"):
        return [switch, f"made{rng.randrange(3)}.{rng.choice(('csv', 'json', 'txt', 'md', 'svg'))}"]
    return [switch, rng.choice((*NUMBERS, *WORDS)) if rng.random() < odd else _value(rng, option.type)]


def _value(rng: Random, kind: click.ParamType[Any]) -> str:
    if isinstance(kind, click.Choice):
        return rng.choice([*map(str, kind.choices)])
    if isinstance(kind, click.IntRange | click.FloatRange):
        low = 0 if kind.min is None else kind.min
        high = low + 5 if kind.max is None else min(kind.max, low + 5)
        return (
            str(rng.randint(int(low), int(high))) if isinstance(kind, click.IntRange) else str(rng.uniform(low, high))
        )
    if isinstance(kind, click.Path) or "Path" in type(kind).__name__:
        return rng.choice(sorted(FILES))
    texts = ("m2", "gleu", "m2(beta=1)", "errant", "item", "error", "ok", "r1", "1", "2", "0.5", "system", *FILES)
    return rng.choice((*GENTLE_NUMBERS, *texts))


def _dumped(words: Sequence[str]) -> bytes:
    """What a shell can hand over; nothing leads out of the folder, where something may be written."""
    return json.dumps([word.replace("\0", "").replace("..", ".") for word in words]).encode()


def _run(folder: Path, _: bool) -> None:
    """Run a command in the folder; what it refuses is refused in words."""
    words = json.loads((folder / "line.argv").read_bytes())
    if "judge" in words[:1]:
        (folder / "study").mkdir(exist_ok=True)
        (folder / "study").rmdir()
    with chdir(folder):
        try:
            run_command(*words)
        except click.ClickException as error:
            if not error.format_message().strip():
                raise
            raise UsageError(Problem("usage", error.format_message())) from None
        except OSError as error:  # a file that cannot be written: the program says so (``main._outcome``)
            raise UsageError(Problem("cannot-open", str(error))) from None


LINES = Shape(binary_gentle=(gentle_line,), binary=(wild_line,), packs=False)
COMMANDS: tuple[Reader, ...] = (Reader("commands", command_lines, _run, FILES, 2 * COMMAND, LINES),)
