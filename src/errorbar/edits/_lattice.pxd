"""What the kernel's modules share: the workspace of one sentence pair."""

from libc.stdint cimport int32_t, int64_t, uint8_t

cdef enum:
    N_BUFFERS = 40
    MAX_VERTICES = 2048


cdef struct Buffer:
    void *data
    size_t size


cdef void *grown(Buffer *buffer, size_t size) except NULL nogil


cdef class LatticeSpace:
    cdef Buffer[N_BUFFERS] buffers
    # the pair
    cdef const int32_t *s
    cdef const int32_t *h
    cdef int n, m, max_unchanged, arc_limit
    # lattice: cells are (i, j) in row order, vertices the cells on minimal paths. A cell has two bits, one for each
    # table, for the step that enters it on the diagonal, by a deletion, by an insertion, and for being a vertex.
    cdef uint8_t *cell
    cdef int lowest, highest  # outside of these diagonals j - i no minimal path goes
    cdef int32_t *vertex_of
    cdef int32_t *vi
    cdef int32_t *vj
    cdef int32_t *row_start  # the first vertex of each i, and the number of vertices
    cdef int32_t *after_start
    cdef int32_t *after
    cdef uint8_t *kept
    cdef uint8_t *multiplicity
    cdef int n_vertices, n_edges
    # arcs: unique ones, and the list of entries; into[to * V + from] is an arc or -1
    cdef int32_t *a_from
    cdef int32_t *a_to
    cdef int32_t *a_length
    cdef int32_t *a_words
    cdef uint8_t *a_only
    cdef uint8_t *a_mark
    cdef int32_t *order
    cdef int32_t *into
    cdef int32_t *low
    cdef int n_arcs, n_order

    cdef void find_diagonals(self) noexcept nogil
    cdef int build_lattice(self) except -1 nogil
    cdef int list_edges(self) except -1 nogil
    cdef void add_edge(self, size_t target, int tables, bint kept) noexcept nogil
    cdef int reserve_arcs(self, size_t arcs, size_t entries) except -1 nogil
    cdef int merge(self) except -1 nogil
    cdef int new_arc(self, int start, int end, int length, int words, bint only) noexcept nogil
    cdef void forget_arcs(self) noexcept nogil
    cdef int drop_long_matches(self) except -1 nogil
