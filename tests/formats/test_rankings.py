"""Rankings and metric scores: what is read, repaired and refused, with the place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from errorbar.core.errors import InputError, UsageError
from errorbar.core.problems import Problems
from errorbar.core.rankings import Comparisons
from errorbar.formats import rankings
from errorbar.formats.metric_scores import read_metric_scores
from errorbar.formats.rankings import is_ranking, read_rankings

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
        monkeypatch.setattr(rankings, "MOST_CHARACTERS", 200)
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
        assert [note.code for note in problems.notes] == ["ranking-self", "ranking-winner", "ranking-alone"]

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
            ("A 1 2\n", ":1: 3 fields (expected a system and a score"),
            ("A nan\n", "[scores-number]"),
            ('{"rows": []}', "not the scores of systems"),
            ('{"rows":\n x', ":2: not JSON"),
            ('{"schema": "errorbar.score/1", "rows": [{"system": "A"}]}', "row 1 has no system, metric and F"),
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


@pytest.mark.parametrize("encoding", ["latin-1", "no-such-encoding"])
def test_xml_is_read_as_utf8_whatever_it_declares(encoding: str, tmp_path: Path) -> None:
    """The lines of every input are UTF-8, so a system's name is the same however the file calls its encoding."""
    outputs = '<translation rank="1" system="Café"/><translation rank="2" system="B"/>'
    xml = f'<?xml version="1.0" encoding="{encoding}"?><s><ranking-item id="1">{outputs}</ranking-item></s>'
    (tmp_path / "r.xml").write_text(xml, encoding="utf-8")
    assert set(read_rankings(tmp_path / "r.xml").systems) == {"Café", "B"}
