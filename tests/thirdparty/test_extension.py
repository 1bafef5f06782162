"""A metric of another package, installed beside errorbar, has every command without a line elsewhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import Corpus, Hypothesis, Problems
from errorbar.demo import demo_files
from errorbar.edits import apply_edits
from errorbar.metrics import InMemory, Metric, ScoringPlan, corpus_pieces, score_pieces
from tests.thirdparty import character_rate

NAME = "errorbar_cer"
METADATA = f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n"
ENTRY = f"[errorbar.metrics]\ncer = {NAME}:CharacterRate\n"
Document = dict[str, Any]


class Installed:
    """An interpreter with the package installed."""

    def __init__(self, folder: Path, gold: Path, systems: list[Path]) -> None:
        self.folder, self.gold, self.systems = folder, str(gold), [str(path) for path in systems]
        site = folder / "site"
        (site / f"{NAME}-1.0.dist-info").mkdir(parents=True)
        shutil.copy(character_rate.__file__, site / f"{NAME}.py")
        (site / f"{NAME}-1.0.dist-info" / "METADATA").write_text(METADATA, encoding="utf-8")
        (site / f"{NAME}-1.0.dist-info" / "entry_points.txt").write_text(ENTRY, encoding="utf-8")
        paths = [str(site), str(Path(errorbar.__file__).parents[1])]
        self.environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}

    def run(self, *arguments: str, code: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "errorbar", *arguments],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            timeout=1500,
        )
        assert done.returncode == code, done.stderr
        return done.stdout if code == 0 else done.stderr

    def json(self, command: str, *arguments: str) -> Document:
        document: Document = json.loads(
            self.run(command, "--gold", self.gold, "--metric", "cer", *arguments, "--format", "json")
        )
        return document


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    with demo_files() as (gold, systems):
        yield Installed(tmp_path_factory.mktemp("other"), gold, list(systems))


def distance(wanted: str, got: str) -> int:
    """Levenshtein's, by the recurrence as it stands in textbooks."""
    table = {(0, k): k for k in range(len(got) + 1)} | {(k, 0): k for k in range(len(wanted) + 1)}
    for i, a in enumerate(wanted, 1):
        for k, b in enumerate(got, 1):
            table[i, k] = min(table[i - 1, k] + 1, table[i, k - 1] + 1, table[i - 1, k - 1] + (a != b))
    return table[len(wanted), len(got)]


def by_hand(gold: str, system: str) -> tuple[int, int]:
    """Edits and characters of the nearest references, added up without the library's metrics."""
    total, characters = 0, 0
    lines = Path(system).read_text(encoding="utf-8").splitlines()
    for sentence, line in zip(errorbar.read_corpus(gold).sentences, lines, strict=True):
        texts = [" ".join(apply_edits(sentence.tokens, edits)) for _, edits in sorted(sentence.annotations.items())]
        counted = [(distance(text, " ".join(line.split())), len(text)) for text in texts]
        best = min(counted, key=lambda pair: pair[0] / max(pair[1], 1))
        total, characters = total + best[0], characters + best[1]
    return total, characters


def test_it_is_listed(other: Installed) -> None:
    assert "cer" in other.run("metrics")


def test_score(other: Installed) -> None:
    (row,) = other.json("score", "--ci", "--by", "sentence", other.systems[0])["rows"]
    edits, characters = by_hand(other.gold, other.systems[0])
    assert (row["edits"], row["characters"]) == (edits, characters)
    assert row["cer"] == pytest.approx(edits / characters)
    assert row["intervals"]["cer"]["low"] < row["cer"] < row["intervals"]["cer"]["high"]
    assert sum(sentence["edits"] for sentence in row["by_sentence"]) == edits
    assert row["lower_is_better"] == ["cer"]
    assert row["signature"].startswith("cer|")


def test_one_annotator_and_what_it_lacks(other: Installed) -> None:
    row = other.json("score", "--metric", "cer(only=1)", other.systems[0])["rows"][1]
    assert row["metric"] == "cer(only=1)"
    said = other.run("score", "--gold", other.gold, "--metric", "cer", "--by", "type", other.systems[0], code=2)
    assert "cer has no scores by error type: texts have no error types" in said


@pytest.mark.slow
def test_workers_change_no_digit(other: Installed) -> None:
    alone, two = (other.json("score", *other.systems, "--jobs", jobs) for jobs in ("1", "2"))
    assert alone == two


class Share(character_rate.CharacterRate):
    """A third of each edit: sums of such counts are rounded."""

    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        edits, characters = super().compare(source, reference, output)
        return edits / 3, characters


@pytest.mark.parametrize(("metric", "allowed"), [(character_rate.CharacterRate(), 0.0), (Share(), 1e-12)])
def test_the_size_of_pieces_changes_whole_counts_not_at_all_and_fractions_by_rounding(
    metric: Metric, allowed: float, other: Installed
) -> None:
    corpus = errorbar.read_corpus(other.gold)
    lines = Path(other.systems[0]).read_text(encoding="utf-8").splitlines()
    found = []
    for size in (1, 7, len(corpus)):
        stream, problems = InMemory(Hypothesis("a", lines), Problems()), Problems()
        parts = [corpus.sentences[at : at + size] for at in range(0, len(corpus), size)]
        pieces = corpus_pieces([Corpus(part, corpus.annotators) for part in parts], [stream])
        (result,) = score_pieces(pieces, [stream], ScoringPlan([metric]), problems)
        found.append(result.estimates["cer"].value)
    assert found == [pytest.approx(found[0], rel=allowed, abs=0)] * 3


@pytest.mark.slow
def test_compare(other: Installed) -> None:
    found = other.json("compare", *other.systems, "--swaps", "500", "--resamples", "200")
    rates = {row["system"]: row["cer"] for row in found["systems"]}
    assert all(pair["difference"] == rates[pair["first"]] - rates[pair["second"]] for pair in found["pairs"])
    table = other.run("compare", "--gold", other.gold, "--metric", "cer", *other.systems, "--swaps", "500")
    shown = [line.split()[1] for line in table.splitlines() if line[:4] in (" 1  ", " 2  ", " 3  ", " 4  ")]
    assert shown == sorted(rates, key=lambda name: rates[name])  # the lowest rate is best


@pytest.mark.slow
def test_attack(other: Installed) -> None:
    """The lowest rate is best: an annotator's text is first, empty lines have every character wrong."""
    (found,) = other.json("attack", *other.systems, "--no-ci")["metrics"]
    rates = {system["system"]: system["value"] for system in found["systems"]}
    assert found["measure"] == {"name": "cer", "title": "CER", "kind": "percent", "better": "lower"}
    for attack in found["attacks"]:
        assert attack["rank"] == 1 + sum(rate < attack["value"] for rate in rates.values())
        assert attack["beats"] == sum(rate > attack["value"] for rate in rates.values())
    ranks = {attack["attack"]: attack["rank"] for attack in found["attacks"]}
    assert {ranks["pasted-0"], ranks["pasted-1"], ranks["pasted-2"]} == {1}
    assert ranks["empty"] == len(rates) + 1


@pytest.mark.slow
def test_ceiling(other: Installed) -> None:
    rows = other.json("ceiling", other.systems[0], "--ci", "--resamples", "50")["rows"]
    assert [row["n_references"] for row in rows] == [1, 2]
    assert rows[0]["human"]["cer"] > rows[1]["human"]["cer"] > 0  # another reference may be nearer
    assert "human_interval" in rows[0]


@pytest.mark.slow
def test_report(other: Installed) -> None:
    sizes = ("--resamples", "200", "--adjust", "max-t(swaps=500)")
    arguments = ("--metric", "cer", *other.systems, *sizes, "-o", "report.html")
    other.run("report", "--gold", other.gold, *arguments)
    page = (other.folder / "report.html").read_text(encoding="utf-8")
    assert "CER" in page
    assert f"{100 * by_hand(other.gold, other.systems[0])[0] / by_hand(other.gold, other.systems[0])[1]:.2f}" in page


@pytest.fixture(scope="module")
def task(other: Installed) -> Path:
    """A shared task that is scored by the metric."""
    task = other.folder / "task"
    (task / "data").mkdir(parents=True)
    corpus = errorbar.read_corpus(other.gold)
    (task / "data" / "gold.jsonl").write_bytes(Path(other.gold).read_bytes())
    sources = "".join(" ".join(sentence.tokens) + "\n" for sentence in corpus.sentences)
    (task / "data" / "source.txt").write_text(sources, encoding="utf-8")
    lines = ["[task]", 'name = "CER"', 'metrics = ["cer"]', "[[corpus]]", 'name = "test"', 'role = "test"']
    lines += ['source = "data/source.txt"', 'gold = ["data/gold.jsonl"]']
    for path in other.systems:
        name = Path(path).stem
        (task / name).mkdir()
        shutil.copy(path, task / name / f"{name}-1.txt")
        lines += ["[[team]]", f'name = "{name}"', f'submissions = "{name}"']
    (task / "task.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return task / "task.toml"


def runs(other: Installed, task: Path, what: str) -> list[float]:
    found = json.loads(other.run("task", "run", str(task), "--format", "json"))
    return [run["gold"][0][what] for corpus in found["corpora"] for run in corpus["runs"]]


@pytest.mark.slow
def test_task(other: Installed, task: Path) -> None:
    (row, *_) = other.json("score", *other.systems)["rows"]
    assert row["cer"] in runs(other, task, "cer")


TYPED = """
from typing import TYPE_CHECKING
from errorbar_cer_rule import WORTH
if TYPE_CHECKING:
    from errorbar.core.corpus import Corpus


@dataclass(frozen=True)
class Kept(Sums):
    worth: np.int64 = np.int64(1)


class Weighted(CharacterRate):
    def measure(self, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> Kept:
        made = super().measure(reference, output, by_type=by_type)
        return Kept(WORTH * made.counts, made.present, made.annotators, made.n_overlaps, np.int64(WORTH))
"""


@pytest.mark.slow
def test_a_task_measures_with_a_changed_package_again(tmp_path: Path, other: Installed, task: Path) -> None:
    """Another module than the metric's own may change, types be there for checkers only, and fields be of numpy."""
    own = Installed(tmp_path, Path(other.gold), [Path(path) for path in other.systems])
    module = tmp_path / "site" / f"{NAME}.py"
    text = module.read_text(encoding="utf-8").replace("import ReferenceTexts\n", "import ReferenceTexts, Sums\n")
    module.write_text(text + TYPED, encoding="utf-8")
    entry = ENTRY.replace("CharacterRate", "Weighted")
    (tmp_path / "site" / f"{NAME}-1.0.dist-info" / "entry_points.txt").write_text(entry, encoding="utf-8")
    found = []
    for worth in (1, 2):
        (tmp_path / "site" / "errorbar_cer_rule.py").write_text(f"WORTH = {worth}\n", encoding="utf-8")
        found.append(runs(own, task, "edits"))
    assert found[1] == [2 * edits for edits in found[0]]


@pytest.mark.slow
def test_meta(other: Installed) -> None:
    """A metric of which lower is better agrees with humans who rank by it."""
    scores = other.json("score", *other.systems, "--no-ci")
    (other.folder / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    human = [f"{row['system']},{1 - row['cer']}" for row in scores["rows"]]
    (other.folder / "human.csv").write_text("\n".join(["system,score", *human]) + "\n", encoding="utf-8")
    found = json.loads(other.run("meta", "human.csv", "scores.json", "--format", "json"))
    (metric,) = found["metrics"]
    assert metric["metric"] == "cer"
    assert {correlation["kind"]: correlation["value"] for correlation in metric["correlations"]}[
        "spearman"
    ] == pytest.approx(1.0)
