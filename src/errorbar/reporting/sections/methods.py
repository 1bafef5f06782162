"""The last section: data, intervals, warnings, citations, the command and signatures; and the parts left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, HooStudy, Study
from errorbar.api.paper import editors_line
from errorbar.core.estimate import MOST_UNASKED
from errorbar.core.problems import KINDS, Place, Problem
from errorbar.core.spec import split_spec
from errorbar.metrics.base import lacking
from errorbar.metrics.scores import Score
from errorbar.reporting.blocks import WARNINGS, Block, Code, Fold, Prose, Section
from errorbar.reporting.sections.figures import comparable_scores, count_noun
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__

TOGETHER = (
    "Every number rests on what its signature names: two rows may be ranked together only if their signatures agree in "
    "all but the hypothesis (hyp). What the signatures share stands here once, and of each what is its own."
)
HYPOTHESIS, VERSION = "hyp:", "v:"
MEANING = {
    "src": "content of the source texts",
    "ref": "content of the reference",
    "n": "sentences, fragments or items",
    "ann": "annotators or raters",
    "ci": "intervals: method, level, resamples, what is drawn, seed",
    "v": "version of errorbar",
}
"""The meaning of the parts of a signature."""


class SignedValue(NamedTuple):
    """Something that was computed, of one system (empty: of all), and its signature."""

    what: str
    system: str
    signature: str

    @property
    def title(self) -> str:
        """Its name in the table of whole signatures."""
        name, comma, more = self.what.partition(", ")
        return f"{name}: {self.system}{comma}{more}" if self.system else self.what


def signature_blocks(studies: Sequence[Study]) -> list[Block]:
    """The shared parts of the signatures, the parts that differ, and, folded, every signature whole."""
    signed = [(study.name, _sign_study(study)) for study in studies]
    every = [(name, item) for name, those in signed for item in those]
    rows: list[list[Cell]] = [[name, item.title, item.signature] for name, item in every]
    columns = [Column("data"), Column("what"), Column("signature")]
    whole = Table(columns, rows, "What was computed on which data how", "signatures")
    if len(every) < 2:
        return [Prose([TOGETHER.split(". What", maxsplit=1)[0] + "."]), whole]
    blocks: list[Block] = [Prose([TOGETHER])]
    for name, those in signed:
        blocks += _signature_lists(name, those)
    return [*blocks, Fold(f"All {count_noun(len(every), 'signature')}, whole, to copy", whole)]


def _sign_study(study: Study) -> list[SignedValue]:
    every = dict(study.signatures)
    signed = []
    if isinstance(study, CorpusStudy | HooStudy):
        signed = [SignedValue("score", score.system, every.pop(f"score: {score.system}")) for score in study.scores]
    if isinstance(study, CrowdStudy):
        rows = [(row.system, row.score.estimand) for row in study.scores.rows]
        signed = [
            SignedValue(f"crowd score, {how}", name, every.pop(f"crowd score: {name}, {how}")) for name, how in rows
        ]
    signed += [SignedValue(title, "", signature) for title, signature in every.items()]
    if isinstance(study, CorpusStudy):  # the scores beside the main ones too
        others = [score for scores in study.others.values() for score in scores]
        signed += [SignedValue(f"score, {score.metric}", score.system, str(score.signature)) for score in others]
    return signed


def _signature_lists(name: str, signed: Sequence[SignedValue]) -> list[Block]:
    """The parts that most signatures of a study share, then the other parts of each computation."""
    parts = [item.signature.split("|") for item in signed]
    on_data = [own for own in parts if any(part.startswith("src:") for part in own)] or parts
    common = [part for part in on_data[0] if all(part in own for own in on_data) and not part.startswith(HYPOTHESIS)]
    rows = [[*_split_part(part)] for part in common]
    columns = [Column("part"), Column("value"), Column("what it is")]
    others = [item.title for item, item_parts in zip(signed, parts, strict=True) if item_parts not in on_data]
    notes = [f"{', '.join(others)}: other data, named below"] if others else []
    shared = Table(columns, rows, f"What signatures share: {name}", "signature-parts", notes)
    version = [part for part in common if part.startswith(VERSION)]
    own: dict[tuple[str, str], list[str]] = {}
    hypotheses: dict[tuple[str, str], None] = {}
    for item, item_parts in zip(signed, parts, strict=True):
        left = [part for part in item_parts if part not in (common if item_parts in on_data else version)]
        if item.system:
            hypotheses |= dict.fromkeys((item.system, part) for part in left if part.startswith(HYPOTHESIS))
            left = [part for part in left if not part.startswith(HYPOTHESIS)]
        own.setdefault((item.what, "|".join(left)), []).append(item.system)
    own_rows: list[list[Cell]] = [
        [f"{title}, {count_noun(len(names), 'system')}" if names[0] else title, remainder or "nothing else"]
        for (title, remainder), names in own.items()
    ]
    blocks: list[Block] = [shared] if rows else []
    columns = [Column("what"), Column("parts of its own")]
    blocks.append(Table(columns, own_rows, f"What each has of its own: {name}", "signature-own"))
    if hypotheses:
        columns = [Column("system"), Column("hyp")]
        each_system = [(system, part.removeprefix(HYPOTHESIS)) for system, part in hypotheses]
        blocks.append(Table(columns, each_system, f"Content of each system's output: {name}", "signature-systems"))
    return blocks


def _split_part(part: str) -> tuple[str, str, str | None]:
    key, colon, value = part.partition(":")
    if not colon or "(" in key:
        return "metric", part, "what was computed, with its parameters"
    return key, value, MEANING.get(key)


MOST_ALIKE = 20  # warnings of one kind that are listed; further ones are counted
ADJUSTED_IN = {"max-t": "Westfall and Young 1993, Romano and Wolf 2005", "holm": "Holm 1979"}
PAPERS = {  # by metric
    "m2": "MaxMatch: Dahlmeier and Ng 2012; the shared task that made F0.5 its measure: Ng et al. 2014.",
    "errant": "ERRANT: Bryant, Felice and Briscoe 2017, Automatic Annotation and Evaluation of Error Types for "
    "Grammatical Error Correction, ACL.",
    "gleu": "GLEU: Napoles, Sakaguchi, Post and Tetreault 2015, Ground Truth for Grammatical Error Correction Metrics, "
    "ACL; and 2016, GLEU Without Tuning, arXiv:1605.02592.",
    "behavior": "Correction behavior: Ye et al. 2025, CLEME2.0: Towards Interpretable Evaluation by Disentangling "
    "Edits for Grammatical Error Correction, ACL; arXiv:2407.00934.",
}
OWN = (
    "The errorbar developers. errorbar: measuring grammatical error detection and correction against many human "
    f"judges. Version {__version__}. Apache-2.0."
)


def methods(studies: Sequence[Study], command: str) -> Section:
    """The last section of every report; ``command`` makes it again, empty where a program made it."""
    blocks: list[Block] = [
        Prose([line for study in studies for line in (*_method_lines(study), *_detector_lines(study))]),
        Prose(["The data keep their own terms: a report that holds sentences is passed on as those allow."]),
        _warnings(studies),
        Code(_citations(studies), "How to cite"),
        *([Code(command, "This page is made by")] if command else []),
        *signature_blocks(studies),
    ]
    return Section("methods", "Methods", blocks)


def _method_lines(study: Study) -> list[str]:
    if isinstance(study, CorpusStudy):
        return _corpus_lines(study)
    if isinstance(study, HooStudy):
        return [
            f"{study.name}: {100 * study.confidence_level:g}% intervals from resampled fragments; method, number of "
            "resamples and seed stand in the signature. With bonus, missing optional edits count as found."
        ]
    if isinstance(study, CrowdStudy):
        return [
            f"{study.name}: {count_noun(study.n_judgments, 'judgment')} of {count_noun(study.n_items, 'item')} by "
            f"{count_noun(study.n_raters, 'rater')}. {100 * study.confidence_level:g}% intervals for other items (or "
            "essays or sentences, where these are known) and the same raters: Wilson's of sums for P, R and F, "
            "percentiles of resamples for curves, BCa for agreement."
        ]
    return [
        f"{study.name}: intervals of P, R and F from {study.n_judged:,} judged of {study.n_items:,} items, by the "
        "method that stands in the column “by”; Bayes: the posterior of a Jeffreys prior."
    ]


def _detector_lines(study: Study) -> list[str]:
    if not isinstance(study, CorpusStudy | CrowdStudy) or study.detectors is None:
        return []
    detectors = study.detectors
    who = count_noun(detectors.n_judges, "annotator" if detectors.annotated else "rater")
    return [
        f"{study.name}: {count_noun(len(detectors.detectors), 'detector')}; {count_noun(detectors.n_items, 'item')}, "
        f"judged by {who}. {100 * study.confidence_level:g}% intervals for other {detectors.unit}: Wilson's of "
        "sums for P and R, percentiles of resamples for curves; precision at a recall is that of the largest threshold "
        "that reaches it, found anew in every resample, and nothing is interpolated."
    ]


def _corpus_lines(study: CorpusStudy) -> list[str]:
    known = "" if study.n_documents is None else f" of {count_noun(study.n_documents, 'document')}"
    who = editors_line(study.editors) if study.editors else count_noun(len(study.annotators), "annotator")
    lines = [f"{study.name}: {count_noun(study.n_sentences, 'sentence')}{known}, {who}."]
    intervals = (e.interval for s in study.scores for e in s.estimates.values() if e.interval is not None)
    names = dict.fromkeys(interval.method.split(",")[0] for interval in intervals)
    if names:
        resampled = ", which are formulas and resample nothing"
        if any(name.startswith("bootstrap") for name in names):
            resampled = f", resampled by {study.unit}; the number of resamples and the seed stand in the signature"
        lines.append(f"{100 * study.confidence_level:g}% intervals: {', '.join(names)}{resampled}.")
    return lines if study.comparison is None else [*lines, *study.comparison.found.test.method_lines()]


def _citations(studies: Sequence[Study]) -> str:
    return "\n".join(dict.fromkeys([OWN, *(line for study in studies for line in _papers(study))]))


def _papers(study: Study) -> Iterator[str]:
    if isinstance(study, CorpusStudy):
        specs = [score.metric for score in study.scores[:1]] + list(study.others)
        yield from (PAPERS[name] for spec in specs if (name := split_spec(spec)[0]) in PAPERS)
        yield from _bootstrap(study.scores)
        if study.comparison is not None:
            by = ADJUSTED_IN[study.comparison.found.test.swaps.adjust]
            yield f"Tests: Noreen 1989, {by}, Koehn 2004; group letters: Piepho 2004."
        if study.ceiling is not None:
            yield "Human ceiling and ratio: Bryant and Ng 2015."
    elif isinstance(study, HooStudy):
        yield "Scores: Dale and Kilgarriff 2011 (HOO)."
        yield from _bootstrap(study.scores)
    elif isinstance(study, CrowdStudy):
        yield "Crowd-weighted scores, agreement bins and the kappa curve: Madnani et al. 2011."
    else:
        yield "Sampling: Tetreault and Chodorow 2008; variances: Cochran 1977."
    if isinstance(study, CorpusStudy | CrowdStudy) and study.detectors is not None:
        yield (
            "Detectors: precision and recall by the share of judges: Madnani et al. 2011; the preposition detector and "
            "its scheme: Tetreault and Chodorow 2008."
        )
    if isinstance(study, CorpusStudy | CrowdStudy) and study.agreement is not None:
        yield "Agreement: Cohen 1960, Fleiss 1971, Krippendorff 2004, Gwet 2008; Bennett, Alpert and Goldstein 1954."


def _bootstrap(scores: Sequence[Score]) -> list[str]:
    named = any("bca" in convention for score in scores[:1] for convention in score.signature.conventions)
    return ["Intervals: Efron 1987 (BCa)."] if named else []


def _warnings(studies: Sequence[Study]) -> Prose | Table:
    notes = dict.fromkeys(note for study in studies for note in study.notes)
    if not notes:
        return Prose(["No warning was raised, and nothing was repaired."])
    rows: list[list[Cell]] = []
    counts: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for note in sorted(notes, key=lambda note: KINDS.index(note.kind)):
        key = note.kind, note.code
        counts[key] += note.others or 1
        seen[key] += 1
        if seen[key] <= MOST_ALIKE:
            rows.append([note.kind, note.code, str(note.place), "; ".join(filter(None, (note.what, note.fix)))])
    others = ["errorbar explain CODE says what one means, and what to do"]
    others += [f"and {n - MOST_ALIKE:,} more {kind}s {code}" for (kind, code), n in counts.items() if n > MOST_ALIKE]
    columns = [Column("kind"), Column("code"), Column("where"), Column("what")]
    numbers = [(sum(n for (own, _), n in counts.items() if own == kind), kind) for kind in KINDS]
    how_many = ", ".join(count_noun(n, kind) for n, kind in numbers if n)
    return Table(columns, rows, f"Warnings and repairs: {how_many}", WARNINGS, others)


def list_missing(studies: Sequence[Study]) -> list[Problem]:
    """A warning for each section that the data does not allow."""
    lines = ((line, Place(study.name)) for study in studies for line in _missing_sections(study))
    return [Problem("report-no-section", line, place, severity="warning") for line, place in lines]


def _missing_sections(study: Study) -> Iterator[str]:
    if isinstance(study, CorpusStudy):
        yield from _missing_of_corpus(study)
    elif isinstance(study, HooStudy):
        if not study.scores:
            yield "no section of runs: no run was given"
    elif isinstance(study, CrowdStudy):
        if not study.scores.rows:
            yield "no scores against the crowd: no flags of a system were given"
        if not study.agreement:
            yield "no section on agreement: it takes two raters"
    elif not study.budget:
        yield "nothing on what more judgments would buy: no error was seen in the sample"


def _missing_of_corpus(study: CorpusStudy) -> Iterator[str]:
    if not study.scores:
        yield "no leaderboard: no system was given"
    elif study.comparison is None:
        takes = "two systems" if len(study.scores) == 1 else "two essays or sentences, and resampling"
        yield f"no comparison in the leaderboard: it takes {takes}"
    metric = study.metric
    if study.scores and not {"precision", "recall", "f"} <= {measure.name for measure in metric.measures}:
        yield f"no section on precision and recall: {metric.name} gives neither"
    if study.scores and "types" in metric.lacks:
        yield f"no section on error types: {lacking(metric, 'types').problems[0].what}"
    elif study.scores and not any(score.by_type for score in study.scores):
        yield "no section on error types: no edit of the reference has one"
    if study.scores and study.n_sentences > MOST_UNASKED:
        yield f"no section on attacks: of more than {MOST_UNASKED:,} sentences errorbar attack makes them"
    if study.editors:
        yield "no sections on the human ceiling, agreement, attacks and sentences: references were made for each system"
        return
    if study.ceiling is None:
        why = "it takes two annotators" if len(study.annotators) < 2 else "the metric names one annotator"
        if "annotators" in metric.lacks:
            why = lacking(metric, "annotators").problems[0].what
        yield f"no section on the human ceiling: {why}"
    if study.agreement is None:
        yield "no section on agreement: it takes two annotators of the same sentences"
    if study.scores and not comparable_scores(study):
        title = metric.measures[metric.main].title
        takes = f"it takes two annotators, or a second --metric with {title}"
        if not metric.variants():
            takes = f"{metric.spec} does not choose between annotators, and no second --metric has {title}"
        yield f"no section on what the choices change: {takes}"
