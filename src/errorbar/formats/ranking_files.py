"""Human rankings of systems: XML as the WMT's annotation tool writes it, or CSV of pairs or of rankings.

XML, in the encoding that it declares: ``ranking-item`` elements (``src-id`` the sentence, ``user`` the judge) that hold
``translation`` elements with a ``rank`` (1 is best) and a ``system``; systems that wrote the same text stand in one
element, with spaces between.

CSV, told by its columns: pairs (``system1, system2, winner``; the winner a name, or ``tie``); rankings in rows
(``item, system, rank``); rankings in columns (``segmentId, system1Id, system1rank, system2Id, ...``, as the WMT prints
them; ``rankingID`` is the item). ``item``, ``judge`` and ``sentence`` may be given everywhere: rows of one item, judge
and sentence are one item, wherever they stand.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons
from errorbar.formats.opening import Lines, Source, display_name, rereadable
from errorbar.formats.ranking_pairs import Collected, Placed
from errorbar.formats.untrusted import XmlReader, read_limited

MOST_BYTES = 1 << 28
"""Of one XML file, unpacked; 2,319 rankings have 800 thousand."""
MOST_HEAD = 20
"""Lines that are looked through for the first element."""
DELIMITERS = ",\t;"
TIES = ("tie", "=", "draw")
_ITEM = ("item", "rankingID")
_JUDGE = ("judge", "user", "judgeId")
_SENTENCE = ("sentence", "segment", "src-id", "segmentId", "srcIndex")


class _Columns(NamedTuple):
    item: str | None
    judge: str | None
    sentence: str | None


class _PairRows:
    """Rows that are one pair each: what tells, or does not tell, which of them a judge saw on one screen."""

    def __init__(self, columns: _Columns) -> None:
        self.columns = columns
        self.n = 0
        self.n_again = 0
        self.asked: set[tuple[str, str]] = set()
        self.shared = columns.sentence is None
        self.pairs: set[tuple[str, ...]] = set()

    def add(self, key: tuple[str, str, str], pair: tuple[str, str]) -> None:
        """See one row."""
        self.n += 1
        if self.columns.item:
            known = (*key, *sorted(pair))
            self.n_again += known in self.pairs
            self.pairs.add(known)
            return
        self.shared |= key[1:] in self.asked
        self.asked.add(key[1:])

    def tell(self, name: str, problems: Problems) -> None:
        """Note what the intervals of these rows do not know."""
        if self.n_again:
            what = f"{self.n_again:,} rows compare two systems that an earlier row of their item and judge compares"
            fix = "both count, and are drawn as one; name another item if the judge was asked again"
            problems.note("ranking-twice", what, Place(name), fix=fix)
        if self.n > 1 and not self.columns.item and self.shared:
            what = (
                f"{self.n:,} rows of one pair each, and no column tells which were on one screen: each is drawn alone"
            )
            other = "" if self.columns.sentence is None else ", or use --by=sentence"
            fix = f"if a judge saw several at once, add a column 'item'{other}; else intervals are too narrow"
            problems.note("ranking-rows", what, Place(name), fix=fix)


def read_rankings(path: Source, problems: Problems | None = None, *, systems: Sequence[str] = ()) -> Comparisons:
    """Read rankings or pairs.

    Args:
        path: The file, gzipped or not, or ``-``. XML is told by its first character.
        problems: Where notes go; None: read strictly.
        systems: The systems there are; another name is an error. Empty: those that the file names.

    Raises:
        InputError: If the file is bad. Lenient reading leaves out what is named.
    """
    notebook = Problems() if problems is None else problems
    name, path = display_name(path), rereadable(path)
    collected = Collected(name, notebook, systems)
    # XML may have another encoding than UTF-8, and then its bytes are no errors.
    if Lines(path, Problems(lenient=True), name).peek().lstrip().startswith("<"):
        content = read_limited(path, MOST_BYTES, Place(name), "ranking-too-large", "split it by judges")
        _XmlReader(name, collected).parse(content)
    else:
        _read_csv(Lines(path, notebook, name), collected, notebook)
    comparisons = collected.comparisons()
    notebook.raise_errors()
    return comparisons


class _XmlReader(XmlReader):
    """Collects every ``ranking-item``, however deep it stands; other elements are passed by."""

    kind, called, expected = "ranking", "rankings", "<ranking-item> elements"

    def __init__(self, name: str, collected: Collected) -> None:
        super().__init__(name)
        self.collected = collected
        self.item: dict[str, str] | None = None
        self.placed: list[Placed] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "ranking-item":
            self.item, self.placed = attributes, []
        elif tag == "translation" and self.item is not None:
            missing = [name for name in ("rank", "system") if not attributes.get(name, "").strip()]
            if missing:
                what = f"a <translation> without {' and '.join(missing)}"
                repair = "it is left out of the ranking"
                self.collected.problems.repairable("ranking-attribute", what, self.place, repair=repair)
                return
            rank = self.collected.rank(attributes["rank"], self.place)
            if rank is not None:
                self.placed.append(Placed(rank, tuple(attributes["system"].split()), self.place))

    def end(self, tag: str) -> None:
        if tag != "ranking-item" or self.item is None:
            return
        item, self.item = self.item, None
        if item.get("skipped") == "true" and not self.placed:
            self.collected.skip()
            return
        # The tool's ids come again in another judge's file, so the name alone does not tell items apart.
        name = item.get("id", f"line {self.parser.CurrentLineNumber}")
        self.collected.add((name, item.get("user", "judge"), item.get("src-id", name)), self.placed)


def _read_csv(lines: Lines, collected: Collected, problems: Problems) -> None:
    head = lines.ahead(1)
    if not head:
        problems.error("ranking-empty", "the file is empty", Place(lines.name), expected="XML, or a line of columns")
        return
    delimiter = max(DELIMITERS, key=head[0].count)
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    try:
        header = [field.strip() for field in next(reader)]
        rows = _rows(reader, header, lines.name, problems)
        if {"system1", "system2", "winner"} <= set(header):
            _read_pairs(rows, _columns(header), collected, problems)
        elif {"item", "system", "rank"} <= set(header):
            _read_long(rows, _columns(header), collected)
        elif {"system1Id", "system1rank", "system2Id", "system2rank"} <= set(header):
            _read_wide(rows, _columns(header), collected, problems)
        else:
            what = f"columns {', '.join(header)[:80]}"
            expected = "system1, system2, winner; or item, system, rank; or system1Id, system1rank, ..."
            problems.error("ranking-columns", what, Place(lines.name, 1), expected=expected)
    except csv.Error as error:
        place = Place(lines.name, reader.line_num)
        problems.error("ranking-csv", f"not CSV: {error}", place, expected="fields quoted as in RFC 4180")


def _columns(header: Sequence[str]) -> _Columns:
    def one(names: Sequence[str]) -> str | None:
        return next((name for name in names if name in header), None)

    return _Columns(one(_ITEM), one(_JUDGE), one(_SENTENCE))


def _rows(
    reader: Iterator[list[str]], header: Sequence[str], name: str, problems: Problems
) -> Iterator[tuple[Place, dict[str, str]]]:
    line = 1
    for fields in reader:
        line = getattr(reader, "line_num", line + 1)
        if len(fields) == len(header):
            yield Place(name, line), {key: field.strip() for key, field in zip(header, fields, strict=True)}
        elif fields:
            what = f"{len(fields)} fields in a table of {len(header)} columns"
            repair = "the row is left out"
            place = Place(name, line)
            problems.repairable("ranking-fields", what, place, repair=repair, expected=f"{len(header)} fields")


def _names(row: Mapping[str, str], columns: _Columns, place: Place, problems: Problems) -> tuple[str, str, str] | None:
    """Item, judge and sentence; a row of a table without items is one. None where a name is missing."""
    for column in columns:
        if column and not row[column]:
            what = f"nothing in the column '{column}'"
            repair = "the row is left out"
            problems.repairable("ranking-blank", what, place, repair=repair, expected="a name in every row")
            return None
    item = row[columns.item] if columns.item else f"line {place.line}"
    judge = row[columns.judge] if columns.judge else "judge"
    return item, judge, row[columns.sentence] if columns.sentence else item


def _read_pairs(
    rows: Iterator[tuple[Place, dict[str, str]]], columns: _Columns, collected: Collected, problems: Problems
) -> None:
    seen = _PairRows(columns)
    for place, row in rows:
        key = _names(row, columns, place, problems)
        one, two, winner = row["system1"], row["system2"], row["winner"]
        if winner in (one, two):  # before the words for a tie: a system may be called so
            ranks = (1, 2) if winner == one else (2, 1)
        elif winner.lower() in TIES:
            ranks = (1, 1)
        else:
            collected.bad_winner(winner, (one, two), place)
            continue
        if key is not None:
            seen.add(key, (one, two))
            placed = [Placed(ranks[0], (one,), place), Placed(ranks[1], (two,), place)]
            collected.add(key, placed, join=True)
    seen.tell(collected.name, problems)


def _read_long(rows: Iterator[tuple[Place, dict[str, str]]], columns: _Columns, collected: Collected) -> None:
    items: dict[tuple[str, str, str], list[Placed]] = {}
    for place, row in rows:
        rank = collected.rank(row["rank"], place)
        key = _names(row, columns, place, collected.problems)
        if rank is not None and key is not None:
            items.setdefault(key, []).append(Placed(rank, (row["system"],), place))
    for key, placed in items.items():
        collected.add(key, placed)


def _read_wide(
    rows: Iterator[tuple[Place, dict[str, str]]], columns: _Columns, collected: Collected, problems: Problems
) -> None:
    seen = _PairRows(columns)
    for place, row in rows:
        placed = []
        number = 1
        skipped = False
        while f"system{number}Id" in row and f"system{number}rank" in row:
            system, text = row[f"system{number}Id"], row[f"system{number}rank"]
            number += 1
            skipped = skipped or text == "-1"  # the WMT's mark of a ranking that the judge skipped
            rank = None if skipped or not system else collected.rank(text, place)
            if rank is not None:
                placed.append(Placed(rank, (system,), place))
        key = _names(row, columns, place, problems)
        if skipped:
            collected.skip()
        elif key is not None:
            if len(placed) == 2:
                seen.add(key, (placed[0].systems[0], placed[1].systems[0]))
            # Since 2014 the WMT prints the pairs of a ranking, one a row; without items rows are items of their own.
            collected.add(key, placed, join=bool(columns.item))
    seen.tell(collected.name, problems)


def is_ranking(path: Source) -> bool:
    """Whether a file has rankings or pairs, and not scores or essays: XML, or a table with their columns.

    Raises:
        InputError: If it cannot be opened.
    """
    lines = Lines(path, Problems(lenient=True))  # XML may have another encoding
    first = lines.peek()
    fields = {field.strip() for sign in DELIMITERS for field in first.split(sign)}
    if fields & {"winner", "rank", "system1rank"}:
        return "score" not in fields  # a table of scores may tell the ranks too
    content = (line.strip().lower() for line in lines.ahead(MOST_HEAD))
    root = next((line for line in content if line and not line.startswith(("<?", "<!"))), "")
    return root.startswith("<") and not root.startswith(("<doc", "<nucle"))
