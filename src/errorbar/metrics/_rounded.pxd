"""The choice by F of four places: what the fold needs of it."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from errorbar.metrics._whole cimport Candidate, Choice, Step


cdef struct Weight:
    double b2  # beta squared
    double scale  # (1 + beta squared) * 10,000
    double near  # how near to a half F is computed as the twin does; 1: always


cdef Weight weight_of(double b2, bint usual) noexcept nogil


cdef bint orderly(
    double b2, const int32_t[:, :, ::1] counts, const int64_t[:, ::1] totals, Py_ssize_t n
) noexcept nogil


cdef void sort_candidates(Py_ssize_t n_units, Candidate *found, const int64_t *offset) noexcept nogil


cdef void fold_rounded(
    const Candidate *found, const int64_t *offset, const int64_t[:, ::1] units, Py_ssize_t second,
    const int64_t[::1] slots, const uint8_t[:, ::1] swaps, const uint8_t[:, ::1] masks, Weight weight, bint running,
    int64_t[:, ::1] totals, int64_t[::1] n_units, int32_t[:, ::1] chosen,
) noexcept nogil


cdef void fold_rounded_swapped(
    int64_t n_steps, const Step *steps, const Choice *choices, const uint8_t[:, ::1] swaps, Weight weight,
    int64_t[:, ::1] totals, int64_t[::1] n_units,
) noexcept nogil
