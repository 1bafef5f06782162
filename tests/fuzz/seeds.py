"""Small inputs that every reader takes: of the demo corpus, made up, and cut out of ``../shared/data`` where it is."""

from __future__ import annotations

import gzip
import json
import tarfile
import zipfile
from importlib import import_module
from io import BytesIO
from pathlib import Path

from click.testing import CliRunner

import errorbar.demo
from errorbar import Problems
from errorbar.cli.main import cli
from errorbar.core import Fragment
from errorbar.edits.standoff import extract_standoff
from errorbar.formats import read_corpus, write_m2, write_standoff
from errorbar.formats.hoo import write_edits
from errorbar.formats.text import write_text
from errorbar.sampling import Key, Strata, write_key
from errorbar.sampling.draw import Round, round_name

Case = dict[str, bytes]
"""The files of one input, by name."""

DATA = Path(__file__).parents[3] / "shared" / "data"
"""Research corpora, which are not part of the repository."""
N_SENTENCES = 8
_DEMO = Path(errorbar.demo.__file__).parent
_CORPUS = read_corpus(_DEMO / "gold.jsonl")
_TEXT = " ".join(" ".join(sentence.tokens) for sentence in _CORPUS.sentences[:3])
_CORRECTED = _TEXT.replace("looked strange", "looks odd").replace("there is", "there are").replace(" too", "")


def joined(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def head(path: Path, n_lines: int) -> bytes:
    """The first lines of a file."""
    with path.open("rb") as stream:
        return b"".join(stream.readline() for _ in range(n_lines))


def m2_of_demo() -> bytes:
    return joined(list(write_m2(_CORPUS.sentences[:N_SENTENCES], Problems())))


def jsonl_of_demo() -> bytes:
    return head(_DEMO / "gold.jsonl", N_SENTENCES + 1)


def source_of_demo() -> bytes:
    return joined(list(write_text(_CORPUS.sentences[:N_SENTENCES], Problems())))


def system_of_demo(name: str) -> bytes:
    return head(_DEMO / f"{name}.txt", N_SENTENCES)


ESSAYS = b"""<DOC nid="7">
<TEXT>
<TITLE>
On dogs
</TITLE>
<P>
He go to school . She like dogs &amp; cat . It is late .
</P>
<P>
This are fine .
</P>
</TEXT>
<ANNOTATION teacher_id="A">
<MISTAKE start_par="1" start_off="3" end_par="1" end_off="5">
<TYPE>SVA</TYPE>
<CORRECTION>goes</CORRECTION>
<COMMENT>third person</COMMENT>
</MISTAKE>
<MISTAKE start_par="1" start_off="35" end_par="1" end_off="38">
<TYPE>Nn</TYPE>
<CORRECTION>cats</CORRECTION>
</MISTAKE>
</ANNOTATION>
</DOC>
"""
_SENTENCES = (
    b"S On dogs\n\nS He go to school .\nA 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n\nS She like dogs & cat .\n\n"
)
_SENTENCES += b"S It is late .\n\nS This are fine .\n"


def nucle() -> list[Case]:
    return [{"a.sgml": ESSAYS}]


def documents() -> list[Case]:
    return [{"a.sgml": ESSAYS, "a.m2": _SENTENCES}]


def hoo_xml() -> list[Case]:
    cases: list[Case] = [{"Gold/1GE.xml": _edits(), "Raw/1.txt": _TEXT.encode(), "run/1XX0.xml": _edits()}]
    gold = DATA / "hoo2011" / "develop"
    if gold.is_dir():
        cases.append(_cut_hoo(gold, "0031", 3_000))
    return cases


def hoo_text() -> list[Case]:
    return [{"Gold/1GE.xml": _edits(), "Raw/1.txt": _TEXT.encode(), "run/1.txt": _CORRECTED.encode()}]


def _edits() -> bytes:
    fragment = Fragment("1", tuple(extract_standoff(_TEXT, _CORRECTED, "1")), _TEXT)
    return joined(list(write_edits(fragment, Problems())))


def _cut_hoo(folder: Path, name: str, size: int) -> Case:
    """The edits of the first characters of a text."""
    text = (folder / "Raw" / f"{name}.txt").read_text(encoding="utf-8")[:size]
    xml = (folder / "Gold" / f"{name}GE.xml").read_text(encoding="utf-8")
    edits = [f"<edit{part}" for part in xml.partition("<edits>")[2].split("<edit ") if "</edit>" in part]
    kept = [edit.replace("<edit", "<edit ", 1) for edit in edits if int(edit.split('end="')[1].split('"')[0]) < size]
    content = "<edits>\n" + "".join(kept).replace("</edits>", "") + "</edits>\n"
    return {"Gold/1GE.xml": content.encode(), "Raw/1.txt": text.encode(), "run/1XX0.xml": content.encode()}


def hoo_jsonl() -> list[Case]:
    fragment = Fragment("1", tuple(extract_standoff(_TEXT, _CORRECTED, "1")), _TEXT)
    return [{"a.jsonl": joined(list(write_standoff([(fragment, _CORPUS.sentences[:2])], "GE")))}]


def m2() -> list[Case]:
    cases: list[Case] = [{"a.m2": m2_of_demo(), "system.txt": system_of_demo("careful")}]
    for name in ("conll14/alt/official-2014.combined-withalt.m2", "cweb_dev/CWEB-G.dev.m2"):
        path = DATA / name
        if path.is_file():
            content = head(path, 60).rpartition(b"\n\n")[0] + b"\n"
            lines = [line[2:] for line in content.decode().split("\n") if line.startswith("S ")]
            cases.append({"a.m2": content, "system.txt": joined([line.replace(" is ", " was ") for line in lines])})
    return cases


def jsonl() -> list[Case]:
    return [{"a.jsonl": jsonl_of_demo(), "system.txt": system_of_demo("greedy")}]


def parallel() -> list[Case]:
    names = ("careful", "greedy")
    return [{"source.txt": source_of_demo(), **{f"{name}.txt": system_of_demo(name) for name in names}}]


def essays() -> list[Case]:
    def made(*ids: int, change: str = "") -> bytes:
        texts = {k: " ".join(sentence.tokens) for k, sentence in enumerate(_CORPUS.sentences[:N_SENTENCES])}
        kept = {k: text.replace(" is ", change) if change else text for k, text in texts.items()}
        return joined([line for k in ids for line in (f"### essay_id = e{k}", *kept[k].split(" , "), "")])

    return [{"source.md": made(0, 1, 2, 3), "reference.md": made(2, 0, change=" was "), "system.md": made(3, 2, 1, 0)}]


def labels() -> list[Case]:
    def made(every: int) -> bytes:
        said = [
            "".join(f"{token}\t{'i' if k % every == 0 else 'c'}\n" for k, token in enumerate(sentence.tokens))
            for sentence in _CORPUS.sentences[:N_SENTENCES]
        ]
        return "\n".join(said).encode()

    return [{"a.tsv": made(5), "b.tsv": made(4), "system.tsv": made(3)}]


def bea() -> list[Case]:
    first, second = "My dog don’t likes cats. It is late.\nI goed home , and sleeped .", "They plays. He play."
    records: list[object] = [
        {
            "id": "1-1",
            "userid": "21",
            "cefr": "A1.i",
            "text": first,
            "edits": [[0, [[7, 12, "doesn't"], [13, 18, "like"], [39, 43, "went"], [55, 62, None]]], [1, []]],
        },
        {"id": "1-2", "text": second, "edits": [[0, [[5, 10, "play"], [8, 10, "y", "SVA"], [15, 19, "plays"]]]]},
    ]
    return [{"a.jsonl": joined([json.dumps(record) for record in records])}]


_VOTES = [("s1", "r1", "error"), ("s1", "r2", "ok"), ("s1", "r3", "error"), ("s2", "r1", "ok"), ("s2", "r2", "ok")]
_VOTES += [
    ("s3", "r2", "error"),
    ("s3", "r3", "error"),
    ("s4", "r1", "ok"),
    ("s4", "r3", "unclear"),
    ("s5", "r1", "ok"),
]


def judgments_csv() -> list[Case]:
    weighted = [f"{','.join(vote)},{1 + number % 3}" for number, vote in enumerate(_VOTES)]
    return [
        {"a.csv": joined(["item,rater,label", *map(",".join, _VOTES)])},
        {"a.csv": joined(["item,rater,label,weight", *weighted])},
        {"a.csv": joined(["item\trater\tlabel", *map("\t".join, _VOTES)])},
        {"a.csv": joined(["rater;item;label", *(f'"{rater}";{item};{label}' for item, rater, label in _VOTES)])},
    ]


def judgments_jsonl() -> list[Case]:
    names = ("item", "rater", "label")
    return [{"a.jsonl": joined([json.dumps(dict(zip(names, vote, strict=True))) for vote in _VOTES])}]


def judgments_wide() -> list[Case]:
    return [{"a.csv": joined(["item,r1,r2,r3", "s1,error,ok,error", "s2,ok,ok,", "s3,,error,error", "s4,ok,,ok"])}]


def judgments_parquet() -> list[Case]:
    pyarrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
    made = BytesIO()
    columns = {name: [vote[at] for vote in _VOTES] for at, name in enumerate(("item", "rater", "label"))}
    parquet.write_table(pyarrow.table(columns), made)
    return [{"a.parquet": made.getvalue()}]


def mturk() -> list[Case]:
    header = "HITId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Input.sentence,Answer.label"
    rows = [f'H{item},W{rater},Approved,{9 + item},"One , two",{label}' for item, rater, label in _VOTES_OF_HITS]
    cases: list[Case] = [{"a.csv": joined([header, *rows, "H1,W9,Rejected,2,x,error"])}]
    path = DATA / "crowd_corrections_choshen2018" / "Batch_2626033.pseudonymised.csv"
    if path.is_file():
        content = head(path, 13).replace(b"hit,worker,", b"HITId,WorkerId,", 1)
        cases.append({"a.csv": content})
    return cases


_VOTES_OF_HITS = [(1, 1, "error"), (1, 2, "ok"), (2, 1, "ok"), (2, 3, "ok"), (3, 2, "error"), (3, 3, "")]


def flags() -> list[Case]:
    return [
        {"a.csv": b"item,flag,score,text\ns1,1,0.9,x\ns2,0,0.2,y\ns3,yes,0.5,z\ns4,no,0.1,w\n"},
        {"a.csv": b"item,flag\ns1,1\ns2,0\ns3,1\ns4,0\n"},
        {"a.csv": b'{"item": "s1", "flag": 1, "score": 0.5}\n{"item": "s2", "flag": false, "score": 0.25}\n'},
    ]


def answers() -> list[Case]:
    return [{"a.csv": b"item,label\ns1,error\ns2,ok\ns3,error\n"}]


def rankings_xml() -> list[Case]:
    item = '<ranking-item id="{0}" user="u{1}" src-id="{0}"><translation rank="1" system="A B"/>'
    item += '<translation rank="2" system="C"/><translation rank="{1}" system="D"/></ranking-item>\n'
    made = "<appraise-results>\n" + "".join(item.format(n, 1 + n % 3) for n in range(4)) + "</appraise-results>\n"
    cases: list[Case] = [{"a.xml": made.encode()}]
    path = DATA / "rankings_grundkiewicz2015" / "judgments.xml"
    if path.is_file():
        start = head(path, 60).decode().rpartition("</ranking-item>")[0]
        cases.append({"a.xml": f"{start}</ranking-item></error-correction-ranking-result></appraise-results>".encode()})
    return cases


def rankings_csv() -> list[Case]:
    return [
        {"a.csv": b"system1,system2,winner,judge,item\nA,B,A,j1,1\nB,C,tie,j1,2\nC,A,C,j2,3\nA,B,B,j2,4\n"},
        {"a.csv": b"item,judge,system,rank\n1,j1,A,1\n1,j1,B,2\n1,j1,C,2\n2,j2,A,3\n2,j2,B,1\n2,j2,C,2\n"},
        {
            "a.csv": b"segmentId,judgeId,system1Id,system1rank,system2Id,system2rank\n"
            b"1,j,A,1,B,2\n2,j,B,1,C,1\n3,k,A,2,C,1\n"
        },
    ]


def metric_scores() -> list[Case]:
    return [
        {"a.csv": b"system,score\nA,0.5\nB,0.25\nC,0.1\n"},
        {
            "a.csv": b"system,score,metric,sentence\n"
            b"A,0.5,m,1\nB,0.25,m,1\nA,0.75,m,2\nB,0.5,m,2\nA,0.1,n,1\nB,0.2,n,1\n"
        },
        {"a.csv": b"A 0.3510 0.4147 0.2174\nB 0.3703 0.3924 0.3024\nC 0.3682 0.4171 0.2507\n"},
        {"a.csv": b"A 83.42\nB 81.77\nC 80\n"},
    ]


def metric_json() -> list[Case]:
    arguments = ["--gold", str(_DEMO / "gold.jsonl"), str(_DEMO / "careful.txt"), str(_DEMO / "greedy.txt")]
    printed = CliRunner().invoke(cli, ["score", *arguments, "--format", "json"]).stdout
    return [{"a.json": printed.encode()}]


TASK = """\
[task]
name = "Small"
deadline = 2026-12-24T23:59:59Z
metrics = ["m2", "m2(beta=1)"]

[[corpus]]
name = "test"
role = "test"
source = "source.txt"
gold = ["gold.m2"]
lenient = true

[[team]]
name = "one"
full_name = "The One"
affiliation = "A university"
submissions = "submissions"
late = false
"""


def task() -> list[Case]:
    return [{"a.toml": TASK.encode()}]


TASK_FILES: Case = {
    "source.txt": source_of_demo(),
    "gold.m2": m2_of_demo(),
    "submissions/run1.txt": system_of_demo("copy"),
}


def sample_key() -> list[Case]:
    strata = Strata.of_sizes(20, 80)
    items = {f"s{number}": number % 2 for number in range(1, 7)}
    name = round_name(strata, (), "f00d", 1, items)
    key = Key(strata, (), "f00d", 1, (Round(name, items),))
    rows = [f"s{number},{name},r1,{'error' if number % 3 else 'ok'}" for number in range(1, 7)]
    return [{"key.json": joined(list(write_key(key))), "a.csv": joined(["item,set,rater,label", *rows])}]


def sample_counts() -> list[Case]:
    return [{"counts.txt": b"flagged:1000:750:600\nunflagged:9000:300:6\n"}]


def archives() -> list[Case]:
    tar, zipped = BytesIO(), BytesIO()
    content = m2_of_demo()
    with tarfile.open(fileobj=tar, mode="w") as made, zipfile.ZipFile(zipped, "w") as archive:
        for name in ("corpus/gold.m2", "corpus/README"):
            info = tarfile.TarInfo(name)
            info.size = len(content)
            made.addfile(info, BytesIO(content))
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return [{"a.archive": gzip.compress(tar.getvalue(), mtime=0)}, {"a.archive": zipped.getvalue()}]
