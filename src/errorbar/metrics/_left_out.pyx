"""The running choice with each of many stretches of units left out, in whole numbers: a shortcut of _fold.pyx.

Everything is folded once, and beside it stands by how much the totals without each stretch that has passed differ. They
differ by little, so that nearly every unit has the same annotator chosen whichever stretch is left out: that is seen
from the least and the largest differences, since what compares two annotators is linear in the totals. Where it could
be another one, each choice is made by itself, and compared exactly as in _whole.pyx.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from errorbar.metrics._whole cimport BITS, Choice, Weights, members, ordinary, usual, whole_weights


cdef struct Range:
    int64_t least_c, most_c, least_d, most_d  # of differences to the totals of everything


cdef inline bint before(const Choice *x, const Choice *y, int64_t C, int64_t D, int64_t scale) noexcept nogil:
    """Whether x is chosen before y, who is the earlier annotator, after totals with C correct and denominator D."""
    cdef int64_t above = scale * (C + x.c), below = D + x.d, other = scale * (C + y.c), under = D + y.d
    if below == 0:  # an empty denominator counts as F = 1
        above = below = 1
    if under == 0:
        other = under = 1
    if above * under != other * below:
        return above * under > other * below
    return x.c > y.c or (x.c == y.c and x.d < y.d)


cdef inline const Choice *best(
    const Choice *found, Py_ssize_t n, int64_t C, int64_t D, int64_t scale
) noexcept nogil:
    cdef Py_ssize_t at = 0, k
    for k in range(1, n):
        if before(&found[k], &found[at], C, D, scale):
            at = k
    return &found[at]


cdef bint settled(
    const Choice *x, const Choice *found, Py_ssize_t n, int64_t C, int64_t D, const Range *differences
) noexcept nogil:
    """Whether x, which is chosen after totals of C and D, is so too after all that differ from them by so much.

    Where it has the larger F by cross products, no denominator is 0: what has none has nothing correct either.
    """
    cdef const Choice *y
    cdef Py_ssize_t k
    cdef int64_t of_c, of_d, least_c, least_d
    for k in range(n):
        y = &found[k]
        of_c, of_d = y.d - x.d, x.c - y.c
        if of_c >= 0 and of_d >= 0:  # not better, whatever the totals; of equal ones x is the first
            continue
        least_c = C + (differences.least_c if of_c > 0 else differences.most_c)
        least_d = D + (differences.least_d if of_d > 0 else differences.most_d)
        if of_c * least_c + of_d * least_d + x.c * y.d - y.c * x.d <= 0:
            return False
    return True


cdef inline void widen(Range *differences, const Choice *one) noexcept nogil:
    differences.least_c = min(differences.least_c, one.c)
    differences.most_c = max(differences.most_c, one.c)
    differences.least_d = min(differences.least_d, one.d)
    differences.most_d = max(differences.most_d, one.d)


cdef inline void add(Choice *sums, const Choice *x, int64_t times) noexcept nogil:
    sums.c += times * x.c
    sums.p += times * x.p
    sums.d += times * x.d
    sums.used += times * x.used


cdef Py_ssize_t list_groups(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, int64_t u, Weights weights, Choice *found,
    uint64_t *who,
) noexcept nogil:
    """The counts that unit u may have, in the order of annotators, and whose they are.

    Annotators with the same counts are one, unless others come as close as to tie with them for the first of all.
    """
    cdef Py_ssize_t n = 0, a, k
    cdef bint apart = False
    cdef Choice one
    for a in range(counts.shape[1]):
        if not present[u, a]:
            continue
        one.c, one.p, one.used = counts[u, a, 0], counts[u, a, 1], 1
        one.d = weights.p * counts[u, a, 1] + weights.g * counts[u, a, 2]
        k = 0
        while k < n and (found[k].c != one.c or found[k].d != one.d):
            k += 1
        if k < n and found[k].p != one.p:
            apart = True
            break
        if k == n:
            found[n], who[n] = one, 0
            n += 1
        who[k] |= <uint64_t>1 << a
    if not apart:
        return n
    n = 0
    for a in range(counts.shape[1]):
        if present[u, a]:
            found[n].c, found[n].p, found[n].used = counts[u, a, 0], counts[u, a, 1], 1
            found[n].d = weights.p * counts[u, a, 1] + weights.g * counts[u, a, 2]
            who[n] = <uint64_t>1 << a
            n += 1
    return n


cdef void fold_against(
    const Choice *groups, const uint64_t *who, const int64_t *start, uint64_t allowed, const int64_t[::1] order,
    const int64_t[::1] ends, int64_t scale, Choice *found, Choice *without,
) noexcept nogil:
    """The totals without each stretch against one set of annotators; ``without`` is all 0."""
    cdef Py_ssize_t g, i, k = 0, n
    cdef int64_t u, x_at
    cdef Choice every
    cdef Range differences
    cdef const Choice *x
    cdef const Choice *y
    every.c = every.p = every.d = every.used = 0
    differences.least_c = differences.most_c = differences.least_d = differences.most_d = 0
    for g in range(ends.shape[0]):
        while k < ends[g]:
            u = order[k]
            k += 1
            n = 0
            for x_at in range(start[u], start[u + 1]):
                if who[x_at] & allowed:
                    found[n] = groups[x_at]
                    n += 1
            if n == 0:
                continue
            x = best(found, n, every.c, every.d, scale)
            if n > 1 and not settled(x, found, n, every.c, every.d, &differences):
                differences.least_c = differences.most_c = differences.least_d = differences.most_d = 0
                for i in range(g):
                    y = best(found, n, every.c + without[i].c, every.d + without[i].d, scale)
                    add(&without[i], y, 1)
                    add(&without[i], x, -1)
                    widen(&differences, &without[i])
            add(&every, x, 1)
            add(&without[g], x, -1)
        widen(&differences, &without[g])
    for g in range(ends.shape[0]):
        add(&without[g], &every, 1)


def fold_left_out(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const int64_t[::1] order, const int64_t[::1] ends,
    const uint8_t[:, ::1] masks, double beta, int64_t[:, :, ::1] totals, int64_t[:, ::1] n_units,
):
    """Add the chosen annotators' counts to ``totals`` (sets, stretches, 3), which are 0, with each stretch left out.

    Units are folded in this order, and each stretch of it ends where ``ends`` says, the last with the order. False, and
    nothing is done, where whole numbers could be inexact, or there are more annotators than a set can hold.
    """
    cdef Py_ssize_t g, m, u, U = counts.shape[0], A = counts.shape[1]
    cdef double b2 = beta * beta
    cdef bint able = A <= BITS and usual(b2) and ordinary(counts, totals[0])
    cdef Weights weights
    cdef Choice *groups
    cdef Choice *found
    cdef Choice *without
    cdef uint64_t *who
    cdef int64_t *start
    if able:
        weights = whole_weights(b2, counts, totals[0], order.shape[0])
        able = weights.p > 0
    if not able:
        return False
    groups = <Choice *>malloc((U * A + 1) * sizeof(Choice))
    who = <uint64_t *>malloc((U * A + 1) * sizeof(uint64_t))
    start = <int64_t *>malloc((U + 1) * sizeof(int64_t))
    found = <Choice *>malloc((A + 1) * sizeof(Choice))
    without = <Choice *>malloc((ends.shape[0] + 1) * sizeof(Choice))
    if groups == NULL or who == NULL or start == NULL or found == NULL or without == NULL:
        free(groups)
        free(who)
        free(start)
        free(found)
        free(without)
        raise MemoryError("not enough memory for the totals of what is left out")
    with nogil:
        start[0] = 0
        for u in range(U):
            start[u + 1] = start[u] + list_groups(counts, present, u, weights, &groups[start[u]], &who[start[u]])
        for m in range(masks.shape[0]):
            memset(without, 0, ends.shape[0] * sizeof(Choice))
            fold_against(
                groups, who, start, members(masks, m), order, ends, weights.p + weights.g, found, without
            )
            for g in range(ends.shape[0]):
                totals[m, g, 0], totals[m, g, 1] = without[g].c, without[g].p
                totals[m, g, 2] = (without[g].d - weights.p * without[g].p) // weights.g
                n_units[m, g] = without[g].used
    free(groups)
    free(who)
    free(start)
    free(found)
    free(without)
    return True
