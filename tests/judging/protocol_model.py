"""The protocol as dictionaries: what must have become of every assignment, written without a look at the store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from errorbar.judging import Lease
from errorbar.judging.protocol.assignments import HALTED

RECENT, APART = 10, 10
Key = tuple[int, str, str]  # rater, item, round


@dataclass
class Assigned:
    """One assignment."""

    token: str
    nth: int  # of all, in the order in which they were made
    seq: int
    until: float
    state: str = "open"
    version: int = 0
    answer: dict[str, str] | None = None
    answered: int = 0
    stands_for: str = ""  # of gold and repeats: the work item in whose place they came


@dataclass
class Model:
    """A study."""

    k: int
    minutes: float
    now: float
    work: dict[str, str] = field(default_factory=dict)  # why it was stopped; empty: it was not
    gold: set[str] = field(default_factory=set)
    in_order: bool = False
    active: dict[int, bool] = field(default_factory=dict)
    all: dict[Key, Assigned] = field(default_factory=dict)
    claims: dict[int, int] = field(default_factory=dict)
    answers: dict[int, int] = field(default_factory=dict)

    def taken(self, item: str) -> int:
        return sum(
            one.state in ("open", "done")
            for (_, name, round), one in self.all.items()
            if (name, round) == (item, "main")
        )

    def has(self, rater: int, item: str, round: str = "main") -> bool:
        return (rater, item, round) in self.all and self.all[rater, item, round].state != "expired"

    def eligible(self, rater: int) -> list[str]:
        return [
            item
            for item, stopped in self.work.items()
            if not stopped and self.taken(item) < self.k and not self.has(rater, item)
        ]

    def done(self, item: str) -> int:
        return sum(one.state == "done" for (_, name, round), one in self.all.items() if (name, round) == (item, "main"))

    def lacking(self, *halted: str) -> list[str]:
        """Items that wait for a judgment: not stopped, or only by a halt."""
        return [
            item
            for item, why in self.work.items()
            if self.done(item) < self.k and (not why or why.startswith(halted or ("\0",)))
        ]

    def halt(self) -> int:
        found = self.lacking()
        self.work |= dict.fromkeys(found, HALTED)
        return len(found)

    def resume(self) -> int:
        found = [item for item, why in self.work.items() if why == HALTED]
        self.work |= dict.fromkeys(found, "")
        return len(found)

    def live(self, rater: int) -> list[str]:
        """Tokens, in the rater's order."""
        ones = [one for (who, _, _), one in self.all.items() if who == rater and one.state == "open"]
        return [one.token for one in sorted(ones, key=lambda one: one.seq)]

    def standing(self, rater: int) -> str:
        """Of an active rater who holds nothing, where nothing is eligible."""
        may_return = any(
            one.state == "open"
            and round == "main"
            and who != rater
            and item in self.work
            and not self.work[item]
            and not self.has(rater, item)
            for (who, item, round), one in self.all.items()
        )
        return "waiting" if may_return else "finished"

    def repeatable(self, rater: int, item: str) -> bool:
        first = self.all.get((rater, item, "main"))
        far = first is not None and self.claims[rater] + 1 - first.seq > APART
        new = (rater, item, "repeat") not in self.all
        return far and new and first is not None and first.state in ("done", "extra")

    def lapsed(self, rater: int) -> list[str]:
        """Tokens of what comes again before all else, in the rater's order."""
        found = []
        for (who, item, _), one in self.all.items():
            work = one.stands_for or item
            own = (rater, work, "main") in self.all and self.all[rater, work, "main"].state in ("open", "done")
            free = not self.work[work] and self.taken(work) - own < self.k
            if who == rater and one.state == "expired" and free and not self.work.get(item):
                found.append(one)
        return [one.token for one in sorted(found, key=lambda one: one.seq)]

    def expire(self) -> None:
        for key, one in self.all.items():
            if one.state == "open" and not self.now < one.until <= self.now + self.minutes * 60 + 86_400:
                self.free(key, one, "expired")

    def take(self, rater: int, lease: Lease, stands_for: str) -> None:
        """A new lease, or one again."""
        until = self.now + self.minutes * 60
        key = (rater, lease.item.name, lease.round)
        old = self.all.get(key)
        if old is None:
            self.claims[rater] += 1
            number, seq = len(self.all), self.claims[rater]
            self.all[key] = Assigned(lease.token, number, seq, until, stands_for=stands_for)
        else:
            assert old.token == lease.token
            assert old.version == 0
            old.state, old.until = "open", until

    def free(self, key: Key, one: Assigned, state: str) -> None:
        """Leave a place, which goes to an extra answer if there is one."""
        one.state = state
        self.fill(key[1])

    def fill(self, item: str) -> None:
        if item in self.work:
            while self.taken(item) < self.k:
                extra = [
                    one
                    for (who, name, round), one in self.all.items()
                    if (name, round) == (item, "main") and one.state == "extra" and self.active[who]
                ]
                if not extra:
                    return
                min(extra, key=lambda one: one.nth).state = "done"

    def find(self, token: str) -> tuple[Key, Assigned]:
        return next((key, one) for key, one in self.all.items() if one.token == token)

    def recent(self, key: Key, one: Assigned) -> bool:
        return one.version == 0 or self.answers[key[0]] - one.answered < RECENT

    def store(self, token: str, answer: dict[str, str] | None) -> str:
        """An answer that fits; the receipt's status."""
        key, one = self.find(token)
        rater, item, round = key
        counted = round == "main" and item in self.work
        if not one.version:
            self.answers[rater] += 1
            one.answered = self.answers[rater]
        one.version += 1
        one.answer = answer
        if answer is None:
            state = "skipped"
        elif not self.active[rater]:
            state = "aside"
        elif one.state in ("open", "done") or not counted or self.taken(item) < self.k:
            state = "done"
        else:
            state = "extra"
        if one.state in ("open", "done") and state not in ("open", "done"):
            self.free(key, one, state)
        else:
            one.state = state
        return "extra" if state == "extra" else "saved"

    def exclude(self, rater: int) -> None:
        self.active[rater] = False
        for key, one in self._of(rater, "open"):
            self.free(key, one, "expired")
        for key, one in self._of(rater, "done"):
            self.free(key, one, "aside")

    def readmit(self, rater: int) -> None:
        self.active[rater] = True
        for (_, item, round), one in sorted(self._of(rater, "aside"), key=lambda each: each[1].nth):
            free = round != "main" or item in self.gold or self.taken(item) < self.k
            one.state = "done" if free else "extra"
        for (_, item, _), _ in self._of(rater, "extra"):
            self.fill(item)

    def set_k(self, k: int) -> None:
        self.k = k
        for item in self.work:
            takers = [
                one
                for (_, name, round), one in self.all.items()
                if (name, round) == (item, "main") and one.state in ("open", "done")
            ]
            takers.sort(key=lambda one: (one.state == "done", -one.nth))
            for one in takers[: max(len(takers) - k, 0)]:
                one.state = "expired" if one.state == "open" else "extra"
            self.fill(item)

    def _of(self, rater: int, state: str) -> list[tuple[Key, Assigned]]:
        return [(key, one) for key, one in self.all.items() if key[0] == rater and one.state == state]

    def states(self) -> Iterator[tuple[Key, str]]:
        return ((key, one.state) for key, one in self.all.items())
