"""``errorbar reproduce`` where detectors and native text are there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.cli.schema import validated
from tests.detectors.small_tables import shrink_tables
from tests.helpers.cli import CommandLine


def test_a_study_of_the_corpora(errorbar: CommandLine, data: Path) -> None:
    """The one that takes a second without the compiled kernel too: Tetreault & Chodorow 2008."""
    done = errorbar("reproduce", "tetreault-chodorow2008", "--data", data, "--format", "json")
    assert (done.code, done.err) == (0, "")
    document = validated("reproduce", done.out, 2)
    assert Counter(cell["outcome"] for cell in document["cells"]) == {
        "match": 13,
        "known": 12,
        "not_computable": 68,
        "added": 6,
    }


class TestNativeText:
    """Choices of prepositions, in a text of a few hundred sentences."""

    @pytest.fixture
    def text(self, tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        shrink_tables(monkeypatch)
        monkeypatch.setattr("errorbar.detectors.selection.SIZES", (100,))
        sentences = [f"He went {('to', 'by')[k % 2]} the {('town', 'sea')[k % 2]} ." for k in range(600)]
        Path("a.txt").write_text("\n".join(sentences[:300]) + "\n", encoding="utf-8")
        Path("b.txt").write_text("\n".join(sentences[300:]) + "\n", encoding="utf-8")
        tags = ("PRP", "VBD", "IN", "DT", "NN", ".")
        lines = [
            "".join(
                f"{k}\t{form}\t{form.lower()}\t_\t{tag}\t_\t_\t_\t_\t_\n"
                for k, (form, tag) in enumerate(zip(sentence.split(), tags, strict=True), 1)
            )
            for sentence in sentences[:40]
        ]
        Path("bank.conllu").write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = errorbar("train", "a.txt", "b.txt", "--treebank", "bank.conllu", "--part", "tagger", "--part", "me")
        assert done.code == 0, done.err
        return tmp_path

    @pytest.mark.slow
    @pytest.mark.usefixtures("text")
    def test_the_steps_are_told_and_the_curve_drawn(self, errorbar: CommandLine, data: Path) -> None:
        pytest.importorskip("vl_convert", reason="needs the extra 'report'")
        call = ("reproduce", "tetreault-chodorow2008", "--data", data, "--models", "models", "--text", "[ab].txt")
        done = errorbar(*call, "--treebank", "bank.conllu", "--chart", "curve.svg", "--format", "json")
        assert done.code == 0, done.err
        assert [line.removesuffix(" ...") for line in done.err.splitlines()][:3] == [
            "reading text",
            "tagging text",
            "training me on 100 examples",
        ]
        document = validated("reproduce", done.out, 2)
        ours = {(cell["table"], cell["row"], cell["column"]): cell["ours"] for cell in document["cells"]}
        assert ours["selection", "ME", "held-out text"] == 1.0
        assert ours["selection", "ME", "treebank"] == 1.0
        drawn = Path("curve.svg").read_text(encoding="utf-8")
        assert drawn.startswith("<svg")
        assert "published: 77.4" in drawn
        again = errorbar(*call, "--treebank", "bank.conllu", "--format", "json", "--quiet")
        assert (again.err, again.out) == ("", done.out)

    @pytest.mark.usefixtures("text")
    def test_a_picture_that_cannot_be_written_is_refused_at_once(self, errorbar: CommandLine) -> None:
        call = ("reproduce", "tetreault-chodorow2008", "--models", "models", "--text", "a.txt", "--chart")
        for path, code in (("curve.gif", "output-format"), ("nowhere/curve.svg", "cannot-write")):
            done = errorbar(*call, path)
            assert (done.code, done.out) == (2, "")
            assert done.err.endswith(f"[{code}]\n")
            assert "reading" not in done.err
