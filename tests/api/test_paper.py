"""Text for a paper: sentences, captions and words on the judges, in every case that scores and comparisons know.

Expected numbers are those of the result itself, rounded here by hand; expected words are those of docs/paper.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar as api
from errorbar.api import ComparisonResult, Scores
from errorbar.core import Estimate, Interval, Undefined
from errorbar.metrics import Pair
from tests.helpers.cli import CommandLine
from tests.helpers.pairs import with_swaps
from tests.thirdparty.character_rate import CharacterRate

DEMO = Path(api.__file__).parent / "demo"
GOLD = DEMO / "gold.jsonl"
SYSTEMS = {name: str(DEMO / f"{name}.txt") for name in ("careful", "greedy", "articles", "copy")}
TWO = {name: SYSTEMS[name] for name in ("careful", "greedy")}
LEANING = "intervals lean on how the ten annotators of CoNLL-2014's essays (Bryant & Ng 2015) vary"
WHO = "[who they are, and what guidelines they followed]"


def made_score(
    value: float | None = 0.5, interval: Interval | Undefined | None = None, undefined: Undefined | None = None
) -> api.Score:
    """A score of a system ``one`` on two sentences, with the F0.5 that is given."""
    gold = [api.Sentence("a b", {"A": (api.Edit(0, 1, ("X",), "Det"),)}), api.Sentence("c d", {"A": ()})]
    score = api.score(api.Corpus(gold, ("A",)), {"one": ["X b", "c d"]}, ci=False)[0]
    estimate = Estimate(value, 2, undefined=undefined)
    if interval is not None:
        estimate = estimate.with_interval(interval)
    return replace(score, estimates={**score.estimates, "f": estimate})


def sentence(*scores: api.Score) -> str:
    (text,) = Scores(scores).for_paper().sentences
    return text


def text_of_pair(compared: ComparisonResult, **changes: Any) -> str:  # noqa: ANN401 - fields of pairs and swaps
    """The sentence of a comparison of two whose pair has other values."""
    of_swaps = {name: changes.pop(name) for name in ("p", "at_floor", "smallest_p") if name in changes}
    pair: Pair = replace(with_swaps(compared.pairs[0], **of_swaps), **changes)
    values = np.array([compared.found.values[1] + pair.difference, compared.found.values[1]])
    (text,) = replace(compared, found=replace(compared.found, pairs=(pair,), values=values)).for_paper().sentences
    return text


@pytest.fixture(scope="module")
def scored() -> Scores:
    return api.score(GOLD, TWO, resamples=200)


@pytest.fixture(scope="module")
def fixed() -> ComparisonResult:
    return api.compare(GOLD, TWO, judges="fixed", swaps=100, resamples=200)


class TestScores:
    def test_the_best_of_two_over_texts_and_judges(self, scored: Scores) -> None:
        over = scored["greedy"].judges
        assert over is not None
        ends = over.measures["f"].estimate.interval
        assert ends is not None
        text = scored.for_paper()
        assert text.sentences == (
            f"Of 2 systems, greedy has the higher F0.5, 67.2 (MaxMatch; 95% interval over texts and judges "
            f"{100 * ends.low:.1f} to {100 * ends.high:.1f}; 63 sentences in 6 documents, 3 annotators).",
        )
        (caption,) = text.captions
        assert caption.startswith(
            "P, R and F0.5 in percent (MaxMatch) of 2 systems against 3 annotators on 63 sentences in 6 documents. "
            "The 95% intervals are over texts; those headed texts+judges are over texts and judges. Made with errorbar "
            f"{api.__version__}; signature m2|"
        )
        assert caption.endswith(str(scored["greedy"].signature).partition("|hyp:")[2].partition("|")[2])
        assert text.judges == (
            f"The references are by 3 annotators {WHO}. Intervals and tests over texts and judges hold for other "
            f"annotators of this kind, too. So few annotators show only roughly how annotators vary: {LEANING}."
        )
        assert str(text) == f"sentence: {text.sentences[0]}\ncaption: {caption}\njudges: {text.judges}"

    def test_these_judges(self) -> None:
        text = api.score(GOLD, SYSTEMS["greedy"], judges="fixed", resamples=200).for_paper()
        assert text.sentences[0].startswith("The F0.5 of greedy is 67.2 (MaxMatch; 95% interval over texts 6")
        assert ". The 95% intervals are over texts. Made with " in text.captions[0]
        assert text.judges.endswith("All numbers are for these annotators; they say nothing of others.")

    def test_one_annotator(self) -> None:
        text = api.score(GOLD, TWO, "m2(choose=1)", ci=False).for_paper()
        assert text.sentences == (
            "Of 2 systems, greedy has the higher F0.5, 58.9 (MaxMatch, m2(choose=1); no interval computed; 63 "
            "sentences, 1 annotator).",
        )
        judges = f"The reference is by 1 annotator {WHO}: nothing is known of how others would have judged."
        assert text.judges == judges

    @pytest.mark.parametrize(
        ("metric", "annotators", "judges"),
        [
            ("m2", ["0"], f"One annotator does not show how annotators vary: {LEANING}."),
            ("m2", ["0", "1"], f" So few annotators show only roughly how annotators vary: {LEANING}."),
            ("m2(beta=0.7)", ["0", "1", "2"], " So few annotators show only roughly how annotators vary."),
        ],
    )
    def test_few_annotators_lean_on_others(self, metric: str, annotators: Sequence[str], judges: str) -> None:
        corpus = api.read_corpus(GOLD).only(annotators)
        assert api.score(corpus, TWO, metric, resamples=200).for_paper().judges.endswith(judges)

    def test_sets_of_judges_rank_by_what_is_against_them(self) -> None:
        text = api.score(GOLD, TWO, judges="random(k=2)", resamples=200).for_paper()
        against = "Of 2 systems, careful has the higher F0.5 against any 2 of 3 annotators, 64.3 (MaxMatch; 95% "
        assert text.sentences[0].startswith(against)
        assert (
            "; the last column is against any 2 of 3 annotators, with intervals over texts and judges."
            in (text.captions[0])
        )

    def test_several_metrics_have_a_sentence_each_and_tables_a_caption(self) -> None:
        systems = SYSTEMS
        text = api.score(GOLD, systems, ["gleu", "m2(beta=1)", "m2", "behavior"], ci=False).for_paper()
        assert [each.partition(" (")[0] for each in text.sentences] == [
            "Of 4 systems, greedy has the highest GLEU, 52.0",
            "Of 4 systems, greedy has the highest F1, 72.7",
            "Of 4 systems, greedy has the highest F0.5, 67.2",
            "Of 4 systems, greedy has the highest score, 70.7",
        ]
        assert [caption.partition(" of 4 systems")[0] for caption in text.captions] == [
            "GLEU in percent",
            "P, R and F in percent (MaxMatch, m2(beta=1) and MaxMatch)",
            "hit, wrong, under, over and score in percent (behavior)",
        ]
        assert ". Of wrong, under and over, lower is better. " in text.captions[2]
        assert text.captions[1].count("; signature m2") == 2

    def test_runs(self) -> None:
        runs = ",".join(SYSTEMS[name] for name in ("careful", "greedy", "articles"))
        for judges, over in (("random", "texts, judges and runs"), ("fixed", "texts and runs")):
            text = api.score(GOLD, [f"tuned={runs}"], judges=judges, resamples=200).for_paper()
            assert f"The F0.5 of tuned is 60.9 (MaxMatch; 95% interval over {over} " in text.sentences[0]
            assert "; mean of 3 runs, standard deviation 10.8; 63 sentences" in text.sentences[0]
            assert f" are over {over}. Made" in text.captions[0]

    def test_lower_is_better(self) -> None:
        text = api.score(GOLD, SYSTEMS, CharacterRate(), ci=False).for_paper()
        assert text.sentences[0].startswith("Of 4 systems, careful has the lowest CER, ")
        assert text.captions[0].startswith("CER in percent (cer) of 4 systems against 3 annotators on 63 sentences. Of")
        assert ". Of CER, lower is better. " in text.captions[0]

    def test_hoo(self) -> None:
        text = api.score(DEMO / "hoo", [DEMO / "hoo/careful", DEMO / "hoo/greedy"], "hoo", ci=False).for_paper()
        assert text.sentences[0].startswith("Of 2 systems, greedy has the higher F (correction, no bonus), 67.1 (HOO; ")
        assert text.captions[0].startswith("P, R and F in percent (HOO) of 2 systems against the gold edits on 8 frag")
        assert text.judges.endswith("who worked as one: how they vary is not known.")

    def test_the_reason_stands_in_the_place_of_the_interval(self) -> None:
        assert "; no interval over texts: a single unit does not show how units vary; 2 sentences" in sentence(
            made_score(interval=Undefined.ONE_UNIT)
        )
        text = api.score(GOLD, SYSTEMS["copy"], resamples=200).for_paper().sentences[0]
        assert text.startswith("The F0.5 of copy is 0.0 (MaxMatch; no interval over texts and judges: leaving out ")

    def test_the_interval_over_texts_stands_beside_that_reason(self, scored: Scores) -> None:
        score = scored["greedy"]
        assert score.judges is not None
        judged = score.judges.measures["f"]
        unknown = judged._replace(estimate=judged.estimate.with_interval(Undefined.TOO_FEW_JUDGES))
        judges = score.judges._replace(measures={**score.judges.measures, "f": unknown})
        assert (
            "; no interval over texts and judges: too few judges: nearly every value is possible; "
            "95% interval over texts 6"
        ) in sentence(replace(score, judges=judges))

    def test_no_value(self) -> None:
        none = made_score(None, undefined=Undefined.NOTHING_PROPOSED)
        assert sentence(none) == "one has no F0.5: nothing was proposed."
        assert sentence(none, replace(none, system="two")) == "None of 2 systems has any F0.5: nothing was proposed."
        more = (replace(made_score(), system="two"), replace(made_score(0.25), system="three"))
        assert sentence(none, more[0]).startswith("The F0.5 of two is 50.0 (")
        assert sentence(none, *more).startswith("Of 2 systems that have one, two has the higher F0.5, 50.0 (")

    def test_a_value_by_convention(self) -> None:
        text = sentence(made_score(1.0, undefined=Undefined.NO_EDITS))
        assert "is 100.0 (MaxMatch; by convention, since no edit was proposed and none is in the reference; " in text

    def test_nobody_is_highest_of_those_that_score_alike(self) -> None:
        names = ("one", "two", "three")
        text = sentence(*(replace(made_score(), system=name) for name in names))
        assert text.startswith("The F0.5 of one is 50.0, and so is that of two and three (MaxMatch; ")

    def test_names_move_nothing_on_a_terminal(self) -> None:
        text = str(Scores([replace(made_score(), system="a\x1b[3m\nb, c")]).for_paper())
        assert text.startswith(r"sentence: The F0.5 of a\x1b[3m\nb, c is 50.0 (")
        assert text.count("\n") == 2

    def test_a_number_that_is_no_percentage(self) -> None:
        score = made_score(1234.5678, Interval(-0.00001, 2000.0, 0.9, "made"))
        measures = tuple(measure._replace(kind="number", title="odds") for measure in score.measures)
        text = sentence(replace(score, measures=measures))
        assert "The odds of one is 1,234.568 (MaxMatch; 90% interval over texts 0.000 to 2,000.000; " in text


class TestComparisons:
    def test_not_significant(self, fixed: ComparisonResult) -> None:
        ends = fixed.pairs[0].interval
        assert isinstance(ends, Interval)
        text = fixed.for_paper()
        # careful - greedy is -0.16 in the table: the first of the ranking comes first here
        assert text.sentences == (
            "The F0.5 of greedy is 0.2 points higher than that of careful (95% interval over texts "
            f"{-100 * ends.high:.1f} to {-100 * ends.low:.1f}); the difference is not significant "
            f"(p = {fixed.pairs[0].p:.4f}, approximate randomization of documents).",
        )
        assert text.captions[0].startswith(
            "P, R and F0.5 in percent (MaxMatch) of 2 systems against 3 annotators on 63 sentences in 6 documents. "
            "Systems that share a group letter do not differ significantly at the 5% level (max-T over all pairs); "
            "that does not make them equal. Made with errorbar "
        )
        assert text.captions[0].endswith(f"; signature {fixed.signature}")

    def test_over_texts_and_judges_adjusted_for_all_pairs(self) -> None:
        compared = api.compare(GOLD, SYSTEMS, swaps=100, resamples=200)
        (text,) = compared.for_paper().sentences
        assert text.startswith(
            "The F0.5 of greedy is 0.2 points higher than that of careful (95% interval over texts and judges -"
        )
        assert ", not adjusted); the difference is not significant (p = " in text
        assert "the larger p of a t over texts and judges and of approximate randomization" in text
        assert text.endswith(", adjusted for all 6 pairs by max-T).")

    def test_of_few_texts_the_larger_p_decides(self) -> None:
        systems = {name: SYSTEMS[name] for name in ("articles", "careful")}
        (text,) = api.compare(GOLD, systems, resamples=200).for_paper().sentences
        # 2 of the 2^6 ways to swap six documents; the t alone gives less
        assert text.endswith(
            "; the difference is significant (p = 0.0312, the larger p of a t over texts and judges and of approximate "
            "randomization of documents)."
        )

    def test_significant_and_at_most(self, fixed: ComparisonResult) -> None:
        tested = {"p": 0.0005, "at_floor": True, "difference": 0.25, "interval": Interval(0.1, 0.3, 0.95, "made")}
        assert text_of_pair(fixed, **tested) == (
            "The F0.5 of careful is 25.0 points higher than that of greedy (95% interval over texts 10.0 to 30.0); the "
            "difference is significant (p ≤ 0.0005, approximate randomization of documents)."
        )

    def test_nothing_but_zero_reads_zero(self, fixed: ComparisonResult) -> None:
        tested = {"p": 0.01, "difference": 0.012, "interval": Interval(0.0002, 0.021, 0.95, "made")}
        assert "is 1.20 points higher than that of greedy (95% interval over texts 0.02 to 2.10)" in text_of_pair(
            fixed, **tested
        )

    def test_the_same_value_is_not_called_equal(self, fixed: ComparisonResult) -> None:
        text = text_of_pair(fixed, difference=0.0, p=1.0)
        assert text.startswith("The F0.5 of careful is the same as that of greedy (95% interval over texts -")
        assert "; the difference is not significant (p = 1.0000, " in text

    def test_undecided(self, fixed: ComparisonResult) -> None:
        text = text_of_pair(fixed, p=0.5, smallest_p=0.5)
        assert text.endswith(
            "; whether the two differ is undecided: with these documents and swaps no difference, however large, could "
            "be significant."
        )

    def test_without_intervals_and_with_a_reason(self, fixed: ComparisonResult) -> None:
        assert "than that of careful (no interval computed); the diff" in text_of_pair(fixed, interval=None)
        assert "(no interval over texts: all resamples give the same value); the" in text_of_pair(
            fixed, interval=Undefined.NO_VARIATION
        )

    def test_what_there_is_nothing_to_test_of(self) -> None:
        same = api.compare(GOLD, {"a": SYSTEMS["greedy"], "b": SYSTEMS["greedy"]}, swaps=100, resamples=200)
        assert same.for_paper().sentences == ("a and b score alike in every document.",)

    def test_lower_is_better(self) -> None:
        systems = {name: SYSTEMS[name] for name in ("greedy", "copy")}
        compared = api.compare(GOLD, systems, CharacterRate(), judges="fixed", swaps=100, resamples=200)
        ends, difference = compared.pairs[0].interval, compared.pairs[0].difference  # greedy - copy, above 0
        assert isinstance(ends, Interval)
        (text,) = compared.for_paper().sentences
        assert text.startswith(
            f"The CER of copy is {100 * difference:.1f} points lower than that of greedy (95% interval over texts "
            f"{100 * ends.low:.1f} to {100 * ends.high:.1f}); "
        )

    def test_runs_and_sets_of_judges(self) -> None:
        runs = ",".join(SYSTEMS[name] for name in ("careful", "greedy", "articles"))
        systems = [f"tuned={runs}", f"copy={SYSTEMS['copy']}"]
        (text,) = api.compare(GOLD, systems, judges="fixed", swaps=100, resamples=200).for_paper().sentences
        assert "higher than that of copy (95% interval over texts and runs " in text
        assert "the larger p of a t over texts and runs and of approximate randomization" in text
        (text,) = api.compare(GOLD, TWO, judges="random(k=2)", swaps=100, resamples=200).for_paper().sentences
        assert text.startswith("The F0.5 against any 2 of 3 annotators of careful is 2.2 points higher than that of gr")


class TestCommands:
    """The text stands below a table for people, and nowhere else."""

    SCORE = ("score", "--gold", GOLD, *TWO.values(), "--no-ci")
    COMPARE = ("compare", "--gold", GOLD, *TWO.values(), "--judges", "fixed", "--swaps", "100", "--no-ci")

    def test_below_the_table(self, errorbar: CommandLine) -> None:
        texts = (
            (self.SCORE, api.score(GOLD, list(TWO.values()), ci=False).for_paper()),
            (self.COMPARE, api.compare(GOLD, list(TWO.values()), judges="fixed", swaps=100, ci=False).for_paper()),
        )
        for command, text in texts:
            done = errorbar(*command)
            lines = ["", "For a paper:", *(f"  {line}" for line in str(text).splitlines())]
            assert done.err.removeprefix(done.notes).splitlines() == lines
            assert "sentence: " not in done.out

    @pytest.mark.parametrize(
        "options",
        [*(("--format", style) for style in ("json", "csv", "markdown", "latex")), ("-o", "scores.txt"), ("--quiet",)],
    )
    def test_nowhere_else(
        self, errorbar: CommandLine, options: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        for command in (self.SCORE, self.COMPARE):
            assert "sentence: " not in errorbar(*command, *options).err

    def test_not_below_the_verdict_of_a_gate(self, errorbar: CommandLine) -> None:
        command = [word for word in self.COMPARE if word != "--no-ci"]
        assert "sentence: " not in errorbar(*command, "--fail-if-worse", "1").err

    @pytest.mark.parametrize("view", ["type", "sentence"])
    def test_not_below_another_table(self, errorbar: CommandLine, view: str) -> None:
        assert errorbar(*self.SCORE[:-1], "--by", view).notes == errorbar(*self.SCORE[:-1], "--by", view).err
