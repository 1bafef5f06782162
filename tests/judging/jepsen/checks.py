"""All checks of a history and a store, by when they hold."""

from __future__ import annotations

from collections.abc import Callable

from tests.judging.jepsen import check_answers, check_looks, check_outside, check_places, telling
from tests.judging.jepsen.history import History
from tests.judging.jepsen.stored import Stored

Check = Callable[[History, Stored], list[str]]
ALWAYS: tuple[Check, ...] = (
    check_outside.file_is_whole,
    check_answers.acknowledged_is_stored,
    check_answers.stored_was_sent,
    check_answers.versions_without_gaps,
    check_answers.own_work_alone,
    check_places.at_most_k_always,
    check_places.nobody_twice,
    check_places.editors_as_designed,
    check_places.states_have_answers,
    check_places.nothing_handed_out_while_halted,
    check_places.withdrawn_stay_out,
)
"""At every moment, also after a kill."""
OF_LOOKS: tuple[Check, ...] = (
    check_looks.looks_show_what_is_stored,
    check_looks.looks_miss_nothing_acknowledged,
    check_looks.looks_fail_for_a_reason,
)
"""Of whoever looked while raters worked."""
OF_A_RUN: tuple[Check, ...] = (
    check_answers.same_receipt_again,
    check_answers.versions_in_order_of_time,
    check_places.excluded_do_not_count,
    check_outside.no_error_but_a_full_disk,
    *OF_LOOKS,
)
"""Of all that was seen, when the raters have stopped."""
AT_THE_END: tuple[Check, ...] = (check_places.k_at_the_end, telling.gold_cannot_be_told)
"""When all work is done."""
