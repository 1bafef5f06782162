"""A report as files: a page, Markdown or LaTeX; its charts as SVG and PDF for papers and PNG for slides.

The page needs nothing but a browser: no network, no folder beside it. Text from data is escaped by the template engine
or the writer of tables, or stands in a JSON block that scripts read as text; a content security policy names the page's
own scripts and styles by their hashes, so that nothing else can run.

The share card is a picture of headline and leaderboard, which other pages show beside a link to the report.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args
from urllib.parse import quote

from errorbar.api.browse import BrowseEdit, BrowseUnit
from errorbar.api.corpus_results import Study
from errorbar.core.problems import InputError, MissingExtraError, Place, Problem, UsageError, visible, visible_json
from errorbar.datasets.cards import cache_root
from errorbar.formats.saving import save_bytes, save_lines
from errorbar.reporting.blocks import WARNINGS, Chart, Fold, Report, SentenceBrowser, Spec, format_markdown, latex
from errorbar.reporting.charts.vega import (
    DARK,
    LIGHT,
    MEASURED,
    PALETTE,
    USUAL,
    Config,
    draw_place,
    fixed_width,
    number_definitions,
    text_width,
)
from errorbar.tables.result import html_table
from errorbar.tables.table import Table, format_table
from errorbar.tables.writers import latex_table

if TYPE_CHECKING:
    from jinja2 import Environment
if TYPE_CHECKING:
    from errorbar.reporting.blocks import Report


# The sentence browser's columns, which ``templates/pool.js`` reads. Every text stands once. Within a unit every edit
# stands once, and annotators and systems name it by its number: most edits are shared by several of them. Offsets count
# UTF-16 code units, as the strings of a web page do.
#
# - ``texts``, ``names``, ``documents`` (number into ``documentNames``), ``disagreement``: one per unit;
# - ``edits``: per unit five numbers for each edit: start, length, replacements, type, and 1 where it is optional;
# - ``words`` are replacements, ``replacements`` are lists of numbers of them, ``types`` the error types,
#   ``meanings`` what some of these stand for;
# - ``annotations``: per unit and annotator the numbers of the edits, or 0 where the annotator did not look;
# - ``proposals``: per unit and system three times the number of the edit, plus 1 where it matched and 2 where not;
# - ``asides``: unit, annotator, number of the edit among theirs, and what is not shown: comment, consistency set, and
#   what was written as the correction where the edit has none to show, else null;
# - ``first``: numbers of the systems that are shown before anybody chooses;
# - ``counts``: per unit and system correct, proposed and reference edits; ``chosen``: the annotators scored against.


Key = TypeVar("Key", bound=Hashable)

_BASIC = 0xFFFF  # characters above take two UTF-16 code units
_MARKS = {None: 0, True: 1, False: 2}


class _Numbers(dict[Key, int]):
    """A mapping that gives each different thing a number, in the order of first use."""

    def __missing__(self, key: Key) -> int:
        self[key] = len(self)
        return self[key]


def browser_data(block: SentenceBrowser) -> Mapping[str, object]:
    """The columns listed above, ready for JSON."""
    browse = block.browse
    words: _Numbers[str] = _Numbers()
    replacements: _Numbers[tuple[int, ...]] = _Numbers()
    types: _Numbers[str] = _Numbers()
    documents: _Numbers[str] = _Numbers()
    edits, annotations, proposals, asides = [], [], [], []
    for at_unit, unit in enumerate(browse.units):
        pool: _Numbers[tuple[int, int, int, int, int]] = _Numbers()
        at = _offsets(unit.text)

        def number(edit: BrowseEdit) -> int:
            texts = replacements[tuple(words[text] for text in edit.replacements)]
            start, end = (edit.start, edit.end) if at is None else (at[edit.start], at[edit.end])  # noqa: B023
            return pool[start, end - start, texts, types[edit.type], int(edit.optional)]  # noqa: B023

        annotations.append([0 if e is None else [number(edit) for edit in e] for e in unit.annotators])
        proposals.append([[3 * number(edit) + _MARKS[edit.matched] for edit in system] for system in unit.systems])
        edits.append([value for edit in pool for value in edit])
        for annotator, edits_of_annotator in enumerate(unit.annotators):
            for place, edit in enumerate(edits_of_annotator or ()):
                if edit.comment or edit.group or edit.written:
                    aside = edit.comment, edit.group, edit.written or None
                    asides.append([at_unit, annotator, place, *aside])
    return {
        "unit": browse.unit,
        "annotators": browse.annotators,
        "systems": browse.systems,
        "first": [browse.systems.index(name) for name in block.first],
        "names": [unit.name for unit in browse.units],
        "texts": [unit.text for unit in browse.units],
        "documents": [documents[unit.document] for unit in browse.units],
        "documentNames": list(documents),
        # Three digits are more than the page shows.
        "disagreement": [None if (d := unit.disagreement) is None else round(d, 3) for unit in browse.units],
        "words": list(words),
        "replacements": list(replacements),
        "types": list(types),
        "meanings": {name: block.meanings[name] for name in types if name in block.meanings},
        "edits": edits,
        "annotations": annotations,
        "proposals": proposals,
        "asides": asides,
        "counts": [[value for counts in unit.counts for value in counts] for unit in browse.units],
        "chosen": [unit.chosen for unit in browse.units],
    }


def _offsets(text: str) -> list[int] | None:
    """UTF-16 offset of every character and of the end; None where they are the characters' own."""
    if not text or max(text) <= chr(_BASIC):
        return None
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + 1 + (ord(character) > _BASIC))
    return offsets


def example_rows(block: SentenceBrowser) -> list[tuple[BrowseUnit, list[tuple[str, Sequence[BrowseEdit]]]]]:
    """The first units that the browser shows, for a page without scripts: who made which edits."""
    browse, examples = block.browse, []
    first = block.first or browse.systems[:EXAMPLES]
    for unit in sorted(browse.units, key=_telling, reverse=True)[:EXAMPLES]:
        systems = zip(browse.systems, unit.systems, strict=False)
        shown = [(name, edits) for name, edits in systems if name in first]
        alike: dict[Sequence[BrowseEdit], list[str]] = {}
        for name, edits in [*zip(browse.annotators, unit.annotators, strict=False), *shown]:
            if edits is not None:
                alike.setdefault(edits, []).append(name)
        examples.append((unit, [(", ".join(names), edits) for edits, names in alike.items()]))
    return examples


def _telling(unit: BrowseUnit) -> float:
    """How early a unit stands, as ``telling`` of ``templates/pool.js``; metrics may count other things than edits."""
    if any(len(counts) < 3 for counts in unit.counts):
        return unit.disagreement or 0.0
    scores = [(2 * right / (made + gold) if made + gold else 1.0, right) for right, made, gold, *_ in unit.counts]
    if len(scores) > 1:
        return max(f + right / 1e6 for f, right in scores) - min(f for f, _ in scores)
    failed = (made + gold - 2 * right for right, made, gold, *_ in unit.counts)
    return sum(failed) if scores else unit.disagreement or 0.0


EXTRA = "report"
EXAMPLES = 6
"""Units that a page shows without scripts, and systems of each unless others are named."""
_SCRIPTS = (
    "page.js",
    "marks.js",
    "charts.js",
    "matrix.js",
    "pool.js",
    "facets.js",
    "edits.js",
    "saving.js",
    "browser.js",
)
"""In this order: later ones use what earlier ones define."""
WITHOUT_SCRIPTS = (
    ".pictured .canvas-scroll { display: none; } .picture { display: block; } "
    "@media print { .chart:not([data-open]) .chart-table { display: none; } }"
)
"""The style of a page without scripts: pictures stand in the place of charts, on paper without their tables."""


def page_html(report: Report) -> str:
    """Make the page, which ends with a line break; the same report gives the same text to the character."""
    environment = _environment()
    browsers = [block for block in report.blocks if isinstance(block, SentenceBrowser)]
    specs = {chart.name: chart.spec for chart in report.charts}
    page_style, scripts = style(), [script(), *([chart_library()] if specs else [])]
    drawings = {name: draw_place(spec) for name, spec in specs.items()}
    sizes = {name: drawing.sizes for name, drawing in drawings.items() if drawing.sizes}
    page = environment.get_template("page.html").render(
        report=report,
        policy=policy(scripts, [page_style, WITHOUT_SCRIPTS]),
        style=page_style,
        without_scripts=WITHOUT_SCRIPTS,
        pictures={name: _data_address(drawing.picture) for name, drawing in drawings.items() if drawing.picture},
        scripts=scripts,
        browsers=browsers,
        chart_data=_json({"light": LIGHT, "dark": DARK, "specs": specs, "sizes": sizes} if specs else {}),
        receipt_data=_json(report.receipt[1]) if report.receipt else "",
        browser_data=[_json(browser_data(block)) for block in browsers],
        latex_data=_json(_latex_tables(report)),
    )
    return f"{page.removesuffix(chr(10))}\n"


def _latex_tables(report: Report) -> dict[str, str]:
    """Name to LaTeX of each table, folded or not, and of each chart."""
    blocks = [block for section in report.sections for block in section.blocks]
    blocks = [block.inside if isinstance(block, Fold) else block for block in blocks]
    tables = [block.table if isinstance(block, Chart) else block for block in blocks]
    grids = [format_table(table) for table in tables if isinstance(table, Table)]
    return {grid.name: f"{latex_table(grid)}\n" for grid in grids if grid.name}


def _data_address(svg: str) -> str:
    """A picture as an address that holds it."""
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"


def _environment() -> Environment:
    try:
        jinja2: Any = import_module("jinja2")
    except ImportError:
        raise MissingExtraError(EXTRA, "a page") from None
    environment: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
    )
    environment.filters |= {
        "kind": lambda block: type(block).__name__,
        # An address that stays beside the page: no scheme, no host, no query, whatever its characters.
        "relative": lambda target: "./" + quote(target, safe="/"),
    }
    environment.filters["examples"] = example_rows
    environment.filters["table"] = _markup_table
    return environment


def _markup_table(table: Table, warned: Mapping[str, str] | None = None) -> object:
    """A table as markup, with a sign at rows that have a warning."""
    return import_module("markupsafe").Markup(html_table(format_table(table), _signs(warned or {})))


def _signs(warned: Mapping[str, str]) -> dict[str, str]:
    """The links behind names of rows that lead to their warnings."""
    texts = {name: escape(visible(f"warning: {text}")) for name, text in warned.items()}
    return {
        name: f' <a class="sign" href="#table-{WARNINGS}" title="{text}" aria-label="{text}">\u26a0\ufe0e</a>'
        for name, text in texts.items()
    }


def _finalize(value: object) -> object:
    """Text as it is shown everywhere; line feeds do nothing in a page. What is safe by its type is ours."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def _json(value: Mapping[str, object]) -> str:
    """JSON that cannot close the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return visible_json(text).replace("<", "\\u003c")


@cache
def template(name: str) -> str:
    """The text of a file of the folder ``templates``."""
    return (files("errorbar.reporting") / "templates" / name).read_text(encoding="utf-8")


def style() -> str:
    """The page's style sheet; its main colors are those of the charts."""
    light, dark = PALETTE["light"], PALETTE["dark"]
    colors = "".join(f"  --{name}: light-dark({light[name]}, {dark[name]});\n" for name in light)
    return f":root {{\n{colors}}}\n{template('page.css')}"


def script() -> str:
    """The page's own script."""
    return "(() => {\n'use strict';\n" + "".join(template(name) for name in _SCRIPTS) + "})();\n"


def chart_library(folder: Path | None = None) -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that sets ``vegaEmbed``.

    Bundling takes seconds, so the script is kept in a folder (None: the usual cache), one for every version of
    vl-convert, behind its own hash: a damaged copy is made anew. Where the folder cannot be written the script is
    bundled every time.
    """
    try:
        converter = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError(EXTRA, "a page with charts") from None
    kept = (folder or cache_root() / "report") / f"vega-{converter.__version__}.js"
    with suppress(OSError, UnicodeDecodeError):
        digest, _, text = kept.read_bytes().decode("utf-8").partition("\n")
        if digest == f"// {_sha256(text).hex()}":
            return text
    # What a browser hashes has line feeds only, and ends where a script could be closed.
    bundled = str(converter.javascript_bundle()).replace("\r\n", "\n").replace("\r", "\n")
    bundled = bundled.replace("</script", "<\\/script")
    with suppress(OSError, InputError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_bytes(f"// {_sha256(bundled).hex()}\n{bundled}".encode(), str(kept))
    return bundled


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """The content security policy: scripts and styles of these texts, pictures inside the page, and nothing else."""
    allowed = {
        "default-src": "'none'",
        "script-src": _hashes(scripts),
        "style-src": _hashes(styles),
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{directive} {sources}" for directive, sources in allowed.items())


def _hashes(texts: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(_sha256(text)).decode()}'" for text in texts) or "'none'"


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()


Kind = Literal["html", "markdown", "latex"]
Picture = Literal["svg", "png", "pdf"]
KINDS: dict[Kind, tuple[str, ...]] = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
"""Kinds of text to the endings of their files."""
PICTURES: tuple[Picture, ...] = get_args(Picture)
WRITERS = {"html": page_html, "markdown": format_markdown, "latex": latex}
PIXELS = {"full": 640, "half": 420}  # widths of charts that are as wide as their place
SCALE = 2  # of PNG: pixels for each pixel on a page
EPOCH = "SOURCE_DATE_EPOCH"
FRAME = '<iframe srcdoc="{}" width="100%" height="800" style="border:0" sandbox="allow-scripts"></iframe>'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeReport:
    """A report that can be looked at and saved.

    Attributes:
        report: What it shows, as plain data.
        studies: What was computed.
        notes: Warnings and repairs.
        missing: Which sections the data does not allow, and why.
    """

    report: Report
    studies: Sequence[Study]
    notes: Sequence[Problem]
    missing: Sequence[Problem]

    def save(self, path: str | os.PathLike[str], kind: Kind | None = None) -> int:
        """Write the report, whole or not at all.

        Args:
            path: The file: ``.html``, ``.md`` or ``.tex``; ``-``: standard output.
            kind: ``html``, ``markdown`` or ``latex``; None: as the ending says; to standard output a page.

        Returns:
            Bytes written.

        Raises:
            InputError: If the file cannot be written.
            MissingExtraError: If a library that a page takes is not installed.
            UsageError: If nothing says what the file is to be.
        """
        name = os.fspath(path)
        fitting: list[Kind] = [format_name for format_name, endings in KINDS.items() if name.lower().endswith(endings)]
        if kind is None and not fitting and name != "-":
            fix = "name a file that ends in .html, .md or .tex, or say which kind"
            raise UsageError(Problem("output-format", f"nothing says what '{name}' is to be", fix=fix))
        return save_report(self.report, name, kind or (fitting[0] if fitting else "html"))

    def save_charts(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each chart as SVG, PNG and PDF.

        Raises:
            InputError: If the folder or a file cannot be written.
            MissingExtraError: If the library that draws is not installed.
        """
        return save_charts(self.report, Path(folder))

    def save_card(self, path: str | os.PathLike[str]) -> None:
        """Write headline and leaderboard as a picture of 1200 × 630 pixels, as pages show it beside a link.

        Args:
            path: The file: ``.png``.

        Raises:
            InputError: If the file cannot be written.
            MissingExtraError: If the library that draws is not installed.
        """
        save_bytes(card_png(self.report), os.fspath(path))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, as a notebook shows it."""
        return FRAME.format(escape(page_html(self.report)))

    def __repr__(self) -> str:
        return f"MadeReport({self.report.title!r}: {', '.join(section.title for section in self.report.sections)})"


def save_report(report: Report, path: str, kind: Kind = "html") -> int:
    """Write a report, whole or not at all, to a file or to ``-``, standard output; how many bytes it has."""
    text = WRITERS[kind](report)
    save_lines([text.removesuffix("\n")], path)
    return len(text.encode())


def save_charts(report: Report, folder: Path, pictures: Sequence[Picture] = PICTURES) -> list[Path]:
    """Write every chart of a report, each file whole or not at all and named after its chart, on white."""
    drawn = {f"{chart.name}.{kind}": draw(chart, kind) for chart in report.charts for kind in pictures}
    make_folder(folder)
    for name, content in drawn.items():
        save_bytes(content, str(folder / name))
    return [folder / name for name in drawn]


def make_folder(folder: Path) -> None:
    """Make a folder; raises ``InputError`` if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"the folder cannot be made: {error.strerror}"
        raise InputError(Problem("cannot-write", message, Place(str(folder)), fix="name another folder")) from None


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Make a folder before long work; where the work fails, folders that were made for it and are empty go again."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    make_folder(folder)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            for path in missing:
                path.rmdir()
        raise


def draw(chart: Chart, kind: Picture) -> bytes:
    """A chart as the content of a file; raises ``MissingExtraError`` if the library that draws is not installed."""
    return draw_spec(chart.spec, kind, PIXELS[chart.width])


PAPER: Config = {**LIGHT, "background": "white"}


def draw_spec(spec: Spec, kind: Picture, pixels: int = PIXELS["full"], config: Config = PAPER) -> bytes:
    """A chart that stands in no report; as ``draw``. ``config`` is its look: ``PAPER``, or one of a page's schemes."""
    try:
        library: Any = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError(EXTRA, "drawing charts into files") from None
    how: dict[str, Any] = {"config": dict(config), **({"scale": SCALE} if kind == "png" else {})}
    drawn = getattr(library, f"vegalite_to_{kind}")(json.dumps(fixed_width(spec, pixels)), **how)
    return number_definitions(drawn).encode() if isinstance(drawn, str) else bytes(drawn)


def need(kind: Kind, *, pictures: bool = False) -> None:
    """Raise ``MissingExtraError`` unless what a report, or drawing charts, takes is installed; nothing is loaded."""
    libraries = {"jinja2": kind == "html", "vl_convert": kind == "html" or pictures}
    if any(wanted and find_spec(name) is None for name, wanted in libraries.items()):
        raise MissingExtraError(EXTRA, "a page" if kind == "html" else "drawing charts into files")


def today() -> str:
    """The date of a report; that of SOURCE_DATE_EPOCH where builds must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())


SIZE = 1200, 630
"""Width and height in pixels, as pages that show cards ask for."""
MARGIN, BAR = 48, 10
TITLE, LARGE, SMALL, NOTE = 26, 46, 34, 20
"""Sizes of the title, of headlines, large where that takes few lines, and of what bars mean."""
MOST_LINES = 3
BOLD = 1.06  # how much wider bold letters are
LEADING = 1.22


def card_png(report: Report) -> bytes:
    """Draw the card of a report: its title, its headline, or else its first sentence, and the leaderboard.

    Raises:
        MissingExtraError: If the library that draws is not installed.
    """
    try:
        library: Any = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError("report", "drawing the share card") from None
    return bytes(library.svg_to_png(card_svg(report), scale=1))


def card_svg(report: Report) -> str:
    """Make the card as SVG."""
    width, height = SIZE
    colors, room = PALETTE["light"], width - 2 * MARGIN
    sentence = report.headline or next(iter(report.summary), "")
    size, lines = next(
        (size, lines)
        for size in (LARGE, SMALL)
        if len(lines := wrap(sentence, room, size, bold=True)) <= MOST_LINES or size == SMALL
    )
    parts = [
        f'<rect width="{width}" height="{height}" fill="{colors["paper"]}"/>',
        f'<rect width="{BAR}" height="{height}" fill="{colors["accent"]}"/>',
    ]
    y = MARGIN + TITLE
    (title, *_) = wrap(report.title, room, TITLE) or [""]
    parts.append(_line(title, y, TITLE, colors["muted"]))
    y += 12
    for line in _cut(lines, room, size):
        y += round(LEADING * size)
        parts.append(_line(line, y, size, colors["ink"], "bold"))
    y += 26
    if report.card is not None:
        bars = report.card.bars
        left = height - y - MARGIN // 2 - (2 * NOTE if bars else 0)
        picture = draw_place(report.card.spec).picture
        if picture is not None:
            # As high as there is room for, and then drawn as wide as the card.
            _, _, wide, high = map(float, _view(picture).split())
            fitting = round(USUAL + room * high / left - wide)
            if fitting > USUAL:
                picture = draw_place(report.card.spec, fitting).picture or picture
            parts.append(_place(picture, y, room, left))
            parts.append(_line(bars, height - MARGIN // 2, NOTE, colors["muted"]))
    inside = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{MEASURED}">{inside}</svg>'
    )


def wrap(text: str, room: float, size: int, *, bold: bool = False) -> list[str]:
    """Break a text into lines that are no wider than the room, in the widest of usual fonts."""
    lines: list[str] = []
    for word in visible(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) * (BOLD if bold else 1) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _cut(lines: list[str], room: float, size: int) -> list[str]:
    """No more lines than there is room for; the last one says that the text goes on."""
    if len(lines) <= MOST_LINES:
        return lines
    last = lines[MOST_LINES - 1]
    while text_width(f"{last} …", size) * BOLD > room and " " in last:
        last = last.rpartition(" ")[0]
    return [*lines[: MOST_LINES - 1], f"{last} …"]


def _line(text: str, y: int, size: int, color: str, weight: str = "normal") -> str:
    """A line of text; Arial is narrower than what lines were broken by, so it ends inside the card."""
    place = f'x="{MARGIN}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{color}"'
    return f"<text {place}>{escape(text)}</text>"


def _place(picture: str, y: int, width: int, height: int) -> str:
    """A picture in a place, as large as fits there."""
    place = f'x="{MARGIN}" y="{y}" width="{width}" height="{height}" preserveAspectRatio="xMinYMin meet"'
    return f'<svg {place} viewBox="{_view(picture)}">{picture.partition(">")[2]}'


def _view(picture: str) -> str:
    """The part of the plane that a picture shows: left, top, width and height."""
    return picture[picture.index("viewBox=") :].split('"')[1]
