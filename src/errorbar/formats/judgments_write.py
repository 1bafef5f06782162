"""Judgments as CSV or JSON lines, ready to be read again."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from typing import Literal

from errorbar.core.errors import InputError, Problem
from errorbar.core.judgments import Judgments
from errorbar.formats.judgment_files import COLUMNS, NEEDED

JudgmentFormat = Literal["csv", "jsonl"]


def write_judgments(judgments: Judgments, kind: JudgmentFormat = "csv") -> Iterator[str]:
    """Yield the lines of a file of judgments, without line ends.

    Raises:
        InputError: If a name contains a line break, which CSV cannot hold safely.
    """
    weights = None if judgments.weight is None else judgments.weight.tolist()
    names = COLUMNS[:4] if weights is not None else NEEDED
    if kind == "csv":
        _check_line_breaks(judgments)
        yield ",".join(names)
        items, raters, labels = (
            [_csv_field(name) for name in column] for column in (judgments.items, judgments.raters, judgments.labels)
        )
    else:
        items, raters, labels = list(judgments.items), list(judgments.raters), list(judgments.labels)
    codes = zip(judgments.item.tolist(), judgments.rater.tolist(), judgments.label.tolist(), strict=True)
    for row, (item, rater, label) in enumerate(codes):
        values: list[str | float] = [items[item], raters[rater], labels[label]]
        if weights is not None:
            values.append(weights[row])
        if kind == "csv":
            yield ",".join(value if isinstance(value, str) else repr(value) for value in values)
        else:
            yield json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)


def _check_line_breaks(judgments: Judgments) -> None:
    for names in (judgments.items, judgments.raters, judgments.labels):
        broken = next((name for name in names if "\n" in name or "\r" in name), None)
        if broken is not None:
            what = f"the name {broken!r} contains a line break"
            raise InputError(Problem("judgments-line-break", what, fix="write JSON lines"))


def _csv_field(text: str) -> str:
    buffer = io.StringIO()
    # A space at the edge of a field is kept by readers only inside quotes.
    if text != text.strip():
        csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="").writerow([text])
    else:
        csv.writer(buffer, lineterminator="").writerow([text])
    return buffer.getvalue()
