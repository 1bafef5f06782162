"""Reports to look at, made by hand, so that what is tested is the page and not what is computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

from errorbar import M2, Edit, Hypothesis, Resampling, Sentence
from errorbar.api import Browse, BrowseEdit, BrowseUnit, JudgmentOptions, load, study_corpus, with_detectors
from errorbar.demo import demo_files
from errorbar.edits import PREPOSITIONS, extract_edits
from errorbar.formats import read_corpus
from errorbar.reporting import Block, Chart, Code, Prose, Report, Section, SentenceBrowser, build_report
from errorbar.tables import Column, Table


def demo_browse() -> Browse:
    """The demo corpus and its systems; a system's edit matches where some annotator has it."""
    with demo_files() as (gold, files):
        corpus = read_corpus([gold])
        systems = [Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files]
    return corpus_browse(corpus.sentences, corpus.annotators, systems)


def whole_report() -> Report:
    """Everything that is computed of the demo corpus, with fewer resamples than usual."""
    with demo_files() as (gold, files):
        corpus = read_corpus([gold])
        systems = [Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files]
    how = Resampling(replicates=500)
    study = study_corpus(load(corpus, systems), [M2()], resampling=how)
    with TemporaryDirectory() as folder:
        table = Path(folder) / "guess.csv"
        table.write_text(guesses(corpus.sentences), encoding="utf-8")
        study = with_detectors(study, corpus, [table], JudgmentOptions(items="words"), how, texts=True)
    return build_report([study], title="Four systems on the demo corpus", command="errorbar demo --report")


def guesses(sentences: Sequence[Sentence]) -> str:
    """A detector's table: of every preposition a score that has to do with nothing."""
    rows = ["item,flag,score,word,suggestion"]
    for number, sentence in enumerate(sentences, 1):
        for at, token in enumerate(sentence.tokens):
            if token.casefold() in PREPOSITIONS:
                score = crc32(f"{number} {at}".encode()) % 1000 / 100
                rows.append(f"{number}:{at}-{at + 1},{int(score > 6)},{score},{token},{'in' if at % 2 else 'on'}")
    return "\n".join(rows) + "\n"


def corpus_browse(sentences: Sequence[Sentence], annotators: Sequence[str], systems: Sequence[Hypothesis]) -> Browse:
    """Sentences with what annotators say and systems propose."""
    units = []
    for number, sentence in enumerate(sentences):
        starts, ends = _places(sentence.text)
        gold = {(e.start, e.end, r) for edits in sentence.annotations.values() for e in edits for r in e.replacements}
        proposed = [extract_edits(sentence.tokens, system.lines[number].split()) for system in systems]
        hits = [[any((e.start, e.end, r) in gold for r in e.replacements) for e in edits] for edits in proposed]
        n_gold = [len(sentence.annotations[name]) for name in annotators if name in sentence.annotations]
        units.append(
            BrowseUnit(
                str(number + 1),
                sentence.text,
                sentence.document,
                tuple(
                    tuple(_shown(e, starts, ends) for e in sentence.annotations[name])
                    if name in sentence.annotations
                    else None
                    for name in annotators
                ),
                tuple(
                    tuple(_shown(e, starts, ends, hit) for e, hit in zip(edits, hit_list, strict=True))
                    for edits, hit_list in zip(proposed, hits, strict=True)
                ),
                tuple((sum(h), len(h), max(n_gold, default=0)) for h in hits),
                tuple(0 for _ in systems),
                (max(n_gold) - min(n_gold)) / max(1, *n_gold) if len(n_gold) > 1 else None,
            )
        )
    return Browse(tuple(annotators), tuple(system.name for system in systems), units)


def far_apart(unit: BrowseUnit) -> float:
    """F1 of the best system less that of the worst one, then how much the best one gets right."""
    scores = [(2 * correct / (n + gold) if n + gold else 1.0, correct) for correct, n, gold in unit.counts]
    (best, right), (worst, _) = max(scores), min(scores)
    return best - worst + right / 1e6


def _places(text: str) -> tuple[list[int], list[int]]:
    starts, ends, at = [], [], 0
    for token in text.split():
        starts.append(text.index(token, at))
        at = starts[-1] + len(token)
        ends.append(at)
    return [*starts, len(text)], ends


def _shown(edit: Edit, starts: list[int], ends: list[int], matched: bool | None = None) -> BrowseEdit:
    start = starts[edit.start]
    end = start if edit.is_insertion else ends[edit.end - 1]
    return BrowseEdit(start, end, edit.replacements, edit.type, edit.optional, matched)


NAMES = ("careful", "greedy", "articles", "copy")
VALUES = ((0.9565, 0.3056, 0.6701), (0.6426, 0.8251, 0.6722), (0.6316, 0.2517, 0.4846), (1.0, 0.0, 0.0))


def leaderboard() -> Table:
    """Four systems with three numbers each, one of them undefined."""
    rows = [(name, *values[:2], values[2] or None) for name, values in zip(NAMES, VALUES, strict=True)]
    columns = [Column("System"), *(Column(name, "percent") for name in ("P %", "R %", "F %"))]
    return Table(columns, rows, "Systems by F", "leaderboard", ["F weighs P twice."])


def bars(name: str = "bars") -> Chart:
    """F of four systems with made-up intervals."""
    values = [
        {"system": n, "f": v[2], "low": max(0, v[2] - 0.08), "high": v[2] + 0.08}
        for n, v in zip(NAMES, VALUES, strict=True)
    ]
    y = {"field": "system", "type": "nominal", "sort": None, "title": None}
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": values},
        "height": 110,
        "encoding": {"y": y},
        "layer": [
            {
                "mark": {"type": "rule", "style": "interval"},
                "encoding": {
                    "x": {"field": "low", "type": "quantitative", "scale": {"domain": [0, 1]}, "title": "F"},
                    "x2": {"field": "high"},
                },
            },
            {
                "mark": {"type": "point", "style": "estimate", "filled": True, "size": 60},
                "encoding": {"x": {"field": "f", "type": "quantitative"}},
            },
        ],
    }
    return Chart(name, "F with intervals", "greedy and careful are ahead.", spec, _renamed(name))


def plane(name: str = "plane") -> Chart:
    """Precision against recall, with an expression that only an interpreter may run here."""
    values = [{"system": n, "p": v[0], "r": v[1]} for n, v in zip(NAMES, VALUES, strict=True)]
    scale = {"domain": [0, 1]}
    spec = {
        "data": {"values": values},
        "height": 260,
        "transform": [{"calculate": "round(1000 * datum.p) / 10", "as": "percent"}],
        "mark": {"type": "point", "style": "estimate", "filled": True, "size": 70},
        "encoding": {
            "x": {"field": "r", "type": "quantitative", "scale": scale, "title": "R"},
            "y": {"field": "p", "type": "quantitative", "scale": scale, "title": "P"},
            "tooltip": [{"field": "system", "type": "nominal"}, {"field": "percent", "type": "quantitative"}],
        },
    }
    return Chart(name, "Precision and recall", "careful proposes little.", spec, _renamed(name), "half")


def _renamed(name: str) -> Table:
    return replace(leaderboard(), name=f"{name}-numbers")


def report_of(browse: Browse, *blocks: Block, title: str = "The demo corpus") -> Report:
    """A report with some of everything."""
    return Report(
        title,
        ["greedy and careful cannot be told apart.", "greedy finds most."],
        [
            Section(
                "leaderboard-section",
                "Leaderboard",
                [Prose(["Four systems."]), leaderboard(), bars(), plane(), *blocks],
            ),
            Section("sentences", "Sentences", [SentenceBrowser(browse)]),
            Section("methods", "Methods", [Code("errorbar demo --report", "The command"), Code("m2(beta=0.5)")]),
        ],
        [("Sentences", str(len(browse.units))), ("Systems", str(len(browse.systems)))],
        "0.1",
    )


def write(report: Report, folder: Path) -> str:
    """Write the page and give its address."""
    from errorbar.reporting import save_report

    path = folder / "report.html"
    save_report(report, str(path))
    return path.as_uri()
