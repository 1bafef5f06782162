"""``judge import``: exports of other tools, each written here as its documentation describes it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import errorbar
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require

LABELS = {"1": ("ok", "ok", "error"), "2": ("error", "error", "error"), "3": ("ok", "ok", "ok")}
"""Item to the labels of the raters ann, bob and eve: agreement of pairs 1/3, 1 and 1."""
RATERS = ("ann", "bob", "eve")


def label_studio(folder: Path) -> list[Path]:
    """The format JSON of Label Studio 1.x (labelstud.io/guide/task_format), choices; one annotation is skipped."""
    tasks = [
        {
            "id": int(item),
            "data": {"text": "We goes home", "essay": "e1"},
            "annotations": [
                {
                    "id": 10 * int(item) + at,
                    "completed_by": {"id": at, "email": RATERS[at]},
                    "was_cancelled": False,
                    "lead_time": 5.5,
                    "created_at": f"2026-01-01T10:{item}{at}:00.5Z",
                    "result": [
                        {"from_name": "q", "to_name": "text", "type": "choices", "value": {"choices": [label]}},
                    ],
                }
                for at, label in enumerate(labels)
            ]
            + [{"id": 99, "completed_by": 9, "was_cancelled": True, "result": []}],
            "predictions": [],
        }
        for item, labels in LABELS.items()
    ]
    (folder / "project.json").write_text(json.dumps(tasks))
    return [folder / "project.json"]


def argilla(folder: Path) -> list[Path]:
    """``records.to_json`` of Argilla 2.x: responses by question."""
    records = [
        {
            "id": item,
            "fields": {"text": "We goes home"},
            "metadata": {"essay": "e1"},
            "suggestions": {},
            "responses": {"q": [{"value": v, "user_id": r} for r, v in zip(RATERS, labels, strict=True)]},
            "vectors": {},
            "_server_id": f"s{item}",
        }
        for item, labels in LABELS.items()
    ]
    (folder / "records.json").write_text(json.dumps(records, indent=1))
    return [folder / "records.json"]


def doccano(folder: Path) -> list[Path]:
    """doccano 1.8, text classification, a JSONL file for each member."""
    for at, rater in enumerate(RATERS):
        lines = [
            json.dumps({"id": int(item), "text": "We goes home", "label": [labels[at]], "essay": "e1", "Comments": []})
            for item, labels in LABELS.items()
        ]
        (folder / f"{rater}.jsonl").write_text("\n".join(lines) + "\n")
    return [folder / f"{rater}.jsonl" for rater in RATERS]


def prodigy(folder: Path) -> list[Path]:
    """``db-out`` of Prodigy 1.x, the interface ``choice``, named sessions (docs: Annotation interfaces, Database)."""
    options = [{"id": "ok", "text": "No error"}, {"id": "error", "text": "Error"}]
    tasks = [
        {
            "text": "We goes home",
            "meta": {"essay": "e1"},
            "_input_hash": 1_000_000 + int(item),
            "_task_hash": -int(item),
            "options": options,
            "_view_id": "choice",
            "config": {"choice_style": "single"},
            "accept": [label],
            "answer": "accept",
            "_timestamp": 1_767_261_600 + 60 * int(item) + at,
            "_annotator_id": RATERS[at],
            "_session_id": RATERS[at],
        }
        for item, labels in LABELS.items()
        for at, label in enumerate(labels)
    ]
    skipped = {**tasks[0], "accept": [], "answer": "ignore", "_annotator_id": "zoe"}
    (folder / "judged.jsonl").write_text("".join(json.dumps(task) + "\n" for task in [*tasks, skipped]))
    return [folder / "judged.jsonl"]


def potato(folder: Path) -> list[Path]:
    """``user_state.json`` of Potato 2.x (docs/export_formats.md), a folder for each user."""
    paths = []
    for at, rater in enumerate(RATERS):
        values = {item: {"q": {"labels": {labels[at]: True, "other": False}}} for item, labels in LABELS.items()}
        state = {"user_id": rater, "instance_id_to_label_to_value": values, "instance_id_to_span_to_value": {}}
        (folder / rater).mkdir()
        (folder / rater / "user_state.json").write_text(json.dumps(state, indent=4))
        paths.append(folder / rater / "user_state.json")
    return paths


def old_potato(folder: Path) -> list[Path]:
    """``annotated_instances.jsonl`` of Potato 1.x, a folder for each user."""
    paths = []
    for at, rater in enumerate(RATERS):
        lines = [
            json.dumps(
                {
                    "id": item,
                    "displayed_text": "We goes home",
                    "label_annotations": {"q": {labels[at]: "1"}},
                    "span_annotations": [],
                    "behavioral_data": {"time_string": "Time spent: 0d 0h 1m 5s "},
                }
            )
            for item, labels in LABELS.items()
        ]
        (folder / rater).mkdir()
        (folder / rater / "annotated_instances.jsonl").write_text("\n".join(lines) + "\n")
        paths.append(folder / rater / "annotated_instances.jsonl")
    return paths


def appraise(folder: Path) -> list[Path]:
    """``ExportSystemScoresToCSV`` of Appraise with documents: scores for labels."""
    score = {"ok": 90, "error": 20}
    lines = [
        f"{rater},sysA,{item},TGT,eng,deu,{score[label]},doc1,False,{100 * at + int(item)},{100 * at + int(item) + 0.5}"
        for item, labels in LABELS.items()
        for at, (rater, label) in enumerate(zip(RATERS, labels, strict=True))
    ]
    (folder / "scores.csv").write_text("\n".join(lines) + "\n")
    return [folder / "scores.csv"]


def turk(folder: Path) -> list[Path]:
    """A batch of Mechanical Turk."""
    rows = ["HITId,AssignmentId,WorkerId,AssignmentStatus,AcceptTime,SubmitTime,WorkTimeInSeconds,Answer.q"]
    rows += [
        f"{item},a{item}{rater},{rater},Approved,Mon Jan 05 10:0{item}:0{at} PST 2026,"
        f"Mon Jan 05 10:0{item}:1{at} PST 2026,10,{label}"
        for item, labels in LABELS.items()
        for at, (rater, label) in enumerate(zip(RATERS, labels, strict=True))
    ]
    (folder / "batch.csv").write_text("\n".join(rows) + "\n")
    return [folder / "batch.csv"]


def potato_table(folder: Path) -> list[Path]:
    """Potato's CSV: ``instance_id``, ``user_id`` and a column for the one question."""
    rows = [f"{item},{rater},{label}" for item, own in LABELS.items() for rater, label in zip(RATERS, own, strict=True)]
    (folder / "annotations.csv").write_text("\n".join(["instance_id,user_id,q", *rows]) + "\n")
    return [folder / "annotations.csv"]


TOOLS = (label_studio, argilla, doccano, prodigy, potato, old_potato, appraise, turk)


@pytest.mark.parametrize("write", TOOLS)
def test_agree_reads_an_export_as_it_reads_what_import_makes_of_it(
    tmp_path: Path, write: Callable[[Path], list[Path]]
) -> None:
    paths = write(tmp_path)
    result = errorbar.judge_import(paths, out=tmp_path / "judgments.csv")
    found = {(row["item"].partition(":")[0], row["rater"]) for row in result.rows}
    if write is prodigy:
        found = {(str(int(item) - 1_000_000), rater) for item, rater in found}
    if write is not appraise:
        assert found == {(item, rater) for item in LABELS for rater in RATERS}
    assert len(result.rows) == 9
    observed = [
        errorbar.agree(source, ci=False).report.coefficients["observed"].value
        for source in (paths, tmp_path / "judgments.csv")
    ]
    assert observed == pytest.approx([7 / 9, 7 / 9])
    assert result.audit.sizes == {3: 3}
    if write in (label_studio, argilla, doccano, prodigy):
        assert {row["essay"] for row in result.rows} == {"e1"}  # unknown columns are kept


def test_spans_of_an_export(tmp_path: Path) -> None:
    """doccano's sequence labeling: EU rejects ..., one annotator a span short."""
    marks = {"ann": [[0, 2, "ORG"], [11, 17, "MISC"]], "bob": [[0, 2, "ORG"]], "eve": []}
    for rater, label in marks.items():
        lines = [{"id": number, "text": "We buys german meat there .", "label": label} for number in (1, 2)]
        (tmp_path / f"{rater}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    files = [tmp_path / f"{rater}.jsonl" for rater in ("ann", "bob")]
    result = errorbar.agree_spans(files, labels="type", ci=False)
    assert result.types["ORG"].values["alpha"].value == 1
    assert result.spans.n_spans == 6
    assert require(result.spans.values["gamma"].value) < 1


def _prodigy_task(rater: str, view: str, **fields: object) -> str:
    """A task as ``db-out`` writes it."""
    text = "We buys meat ."
    tokens = [{"text": word, "start": text.index(word), "id": at} for at, word in enumerate(text.split())]
    task = {"text": text, "_input_hash": 7, "_task_hash": 8, "tokens": tokens, "_view_id": view, "answer": "accept"}
    return json.dumps({**task, "_timestamp": 1767261600, "_session_id": rater, **fields})


def test_spans_and_verdicts_of_prodigy(tmp_path: Path) -> None:
    """``spans_manual`` with tokens; ``classification``, where accept and reject are the answers; what is left out."""
    marked = [
        _prodigy_task("ann", "spans_manual", spans=[{"start": 3, "end": 7, "token_start": 1, "label": "SVA"}]),
        _prodigy_task("bob", "spans_manual", spans=[{"start": 3, "end": 7, "token_start": 1, "label": "SVA"}]),
        _prodigy_task("eve", "spans_manual", spans=[]),
        _prodigy_task("zoe", "spans_manual", spans=[], answer="reject"),
    ]
    (tmp_path / "spans.jsonl").write_text("\n".join(marked) + "\n")
    spans = errorbar.agree_spans(tmp_path / "spans.jsonl", ci=False)
    assert (spans.spans.n_spans, list(spans.annotators)) == (2, ["ann", "bob", "eve"])
    alike = errorbar.judge_import(tmp_path / "spans.jsonl")
    assert [note.code for note in alike.notes] == ["export-left-out"]
    asked = [
        _prodigy_task(rater, "classification", label=label, answer=answer, tokens=[], _task_hash=task)
        for rater, answer in (("ann", "accept"), ("bob", "reject"))
        for task, label in ((1, "SVA"), (2, "Vt"))
    ]
    (tmp_path / "asked.jsonl").write_text("\n".join(line.replace('"tokens": [], ', "") for line in asked) + "\n")
    rows = errorbar.judge_import(tmp_path / "asked.jsonl").rows
    assert [(row["item"], row["rater"], row["label"], row["asked"]) for row in rows] == [
        ("1", "ann", "accept", "SVA"),
        ("2", "ann", "accept", "Vt"),
        ("1", "bob", "reject", "SVA"),
        ("2", "bob", "reject", "Vt"),
    ]
    both = _prodigy_task("ann", "blocks", accept=["x"], spans=[{"start": 3, "end": 7, "label": "SVA"}])
    (tmp_path / "both.jsonl").write_text(both + "\n")
    with pytest.raises(errorbar.ErrorbarError, match="task 7 has 1 span beside its choice"):
        errorbar.judge_import(tmp_path / "both.jsonl")


def test_import_reads_the_table_of_potato(tmp_path: Path) -> None:
    paths = potato_table(tmp_path)
    result = errorbar.judge_import(paths, out=tmp_path / "judgments.csv")
    assert {(row["item"], row["rater"]): row["label"] for row in result.rows} == {
        (item, rater): label for item, own in LABELS.items() for rater, label in zip(RATERS, own, strict=True)
    }
    agreed = errorbar.agree(tmp_path / "judgments.csv", ci=False)
    assert agreed.report.coefficients["observed"].value == pytest.approx(7 / 9)
    # As potato.export writes a scheme with several labels (potato/export/tabular_exporter.py): a column for each.
    (tmp_path / "labels.csv").write_text(
        "instance_id,user_id,q.ok,q.error\n1,ann,true,\n1,bob,,True\n1,eve,True,True\n"
    )
    rows = errorbar.judge_import(tmp_path / "labels.csv").rows
    assert [(row["rater"], row["label"]) for row in rows] == [("ann", "ok"), ("bob", "error"), ("eve", "error+ok")]
    (tmp_path / "two.csv").write_text("instance_id,user_id,q,r\n1,ann,ok,ok\n")
    with pytest.raises(errorbar.ErrorbarError, match="2 columns that could be the label"):
        errorbar.judge_import(tmp_path / "two.csv")


def test_import_reads_what_potato_saves(tmp_path: Path) -> None:
    """``user_state.json`` as Potato 2.x saves it: pairs of a label, or a span, and its value; times in milliseconds.

    Source: ``UserState.to_json`` of ``user_state_management.py``, and the states of ``examples/advanced/adjudication``.
    """
    begun = 1_767_261_600.0
    paths = []
    for at, rater in enumerate(RATERS):
        labels = {
            item: [[{"schema": "sentiment", "name": own[at]}, True], [{"schema": "sentiment", "name": "other"}, False]]
            for item, own in LABELS.items()
        }
        times = {
            item: {"session_start": begun + int(item), "session_end": begun + int(item) + 0.8, "total_time_ms": 800}
            for item in LABELS
        }
        state = {
            "user_id": rater,
            "instance_id_ordering": [*LABELS],
            "current_instance_index": 2,
            "current_phase_and_page": ["annotation", "annotation"],
            "completed_phase_and_pages": [],
            "max_assignments": -1,
            "instance_id_to_behavioral_data": times,
            "instance_id_to_label_to_value": labels,
            "instance_id_to_span_to_value": {},
            "phase_to_page_to_label_to_value": {},
        }
        (tmp_path / rater).mkdir()
        paths.append(tmp_path / rater / "user_state.json")
        paths[-1].write_text(json.dumps(state))
    result = errorbar.judge_import(paths)
    assert {(row["item"], row["rater"]): row["label"] for row in result.rows} == {
        (item, rater): label for item, own in LABELS.items() for rater, label in zip(RATERS, own, strict=True)
    }
    assert {row["seconds"] for row in result.rows} == {"0.8"}
    assert result.audit.overlapping == {}  # known, as there are times: none begins before the one before has ended
    assert errorbar.agree(paths, ci=False).report.coefficients["observed"].value == pytest.approx(7 / 9)


def test_spans_that_potato_saves(tmp_path: Path) -> None:
    """A span is named by ``name``; older states have a list for each scheme."""
    span = {"schema": "ner", "name": "ORG", "title": "Organization", "start": 0, "end": 2, "id": "span_1"}
    states = {"ann": {"i1": [[span, True]]}, "bob": {"i1": {"ner": [span]}}}
    for rater, spans in states.items():
        state = {"user_id": rater, "instance_id_to_label_to_value": {}, "instance_id_to_span_to_value": spans}
        (tmp_path / f"{rater}.json").write_text(json.dumps(state, indent=2))
    rows = errorbar.judge_import([tmp_path / "ann.json", tmp_path / "bob.json"]).rows
    assert [tuple(row[key] for key in ("item", "rater", "label", "start", "end")) for row in rows] == [
        ("i1", "ann", "ORG", "0", "2"),
        ("i1", "bob", "ORG", "0", "2"),
    ]


BRAT = """T1\tORG 0 2\tEU
T2\tMISC 11 17;23 27\tGerman call
R1\trelates Arg1:T1 Arg2:T2\t
#1\tAnnotatorNotes R1\tis required for
E1\tMISC:T2 Theme:T1
A1\tNegation E1
*\tEquiv T1 T2
"""
"""brat's standoff (brat.nlplab.org/standoff.html), and its collections of annotators, as ``data/craft`` of brat has."""


def test_spans_of_brat(tmp_path: Path) -> None:
    """A folder for each annotator; a span in two pieces; and a file in which nothing was marked."""
    paths = []
    for rater, marked in {"ann": BRAT, "bob": BRAT.partition("R1")[0], "eve": ""}.items():
        (tmp_path / rater).mkdir()
        (tmp_path / rater / "doc1.txt").write_text("EU rejects German Äcker call\n", encoding="utf-8")
        paths.append(tmp_path / rater / "doc1.ann")
        paths[-1].write_text(marked, encoding="utf-8")
    result = errorbar.judge_import(paths, out=tmp_path / "spans.csv")
    spans = [("ORG", "0", "2"), ("MISC", "11", "17"), ("MISC", "23", "27")]
    assert [tuple(row[key] for key in ("rater", "label", "start", "end")) for row in result.rows] == [
        *((rater, *span) for rater in ("ann", "bob") for span in spans),
        ("eve", "", "", ""),
    ]
    assert {(row["item"], row["length"]) for row in result.rows} == {("doc1", "29")}
    for source in (paths, tmp_path / "spans.csv"):
        agreed = errorbar.agree_spans(source, labels="type", ci=False)
        assert (agreed.spans.n_spans, [*agreed.annotators]) == (6, ["ann", "bob", "eve"])
    assert errorbar.agree_spans(paths[:2], labels="type", ci=False).spans.values["alpha"].value == 1


def test_a_bad_span_of_brat(tmp_path: Path) -> None:
    (tmp_path / "doc1.ann").write_text("T1\tORG 0 2\tEU\nT2\tMISC 11\tGerman\n")
    with pytest.raises(errorbar.ErrorbarError, match=r"doc1.ann:2: no span of brat"):
        errorbar.judge_import(tmp_path / "doc1.ann")
    (row,) = errorbar.judge_import(tmp_path / "doc1.ann", lenient=True).rows
    assert row["rater"] == tmp_path.name


def test_intents_and_slots_of_doccano(tmp_path: Path) -> None:
    """A project of intents and slots has ``cats`` beside ``entities`` (doccano, ``data_export/pipeline``)."""
    lines = [
        {"id": 1, "text": "buy meat", "cats": ["order"], "entities": [[4, 8, "food"]], "Comments": []},
        {"id": 2, "text": "hello", "cats": [], "entities": [], "Comments": ["short"]},
    ]
    (tmp_path / "ann.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    rows = errorbar.judge_import(tmp_path / "ann.jsonl").rows
    assert [(row["item"], row["label"], row["start"]) for row in rows] == [
        ("1:entities", "food", "4"),
        ("1:cats", "order", ""),
        ("2:entities", "", ""),
        ("2:cats", "", ""),
    ]


def test_entities_and_relations_of_doccano(tmp_path: Path) -> None:
    """With relations a span is an object; the relations are left out."""
    entities = [{"id": 7, "label": "ORG", "start_offset": 0, "end_offset": 6}]
    relations = [{"id": 0, "from_id": 7, "to_id": 7, "type": "is"}]
    line = {"id": 1, "text": "Google was founded", "entities": entities, "relations": relations, "Comments": []}
    (tmp_path / "ann.jsonl").write_text(json.dumps(line) + "\n")
    (row,) = errorbar.judge_import(tmp_path / "ann.jsonl").rows
    assert [row[key] for key in ("item", "rater", "label", "start", "end")] == ["1", "ann", "ORG", "0", "6"]


def test_crowd_reads_an_export(tmp_path: Path) -> None:
    """Of the two items that a system flags, one of three raters calls item 1 an error, and all call item 2 one."""
    (tmp_path / "flags.csv").write_text("item,flag\n1,1\n2,1\n3,0\n")
    result = errorbar.crowd(label_studio(tmp_path), {"s": tmp_path / "flags.csv"}, ci=False)
    hits = [(row["hits"], row["false_positives"]) for row in json.loads(json.dumps(result.to_dict()["rows"]))]
    assert hits == [pytest.approx((4 / 3, 2 / 3)), (1, 1)]


class TestRank:
    """``rank`` reads what an export says of systems; wins, losses and ties as counted by hand."""

    def test_scores_of_appraise(self, tmp_path: Path, errorbar: CommandLine) -> None:
        """Ann: A over B over C; bob: A and B alike, of another segment; an answer to a control item is left out."""
        scores = [
            *(("ann", "A", 1, "TGT", 90), ("ann", "B", 1, "TGT", 70), ("ann", "C", 1, "TGT", 8)),
            *(("bob", "A", 2, "TGT", 50), ("bob", "B", 2, "TGT", 50), ("bob", "C", 2, "BAD", 99)),
        ]
        lines = [f"{rater},{name},{n},{kind},eng,deu,{score},d,False,1,2" for rater, name, n, kind, score in scores]
        (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
        done = errorbar("rank", tmp_path / "scores.csv", "--no-ci", "--format", "json")
        document = json.loads(done.out)
        assert document["head_to_head"] == [
            {"first": "A", "second": "B", "wins": 1, "losses": 0, "ties": 1},
            {"first": "A", "second": "C", "wins": 1, "losses": 0, "ties": 0},
            {"first": "B", "second": "C", "wins": 1, "losses": 0, "ties": 0},
        ]
        assert (document["n_judges"], document["n_sentences"]) == (2, 2)
        assert [warning["code"] for warning in document["warnings"]] == ["ranking-controls"]

    def test_ranking_questions_of_argilla(self, tmp_path: Path) -> None:
        answers = {"ann": (1, 2, 2), "bob": (2, 1, 3)}
        responses = [
            {"value": [{"value": s, "rank": r} for s, r in zip("ABC", own, strict=True)], "user_id": rater}
            for rater, own in answers.items()
        ]
        record = {"id": "7", "fields": {"text": "We goes"}, "metadata": {}, "responses": {"order": responses}}
        (tmp_path / "records.json").write_text(json.dumps([record], indent=1))
        result = errorbar.rank(tmp_path / "records.json", ci=False)
        assert [tuple(row.values()) for row in json.loads(json.dumps(result.to_dict()))["head_to_head"]] == [
            *(("A", "B", 1, 1, 0), ("A", "C", 2, 0, 0), ("B", "C", 1, 0, 1)),
        ]

    def test_pairs_of_label_studio(self, tmp_path: Path) -> None:
        tasks = [
            {
                "id": number,
                "data": {"system1": "A", "system2": "B"},
                "annotations": [
                    {"id": 1, "completed_by": "ann", "result": [{"from_name": "q", "type": "choices", "value": value}]}
                ],
            }
            for number, value in enumerate(({"choices": ["A"]}, {"choices": ["tie"]}, {"choices": ["B"]}), 1)
        ]
        (tmp_path / "pairs.json").write_text(json.dumps(tasks))
        result = errorbar.rank(tmp_path / "pairs.json", ci=False)
        assert [tuple(row.values()) for row in json.loads(json.dumps(result.to_dict()))["head_to_head"]] == [
            ("A", "B", 1, 1, 1)
        ]


class TestAudit:
    def test_what_is_not_independent(self, tmp_path: Path, errorbar: CommandLine) -> None:
        """Twelve items: b copies a; c answers next after a, always; d is alone on an item, and works on two at once."""
        rows = ["item,rater,label,start_time,end_time"]
        for item in range(12):
            label = "yn"[item % 3 == 0]
            rows += [f"{item},a,{label},{100 * item},{100 * item + 10}"]
            rows += [f"{item},c,{'ny'[item % 2]},{100 * item + 11},{100 * item + 15}"]
            rows += [f"{item},b,{label},{100 * item + 20},{100 * item + 30}"]
        rows += ["12,d,y,5000,5100", "13,d,n,5050,5200"]
        (tmp_path / "j.csv").write_text("\n".join(rows) + "\n")
        people = "Submission id,Participant id,Status,Time taken,Age\n1,a,APPROVED,9,30\n2,z,RETURNED,,\n"
        (tmp_path / "prolific.csv").write_text(people)
        options = ["--demographics", tmp_path / "prolific.csv", "--raters-per-item", 2, "--save", tmp_path / "o.csv"]
        done = errorbar("judge", "import", tmp_path / "j.csv", *options, "--format", "json")
        audit = validated("judge-import", done.out)["audit"]
        assert audit["copied"] == [["a", "b"]]
        assert audit["followers"] == [["c", "a"], ["b", "c"]]
        assert audit["overlapping"] == {"d": 1}
        assert (len(audit["more"]), audit["fewer"], audit["gave_up"]) == (12, ["12", "13"], ["z"])
        written = (tmp_path / "o.csv").read_text().splitlines()
        assert written[0].endswith(",Age")
        assert written[1].endswith(",30")

    def test_what_cannot_be_known_is_said(self, tmp_path: Path) -> None:
        result = errorbar.judge_import(doccano(tmp_path))
        assert (result.audit.overlapping, result.audit.followers, result.audit.gave_up) == (None, None, None)
        assert "not known: when judgments began and ended" in str(result)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.json", '[{"id": 1, "annotations": [', "x.json:1: not JSON: "),
        ("x.json", '[{"data": {}, "annotations": []}]', "task 1 has no id, or no list of annotations"),
        ("x.json", '[{"id": 1, "responses": {"q": [{"value": 1}]}}]', "a response to 'q' of record 1 has no user_id"),
        ("x.json", '{\n"user_id": 1, "instance_id_to_label_to_value": [', "x.json:2: not JSON"),
        ("x.json", '{\n"a": 1}', "not the state of a user of Potato"),
        ("x.jsonl", '{"id": 1, "text": "a", "label": [[1, 2]]}', "x.jsonl:1: a label that is none"),
        ("x.csv", "u,s,1,TGT,e,d,5,1,2\nu,s,1,TGT\n", "x.csv:2: a row of 4 fields"),
        ("x.csv", "a,b\n1,2\n", "no export that errorbar knows; its columns are a, b"),
        ("x.csv", "HITId,WorkerId,Answer.a,Answer.b\n1,w,x,y\n", "2 columns could be the answer"),
        ("x.csv", "HITId,WorkerId,AssignmentStatus,Answer.a\n1,w,Rejected,x\n", "x.csv: no judgment in the file"),
    ],
)
def test_a_malformed_export_is_one_line(
    errorbar: CommandLine, tmp_path: Path, name: str, text: str, message: str
) -> None:
    (tmp_path / name).write_text(text)
    done = errorbar("judge", "import", tmp_path / name)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err
