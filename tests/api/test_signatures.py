"""A signature changes with everything that can change a digit, and with nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from errorbar import Corpus, Hypothesis, Judgments, Resampling
from errorbar.api import crowd_signature
from errorbar.api.signatures import GIVEN, agreement_signature, corpus_signature
from errorbar.version import __version__
from tests.helpers.build import corpus as build_corpus
from tests.helpers.build import edit, sentence

CORPUS = build_corpus(sentence("a b c", {"A": [edit(0, 1, "x")], "B": []}), sentence("d e", {"A": [], "B": []}))
ONE, TWO = Hypothesis("one", ["x b c", "d e"]), Hypothesis("two", ["a b c", "d"])
JUDGED = Judgments.from_columns(["i", "i", "j"], ["r", "s", "r"], ["error", "ok", "ok"])


def parts(corpus: Corpus, systems: Sequence[Hypothesis], *conventions: str) -> list[str]:
    return corpus_signature("m2", [corpus], systems, (*conventions, "seed:0")).split("|")


class TestCorpus:
    def changed(self, corpus: Corpus, systems: Sequence[Hypothesis] = (ONE, TWO)) -> list[str]:
        """Names of the parts that differ from those of the example."""
        pairs = zip(parts(CORPUS, [ONE, TWO]), parts(corpus, systems), strict=True)
        return [before.split(":")[0] for before, after in pairs if before != after]

    def test_each_part_has_its_own_hash(self) -> None:
        assert self.changed(CORPUS) == []
        source = build_corpus(sentence("a b X", {"A": [edit(0, 1, "x")], "B": []}), CORPUS.sentences[1])
        assert self.changed(source) == ["src"]
        reference = build_corpus(sentence("a b c", {"A": [edit(0, 1, "y")], "B": []}), CORPUS.sentences[1])
        assert self.changed(reference) == ["ref"]
        assert self.changed(CORPUS, [ONE, Hypothesis("two", ["a b c", "e"])]) == ["hyp"]
        assert self.changed(CORPUS, [TWO, ONE]) == ["hyp"]
        assert self.changed(CORPUS, [ONE]) == ["hyp"]

    def test_white_space_and_names_of_systems_change_nothing(self) -> None:
        assert self.changed(CORPUS, [ONE, Hypothesis("other", [" a  b c", "d "])]) == []

    def test_no_system_has_no_hash(self) -> None:
        assert "hyp:none" in parts(CORPUS, [])
        assert "hyp:none" not in parts(CORPUS, [ONE])

    def test_sizes_and_conventions_of_all_before_those_of_one(self) -> None:
        said = parts(CORPUS, [ONE], "unmarked:everybody")
        assert {"n:2", "ann:2"} <= set(said)
        assert said.index("unmarked:everybody") < said.index("seed:0")


class TestAgreement:
    @staticmethod
    def made(judgments: Judgments = JUDGED, level: float = 0.9, unknown: Sequence[str] = ()) -> list[str]:
        return agreement_signature(
            judgments, GIVEN, resampling=Resampling("percentile", 50, level, 3), unknown=unknown
        ).split("|")

    def test_parts(self) -> None:
        head, judged, *rest = self.made(unknown=["dunno"])
        assert (head, judged.split(":")[0]) == ("agree(items=given)", "judgments")
        assert rest == ["n:3", "unknown:dunno", "ci:percentile,0.9,50,by:item,seed:3", f"v:{__version__}"]

    @pytest.mark.parametrize(
        "columns",
        [
            (["i", "i", "j"], ["r", "s", "r"], ["error", "ok", "error"]),
            (["i", "i", "j"], ["r", "s", "s"], ["error", "ok", "ok"]),
            (["i", "j", "j"], ["r", "s", "r"], ["error", "ok", "ok"]),
            (["i", "i", "j"], ["r", "t", "r"], ["error", "ok", "ok"]),
        ],
    )
    def test_every_judgment_counts(self, columns: tuple[list[str], list[str], list[str]]) -> None:
        before, after = self.made(), self.made(Judgments.from_columns(*columns))
        assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, True, True]


class TestCrowd:
    FLAGS = np.array([True, False])

    def made(self, judgments: Judgments = JUDGED, flags: np.ndarray | None = FLAGS) -> list[str]:
        return crowd_signature("crowd(x)", judgments, flags, ("seed:0",)).split("|")

    def changed(self, judgments: Judgments = JUDGED, flags: np.ndarray | None = FLAGS) -> list[str]:
        pairs = zip(self.made(), self.made(judgments, flags), strict=True)
        return [before.split(":")[0] for before, after in pairs if before != after]

    def test_each_part_has_its_own_hash(self) -> None:
        assert self.changed() == []
        assert self.changed(flags=np.array([True, True])) == ["hyp"]
        assert self.changed(Judgments.from_columns(["i", "i", "k"], ["r", "s", "r"], ["error", "ok", "ok"])) == ["src"]
        for item, rater, label in (("j", "r", "error"), ("j", "s", "ok"), ("i", "r", "ok")):
            other = Judgments.from_columns(["i", "j", item], ["r", "s", rater], ["error", "ok", label])
            same = Judgments.from_columns(["i", "j", "j"], ["r", "s", "r"], ["error", "ok", "ok"])
            assert self.made(other)[1] == self.made(same)[1]  # the items
            assert self.made(other)[2] != self.made(same)[2]  # who said what

    def test_weights_count(self) -> None:
        assert self.changed(replace(JUDGED, weight=np.array([1.0, 1.0, 0.5]))) == ["ref"]

    def test_sizes_conventions_and_no_flags(self) -> None:
        judged = Judgments.from_columns(["i", "i", "i", "j"], ["r", "s", "t", "r"], ["error", "ok", "ok", "ok"])
        said = self.made(judged, None)
        assert said[0] == "crowd(x)"
        assert {"hyp:none", "n:2", "ann:3", "seed:0"} <= set(said)
