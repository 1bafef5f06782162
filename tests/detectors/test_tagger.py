"""The tagger: what it learns from a small treebank, what a file keeps, what is refused; on UD-EWT, how good it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar import train
from errorbar.core import InputError
from errorbar.detectors.learning import GAP, Lexicon
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.tagger import Tagger, load_tagger, train_tagger
from errorbar.detectors.text import Treebank, read_treebank
from errorbar.edits.matching import COMPILED

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
    monkeypatch.setattr("errorbar.detectors.learning.MOST_WORDS", 3)
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
        assert 0.935 < np.mean([own == right for own, right in zip(ours, gold, strict=True)]) < 0.945


@pytest.mark.parametrize(
    "made",
    [
        {"tags": [f"T{number}" for number in range(200)]},
        {"tags": [f"T{number}" for number in range(128)]},
        {"tags": []},
        {"tags": "PRP"},
        {"tags": ["PRP", "PRP"]},
        {"tags": [["PRP"], 2]},
        {"bits": 40},
        {"bits": 23},
        {"bits": 0},
        {"bits": 9},
    ],
)
def test_a_header_that_does_not_fit_never_reaches_the_kernel(
    small: Tagger, tmp_path: Path, made: dict[str, Any]
) -> None:
    """The kernel has room for 127 classes: 150 tags more once ended the process."""
    model = small.model()
    save_model(replace(model, made={**model.made, **made}), tmp_path / "model")
    with pytest.raises(InputError) as error:
        load_tagger(load_model(tmp_path / "model", "tagger"), "model")
    assert error.value.code == "model-features"


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("classes", lambda array: array + 100),
        ("classes", lambda array: array.astype(np.int64)),
        ("rows", lambda array: array + (1 << 10)),
        ("rows", lambda array: array[::-1]),
        ("rows", lambda array: array.astype(np.float64)),
        ("values", lambda array: np.full_like(array, np.nan)),
        ("values", lambda array: array.astype(str)),
        ("values", lambda array: array[1:]),
        ("values", lambda array: array[:, None]),
        ("lemmas", lambda array: np.append(array, "x")),
    ],
)
def test_arrays_that_do_not_fit_never_reach_the_kernel(
    small: Tagger, tmp_path: Path, name: str, change: Callable[[NDArray[Any]], NDArray[Any]]
) -> None:
    model = small.model()
    save_model(replace(model, arrays={**model.arrays, name: change(model.arrays[name])}), tmp_path / "model")
    with pytest.raises(InputError) as error:
        load_tagger(load_model(tmp_path / "model", "tagger"), "model")
    assert error.value.code == "model-features"


def test_a_treebank_of_too_many_tags_is_refused(tmp_path: Path) -> None:
    lines = [f"{number}\tw\tw\tX\tT{number}\t_\t_\t_\t_\t_\n" for number in range(1, 129)]
    (tmp_path / "many.conllu").write_text("".join(lines), encoding="utf-8")
    with pytest.raises(InputError, match="128 tags in the fifth column"):
        read_treebank(tmp_path / "many.conllu")


def test_a_treebank_without_penn_tags_is_refused(tmp_path: Path) -> None:
    """Detectors look for TO, IN and nouns: taggers of other tags would make them wrong without a word."""
    for tag in ("_", "NOUN"):
        lines = [line.split("\t") for line in CONLLU.splitlines()]
        others = ["\t".join([*line[:4], tag, *line[5:]] if len(line) == 10 else line) for line in lines]
        (tmp_path / "other.conllu").write_text("\n".join(others) + "\n", encoding="utf-8")
        with pytest.raises(InputError, match="0 of 6 words have a Penn tag"):
            train((), tmp_path / "models", treebank=tmp_path / "other.conllu")


@pytest.mark.skipif(not COMPILED, reason="no C compiler was found")
def test_the_kernel_itself_refuses_what_it_has_no_room_for(small: Tagger) -> None:
    from errorbar.detectors import _learn

    w = small.weights
    rows, states = np.zeros((1, 16), np.int32), np.zeros((1, 5), np.uint32)
    spans, codes = np.array([[0, 1]], np.int64), np.zeros(200, np.uint32)
    arrays = (w.offsets, w.classes, w.wide, np.zeros(1, np.int8))
    with pytest.raises(ValueError, match="199 classes"):
        _learn.tag_tokens(rows, states, np.zeros(5, np.int8), codes, spans, *arrays, w.bits)
    with pytest.raises(ValueError, match="bits"):
        _learn.tag_tokens(rows, states, np.zeros(5, np.int8), codes[:5], spans, *arrays, w.bits + 1)
