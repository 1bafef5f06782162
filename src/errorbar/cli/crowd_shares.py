"""What ``crowd score`` and ``curve`` compare systems with: the share of the crowd that calls each item an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from errorbar.cli.crowd_input import Crowd, CrowdSource, error_label, read_crowd, signature, system_flags, table_flags
from errorbar.cli.crowd_stream import Streamed, read_streamed, refuse_streaming, stream_option
from errorbar.core.problems import Problems
from errorbar.crowd.answers import Answers
from errorbar.crowd.dawid_skene import dawid_skene
from errorbar.crowd.majority import majority
from errorbar.crowd.trust import trust_weighted
from errorbar.formats.reference import NamedFile
from errorbar.metrics.crowd import TIES, Flags, Floats, Ties
from errorbar.stats.streams import stream

Command = TypeVar("Command", bound=Callable[..., Any])
SHARES = ("votes", "trust", "dawid-skene")


@dataclass(frozen=True, slots=True)
class ShareOptions:
    """What the shared options say.

    Attributes:
        error: The label that means an error.
        shares: What a share is.
        ties: What a tie is to the majority.
        streamed: Whether judgments are counted block by block.
    """

    error: str
    shares: str
    ties: Ties
    streamed: bool


@dataclass(frozen=True, slots=True, eq=False)
class CrowdShares:
    """Shares of errors and what came with them.

    Attributes:
        share: Share of errors of each item; shape (items,), as the next.
        n_judgments: Judgments of each item.
        read: What was read.
    """

    share: Floats
    n_judgments: NDArray[np.int64]
    read: Crowd | Streamed

    @property
    def clusters(self) -> NDArray[np.int64] | None:
        """Cluster of each item, or None."""
        return self.read.clusters if isinstance(self.read, Crowd) else None

    def flags(self, system: str, problems: Problems) -> tuple[str, Flags]:
        """A system's name and its flag for each item.

        Raises:
            InputError: If the file is bad or does not fit.
        """
        if isinstance(self.read, Crowd):
            return system_flags(system, self.read, problems)
        file = NamedFile.parse(system)
        return file.name, table_flags(file, self.read.answers.items, problems)

    def signature(self, spec: str, flags: Flags, conventions: Sequence[str]) -> str:
        """What can change a digit."""
        if isinstance(self.read, Crowd):
            return signature(spec, self.read, flags, conventions)
        return self.read.signature(spec, conventions, flags.tobytes())


def share_options(command: Command) -> Command:
    """``--error``, ``--shares``, ``--ties``, ``--stream``: the command gets them as one argument, ``wanted``."""

    @click.option("--error", default="", metavar="LABEL", help="The label that means an error.  [default: error]")
    @click.option("--shares", type=click.Choice(SHARES), default="votes", show_default=True, help="What a share is.")
    @click.option(
        "--ties", type=click.Choice(TIES), default="half", show_default=True, help="What a tie is to the majority."
    )
    @stream_option
    @wraps(command)
    def wrapped(*args: Any, error: str, shares: str, ties: Ties, streamed: bool, **options: Any) -> Any:
        return command(*args, wanted=ShareOptions(error, shares, ties, streamed), **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


def read_shares(path: str, source: CrowdSource, wanted: ShareOptions, seed: int, problems: Problems) -> CrowdShares:
    """Read judgments and find the share of errors of each item.

    Raises:
        InputError: If a file is bad.
        UsageError: If no label means an error, or the judgments do not allow the shares.
    """
    read: Crowd | Streamed
    if wanted.streamed:
        if wanted.shares != "votes":
            what = f"--shares {wanted.shares} needs all judgments at once, which is not possible"
            refuse_streaming(what, "leave out --stream, or take the votes")
        read = read_streamed(path, source, problems)
        answers = read.answers
    else:
        read = read_crowd(path, source, problems)
        answers = _answers(read, wanted.shares, seed)
    code = error_label(answers.labels, wanted.error)
    return CrowdShares(np.clip(answers.shares[:, code], 0, 1), answers.n_judgments, read)


def _answers(crowd: Crowd, shares: str, seed: int) -> Answers:
    if shares == "trust":
        return trust_weighted(crowd.judgments)
    if shares == "dawid-skene":
        return dawid_skene(crowd.judgments, stream(seed, "crowd", "dawid-skene"))[0]
    return majority(crowd.judgments)
