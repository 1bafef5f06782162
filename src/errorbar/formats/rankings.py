"""Human rankings of systems: XML as the WMT's annotation tool writes it, or CSV of pairs or of rankings.

XML, in the encoding that it declares: ``ranking-item`` elements (``src-id`` the sentence, ``user`` the judge) that hold
``translation`` elements with a ``rank`` (1 is best) and a ``system``; systems that wrote the same text stand in one
element, with spaces between.

CSV, told by its columns: pairs (``system1, system2, winner``; the winner a name, or ``tie``); rankings in rows
(``item, system, rank``; in an item, systems with the same ``output`` wrote the same text); rankings in columns
(``segmentId, system1Id, system1rank, system2Id, ...``, as the WMT prints them; ``rankingID`` is the item). ``item``,
``judge`` and ``sentence`` may be given everywhere: rows of one item, judge and sentence are one item, wherever they
stand.

Exports of other tools (``formats.exports``): scores of Appraise, where a judge's scores of one segment are a ranking,
equal scores a tie, and control items are left out; ranking questions of Argilla, whose values are systems; answers
beside ``system1`` and ``system2``, e.g. of Label Studio, where the answer is the winner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import combinations, count, product
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from errorbar.core.labels import format_count, whole_number
from errorbar.core.problems import InputError, Place, Problem, Problems, nearest, shorten_text
from errorbar.core.rankings import Comparisons
from errorbar.formats.catalog import format_of
from errorbar.formats.exports import BETTER, EQUAL, RANKED
from errorbar.formats.limits import MOST_RANKING_BYTES, MOST_SYSTEMS, MOST_TOGETHER
from errorbar.formats.look import Source, display_name, look
from errorbar.formats.tables import DELIMITERS, TableFields, header_of, table_rows
from errorbar.formats.untrusted import XmlReader, read_limited

# Rankings as they are read, turned into comparisons; checks the names.


Key = tuple[str, str, str]  # item, judge and sentence
_LEFT_OUT = "it is left out of the ranking"


class RankedText(NamedTuple):
    """A text that a judge ranked, 1 is best, and the systems that wrote it."""

    rank: int
    systems: tuple[str, ...]
    place: Place


@dataclass(slots=True)
class _Alike:
    """Rankings with the same numbers of systems in their texts, so that the same places are compared."""

    number: list[int] = field(default_factory=list)
    codes: list[int] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    where: list[tuple[int, int, int]] = field(default_factory=list)


class RankingCollection:
    """Collects rankings as comparisons of two systems each; ``known``: the systems there are, empty: any."""

    def __init__(self, name: str, problems: Problems, known: Sequence[str]) -> None:
        self.name = name
        self.problems = problems
        self.known = frozenset(known)
        self.systems: dict[str, int] = {system: code for code, system in enumerate(known)}
        self.items: list[str] = []
        self.keys: dict[Key, int] = {}
        self.judges: dict[str, int] = {}
        self.sentences: dict[str, int] = {}
        self.alike: dict[tuple[int, ...], _Alike] = {}
        self.n_rankings = 0
        self.n_skipped = 0  # items that their judge skipped
        self.n_alone = 0

    def rank(self, text: str, place: Place) -> int | None:
        """Read a rank; None, with the problem recorded, where it is none."""
        if rank := whole_number(text):
            return rank
        message, repair = f"the rank {shorten_text(text)!r}", "the system is left out of the ranking"
        self.problems.repairable("ranking-rank", message, place, repair, "a whole number from 1")
        return None

    def add(self, key: Key, placed: Sequence[RankedText], *, join: bool = False) -> None:
        """Add a ranking; join: to the item of that key if there is one, else every ranking is an item of its own."""
        if (n := sum(len(text.systems) for text in placed)) > MOST_TOGETHER:
            message = f"item '{key[0]}' ranks {n:,} systems"
            expected = f"at most {MOST_TOGETHER}, which are {MOST_TOGETHER * (MOST_TOGETHER - 1) // 2:,} comparisons"
            self.problems.error("ranking-too-many", message, placed[0].place, expected)
            return
        outputs: list[tuple[int, list[int]]] = []
        seen: set[int] = set()
        for text in placed:
            codes = []
            for system in text.systems:
                code = self._code(system, text.place)
                if code in seen:
                    message = f"item '{key[0]}' has '{system}' twice: a system cannot be compared with itself"
                    self.problems.repairable("ranking-self", message, text.place, "only the first is kept")
                elif code is not None:
                    seen.add(code)
                    codes.append(code)
            if codes:
                outputs.append((text.rank, codes))
        if len(seen) < 2:
            self.n_alone += 1
            return
        item = self.keys.setdefault(key, len(self.items)) if join else len(self.items)
        if item == len(self.items):
            self.items.append(key[0])
        alike = self.alike.setdefault(tuple(len(codes) for _, codes in outputs), _Alike())
        alike.number.append(self.n_rankings)
        self.n_rankings += 1
        for rank, codes in outputs:
            alike.codes += codes
            alike.ranks += [rank] * len(codes)
        judge = self.judges.setdefault(key[1], len(self.judges))
        alike.where.append((item, judge, self.sentences.setdefault(key[2], len(self.sentences))))

    def _code(self, system: str, place: Place) -> int | None:
        if not system or (self.known and system not in self.known):
            message = f"no system is called '{system}'" if system else "a ranking without a system"
            hint = "each has a name"
            if system and not self.problems.lenient:  # which says nothing of it, and looking is slow
                hint = nearest(system, sorted(self.known))
            self.problems.repairable("ranking-unknown-system", message, place, _LEFT_OUT, hint=hint)
            return None
        if len(self.systems) == MOST_SYSTEMS and system not in self.systems:
            message = f"'{system}' is one system more than {MOST_SYSTEMS:,}"
            fix = "rank fewer systems at once; are these the names of systems?"
            raise InputError(Problem("ranking-too-many", message, place, f"at most {MOST_SYSTEMS:,} systems", fix))
        return self.systems.setdefault(system, len(self.systems))

    def comparisons(self) -> Comparisons:
        """The rankings that were collected, in the order of the file; comparisons of one ranking stay in theirs."""
        place = Place(self.name)
        fix = "they compare nothing"
        if n := self.n_skipped:
            message = (
                f"{format_count(n, 'items')} {'were skipped by their judges' if n > 1 else 'was skipped by a judge'}"
            )
            self.problems.note("ranking-skipped", message, place, fix)
        if n := self.n_alone:
            message = f"{format_count(n, 'items')} rank{'s' * (n == 1)} fewer than two systems"
            self.problems.note("ranking-alone", message, place, fix)
        if not self.items and not self.problems.errors:
            self.problems.error("ranking-empty", "no ranking of two systems in the file", place)
        parts = [_expand_rankings(sizes, alike) for sizes, alike in self.alike.items()]
        table = np.concatenate([*parts, np.empty((0, 9), np.int32)])
        table = table[np.argsort(table[:, 0], kind="stable")]
        first, second, outcome, item, judge, sentence, identical, shown = np.ascontiguousarray(table[:, 1:].T)
        names = (self.systems, self.items, self.judges, self.sentences)
        codes = (first, second, outcome.astype(np.int8), item, judge, sentence)
        return Comparisons(*codes, identical.astype(np.bool_), shown.astype(np.bool_), *map(tuple, names))


def _expand_rankings(sizes: tuple[int, ...], alike: _Alike) -> NDArray[np.int32]:
    """Comparisons of rankings whose texts have so many systems each: number, first, second, outcome, ... in columns."""
    starts = np.cumsum((0, *sizes)).tolist()
    texts = [range(start, start + size) for start, size in zip(starts, sizes, strict=False)]
    pairs: list[tuple[int, int, bool, bool]] = []  # two places, whether their texts are one, whether it was shown
    for at, own in enumerate(texts):
        pairs += [(a, b, True, False) for a, b in combinations(own, 2)]
        for others in texts[at + 1 :]:
            # The first stands for those that follow from two texts.
            pairs += [(a, b, False, a == own[0] and b == others[0]) for a, b in product(own, others)]
    first, second, identical, shown = np.array(pairs).T
    n = len(alike.number)
    codes = np.array(alike.codes, np.int32).reshape(n, -1)
    ranks = np.array(alike.ranks, np.int64).reshape(n, -1)
    table = np.empty((n, len(pairs), 9), np.int32)
    table[:, :, 0] = np.array(alike.number, np.int32)[:, None]
    table[:, :, 1], table[:, :, 2] = codes[:, first], codes[:, second]
    table[:, :, 3] = np.sign(ranks[:, second] - ranks[:, first])
    table[:, :, 4:7] = np.array(alike.where, np.int32)[:, None, :]
    table[:, :, 7], table[:, :, 8] = identical, shown
    return table.reshape(-1, 9)


MOST_HEAD = 20  # lines that are looked through for the first element
TIE = "tie"
TIES = (TIE, "=", "draw")
_ITEM = ("item", "rankingID")
_JUDGE = ("judge", "user", "judgeId", "rater")
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
            message = f"{self.n_again:,} rows compare two systems that an earlier row of their item and judge compares"
            fix = "both count, and are drawn as one; name another item if the judge was asked again"
            problems.note("ranking-twice", message, Place(name), fix)
        if self.n > 1 and not self.columns.item and (self.shared or self.n_again):
            message = f"{self.n:,} rows of one pair each, and no column tells which were on one screen: "
            other = "" if self.columns.sentence is None else ", or use --by=sentence"
            fix = f"if a judge saw several at once, add a column 'item'{other}; else intervals are too narrow"
            problems.note("ranking-rows", f"{message}each is drawn alone", Place(name), fix)


def read_rankings(path: Source, problems: Problems | None = None, *, systems: Sequence[str] = ()) -> Comparisons:
    """Read rankings or pairs, strictly without ``problems``; no others than the ``systems``, if these are given."""
    notebook = Problems() if problems is None else problems
    source, name = look(path), display_name(path)
    collected = RankingCollection(name, notebook, systems)
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

    def __init__(self, name: str, collected: RankingCollection) -> None:
        super().__init__(name)
        self.collected = collected
        self.item: dict[str, str] | None = None
        self.placed: list[RankedText] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "ranking-item":
            self.item, self.placed = attributes, []
        elif tag == "translation" and self.item is not None:
            missing = [name for name in ("rank", "system") if not attributes.get(name, "").strip()]
            if missing:
                message, repair = f"a <translation> without {' and '.join(missing)}", "it is left out of the ranking"
                self.collected.problems.repairable("ranking-attribute", message, self.place, repair)
                return
            rank = self.collected.rank(attributes["rank"], self.place)
            if rank is not None:
                self.placed.append(RankedText(rank, tuple(attributes["system"].split()), self.place))

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


def _read_table(path: Source, collected: RankingCollection) -> None:
    problems, header = collected.problems, header_of(path)
    named = (next((name for name in names if name in header), None) for names in (_ITEM, _JUDGE, _SENTENCE))
    wanted = TableFields(kind="ranking", column="ranking-columns")
    read = table_rows(path, problems, wanted)
    rows = (({key: value.strip() for key, value in values.items()}, place) for values, place in read)
    readers = {
        ("system1", "system2", "winner"): _read_pairs,
        ("item", "system", "rank"): _read_long,
        ("system1Id", "system1rank", "system2Id", "system2rank"): _read_wide,
    }
    if format_of(look(path)).holds == "rows":
        readers |= {
            ("rater", "system", "segment", "type", "label"): _read_scores,
            ("rater", "system1", "system2", "label"): _read_answers,
            ("rater", RANKED): _read_orders,
        }
    reader = next((reader for columns, reader in readers.items() if {*columns} <= {*header}), None)
    if reader is not None:
        reader(rows, _Columns(*named), collected)
    elif not any(header):
        problems.error("ranking-empty", "the file is empty", Place(collected.name), "XML, or a line of columns")
    else:
        message = f"columns {', '.join(header)[:80]}"
        expected = "system1, system2, winner; or item, system, rank; or system1Id, system1rank, ..."
        problems.error("ranking-columns", message, Place(collected.name, 1), expected)


def _key(row: Mapping[str, str], columns: _Columns, place: Place, problems: Problems) -> Key | None:
    """A row of a table without items is one. None where a name is missing."""
    for column in columns:
        if column and not row[column]:
            message = f"nothing in the column '{column}'"
            problems.repairable("ranking-blank", message, place, expected="a name in every row")
            return None
    item = row[columns.item] if columns.item else f"line {place.line}"
    judge = row[columns.judge] if columns.judge else "judge"
    return item, judge, row[columns.sentence] if columns.sentence else item


def _read_pairs(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    seen = _PairRows(columns)
    for row, place in rows:
        key = _key(row, columns, place, collected.problems)
        first, second, winner = row["system1"], row["system2"], row["winner"]
        if winner in (first, second):  # before the words for a tie: a system may be called so
            ranks = (1, 2) if winner == first else (2, 1)
        elif winner.lower() in TIES:
            ranks = (1, 1)
        else:
            message = f"the winner '{winner}' is not in the pair; {nearest(winner, (first, second, 'tie'))}"
            collected.problems.repairable("ranking-winner", message, place)
            continue
        if key is not None:
            seen.add(key, (first, second))
            collected.add(
                key, [RankedText(ranks[0], (first,), place), RankedText(ranks[1], (second,), place)], join=True
            )
    seen.tell(collected.name, collected.problems)


def _read_long(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    items: dict[Key, dict[str, RankedText]] = {}
    for row, place in rows:
        rank = collected.rank(row["rank"], place)
        key = _key(row, columns, place, collected.problems)
        if rank is None or key is None:
            continue
        texts = items.setdefault(key, {})
        output = row.get("output") or f"line {place.line}"
        same = texts.setdefault(output, RankedText(rank, (), place))
        if same.rank != rank:
            message = (
                f"output '{shorten_text(output)}' of item '{shorten_text(key[0])}' has the ranks {same.rank} and {rank}"
            )
            expected = "one rank for one text"
            collected.problems.repairable("ranking-rank", message, place, _LEFT_OUT, expected)
            continue
        texts[output] = same._replace(systems=(*same.systems, row["system"]))
    for key, placed in items.items():
        collected.add(key, [*placed.values()])


def _read_wide(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    seen = _PairRows(columns)
    for row, place in rows:
        placed = []
        unranked = False
        for number in count(1):
            system, text = row.get(f"system{number}Id"), row.get(f"system{number}rank")
            if system is None or text is None:
                break
            # The WMT's mark of what the judge did not rank: mostly the whole item.
            unranked = unranked or text == "-1"
            rank = None if text == "-1" or not system else collected.rank(text, place)
            if rank is not None:
                placed.append(RankedText(rank, (system,), place))
        key = _key(row, columns, place, collected.problems)
        if unranked and len(placed) < 2:
            collected.n_skipped += 1
        elif key is not None:
            if len(placed) == 2:
                seen.add(key, (placed[0].systems[0], placed[1].systems[0]))
            # Since 2014 the WMT prints the pairs of a ranking, one a row; without items rows are items of their own.
            collected.add(key, placed, join=bool(columns.item))
    seen.tell(collected.name, collected.problems)


def _read_scores(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    """Read scores of Appraise: the higher the better."""
    items: dict[Key, list[tuple[float, str, Place]]] = {}
    n_controls = 0
    for row, place in rows:
        if row["type"] != "TGT":
            n_controls += 1
            continue
        item = f"{row['document']}:{row['segment']}" if row.get("document") else row["segment"]
        items.setdefault((item, row["rater"], item), []).append((float(row["label"]), row["system"], place))
    if n_controls:
        message = f"{format_count(n_controls, 'scores of control items')} left out"
        collected.problems.note("ranking-controls", message, Place(collected.name), "they say nothing about systems")
    for key, scored in items.items():
        ranks = {score: rank for rank, score in enumerate(sorted({score for score, *_ in scored}, reverse=True), 1)}
        collected.add(key, [RankedText(ranks[score], (system,), place) for score, system, place in scored])


def _read_answers(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    _read_pairs((({**row, "winner": row["label"]}, place) for row, place in rows), columns, collected)


def _read_orders(rows: _Rows, columns: _Columns, collected: RankingCollection) -> None:
    """Read ranking questions; an answer to another question ranks nothing."""
    for row, place in rows:
        key = _key(row, columns, place, collected.problems)
        if key is None or not row[RANKED]:
            continue
        groups = [group.split(EQUAL) for group in row[RANKED].split(BETTER)]
        placed = [
            RankedText(rank, (system.strip(),), place) for rank, group in enumerate(groups, 1) for system in group
        ]
        collected.add(key, placed)


class JudgedRanking(NamedTuple):
    """A ranking, to be written.

    Attributes:
        item: Its name.
        judge: Who ranked.
        sentence: Which sentence.
        texts: Ranks, 1 is best, each with the systems that wrote the text.
        seconds: That it took; None: not known.
    """

    item: str
    judge: str
    sentence: str
    texts: Sequence[tuple[int, tuple[str, ...]]]
    seconds: float | None = None


def comparisons_of(rankings: Iterable[JudgedRanking]) -> Comparisons:
    """The comparisons that rankings make; items with the same name are items of their own.

    Raises:
        InputError: If none of them ranks two systems (``ranking-empty``).
    """
    problems = Problems()
    collected = RankingCollection("rankings", problems, ())
    for one in rankings:
        place = Place("rankings")
        placed = [RankedText(rank, systems, place) for rank, systems in one.texts]
        collected.add((one.item, one.judge, one.sentence), placed)
    comparisons = collected.comparisons()
    problems.raise_errors()
    return comparisons


def ranking_rows(rankings: Iterable[JudgedRanking]) -> Iterator[list[str]]:
    """Rows of a table, its header first: one for each system of each ranking; all that the XML says."""
    yield ["item", "judge", "sentence", "output", "system", "rank"]
    for one in rankings:
        for number, (rank, systems) in enumerate(one.texts, 1):
            for system in systems:
                yield [one.item, one.judge, one.sentence, str(number), system, str(rank)]


def ranking_xml(rankings: Iterable[JudgedRanking]) -> Iterator[str]:
    """Lines of the XML; names of systems must have no spaces."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<appraise-results>"
    yield "<error-correction-ranking-result>"
    for one in rankings:
        named = {"id": one.item, "src-id": one.sentence, "user": one.judge}
        if one.seconds is not None:
            named["duration"] = str(timedelta(seconds=one.seconds))
        yield f"  <ranking-item {_attributes(named)}>"
        for rank, systems in one.texts:
            yield f"    <translation {_attributes({'rank': str(rank), 'system': ' '.join(systems)})}/>"
        yield "  </ranking-item>"
    yield "</error-correction-ranking-result>"
    yield "</appraise-results>"


def _attributes(values: Mapping[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())


def is_ranking(path: Source) -> bool:
    """Whether a file has rankings or pairs, and not scores or essays: XML, or a table with their columns."""
    source = look(path)
    if format_of(source).holds == "rows":
        columns = {*header_of(source)}
        return bool({"winner", "rank", "system1rank"} & columns) or {"system1", "system2"} <= columns
    fields = {field.strip() for sign in DELIMITERS for field in source.peek().split(sign)}
    if fields & {"winner", "rank", "system1rank"}:
        return "score" not in fields  # a table of scores may tell the ranks too
    content = (line.strip().lower() for line in source.ahead(MOST_HEAD))
    root = next((line for line in content if line and not line.startswith(("<?", "<!"))), "")
    return root.startswith("<") and not root.startswith(("<doc", "<nucle"))
