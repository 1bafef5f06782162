"""At most k judgments of an item at every moment, k at the end, nobody twice."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import get_args

from errorbar.judging.scheme import State
from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import Row, Stored

PLACED = ("open", "done")
COUNTED = ("done",)


def event_state(event: Row) -> str | None:
    """The state that an assignment is in after the event; None: the event is not about one."""
    if event["assignment"] is None:
        return None
    kind: str = event["kind"]
    if kind == "claimed":
        return "open"
    if kind == "answered":
        state: str = json.loads(event["data"])["state"]
        return state
    return kind if kind in get_args(State) else None


def at_most_k_always(_history: History, stored: Stored) -> list[str]:
    """The events, replayed: after none of them has an item more than k places taken; they end as the tables say."""
    work = {row["id"]: row["name"] for row in stored.item if row["kind"] == "work"}
    of = {row["id"]: row for row in stored.assignment}
    state: dict[int, str] = {}
    taken: Counter[int] = Counter()
    faults = []
    for event in stored.event:
        now = event_state(event)
        if now is None:
            continue
        assignment = of[event["assignment"]]
        was = state.get(assignment["id"])
        state[assignment["id"]] = now
        item = assignment["item"]
        if assignment["round"] == "main" and item in work:
            taken[item] += (now in PLACED) - (was in PLACED)
            if taken[item] > stored.raters_per_item:
                faults.append(
                    f"{work[item]} had {taken[item]} places taken after event {event['id']} ({event['kind']})"
                )
    faults += [
        f"assignment {each} is {row['state']}, its events end with {state.get(each)}"
        for each, row in of.items()
        if row["state"] != state.get(each)
    ]
    return faults


def k_at_the_end(_history: History, stored: Stored) -> list[str]:
    """Each item for work has k answers that count, or was stopped with a reason; the count beside it is right."""
    done: Counter[int] = Counter()
    placed: Counter[int] = Counter()
    for row in stored.assignment:
        if row["round"] == "main":
            done[row["item"]] += row["state"] in COUNTED
            placed[row["item"]] += row["state"] in PLACED
    faults = []
    for item in stored.item:
        if item["kind"] != "work":
            if item["taken"]:
                faults.append(f"the gold item {item['name']} takes {item['taken']} places")
            continue
        k, here = stored.raters_per_item, done[item["id"]]
        if here > k or (here < k and not item["stopped"]):
            faults.append(f"{item['name']} ends with {here} answers of {k}, and was not stopped")
        if item["taken"] != placed[item["id"]]:
            faults.append(f"{item['name']} counts {item['taken']} places, {placed[item['id']]} are taken")
    return faults


def nothing_handed_out_while_halted(_history: History, stored: Stored) -> list[str]:
    """From a halt to the end of it, no item for work is given to anybody that lacked a judgment when it came."""
    work = {row["id"]: row["name"] for row in stored.item if row["kind"] == "work"}
    of = {row["id"]: row for row in stored.assignment if row["round"] == "main" and row["item"] in work}
    state: dict[int, str] = {}
    lacking: set[int] = set()
    faults = []
    for event in stored.event:
        if event["kind"] == "halted":
            done = Counter(of[each]["item"] for each, now in state.items() if now in COUNTED)
            lacking = {item for item in work if done[item] < stored.raters_per_item}
        elif event["kind"] == "resumed":
            lacking = set()
        elif event["assignment"] in of and (now := event_state(event)) is not None:
            state[event["assignment"]] = now
            item = of[event["assignment"]]["item"]
            if event["kind"] == "claimed" and item in lacking:
                faults.append(f"{work[item]} was handed out by event {event['id']} while the study was halted")
    return faults


def nobody_twice(_history: History, stored: Stored) -> list[str]:
    """Neither a rater nor a participant has an item twice in a round."""
    seen: dict[tuple[int, str, str], int] = {}
    who = {row["id"]: row["participant"] for row in stored.rater}
    faults = []
    for row in stored.assignment:
        key = (row["item"], row["round"], who[row["rater"]])
        if key in seen:
            faults.append(f"item {row['item']} was given to {key[2]} twice in the round {row['round']}")
        seen[key] = row["id"]
    return faults


def states_have_answers(_history: History, stored: Stored) -> list[str]:
    """What was judged has an answer, what was skipped a reason, and what is open or expired and never answered none."""
    last: dict[int, Row] = {}
    for row in stored.answer:
        last[row["assignment"]] = max(row, last.get(row["assignment"], row), key=lambda each: each["version"])
    faults = []
    for row in stored.assignment:
        answer = last.get(row["id"])
        judged = answer is not None and answer["answer"] != "null"
        if row["state"] in ("done", "extra", "aside") and not judged:
            faults.append(f"assignment {row['id']} is {row['state']} and has no answer")
        if row["state"] == "skipped" and (judged or answer is None or not answer["skip"]):
            faults.append(f"assignment {row['id']} is skipped, its last answer is not a skip with a reason")
    return faults


def excluded_do_not_count(_history: History, stored: Stored) -> list[str]:
    """No answer of a rater who is excluded at the end takes a place; nothing that they answered is gone."""
    out = {row["id"]: row["name"] for row in stored.rater if row["status"] == "excluded"}
    counted: dict[int, int] = defaultdict(int)
    for row in stored.assignment:
        if row["rater"] in out and row["state"] in PLACED and row["round"] == "main":
            counted[row["rater"]] += 1
    open_exclusions = {row["rater"] for row in stored.exclusion if row["until"] is None}
    faults = [f"{out[each]} is excluded, and {n} of their assignments take places" for each, n in counted.items()]
    return faults + [
        f"rater {each} is {'excluded' if each in out else 'active'}, the table of exclusions says otherwise"
        for each in set(out) ^ open_exclusions
    ]


def editors_as_designed(_history: History, stored: Stored) -> list[str]:
    """Nobody was ever given two outputs of one sentence, gold or not; nested editors work for one system alone."""
    if stored.editors == "free":
        return []
    of = {row["id"]: json.loads(row["payload"]) for row in stored.item}
    systems: dict[tuple[int, str], set[str]] = defaultdict(set)
    by_rater: dict[int, set[str]] = defaultdict(set)
    for row in stored.assignment:
        item = of[row["item"]]
        systems[row["rater"], item["hidden"]["sentence"]].update(item["names"])
        if item["kind"] == "work":
            by_rater[row["rater"]].update(item["names"])
    faults = [
        f"rater {rater} was given the outputs of {', '.join(sorted(names))} of sentence {sentence}"
        for (rater, sentence), names in systems.items()
        if len(names) > 1
    ]
    if stored.editors == "nested":
        faults += [f"rater {rater} edits {len(names)} systems" for rater, names in by_rater.items() if len(names) > 1]
    return faults


def withdrawn_stay_out(history: History, stored: Stored) -> list[str]:
    """A withdrawal that was acknowledged is kept, and nothing is given to its rater or stored of them after it."""
    rater_of_token = {row["token"]: row["rater"] for row in stored.assignment}
    raters = {op.who: rater_of_token.get(op.data["assignment"]) for op in history.of("seen")}
    left = {event["rater"]: event["id"] for event in stored.event if event["kind"] == "withdrawn"}
    status = {row["id"]: row["status"] for row in stored.rater}
    faults = [
        f"{op.who} was told that they have withdrawn, and is {status.get(raters[op.who] or 0)}"
        for op in history.of("withdraw", "ok")
        if op.who in raters and (status.get(raters[op.who] or 0) != "withdrawn" or raters[op.who] not in left)
    ]
    return faults + [
        f"rater {event['rater']} withdrew by event {left[event['rater']]}, and event {event['id']} is {event['kind']}"
        for event in stored.event
        if event["id"] > left.get(event["rater"], event["id"]) and event["kind"] in ("claimed", "answered")
    ]
