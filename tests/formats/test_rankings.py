"""Rankings and metric scores: what is read, repaired and refused, with the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from errorbar import Problems
from errorbar.core import Comparisons, InputError, UsageError
from errorbar.formats import is_ranking, rankings, read_metric_scores, read_rankings
from errorbar.ranking import RankingResult, rank_systems
from errorbar.ranking.wins import count_resampled_wins
from tests.ranking.examples import drawn

XML = """<?xml version="1.0" encoding="UTF-8"?>
<appraise-results>
 <error-correction-ranking-result>
  <ranking-item id="0" src-id="7" user="ann">
   <translation rank="1" system="A"/>
   <translation rank="2" system="B C"/>
   <translation rank="2" system="D"/>
  </ranking-item>
  <ranking-item id="0" src-id="8" user="bob" skipped="true"/>
 </error-correction-ranking-result>
</appraise-results>
"""


def save(folder: Path, text: str, name: str = "judgments") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def rows(comparisons: Comparisons) -> list[tuple[str, str, int]]:
    names = comparisons.systems
    columns = (comparisons.first.tolist(), comparisons.second.tolist(), comparisons.outcome.tolist())
    return [(names[a], names[b], outcome) for a, b, outcome in zip(*columns, strict=True)]


def refused(folder: Path, text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_rankings(save(folder, text))
    return str(caught.value)


class TestXml:
    def test_collapsed_systems_are_expanded(self, tmp_path: Path) -> None:
        problems = Problems()
        found = read_rankings(save(tmp_path, XML), problems)
        assert rows(found) == [
            ("A", "B", 1),
            ("A", "C", 1),
            ("A", "D", 1),
            ("B", "C", 0),
            ("B", "D", 0),
            ("C", "D", 0),
        ]
        # Judges saw three texts, hence three pairs; the tie of B and C is none of theirs.
        assert found.shown.tolist() == [True, False, True, False, True, False]
        assert found.identical.tolist() == [False, False, False, True, False, False]
        assert (found.items, found.judges, found.sentences) == (("0",), ("ann",), ("7",))
        assert [note.code for note in problems.notes] == ["ranking-skipped"]

    def test_gzipped(self, tmp_path: Path) -> None:
        path = tmp_path / "judgments.xml.gz"
        path.write_bytes(gzip.compress(XML.encode()))
        assert len(read_rankings(path)) == 6

    def test_broken_xml_names_the_line(self, tmp_path: Path) -> None:
        message = refused(tmp_path, XML.replace("</ranking-item>\n  <ranking", "</ranking-itm>\n  <ranking"))
        assert "judgments:8: not well-formed XML at column 5" in message
        assert message.endswith("[ranking-xml]")

    @pytest.mark.parametrize(
        "declaration",
        [
            '<!DOCTYPE a [<!ENTITY x "yyyyyyyyyy"><!ENTITY z "&x;&x;&x;&x;&x;">]>',
            '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
            '<!DOCTYPE a SYSTEM "elsewhere.dtd">',
        ],
    )
    def test_a_document_type_is_refused_where_it_begins(self, tmp_path: Path, declaration: str) -> None:
        message = refused(tmp_path, XML.replace("<appraise-results>", f"{declaration}<appraise-results>"))
        assert message.startswith(f"{tmp_path}/judgments:2: ")
        assert message.endswith("[ranking-xml-entity]")

    def test_a_file_without_end_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(rankings, "MOST_RANKING_BYTES", 200)
        assert refused(tmp_path, XML).endswith("[ranking-too-large]")

    def test_no_ranking(self, tmp_path: Path) -> None:
        assert refused(tmp_path, "<appraise-results/>").endswith(
            "no ranking of two systems in the file [ranking-empty]"
        )

    def test_what_stands_outside_of_an_item_is_none_of_a_ranking(self, tmp_path: Path) -> None:
        outside = '<translation rank="1" system="Z"/>\n  <ranking-item id="0" src-id="7"'
        text = XML.replace('<ranking-item id="0" src-id="7"', outside).replace(
            "  </ranking-item>", "<note/></ranking-item>"
        )
        assert set(read_rankings(save(tmp_path, text)).systems) == set("ABCD")

    def test_skipped_items_with_a_ranking_count(self, tmp_path: Path) -> None:
        problems = Problems()
        text = XML.replace('user="ann"', 'user="ann" skipped="true"')
        twice = text.replace(
            "  <ranking-item id=",
            '  <ranking-item id="1" src-id="9" user="bob" skipped="true"/>\n  <ranking-item id=',
            1,
        )
        assert len(read_rankings(save(tmp_path, twice), problems)) == 6  # of four systems
        assert [note.what for note in problems.notes] == ["2 items were skipped by their judges"]

    def test_attributes(self, tmp_path: Path) -> None:
        assert ":5: a <translation> without rank" in refused(tmp_path, XML.replace('rank="1" ', ""))
        assert ":5: the rank 'first' (expected a whole number from 1)" in refused(
            tmp_path, XML.replace('"1"', '"first"')
        )

    def test_unknown_systems_name_the_nearest(self, tmp_path: Path) -> None:
        path = save(tmp_path, XML.replace('"A"', '"Alpah"'))
        systems = ["Alpha", "B", "C", "D"]
        with pytest.raises(InputError, match=r":5: no system is called 'Alpah'; did you mean 'Alpha'\? correct it"):
            read_rankings(path, systems=systems)
        problems = Problems(lenient=True)
        assert {name for a, b, _ in rows(read_rankings(path, problems, systems=systems)) for name in (a, b)} == {*"BCD"}
        assert [note.code for note in problems.notes] == ["ranking-unknown-system", "ranking-skipped"]

    def test_a_system_with_itself(self, tmp_path: Path) -> None:
        assert "item '0' has 'A' twice: a system cannot be compared" in refused(tmp_path, XML.replace('"D"', '"A"'))


class TestCsv:
    def test_pairs(self, tmp_path: Path) -> None:
        text = "system1,system2,winner,item\nA,B,A,x\nB,C,C,x\nA,C,tie,y\n"
        found = read_rankings(save(tmp_path, text))
        assert rows(found) == [("A", "B", 1), ("B", "C", -1), ("A", "C", 0)]
        assert found.item.tolist() == [0, 0, 1]  # pairs of one item are drawn together
        assert not found.identical.any()

    def test_rankings_in_rows_and_in_columns_are_the_same(self, tmp_path: Path) -> None:
        long = "item,judge,sentence,system,rank\n1,ann,7,A,1\n1,ann,7,B,2\n1,ann,7,C,2\n"
        wide = "segmentId,judgeId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank\n"
        wide += "7,ann,A,1,B,2,C,2\n8,ann,A,-1,B,-1,C,-1\n"
        problems = Problems()
        one, two = read_rankings(save(tmp_path, long)), read_rankings(save(tmp_path, wide), problems)
        assert rows(one) == rows(two) == [("A", "B", 1), ("A", "C", 1), ("B", "C", 0)]
        assert one.sentences == two.sentences == ("7",)
        assert [note.code for note in problems.notes] == ["ranking-skipped"]

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "the file is empty (expected XML, or a line of columns) [ranking-empty]"),
            ("system1,system2,winner\n", "no ranking of two systems in the file [ranking-empty]"),
            ("system1,system2,winner\nA,A,A\n", ":2: item 'line 2' has 'A' twice"),
            (
                "system1,system2,winner\nCAMB,AMU,CMAB\n",
                ":2: the winner 'CMAB' is not in the pair; did you mean 'CAMB'?",
            ),
            ("system1,system2,winner\nA,B\n", ":2: 2 fields in a table of 3 columns"),
            ("system1,system2\nA,B\n", ":1: columns system1, system2 (expected system1, system2, winner;"),
            ('system1,system2,winner\n"A"x,B,A\n', "not CSV"),
        ],
    )
    def test_bad_input(self, tmp_path: Path, text: str, message: str) -> None:
        assert message in refused(tmp_path, text)

    def test_lenient_reading_leaves_out_and_says_so(self, tmp_path: Path) -> None:
        problems = Problems(lenient=True)
        text = "system1,system2,winner\nA,A,A\nA,B,C\nA,B,A\n"
        assert rows(read_rankings(save(tmp_path, text), problems)) == [("A", "B", 1)]
        assert [note.code for note in problems.notes] == [
            "ranking-self",
            "ranking-winner",
            "ranking-rows",
            "ranking-alone",
        ]

    def test_a_system_that_a_judge_left_out_takes_no_other_with_it(self, tmp_path: Path) -> None:
        """The two that were ranked are compared; an item where one or none was is a skipped one."""
        text = "segmentId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank\n"
        text += "1,A,2,B,-1,C,1\n2,A,-1,B,-1,C,1\n"
        problems = Problems()
        assert rows(read_rankings(save(tmp_path, text), problems)) == [("A", "C", -1)]
        (note,) = problems.notes
        assert (note.code, note.what) == ("ranking-skipped", "1 item was skipped by a judge")

    def test_the_four_columns_of_two_systems_are_enough(self, tmp_path: Path) -> None:
        text = "system1Id,system1rank,system2Id,system2rank\nA,2,B,1\nA,1,,\n"
        problems = Problems()
        assert rows(read_rankings(save(tmp_path, text), problems)) == [("A", "B", -1)]
        assert [note.code for note in problems.notes] == ["ranking-alone"]

    def test_one_bad_row_is_the_only_thing_said(self, tmp_path: Path) -> None:
        with pytest.raises(InputError) as caught:
            read_rankings(save(tmp_path, "system1,system2,winner\nA,B,C\n"))
        assert [problem.code for problem in caught.value.problems] == ["ranking-winner"]

    def test_told_from_scores(self, tmp_path: Path) -> None:
        assert is_ranking(save(tmp_path, XML))
        assert not is_ranking(save(tmp_path, '<?xml version="1.0"?>\n<!-- essays -->\n\n<DOC nid="1">\n'))
        assert not is_ranking(save(tmp_path, ""))
        assert is_ranking(save(tmp_path, "item;system;rank\n1;A;2\n"))
        assert not is_ranking(save(tmp_path, "system,score\nA,2\n"))


def test_comparisons_check_their_columns() -> None:
    with pytest.raises(UsageError, match="a system is compared with itself"):
        Comparisons.from_pairs([("A", "A", 1)])
    with pytest.raises(UsageError, match="1 items for 2 comparisons"):
        Comparisons.from_pairs([("A", "B", 1), ("A", "B", 0)], items=["x"])
    with pytest.raises(UsageError, match="an outcome is none of the three"):
        Comparisons.from_pairs([("A", "B", 2)])


class TestScores:
    def test_table(self, tmp_path: Path) -> None:
        text = "system,metric,score,sentence\nA,x,1,1\nA,x,3,2\nB,x,5,1\nA,y,7,\n"
        x, y = read_metric_scores(save(tmp_path, text))
        assert (x.metric, dict(x.systems)) == ("x", {"A": 2.0, "B": 5.0})  # the mean of the sentences
        assert x.sentences == {"1": {"A": 1.0, "B": 5.0}, "2": {"A": 3.0}}
        assert (y.metric, dict(y.systems), y.sentences) == ("y", {"A": 7.0}, {})

    def test_lines_with_precision_and_recall(self, tmp_path: Path) -> None:
        path = save(tmp_path, "A 0.3 0.4 0.2\nB 0.0 1.0 0.0\n", "scores.m2")
        m2, f1 = read_metric_scores(path, betas=[1.0])
        assert (m2.metric, dict(m2.systems)) == ("m2", {"A": 0.3, "B": 0.0})
        assert f1.metric == "m2 F1"
        assert f1.systems["A"] == pytest.approx(2 * 0.4 * 0.2 / 0.6)
        assert f1.systems["B"] == 0

    def test_lenient_reading_leaves_out_bad_lines(self, tmp_path: Path) -> None:
        problems = Problems(lenient=True)
        (found,) = read_metric_scores(save(tmp_path, "A 1\n\nB 1 2\nC high\nA 2\nD 3\n", "x"), problems)
        assert found.systems == {"A": 1.0, "D": 3.0}
        assert [(note.place.line, note.code) for note in problems.notes] == [
            (3, "scores-line"),
            (4, "scores-number"),
            (5, "scores-twice"),
        ]

    def test_json_of_score(self, tmp_path: Path) -> None:
        counts = {"sentence": 1, "annotator": "0", "correct": 1, "proposed": 2, "gold": 4}
        row = {"system": "A", "metric": "m2", "f": 0.5, "beta": 0.5, "precision": 0.5, "recall": 0.25}
        document = {"schema": "errorbar.score/1", "rows": [{**row, "by_sentence": [counts]}]}
        (m2,) = read_metric_scores(save(tmp_path, json.dumps(document)), first_sentence=0)
        # P = 1/2, R = 1/4: F.5 = 1.25 * .125 / (.25 * .5 + .25)
        assert m2.sentences == {"0": {"A": pytest.approx(0.15625 / 0.375)}}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "[scores-empty]"),
            ("system,score\nA,high\n", ":2: the score 'high' (expected a finite number)"),
            ("system,score\nA,1\nA,2\n", "judgments of 'A' stands twice"),
            (f"system,score\nA,{'9' * 401}\n", ":2: the score '999999999999999999999999999999'... of 401 characters"),
            ("A .5 .4 1e300\n", ":1: the score '1e300' (expected a number between -1e+100 and 1e+100)"),
            ("A inf\n", ":1: the score 'inf' (expected a number between"),
            ("A 1 2\n", ":1: 3 fields (expected a system and a score"),
            ("A nan\n", "[scores-number]"),
            ('{"rows": []}', "not the scores of systems"),
            ('{"rows":\n x', ":2: not JSON"),
            (
                '{"schema": "errorbar.score/1", "rows": [{"system": "A"}]}',
                "row 1 must have a system, a metric and its score",
            ),
        ],
    )
    def test_bad_input(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(InputError) as caught:
            read_metric_scores(save(tmp_path, text))
        assert message in str(caught.value)


class TestWhatOnlyLooksLikeIt:
    def test_a_pair_without_a_winner_is_no_tie(self, tmp_path: Path) -> None:
        path = save(tmp_path, "system1,system2,winner\nA,B,\nA,B,tie\n")
        with pytest.raises(InputError, match=":2: the winner '' is not in the pair"):
            read_rankings(path)
        assert len(read_rankings(path, Problems(lenient=True))) == 1

    def test_a_system_may_be_called_draw(self, tmp_path: Path) -> None:
        found = read_rankings(save(tmp_path, "system1,system2,winner\nA,Draw,Draw\n"))
        assert found.outcome.tolist() == [-1]

    @pytest.mark.parametrize("rank", ["1_0", "+1", "1" * 5000])
    def test_a_rank_is_digits(self, tmp_path: Path, rank: str) -> None:
        with pytest.raises(InputError, match=r"\[ranking-rank\]"):
            read_rankings(save(tmp_path, f"item,system,rank\n1,A,{rank}\n1,B,2\n"))

    def test_scores_beside_ranks_are_scores(self, tmp_path: Path) -> None:
        assert not is_ranking(save(tmp_path, "system,rank,score\nA,1,.5\n"))
        assert is_ranking(save(tmp_path, "item,system,rank\nx,A,1\n"))

    @pytest.mark.parametrize(
        ("more", "code"),
        [
            ({"f": float("nan")}, "scores-json"),
            ({"by_sentence": 3}, "scores-json"),
            ({"by_sentence": [3]}, "scores-json"),
            ({"by_sentence": [{"sentence": 1, "correct": 1, "proposed": 1}]}, "scores-json"),
            ({"f": 10**400}, "scores-json"),
            ({"f": 1e101}, "scores-json"),  # its square has no float
            ({"f": True}, "scores-json"),
            ({"f": "0.5"}, "scores-json"),
            ({"beta": 10**400}, "scores-json"),
            ({"by_sentence": [{"sentence": 1, "correct": 10**400, "proposed": 1, "gold": 1}]}, "scores-json"),
            ({"by_sentence": [{"sentence": 1, "correct": -1, "proposed": 1, "gold": 1}]}, "scores-json"),
            ({"by_sentence": None}, ""),
        ],
    )
    def test_rows_of_json_that_are_odd(self, tmp_path: Path, more: dict[str, object], code: str) -> None:
        good = {"system": "B", "metric": "m2", "f": 0.25}
        rows = [{"system": "A", "metric": "m2", "f": 0.5, **more}, good, {**good, "f": 0.75}]
        problems = Problems(lenient=True)
        document = json.dumps({"schema": "errorbar.score/1", "rows": rows})
        (found,) = read_metric_scores(save(tmp_path, document), problems)
        assert found.systems == ({"B": 0.25} if code else {"A": 0.5, "B": 0.25})
        assert [note.code for note in problems.notes] == [*([code] if code else []), "scores-twice"]


def declared(encoding: str, written: str) -> bytes:
    outputs = '<translation rank="1" system="Café"/><translation rank="2" system="B"/>'
    xml = f'<?xml version="1.0"{encoding}?>\n<s><ranking-item id="1">{outputs}</ranking-item></s>'
    return xml.encode(written)


@pytest.mark.parametrize(
    ("encoding", "written"),
    [(' encoding="ISO-8859-1"', "latin-1"), (' encoding="windows-1252"', "cp1252"), ("", "utf-8"), ("", "utf-8-sig")],
)
def test_xml_is_read_in_the_encoding_that_it_declares(encoding: str, written: str, tmp_path: Path) -> None:
    (tmp_path / "r.xml").write_bytes(declared(encoding, written))
    assert is_ranking(tmp_path / "r.xml")
    assert set(read_rankings(tmp_path / "r.xml").systems) == {"Café", "B"}


def test_however_many_letters_are_not_utf8(tmp_path: Path) -> None:
    item = (
        '<ranking-item id="{}"><translation rank="1" system="Café"/><translation rank="2" system="B"/></ranking-item>'
    )
    items = "\n".join(item.format(k) for k in range(200))
    (tmp_path / "r.xml").write_bytes(f'<?xml version="1.0" encoding="latin1"?>\n<r>{items}</r>'.encode("latin-1"))
    assert is_ranking(tmp_path / "r.xml")
    assert len(read_rankings(tmp_path / "r.xml")) == 200


@pytest.mark.parametrize(
    ("encoding", "written", "what"),
    [
        (' encoding="no-such-encoding"', "utf-8", "the encoding that it declares cannot be read"),
        ("", "latin-1", "not well-formed XML at column"),
    ],
)
def test_xml_in_another_encoding_than_it_declares_is_refused(
    encoding: str, written: str, what: str, tmp_path: Path
) -> None:
    (tmp_path / "r.xml").write_bytes(declared(encoding, written))
    with pytest.raises(InputError, match=what) as caught:
        read_rankings(tmp_path / "r.xml")
    assert caught.value.code == "ranking-xml"


def by_pair(comparisons: Comparisons, *, screens: bool = True) -> str:
    """The table that the WMT prints since 2014: one row for each pair of a ranking, ``rankingID`` its screen."""
    columns = ["segmentId", "judgeId", "system1Id", "system1rank", "system2Id", "system2rank", "rankingID"]
    rows = [columns if screens else columns[:-1]]
    for at in range(len(comparisons)):
        outcome = int(comparisons.outcome[at])
        row = [comparisons.sentences[comparisons.sentence[at]], comparisons.judges[comparisons.judge[at]]]
        row += [comparisons.systems[comparisons.first[at]], str(1 + (outcome < 0))]
        row += [comparisons.systems[comparisons.second[at]], str(1 + (outcome > 0))]
        rows.append([*row, str(comparisons.item[at])] if screens else row)
    return "".join(",".join(row) + "\n" for row in rows)


class TestItems:
    @pytest.mark.slow
    def test_pairs_of_one_screen_are_one_item(self, tmp_path: Path, data: Path) -> None:
        """The judgments of Grundkiewicz et al. 2015 as a table of pairs: the intervals are those of the XML."""
        whole = read_rankings(data / "rankings_grundkiewicz2015" / "judgments.xml", Problems())
        how = drawn(200)
        (expected,) = rank_systems(whole, how=how)
        problems = Problems()
        joined = read_rankings(save(tmp_path, by_pair(whole)), problems)
        assert len(joined.items) == len(whole.items) == 2306
        assert problems.notes == []
        (found,) = rank_systems(joined, how=how)
        assert found.systems == expected.systems
        # Without the column every pair is drawn alone: 109,098 items, and intervals that are too narrow.
        alone = read_rankings(save(tmp_path, by_pair(whole, screens=False)), problems)
        assert len(alone.items) == len(whole)
        (note,) = problems.notes
        assert note.code == "ranking-rows"
        assert "add a column 'item', or use --by=sentence" in note.fix
        (narrow,) = rank_systems(alone, how=how)
        assert width(narrow) < 0.6 * width(expected)

    @pytest.mark.parametrize("layout", ["pairs", "columns", "rows"])
    def test_rows_of_an_item_need_not_be_adjacent(self, tmp_path: Path, layout: str) -> None:
        wide = "item,judge,system1Id,system1rank,system2Id,system2rank\n"
        text = {
            "pairs": "item,judge,system1,system2,winner\nx,a,A,B,A\ny,a,A,B,B\nx,a,A,C,A\nx,b,A,C,C\nx,a,B,C,tie\n",
            "columns": wide + "x,a,A,1,B,2\ny,a,A,2,B,1\nx,a,A,1,C,2\nx,b,A,2,C,1\nx,a,B,2,C,2\n",
            "rows": "item,judge,system,rank\nx,a,A,1\ny,a,A,2\nx,a,B,2\ny,a,B,1\nx,b,A,2\nx,a,C,2\nx,b,C,1\n",
        }[layout]
        problems = Problems()
        found = read_rankings(save(tmp_path, text), problems)
        of: dict[str, set[int]] = {name: set() for name in ("a", "b")}
        for item, judge in zip(found.item.tolist(), found.judge.tolist(), strict=True):
            of[found.judges[judge]].add(item)
        assert [len(of["a"]), len(of["b"]), len(of["a"] | of["b"])] == [2, 1, 3]
        assert problems.notes == []

    def test_pairs_without_items_are_told_of_only_where_it_can_matter(self, tmp_path: Path) -> None:
        head = "sentence,judge,system1,system2,winner\n"
        for text, codes in (
            (head + "1,a,A,B,A\n2,a,A,B,A\n", []),
            (head + "1,a,A,B,A\n1,b,A,B,A\n", []),
            (head + "1,a,A,B,A\n1,a,A,C,A\n", ["ranking-rows"]),
            ("system1,system2,winner\nA,B,A\n", []),
            ("system1,system2,winner\nA,B,A\nA,C,A\n", ["ranking-rows"]),
            ("item," + head + "x,1,a,A,B,A\nx,1,a,B,A,tie\n", ["ranking-twice"]),
        ):
            problems = Problems()
            read_rankings(save(tmp_path, text), problems)
            assert [note.code for note in problems.notes] == codes, text

    def test_a_row_without_an_item_or_a_judge_joins_no_other(self, tmp_path: Path) -> None:
        text = "item,judge,system1,system2,winner\n,a,A,B,A\nx,,A,B,A\nx,a,A,B,B\n"
        with pytest.raises(InputError, match=":2: nothing in the column 'item'") as caught:
            read_rankings(save(tmp_path, text))
        assert [problem.code for problem in caught.value.problems] == ["ranking-blank"] * 2
        assert len(read_rankings(save(tmp_path, text), Problems(lenient=True))) == 1


class TestLimits:
    def test_a_thousand_systems_in_one_element(self, tmp_path: Path) -> None:
        """5 kB that were 500 thousand comparisons, and 8.5 GB for 1,000 resamples."""
        names = " ".join(f"s{k}" for k in range(1000))
        text = f'<r><ranking-item id="1"><translation rank="1" system="{names}"/></ranking-item></r>'
        assert "item '1' ranks 1,000 systems (expected at most 50" in refused(tmp_path, text)

    def test_a_thousand_systems_and_no_more(self, tmp_path: Path) -> None:
        head, rows = "item,system1,system2,winner\n", [f"{k},s{k},s{k + 1},s{k}\n" for k in range(999)]
        assert len(read_rankings(save(tmp_path, head + "".join(rows))).systems) == 1000
        rows.append("x,s1000,s1,tie\n")
        assert ":1001: 's1000' is one system more than 1,000" in refused(tmp_path, head + "".join(rows))

    def test_resamples_have_a_limit(self) -> None:
        comparisons = Comparisons.from_pairs([(f"s{k}", f"s{k + 1}", 1) for k in range(99)])
        with pytest.raises(UsageError, match=r"1,000,000 resamples of 100 systems"):
            rank_systems(comparisons, how=drawn(10**6))
        with pytest.raises(UsageError, match=r"must be at most 1,000,000, got"):
            drawn(10**12)

    def test_resamples_are_counted_in_blocks(self) -> None:
        """400 systems that meet in a ring: no more resamples together than there are cells for."""
        ring = Comparisons.from_pairs([(f"s{k}", f"s{(k + 1) % 400}", 1) for k in range(400)])
        blocks = list(count_resampled_wins(ring, drawn(30)))
        assert [len(block.wins) for block in blocks] == [12, 12, 6]  # of 4,000,000 / (2 * 400 * 400)
        assert np.concatenate([block.wins for block in blocks]).sum(axis=(1, 2)).tolist() == [400] * 30


def width(result: RankingResult) -> float:
    intervals = [each.score.interval for each in result.systems]
    return sum(each.high - each.low for each in intervals if each is not None)
