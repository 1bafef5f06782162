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

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons
from errorbar.formats import MOST_RANKING_BYTES
from errorbar.formats.catalog import format_of
from errorbar.formats.look import Source, display_name, look
from errorbar.formats.ranking_pairs import Collected, Key, Placed
from errorbar.formats.tables import DELIMITERS, Wanted, header_of, table_rows
from errorbar.formats.untrusted import XmlReader, read_limited

MOST_HEAD = 20  # lines that are looked through for the first element
TIES = ("tie", "=", "draw")
_ITEM = ("item", "rankingID")
_JUDGE = ("judge", "user", "judgeId")
_SENTENCE = ("sentence", "segment", "src-id", "segmentId", "srcIndex")


class _Columns(NamedTuple):
    item: str | None
    judge: str | None
    sentence: str | None


_Rows = Iterator[tuple[dict[str, str], Place]]


class _PairRows:
    """Rows that are one pair each: what tells, or does not tell, which of them a judge saw on one screen."""

    def __init__(self, columns: _Columns) -> None:
        self.columns = columns
        self.n = 0
        self.n_again = 0
        self.asked: set[tuple[str, ...]] = set()
        self.shared = columns.sentence is None

    def add(self, key: Key, pair: tuple[str, str]) -> None:
        """See one row."""
        self.n += 1
        known = (*key, *sorted(pair)) if self.columns.item else key[1:]
        self.n_again += known in self.asked
        self.asked.add(known)

    def tell(self, name: str, problems: Problems) -> None:
        """Note what the intervals of these rows do not know."""
        if self.columns.item and self.n_again:
            what = f"{self.n_again:,} rows compare two systems that an earlier row of their item and judge compares"
            fix = "both count, and are drawn as one; name another item if the judge was asked again"
            problems.note("ranking-twice", what, Place(name), fix)
        if self.n > 1 and not self.columns.item and (self.shared or self.n_again):
            what = f"{self.n:,} rows of one pair each, and no column tells which were on one screen: "
            other = "" if self.columns.sentence is None else ", or use --by=sentence"
            fix = f"if a judge saw several at once, add a column 'item'{other}; else intervals are too narrow"
            problems.note("ranking-rows", f"{what}each is drawn alone", Place(name), fix)


def read_rankings(path: Source, problems: Problems | None = None, *, systems: Sequence[str] = ()) -> Comparisons:
    """Read rankings or pairs, strictly without ``problems``; no others than the ``systems``, if these are given."""
    notebook = Problems() if problems is None else problems
    source, name = look(path), display_name(path)
    collected = Collected(name, notebook, systems)
    if source.peek().lstrip().startswith("<"):
        content = read_limited(source, MOST_RANKING_BYTES, "ranking-too-large", "split it by judges")
        _XmlReader(name, collected).parse(content)
    else:
        _read_table(source, collected)
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
                what, repair = f"a <translation> without {' and '.join(missing)}", "it is left out of the ranking"
                self.collected.problems.repairable("ranking-attribute", what, self.place, repair)
                return
            rank = self.collected.rank(attributes["rank"], self.place)
            if rank is not None:
                self.placed.append(Placed(rank, tuple(attributes["system"].split()), self.place))

    def end(self, tag: str) -> None:
        if tag != "ranking-item" or self.item is None:
            return
        item, self.item = self.item, None
        if item.get("skipped") == "true" and not self.placed:
            self.collected.n_skipped += 1
            return
        # The tool's ids come again in another judge's file, so the name alone does not tell items apart.
        name = item.get("id", f"line {self.parser.CurrentLineNumber}")
        self.collected.add((name, item.get("user", "judge"), item.get("src-id", name)), self.placed)


def _read_table(path: Source, collected: Collected) -> None:
    problems, header = collected.problems, header_of(path)
    named = (next((name for name in names if name in header), None) for names in (_ITEM, _JUDGE, _SENTENCE))
    wanted = Wanted(kind="ranking", column="ranking-columns")
    read = table_rows(path, problems, wanted)
    rows = (({key: value.strip() for key, value in values.items()}, place) for values, place in read)
    readers = {
        ("system1", "system2", "winner"): _read_pairs,
        ("item", "system", "rank"): _read_long,
        ("system1Id", "system1rank", "system2Id", "system2rank"): _read_wide,
    }
    reader = next((reader for columns, reader in readers.items() if {*columns} <= {*header}), None)
    if reader is not None:
        reader(rows, _Columns(*named), collected)
    elif not any(header):
        problems.error("ranking-empty", "the file is empty", Place(collected.name), "XML, or a line of columns")
    else:
        what = f"columns {', '.join(header)[:80]}"
        expected = "system1, system2, winner; or item, system, rank; or system1Id, system1rank, ..."
        problems.error("ranking-columns", what, Place(collected.name, 1), expected)


def _key(row: Mapping[str, str], columns: _Columns, place: Place, problems: Problems) -> Key | None:
    """A row of a table without items is one. None where a name is missing."""
    for column in columns:
        if column and not row[column]:
            what = f"nothing in the column '{column}'"
            problems.repairable("ranking-blank", what, place, expected="a name in every row")
            return None
    item = row[columns.item] if columns.item else f"line {place.line}"
    judge = row[columns.judge] if columns.judge else "judge"
    return item, judge, row[columns.sentence] if columns.sentence else item


def _read_pairs(rows: _Rows, columns: _Columns, collected: Collected) -> None:
    seen = _PairRows(columns)
    for row, place in rows:
        key = _key(row, columns, place, collected.problems)
        one, two, winner = row["system1"], row["system2"], row["winner"]
        if winner in (one, two):  # before the words for a tie: a system may be called so
            ranks = (1, 2) if winner == one else (2, 1)
        elif winner.lower() in TIES:
            ranks = (1, 1)
        else:
            what = f"the winner '{winner}' is not in the pair; {nearest(winner, (one, two, 'tie'))}"
            collected.problems.repairable("ranking-winner", what, place)
            continue
        if key is not None:
            seen.add(key, (one, two))
            collected.add(key, [Placed(ranks[0], (one,), place), Placed(ranks[1], (two,), place)], join=True)
    seen.tell(collected.name, collected.problems)


def _read_long(rows: _Rows, columns: _Columns, collected: Collected) -> None:
    items: dict[Key, list[Placed]] = {}
    for row, place in rows:
        rank = collected.rank(row["rank"], place)
        key = _key(row, columns, place, collected.problems)
        if rank is not None and key is not None:
            items.setdefault(key, []).append(Placed(rank, (row["system"],), place))
    for key, placed in items.items():
        collected.add(key, placed)


def _read_wide(rows: _Rows, columns: _Columns, collected: Collected) -> None:
    seen = _PairRows(columns)
    for row, place in rows:
        placed = []
        skipped = False
        for number in count(1):
            system, text = row.get(f"system{number}Id"), row.get(f"system{number}rank")
            if system is None or text is None:
                break
            skipped = skipped or text == "-1"  # the WMT's mark of a ranking that the judge skipped
            rank = None if skipped or not system else collected.rank(text, place)
            if rank is not None:
                placed.append(Placed(rank, (system,), place))
        key = _key(row, columns, place, collected.problems)
        if skipped:
            collected.n_skipped += 1
        elif key is not None:
            if len(placed) == 2:
                seen.add(key, (placed[0].systems[0], placed[1].systems[0]))
            # Since 2014 the WMT prints the pairs of a ranking, one a row; without items rows are items of their own.
            collected.add(key, placed, join=bool(columns.item))
    seen.tell(collected.name, collected.problems)


def is_ranking(path: Source) -> bool:
    """Whether a file has rankings or pairs, and not scores or essays: XML, or a table with their columns."""
    source = look(path)
    if format_of(source).holds == "rows":
        return bool({"winner", "rank", "system1rank"} & {*header_of(source)})
    fields = {field.strip() for sign in DELIMITERS for field in source.peek().split(sign)}
    if fields & {"winner", "rank", "system1rank"}:
        return "score" not in fields  # a table of scores may tell the ranks too
    content = (line.strip().lower() for line in source.ahead(MOST_HEAD))
    root = next((line for line in content if line and not line.startswith(("<?", "<!"))), "")
    return root.startswith("<") and not root.startswith(("<doc", "<nucle"))
