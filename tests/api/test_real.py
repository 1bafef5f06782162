"""The twelve systems of CoNLL-2014 and ten annotators: the commands' numbers, and every edit the metric counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import M2, Problems, Resampling
from errorbar.api import CorpusStudy, Scores, study_corpus
from errorbar.formats import NamedFile, add_documents, read_named
from tests.api.examples import assert_printed, document, hypothesis, loaded
from tests.helpers.cli import CommandLine

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
RESAMPLES = 50  # numbers are compared, not looked at


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def arguments(data: Path) -> list[str]:
    golds = [str(data / f"bn2015_10gec/A{k}.m2") for k in range(1, 11)]
    systems = [str(data / "conll14_systems/official_submissions" / name) for name in SYSTEMS]
    options = ["--documents", str(data / "conll14/noalt/official-2014.0.sgml"), "--lenient"]
    return [*(part for gold in golds for part in ("--gold", gold)), *systems, *options]


@pytest.fixture(scope="module")
def study(data: Path) -> CorpusStudy:
    problems = Problems(lenient=True)
    files = [NamedFile.parse(str(data / f"bn2015_10gec/A{k}.m2")) for k in range(1, 11)]
    corpus = read_named(files, problems)
    add_documents(corpus, str(data / "conll14/noalt/official-2014.0.sgml"), problems)
    systems = [hypothesis(data / "conll14_systems/official_submissions" / name) for name in SYSTEMS]
    resampling = Resampling(replicates=RESAMPLES)
    return study_corpus(loaded(corpus, systems, problems), [M2()], resampling=resampling)


def test_size(study: CorpusStudy) -> None:
    assert (study.n_sentences, study.n_documents, len(study.annotators)) == (1312, 50, 10)
    assert study.ceiling is not None
    assert sum(study.ceiling.found.n_subsets) == 2**9 - 1


def test_scores(study: CorpusStudy, arguments: list[str], errorbar: CommandLine) -> None:
    assert_printed(Scores(study.scores), document(errorbar, "score", *arguments, "--ci", "--resamples", RESAMPLES))


def test_comparison(study: CorpusStudy, arguments: list[str], errorbar: CommandLine) -> None:
    assert study.comparison is not None
    assert_printed(study.comparison, document(errorbar, "compare", *arguments, "--resamples", RESAMPLES))


def test_ceiling(study: CorpusStudy, arguments: list[str], errorbar: CommandLine) -> None:
    assert study.ceiling is not None
    assert_printed(study.ceiling, document(errorbar, "ceiling", *arguments))


def test_agreement(study: CorpusStudy, arguments: list[str], errorbar: CommandLine) -> None:
    golds = [word for word in arguments if word.endswith(".m2")]
    rest = [*arguments[arguments.index("--documents") :], "--resamples", str(RESAMPLES)]
    assert study.agreement is not None
    assert_printed(study.agreement, document(errorbar, "agree", *golds, *rest))


def test_every_counted_edit_is_shown(study: CorpusStudy) -> None:
    assert study.browse is not None
    assert len(study.browse.units) == 1312
    for k, score in enumerate(study.scores):
        for unit, row in zip(study.browse.units, score.by_unit, strict=True):
            assert unit.counts[k] == tuple(row.counts.values())
            assert unit.chosen[k] >= 0
            assert study.annotators[unit.chosen[k]] == row.annotator
            edits = unit.systems[k]
            assert (sum(bool(edit.matched) for edit in edits), len(edits)) == tuple(row.counts.values())[:2]


def test_matched_edits_are_edits_of_the_chosen_annotator(study: CorpusStudy) -> None:
    assert study.browse is not None
    for unit in study.browse.units:
        for edits, chosen in zip(unit.systems, unit.chosen, strict=True):
            theirs = unit.annotators[chosen] or ()
            # Where the meaning is unclear no correction is shown, but the metric takes it for a deletion.
            known = {(edit.start, edit.end, text) for edit in theirs for text in edit.replacements or ("",)}
            assert {(e.start, e.end, e.replacements[0]) for e in edits if e.matched} <= known


def test_annotators_differ(study: CorpusStudy) -> None:
    assert study.browse is not None
    values = [unit.disagreement for unit in study.browse.units]
    assert all(value is not None and 0 <= value <= 1 for value in values)
    assert len(set(values)) > 100
