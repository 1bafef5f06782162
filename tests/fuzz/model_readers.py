"""Readers of models, ARPA files and treebanks, and a sentence that goes through each."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from errorbar.detectors.arpa import read_arpa
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.ngrams import NgramModel, train_ngrams
from errorbar.detectors.prepositions import find_prepositions
from errorbar.detectors.selectors import find_examples, load_selector, train_classifier, train_majority
from errorbar.detectors.tagger import Tagger, load_tagger, train_tagger
from errorbar.detectors.text import count_words, read_treebank, stored_counts
from tests.fuzz.readers import Reader
from tests.fuzz.seeds import Case

SENTENCES = [["He", "goes", "to", "the", "school", "in", "a", "car", "."], ["Of", "course"], [], ["<s>", "é" * 50]]
CONLLU = """\
# text = He can't go to school.
1\tHe\the\tPRON\tPRP\t_\t3\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t3\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t3\tadv\t_\t_
3.1\tgone\tgo\tVERB\tVBN\t_\t_\t_\t_\t_
4\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_
5\tto\tto\tADP\tIN\t_\t6\tcase\t_\t_
6\tschools\tschool\tNOUN\tNNS\t_\t4\tobl\t_\t_

# text = They went in.
1\tThey\tthey\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\twent\tgo\tVERB\tVBD\t_\t0\troot\t_\t_
3\tin\tin\tADP\tIN\t_\t2\tadv\t_\t_
"""
ARPA = """\
\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.3
-0.7\t</s>
-0.5\tthe\t-0.2
-0.6\tschool\t-0.1

\\2-grams:
-0.2\t<s> the\t-0.05
-0.3\tthe school\t-0.1
-0.4\tschool </s>

\\3-grams:
-0.1\t<s> the school

\\end\\
"""


def _saved(model: Model) -> bytes:
    with TemporaryDirectory() as folder:
        save_model(model, Path(folder) / "a.model")
        return (Path(folder) / "a.model").read_bytes()


def _tagger() -> Tagger:
    with TemporaryDirectory() as folder:
        (Path(folder) / "a.conllu").write_text(CONLLU, encoding="utf-8")
        return train_tagger(read_treebank(Path(folder) / "a.conllu"), bits=8, epochs=2)


def _tagger_models() -> list[Case]:
    return [{"a.model": _saved(_tagger().model())}]


def _ngram_models() -> list[Case]:
    return [{"a.model": _saved(train_ngrams(SENTENCES[:2], order, fallback=True).model())} for order in (1, 3)]


def _selector_models() -> list[Case]:
    """A tagger, and a classifier that was made with it."""
    tagger = _tagger()
    examples = find_examples(SENTENCES, tagger)
    me = train_classifier("me", examples, tagger, {}, bits=8, least=1)
    most = train_majority(examples, tagger, {})
    return [
        {f"{name}.model": _saved(classifier.model()), "a.model": _saved(tagger.model())}
        for name, classifier in (("me", me), ("majority", most))
    ]


def _word_models() -> list[Case]:
    return [{"a.model": _saved(count_words([*SENTENCES, *SENTENCES], {}))}]


def _read_tagger(path: Path) -> Tagger:
    return load_tagger(load_model(path, "tagger"), str(path))


def _tag(folder: Path, _: bool) -> None:
    _read_tagger(folder / "a.model").tag(SENTENCES)


def _score(folder: Path, _: bool) -> None:
    _behind_ngrams(NgramModel.load(folder / "a.model"))


def _behind_ngrams(model: NgramModel) -> None:
    scores = model.score(SENTENCES)
    scores.sentences()
    scores.perplexity()


def _select(folder: Path, _: bool) -> None:
    tagger = _read_tagger(folder / "a.model")
    (path,) = folder.glob("m*.model")
    selector = load_selector(load_model(path, path.stem), str(path), tagger)
    for found in find_prepositions(tagger, SENTENCES, every=True):
        selector.scores(found.text, found.contexts)


def _words(folder: Path, _: bool) -> None:
    stored_counts(load_model(folder / "a.model", "words"), "a.model")


def _arpa(folder: Path, _: bool) -> None:
    model = read_arpa(folder / "a.arpa")
    _behind_ngrams(model)
    model.save(folder / "written.model")
    _behind_ngrams(NgramModel.load(folder / "written.model"))


def _treebank(folder: Path, _: bool) -> None:
    bank = read_treebank(folder / "a.conllu")
    tagger = train_tagger(bank, bits=8, epochs=1)
    save_model(tagger.model(), folder / "written.model")
    _read_tagger(folder / "written.model").tag(SENTENCES)


MODELS: tuple[Reader, ...] = (
    Reader("model-tagger", _tagger_models, _tag),
    Reader("model-ngrams", _ngram_models, _score),
    Reader("model-selector", _selector_models, _select),
    Reader("model-words", _word_models, _words),
    Reader("arpa", lambda: [{"a.arpa": ARPA.encode()}], _arpa),
    Reader("treebank", lambda: [{"a.conllu": CONLLU.encode()}], _treebank),
)
