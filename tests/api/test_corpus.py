"""A study of the demo corpus holds what the commands print; what there is no data for is left out."""

from __future__ import annotations

import pytest

from errorbar import M2, Corpus, Hypothesis, Resampling
from errorbar.api import CorpusStudy, Scores, study_corpus
from errorbar.core import InputError, UsageError
from errorbar.formats import read_corpus
from errorbar.stats import Method
from tests.api.examples import GOLD, SYSTEMS, assert_printed, demo_study, document, hypothesis, loaded
from tests.helpers.build import corpus as build_corpus
from tests.helpers.build import edit, sentence
from tests.helpers.cli import CommandLine


@pytest.fixture(scope="module")
def study() -> CorpusStudy:
    return demo_study(ceiling_resamples=20)


class TestSameAsTheCommands:
    def test_score(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        assert_printed(Scores(study.scores), document(errorbar, "score", "--gold", GOLD, *SYSTEMS, "--ci"))

    def test_types(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        printed = document(errorbar, "score", "--gold", GOLD, *SYSTEMS, "--by", "type")
        assert_printed(Scores(study.scores, by_type=True), printed)

    def test_sentences(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        printed = document(errorbar, "score", "--gold", GOLD, *SYSTEMS, "--by", "sentence", "--ci")
        assert_printed(Scores(study.scores, by_sentence=True), printed)

    def test_compare(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        assert study.comparison is not None
        assert_printed(study.comparison, document(errorbar, "compare", "--gold", GOLD, *SYSTEMS))

    def test_ceiling(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        printed = document(errorbar, "ceiling", "--gold", GOLD, *SYSTEMS, "--ci", "--resamples", "20")
        assert study.ceiling is not None
        assert_printed(study.ceiling, printed)

    def test_agree(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        assert study.agreement is not None
        assert_printed(study.agreement, document(errorbar, "agree", GOLD))

    def test_the_other_rule_of_choice(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        spec = "m2(choose=sentence)"
        printed = document(errorbar, "score", "--gold", GOLD, *SYSTEMS, "--metric", spec, "--no-ci")
        assert list(study.others) == [spec]
        assert [(score.system, score.f.value, str(score.signature)) for score in study.others[spec]] == [
            (row["system"], row["f"], row["signature"]) for row in printed["rows"]
        ]
        assert all(score.f.interval is None for score in study.others[spec])

    def test_groups(self, study: CorpusStudy, errorbar: CommandLine) -> None:
        done = errorbar("compare", "--gold", GOLD, *SYSTEMS, "--format", "csv")
        printed = {line.split(",")[1]: line.split(",")[-1] for line in done.out.splitlines()[1:]}
        assert dict(zip((score.system for score in study.scores), study.groups, strict=True)) == printed


def test_a_metric_with_other_parameters(errorbar: CommandLine) -> None:
    metric = M2(beta=1.0, choose="sentence")
    study = demo_study(metric=metric, resampling=Resampling("percentile", 100, 0.9, 7))
    options = ["--ci-method", "percentile", "--resamples", 100, "--confidence", 0.9, "--seed", 7]
    of_metric = ("--gold", GOLD, *SYSTEMS, "--metric", str(metric.spec), *options)
    assert_printed(Scores(study.scores), document(errorbar, "score", *of_metric, "--ci"))
    assert study.comparison is not None
    assert_printed(study.comparison, document(errorbar, "compare", *of_metric))
    assert list(study.others) == ["m2(beta=1)"]
    assert study.confidence_level == 0.9


def test_jobs_change_no_digit(study: CorpusStudy) -> None:
    two = demo_study(ceiling_resamples=20, jobs=2)
    assert two.scores == study.scores
    for name in ("signatures", "notes", "groups", "browse"):
        assert getattr(two, name) == getattr(study, name)
    for name in ("comparison", "ceiling", "agreement"):
        assert getattr(two, name).to_dict() == getattr(study, name).to_dict()


def test_every_text_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[tuple[str, ...]] = []
    measure = M2.measure

    def counted(self: M2, corpus: Corpus, lines: list[str], *, by_type: bool = False) -> object:
        texts.append(tuple(lines))
        return measure(self, corpus, lines, by_type=by_type)

    monkeypatch.setattr(M2, "measure", counted)
    demo_study(resampling=Resampling(replicates=10))
    assert len(texts) == len(set(texts)) == len(SYSTEMS) + 3  # three annotators' texts


def small(n_annotators: int = 2, n: int = 4) -> Corpus:
    names = [f"A{k}" for k in range(n_annotators)]
    return build_corpus(*(sentence("a b c .", {name: [edit(0, 1, "X")] for name in names}) for _ in range(n)))


def study_of(
    corpus: Corpus, *systems: Hypothesis, metric: M2 | None = None, method: Method = "bca", jobs: int = 1
) -> CorpusStudy:
    resampling = Resampling(method, replicates=20, jobs=jobs)
    return study_corpus(loaded(corpus, systems), [metric or M2()], resampling=resampling)


ONE, OTHER = Hypothesis("one", ["X b c ."] * 4), Hypothesis("other", ["a b c ."] * 3 + ["X b c ."])


class TestWhatThereIsNoDataFor:
    def test_one_system_is_not_compared(self) -> None:
        study = study_of(small(), ONE)
        assert study.comparison is None
        assert list(study.groups) == [""]
        assert "compare" not in study.signatures

    def test_one_annotator_has_no_ceiling_and_no_agreement(self) -> None:
        study = study_of(small(1), ONE, OTHER)
        assert (study.ceiling, study.agreement) == (None, None)
        assert not study.others
        assert study.comparison is not None

    def test_a_named_annotator_has_no_ceiling(self) -> None:
        study = study_of(small(), ONE, OTHER, metric=M2(choose="A1"))
        assert study.ceiling is None
        assert study.agreement is not None
        assert study.browse is not None
        assert study.browse.units[0].chosen == (1, 1)

    def test_one_sentence_is_not_compared(self) -> None:
        corpus = small(n=1)
        study = study_of(corpus, Hypothesis("one", ONE.lines[:1]), Hypothesis("other", OTHER.lines[:1]))
        assert study.comparison is None
        assert study.scores[0].f.no_interval is not None

    def test_the_closed_method_compares_nothing(self) -> None:
        study = study_of(small(), ONE, OTHER, method="closed")
        assert study.comparison is None
        assert study.scores[0].precision.interval is not None

    def test_no_system(self) -> None:
        study = study_of(small())
        assert (list(study.scores), study.comparison) == ([], None)
        assert study.ceiling is not None
        assert study.ceiling.found.systems == ()

    def test_empty_sentences_have_no_agreement(self) -> None:
        corpus = build_corpus(*(sentence("", {"A": [], "B": []}) for _ in range(2)))
        study = study_of(corpus, Hypothesis("one", ["", ""]))
        assert study.agreement is None

    def test_no_sentence(self) -> None:
        study = study_of(Corpus([], ("A", "B")), Hypothesis("one", []))
        assert study.scores[0].f.value is None
        assert study.browse is not None
        assert study.browse.units == []


def test_documents_are_counted() -> None:
    corpus = small()
    assert study_of(corpus, ONE).n_documents is None
    for k, each in enumerate(corpus.sentences):
        each.document = f"essay {k // 2}"
    study = study_of(corpus, ONE)
    assert (study.unit, study.n_documents) == ("document", 2)


def test_conventions_join_every_signature_of_a_metric() -> None:
    corpus = read_corpus([GOLD])
    data = loaded(corpus, [hypothesis(path) for path in SYSTEMS], conventions=("unmarked:everybody",))
    study = study_corpus(data, [M2()], resampling=Resampling(replicates=10), browse=False)
    said = [*study.signatures.values(), *(str(s.signature) for s in study.others["m2(choose=sentence)"])]
    assert [text for text in said if "|unmarked:everybody|" not in text] == [study.signatures["agree"]]
    assert study.browse is None


def test_notes_are_said_once() -> None:
    corpus = small()
    for each in corpus.sentences:
        each.document = "essay"
    corpus.sentences[0].document = "other"
    study = study_of(corpus, ONE, OTHER)
    codes = [note.code for note in study.notes]
    assert codes.count("few-documents") == 1
    assert "two-judges" in codes
    assert len(study.notes) == len(set(study.notes))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_system_of_another_length_is_refused(jobs: int) -> None:
    with pytest.raises(InputError, match="line-count"):
        study_of(small(), Hypothesis("one", ["a"]), OTHER, jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_unknown_annotator_is_refused(jobs: int) -> None:
    with pytest.raises(UsageError, match="unknown-annotator"):
        study_of(small(), ONE, metric=M2(choose="Z"), jobs=jobs)
