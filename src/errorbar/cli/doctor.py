"""``errorbar doctor``: what is installed and which kernel is active."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module, metadata
from importlib.util import find_spec

import click

from errorbar.cli.command import Command
from errorbar.cli.config import NAME, Config, find_config
from errorbar.cli.output import OutputOptions, output_options
from errorbar.tables.table import Column, Table
from errorbar.version import __version__

LIBRARIES = ("numpy", "scipy", "click")
EXTRAS = {
    "tokenize": ("sentences and tokens of raw essays: errorbar convert", {"nltk": "nltk"}),
    "parquet": ("judgments from Parquet files", {"pyarrow.parquet": "pyarrow"}),
    "report": (
        "pages and charts: errorbar report, task board",
        {"jinja2": "jinja2", "vl_convert": "vl-convert-python"},
    ),
    "errant": ("typed edits between texts: errorbar convert --edits errant", {"errant": "errant", "spacy": "spacy"}),
    "detect": ("small models: errorbar detect, correct", {"errorbar_models": "errorbar-models"}),
    "dask": ("many machines: errorbar score --jobs ADDRESS", {"distributed": "distributed"}),
    "codabench": ("competitions on Codabench: errorbar task bundle", {"yaml": "pyyaml"}),
    "judge": (
        "a server that collects judgments: errorbar judge",
        {
            "starlette": "starlette",
            "uvicorn": "uvicorn",
            "httptools": "httptools",
            "uvloop": "uvloop",
            "sqlalchemy": "sqlalchemy",
            "alembic": "alembic",
            "jinja2": "jinja2",
            "vl_convert": "vl-convert-python",
            "segno": "segno",
        },
    ),
    "postgresql": ("with judge: judgments in PostgreSQL", {"psycopg": "psycopg"}),
    "llm": ("language models as raters: errorbar judge llm", {"openai": "openai"}),
    "inspect": ("scoring in inspect_ai: inspect eval errorbar/gec", {"inspect_ai": "inspect-ai"}),
    "lm-eval": ("scoring in lm-evaluation-harness: the task errorbar_gec", {"lm_eval": "lm-eval"}),
}
"""Each extra of ``pyproject.toml`` but ``all``: its purpose, and its modules with the names they are installed by."""


@click.command("doctor", cls=Command)
@output_options
@click.pass_context
def command(context: click.Context, output: OutputOptions) -> None:
    """Say what is installed, which kernel is active and why, and whether its numbers are right here."""
    from errorbar.datasets import cache_root
    from errorbar.demo.selftest import self_test
    from errorbar.edits.matching import KERNEL, explain

    facts = {
        "errorbar": __version__,
        "Python": f"{platform.python_version()} ({sys.executable})",
        "machine": f"{platform.system()} {platform.machine()}",
        "kernel": explain(),
        "self-test": self_test(),
        **{name: metadata.version(name) for name in LIBRARIES},
        **{f"extra '{extra}'": f"{_state(modules)} ({purpose})" for extra, (purpose, modules) in EXTRAS.items()},
        "corpora": str(cache_root()),
        "config": _config(context),
    }
    table = Table([Column("what"), Column("found")], list(facts.items()))
    output.listing({"kernel_active": KERNEL, **facts}, "errorbar.doctor/1", table)
    if not facts["self-test"].startswith("passed"):
        sys.exit(1)


def _config(context: click.Context) -> str:
    """The contents of the config file, checked for all commands; an option that none of them has is refused."""
    config = find_config(context)
    if not config.path.name:
        return f"none: no {NAME} here or in a folder above"
    for name in filter(None, config.defaults):
        config.defaults_for(name.split(), _parameters(config, name.split(), context))
    contents: dict[str, Iterable[str]] = {
        "corpora": config.corpora,
        "systems": config.systems,
        "defaults": config.defaults,
    }
    named = [f"{kind}: {', '.join(key or 'all commands' for key in keys)}" for kind, keys in contents.items() if keys]
    return "; ".join([str(config.path), *named])


def _parameters(config: Config, words: Sequence[str], context: click.Context) -> list[click.Parameter]:
    command: click.Command = context.find_root().command
    for at, word in enumerate(words):
        inner = command.get_command(context, word) if isinstance(command, click.Group) else None
        if inner is None:
            known = command.list_commands(context) if isinstance(command, click.Group) else ()
            raise config.unknown(".".join(("defaults", *words[:at])), word, known)
        command = inner
    return command.params


def _state(modules: dict[str, str]) -> str:
    """Whether the libraries of an extra work, found by loading them."""
    missing = [name for module, name in modules.items() if find_spec(module.partition(".")[0]) is None]
    if missing:
        return "not installed" if len(missing) == len(modules) else f"incomplete: no {', '.join(missing)}"
    for module, name in modules.items():
        try:
            import_module(module)
        except Exception as error:  # noqa: BLE001 - a damaged library may raise anything, and doctor is to say so
            return f"{name} does not load: {type(error).__name__}: {error}"
    return f"works: {', '.join(map(_version, modules.values()))}"


def _version(name: str) -> str:
    """The library with its version; one that only lies on Python's path, as in a checkout, has none."""
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} on Python's path, which is not installed"
