"""The running choice with each of many stretches of units left out, in whole numbers: a shortcut of _fold.pyx.

Everything is folded once, and beside it stands by how much the totals without each stretch that has passed differ. They
differ by little, so that nearly every unit has the same annotator chosen whichever stretch is left out: that is seen
from the least and the largest differences, since what compares two annotators is linear in the totals. Where it could
be another one, each choice is made by itself, and compared exactly as in _whole.pyx.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc

from errorbar.metrics._whole cimport Choice, Weights, ordinary, usual, whole_weights


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


cdef Py_ssize_t list_allowed(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const uint8_t[::1] mask, int64_t u, Weights weights,
    Choice *found,
) noexcept nogil:
    """Who may be chosen for unit u, in the order of annotators."""
    cdef Py_ssize_t n = 0, a
    for a in range(counts.shape[1]):
        if present[u, a] and mask[a]:
            found[n].c, found[n].p, found[n].used = counts[u, a, 0], counts[u, a, 1], 1
            found[n].d = weights.p * counts[u, a, 1] + weights.g * counts[u, a, 2]
            n += 1
    return n


def fold_left_out(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const int64_t[::1] order, const int64_t[::1] ends,
    const uint8_t[::1] mask, double beta, int64_t[:, ::1] totals, int64_t[::1] n_units,
):
    """Add the chosen annotators' counts to ``totals`` (stretches, 3), which are 0, with each stretch left out.

    Units are folded in this order, and each stretch of it ends where ``ends`` says, the last with the order. False, and
    nothing is done, where whole numbers could be inexact.
    """
    cdef Py_ssize_t g, i, k, n, n_found
    cdef int64_t u, scale
    cdef double b2 = beta * beta
    cdef bint able = usual(b2) and ordinary(counts, totals)
    cdef Weights weights
    cdef Choice every
    cdef Range differences
    cdef const Choice *x
    cdef const Choice *y
    cdef Choice *found
    cdef Choice *without
    if able:
        weights = whole_weights(b2, counts, totals, order.shape[0])
        able = weights.p > 0
    if not able:
        return False
    scale = weights.p + weights.g
    found = <Choice *>malloc((counts.shape[1] + 1) * sizeof(Choice))
    without = <Choice *>calloc(ends.shape[0] + 1, sizeof(Choice))
    if found == NULL or without == NULL:
        free(found)
        free(without)
        raise MemoryError("not enough memory for the totals of what is left out")
    with nogil:
        every.c = every.p = every.d = every.used = 0
        differences.least_c = differences.most_c = differences.least_d = differences.most_d = 0
        k = 0
        for g in range(ends.shape[0]):
            while k < ends[g]:
                u = order[k]
                k += 1
                n_found = list_allowed(counts, present, mask, u, weights, found)
                if n_found == 0:
                    continue
                x = best(found, n_found, every.c, every.d, scale)
                if n_found > 1 and not settled(x, found, n_found, every.c, every.d, &differences):
                    differences.least_c = differences.most_c = differences.least_d = differences.most_d = 0
                    for i in range(g):
                        y = best(found, n_found, every.c + without[i].c, every.d + without[i].d, scale)
                        add(&without[i], y, 1)
                        add(&without[i], x, -1)
                        widen(&differences, &without[i])
                add(&every, x, 1)
                add(&without[g], x, -1)
            widen(&differences, &without[g])
        for g in range(ends.shape[0]):
            add(&without[g], &every, 1)
            totals[g, 0], totals[g, 1] = without[g].c, without[g].p
            totals[g, 2] = (without[g].d - weights.p * without[g].p) // weights.g
            n_units[g] = without[g].used
    free(found)
    free(without)
    return True
