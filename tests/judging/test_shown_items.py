"""Markup that a server keeps: the same as made anew, in so many characters and no more."""

from __future__ import annotations

from errorbar.judging.exchange import Lease
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import load_scheme
from errorbar.judging.screens import fragment
from errorbar.judging.web.shown_items import ShownItems

SCHEME = load_scheme("error-ok")


def lease(token: str, words: int) -> Lease:
    return Lease(token, JudgedItem(token, "word " * words, (0, 4)), "main", False)


def test_large_texts_push_out_what_was_shown_longest_ago() -> None:
    made: list[str] = []

    def make(scheme: object, item: JudgedItem, _: bool) -> str:
        made.append(item.name)
        return fragment(SCHEME, item)

    small = len(fragment(SCHEME, lease("a", 2).item))
    shown = ShownItems(make, most=2 * small)
    for token in ("a", "b", "a", "c", "a", "b"):
        shown.of(SCHEME, lease(token, 2))
    assert made == ["a", "b", "c", "b"]  # a was asked for again and again
    assert shown.size == 2 * small


def test_a_text_that_is_too_large_is_shown_and_not_kept() -> None:
    shown = ShownItems(fragment, most=1000)
    text_hash, html = shown.of(SCHEME, lease("book", 5000))
    assert (text_hash, html) == (lease("book", 5000).item.text_hash(), fragment(SCHEME, lease("book", 5000).item))
    assert shown.size == 0
