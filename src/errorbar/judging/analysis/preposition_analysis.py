"""The preposition scheme: how agreement depends on what is asked, and on what stands around the preposition.

Conventions
    Rows: all items; items around which no rater marked an error (of spelling, determiner or grammar), and the others;
    four categories merged to three (correct and equally good are ok) and to two (error, ok); items by batch, which a
    hidden column of that name tells; items that all raters judged with high confidence, and the others. Where it is not
    said, categories are three.
Source
    Tetreault and Chodorow 2008, sections 3 and 5, table 3.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from errorbar.core.judgments import Judgments
from errorbar.judging.analysis.findings import Finding, agreement_findings, merged, of_items
from errorbar.judging.study_columns import StudyColumns
from errorbar.stats.resampling import Resampling

THREE = {"correct": "ok", "equal": "ok"}
TWO = {**THREE, "extraneous": "error", "incorrect": "error"}
LOW = "low"


def preposition_findings(
    study: StudyColumns, judgments: Judgments, batch: str, drawn: Resampling | None
) -> Iterator[Finding]:
    """Agreement of items of some kinds, by some categories."""
    three = merged(judgments, THREE)
    marks, unsure = marked(study), _with_answer(study, "confidence", LOW)
    parts = {
        "4 categories": judgments,
        "3 categories": three,
        "2 categories": merged(judgments, TWO),
        "no context error": of_items(three, ~marks),
        "context errors": of_items(three, marks),
        "all sure": of_items(three, ~unsure),
        "somebody unsure": of_items(three, unsure),
    }
    batches = [study.items[at].hidden.get(batch, "") for at in study.work.tolist()]
    for name in dict.fromkeys(filter(None, batches)):
        parts[f"{batch} {name}"] = of_items(three, np.array([each == name for each in batches], np.bool_))
    for of, part in parts.items():
        yield from agreement_findings("categories", of, part, drawn)


def marked(study: StudyColumns) -> NDArray[np.bool_]:
    """Items for work around which a rater marked an error; shape (items,)."""
    questions = [each.id for each in study.about.scheme.questions if each.kind == "marks"]
    return _items(study, [any(answer.get(name) for name in questions) for answer in study.answers])


def _with_answer(study: StudyColumns, question: str, value: str) -> NDArray[np.bool_]:
    return _items(study, [answer.get(question) == value for answer in study.answers])


def _items(study: StudyColumns, answers: list[bool]) -> NDArray[np.bool_]:
    """Items for work that have one of the answers, of judgments that count."""
    rows = study.judged
    chosen = np.array([*answers, False], np.bool_)[study.said[rows]]
    found = np.zeros(len(study.items), np.bool_)
    found[study.item[rows[chosen]]] = True
    return np.asarray(found[study.work], np.bool_)
