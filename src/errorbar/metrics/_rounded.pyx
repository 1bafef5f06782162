"""The choice by F of four places, as errant_compare makes it: the fast twin of the rounded rules of edit_metric.py.

Rounded, F is a whole number of ten-thousandths. One quotient, (1 + beta²) C / (P + beta² G), tells it unless it is next
to a half, for it differs in the last bits only from the twin's F, which is made of P and R. Next to a half F is computed
as the twin does, and rounded by its exact value as Python's round does.

Candidates are sorted by correct, false and missed edits and by annotator, so that of equal F the first is chosen.
"""

from libc.math cimport floor, fma
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from errorbar.metrics._whole cimport LANES, members

cdef double NEAR = 1e-6
cdef double MANY = 1e6  # ten-thousandths below which a quotient is exact enough
cdef double APART = 281474976710656.0  # 2^48, see ``orderly``


cdef double exactly(double c, double p, double g, double b2) noexcept nogil:
    """F in ten-thousandths, computed step by step as ``score_totals`` does and rounded as Python does."""
    cdef double precision = c / p if p > 0 else 1.0, recall = c / g if g > 0 else 1.0
    cdef double denominator = b2 * precision + recall
    return rounded((1.0 + b2) * precision * recall / denominator if denominator > 0 else 0.0)


cdef double rounded(double value) noexcept nogil:
    """``round(value, 4)`` in ten-thousandths: to the nearest by the exact value, of a tie to the even one."""
    cdef double whole = floor(value * 1e4), over = fma(value, 1e4, -(whole + 0.5))
    return whole + (over > 0 or (over == 0 and whole / 2 != floor(whole / 2)))


cdef inline double approached(double c, double p, double g, const Weight *weight) noexcept nogil:
    """As ``exactly``, by one quotient where that will do."""
    cdef double half, whole, rest
    if p > 0 and g > 0:
        half = weight.scale * c / (p + weight.b2 * g) + 0.5
        if 0 < half < MANY:
            whole = <double><int64_t>half
            rest = half - whole
            if weight.near < rest < 1.0 - weight.near:
                return whole
    return exactly(c, p, g, weight.b2)


def in_ten_thousandths(const double[::1] values):
    """``round(value, 4) * 10,000`` of each value."""
    return [rounded(value) for value in values]


cdef Weight weight_of(double b2, bint usual) noexcept nogil:
    """A weight of recall, and whether quotients may stand for F at all."""
    cdef Weight weight
    weight.b2, weight.scale, weight.near = b2, (1.0 + b2) * 1e4, NEAR if usual else 1.0
    return weight


cdef bint orderly(
    double b2, const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals, Py_ssize_t n
) noexcept nogil:
    """Whether more correct and fewer false and missed edits never make F, as it is computed, smaller.

    F = (1 + b2) C / D with D = (1 + b2) C + E and E = FP + b2 FN. Of two with C <= C', FP >= FP' and FN >= FN', the
    second F is larger by (C' E - C E') / (C' D) of itself, which is at least min(1, b2) / (C' D); or their counts are
    equal, or the first is exactly 0 or the second exactly 1, as computed too. What is computed is off by 2^-50 of itself
    at most, so C' D < 2^48 min(1, b2) will do.
    """
    cdef Py_ssize_t u, a
    cdef double c = 0.0, d = 0.0, most_c = 0.0, most_d = 0.0
    for u in range(counts.shape[0]):
        for a in range(counts.shape[1]):
            if counts[u, a, 0] < 0 or counts[u, a, 1] < counts[u, a, 0] or counts[u, a, 2] < counts[u, a, 0]:
                return False
            c, d = max(c, <double>counts[u, a, 0]), max(d, counts[u, a, 1] + b2 * counts[u, a, 2])
    for u in range(totals.shape[0]):
        if totals[u, 0] < 0 or totals[u, 1] < totals[u, 0] or totals[u, 2] < totals[u, 0]:
            return False
        most_c, most_d = max(most_c, <double>totals[u, 0]), max(most_d, totals[u, 1] + b2 * totals[u, 2])
    return (most_c + n * c) * (most_d + n * d) < APART * min(1.0, b2)


cdef inline bint before(const Candidate *x, const Candidate *y) noexcept nogil:
    """Whether of equal F x is chosen, who comes later by annotator."""
    if x.c != y.c:
        return x.c > y.c
    return x.p < y.p or (x.p == y.p and x.g < y.g)


cdef void sort_candidates(Py_ssize_t n_units, Candidate *found, const int64_t *offset) noexcept nogil:
    """Put the candidates of each unit in the order in which the first of equal F is chosen."""
    cdef Py_ssize_t u
    cdef int64_t x, y
    cdef Candidate one
    for u in range(n_units):
        for x in range(offset[u] + 1, offset[u + 1]):
            one, y = found[x], x
            while y > offset[u] and before(&one, &found[y - 1]):
                found[y] = found[y - 1]
                y -= 1
            found[y] = one


cdef void fold_rounded(
    const Candidate *found, const int64_t *offset, const int64_t[:, ::1] units, Py_ssize_t second,
    const int64_t[::1] slots, const uint8_t[:, ::1] swaps, const uint8_t[:, ::1] masks, Weight weight, bint running,
    int64_t[:, ::1] totals, int64_t[::1] n_units, int32_t[:, ::1] chosen,
) noexcept nogil:
    """The fold of sorted candidates, one replicate after the other."""
    cdef Py_ssize_t r, k, n = units.shape[1]
    cdef bint many_masks = masks.shape[0] > 1, swapping = swaps.shape[0] > 0
    cdef double c, p, g, best_f, f, on = 1.0 if running else 0.0
    cdef int64_t u, x, best, end, used
    cdef uint64_t allowed
    cdef const int64_t *row
    for r in range(totals.shape[0]):
        c, p, g = totals[r, 0], totals[r, 1], totals[r, 2]
        row = &units[r if units.shape[0] > 1 else 0, 0] if n else NULL
        used, allowed = 0, members(masks, r) if many_masks else 0
        for k in range(n):
            u = row[k]
            if u < 0:  # padding
                continue
            if swapping and slots[k] >= 0 and swaps[r, slots[k]]:
                u += second
            best, best_f, end = -1, -1.0, offset[u + 1]
            for x in range(offset[u], end):
                if many_masks and (found[x].beaten & allowed or not masks[r, found[x].a]):
                    continue
                if best < 0:
                    best = x
                    continue
                if best_f < 0:
                    best_f = approached(on * c + found[best].c, on * p + found[best].p, on * g + found[best].g, &weight)
                f = approached(on * c + found[x].c, on * p + found[x].p, on * g + found[x].g, &weight)
                if f > best_f:
                    best, best_f = x, f
            if chosen.shape[0]:
                chosen[r, k] = found[best].a if best >= 0 else -1
            if best < 0:
                continue
            c += found[best].c
            p += found[best].p
            g += found[best].g
            used += 1
        n_units[r] += used
        totals[r, 0], totals[r, 1], totals[r, 2] = <int64_t>c, <int64_t>p, <int64_t>g


cdef void fold_rounded_swapped(
    int64_t n_steps, const Step *steps, const Choice *choices, const uint8_t[:, ::1] swaps, Weight weight,
    int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil:
    """The running fold of ways to swap, step by step for many of them; ``d`` of steps and choices: reference edits."""
    cdef double c[LANES]
    cdef double p[LANES]
    cdef double g[LANES]
    cdef int64_t used[LANES]
    cdef const Choice *x
    cdef const Choice *best
    cdef const Choice *passed
    cdef int64_t k, size, j
    cdef double f, best_f
    cdef Py_ssize_t block, r, i, lanes, width = swaps.shape[1]
    cdef const uint8_t *swap
    for block in range((totals.shape[0] + LANES - 1) // LANES):
        r = block * LANES
        lanes = min(<Py_ssize_t>LANES, totals.shape[0] - r)
        for i in range(lanes):
            c[i], p[i], g[i], used[i] = totals[r + i, 0], totals[r + i, 1], totals[r + i, 2], 0
        for k in range(n_steps):
            passed = &steps[k].before
            if passed.used:
                for i in range(lanes):
                    c[i] += passed.c
                    p[i] += passed.p
                    g[i] += passed.d
                    used[i] += passed.used
            if steps[k].unit < 0:
                break
            size = (steps[k + 1].first - steps[k].first) // 2
            swap = &swaps[r, steps[k].slot] if steps[k].slot >= 0 else NULL
            for i in range(lanes):
                best = &choices[steps[k].first]
                if swap != NULL:
                    best += size * swap[i * width]
                if size > 1:
                    x = best
                    best_f = approached(c[i] + x.c, p[i] + x.p, g[i] + x.d, &weight)
                    for j in range(1, size):
                        f = approached(c[i] + x[j].c, p[i] + x[j].p, g[i] + x[j].d, &weight)
                        best += (f > best_f) * (&x[j] - best)
                        best_f = max(f, best_f)
                c[i] += best.c
                p[i] += best.p
                g[i] += best.d
                used[i] += best.used
        for i in range(lanes):
            n_units[r + i] += used[i]
            totals[r + i, 0], totals[r + i, 1], totals[r + i, 2] = <int64_t>c[i], <int64_t>p[i], <int64_t>g[i]
