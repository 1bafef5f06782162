# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The running choice of annotators over many replicates: the fast twin of choice.py, sum by sum."""

from libc.stdint cimport int32_t, int64_t, uint8_t


def fold_replicates(
    const int32_t[:, :, ::1] counts, const uint8_t[:, ::1] present, const int64_t[:, ::1] units,
    const uint8_t[:, ::1] masks, double beta, bint running,
    int64_t[:, ::1] totals, int64_t[::1] n_units, int32_t[:, ::1] chosen,
):
    """Add the chosen annotator's counts to ``totals`` (replicates, 3), unit after unit.

    ``units`` and ``masks`` have one row, used by every replicate, or one row each. ``chosen`` has no row (not
    wanted) or one row each, -1 where nobody looked.
    """
    cdef Py_ssize_t r, k, u, a, best, ur, mr, R = totals.shape[0], n = units.shape[1], A = counts.shape[1]
    cdef int64_t c, p, g, C, P, G, best_c
    cdef double b2 = beta * beta, f, size, denominator, best_f, best_size
    with nogil:
        for r in range(R):
            C, P, G = totals[r, 0], totals[r, 1], totals[r, 2]
            ur = r if units.shape[0] > 1 else 0
            mr = r if masks.shape[0] > 1 else 0
            for k in range(n):
                u = units[ur, k]
                if u < 0:  # padding
                    continue
                best = -1
                best_f = best_size = 0.0
                best_c = 0
                for a in range(A):
                    if not present[u, a] or not masks[mr, a]:
                        continue
                    c, p, g = counts[u, a, 0], counts[u, a, 1], counts[u, a, 2]
                    if running:
                        c, p, g = C + c, P + p, G + g
                    denominator = b2 * g + p
                    f = (1.0 + b2) * c / denominator if denominator != 0.0 else (1.0 if c == 0 else 0.0)
                    size = p + b2 * g
                    if best < 0 or f > best_f or (f == best_f and (
                            c > best_c or (c == best_c and size < best_size))):
                        best, best_f, best_c, best_size = a, f, c, size
                if chosen.shape[0]:
                    chosen[r, k] = best
                if best < 0:
                    continue
                C += counts[u, best, 0]
                P += counts[u, best, 1]
                G += counts[u, best, 2]
                n_units[r] += 1
            totals[r, 0], totals[r, 1], totals[r, 2] = C, P, G
