"""Readers of tables, rankings, scores, samples, tasks and archives, with the steps just behind them."""

from __future__ import annotations

from pathlib import Path

from errorbar import Judgments, Problems
from errorbar.api.sample import read_counts
from errorbar.crowdsourcing import majority
from errorbar.datasets.archives import copy, files_in
from errorbar.formats import read_answers, read_flags, read_judgment_table, read_metric_scores, read_rankings
from errorbar.formats.judgments import read_batch, read_wide
from errorbar.ranking import rank_systems
from errorbar.ranking.metric_agreement import metric_agreement, plain_scores
from errorbar.sampling import (
    Estimation,
    blind_set,
    draw_sample,
    estimate_sample,
    guessed_rates,
    judge_sample,
    plan_sample,
    read_frame,
    read_judged_files,
    read_key,
    stratify,
    write_key,
)
from errorbar.tasks import read_task
from tests.fuzz import seeds
from tests.fuzz.commands import COMMANDS
from tests.fuzz.model_readers import MODELS
from tests.fuzz.readers import CORPORA, RESAMPLES, Reader, agree, written
from tests.fuzz.relations import RELATIONS
from tests.fuzz.study_readers import STUDIES
from tests.helpers.crowd import write_judgments
from tests.ranking.examples import drawn


def _behind(judgments: Judgments, folder: Path) -> None:
    written(write_judgments(judgments, "jsonl"), folder)
    if not judgments.n_repeated():
        majority(judgments)
        agree(judgments)


def _judgments(path: Path, *, lenient: bool) -> None:
    _behind(read_judgment_table(path, Problems(lenient=lenient), layout="long").judgments, path.parent)
    read_judgment_table(path, Problems(lenient=lenient), repeats="keep")


def _judgments_csv(folder: Path, lenient: bool) -> None:
    _judgments(folder / "a.csv", lenient=lenient)


def _judgments_jsonl(folder: Path, lenient: bool) -> None:
    _judgments(folder / "a.jsonl", lenient=lenient)


def _judgments_parquet(folder: Path, lenient: bool) -> None:
    _judgments(folder / "a.parquet", lenient=lenient)


def _judgments_wide(folder: Path, lenient: bool) -> None:
    _behind(read_wide(folder / "a.csv", Problems(lenient=lenient)), folder)


def _mturk(folder: Path, lenient: bool) -> None:
    _behind(read_batch(folder / "a.csv", Problems(lenient=lenient)).judgments, folder)


def _flags(folder: Path, lenient: bool) -> None:
    read_flags(folder / "a.csv", Problems(lenient=lenient))
    frame = read_frame([folder / "a.csv"], Problems(lenient=lenient), ["system"])
    strata, _ = stratify(frame)
    plan = plan_sample(strata, guessed_rates(strata), int(strata.sizes.sum()), floor=0)
    key = draw_sample(frame, plan.n)
    written(write_key(key), folder)
    written(blind_set(key, frame, ["r1"]), folder)


def _answers(folder: Path, lenient: bool) -> None:
    read_answers(folder / "a.csv", Problems(lenient=lenient))


def _rankings(path: Path, *, lenient: bool) -> None:
    rank_systems(read_rankings(path, Problems(lenient=lenient)), how=drawn(RESAMPLES))


def _rankings_xml(folder: Path, lenient: bool) -> None:
    _rankings(folder / "a.xml", lenient=lenient)


def _rankings_csv(folder: Path, lenient: bool) -> None:
    _rankings(folder / "a.csv", lenient=lenient)


def _scores(path: Path, *, lenient: bool) -> None:
    for metric in read_metric_scores(path, Problems(lenient=lenient), betas=(1.0,)):
        if len(metric.systems) > 1:
            metric_agreement(plain_scores(metric.systems), metric)


def _metric_scores(folder: Path, lenient: bool) -> None:
    _scores(folder / "a.csv", lenient=lenient)


def _metric_json(folder: Path, lenient: bool) -> None:
    _scores(folder / "a.json", lenient=lenient)


def _task(folder: Path, lenient: bool) -> None:
    read_task(folder / "a.toml", Problems(lenient=lenient), for_teams=lenient)


def _sample_key(folder: Path, lenient: bool) -> None:
    key = read_key(folder / "key.json")
    problems = Problems(lenient=lenient)
    judged = judge_sample(read_judged_files([folder / "a.csv"], key, problems), key, problems)
    estimate_sample(key.strata, judged.sample, Estimation(seed=0))


def _sample_counts(folder: Path, _: bool) -> None:
    """Counts stand on the command line: no NUL, and bytes that are not UTF-8 as Python shows them there."""
    text = (folder / "counts.txt").read_bytes().decode("utf-8", "surrogateescape").replace("\0", "")
    strata, sample = read_counts(text.split("\n")[:-1] or [""])
    estimate_sample(strata, sample, Estimation(seed=0))


def _archives(folder: Path, _: bool) -> None:
    archive = folder / "a.archive"
    copy(archive, {name: folder / "out" / str(number) for number, name in enumerate(files_in(archive)[:5])})


READERS: tuple[Reader, ...] = (
    *CORPORA,
    Reader("judgments-csv", seeds.judgments_csv, _judgments_csv),
    Reader("judgments-jsonl", seeds.judgments_jsonl, _judgments_jsonl),
    Reader("judgments-wide", seeds.judgments_wide, _judgments_wide),
    Reader("judgments-parquet", seeds.judgments_parquet, _judgments_parquet),
    Reader("mturk", seeds.mturk, _mturk),
    Reader("flags", seeds.flags, _flags),
    Reader("answers", seeds.answers, _answers),
    Reader("rankings-xml", seeds.rankings_xml, _rankings_xml),
    Reader("rankings-csv", seeds.rankings_csv, _rankings_csv),
    Reader("metric-scores", seeds.metric_scores, _metric_scores),
    Reader("metric-json", seeds.metric_json, _metric_json),
    Reader("task", seeds.task, _task, seeds.TASK_FILES),
    Reader("sample-key", seeds.sample_key, _sample_key),
    Reader("sample-counts", seeds.sample_counts, _sample_counts),
    Reader("archives", seeds.archives, _archives),
    *MODELS,
    *STUDIES,
    *RELATIONS,
    *COMMANDS,
)
"""Every reader of a file that somebody else may have written."""
