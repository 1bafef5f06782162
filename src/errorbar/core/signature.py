"""The signature: what was computed on which data how, in one comparable line."""

from __future__ import annotations

from dataclasses import dataclass, replace

from errorbar.version import __version__


@dataclass(frozen=True, slots=True)
class Signature:
    """Names what can change a digit and nothing else.

    Attributes:
        spec: The metric's spec in its short form.
        source: Content hash of the source sentences.
        reference: Content hash of the annotations used.
        hypothesis: Content hash of the system's text.
        n_units: Number of sentences.
        n_annotators: Number of annotators.
        conventions: Further named choices, e.g. how unmarked sentences were read.
        version: errorbar's version.
    """

    spec: str
    source: str
    reference: str
    hypothesis: str
    n_units: int
    n_annotators: int
    conventions: tuple[str, ...] = ()
    version: str = __version__

    def __str__(self) -> str:
        parts = [
            self.spec,
            f"src:{self.source}",
            f"ref:{self.reference}",
            f"hyp:{self.hypothesis}",
            f"n:{self.n_units}",
            f"ann:{self.n_annotators}",
            *self.conventions,
            f"v:{self.version}",
        ]
        return "|".join(parts)

    def comparable(self, other: Signature) -> bool:
        """Whether two rows may be ranked together: everything but the hypothesis agrees."""
        return replace(self, hypothesis="") == replace(other, hypothesis="")
