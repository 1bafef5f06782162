"""Where degenerate systems land: ranks by hand, scores as of ``score``, tables from elsewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import M2, Hypothesis
from errorbar.api import AttackRanking, AttackResult
from errorbar.api.attack import Kind, SystemEstimate, ordinal, rank_attacks
from errorbar.core import Estimate, InputError, MetricScores, Problem, UsageError
from errorbar.demo import demo_files
from errorbar.edits import KINDS, MatchRules, match_corpus
from errorbar.formats import read_corpus
from errorbar.metrics import Measure
from errorbar.metrics.gleu import Gleu
from tests.helpers.build import corpus, edit, sentence
from tests.thirdparty.character_rate import CharacterRate

F = Measure("f", "F0.5")
ONE = corpus(sentence("A cat sat", {"A": [edit(2, 3, "sits", kind="V")]}))
TWO = corpus(
    sentence("A cat sat on mat .", {"A": [edit(4, 4, "the", kind="Det")]}),
    sentence("He go to school .", {"A": [edit(1, 2, "goes", kind="Verb")]}),
)
GOOD = Hypothesis("good", ["A cat sat on the mat .", "He goes to school ."])
HALF = Hypothesis("half", ["A cat sat on the mat .", "He go to school ."])
COPY = Hypothesis("copy", ["A cat sat on mat .", "He go to school ."])


def standings(**values: float | None) -> list[SystemEstimate]:
    return [SystemEstimate(name, Estimate(value, 10)) for name, value in values.items()]


def landed(under: AttackRanking, attack: str) -> tuple[int | None, int, int, str | None]:
    found = under[attack]
    return found.rank, found.beats, found.level, found.above


class TestRanks:
    def test_each_attack_is_ranked_alone(self) -> None:
        under = rank_attacks("m2", F, standings(a=0.4, b=0.3, c=0.2), standings(top=0.5, second=0.35, bottom=0.1))
        assert landed(under, "top") == (1, 3, 0, "a")
        assert landed(under, "second") == (2, 2, 0, "b")
        assert landed(under, "bottom") == (4, 0, 0, None)
        assert under.n_ranked == 4

    def test_equal_values_share_the_better_rank_and_beat_nobody(self) -> None:
        under = rank_attacks("m2", F, standings(a=0.4, b=0.3, c=0.3, d=0.1), standings(x=0.3))
        assert landed(under, "x") == (2, 1, 2, "d")

    def test_where_less_is_better(self) -> None:
        under = rank_attacks(
            "cer", Measure("cer", "CER", better="lower"), standings(a=0.4, b=0.3, c=0.2), standings(x=0.25)
        )
        assert landed(under, "x") == (2, 2, 0, "b")
        assert [each.attack.name for each in under.best_first] == ["x"]

    def test_systems_without_a_value_take_no_place(self) -> None:
        under = rank_attacks("m2", F, standings(a=0.4, b=None), standings(x=0.5, y=None))
        assert under.n_ranked == 2
        assert landed(under, "x") == (1, 1, 0, "a")
        assert landed(under, "y") == (None, 0, 0, None)
        assert [each.attack.name for each in under.best_first] == ["x", "y"]

    def test_of_equal_ones_that_are_beaten_the_first(self) -> None:
        assert landed(rank_attacks("m2", F, standings(a=0.2, b=0.2), standings(x=0.5)), "x") == (1, 2, 0, "a")

    def test_ordinals(self) -> None:
        assert [ordinal(number) for number in (1, 2, 3, 4, 10, 11, 12, 13, 21, 112, 1001)] == (
            ["1st", "2nd", "3rd", "4th", "10th", "11th", "12th", "13th", "21st", "112th", "1,001st"]
        )


class TestByHand:
    def test_m2(self) -> None:
        found = errorbar.attack(TWO, [GOOD, HALF, COPY], ci=False)["m2"]
        values = {attack.attack.name: attack.attack.estimate.value for attack in found.attacks}
        assert values["unchanged"] == 0  # P is 1 by convention, R 0
        assert landed(found, "unchanged") == (3, 0, 1, None)  # level with copy
        assert values["pasted-A"] == 1
        assert landed(found, "pasted-A") == (1, 2, 1, "half")  # level with good
        # Of "hard-deleted" the first line is one wrong edit; nothing is found.
        assert landed(found, "hard-deleted") == (3, 0, 1, None)

    def test_sentences(self) -> None:
        found = errorbar.attack(TWO, [GOOD, HALF, COPY], ci=False, only=["unchanged", "empty"])
        assert found.summaries() == [
            "Under m2 (F0.5), a system that does nothing ranks 3rd of 4, level with copy; of the others that see no "
            "reference, empty comes highest, 3rd of 4."
        ]
        several = [COPY, Hypothesis("none", COPY.lines), GOOD]
        assert errorbar.attack(TWO, several, ci=False, only="unchanged").summaries() == [
            "Under m2 (F0.5), a system that does nothing ranks 2nd of 4, level with 2 systems."
        ]
        assert errorbar.attack(TWO, [GOOD], ci=False, only="pasted").summaries() == [
            "Under m2 (F0.5), a system that hands in the text of annotator A ranks 1st of 2, level with good."
        ]

    def test_without_real_systems_there_are_scores_only(self) -> None:
        found = errorbar.attack(TWO, ci=False)
        assert found.n_systems == 0
        assert found["m2"].n_ranked == 1
        said = "Under m2 (F0.5), a system that does nothing scores 0.00; of the others that see no reference, empty "
        assert found.summaries() == [f"{said}comes highest, with 0.00."]
        titles = [column.title for column in found.tables()[0].columns if column.only != "data"]
        assert titles == ["attack", "F0.5"]
        shuffled = next(attack for attack in found.attacks if attack.name == "shuffled")
        assert shuffled.lines == (COPY.lines[1], COPY.lines[0])

    def test_one_sentence(self) -> None:
        found = errorbar.attack(ONE, [Hypothesis("mine", ["A cat sits"])], ["m2", "gleu"])
        assert set(found.left_out) == {"shuffled", "hard-deleted", "by-rote", "concatenated"}
        assert landed(found["m2"], "unchanged") == (2, 0, 0, None)
        assert landed(found["m2"], "pasted-A") == (1, 0, 1, None)
        reason = found["m2"]["pasted-A"].attack.estimate.no_interval
        assert str(reason) == "a single unit does not show how units vary"

    def test_the_output_of_the_first_system_is_shuffled(self) -> None:
        found = errorbar.attack(TWO, [GOOD, COPY], only="shuffled", ci=False)
        assert found.attacks[0].lines == (GOOD.lines[1], GOOD.lines[0])
        assert found.attacks[0].does == "gives the lines of good to other sentences"

    def test_a_metric_of_another_package_of_which_less_is_better(self) -> None:
        """Of 38 characters of the references ``half`` has 2 wrong, the source 6, and empty lines all."""
        found = errorbar.attack(TWO, [GOOD, HALF], CharacterRate(), ci=False)["cer"]
        characters = sum(map(len, GOOD.lines))
        assert found["unchanged"].attack.estimate.value == (4 + 2) / characters
        assert landed(found, "unchanged") == (3, 0, 0, None)
        assert found["empty"].attack.estimate.value == 1
        assert landed(found, "pasted-A") == (1, 1, 1, "half")
        assert found.best_first[0].attack.name == "pasted-A"
        assert found.best_first[-1].attack.estimate.value == max(
            attack.attack.estimate.value or 0 for attack in found.attacks
        )


@pytest.fixture(scope="module")
def demo() -> tuple[Path, list[Path]]:
    with demo_files() as (gold, systems):
        return gold, list(systems)


def test_a_metric_or_an_attack_that_is_not_there_is_named() -> None:
    result = errorbar.attack(ONE, ci=False, only="unchanged")
    with pytest.raises(UsageError, match="there is no metric 'gleu'; known: m2"):
        result["gleu"]
    with pytest.raises(UsageError, match="there is no attack 'unchange'; did you mean 'unchanged'"):
        result["m2"]["unchange"]


def test_scores_are_those_of_score_for_the_texts_that_were_written(
    demo: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    gold, systems = demo
    how: Any = {"resamples": 100, "seed": 3}
    found = errorbar.attack(gold, systems, ["m2", "gleu"], write=tmp_path / "made", **how)
    files = sorted((tmp_path / "made").iterdir())
    assert [path.stem for path in files] == sorted(attack.name for attack in found.attacks)
    for attack in found.attacks:
        assert (tmp_path / "made" / f"{attack.name}.txt").read_text() == "".join(f"{line}\n" for line in attack.lines)
    for spec in ("m2", "gleu"):
        alone = errorbar.score(gold, [*files, *systems], spec, force=True, judges="fixed", **how)
        for path in files:
            standing = found[spec][path.stem].attack
            score = alone[path.stem]
            assert standing.estimate == score.estimates[score.main]
            assert standing.signature == score.signature
        for standing in found[spec].systems:
            assert standing.estimate == alone[standing.name].estimates[alone[standing.name].main]


def test_the_number_of_jobs_changes_no_digit(demo: tuple[Path, list[Path]]) -> None:
    gold, systems = demo
    one, two = (errorbar.attack(gold, systems[:2], resamples=50, jobs=jobs) for jobs in (1, 2))
    assert one.to_dict() == two.to_dict()


def test_nothing_is_said_of_texts_that_were_made_to_be_odd_but_of_real_ones(demo: tuple[Path, list[Path]]) -> None:
    gold, systems = demo
    lines = systems[0].read_text().splitlines()
    found = errorbar.attack(gold, Hypothesis("mine", ["", *lines[1:]]), ci=False)
    assert [(note.code, note.place.file) for note in found.notes] == [("empty-lines", "mine")]
    with pytest.raises(InputError, match="not-this-source"):
        errorbar.attack(gold, Hypothesis("mine", [""] * len(lines)), ci=False)


def test_edits_that_overlap_are_noted_once() -> None:
    data = corpus(sentence("x y z", {"A": [edit(0, 2, "q"), edit(1, 3, "r")]}), sentence("w", {"A": []}))
    found = errorbar.attack(data, metric=["gleu", "m2"], ci=False)
    assert [(note.code, note.what) for note in found.notes] == [
        ("apply-overlap", "edits of annotators that overlap others and were left out: 1")
    ]


def test_a_text_that_a_metric_refuses_has_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    refuse = M2.measure

    def measure(self: M2, reference: errorbar.Corpus, output: list[str], *, by_type: bool = False) -> object:
        if output[0] == "":
            raise InputError(Problem("pair-too-large", "a pair is too large"))
        return refuse(self, reference, output, by_type=by_type)

    monkeypatch.setattr(M2, "measure", measure)
    found = errorbar.attack(TWO, [GOOD], ["m2", "gleu"], only=["unchanged", "empty"], ci=False)
    assert landed(found["m2"], "empty") == (None, 0, 0, None)
    assert landed(found["gleu"], "empty") == (2, 0, 0, None)
    assert [str(note) for note in found.notes] == ["empty: m2 cannot score it: a pair is too large [attack-no-score]"]


def scores(**others: float) -> MetricScores:
    """Of a metric from elsewhere that likes long lines."""
    return MetricScores("lm", {"unchanged": 0.5, "empty": -3.0, **others})


class TestFromElsewhere:
    ONLY: tuple[Kind, ...] = ("unchanged", "empty")

    def test_they_land_in_a_table_of_their_own(self) -> None:
        table = scores(good=0.7, half=0.4, other=0.5)
        found = errorbar.attack(TWO, [GOOD, HALF], only=self.ONLY, scores=table)
        assert [under.metric for under in found.rankings] == ["lm"]  # no other metric was asked for
        assert landed(found["lm"], "unchanged") == (2, 1, 1, "half")  # other is a real system too
        assert landed(found["lm"], "empty") == (4, 0, 0, None)
        assert found.summaries()[0].startswith("Under lm, a system that does nothing ranks 2nd of 4, level with other;")
        assert found["lm"]["unchanged"].attack.signature is None

    def test_beside_metrics_that_are_computed(self) -> None:
        found = errorbar.attack(TWO, [GOOD], "m2", only=self.ONLY, scores=[scores(good=0.7)], ci=False)
        assert [under.metric for under in found.rankings] == ["m2", "lm"]

    def test_systems_that_can_be_made_are_no_real_ones(self) -> None:
        table = scores(good=0.7, shuffled=0.1, **{"pasted-A": 9.0})
        assert errorbar.attack(TWO, [GOOD], only=self.ONLY, scores=table)["lm"].n_ranked == 2

    def test_a_system_without_a_score(self) -> None:
        with pytest.raises(InputError, match=r"lm has no score of 'good'; did you mean 'god'\?.*attack-missing-score"):
            errorbar.attack(TWO, [GOOD], only=self.ONLY, scores=scores(god=1.0))
        with pytest.raises(InputError, match="lm has no score of 'shuffled'"):
            errorbar.attack(TWO, [GOOD], only=["unchanged", "shuffled"], scores=scores(good=1.0))
        found = errorbar.attack(TWO, [GOOD, HALF], only=self.ONLY, scores=scores(half=0.4), lenient=True)
        assert found["lm"].n_ranked == 2
        assert [note.code for note in found.notes] == ["attack-missing-score"]

    def test_names_that_cannot_be_told_apart(self) -> None:
        mine = Hypothesis("empty", GOOD.lines)
        with pytest.raises(UsageError, match="a system is called 'empty', as one that is made"):
            errorbar.attack(TWO, [mine], only=self.ONLY, scores=scores())
        with pytest.raises(UsageError, match="two tables have scores of 'lm'"):
            errorbar.attack(TWO, only=self.ONLY, scores=[scores(), scores()])
        assert errorbar.attack(TWO, [mine], only=self.ONLY, ci=False)["m2"]["empty"].rank == 2

    def test_a_file(self, tmp_path: Path) -> None:
        (tmp_path / "s.csv").write_text("system,score\nunchanged,1\nempty,0\ngood,2\n")
        found = errorbar.attack(TWO, [GOOD], only=self.ONLY, scores=f"mine={tmp_path / 's.csv'}")
        assert landed(found["mine"], "unchanged") == (2, 0, 0, None)


class TestWriting:
    def test_nothing_else_is_overwritten(self, tmp_path: Path) -> None:
        errorbar.attack(TWO, ci=False, write=tmp_path)
        errorbar.attack(TWO, ci=False, write=tmp_path)  # the same texts
        (tmp_path / "empty.txt").write_text("mine\n")
        with pytest.raises(UsageError, match="another file of that name is there"):
            errorbar.attack(TWO, ci=False, write=tmp_path)
        assert (tmp_path / "empty.txt").read_text() == "mine\n"

    def test_no_folder(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(UsageError, match="this is a file"):
            errorbar.attack(TWO, ci=False, write=tmp_path / "file")
        with pytest.raises(InputError, match="cannot-write"):
            errorbar.attack(TWO, ci=False, write=tmp_path / "file" / "inside")


TEAMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")


@pytest.fixture(scope="module")
def found(data: Path) -> AttackResult:
    systems = [data / "conll14_systems/official_submissions" / name for name in TEAMS]
    return errorbar.attack(data / "conll14/noalt/official-2014.combined.m2", systems, [M2(), Gleu()])


@pytest.mark.slow
class TestConll2014:
    """The twelve outputs that were released; the scores are in docs/measurements/attack.md."""

    def test_a_system_that_does_nothing(self, found: AttackResult, data: Path) -> None:
        """INPUT is the source: its GLEU is one of the published script's recorded lines."""
        text = (data / "conll14_systems/official_submissions/INPUT").read_text(encoding="utf-8")
        assert found.attacks[0].lines == tuple(" ".join(line.split()) for line in text.splitlines())
        assert landed(found["m2"], "unchanged") == (13, 0, 0, None)
        rank, beats, _, above = landed(found["gleu"], "unchanged")
        assert (rank, beats, above) == (10, 3, "POST")
        values = {system.name: system.estimate.value or 0 for system in found["gleu"].systems}
        own = found["gleu"]["unchanged"].attack.estimate.value or 0
        assert {name for name, value in values.items() if value < own} == {"POST", "RAC", "IPN"}

    def test_empty_lines_beat_seven_teams_under_m2(self, found: AttackResult, data: Path) -> None:
        assert landed(found["m2"], "empty") == (6, 7, 0, "RAC")
        assert found["gleu"]["empty"].rank == 13
        # By the kernel and by the search that reads as the definition does.
        corpus = read_corpus(data / "conll14/noalt/official-2014.combined.m2")
        kernel, twin = (
            match_corpus(corpus, [""] * len(corpus), MatchRules(kernel=way)).counts for way in (True, False)
        )
        assert (kernel == twin).all()

    def test_the_page_shows_these_numbers(self, found: AttackResult) -> None:
        page = (Path(__file__).parents[2] / "docs/measurements/attack.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `([\w-]+)` \| ([\d.]+.*?) \| (\w+) \| (.*?) \| (\w+) \|", page, re.MULTILINE)
        assert [row[0] for row in rows] == [attack.name for attack in found.attacks]
        for name, m2, m2_rank, gleu, gleu_rank in rows:
            for spec, value, rank in (("m2", m2, m2_rank), ("gleu", gleu, gleu_rank)):
                landing = found[spec][name]
                ends = landing.attack.estimate.interval
                shown = f"{100 * (landing.attack.estimate.value or 0):.2f}"
                shown += f" ({100 * ends.low:.2f}–{100 * ends.high:.2f})" if ends else ""
                assert (value, rank) == (shown, ordinal(landing.rank or 0)), f"{name} {spec}"

    def test_every_kind_is_made(self, found: AttackResult) -> None:
        made = {attack.name for attack in found.attacks}
        assert made == {*KINDS, "pasted-0", "pasted-1"} - {"pasted"}
        assert found.left_out == {}
