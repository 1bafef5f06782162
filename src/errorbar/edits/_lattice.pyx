"""The lattice of minimal edit paths and its merged arcs: the fast twin of lattice.py.

Every step and loop order is that of the readable twins; read those first. Only cells that no minimal path enters are
left out. Tokens are whole numbers here, equal where the tokens are equal. All memory belongs to one workspace that grows
and is reused.
"""

from libc.stdlib cimport free, realloc
from libc.string cimport memset


cdef size_t MOST_SPARE = 1 << 22


cdef void *grown(Buffer *buffer, size_t size) except NULL nogil:
    """At least `size` bytes; the content is kept, what is new is filled with 0xFF (-1)."""
    cdef size_t wanted
    cdef void *data
    if buffer.size < size or buffer.data == NULL:
        wanted = size + min(size // 2, MOST_SPARE) + 64
        data = realloc(buffer.data, wanted)
        if data == NULL:
            with gil:
                raise MemoryError("not enough memory for the edit lattice of one sentence pair")
        memset(<char *>data + buffer.size, 0xFF, wanted - buffer.size)
        buffer.data = data
        buffer.size = wanted
    return buffer.data


cdef class LatticeSpace:
    """The lattice and arcs of one sentence pair after another."""

    def __dealloc__(self):
        cdef int k
        for k in range(N_BUFFERS):
            free(self.buffers[k].data)

    cdef void find_diagonals(self) noexcept nogil:
        """The diagonals j - i between which every minimal path lies.

        To delete and insert all tokens between a common beginning and a common end is a path, and bounds the costs of
        minimal ones: of deletions and insertions, they have no more than that. To reach a diagonal outside and to come
        back takes more.
        """
        cdef int alike = 0, most = min(self.n, self.m), at_end = 0
        while alike < most and self.s[alike] == self.h[alike]:
            alike += 1
        while at_end < most - alike and self.s[self.n - 1 - at_end] == self.h[self.m - 1 - at_end]:
            at_end += 1
        self.lowest = -(self.n - alike - at_end)
        self.highest = self.m - alike - at_end

    cdef int build_lattice(self) except -1 nogil:
        """Marks the steps on minimal paths, one byte a cell; lists vertices and edges unless there are too many."""
        cdef int n = self.n, m = self.m, width = m + 1, i, j, v, sub, first, last
        cdef size_t cells = <size_t>(n + 1) * width, c
        cdef int32_t *above = <int32_t *>grown(&self.buffers[0], 2 * <size_t>width * 4)
        cdef int32_t *row = above + width
        cdef int32_t *swapped
        cdef int32_t diagonal, up, left, best, outside = n + m + 1
        cdef uint8_t here, tables
        self.find_diagonals()
        self.cell = <uint8_t *>grown(&self.buffers[1], cells)
        memset(self.cell, 0, cells)
        for sub in range(1, 3):  # the bit of a table is the cost of a substitution in it
            for j in range(min(m, self.highest) + 1):
                above[j] = j
                if j:
                    self.cell[j] |= sub << 4
            for i in range(1, n + 1):
                first, last = max(1, i + self.lowest), min(m, i + self.highest)
                c = <size_t>i * width
                row[first - 1] = outside
                if i + self.lowest <= 0:
                    row[0] = i
                    self.cell[c] |= sub << 2
                if last == i + self.highest:
                    above[last] = outside
                for j in range(first, last + 1):
                    diagonal = above[j - 1] + (0 if self.s[i - 1] == self.h[j - 1] else sub)
                    up = above[j] + 1
                    left = row[j - 1] + 1
                    best = diagonal
                    if up < best:
                        best = up
                    if left < best:
                        best = left
                    row[j] = best
                    self.cell[c + j] |= (sub if diagonal == best else 0) | (sub << 2 if up == best else 0) | (
                        sub << 4 if left == best else 0)
                swapped = above
                above = row
                row = swapped
        self.cell[cells - 1] |= 3 << 6
        v = 0
        for i in range(n, -1, -1):
            for j in range(min(m, i + self.highest), max(0, i + self.lowest) - 1, -1):
                c = <size_t>i * width + j
                tables = self.cell[c] >> 6
                here = self.cell[c] & (tables | tables << 2 | tables << 4)
                self.cell[c] = here | tables << 6
                v += tables > 0
                if here & 3:
                    self.cell[c - width - 1] |= (here & 3) << 6
                if here >> 2 & 3:
                    self.cell[c - width] |= (here >> 2 & 3) << 6
                if here >> 4 & 3:
                    self.cell[c - 1] |= (here >> 4 & 3) << 6
        self.n_vertices = v
        if v <= MAX_VERTICES:
            self.list_edges()
        return 0

    cdef int list_edges(self) except -1 nogil:
        cdef int n = self.n, m = self.m, width = m + 1, i, j, v = 0, vertices = self.n_vertices
        cdef size_t cells = <size_t>(n + 1) * width, c
        self.vertex_of = <int32_t *>grown(&self.buffers[3], cells * 4)
        self.vi = <int32_t *>grown(&self.buffers[4], (vertices + 1) * 4)
        self.vj = <int32_t *>grown(&self.buffers[5], (vertices + 1) * 4)
        self.row_start = <int32_t *>grown(&self.buffers[2], (n + 2) * 4)
        self.after_start = <int32_t *>grown(&self.buffers[6], (vertices + 1) * 4)
        self.after = <int32_t *>grown(&self.buffers[7], 3 * (vertices + 1) * 4)
        self.kept = <uint8_t *>grown(&self.buffers[8], 3 * (vertices + 1))
        self.multiplicity = <uint8_t *>grown(&self.buffers[9], 3 * (vertices + 1))
        for i in range(n + 1):
            self.row_start[i] = v
            for j in range(max(0, i + self.lowest), min(m, i + self.highest) + 1):
                c = <size_t>i * width + j
                if self.cell[c]:
                    self.vertex_of[c] = v
                    self.vi[v] = i
                    self.vj[v] = j
                    v += 1
        self.row_start[n + 1] = v
        self.n_edges = 0
        for v in range(vertices):
            i, j = self.vi[v], self.vj[v]
            c = <size_t>i * width + j
            self.after_start[v] = self.n_edges
            if j < m:
                self.add_edge(c + 1, self.cell[c + 1] >> 4 & 3, 0)
            if i < n:
                self.add_edge(c + width, self.cell[c + width] >> 2 & 3, 0)
                if j < m:
                    self.add_edge(c + width + 1, self.cell[c + width + 1] & 3, self.s[i] == self.h[j])
        self.after_start[vertices] = self.n_edges
        return 0

    cdef void add_edge(self, size_t target, int tables, bint kept) noexcept nogil:
        if tables:
            self.after[self.n_edges] = self.vertex_of[target]
            self.kept[self.n_edges] = kept
            self.multiplicity[self.n_edges] = 1 + (tables == 3)
            self.n_edges += 1

    # ---- arcs ----------------------------------------------------------------------------------------------

    cdef int reserve_arcs(self, size_t arcs, size_t entries) except -1 nogil:
        self.a_from = <int32_t *>grown(&self.buffers[10], arcs * 4)
        self.a_to = <int32_t *>grown(&self.buffers[11], arcs * 4)
        self.a_length = <int32_t *>grown(&self.buffers[12], arcs * 4)
        self.a_words = <int32_t *>grown(&self.buffers[13], arcs * 4)
        self.a_only = <uint8_t *>grown(&self.buffers[14], arcs)
        self.order = <int32_t *>grown(&self.buffers[15], entries * 4)
        return 0

    cdef int merge(self) except -1 nogil:
        """Returns 1 if every arc was listed, 0 if that would take more than arc_limit entries."""
        cdef int V = self.n_vertices, k, i, a, b, e, j, steps, words
        self.n_arcs = self.n_order = 0
        if V > MAX_VERTICES:
            return 0  # they were not even numbered
        self.into = <int32_t *>grown(&self.buffers[16], <size_t>V * V * 4)  # -1 everywhere: see forget_arcs
        self.low = <int32_t *>grown(&self.buffers[17], V * 4)
        self.reserve_arcs(self.n_edges + 3 * V, 2 * self.n_edges + 3 * V)
        for k in range(V):
            self.low[k] = k
        for k in range(V):
            for e in range(self.after_start[k], self.after_start[k + 1]):
                j = self.after[e]
                a = self.new_arc(k, j, 1, self.kept[e], self.kept[e])
                if self.multiplicity[e] == 2:
                    self.order[self.n_order] = a
                    self.n_order += 1
        for k in range(V):
            # room for whatever this k can add: each earlier vertex times three edges
            self.reserve_arcs(self.n_arcs + 3 * V, self.n_order + 3 * V)
            for i in range(self.low[k], k):
                a = self.into[<size_t>k * V + i]
                if a < 0:
                    continue
                for e in range(self.after_start[k], self.after_start[k + 1]):
                    words = self.a_words[a] + self.kept[e]
                    if words > self.max_unchanged:
                        continue
                    j = self.after[e]
                    b = self.into[<size_t>j * V + i]
                    steps = self.a_length[a] + 1
                    if b < 0:
                        self.new_arc(i, j, steps, words, self.a_only[a] and self.kept[e])
                    elif steps < self.a_length[b]:
                        self.a_length[b] = steps
                        self.a_words[b] = words
                        self.a_only[b] = self.a_only[a] and self.kept[e]
                        self.order[self.n_order] = b
                        self.n_order += 1
            if self.n_order > self.arc_limit:
                self.forget_arcs()
                return 0
        self.drop_long_matches()
        return 1

    cdef int new_arc(self, int start, int end, int length, int words, bint only) noexcept nogil:
        cdef int a = self.n_arcs
        self.a_from[a] = start
        self.a_to[a] = end
        self.a_length[a] = length
        self.a_words[a] = words
        self.a_only[a] = only
        self.into[<size_t>end * self.n_vertices + start] = a
        if start < self.low[end]:
            self.low[end] = start
        self.order[self.n_order] = a
        self.n_order += 1
        self.n_arcs += 1
        return a

    cdef void forget_arcs(self) noexcept nogil:
        cdef int a
        for a in range(self.n_arcs):
            self.into[<size_t>self.a_to[a] * self.n_vertices + self.a_from[a]] = -1

    cdef int drop_long_matches(self) except -1 nogil:
        """Takes long arcs of unchanged words out, skipping what slides into a freed place."""
        cdef int r = 0, w = 0, q, a
        self.a_mark = <uint8_t *>grown(&self.buffers[18], self.n_arcs + 1)
        memset(self.a_mark, 0, self.n_arcs)
        while r < self.n_order:
            a = self.order[r]
            r += 1
            if not self.a_only[a] or self.a_length[a] == 1:
                self.order[w] = a
                w += 1
                continue
            self.a_only[a] = 0
            self.a_length[a] = -1  # taken out: infinitely long
            if self.a_mark[a]:
                q = 0
                while self.order[q] != a:
                    q += 1
                while q + 1 < w:
                    self.order[q] = self.order[q + 1]
                    q += 1
                self.order[w - 1] = a
            if r < self.n_order:
                self.a_mark[self.order[r]] = 1
                self.order[w] = self.order[r]
                w += 1
                r += 1
        self.n_order = w
        return 0
