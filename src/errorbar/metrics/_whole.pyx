"""The running choice in whole numbers: the shortcut of _fold.pyx where it is exact.

Where beta squared is a short binary fraction (beta 0.5, 1, 2) and sums are not huge, F is compared by cross products of
whole numbers. Two quotients whose terms multiply to less than 2^50 are equal, or differ by more than rounding can hide,
so that the order is that of the rounded quotients, and no division waits for the one before.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef double SHORT = 65536.0  # weights up to this are exact in any sum
cdef double EXACT = 1125899906842624.0  # 2^50
cdef double ROUNDING = 1e-9  # many times what sums and products of these sizes lose
cdef uint64_t ALL = <uint64_t>-1
cdef enum:
    TOGETHER = 60  # steps whose choices are added up at once
    EIGHT = 256  # ways to swap what eight columns say
    SMALL = 1024  # what each of them adds to any sum is below this
    FIELD = 65535


cdef struct Span:
    double least_d, most_d, least_e, most_e  # of totals of some replicates; e: by how much c is above slope * d


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


cdef inline void add(Choice *sums, const Choice *x) noexcept nogil:
    sums.c += x.c
    sums.p += x.p
    sums.d += x.d
    sums.used += x.used


cdef inline Choice as_choice(const Whole *x) noexcept nogil:
    cdef Choice one
    one.c, one.p, one.d, one.used = x.c, x.p, x.d, 1
    return one


cdef int64_t list_steps(
    const int64_t *row, Py_ssize_t n, Py_ssize_t second, const int64_t[::1] slots, const Whole *whole,
    const int64_t *start, Step *steps,
) noexcept nogil:
    """The units that a way to swap, or the totals, can matter to, and a last one that is none (-1)."""
    cdef Py_ssize_t k, at = 0
    cdef int64_t u, v, x, y
    cdef Choice one
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
            one = as_choice(&whole[x])
            add(&steps[at].before, &one)
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
                one = as_choice(&whole[x])
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

cdef inline int64_t largest(const Choice *x, int64_t size, int64_t C, int64_t D, Weights weights) noexcept nogil:
    """Which of some has the largest F, of equal ones the first."""
    cdef int64_t at = 0, j
    for j in range(1, size):
        if larger(&x[j], &x[at], C, D, weights):
            at = j
    return at


cdef inline void clear(Span *span) noexcept nogil:
    span.least_d = span.least_e = INFINITY
    span.most_d = span.most_e = -INFINITY


cdef inline void widen(Span *span, double c, double d, double slope) noexcept nogil:
    cdef double e = c - slope * d
    span.least_d, span.most_d = min(span.least_d, d), max(span.most_d, d)
    span.least_e, span.most_e = min(span.least_e, e), max(span.most_e, e)


cdef inline void shift(Span *span, const Choice *x, const Choice *y, double slope) noexcept nogil:
    """Where totals lie after one of two is added to each."""
    cdef double of_x = x.c - slope * x.d, of_y = y.c - slope * y.d
    span.least_d += min(x.d, y.d)
    span.most_d += max(x.d, y.d)
    span.least_e += min(of_x, of_y)
    span.most_e += max(of_x, of_y)


cdef inline bint always(double xc, double xd, double yc, double yd, const Span *span, double slope) noexcept nogil:
    """Whether x is chosen before y after all totals of a span.

    The difference of cross products is linear in the totals, so that it is least at an end of the span. It is a whole
    number, and what rounding can make of it is less than the part of its terms that is asked for.
    """
    cdef double of_e = yd - xd, of_d = xc - yc, e, d, size
    if of_e >= 0 and of_d >= 0:  # at least as good whatever the totals; if no more than that, a tie of all keys
        return of_e > 0 or of_d > 0
    if span.least_d <= 0:  # an empty denominator may count as F = 1
        return False
    size = fabs(of_e) * (max(fabs(span.least_e), fabs(span.most_e)) + 2 * slope * span.most_d)
    size += fabs(of_d) * span.most_d + xc * yd + yc * xd
    e = span.least_e if of_e > 0 else span.most_e
    d = of_d + of_e * slope
    return of_e * e + d * (span.least_d if d > 0 else span.most_d) + (xc * yd - yc * xd) > 0.5 + ROUNDING * size


cdef inline bint surely(const Choice *x, int64_t size, int64_t at, const Span *span, double slope) noexcept nogil:
    """Whether this one is chosen after all totals of a span; of those with the same counts it is the first."""
    cdef int64_t j
    for j in range(size):
        if (x[j].c != x[at].c or x[j].d != x[at].d) and not always(x[at].c, x[at].d, x[j].c, x[j].d, span, slope):
            return False
    return True


cdef inline uint64_t packed(const Choice *x) noexcept nogil:
    """What is chosen as one number, of which TOGETHER can be added up."""
    return <uint64_t>x.used << 48 | <uint64_t>x.c << 32 | <uint64_t>x.p << 16 | <uint64_t>x.d


cdef inline void add_up(uint64_t *table) noexcept nogil:
    """Fill in what sets of eight add, given what each of the eight does (1, 2, 4, ...)."""
    cdef int one, other
    table[0] = 0
    for one in range(8):
        for other in range(1, 1 << one):
            table[(1 << one) + other] = table[1 << one] + table[other]


cdef void fold_swapped(
    int64_t n_steps, const Step *steps, const Choice *choices, const uint8_t[:, ::1] swaps,
    const uint8_t[:, ::1] packed_swaps, Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil:
    """The running fold of ways to swap, step by step for many of them.

    What is chosen from either system is nearly always the same for all of them, which is seen from where their totals
    lie. Each then adds one of two numbers, for some steps at once: what eight columns of swaps add is looked up, by
    their bits in ``packed_swaps``. Where they may differ, each chooses by itself.
    """
    cdef Choice sums[WIDE]
    cdef Choice joint  # what every way adds
    cdef Choice chosen
    cdef Span span
    cdef uint64_t apart[TOGETHER][EIGHT]  # by how much more steps add to those that swap these of eight columns
    cdef uint64_t first, some
    cdef int64_t eight[TOGETHER]  # number of the eight columns
    cdef const Choice *x
    cdef const Choice *y
    cdef int64_t k, size, at, other
    cdef Py_ssize_t block, r, i, j, lanes, waiting, together
    cdef double slope = 0
    cdef bint both
    for block in range((totals.shape[0] + WIDE - 1) // WIDE):
        r = block * WIDE
        lanes = min(<Py_ssize_t>WIDE, totals.shape[0] - r)
        for i in range(lanes):
            sums[i].c, sums[i].p, sums[i].used = totals[r + i, 0], totals[r + i, 1], 0
            sums[i].d = weights.p * sums[i].p + weights.g * totals[r + i, 2]
        waiting, together, first = 0, 0, 0
        joint.c = joint.p = joint.d = joint.used = 0
        for k in range(n_steps):
            add(&joint, &steps[k].before)
            x = y = &choices[steps[k].first]
            size = (steps[k + 1].first - steps[k].first) // 2 if steps[k].unit >= 0 else 0
            both = False
            if size and k and together < TOGETHER:
                shift(&span, &steps[k].before, &steps[k].before, slope)
                at = largest(x, size, sums[0].c + joint.c, sums[0].d + joint.d, weights)
                both = surely(x, size, at, &span, slope)
                y += size * (steps[k].slot >= 0)
                other = largest(y, size, sums[0].c + joint.c, sums[0].d + joint.d, weights)
                both = both and surely(y, size, other, &span, slope)
                both = both and max(x[at].d, y[other].d) < SMALL and max(x[at].p, y[other].p) < SMALL
                both = both and max(x[at].c, y[other].c) < SMALL
            if both:
                shift(&span, &x[at], &y[other], slope)
                first += packed(&x[at])
                together += 1
                if steps[k].slot < 0:
                    continue
                if not waiting or eight[waiting - 1] != steps[k].slot >> 3:
                    eight[waiting] = steps[k].slot >> 3
                    for j in range(8):
                        apart[waiting][1 << j] = 0
                    waiting += 1
                apart[waiting - 1][1 << (steps[k].slot & 7)] += packed(&y[other]) - packed(&x[at])
                continue
            for j in range(waiting):
                add_up(apart[j])
            slope = <double>(sums[0].c + joint.c) / max(1, sums[0].d + joint.d)
            clear(&span)
            for i in range(lanes):
                some = first
                for j in range(waiting):
                    some += apart[j][packed_swaps[r + i, eight[j]]]
                sums[i].c += joint.c + <int64_t>(some >> 32 & FIELD)
                sums[i].p += joint.p + <int64_t>(some >> 16 & FIELD)
                sums[i].d += joint.d + <int64_t>(some & FIELD)
                sums[i].used += joint.used + <int64_t>(some >> 48)
                if size:
                    x = &choices[steps[k].first]
                    if steps[k].slot >= 0:
                        x += size * swaps[r + i, steps[k].slot]
                    add(&sums[i], &x[largest(x, size, sums[i].c, sums[i].d, weights)])
                widen(&span, sums[i].c, sums[i].d, slope)
            waiting, together, first = 0, 0, 0
            joint.c = joint.p = joint.d = joint.used = 0
        for i in range(lanes):
            n_units[r + i] += sums[i].used
            totals[r + i, 0], totals[r + i, 1] = sums[i].c, sums[i].p
            totals[r + i, 2] = (sums[i].d - weights.p * sums[i].p) // weights.g


cdef void fold_masked(
    const Whole *whole, const int64_t *start, const int64_t *row, Py_ssize_t n, const uint8_t[:, ::1] masks,
    Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil:
    """The running fold of the same units against many sets of annotators, unit after unit for many sets.

    In which order annotators are chosen is nearly always the same for all sets, which is seen from where their totals
    lie; only annotators whose order may differ are compared for each set.
    """
    cdef Choice sums[WIDE]
    cdef uint64_t allowed[WIDE]
    cdef const Whole *order[BITS]
    cdef uint64_t rivals[BITS]  # those after each in the order who may be chosen before it
    cdef const Whole *x
    cdef const Whole *best
    cdef Span span
    cdef int64_t u, size, j, l
    cdef Py_ssize_t block, r, i, k, lanes
    cdef double slope = 0
    for block in range((totals.shape[0] + WIDE - 1) // WIDE):
        r = block * WIDE
        lanes = min(<Py_ssize_t>WIDE, totals.shape[0] - r)
        for i in range(lanes):
            allowed[i] = members(masks, r + i)
            sums[i].c, sums[i].p, sums[i].used = totals[r + i, 0], totals[r + i, 1], 0
            sums[i].d = weights.p * sums[i].p + weights.g * totals[r + i, 2]
        for k in range(n):
            u = row[k]
            if u < 0:  # padding
                continue
            size = start[u + 1] - start[u]
            clear(&span)
            if size > 1:
                slope = <double>sums[lanes // 2].c / max(1, sums[lanes // 2].d)
                for i in range(lanes):
                    widen(&span, sums[i].c, sums[i].d, slope)
            for j in range(size):
                x, l = &whole[start[u] + j], j
                while l > 0 and better(x, order[l - 1], sums[lanes // 2].c, sums[lanes // 2].d, weights, ALL):
                    order[l] = order[l - 1]
                    l -= 1
                order[l] = x
            for j in range(size):
                rivals[j] = 0
                for l in range(j + 1, size):
                    if not always(order[j].c, order[j].d, order[l].c, order[l].d, &span, slope):
                        rivals[j] |= <uint64_t>1 << l
            for i in range(lanes):
                j = 0
                while j < size and not order[j].who & allowed[i]:
                    j += 1
                if j == size:
                    continue
                best = order[j]
                if rivals[j]:
                    for l in range(j + 1, size):
                        if rivals[j] >> l & 1 and order[l].who & allowed[i] and (
                                better(order[l], best, sums[i].c, sums[i].d, weights, allowed[i])):
                            best = order[l]
                sums[i].c += best.c
                sums[i].p += best.p
                sums[i].d += best.d
                sums[i].used += 1
        for i in range(lanes):
            n_units[r + i] += sums[i].used
            totals[r + i, 0], totals[r + i, 1] = sums[i].c, sums[i].p
            totals[r + i, 2] = (sums[i].d - weights.p * sums[i].p) // weights.g


cdef void fold_whole(
    const Whole *whole, const int64_t *start, const int64_t[:, ::1] units, const uint8_t[:, ::1] masks, bint many_masks,
    Weights weights, const Candidate *found, int64_t[:, ::1] totals, int64_t[::1] n_units, int32_t[:, ::1] chosen,
) noexcept nogil:
    """The running fold in whole numbers, one replicate after the other; ``found``: as listed, if not in groups."""
    cdef Py_ssize_t r, k, n = units.shape[1]
    cdef int64_t u, x, end, best, used, C, P, D
    cdef bint want_chosen = chosen.shape[0] > 0
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
            if want_chosen:
                chosen[r, k] = found[best].a if best >= 0 else -1
            if best < 0:
                continue
            C += whole[best].c
            P += whole[best].p
            D += whole[best].d
            used += 1
        n_units[r] += used
        totals[r, 0], totals[r, 1], totals[r, 2] = C, P, (D - weights.p * P) // weights.g
