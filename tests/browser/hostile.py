"""A corpus that wants to be more than text."""

from __future__ import annotations

from dataclasses import replace

from errorbar.api import Browse, BrowseEdit, BrowseUnit
from errorbar.reporting import Block, Code, ItemList, Prose, Report, WordInContext
from errorbar.tables import Column, Table
from tests.browser.pages import bars, report_of

TEXTS = (
    "<script>window.harmed = 1; alert(1)</script>",
    "</script><script>window.harmed = 2</script>",
    "</style></title></textarea></noscript><img src=x onerror='window.harmed = 3'>",
    "<!--<script>window.harmed = 4",
    '"\' onmouseover="window.harmed = 5" x=\'',
    "{{ 7 * 7 }} {% raw %} ${window.harmed = 6} `x` {0} %s",
    "&lt;b&gt; &amp; &#x3c; \\u003c \\ / // \\n",
    "javascript:window.harmed=7",
    "שלום עולם this is mixed العربية \u202e text",
    "emoji 👩‍👩‍👧‍👦 and 🇩🇪 and 😀 here",
    "__proto__ constructor toString hasOwnProperty",
    "]]> ; 123 \u2028 \u2029 \x7f end",
)
LONG = " ".join(f"word{number}" for number in range(2000))
UNBROKEN = "x" * 5000


def hostile_browse() -> Browse:
    """Everything in every place: sentences, names, types, replacements; 200 systems."""
    systems = tuple(f"{TEXTS[number % len(TEXTS)]} {number}" for number in range(200))
    units = []
    for number, text in enumerate((*TEXTS, LONG, UNBROKEN, ""), 1):
        at = text.find("😀")
        start, end = (at, at + 1) if at >= 0 else (0, min(8, len(text)))
        whole = BrowseEdit(start, end, TEXTS, text[:60], optional=True)
        overlapping = BrowseEdit(start, min(start + 3, len(text)), (), TEXTS[number % len(TEXTS)])
        at_the_end = BrowseEdit(len(text), len(text), (TEXTS[0],), "__proto__")
        mine = tuple((whole._replace(matched=bool(index % 2)),) if index % 3 else () for index in range(200))
        units.append(
            BrowseUnit(
                text[:80] if number % 2 else str(number),
                text,
                text[:50],
                ((whole, overlapping, at_the_end), None, ()),
                mine,
                tuple((index % 2, 1, 1) if index % 3 else (0, 0, 1) for index in range(200)),
                tuple(index % 4 - 1 for index in range(200)),
                None if number % 5 == 0 else 0.5,
            )
        )
    return Browse((TEXTS[0], TEXTS[4], TEXTS[8]), systems, units)


def hostile_report() -> Report:
    """The same in titles, summaries, tables, charts and code."""
    rows = [(f"{text} {number}", text) for number, text in enumerate(TEXTS)]
    table = Table([Column(TEXTS[1]), Column(TEXTS[2])], rows, TEXTS[0], "hostile", TEXTS)
    chart = bars("hostile-chart")
    values = [{"system": text, "f": 0.5, "low": 0.4, "high": 0.6} for text in TEXTS]
    chart = replace(chart, title=TEXTS[0], description=TEXTS[2], table=replace(table, name="hostile-numbers"))
    chart = replace(chart, spec={**chart.spec, "data": {"values": values}, "height": 300})
    lines = [WordInContext(text, text, (text, text, text), text) for text in TEXTS]
    items = ItemList(TEXTS[0], lines, replace(table, name="hostile-items"))
    blocks: tuple[Block, ...] = (Prose(TEXTS), table, chart, items, *(Code(t, t) for t in TEXTS))
    made = report_of(hostile_browse(), *blocks, title=TEXTS[1])
    return replace(made, summary=TEXTS, facts=[(text, text) for text in TEXTS], version=TEXTS[4], date=TEXTS[4])
