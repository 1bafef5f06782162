"""What the fold and its shortcuts in whole numbers share."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef enum:
    BITS = 64  # annotators that fit in a set
    WIDE = 256  # replicates of which it is seen together what they choose
    LANES = 64  # replicates side by side: none waits for another, and a line of the cache holds 64 swaps of each


cdef struct Candidate:
    double c, p, g  # whole numbers: exact, and nothing is converted on the way
    int32_t a
    uint64_t beaten  # set of annotators who are chosen before this one


cdef struct Whole:
    int64_t c, p, g
    int64_t d  # the denominator of F as a whole number
    uint64_t who  # set of annotators with these counts
    uint64_t beaten  # set of annotators with better ones, whatever the totals


cdef struct Weights:
    int64_t p, g  # the denominator of F is p * proposed + g * reference edits, over some power of two


cdef struct Choice:
    int64_t c, p, d, used


cdef struct Step:
    Choice before  # sums of the units since the last step: every way to swap chooses the same there
    int64_t first, unit, slot  # first: of the choices, those of the first system and then as many of the second


cdef inline uint64_t members(const uint8_t[:, ::1] masks, Py_ssize_t row) noexcept nogil:
    """The annotators of a row as a set, empty where there are more than fit in one."""
    cdef uint64_t found = 0
    cdef Py_ssize_t a
    for a in range(masks.shape[1] if masks.shape[1] <= BITS else 0):
        if masks[row, a]:
            found |= <uint64_t>1 << a
    return found


cdef inline bint usual(double b2) noexcept nogil:
    """Whether different sums of a thousand million edits do not round to the same number with this weight."""
    return 1e-3 <= b2 <= 1e3


cdef bint ordinary(const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals) noexcept nogil


cdef Weights whole_weights(
    double b2, const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals, Py_ssize_t n
) noexcept nogil


cdef void list_whole(
    Py_ssize_t n_units, const Candidate *found, const int64_t *offset, bint group, Weights weights, Whole *whole,
    int64_t *start,
) noexcept nogil


cdef int64_t list_steps(
    const int64_t *row, Py_ssize_t n, Py_ssize_t second, const int64_t[::1] slots, const Whole *whole,
    const int64_t *start, Step *steps,
) noexcept nogil


cdef void list_choices(
    int64_t n_steps, Py_ssize_t second, const Whole *whole, const int64_t *start, const Step *steps, bint in_order,
    Choice *choices,
) noexcept nogil


cdef void fold_swapped(
    int64_t n_steps, const Step *steps, const Choice *choices, const uint8_t[:, ::1] swaps,
    const uint8_t[:, ::1] packed_swaps, Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil


cdef void fold_whole(
    const Whole *whole, const int64_t *start, const int64_t[:, ::1] units, const uint8_t[:, ::1] masks, bint many_masks,
    Weights weights, const Candidate *found, int64_t[:, ::1] totals, int64_t[::1] n_units, int32_t[:, ::1] chosen,
) noexcept nogil


cdef void fold_masked(
    const Whole *whole, const int64_t *start, const int64_t *row, Py_ssize_t n, const uint8_t[:, ::1] masks,
    Weights weights, int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil
