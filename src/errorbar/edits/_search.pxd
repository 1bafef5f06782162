"""Costs and paths, shared with the search of large pairs."""

from libc.stdint cimport int32_t, int64_t

from errorbar.edits._lattice cimport LatticeSpace

cdef void reverse(int32_t *path, int size) noexcept nogil


cdef class SearchSpace(LatticeSpace):
    cdef double *cost
    cdef double *base_cost
    cdef double *total
    cdef int32_t *arrived
    # edits of a path as (i, i2, j, j2); path_base is the path of an annotator without a hit, -1 edits: not yet known
    cdef int32_t *path
    cdef int32_t *path_base
    cdef int n_path_base
    # reference edits of the current annotator
    cdef const int32_t *g_start
    cdef const int32_t *g_end
    cdef const int64_t *g_alt
    cdef const int64_t *alt_off
    cdef const int32_t *alt_tok
    cdef int64_t g_low, g_high

    cdef int prepare_costs(self) except -1 nogil
    cdef bint is_hit(self, int64_t g, int start, int end) noexcept nogil
    cdef int set_costs(self) except -1 nogil
    cdef bint first_insertion(self, int64_t g) noexcept nogil
    cdef int match_insertions(self, int point, double hit_cost) except -1 nogil
    cdef int grouped(self, int64_t key) noexcept nogil
    cdef int cheapest_path(self, double *cost, int32_t *path) noexcept nogil
    cdef void add_edit(self, int32_t *path, int at, int u, int v) noexcept nogil
