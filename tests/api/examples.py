"""The demo corpus and its systems in memory, and what the commands print of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from errorbar import M2, Corpus, Hypothesis, Problems, Resampling
from errorbar.api import CorpusStudy, Loaded, study_corpus
from errorbar.core import Estimate, Interval, Undefined
from errorbar.formats import read_corpus
from errorbar.metrics import Documents, Metric
from errorbar.tables import Result
from tests.helpers.cli import CommandLine

DEMO = Path(__file__).parents[2] / "src/errorbar/demo"
GOLD = DEMO / "gold.jsonl"
SYSTEMS = [DEMO / f"{name}.txt" for name in ("careful", "greedy", "articles", "copy")]


def documents_of(corpus: Corpus) -> Documents:
    """Which essay each sentence is from."""
    documents = Documents()
    documents.add(corpus.sentences)
    return documents


def loaded(
    corpus: Corpus, systems: Sequence[Hypothesis], problems: Problems | None = None, conventions: tuple[str, ...] = ()
) -> Loaded:
    """A corpus and systems as if they had been read."""
    return Loaded(corpus, list(systems), documents_of(corpus), problems or Problems(), conventions)


def hypothesis(path: Path) -> Hypothesis:
    """A system's file."""
    return Hypothesis(path.name.removesuffix(".txt"), path.read_text(encoding="utf-8").splitlines())


def demo_study(
    *,
    metric: Metric | None = None,
    resampling: Resampling | None = None,
    ceiling_resamples: int | None = None,
    jobs: int = 1,
) -> CorpusStudy:
    """The study of the demo corpus."""
    corpus = read_corpus([GOLD])
    how = replace(resampling or Resampling(), jobs=jobs)
    data = loaded(corpus, [hypothesis(path) for path in SYSTEMS])
    return study_corpus(data, [metric or M2()], resampling=how, ceiling_resamples=ceiling_resamples)


def document(errorbar: CommandLine, *arguments: object) -> dict[str, Any]:
    """What a command prints as JSON."""
    done = errorbar(*arguments, "--format", "json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert isinstance(found, dict)
    return found


def assert_printed(result: Result, printed: dict[str, Any]) -> None:
    """A result is what a command printed, digit for digit."""
    ours = json.loads(json.dumps(result.to_dict()))
    assert ours == {key: printed[key] for key in ours}


def interval_of(estimate: Estimate) -> dict[str, object] | None:
    """An interval as the commands print it."""
    return None if estimate.interval is None else ends(estimate.interval)


def ends(interval: Interval | Undefined) -> dict[str, object]:
    """Both ends."""
    assert isinstance(interval, Interval)
    return {"low": interval.low, "high": interval.high}


def only_ends(record: dict[str, Any]) -> dict[str, object]:
    """Both ends of a printed interval."""
    return {"low": record["low"], "high": record["high"]}
