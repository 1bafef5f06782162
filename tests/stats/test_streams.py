from __future__ import annotations

import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest

from errorbar.core import UsageError
from errorbar.stats import blocks, stream
from errorbar.stats.resampling import BLOCK


def test_a_stream_is_what_its_documentation_says() -> None:
    digest = sha256(b"str:9:bootstrap;int:1:3;").digest()
    key = [int.from_bytes(digest[at : at + 4], "little") for at in range(0, 32, 4)]
    by_hand = np.random.PCG64(np.random.SeedSequence(7, spawn_key=key))
    assert stream(7, "bootstrap", 3).bit_generator.random_raw(4).tolist() == by_hand.random_raw(4).tolist()


def test_other_names_other_numbers() -> None:
    streams = [
        stream(0), stream(1), stream(0, "a"), stream(0, "b"), stream(0, "a", "b"), stream(0, "b", "a"),
        stream(0, "ab"), stream(0, 1), stream(0, "1"), stream(0, "a;str:1:b"),
    ]  # fmt: skip
    assert len({rng.bit_generator.random_raw() for rng in streams}) == len(streams)


def test_what_was_drawn_elsewhere_does_not_matter() -> None:
    first = stream(5, "x").random(3)
    stream(5, "y").random(100)
    assert stream(5, "x").random(3).tolist() == first.tolist()


def test_blocks_can_be_drawn_in_any_order() -> None:
    plan = list(blocks(3, "bootstrap", replicates=2 * BLOCK + 7))
    assert BLOCK == 1000  # part of every seed's digits
    assert [size for size, _ in plan] == [BLOCK, BLOCK, 7]
    backwards = [rng.random() for _, rng in reversed(plan)][::-1]
    assert backwards == [rng.random() for _, rng in blocks(3, "bootstrap", replicates=2 * BLOCK + 7)]


def test_more_replicates_begin_with_the_same_ones() -> None:
    (_, short), *_ = blocks(3, "bootstrap", replicates=10)
    (_, long), *_ = blocks(3, "bootstrap", replicates=10 * BLOCK)
    assert short.random() == long.random()


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"the seed is -1 .*\[seed\]"):
        stream(-1)
    with pytest.raises(UsageError, match=r"\[replicates\]"):
        list(blocks(1, replicates=0))


def test_loading_the_layer_does_not_load_scipy() -> None:
    script = "import sys, errorbar.stats; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=100)
    assert done.stdout == "False\n"
