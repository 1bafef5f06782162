"""Pools of judges: which annotators, or raters, belong together.

Conventions
    A pool lists names, or patterns with ``*``, ``?`` and ``[...]`` as files have them; a name that is a judge's stands
    for that judge. Every entry must match somebody, nobody can be in two pools, and there are at least two pools; at
    least three where they are a random sample of pools. Who is in no pool counts in no row of a pool, and a note says
    so.
Source
    docs/pools.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from errorbar.core.corpus import ContentHash
from errorbar.core.labels import format_count, join_words, natural_order
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest

NOWHERE = Place()
ALL_POOLS = "all pools"
"""The mean over pools that are a sample, in tables."""
LEAST_POOLS, LEAST_SAMPLED = 2, 3
"""Pools that can be told apart, and that show how pools vary."""


@dataclass(frozen=True, slots=True)
class Pool:
    """Judges who belong together."""

    name: str
    judges: tuple[str, ...]  # names or patterns; once they were matched, names alone
    described: str = ""  # who they are: guideline, expertise, first language
    place: Place = NOWHERE  # where it is declared

    def matches(self, judge: str, known: Sequence[str]) -> bool:
        """Whether a judge belongs to it, of all that there are."""
        return any(_matches(entry, judge, known) for entry in self.judges)


@dataclass(frozen=True, slots=True)
class Pools:
    """All pools of a study."""

    pools: tuple[Pool, ...]
    sampled: bool = False  # they are a random sample of pools: others could have been drawn

    def __iter__(self) -> Iterator[Pool]:
        return iter(self.pools)

    def __len__(self) -> int:
        return len(self.pools)

    @property
    def judges(self) -> tuple[str, ...]:
        """Everybody who is in a pool."""
        return tuple(judge for pool in self.pools for judge in pool.judges)

    @property
    def descriptions(self) -> list[str]:
        """A line on who is in each pool that is described."""
        return [f"pool {pool.name}: {pool.described}" for pool in self.pools if pool.described]

    @property
    def convention(self) -> str:
        """How they are named in a signature: how many judges each has, and a hash of who is where."""
        content = ContentHash()
        content.add(["\t".join((pool.name, *pool.judges)) for pool in self.pools])
        sizes = "+".join(str(len(pool.judges)) for pool in self.pools)
        return f"pools:{'random' if self.sampled else 'fixed'},{sizes},{content.short()}"

    def sign(self, signature: str) -> str:
        """A signature with the pools, before the version, which stands last."""
        before, bar, version = signature.rpartition("|")
        return f"{before}|{self.convention}{bar}{version}"

    def of(self, judges: Sequence[str], problems: Problems, kind: str = "annotator") -> Pools:
        """The pools of the judges there are, patterns replaced; a note names who is in none.

        Raises:
            InputError: If an entry matches nobody, or somebody is in two pools; ``UsageError`` of pools in memory.
        """
        errors = [
            Problem(
                "pool-nobody",
                f"pool {pool.name}: no {kind} is called '{entry}'",
                pool.place,
                fix=nearest(entry, judges),
            )
            for pool in self.pools
            for entry in pool.judges
            if not any(_matches(entry, judge, judges) for judge in judges)
        ]
        members = {judge: [pool for pool in self.pools if pool.matches(judge, judges)] for judge in judges}
        for judge, own in members.items():
            if len(own) > 1:
                message = f"{kind} {judge} is in {len(own)} pools: {join_words([pool.name for pool in own])}"
                errors.append(Problem("pool-twice", message, own[1].place, "one pool for each", "keep one of them"))
        if errors:
            raise (InputError if str(errors[0].place) else UsageError)(errors)
        if without := [judge for judge, own in members.items() if not own]:
            message = (
                f"{join_words(without)} {'is' if len(without) == 1 else 'are'} in no pool, and in no row of a pool"
            )
            problems.note("pool-none", message, Place(), fix="add them to a pool")
        named = {pool.name: tuple(j for j in judges if pool in members[j]) for pool in self.pools}
        return replace(self, pools=tuple(replace(pool, judges=named[pool.name]) for pool in self.pools))


def named_pools(pool_of: Mapping[str, str]) -> Pools | None:
    """The pools of judges of whom each has the name of one, empty: none; None where there are fewer than two."""
    names = natural_order({pool for pool in pool_of.values() if pool})
    members = {name: tuple(judge for judge, pool in pool_of.items() if pool == name) for name in names}
    pools = tuple(Pool(name, judges) for name, judges in members.items())
    return Pools(pools) if len(pools) >= LEAST_POOLS else None


def check_pools(pools: Pools, place: Place = NOWHERE) -> Pools:
    """Refuse too few pools, or one without judges; the pools as they are."""
    least = LEAST_SAMPLED if pools.sampled else LEAST_POOLS
    if len(pools) < least:
        why = "too few to show how pools vary" if pools.sampled else "too few to compare"
        message = f"{format_count(len(pools), 'pools')}: {why}"
        fix = (
            "leave out random: the range over pools is shown" if len(pools) == LEAST_POOLS else 'minimal = ["A1", "A2"]'
        )
        raise UsageError(Problem("pool-few", message, place, f"at least {least} pools", fix))
    for pool in pools:
        if pool.name == ALL_POOLS:
            message = f"a pool is called '{ALL_POOLS}', which is the mean over pools in tables"
            raise UsageError(Problem("reserved-name", message, pool.place, fix="rename it"))
        if not pool.name.strip() or not pool.judges or not all(pool.judges):
            message = f"pool '{pool.name}' has no name or no judges"
            raise UsageError(Problem("pool-few", message, pool.place, "names or patterns of judges"))
    return pools


def _matches(entry: str, judge: str, known: Sequence[str]) -> bool:
    return judge == entry or (entry not in known and fnmatchcase(judge, entry))
