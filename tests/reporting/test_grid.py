"""Grids: colors in even steps, figures that can be read on all of them in both schemes, codes in words."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from errorbar.reporting import HeatCell, RowNames, format_markdown, heat_chart, latex, page_html
from errorbar.reporting.charts.vega import DARK, FADED, LIGHT, PALETTE, Config
from errorbar.reporting.sections.types import CATEGORIES, NUCLE, code_key, spell_code
from tests.helpers.scoring import type_score
from tests.reporting.pages import charts, drawn, report_of
from tests.reporting.studies import score, study

pytest.importorskip("vl_convert", reason="needs the extra 'report'")
SCHEMES = {"light": LIGHT, "dark": DARK}


def channels(color: str) -> list[float]:
    """Linear red, green and blue of a color in hexadecimals."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(color: str) -> float:
    """Relative luminance, as WCAG 2 has it."""
    red, green, blue = channels(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(color: str, other: str) -> float:
    dark, light = sorted((luminance(color), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def lightness(color: str) -> float:
    """L of OKLab (Ottosson 2020)."""
    red, green, blue = channels(color)
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    middle = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return float(0.2104542553 * long + 0.793617785 * middle - 0.0040720468 * short)


def mixed(color: str, other: str, share: float) -> str:
    """A color between two, as a browser paints one of that opacity over the other."""
    pairs = [(int(color[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)


def ramp(config: Config) -> list[str]:
    """Colors from end to end, as Vega mixes them."""
    return [
        mixed(after, before, step / 20) for before, after in pairwise(config["range"]["heatmap"]) for step in range(21)
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_palette_is_whole_and_even(scheme: str) -> None:
    steps = [lightness(color) for color in SCHEMES[scheme]["range"]["heatmap"]]
    assert max(steps) - min(steps) > 0.68  # of 1, from black to white
    apart = [after - before for before, after in pairwise(steps)]
    assert max(apart) - min(apart) < 0.02


@pytest.mark.parametrize("scheme", SCHEMES)
def test_figures_can_be_read_on_every_color(scheme: str) -> None:
    ink, paper = PALETTE[scheme]["ink"], PALETTE[scheme]["paper"]
    for color in ramp(SCHEMES[scheme]):
        assert max(contrast(color, "#000000"), contrast(color, "#ffffff")) >= 4.5
        assert contrast(mixed(color, paper, FADED), ink) >= 4.5
    assert contrast(SCHEMES[scheme]["style"]["gap"]["color"], ink) >= 4.5


def test_a_triangle_has_no_other_cells_and_colors_span_the_values() -> None:
    cells = [HeatCell("b", "a", 0.41, "0.41"), HeatCell("c", "a", 0.55, "0.55"), HeatCell("c", "b", 0.5, "0.50")]
    text = json.dumps(heat_chart(cells, RowNames("who"), column_title="and", value_title="kappa", domain=(0.4, 0.6)))
    assert text.count('"detail": "0.') == 3
    assert '"domain": [0.4, 0.6]' in text


def test_few_edits_are_faded_and_do_not_stretch_the_colors() -> None:
    cells = [HeatCell("often", "a", 40.0, "40"), HeatCell("rare", "a", 100.0, "100", few=True)]
    spec = heat_chart(cells, RowNames("type"), column_title="system", value_title="recall")
    assert '"domain": [0, 40.0]' in json.dumps(spec)
    layers = spec["layer"]
    assert isinstance(layers, list)
    looks = [layer["mark"]["style"] for layer in layers if layer["mark"]["type"] == "rect"]
    assert looks == ["cell", "faded"]


def test_codes_are_spelled_out_in_every_format() -> None:
    kinds = [type_score(name, 10, 30) for name in ("ArtOrDet", "R:NOUN:NUM", "Mine")]
    report = report_of([study([score("a", 0.4, types=kinds)])])
    chart = charts(report)["type-recall-map"]
    assert chart.key == {"ArtOrDet": "article or determiner", "R:NOUN:NUM": "noun number, replaced"}
    said = {row["row"]: row["said"] for row in drawn(chart) if "detail" in row}
    assert said == {**chart.key, "Mine": ""}
    for text in (page_html(report), format_markdown(report), latex(report)):
        assert "article or determiner" in text
        assert "noun number, replaced" in text


def test_every_code_of_both_schemes_has_words() -> None:
    assert len(NUCLE) == 28
    for category in CATEGORIES:
        assert spell_code(f"M:{category}").endswith(", missing")
    assert code_key(["UNK", "U", "nothing"]) == {"UNK": "no correction known", "U": "unnecessary"}


def test_without_sentences_no_cell_asks_for_them() -> None:
    chart = charts(report_of([study([score("a", 0.4, types=[type_score("ArtOrDet", 1, 30)])])]))["type-recall-map"]
    assert not chart.hint
    assert not [row for row in drawn(chart) if "asks" in row]
