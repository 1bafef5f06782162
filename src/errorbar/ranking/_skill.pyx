"""TrueSkill of many replicates of a corpus: the fast twin of ``errorbar.ranking.sentence_wins.trueskill_means``.

Every replicate plays all pairs of its sentences in their order; in some sentences two systems may have changed places.
"""

from libc.math cimport erfc, exp, sqrt
from libc.stdint cimport int8_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

cdef double LEAST = 1e-290
cdef double ROOT = sqrt(2 * 3.141592653589793)


cdef inline void move(double t, double edge, bint tied, double *v, double *w) noexcept nogil:
    """By what a mean and a variance move: see ``_moves`` of the twin."""
    cdef double low = -edge - t if tied else edge - t, high = edge - t, near, far, mass
    cdef double dense_low = exp(-low * low / 2) / ROOT, dense_high
    if not tied:
        mass = erfc(low / sqrt(2.0)) / 2
        if mass < LEAST:
            v[0], w[0] = low, 1.0
            return
        v[0] = dense_low / mass
        w[0] = v[0] * (v[0] - low)
        return
    dense_high = exp(-high * high / 2) / ROOT
    near, far = (low, high) if low > 0 else (-high, -low)
    mass = (erfc(near / sqrt(2.0)) - erfc(far / sqrt(2.0))) / 2
    if mass < LEAST:
        v[0], w[0] = low if low > 0 else high, 1.0
        return
    v[0] = (dense_low - dense_high) / mass
    w[0] = v[0] * v[0] + (high * dense_high - low * dense_low) / mass


def rate_replicates(
    const int8_t[:, :, ::1] outcomes, const int64_t[:, ::1] units, const uint8_t[:, ::1] swapped,
    Py_ssize_t one, Py_ssize_t other, double mu, double variance, double noise, double edge, double[:, ::1] means,
):
    """Write the means after each row of ``units`` (-1: none) to ``means``, shape (replicates, systems).

    ``outcomes`` are 1, -1, 0, or 2 where there is none; shape (sentences, systems, systems). ``swapped`` has a row for
    each replicate, or none at all: in which sentences the systems ``one`` and ``other`` change places. ``units`` has a
    row for each replicate, or one for all.
    """
    cdef Py_ssize_t r, k, i, j, n = outcomes.shape[1], a, b, better, worse, row
    cdef int64_t u
    cdef int8_t outcome
    cdef double square, c, v, w
    cdef double *spread = <double *>malloc((n + 1) * sizeof(double))
    cdef Py_ssize_t *plain = <Py_ssize_t *>malloc((n + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t *changed = <Py_ssize_t *>malloc((n + 1) * sizeof(Py_ssize_t))
    cdef Py_ssize_t *seat
    if spread == NULL or plain == NULL or changed == NULL:
        free(spread)
        free(plain)
        free(changed)
        raise MemoryError("not enough memory for the ratings")
    with nogil:
        for i in range(n):
            plain[i] = changed[i] = i
        if swapped.shape[0] > 0:
            changed[one], changed[other] = other, one
        for r in range(means.shape[0]):
            row = r if units.shape[0] > 1 else 0
            for i in range(n):
                means[r, i] = mu
                spread[i] = variance
            for k in range(units.shape[1]):
                u = units[row, k]
                if u < 0:
                    continue
                seat = changed if swapped.shape[0] > 0 and swapped[r, u] else plain
                for i in range(n):
                    a = seat[i]
                    for j in range(i + 1, n):
                        b = seat[j]
                        outcome = outcomes[u, a, b]
                        if outcome == 2:
                            continue
                        better, worse = (j, i) if outcome < 0 else (i, j)
                        square = noise + spread[better] + spread[worse]
                        c = sqrt(square)
                        move((means[r, better] - means[r, worse]) / c, edge / c, outcome == 0, &v, &w)
                        means[r, better] += spread[better] / c * v
                        means[r, worse] -= spread[worse] / c * v
                        spread[better] *= 1 - spread[better] / square * w
                        spread[worse] *= 1 - spread[worse] / square * w
    free(spread)
    free(plain)
    free(changed)
