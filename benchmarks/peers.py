"""``errant``, its extraction of edits and ``gleu`` beside the programs they stand for, in one run: seconds and ratios.

``make bench`` runs it too. What needs errant and its pipeline is skipped where they are missing (``make errant``).
Seconds are of processor time, which other work on the machine changes less than those of the clock; extraction stands
beside what the pipeline alone takes for the same texts, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from timing import Run, median_process, run_process, table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
COMMAND = (sys.executable, "-m", "errorbar")
PLAIN_GLEU = Path(__file__).with_name("plain_gleu.py")
PIPELINE = "errorbar_en"
PARALLEL = f"""
import errant, spacy
load = errant.load
errant.load = lambda language: load(language, spacy.load("{PIPELINE}", exclude=["ner"]))
from errant.commands.parallel_to_m2 import main
main()
"""
"""errant_parallel with another pipeline than its own, for which it has no option."""
EXTRACTION = f"""
import json, sys, time
from errorbar.edits.errant import Maker, errant_edits
import spacy
from spacy.tokens import Doc

def lines(path):
    return [line.rstrip("\\n") for line in open(path, encoding="utf-8")]

source, *others = map(lines, sys.argv[1:])
rows = list(zip(source, zip(*others)))
distinct = list(dict.fromkeys(" ".join(text.split()) for one, texts in rows for text in (one, *texts)))
nlp = spacy.load("{PIPELINE}", exclude=["ner"])
maker = Maker("{PIPELINE}")
maker.edits([("warm up", "warmed up")])

def alone():
    docs = [Doc(nlp.vocab, words=text.split()) for text in distinct]
    for _ in nlp.pipe(docs, batch_size=256):
        pass

def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start

timed(lambda: [nlp(Doc(nlp.vocab, words=text.split())) for text in distinct[:50]])
first = timed(alone)
extraction = timed(lambda: list(errant_edits(rows, maker)))
second = timed(alone)
tokens = sum(len(text.split()) for text in distinct)
print(json.dumps([len(distinct), tokens, min(first, second), extraction]))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    parser.add_argument("--repeats", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.data.is_dir():
        beside_peers(arguments.data, arguments.repeats)
    else:
        print(f"skipped: no corpora at {arguments.data} (give --data)")


def beside_peers(data: Path, repeats: int) -> None:
    """Time what there is on the twelve systems of CoNLL-2014 and its two annotators."""
    load = ", ".join(f"{minutes:.1f}" for minutes in os.getloadavg())
    print(f"\n{os.cpu_count()} cores; load of the last 1, 5 and 15 minutes: {load}")
    submissions = data / "conll14_systems/official_submissions"
    systems = sorted(path for path in submissions.iterdir() if path.name != "INPUT")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = _texts(data, folder)
        start_up = median_process([*COMMAND, "--version"], repeats)
        _gleu(texts, submissions / "AMU", start_up, repeats)
        missing = [package for package in ("errant", PIPELINE) if find_spec(package) is None]
        if missing:
            print(f"\nskipped: errant beside errorbar, since {missing[0]} is not installed (make errant)")
            return
        typed = _extraction(texts, systems, folder)
        _errant(typed, start_up, repeats)


def _texts(data: Path, folder: Path) -> list[Path]:
    """The source, and what the annotators make of it."""
    gold = data / "conll14/noalt/official-2014.combined.m2"
    paths: list[Path] = []
    for options in ((), ("--annotator", "0"), ("--annotator", "1")):
        paths.append(folder / f"text{len(paths)}")
        run_process([*COMMAND, "convert", str(gold), "--to", "text", *options, "-o", str(paths[-1])])
    return paths


def _gleu(texts: Sequence[Path], system: Path, start_up: Run, repeats: int) -> None:
    source, *references = map(str, texts)
    options = [f"--reference={path}" for path in references]
    command = ["score", "--no-ci", "--metric", "gleu(draws=published)", "--source", source, *options, str(system)]
    plain = [sys.executable, str(PLAIN_GLEU), source, str(system), *references]
    title = f"GLEU of 500 draws, {system.name}, two references (plain_gleu.py, our own, for the published script)"
    _beside(title, [*COMMAND, *command], plain, start_up, repeats, "0.30")


def _errant(typed: Sequence[Path], start_up: Run, repeats: int) -> None:
    gold, system = map(str, typed)
    ours = [*COMMAND, "score", "--no-ci", "--metric", "errant", "--gold", gold, system]
    program = "from errant.commands.compare_m2 import main; main()"
    theirs = [sys.executable, "-c", program, "-hyp", system, "-ref", gold]
    _beside(f"errant beside errant_compare, {Path(system).stem}", ours, theirs, start_up, repeats, "0.25")


def _beside(title: str, ours: list[str], theirs: list[str], start_up: Run, repeats: int, target: str) -> None:
    """A table of two programs, as whole processes."""
    mine, peer = median_process(ours, repeats), median_process(theirs, max(3, repeats // 2))
    above = mine.cpu - start_up.cpu
    row = ["errorbar score", f"{mine.cpu:.2f}", f"{above:.2f}", target, f"{peer.cpu:.2f}"]
    columns = ["command", "s", "above start-up", "target", "peer s", "peer / errorbar"]
    table(title, columns, [[*row, f"{peer.cpu / mine.cpu:.1f}"]])


def _extraction(texts: Sequence[Path], systems: Sequence[Path], folder: Path) -> list[Path]:
    """Edits of all texts, by both; the M2 of the annotators and of a system."""
    source, *references = map(str, texts)
    corrected = [*map(str, systems), *references]
    os.environ["ERRORBAR_DATA"] = str(folder / "cache")
    path = folder / "all.m2"
    convert = [*COMMAND, "convert", "--edits", "errant", "--lenient", "--to", "m2", "--source", source]
    theirs = [sys.executable, "-c", PARALLEL, "-orig", source, "-cor", *corrected, "-out", str(folder / "peer.m2")]
    first = run_process([*convert, *corrected, "-o", str(path)])
    peer = run_process(theirs)
    again = run_process([*convert, *corrected, "-o", str(path)])
    ours, peers = (file.read_text(encoding="utf-8").splitlines() for file in (path, folder / "peer.m2"))
    process = subprocess.run(
        [sys.executable, "-c", EXTRACTION, source, *corrected], check=True, capture_output=True, text=True
    )
    n, tokens, alone, extraction = json.loads(process.stdout)
    rows = [
        ["whole process", f"{first.cpu:.1f}", f"{peer.cpu:.1f}", f"{first.cpu / peer.cpu:.2f}", "0.50"],
        ["second run", f"{again.cpu:.2f}", "", "", "2 s"],
        [
            "in one process, beside the pipeline alone",
            f"{extraction:.1f}",
            f"{alone:.1f}",
            f"{extraction / alone:.2f}",
            "1.20",
        ],
    ]
    title = f"Extraction: 12 systems, 2 references, {n:,} distinct sentences, {tokens:,} tokens"
    title += f"; the pipeline parses {tokens / alone:,.0f} tokens a second"
    table(title, ["convert --edits errant", "s", "peer s", "ratio", "target"], rows)
    differing = sum(line != other for line, other in zip(ours, peers, strict=False)) + abs(len(ours) - len(peers))
    print(f"{differing:,} of {len(ours):,} lines of M2 differ from errant_parallel's")
    typed = []
    for name, files in (("gold", references), (systems[0].stem, [str(systems[0])])):
        typed.append(folder / f"{name}.m2")
        run_process([*convert, *files, "-o", str(typed[-1])])
    return typed


if __name__ == "__main__":
    main()
