"""A rater over HTTP: does what the page does, and whatever goes wrong between a page and a server.

Answers are kept until a receipt comes, and sent again under the same id. On purpose, now and then: a post is sent twice
at once, two versions of an answer are sent in the wrong order, the connection is broken before the reply is read, an
answer to another rater's item or to another text is tried, an answer is changed, an item skipped, a lease forgotten.
"""

from __future__ import annotations

import asyncio
import random
import uuid

from tests.helpers.lean_http import BrokenError
from tests.judging.jepsen.rater_page import Held, Page, World
from tests.judging.jepsen.study import answer_to, truth
from tests.judging.jepsen.telling import TAG

OVER = ("finished", "excluded", "failed")


def said(held: Held, word: str) -> dict[str, object]:
    """An answer to an item."""
    return answer_to(word, held.item["html"])


class Rater(Page):
    """One of them; ``careless``: tosses a coin, so that the policy excludes them."""

    def __init__(self, world: World, number: int, seed: int, *, careless: bool = False) -> None:
        super().__init__(world, f"rater-{number}", random.Random(f"{seed} {number}"))
        self.careless = careless
        self.leaves_after = 4 * 2 ** (number // 10) if number % 10 == 7 else None  # answers; few on a slow machine, too

    async def run(self) -> None:
        """Until there is nothing left to do and the world drains."""
        while True:
            try:
                if not self.csrf:
                    await self.join()
                elif self.leaves_after is not None and len(self.answered) >= self.leaves_after:
                    await self.withdraw()
                    return
                else:
                    await self.turn()
            except BrokenError:
                await asyncio.sleep(0.05 + 0.2 * self.random.random())
            if self.world.draining and self.standing in OVER and not self.outbox:
                return

    async def turn(self) -> None:
        """A post, mostly an ordinary one."""
        calm = self.world.draining
        if self.world.pause and not calm:
            await asyncio.sleep(self.random.expovariate(1 / self.world.pause))
        if not self.held and not self.outbox:
            if self.standing in (*OVER, "waiting"):
                await asyncio.sleep(0.1 if calm else 0.3)
            await self.claim()
            return
        mischief = 1.0 if calm else self.random.random()
        if await self.make_mischief(mischief):
            return
        for _ in range(10 if calm else self.random.choice((1, 1, 1, 2, 5))):
            if self.held:
                self.answer(next(iter(self.held)))
        if self.outbox:
            await self.post_outbox(mischief)

    async def make_mischief(self, mischief: float) -> bool:
        """Now and then; whether that was all for this turn."""
        if mischief < 0.02:
            await self.try_what_is_not_theirs()
        elif mischief < 0.05 and self.answered:
            self.change_an_answer()
        elif mischief < 0.06:
            self.held.clear()  # a page that was closed: the leases come back by the next claim, or run out
        elif mischief < 0.08 and self.held:
            await self.in_the_wrong_order()
            return True
        return False

    async def post_outbox(self, mischief: float) -> None:
        """Once; or twice at the same time; or without waiting for the reply."""
        body = {"answers": list(self.outbox.values())[:100], "want": self.random.choice((1, 5, 10, 10))}
        if 0.08 < mischief < 0.12:
            await asyncio.gather(self.send(body, self.browser), self.send(body, self.second))
        elif 0.12 < mischief < 0.16:
            await self.send_and_leave(body)
        else:
            await self.send(body, self.browser)

    def answer(self, token: str) -> None:
        """Into the outbox."""
        held = self.held.pop(token)
        self.answered[token] = held
        skip = self.random.random() < 0.01 and not self.world.draining
        self._write(token, held, None if skip else self.judgment(held.item["html"]), "not my language" if skip else "")

    def change_an_answer(self) -> None:
        """Of one of the last ten."""
        token = self.random.choice(list(self.answered)[-10:])
        if not any(each["assignment"] == token for each in self.outbox.values()):
            held = self.answered[token]
            self._write(token, held, said(held, self.random.choice(("error", "ok", "unknown"))), "")

    def judgment(self, html: str) -> dict[str, object]:
        right = truth(html if "data-output" in html else TAG.sub("", html))
        sloppy = 0.5 if self.careless else 0.05
        word = right if self.random.random() > sloppy else {"error": "ok", "ok": "error"}[right]
        return answer_to(word, html)

    def _write(self, token: str, held: Held, answer: dict[str, object] | None, skip: str) -> str:
        name = str(uuid.UUID(int=self.random.getrandbits(128)))
        self.outbox[name] = {
            "submission": name,
            "assignment": token,
            "text_hash": held.item["text_hash"],
            "base_version": held.version,
            "answer": answer,
            "skip": skip,
            "comment": "",
            "milliseconds": self.random.randrange(800, 9000),
            "trail": None,
        }
        return name

    async def in_the_wrong_order(self) -> None:
        """The second version of an answer overtakes the first: two connections."""
        token = next(iter(self.held))
        held = self.held.pop(token)
        self.answered[token] = held
        first = self.outbox[self._write(token, held, self.judgment(held.item["html"]), "")]
        later = Held(held.item, held.version + 1)
        second = self.outbox[self._write(token, later, said(held, "unknown"), "")]
        for each, browser in ((second, self.second), (first, self.browser)):
            await self.send({"answers": [each], "want": 0}, browser)

    async def try_what_is_not_theirs(self) -> None:
        """An item of somebody else's, and another text for an own one: neither may be stored."""
        others = [each for each in self.world.tokens[-500:] if each not in self.seen]
        own = next(iter(self.held), None)
        forged = [self._write(self.random.choice(others), Held({"text_hash": "0" * 16}), {"judgment": "ok"}, "")]
        if own:
            forged.append(self._write(own, Held({"text_hash": "0" * 16}), {"judgment": "ok"}, ""))
        posts = [self.outbox.pop(each) for each in forged]
        await self.send({"answers": posts, "want": 0}, self.browser)
