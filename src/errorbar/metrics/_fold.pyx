"""The running choice of annotators over many replicates: the fast twin of edit_metric.py, sum by sum.

Most annotators can never be chosen for a sentence, because another one has at least as many correct, at most as many
proposed and at most as many reference edits (false and missed ones where F is rounded to four places, _rounded.pyx):
whatever the totals, the key of the other is not smaller, also after rounding, which keeps order. They are left out once, before the replicates; of ten annotators one or two remain. Where
every replicate has annotators of its own, one is left out where a replicate has another who beats it.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc

from errorbar.metrics._rounded cimport (
    Weight, fold_rounded, fold_rounded_swapped, orderly, sort_candidates, weight_of,
)
from errorbar.metrics._whole cimport (
    BITS, Candidate, Choice, Step, Weights, Whole, fold_masked, fold_swapped, fold_whole, list_choices, list_steps,
    list_whole, members, ordinary, usual, whole_weights,
)

cdef enum:
    ENOUGH = 8  # replicates for which looking ahead pays


cdef bint beats(const Candidate *x, const Candidate *y, bint wrong) noexcept nogil:
    """Whether x is chosen before y whatever the totals so far are; ``wrong``: false and missed edits tell."""
    cdef double less = x.c - y.c if wrong else 0.0
    if x.c < y.c or x.p - less > y.p or x.g - less > y.g:
        return False
    return x.a < y.a or x.c > y.c or x.p < y.p or x.g < y.g


cdef void list_candidates(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const uint8_t[:, ::1] masks, bint prune,
    bint sets, bint wrong, Candidate *found, int64_t *offset,
) noexcept nogil:
    """Who may be chosen for each unit, in the order of annotators."""
    cdef Py_ssize_t u, a
    cdef int64_t at = 0, first, x, y, kept
    cdef bint one_mask = masks.shape[0] == 1, beaten
    for u in range(counts.shape[0]):
        first = offset[u] = at
        for a in range(counts.shape[1]):
            if not present[u, a] or (one_mask and not masks[0, a]):
                continue
            found[at].c, found[at].p, found[at].g = counts[u, a, 0], counts[u, a, 1], counts[u, a, 2]
            found[at].a = a
            found[at].beaten = 0
            at += 1
        if sets:
            for x in range(first, at):
                for y in range(first, at):
                    if beats(&found[y], &found[x], wrong):
                        found[x].beaten |= <uint64_t>1 << found[y].a
        if not prune:
            continue
        kept = first
        for x in range(first, at):  # against those kept and those to come: who beat a dropped one beats x as well
            beaten = False
            for y in range(first, kept):
                beaten = beaten or beats(&found[y], &found[x], wrong)
            for y in range(x + 1, at):
                beaten = beaten or beats(&found[y], &found[x], wrong)
            if not beaten:
                found[kept] = found[x]
                kept += 1
        at = kept
    offset[counts.shape[0]] = at


def fold_replicates(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const int64_t[:, ::1] units,
    const int64_t[::1] slots, const uint8_t[:, ::1] swaps, const uint8_t[:, ::1] packed_swaps,
    const uint8_t[:, ::1] masks, double beta, bint running, bint rounded, int64_t[:, ::1] totals,
    int64_t[::1] n_units, int32_t[:, ::1] chosen,
):
    """Add the chosen annotator's counts to ``totals`` (replicates, 3), unit after unit.

    ``units`` and ``masks`` have one row, used by every replicate, or one row each. ``swaps`` has no row, or one row
    each; then the second half of the units are the same sentences of another system, and place k is read from there
    where column ``slots[k]`` of the row says so (-1: never); ``packed_swaps`` are the same as bits, the first the
    lowest. ``chosen`` has no row (not wanted) or one row each, -1 where nobody looked.
    """
    cdef Py_ssize_t r, k, u, ur, mr, R = totals.shape[0], n = units.shape[1], U = counts.shape[0]
    cdef int64_t x, best, used
    cdef double c, p, g, C, P, G, best_c
    cdef double b2 = beta * beta, f, size, denominator, best_f, best_size
    cdef bint many_masks = masks.shape[0] > 1, want_chosen = chosen.shape[0] > 0, ahead, fast
    cdef bint swapping = swaps.shape[0] > 0
    cdef Py_ssize_t second = U // 2
    cdef Weights weights
    cdef Weight weight
    cdef const int64_t *row
    cdef uint64_t allowed
    cdef Candidate *found = <Candidate *>malloc((U * counts.shape[1] + 1) * sizeof(Candidate))
    cdef int64_t *offset = <int64_t *>malloc((U + 1) * sizeof(int64_t))
    cdef Whole *whole = <Whole *>malloc((U * counts.shape[1] + 1) * sizeof(Whole))
    cdef int64_t *start = <int64_t *>malloc((U + 1) * sizeof(int64_t))
    cdef int64_t n_steps
    cdef Choice *choices = NULL
    cdef Step *steps = <Step *>malloc((n + 1) * sizeof(Step))
    if found == NULL or offset == NULL or whole == NULL or start == NULL or steps == NULL:
        free(found)
        free(offset)
        free(whole)
        free(start)
        free(steps)
        raise MemoryError("not enough memory for the counts of the sentences")
    with nogil:
        weight = weight_of(b2, usual(b2))
        ahead = R >= ENOUGH and usual(b2)
        ahead = ahead and (orderly(b2, counts, totals, n) if rounded else ordinary(counts, totals))
        fast = ahead and running and not (many_masks and (want_chosen or swapping or masks.shape[1] > BITS))
        fast = fast and not (want_chosen and swapping)
        weights.p, weights.g = 0, 1  # what is called a denominator are the reference edits
        if rounded:
            fast = fast and swapping
        elif fast:
            weights = whole_weights(b2, counts, totals, n)
            fast = weights.p > 0
        # Who beats whom in a set: in whole numbers that is seen of those with different counts only.
        list_candidates(counts, present, masks, ahead and not many_masks,
                        ahead and many_masks and masks.shape[1] <= BITS and not fast, rounded, found, offset)
        if rounded:
            sort_candidates(U, found, offset)
        if fast:
            list_whole(U, found, offset, many_masks, weights, whole, start)
        if fast and swapping:
            n_steps = list_steps(&units[0, 0] if n else NULL, n, second, slots, whole, start, steps)
            choices = <Choice *>malloc((steps[n_steps - 1].first + 1) * sizeof(Choice))
            fast = choices != NULL
        if fast:  # and nothing is left to do
            R = 0
            if many_masks and units.shape[0] == 1:
                fold_masked(whole, start, &units[0, 0] if n else NULL, n, masks, weights, totals, n_units)
            elif not swapping:
                fold_whole(whole, start, units, masks, many_masks, weights, found, totals, n_units, chosen)
            else:
                list_choices(n_steps, second, whole, start, steps, rounded, choices)
                if rounded:
                    fold_rounded_swapped(n_steps, steps, choices, swaps, weight, totals, n_units)
                else:
                    fold_swapped(n_steps, steps, choices, swaps, packed_swaps, weights, totals, n_units)
        elif rounded:
            R = 0
            fold_rounded(found, offset, units, second, slots, swaps, masks, weight, running, totals, n_units, chosen)
        for r in range(R):
            C, P, G = totals[r, 0], totals[r, 1], totals[r, 2]
            ur = r if units.shape[0] > 1 else 0
            mr = r if many_masks else 0
            allowed = members(masks, mr) if many_masks else 0
            used = 0
            row = &units[ur, 0] if n else NULL
            for k in range(n):
                u = row[k]
                if u < 0:  # padding
                    continue
                if swapping and slots[k] >= 0 and swaps[r, slots[k]]:
                    u += second
                best = -1
                if not many_masks and offset[u + 1] - offset[u] == 1:
                    best = offset[u]
                else:
                    best_f = best_size = best_c = 0.0
                    for x in range(offset[u], offset[u + 1]):
                        if many_masks and (found[x].beaten & allowed or not masks[mr, found[x].a]):
                            continue
                        c, p, g = found[x].c, found[x].p, found[x].g
                        if running:
                            c, p, g = C + c, P + p, G + g
                        denominator = b2 * g + p
                        f = (1.0 + b2) * c / denominator if denominator != 0.0 else (1.0 if c == 0 else 0.0)
                        size = p + b2 * g
                        if best < 0 or f > best_f or (f == best_f and (
                                c > best_c or (c == best_c and size < best_size))):
                            best, best_f, best_c, best_size = x, f, c, size
                if want_chosen:
                    chosen[r, k] = found[best].a if best >= 0 else -1
                if best < 0:
                    continue
                C += found[best].c
                P += found[best].p
                G += found[best].g
                used += 1
            n_units[r] += used
            totals[r, 0], totals[r, 1], totals[r, 2] = <int64_t>C, <int64_t>P, <int64_t>G
    free(found)
    free(offset)
    free(whole)
    free(start)
    free(steps)
    free(choices)
