"""The tagger: what it learns from a small treebank, what a file keeps, what is refused; on UD-EWT, how good it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.errors import InputError
from errorbar.detectors.lexicon import GAP, Lexicon
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.tagger import Tagger, load_tagger, train_tagger
from errorbar.detectors.treebank import Treebank, read_treebank

CONLLU = """\
# text = He can't go.
1\tHe\the\tPRON\tPRP\t_\t3\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t3\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t3\tadv\t_\t_
3.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_

# text = They went.
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\twent\tgo\tVERB\tVBD\t_\t0\troot\t_\t_
"""


@pytest.fixture
def bank(tmp_path: Path) -> Treebank:
    (tmp_path / "bank.conllu").write_text(CONLLU, encoding="utf-8")
    return read_treebank(tmp_path / "bank.conllu")


@pytest.fixture
def small(bank: Treebank) -> Tagger:
    return train_tagger(bank, bits=10)


def test_a_treebank_has_words_without_wholes_and_empty_nodes(bank: Treebank) -> None:
    assert bank.forms == [["He", "ca", "n't", "go"], ["They", "went"]]
    assert bank.tags == [["PRP", "MD", "RB", "VB"], ["PRP", "VBD"]]
    assert bank.lemmas[1] == ["they", "go"]
    assert bank.n_tokens == 6


def test_what_is_no_treebank_is_refused(tmp_path: Path) -> None:
    for content, code in ((b"1\tHe\the\n", "conllu"), (CONLLU.encode() + b"# \xff", "not-utf8")):
        (tmp_path / "bad").write_bytes(content)
        with pytest.raises(InputError) as error:
            read_treebank(tmp_path / "bad")
        assert error.value.code == code
    for path, code in ((tmp_path / "none", "no-such-file"), (tmp_path, "is-directory")):
        with pytest.raises(InputError) as error:
            read_treebank(path)
        assert error.value.code == code
    (tmp_path / "empty").write_bytes(b"# nothing\n")
    with pytest.raises(InputError) as error:
        read_treebank(tmp_path / "empty")
    assert error.value.code == "conllu"


def test_a_small_treebank_is_learned(small: Tagger, bank: Treebank) -> None:
    assert small.tags == ("MD", "PRP", "RB", "VB", "VBD")
    assert small.tag(bank.forms) == bank.tags
    assert small.lemmas.lemma("went", "VBD") == "go"


def test_any_text_is_tagged(small: Tagger) -> None:
    assert small.tag([]) == []
    assert small.tag([[], ["go"], []])[::2] == [[], []]
    odd = [["\ud800", "", "é" * 500, "٣", "💥"], ["go"] * 5_000]
    assert [len(tags) for tags in small.tag(odd)] == [5, 5_000]


def test_a_sentence_is_tagged_alike_alone_and_among_others(small: Tagger, bank: Treebank) -> None:
    among = small.tag([*bank.forms, ["went", "He"], *bank.forms])
    assert among[2:3] == replace(small, lexicon=Lexicon()).tag([["went", "He"]])


def test_the_layout_has_gaps() -> None:
    layout = Lexicon().lay_out([["a"], [], ["b", "a"]])
    assert layout.words.tolist() == [0] * GAP + [1] + [0] * 2 * GAP + [2, 1] + [0] * GAP
    assert layout.places.tolist() == [3, 10, 11]
    assert layout.spans.tolist() == [[0, 1], [1, 1], [1, 3]]


def test_words_are_forgotten_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.detectors.lexicon.MOST_WORDS", 3)
    lexicon = Lexicon()
    lexicon.lay_out([["a", "b", "c", "of"]])
    assert lexicon.lay_out([["of"]]).words.tolist() == [0, 0, 0, 1, 0, 0, 0]
    assert (lexicon.names, lexicon.prepositions()[0], lexicon.prepositions()[1] >= 0) == (["\0", "of"], -1, True)


def test_a_file_keeps_the_tagger_and_a_seed_its_bytes(tmp_path: Path, bank: Treebank) -> None:
    for name, seed in (("one", 0), ("same", 0), ("other", 1)):
        save_model(train_tagger(bank, bits=10, seed=seed).model(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "same").read_bytes() != (tmp_path / "other").read_bytes()
    kept = load_tagger(load_model(tmp_path / "one", "tagger"), "one")
    assert kept.tag(bank.forms) == bank.tags
    assert kept.lemmas.lemma("went", "VBD") == "go"
    assert kept.text == {"sha256": bank.sha256, "tokens": 6}
    assert train_tagger(bank, {"license": "CC0"}, bits=10).text["license"] == "CC0"


def test_a_tagger_that_does_not_fit_is_refused(small: Tagger) -> None:
    model = small.model()
    none = np.zeros(0, np.int8)
    for changed in (
        replace(model, made={**model.made, "features": "tagger-0"}),
        replace(model, made={**model.made, "hash": "md5"}),
        replace(model, made={**model.made, "bits": 5}),
        replace(model, made={**model.made, "bits": "ten"}),
        replace(model, made={**model.made, "tags": ["NN"]}),
        replace(model, made={key: value for key, value in model.made.items() if key != "tags"}),
        replace(model, arrays={**model.arrays, "classes": none}),
        replace(model, arrays={**model.arrays, "rows": model.arrays["rows"][::-1]}),
        replace(model, arrays={name: array for name, array in model.arrays.items() if name != "values"}),
        replace(model, arrays={name: array for name, array in model.arrays.items() if name != "lemmas"}),
    ):
        assert refused(changed) == "model-features"


def refused(model: Model) -> str:
    with pytest.raises(InputError) as error:
        load_tagger(model, "here")
    assert "here" in str(error.value)
    return error.value.code


@pytest.mark.slow
def test_on_the_english_web_treebank(data: Path, tmp_path: Path) -> None:
    folder = data / "ud_english_ewt"
    tagger = train_tagger(read_treebank(folder / "en_ewt-ud-train.rebuilt.conllu"))
    save_model(tagger.model(), tmp_path / "tagger")
    assert (tmp_path / "tagger").stat().st_size < 4e6
    for part in ("dev", "test"):
        bank = read_treebank(folder / f"en_ewt-ud-{part}.conllu")
        ours, gold = (list(chain.from_iterable(tags)) for tags in (tagger.tag(bank.forms), bank.tags))
        assert 0.935 < np.mean([one == other for one, other in zip(ours, gold, strict=True)]) < 0.945
