"""What ``crowd score`` and ``curve`` compare systems with: the share of the crowd that calls each item an error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from errorbar.cli.crowd_input import Crowd, CrowdSource, read_crowd, signature, system_flags, table_flags
from errorbar.cli.crowd_stream import Streamed, read_streamed, refuse_streaming, stream_option
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import Answers
from errorbar.crowdsourcing.rater_models import dawid_skene
from errorbar.crowdsourcing.error_labels import error_codes, error_convention
from errorbar.crowdsourcing.answers import majority
from errorbar.crowdsourcing.answers import trust_weighted
from errorbar.formats.reference import NamedFile
from errorbar.metrics.crowd import TIES, Flags, Floats, Ties
from errorbar.stats.streams import stream

Command = TypeVar("Command", bound=Callable[..., Any])
ERROR_HELP = "A label that means an error, or a rule such as '<4'; repeatable.  [default: error]"
SHARES = ("votes", "trust", "dawid-skene")


@dataclass(frozen=True, slots=True)
class ShareOptions:
    """What the shared options say.

    Attributes:
        errors: The labels that mean an error, or rules; none: ``error``.
        shares: What a share is.
        ties: What a tie is to the majority.
        streamed: Whether judgments are counted block by block.
    """

    errors: tuple[str, ...]
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
        convention: What a signature says of the labels that mean an error.
    """

    share: Floats
    n_judgments: NDArray[np.int64]
    read: Crowd | Streamed
    convention: tuple[str, ...]

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
        conventions = (*self.convention, *conventions)
        if isinstance(self.read, Crowd):
            return signature(spec, self.read, flags, conventions)
        return self.read.signature(spec, conventions, flags.tobytes())


def share_options(command: Command) -> Command:
    """``--error``, ``--shares``, ``--ties``, ``--stream``: the command gets them as one argument, ``wanted``."""

    @click.option("--error", "errors", multiple=True, metavar="LABEL", help=ERROR_HELP)
    @click.option("--shares", type=click.Choice(SHARES), default="votes", show_default=True, help="What a share is.")
    @click.option(
        "--ties", type=click.Choice(TIES), default="half", show_default=True, help="What a tie is to the majority."
    )
    @stream_option
    @wraps(command)
    def wrapped(*args: Any, errors: tuple[str, ...], shares: str, ties: Ties, streamed: bool, **options: Any) -> Any:
        return command(*args, wanted=ShareOptions(errors, shares, ties, streamed), **options)

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
    codes = error_codes(answers.labels, wanted.errors)
    convention = error_convention(answers.labels, codes)
    return CrowdShares(answers.share_of(codes), answers.n_judgments, read, convention)


def _answers(crowd: Crowd, shares: str, seed: int) -> Answers:
    if shares == "trust":
        return trust_weighted(crowd.judgments)
    if shares == "dawid-skene":
        return dawid_skene(crowd.judgments, stream(seed, "crowd", "dawid-skene"))[0]
    return majority(crowd.judgments)
