"""References that were made for a system: scored as a common gold is where they are one, refused where they do not fit.

The editors here are simulated: what a demo annotator says of the source, or their text with the system's words kept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest

import errorbar
from errorbar import Corpus
from errorbar.core import InputError, UsageError
from errorbar.demo import demo_files

SYSTEMS = ("careful", "greedy", "articles")
METRICS = ("m2", "m2(beta=1, choose=sentence)", "tokens", "gleu", "behavior", "errant")


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """The demo's gold, in a folder with its systems."""
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        for path in (gold, *systems):
            Path(path.name).write_bytes(path.read_bytes())
    return errorbar.read_corpus("gold.jsonl")


def paths(*names: str) -> list[str]:
    return [f"{name}.txt" for name in names]


@pytest.mark.parametrize("metric", METRICS)
def test_one_reference_for_all_scores_as_the_common_gold(demo: Corpus, metric: str) -> None:
    """The same digits and the same intervals over texts, also by type; only the signature says whose it is."""
    if metric == "errant":
        pytest.importorskip("errant")
    by: Literal["type"] | None = None if "types" in errorbar.parse_metric(metric).lacks else "type"
    one = demo.only(["1"])
    common = errorbar.score(one, paths(*SYSTEMS), metric, by=by, ci=True, resamples=60, judges="fixed")
    own = errorbar.score(
        systems=paths(*SYSTEMS), metric=metric, reference_of=dict.fromkeys(SYSTEMS, one), by=by, ci=True, resamples=60
    )
    assert len(common) == len(own) == len(SYSTEMS)
    for score, expected in zip(own, common, strict=True):
        assert score.own
        conventions = (f"references-of:{score.system}", *expected.signature.conventions)
        signature = replace(expected.signature, conventions=conventions)
        assert score == replace(expected, own=True, signature=signature)


REFUSED: dict[str, tuple[Any, type[errorbar.ErrorbarError], str, str]] = {
    "nobody": ({"careful": "1.m2", "greedy": "1.m2", "gredy": "1.m2"}, UsageError, "reference-of-system", "'greedy'?"),
    "missing": ({"careful": "1.m2"}, UsageError, "reference-of-missing", "greedy"),
    "form": (["careful=1.m2", "1.m2"], UsageError, "reference-of-form", "SYSTEM=FILE"),
    "shorter": ({"careful": "1.m2", "greedy": "short.m2"}, InputError, "reference-lengths", "short.m2: "),
    "other text": ({"careful": "1.m2", "greedy": "other.m2"}, InputError, "source-mismatch", "other.m2:8: sentence 2 "),
    "text": ({"careful": "1.m2", "greedy": "greedy.txt"}, InputError, "unknown-format", "source="),
    "same editor": ({"careful": "1.m2", "greedy": ["1.m2", "1.m2"]}, UsageError, "same-name", "called '1'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_references_that_do_not_fit_are_refused_with_their_place(demo: Corpus, case: str) -> None:
    annotated = errorbar.convert(demo, to="m2", annotator="1").text
    Path("1.m2").write_text(annotated)
    Path("short.m2").write_text(annotated[: annotated.rindex("\nS ") + 1])
    Path("other.m2").write_text(annotated.replace("\nS ", "\nS So ", 1))
    reference_of, kind, code, words = REFUSED[case]
    with pytest.raises(kind) as error:
        errorbar.score(paths("careful", "greedy"), reference_of=reference_of)
    assert code in str(error.value)
    assert words in str(error.value)
