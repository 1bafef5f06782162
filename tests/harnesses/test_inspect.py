"""The scorer, metrics and task of inspect_ai against its released package; a model that answers what is known."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar
from tests.harnesses.known_answers import GOLD, KnownModel, known_model, printed

pytest.importorskip("inspect_ai", reason="needs the extra 'inspect': make test-harness")

from inspect_ai import Task, eval, score
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.scorer import stderr as own_stderr

from errorbar.harnesses.inspect_gec import ci, corpus_dataset, corpus_score, correction, gec, stderr

# Those of inspect_ai and its libraries, which are not ours to mend.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)


def ran(folder: Path, *models: KnownModel, limit: int | None = None, of: Task | None = None) -> EvalLog:
    """A run of a task, an epoch for each model."""
    asked: dict[str, int] = {}

    def answer(messages: Sequence[Any], *_: object) -> ModelOutput:
        prompt = messages[-1].text
        asked[prompt] = asked.get(prompt, -1) + 1
        output = ModelOutput.from_content("mockllm", models[asked[prompt]].answer(prompt))
        output.usage = ModelUsage()  # else it counts tokens, with a table from the network
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    how = {"display": "none", "log_dir": str(folder), "max_samples": 1}  # one at a time: answers of epochs in order
    (log,) = eval(of or gec(str(GOLD)), model=model, epochs=len(models), limit=limit, **how)
    assert log.status == "success", log.error
    return log


def values(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    (scored,) = log.results.scores
    return {name: metric.value for name, metric in scored.metrics.items()}


def expected(score: errorbar.Score) -> dict[str, float | None]:
    found: dict[str, float | None] = {"sentences": score.n_units}
    for name, estimate in score.estimates.items():
        assert estimate.interval is not None
        found |= {name: estimate.value, f"{name}_lower": estimate.interval.low, f"{name}_upper": estimate.interval.high}
    return found


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> EvalLog:
    return ran(tmp_path_factory.mktemp("logs"), known_model("greedy"))


def test_metrics_are_what_errorbar_score_prints_to_the_digit(log: EvalLog) -> None:
    found = values(log)
    errors = {name: found.pop(name) for name in list(found) if name.endswith("_stderr")}
    assert found == expected(printed(known_model("greedy")))
    assert set(errors) == {"precision_stderr", "recall_stderr", "f_stderr"}


def test_samples_have_their_counts_and_the_line_that_was_scored(log: EvalLog) -> None:
    scores = [sample.scores["correction"] for sample in log.samples or () if sample.scores]
    assert [each.answer for each in scores] == known_model("greedy").tokens
    assert scores[0].value == {"correct": 5, "proposed": 5, "gold": 5}
    assert [bool((each.metadata or {})["empty"]) for each in scores] == [False] * 62 + [True]


def test_answers_of_a_log_go_into_any_command(log: EvalLog) -> None:
    kept = read_eval_log(log.location)
    lines = [sample.scores["correction"].answer or "" for sample in kept.samples or () if sample.scores]
    both = errorbar.compare(GOLD, {"model": lines, "careful": errorbar.read_system(GOLD.parent / "careful.txt").lines})
    assert both.pairs[0].p is not None


def test_a_log_is_scored_again_without_the_reference(log: EvalLog) -> None:
    again = score(log, correction("m2(beta=1)"), action="overwrite", display="none")
    own = errorbar.score(GOLD, {"x": known_model("greedy").lines}, "m2(beta=1)", retokenize=True)
    assert values(again)["f"] == own[0].f.value


def test_epochs_are_runs(tmp_path: Path) -> None:
    models = known_model("greedy"), known_model("articles")
    for name, model in zip("ab", models, strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(model.lines) + "\n", encoding="utf-8")
    own = errorbar.score(GOLD, f"m={tmp_path / 'a.txt'},{tmp_path / 'b.txt'}", retokenize=True)
    found = values(ran(tmp_path, *models))
    assert {name: value for name, value in found.items() if not name.endswith("_stderr")} == expected(own[0])


def test_some_of_the_samples_are_a_smaller_corpus(tmp_path: Path) -> None:
    found = values(ran(tmp_path, known_model("greedy"), limit=20))
    own = printed(known_model("greedy"), limit=20)
    assert found["sentences"] == 20
    assert {name: found[name] for name in own.estimates} == {
        name: estimate.value for name, estimate in own.estimates.items()
    }


def sample_scores(system: str) -> list[SampleScore]:
    model, made = known_model(system), []
    for sample in corpus_dataset(GOLD):
        line = model.lines[int(str(sample.id)) - 1]
        said = Score(value=0, answer=line, metadata={"metric": "m2"})
        made.append(SampleScore(score=said, sample_id=sample.id, sample_metadata=sample.metadata))
    return made


def test_the_standard_error_is_near_inspects_own_of_linearized_values() -> None:
    """F is no mean. But its linearized parts have one, and inspect_ai's clustered formula of these is ours nearly."""
    (one,) = errorbar.score(GOLD, {"x": known_model("greedy").lines}, by="sentence", retokenize=True)
    counts = np.array([list(unit.counts.values()) for unit in one.by_unit])
    _, proposed, gold = counts.sum(axis=0)
    f, below = one.f.value or 0, proposed + 0.25 * gold
    parts = f + len(counts) * (1.25 * counts[:, 0] - f * (counts[:, 1] + 0.25 * counts[:, 2])) / below
    assert parts.mean() == pytest.approx(f)
    linearized = sample_scores("greedy")
    for each, part in zip(linearized, parts, strict=True):
        each.score.value = float(part)
    theirs = own_stderr(cluster="document")(linearized)
    assert stderr(cluster="document")(sample_scores("greedy"))["f_stderr"] == pytest.approx(theirs, rel=0.2)


def test_clusters_and_levels() -> None:
    own = sample_scores("greedy")
    alone = stderr(cluster=None)(own)
    assert alone != stderr()(own)
    for each in own:
        assert each.sample_metadata is not None
        each.sample_metadata["half"] = int(str(each.sample_id)) // 3
    assert stderr(cluster="half")(own) not in (alone, stderr()(own))
    assert stderr(cluster="nobody has it")(own) == alone
    assert stderr(cluster="half")(own[::-1]) == stderr(cluster="half")(own)  # samples come as they are done
    for each in own:
        each.sample_metadata = {**(each.sample_metadata or {}), "one": 0}
    assert stderr(cluster="one")(own) == {}
    narrow, wide = ci(level=0.5)(own), ci(level=0.99)(own)
    assert wide["f_lower"] < narrow["f_lower"] < narrow["f_upper"] < wide["f_upper"]


def test_a_sample_without_an_answer_in_some_epoch_is_left_out() -> None:
    own = sample_scores("greedy")
    found = corpus_score()([*own, *own[1:]])
    assert found["sentences"] == 62
    assert corpus_score()([]) == {"sentences": 0}


def test_samples_of_another_dataset_are_refused() -> None:
    lone = SampleScore(score=Score(value=0, answer="x"), sample_id=1)
    with pytest.raises(errorbar.ErrorbarError, match="record") as refused:
        corpus_score()([lone])
    assert refused.value.code == "harness-sample"


def test_the_task_on_the_page(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "integrations.md").read_text(encoding="utf-8")
    ours, again = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, Any] = {"errorbar": errorbar}
    exec(ours.replace("gold.m2", str(GOLD)), names)
    done = ran(tmp_path, known_model("greedy"), limit=20, of=names["ours"]())
    assert {"f", "f_stderr", "f_lower"} <= values(done).keys()
    first, second = (ran(tmp_path, known_model(name)).location for name in ("greedy", "careful"))
    logs = {"gold.m2": GOLD, "logs/first.eval": first, "logs/second.eval": second}
    for shown, there in logs.items():
        again = again.replace(shown, str(there))
    exec(again, names)
    assert list(names["systems"]) == ["first", "second"]


def test_inspect_ai_finds_the_task() -> None:
    """By the name that the page shows, through the entry point of the installed package."""
    (found,) = (point for point in entry_points(group="inspect_ai") if point.name == "errorbar")
    assert found.load().gec is gec
