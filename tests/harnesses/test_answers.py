"""Sentences as models are shown them, answers as they are scored, and their score; no harness is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import errorbar
from errorbar.formats import ordinary_text
from errorbar.harnesses.common import (
    AnswerScoring,
    ModelAnswer,
    make_answer,
    read_prompts,
    score_answers,
    unit_counts,
)
from tests.harnesses.known_answers import GOLD, known_model, printed


def answers(system: str) -> tuple[ModelAnswer, ...]:
    model = known_model(system)
    return tuple(make_answer(sentence.record, model.answer(sentence.text)) for sentence in read_prompts(GOLD))


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("I do n't know , he 's late .", "I don't know, he's late."),
        ('She said : " Come ( now ) " , twice ; 5 % .', 'She said: "Come (now)", twice; 5%.'),
        ("`` So '' , the parents ' car cost $ 5 ...", '"So", the parents\' car cost $5...'),
        ("He can not say 'allowed ' here", "He can not say 'allowed ' here"),
        ("", ""),
    ],
)
def test_tokens_are_written_as_ordinary_text(tokens: str, text: str) -> None:
    assert ordinary_text(tokens.split()) == text


def comes_back(gold: Path) -> bool:
    corpus = errorbar.read_corpus(gold)
    asked = list(read_prompts(corpus))
    assert sum(each.text != sentence.text for each, sentence in zip(asked, corpus.sentences, strict=True)) > 60
    return [make_answer(each.record, each.text).line for each in asked] == [s.text for s in corpus.sentences]


def test_who_repeats_the_text_has_changed_nothing() -> None:
    assert comes_back(GOLD)


@pytest.mark.slow
@pytest.mark.parametrize("gold", ["conll14/noalt/official-2014.combined.m2", "cweb_dev/CWEB-G.dev.ann0.m2"])
def test_who_repeats_the_text_of_a_corpus_has_changed_nothing(gold: str, data: Path) -> None:
    assert comes_back(data / gold)


def test_a_text_whose_tokens_would_not_come_back_is_shown_as_tokens() -> None:
    corpus = errorbar.Corpus([errorbar.Sentence("the `` and '' the ` , ' x"), errorbar.Sentence("Well , yes")], ())
    first, second = read_prompts(corpus)
    assert make_answer(first.record, first.text).line == "the `` and '' the ` , ' x"
    assert second.text == "Well, yes"
    assert next(read_prompts(corpus, tokens=True)).text == corpus.sentences[0].text


def test_an_empty_answer_leaves_the_sentence_and_lines_are_one_text() -> None:
    (asked,) = read_prompts(errorbar.Corpus([errorbar.Sentence("I go , too .", {"a": ()})], ("a",)))
    assert (asked.text, asked.targets) == ("I go, too.", ("I go, too.",))
    assert make_answer(asked.record, " \n ") == ModelAnswer(asked.record, "I go , too .", empty=True)
    assert make_answer(asked.record, "\nI went,\n\ntoo.\n") == ModelAnswer(asked.record, "I went , too .")
    assert unit_counts(make_answer(asked.record, "I went, too."), "m2") == (
        {"correct": 0, "proposed": 1, "gold": 0},
        "a",
    )


def test_scores_are_those_of_errorbar_score_to_the_digit() -> None:
    found, score = (
        score_answers((answers("greedy"),), scoring=AnswerScoring("m2", 0.95)),
        printed(known_model("greedy")),
    )
    assert found.n_sentences == 63
    assert found.values == {name: estimate.value for name, estimate in score.estimates.items()}
    assert found.intervals == {name: estimate.interval for name, estimate in score.estimates.items()}
    assert 0 < found.errors["f"] < 0.1


def test_several_answers_to_each_sentence_are_runs(tmp_path: Path) -> None:
    models = known_model("greedy"), known_model("articles")
    for name, model in zip("ab", models, strict=True):
        (tmp_path / f"{name}.txt").write_text("\n".join(model.lines) + "\n", encoding="utf-8")
    (score,) = errorbar.score(GOLD, f"both={tmp_path / 'a.txt'},{tmp_path / 'b.txt'}", retokenize=True)
    found = score_answers((answers("greedy"), answers("articles")), scoring=AnswerScoring("m2", 0.95))
    assert found.values == {name: estimate.value for name, estimate in score.estimates.items()}
    assert found.intervals == {name: estimate.interval for name, estimate in score.estimates.items()}


def test_clusters_can_be_other_groups_or_none() -> None:
    own, given = answers("greedy"), [json.loads(sentence.record)["document"] for sentence in read_prompts(GOLD)]
    scoring = AnswerScoring("m2", 0.95)
    by_document = score_answers((own,), scoring=scoring)
    assert score_answers((own,), tuple(given), scoring) == by_document
    alone = score_answers((own,), ("",) * len(own), scoring)
    assert alone.values == by_document.values
    assert alone.errors != by_document.errors


def test_odd_answers_are_scored_and_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    own = tuple(make_answer(sentence.record, "I am a helpful assistant.") for sentence in read_prompts(GOLD))
    found = score_answers((own,), scoring=AnswerScoring("m2", 0.95))
    assert found.values["f"] < 0.3
    assert "not-this-source" in caplog.text
    assert score_answers((), scoring=AnswerScoring("m2", 0.95)).values == {}


def test_other_metrics() -> None:
    found = score_answers((answers("careful"),), scoring=AnswerScoring("gleu"))
    (score,) = errorbar.score(GOLD, {"x": known_model("careful").lines}, "gleu", retokenize=True, ci=False)
    assert found.values == {"gleu": score.estimate.value}
    assert (found.errors, found.intervals) == ({}, {})
    with pytest.raises(errorbar.ErrorbarError, match="mm2"):
        score_answers((answers("careful"),), scoring=AnswerScoring("mm2"))
