"""Records what KenLM's lmplz and query say of UD-EWT: n-gram counts, discounts, perplexity; run by hand.

    python -m tests.oracle.lmplz FOLDER UD_ENGLISH_EWT

FOLDER has the programs ``lmplz`` and ``query`` of KenLM 0.3.0 (its source package on PyPI, built by CMake with GCC 12
and Boost 1.74, as it comes). Models are trained on the training part and asked about the test part: the forms of all
words, as they are and in lower case, one sentence a line, no option but the order.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

RECORDED = Path(__file__).with_name("lmplz.csv")
TRAIN, TEST = "en_ewt-ud-train.rebuilt.conllu", "en_ewt-ud-test.conllu"
ORDERS = (2, 3, 5)
LOWERED = {"as they are": False, "lower case": True}
Sentences = list[list[str]]


def read_forms(path: Path, *, lower: bool) -> Sentences:
    """The words of a CoNLL-U file: neither the ranges of contracted words nor empty nodes."""
    blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n") if not line.startswith("#")] for block in blocks]
    return [[row[1].lower() if lower else row[1] for row in sentence if row[0].isdigit()] for sentence in rows]


def _record(programs: Path, corpus: Path) -> Iterator[tuple[str, int, str, str]]:
    for name, lower in LOWERED.items():
        train, test = (
            "".join(f"{' '.join(sentence)}\n" for sentence in read_forms(corpus / part, lower=lower)).encode()
            for part in (TRAIN, TEST)
        )
        for order in ORDERS:
            made = subprocess.run(
                [programs / "lmplz", "-o", str(order)], input=train, capture_output=True, check=True, timeout=1500
            )
            model = Path("lmplz.arpa")
            model.write_bytes(made.stdout)
            for n, count, *discounts in re.findall(
                r"^(\d) (\d+) D1=(\S+) D2=(\S+) D3\+=(\S+)", made.stderr.decode(), re.MULTILINE
            ):
                yield name, order, f"{n}-grams", count
                yield from ((name, order, f"D{k} of {n}-grams", found) for k, found in enumerate(discounts, 1))
            said = subprocess.run(
                [programs / "query", model], input=test, capture_output=True, check=True, timeout=1500
            )
            for what, value in re.findall(r"^(Perplexity \w+ OOVs|OOVs|Tokens):\t(\S+)", said.stdout.decode(), re.M):
                yield name, order, what, value
            model.unlink()


if __name__ == "__main__":
    with RECORDED.open("w", encoding="utf-8", newline="") as stream:
        rows = csv.writer(stream, lineterminator="\n")
        rows.writerow(("forms", "order", "what", "value"))
        rows.writerows(_record(Path(sys.argv[1]).resolve(), Path(sys.argv[2])))
