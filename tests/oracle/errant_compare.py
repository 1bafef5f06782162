"""What is compared with errant_compare, and how its counts were recorded: python -m tests.oracle.errant_compare DATA.

Recorded with errant 3.0.2 from the package index. The program reads the M2 files that are written here; their numbers,
and no sentence, stand in ``errant_compare.csv``.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from errorbar import Corpus, Edit, Problems, Sentence, read_corpus
from errorbar.core import CorrectedSentence
from errorbar.edits import apply_edits, extract_edits
from errorbar.formats import write_m2
from tests.helpers.official import read_lines

RECORDED = Path(__file__).with_suffix(".csv")
OPTIONS: dict[str, Sequence[str]] = {
    "errant": (),
    "errant(mode=cse)": ("-cse",),
    "errant(mode=ds)": ("-ds",),
    "errant(mode=dt)": ("-dt",),
    "errant(single=true)": ("-single",),
    "errant(multi=true)": ("-multi",),
    "errant(mode=ds,beta=1)": ("-ds", "-b", "1"),
    'errant(without="R:OTHER R:NOUN")': ("-filt", "R:OTHER", "R:NOUN"),
}
LEVELS = {"operation": "1", "type": "2", "full": "3"}
SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")


def kind(edit: Edit) -> str:
    """A type for an edit that has none."""
    return "M:OTHER" if edit.is_insertion else "R:OTHER" if edit.replacements[0] else "U:OTHER"


@cache
def conll(data: Path) -> Corpus:
    return read_corpus([data / "conll14/noalt/official-2014.combined.m2"])


def system(corpus: Corpus, lines: Sequence[str]) -> list[CorrectedSentence]:
    """Lines with the edits of the minimal aligner."""
    made = []
    for sentence, line in zip(corpus.sentences, lines, strict=True):
        edits = extract_edits(sentence.tokens, line.split())
        made.append(CorrectedSentence(line, [edit._replace(type=kind(edit)) for edit in edits]))
    return made


def of_annotator(corpus: Corpus) -> list[CorrectedSentence]:
    """The only annotator of a corpus as a system."""
    (name,) = corpus.annotators
    made = []
    for sentence in corpus.sentences:
        edits = sentence.annotations.get(name, ())
        made.append(
            CorrectedSentence(" ".join(apply_edits(sentence.tokens, edits, problems=Problems(lenient=True))), edits)
        )
    return made


NAMES = (*(f"conll14 {name}" for name in SYSTEMS), "cweb G", "cweb S", "conll13 revised")


@cache
def case(data: Path, name: str) -> tuple[Corpus, list[CorrectedSentence]]:
    """A comparison: the reference, and the system."""
    kind_of_corpus, part = name.split()
    if kind_of_corpus == "conll14":
        return conll(data), system(conll(data), read_lines(data / "conll14_systems/official_submissions" / part))
    if kind_of_corpus == "cweb":
        first, second = (read_corpus([data / f"cweb_dev/CWEB-{part}.dev.ann{k}.m2"]) for k in (0, 1))
    else:
        files = (data / f"conll13/{text}/official-preprocessed.m2" for text in ("original", "revised"))
        first, second = (read_corpus([file], as_written=True) for file in files)
    return first, of_annotator(second)


def _files(data: Path, folder: Path) -> Iterator[tuple[str, Path, Path]]:
    """Each comparison with the files that the program reads: the published ones where there are any."""
    for name in NAMES:
        part = name.split()[1]
        reference, made = case(data, name)
        if name.startswith("cweb"):
            yield name, data / f"cweb_dev/CWEB-{part}.dev.ann0.m2", data / f"cweb_dev/CWEB-{part}.dev.ann1.m2"
        elif name.startswith("conll13"):
            folder13, file = data / "conll13", "official-preprocessed.m2"
            yield name, folder13 / "original" / file, folder13 / "revised" / file
        else:
            path = folder / f"{part}.m2"
            sentences = [Sentence(s.text, {"0": line.edits}) for s, line in zip(reference.sentences, made, strict=True)]
            path.write_text("\n".join(write_m2(sentences, Problems())) + "\n", encoding="utf-8")
            yield name, data / "conll14/noalt/official-2014.combined.m2", path


def _counts(text: str) -> Iterator[tuple[str, list[int]]]:
    """Each line of numbers that the program prints: what it is of, and TP, FP, FN."""
    for line in text.split("\n"):
        if found := re.fullmatch(r"(?:(\S+) +)??(\d+)\s+(\d+)\s+(\d+)(?:\s+\S+){3}\s*", line.strip()):
            yield found[1] or "", [int(found[k]) for k in (2, 3, 4)]


def main(data: Path) -> None:
    """Run errant_compare and write its counts."""
    with tempfile.TemporaryDirectory() as folder, RECORDED.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(["case", "metric", "level", "type", "tp", "fp", "fn"])
        for name, reference, system_file in _files(data, Path(folder)):
            asked = [(spec, "", options) for spec, options in OPTIONS.items()]
            if not name.startswith("conll14") or name.endswith("CAMB"):
                asked += [("errant", level, ("-cat", number)) for level, number in LEVELS.items()]
                asked += [("errant(mode=dt)", "full", ("-dt", "-cat", "3"))]
            for spec, level, options in asked:
                command = ["errant_compare", "-hyp", str(system_file), "-ref", str(reference), *options]
                printed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=1500).stdout
                for kind_, counts in _counts(printed):
                    if bool(kind_) == bool(level):
                        rows.writerow([name, spec, level, kind_, *counts])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
