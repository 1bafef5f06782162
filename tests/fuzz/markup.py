"""Mutations of XML and SGML: tags, attributes, entities, nesting."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.fuzz.plain import MOST, TextMutator, pick, splice
from tests.fuzz.values import GENTLE_NUMBERS, NUMBERS, WORDS

_TAG = re.compile(r"<[^<>]{0,2000}>")
_ATTRIBUTE = re.compile(r' ?([\w-]+)="([^"<>]*)"')
_TEXT = re.compile(r"(?<=>)[^<>]+(?=<)")
_PIECES = (
    *("&lt;", "&amp;", "&bogus;", "&", "&#0;", "&#27;", "&#xD800;", "&#x2028;", "<!-- c -->", "<!--", "<![CDATA[x]]>"),
    *("<?php x?>", "<?xml version='1.0'?>", "]]>", "<x>", "</x>", "<x/>", "<empty/>", "<", ">", "<!DOCTYPE a>"),
)
_LAUGHS = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;">]>'
_OUTSIDE = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>'
_ENCODINGS = (
    "UTF-8",
    "utf-16",
    "latin-1",
    "ascii",
    "windows-1252",
    "x-unknown",
    "utf-7",
    "idna",
    "zlib",
    "\N{BULLET}",
    "",
)


def drop_tag(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _TAG, text), "")


def duplicate_tag(rng: Random, text: str) -> str:
    match = pick(rng, _TAG, text)
    return splice(text, match, match[0] * 2 if match else "")


def rename_tag(rng: Random, text: str) -> str:
    match = pick(rng, _TAG, text)
    name = rng.choice(("x", "edit", "TEXT", "ANNOTATION", "P", "translation", "original"))
    return splice(text, match, re.sub(r"[\w-]+", name, match[0], count=1) if match else "")


def gentle_attribute(rng: Random, text: str) -> str:
    return _attribute(rng, text, lambda old: rng.choice(GENTLE_NUMBERS) if old.isdecimal() else f"{old[:8]}x")


def odd_attribute(rng: Random, text: str) -> str:
    return _attribute(rng, text, lambda _: rng.choice(NUMBERS + WORDS))


def drop_attribute(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _ATTRIBUTE, text), "")


def repeat_attribute(rng: Random, text: str) -> str:
    match = pick(rng, _ATTRIBUTE, text)
    return splice(text, match, f'{match[0]} {match[1]}="x"' if match else "")


def duplicate_element(rng: Random, text: str) -> str:
    """An element comes twice; the first closing tag of its name ends it."""
    match = pick(rng, re.compile(r"<([\w-]+)[^<>]{0,500}>.{0,3000}?</\1>", re.DOTALL), text)
    return splice(text, match, match[0] * 2 if match else "")


def drop_element(rng: Random, text: str) -> str:
    return splice(text, pick(rng, re.compile(r"<([\w-]+)[^<>]{0,500}>.{0,3000}?</\1>", re.DOTALL), text), "")


def insert_piece(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _TEXT, text), rng.choice(_PIECES))


def comment(rng: Random, text: str) -> str:
    match = pick(rng, _TAG, text)
    return splice(text, match, f"{match[0]}<!-- looked at -->" if match else "")


def declare(rng: Random, text: str) -> str:
    body = re.sub(r"^\s*<\?xml[^>]*\?>", "", text)
    declared = f'<?xml version="{rng.choice(("1.0", "1.1", "2"))}" encoding="{rng.choice(_ENCODINGS)}"?>'
    return f"{declared}{rng.choice(('', '', _LAUGHS, _OUTSIDE))}{body}"


def nest(rng: Random, text: str) -> str:
    """A tag opened many times over, and closed as often or not."""
    match = pick(rng, re.compile(r"<([\w-]+)[^<>]{0,100}>"), text)
    if match is None:
        return text
    times = rng.randint(2, max(2, (MOST - len(text)) // (2 * len(match[0]) + 3)))
    closed = f"</{match[1]}>" * times if rng.random() < 0.7 else ""
    return splice(text, match, match[0] * times + closed + match[0])


def long_tag(rng: Random, text: str) -> str:
    """A tag of many letters, spaces or attributes, ended or not."""
    size = rng.randint(1000, max(1001, MOST - len(text)))
    inner = rng.choice(("a" * size, "a" + " " * size, "<" * size, "a " * (size // 2)))
    inner = rng.choice(
        (inner, " ".join(f'a{n}="1"' for n in range(size // 9)), f'x y="{"z" * size}"', "!--" + "-" * size)
    )
    match = pick(rng, _TAG, text)
    return splice(text, match, f"{match[0]}<{inner}{rng.choice(('>', ''))}" if match else "")


def _attribute(rng: Random, text: str, change: Callable[[str], str]) -> str:
    match = pick(rng, _ATTRIBUTE, text)
    return splice(text, match, f' {match[1]}="{change(match[2])}"' if match else "")


GENTLE: tuple[TextMutator, ...] = (gentle_attribute, comment, duplicate_element, drop_element)
WILD: tuple[TextMutator, ...] = (
    *(drop_tag, duplicate_tag, rename_tag, odd_attribute, odd_attribute, drop_attribute, repeat_attribute),
    *(insert_piece, insert_piece, declare, *GENTLE),
)
LARGE: tuple[TextMutator, ...] = (nest, long_tag)
