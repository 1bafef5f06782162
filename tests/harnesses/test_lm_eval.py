"""The YAML task of lm-evaluation-harness against its released package; a model that answers what is known."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import errorbar
from tests.harnesses.known_answers import GOLD, KnownModel, known_model, printed

pytest.importorskip("lm_eval", reason="needs the extra 'lm-eval': make test-harness")

import lm_eval
from lm_eval.api.model import LM
from lm_eval.tasks import TaskManager

from errorbar.harnesses.lm_eval_gec import TASKS, corpus, f, f_stderr, process_results


class Answering(LM):  # type: ignore[misc]  # it is not among what is developed with
    """Says what is known of each prompt."""

    def __init__(self, model: KnownModel) -> None:
        super().__init__()
        self.model = model

    def generate_until(self, requests: list[Any], **_: object) -> list[str]:
        return [self.model.answer(request.args[0]) for request in requests]

    def loglikelihood(self, requests: list[Any], **_: object) -> list[tuple[float, bool]]:
        raise NotImplementedError

    def loglikelihood_rolling(self, requests: list[Any], **_: object) -> list[float]:
        raise NotImplementedError


def ran(model: KnownModel, limit: int | None = None, **metadata: object) -> dict[str, Any]:
    tasks = TaskManager(include_path=str(TASKS), include_defaults=False, metadata={"gold": str(GOLD), **metadata})
    done = lm_eval.simple_evaluate(Answering(model), tasks=["errorbar_gec"], task_manager=tasks, limit=limit)
    assert done is not None
    return {"results": done["results"]["errorbar_gec"], "samples": done["samples"]["errorbar_gec"]}


@pytest.fixture(scope="module")
def done() -> dict[str, Any]:
    return ran(known_model("greedy"))


def test_results_are_what_errorbar_score_prints_to_the_digit(done: dict[str, Any]) -> None:
    score = printed(known_model("greedy"))
    for name, estimate in score.estimates.items():
        assert estimate.interval is not None
        assert done["results"][f"{name},none"] == estimate.value
        assert done["results"][f"{name}_lower,none"] == estimate.interval.low
        assert done["results"][f"{name}_upper,none"] == estimate.interval.high


def test_the_clustered_standard_error_stands_where_the_harness_looks_for_its_own(done: dict[str, Any]) -> None:
    items = [sample["f"] for sample in done["samples"]]
    assert 0 < done["results"]["f_stderr,none"] == f_stderr(items)
    assert f_stderr(items[::-1]) == f_stderr(items)  # as they come from several processes
    alone = [{**item, "record": json.dumps(json.loads(item["record"]) | {"document": ""})} for item in items]
    assert f(alone) == f(items)
    assert f_stderr(alone) != f_stderr(items)  # documents are what is resampled
    assert "±" in lm_eval.utils.make_table({"results": {"errorbar_gec": done["results"]}, "versions": {}, "n-shot": {}})


def test_samples_keep_the_sentence_and_the_line_that_was_scored(done: dict[str, Any]) -> None:
    first, *_, last = done["samples"]
    assert [sample["f"]["line"] for sample in done["samples"]] == known_model("greedy").tokens
    assert (first["f"]["empty"], last["f"]["empty"]) == (False, True)
    assert json.loads(first["f"]["record"])["document"] == "essay-1"


def test_some_of_the_documents_are_a_smaller_corpus() -> None:
    own = printed(known_model("greedy"), limit=20)
    assert ran(known_model("greedy"), limit=20)["results"]["f,none"] == own.f.value


def test_a_metric_of_ones_own() -> None:
    (own,) = errorbar.score(GOLD, {"x": known_model("greedy").lines}, "m2(beta=1)", retokenize=True, ci=False)
    assert ran(known_model("greedy"), metric="m2(beta=1)")["results"]["f,none"] == own.f.value


def test_no_reference_is_said() -> None:
    with pytest.raises(errorbar.ErrorbarError, match="metadata"):
        corpus(version=1.0)


def test_what_a_task_does_not_list_is_not_averaged() -> None:
    with pytest.raises(errorbar.ErrorbarError, match="metric_list") as refused:
        ran(known_model("greedy"), limit=2, metric="gleu")
    assert refused.value.code == "harness-metric"
    assert "gleu_stderr" in str(refused.value)
    with pytest.raises(errorbar.ErrorbarError, match="did you mean 'f_stderr'"):
        corpus(str(GOLD), report=["f", "f_sterr"])


def test_the_task_on_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
    (task,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "ours.yaml").write_text(task.replace("gold.m2", str(GOLD)), encoding="utf-8")
    tasks = TaskManager(include_path=str(tmp_path), include_defaults=False)
    done = lm_eval.simple_evaluate(Answering(known_model("greedy")), tasks=["our_corpus"], task_manager=tasks)
    score = printed(known_model("greedy"))
    assert done is not None
    assert done["results"]["our_corpus"]["f,none"] == score.f.value
    assert done["results"]["our_corpus"]["f_stderr,none"] > 0


def test_several_responses_count_the_first() -> None:
    doc = corpus(str(GOLD))["test"][0]
    assert process_results(doc, ["One .", "Two ."])["f"]["line"] == "One ."
