"""The running choice in whole numbers: the shortcut of _fold.pyx where it is exact.

Where beta squared is a short binary fraction (beta 0.5, 1, 2) and sums are not huge, F is compared by cross products of
whole numbers. Two quotients whose terms multiply to less than 2^50 are equal, or differ by more than rounding can hide,
so that the order is that of the rounded quotients, and no division waits for the one before.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef double SHORT = 65536.0  # weights up to this are exact in any sum
cdef double EXACT = 1125899906842624.0  # 2^50


cdef bint ordinary(const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals) noexcept nogil:
    """Whether nothing is correct where nothing is proposed or in the reference; else 0/0 could upset the order."""
    cdef Py_ssize_t u, a
    for u in range(counts.shape[0]):
        for a in range(counts.shape[1]):
            if counts[u, a, 0] < 0 or counts[u, a, 1] < 0 or counts[u, a, 2] < 0:
                return False
            if counts[u, a, 0] and not (counts[u, a, 1] or counts[u, a, 2]):
                return False
    for u in range(totals.shape[0]):
        if totals[u, 0] < 0 or totals[u, 1] < 0 or totals[u, 2] < 0:
            return False
        if totals[u, 0] and not (totals[u, 1] or totals[u, 2]):
            return False
    return True


cdef Weights whole_weights(
    double b2, const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals, Py_ssize_t n
) noexcept nogil:
    """Whole weights of proposed and reference edits; 0 where products could be inexact."""
    cdef Weights weights
    cdef double scale = 1.0, c = 0.0, d = 0.0, most_c = 0.0, most_d = 0.0
    cdef Py_ssize_t u, a
    weights.p = weights.g = 0
    while scale <= 256.0 and b2 * scale != <double><int64_t>(b2 * scale):
        scale *= 2.0
    if scale > 256.0 or b2 * scale > SHORT:
        return weights
    for u in range(counts.shape[0]):
        for a in range(counts.shape[1]):
            c = max(c, <double>counts[u, a, 0])
            d = max(d, scale * counts[u, a, 1] + b2 * scale * counts[u, a, 2])
    for u in range(totals.shape[0]):
        most_c = max(most_c, <double>totals[u, 0])
        most_d = max(most_d, scale * totals[u, 1] + b2 * scale * totals[u, 2])
    most_c, most_d = (1.0 + b2) * scale * (most_c + n * c), most_d + n * d
    if most_c < EXACT and most_d < EXACT and most_c * most_d < EXACT:
        weights.p, weights.g = <int64_t>scale, <int64_t>(b2 * scale)
    return weights


cdef void list_whole(
    Py_ssize_t n_units, const Candidate *found, const int64_t *offset, bint group, Weights weights, Whole *whole,
    int64_t *start,
) noexcept nogil:
    """The candidates in whole numbers; if ``group``, those of a unit with equal counts as one."""
    cdef Py_ssize_t u
    cdef int64_t at = 0, first, x, y
    for u in range(n_units):
        first = start[u] = at
        for x in range(offset[u], offset[u + 1]):
            y = first if group else at
            while y < at and (whole[y].c != found[x].c or whole[y].p != found[x].p or whole[y].g != found[x].g):
                y += 1
            if y == at:
                whole[y].c, whole[y].p, whole[y].g = <int64_t>found[x].c, <int64_t>found[x].p, <int64_t>found[x].g
                whole[y].d = weights.p * whole[y].p + weights.g * whole[y].g
                whole[y].who = whole[y].beaten = 0
                at += 1
            if group:
                whole[y].who |= <uint64_t>1 << found[x].a
        if group:
            for x in range(first, at):
                for y in range(first, at):
                    if x != y and whole[y].c >= whole[x].c and whole[y].p <= whole[x].p and whole[y].g <= whole[x].g:
                        whole[x].beaten |= whole[y].who
    start[n_units] = at


cdef inline bint better(
    const Whole *x, const Whole *y, int64_t C, int64_t D, Weights weights, uint64_t allowed
) noexcept nogil:
    """Whether x is chosen before y, which comes first in the list, after totals with C correct and denominator D."""
    cdef int64_t left, right
    cdef uint64_t mine, other
    if D == 0:  # nothing so far: an empty denominator may be one of the two, and counts as F = 1
        if x.d == 0:
            return y.d > (weights.p + weights.g) * y.c
        if y.d == 0:
            return (weights.p + weights.g) * x.c >= x.d
    left, right = (C + x.c) * (D + y.d), (C + y.c) * (D + x.d)
    if left != right:
        return left > right
    if x.c != y.c or x.d != y.d:
        return x.c > y.c or (x.c == y.c and x.d < y.d)
    mine, other = x.who & allowed, y.who & allowed
    return (mine & (~mine + 1)) < (other & (~other + 1))  # the first annotator; where all are allowed, the list is in order


cdef inline void add(Choice *sums, const Whole *x) noexcept nogil:
    sums.c += x.c
    sums.p += x.p
    sums.d += x.d
    sums.used += 1


cdef int64_t list_steps(
    const int64_t *row, Py_ssize_t n, Py_ssize_t second, const int64_t[::1] slots, const Whole *whole,
    const int64_t *start, Step *steps,
) noexcept nogil:
    """The units that a way to swap, or the totals, can matter to, and a last one that is none (-1)."""
    cdef Py_ssize_t k, at = 0
    cdef int64_t u, v, x, y
    steps[0].first = 0
    steps[0].before.c = steps[0].before.p = steps[0].before.d = steps[0].before.used = 0
    for k in range(n):
        u = row[k]
        if u < 0:  # padding
            continue
        v = u + second if slots[k] >= 0 else u
        x, y = start[u], start[v]
        if start[u + 1] - x == 1 and start[v + 1] - y == 1 and (
                whole[x].c == whole[y].c and whole[x].p == whole[y].p and whole[x].g == whole[y].g):
            add(&steps[at].before, &whole[x])
            continue
        steps[at].unit, steps[at].slot = u, slots[k]
        steps[at + 1].first = steps[at].first + 2 * max(1, start[u + 1] - x, start[v + 1] - y)
        at += 1
        steps[at].before.c = steps[at].before.p = steps[at].before.d = steps[at].before.used = 0
    steps[at].unit = steps[at].slot = -1
    return at + 1


cdef void list_choices(
    int64_t n_steps, Py_ssize_t second, const Whole *whole, const int64_t *start, const Step *steps, bint in_order,
    Choice *choices,
) noexcept nogil:
    """What may be chosen in each step. Of equal F the first is chosen; where nobody looked, nothing is added.

    ``in_order``: they come in that order.
    """
    cdef int64_t k, u, x, size, at, side, y
    cdef Choice one
    for k in range(n_steps - 1):
        size = (steps[k + 1].first - steps[k].first) // 2
        for side in range(2):
            u = steps[k].unit + (second if side and steps[k].slot >= 0 else 0)
            at = steps[k].first + side * size
            choices[at].c = choices[at].p = choices[at].d = choices[at].used = 0
            for x in range(start[u], start[u + 1]):
                one.c, one.p, one.d, one.used = whole[x].c, whole[x].p, whole[x].d, 1
                y = at + x - start[u]
                while y > at and not in_order and (
                        choices[y - 1].c < one.c or (choices[y - 1].c == one.c and choices[y - 1].d > one.d)):
                    choices[y] = choices[y - 1]
                    y -= 1
                choices[y] = one
            for y in range(at + max(1, start[u + 1] - start[u]), at + size):
                choices[y] = choices[at]  # equal to the first, so never chosen


cdef inline bint larger(const Choice *x, const Choice *y, int64_t C, int64_t D, Weights weights) noexcept nogil:
    """Whether F of x is larger than that of y."""
    if D == 0:  # an empty denominator counts as F = 1
        if x.d == 0:
            return y.d > (weights.p + weights.g) * y.c
        if y.d == 0:
            return (weights.p + weights.g) * x.c > x.d
    return (C + x.c) * (D + y.d) > (C + y.c) * (D + x.d)


cdef void fold_swapped(
    int64_t n_steps, const Step *steps, const Choice *choices, const uint8_t[:, ::1] swaps,
    Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil:
    """The running fold of ways to swap, step by step for many of them: what they choose is hard to foresee."""
    cdef Choice sums[LANES]
    cdef const Choice *x
    cdef int64_t k, size, at, j
    cdef Py_ssize_t block, r, i, lanes, width = swaps.shape[1]
    cdef bint empty, taken
    cdef const uint8_t *swap
    for block in range((totals.shape[0] + LANES - 1) // LANES):
        r = block * LANES
        lanes = min(<Py_ssize_t>LANES, totals.shape[0] - r)
        for i in range(lanes):
            sums[i].c, sums[i].p, sums[i].used = totals[r + i, 0], totals[r + i, 1], 0
            sums[i].d = weights.p * sums[i].p + weights.g * totals[r + i, 2]
        empty = True
        for k in range(n_steps):
            if steps[k].before.used:
                for i in range(lanes):
                    sums[i].c += steps[k].before.c
                    sums[i].p += steps[k].before.p
                    sums[i].d += steps[k].before.d
                    sums[i].used += steps[k].before.used
            if steps[k].unit < 0:
                break
            if empty:
                empty = False
                for i in range(lanes):
                    empty = empty or sums[i].d == 0
            size = (steps[k + 1].first - steps[k].first) // 2
            swap = &swaps[r, steps[k].slot] if steps[k].slot >= 0 else NULL
            for i in range(lanes):
                x = &choices[steps[k].first]
                if swap != NULL:
                    x += size * swap[i * width]
                if empty:
                    at = 0
                    for j in range(1, size):
                        if larger(&x[j], &x[at], sums[i].c, sums[i].d, weights):
                            at = j
                    x += at
                elif size == 2:
                    x += (sums[i].c + x[1].c) * (sums[i].d + x[0].d) > (sums[i].c + x[0].c) * (sums[i].d + x[1].d)
                else:
                    at = 0
                    for j in range(1, size):  # without a jump that cannot be foreseen
                        taken = (sums[i].c + x[j].c) * (sums[i].d + x[at].d) > (
                            (sums[i].c + x[at].c) * (sums[i].d + x[j].d))
                        at += taken * (j - at)
                    x += at
                sums[i].c += x.c
                sums[i].p += x.p
                sums[i].d += x.d
                sums[i].used += x.used
        for i in range(lanes):
            n_units[r + i] += sums[i].used
            totals[r + i, 0], totals[r + i, 1] = sums[i].c, sums[i].p
            totals[r + i, 2] = (sums[i].d - weights.p * sums[i].p) // weights.g


cdef void fold_whole(
    const Whole *whole, const int64_t *start, const int64_t[:, ::1] units, const uint8_t[:, ::1] masks, bint many_masks,
    Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil:
    """The running fold in whole numbers, one replicate after the other."""
    cdef Py_ssize_t r, k, n = units.shape[1]
    cdef int64_t u, x, end, best, used, C, P, D
    cdef uint64_t allowed
    cdef const int64_t *row
    for r in range(totals.shape[0]):
        C, P = totals[r, 0], totals[r, 1]
        D = weights.p * P + weights.g * totals[r, 2]
        used = 0
        allowed = members(masks, r) if many_masks else 0
        row = &units[r if units.shape[0] > 1 else 0, 0] if n else NULL
        for k in range(n):
            u = row[k]
            if u < 0:  # padding
                continue
            best = -1
            for x in range(start[u], start[u + 1]):
                if many_masks and (whole[x].beaten & allowed or not whole[x].who & allowed):
                    continue
                if best < 0 or better(&whole[x], &whole[best], C, D, weights, allowed):
                    best = x
            if best < 0:
                continue
            C += whole[best].c
            P += whole[best].p
            D += whole[best].d
            used += 1
        n_units[r] += used
        totals[r, 0], totals[r, 1], totals[r, 2] = C, P, (D - weights.p * P) // weights.g
