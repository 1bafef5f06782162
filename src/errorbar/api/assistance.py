"""Cheap labels of a crowd or a model beside people's: how they and their seal are read, and how results show them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from errorbar.api.arguments import Useless
from errorbar.api.judgment_input import Rows, is_table, read_rows
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.formats.judgments import keep_assistants, read_assistants
from errorbar.formats.look import Source, display_name, list_paths
from errorbar.sampling.assistance import Assistance
from errorbar.sampling.seal import Seal, read_seal
from errorbar.tables.plain import value_record
from errorbar.tables.table import Cell, Column, Table

Cheap = Source | Sequence[Source] | Judgments | Rows
SEAL_ALONE = Useless(
    "seal", "is about --assist", lambda arguments: arguments["assist"] is None, fix="add --assist, or leave it out"
)


@dataclass(frozen=True, slots=True, eq=False)
class CheapJudgments:
    """Cheap judgments, and the models that they are of; no model: of a crowd."""

    judgments: Judgments
    models: frozenset[str]
    file: str

    @property
    def source(self) -> str:
        """Whose labels they are: the model's, or votes."""
        return "model" if self.models else "votes"


def read_cheap(assist: Cheap, seal: Source | Seal | None, problems: Problems) -> tuple[CheapJudgments, Seal | None]:
    """Read cheap judgments, and the seal of the model rater that they must be of.

    Judgments of items that the prompt has seen are left out: they may be better than those of the others. A note names
    sealed items that the model did not judge.
    """
    cheap = _read_judgments(assist, problems)
    if seal is None:
        return cheap, None
    known = seal if isinstance(seal, Seal) else read_seal(seal)
    known.refuse_models(cheap.models, Place(cheap.file))
    known.note_unknown(cheap.judgments.items, problems, Place(cheap.file))
    return replace(cheap, judgments=_without(cheap.judgments, known.items)), known


def _read_judgments(assist: Cheap, problems: Problems) -> CheapJudgments:
    """Read cheap judgments of files or of a table in memory; where models are marked, those of models alone."""
    if isinstance(assist, Judgments):
        return CheapJudgments(assist, frozenset(), "")
    if is_table(assist):
        table = keep_assistants(read_rows(assist, "keep"))
        return CheapJudgments(table.judgments, table.models, "")
    files = list_paths(cast("Source | Sequence[Source]", assist))
    if not files:
        raise UsageError(Problem("no-files", "no file of cheap judgments is named", expected="at least one"))
    tables = [read_assistants(path, problems) for path in files]
    models = frozenset[str]().union(*(table.models for table in tables))
    if models and not all(table.models for table in tables):
        message = "some files have judgments of models, and some of a crowd"
        raise UsageError(Problem("assist-mixed", message, fix="give those of one kind"))
    file = display_name(files[0]) if len(files) == 1 else ""
    judgments = Judgments.joined([table.judgments for table in tables])
    if not models:  # a person who answered twice did not mean both; a model that was asked twice is a share
        judgments = judgments.take(judgments.settled("refuse"))
    return CheapJudgments(judgments, models, file)


def drop_seen(judgments: Judgments, seal: Seal | None, problems: Problems) -> Judgments:
    """People's judgments without those of items that the sealed prompt has seen, which only lenient reading drops."""
    if seal is None:
        return judgments
    labeled = [judgments.items[at] for at in np.unique(judgments.item).tolist()]
    return _without(judgments, seal.seen(labeled, problems, Place()))


def _without(judgments: Judgments, items: Collection[str]) -> Judgments:
    """Judgments of other items."""
    return judgments.take(~np.isin(judgments.item, [at for at, item in enumerate(judgments.items) if item in items]))


def note_unsealed(cheap: CheapJudgments, seal: Seal | None, problems: Problems) -> None:
    """Say where nothing shows that a model's prompt had not seen the labels that calibrate it."""
    if cheap.models and seal is None:
        message = "no seal shows that the model's prompt was written without the labels that calibrate it"
        problems.note("assist-unsealed", message, Place(cheap.file), fix="seal the prompt beforehand, and give --seal")


def assistance_record(weighed: Iterable[Assistance]) -> list[dict[str, object]]:
    """Every score in each way, as JSON has it."""
    return [
        {
            "system": one.system,
            "name": one.name,
            "alone": value_record(one.alone),
            "assisted": value_record(one.assisted),
            "rogan_gladen": value_record(one.rogan_gladen),
            "standard_errors_apart": one.apart,
            "disagree": one.disagree,
            "saved": value_record(one.saved),
            "cheap_only": one.cheap_only,
        }
        for one in weighed
    ]


def assistance_table(weighed: Sequence[Assistance], source: str, level: float) -> Table:
    """Every score in each way; ``source``: whose cheap labels they are."""
    several = len({one.system for one in weighed}) > 1
    columns = [Column("system", only="" if several else "data"), Column("score")]
    columns += [Column("people alone", "percent", "alone", interval="beside")]
    columns += [Column(f"with the {source}", "percent", "assisted", interval="beside")]
    columns += [Column("Rogan–Gladen", "percent", "rogan_gladen", interval="beside")]
    columns += [Column("judgments saved", "number", "saved", digits=0, interval="beside")]
    columns += [Column(f"{source}-only", "percent", "cheap_only")]
    rows: list[list[Cell]] = [
        [one.system, one.name, one.alone, one.assisted, one.rogan_gladen, one.saved, one.cheap_only] for one in weighed
    ]
    notes = [
        f"judgments saved: how many more people alone would need for the interval with the {source}",
        f"{source}-only: what the {source} alone would say, whose bias no interval holds; it is not an estimate",
    ]
    if apart := [one for one in weighed if one.disagree]:
        notes.append(_disagreement(apart, several))
    return Table(columns, rows, f"What the {source} add{'s' * (source == 'model')}", "assistance", notes, level=level)


def _disagreement(weighed: Sequence[Assistance], several: bool) -> str:
    """The sentence on scores of which the two corrections disagree."""

    def percent(estimate: Estimate) -> str:
        return "" if estimate.value is None else f"{100 * estimate.value:.1f}"

    differences = [
        f"{one.name}{f' of {one.system}' * several} {percent(one.rogan_gladen)} against {percent(one.assisted)} "
        f"({abs(one.apart or 0.0):.1f} standard errors)"
        for one in weighed
    ]
    return (
        f"Rogan–Gladen and the assisted estimate disagree: {', '.join(differences)}. Rogan–Gladen takes one "
        "sensitivity and specificity for all strata, but the cheap labels err differently in them: trust the assisted "
        "estimate"
    )
