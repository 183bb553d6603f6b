"""The fields that the records of a region have in common."""

cimport cython
from pagesieve.page.kernel.record_rows cimport RecordRows


@cython.final
cdef class Field:
    cdef public Field above  # the place that it is in
    cdef public tuple key  # element, classes, label (or the number of a cell)
    cdef public list at  # the records, each once, in order
    cdef public list roots  # the rows of each, as a tuple
    cdef public bint several  # the rows stand side by side; else it is one element
    cdef public str between  # what parts its lines
    cdef public bint whole  # not to be taken apart
    cdef public bint listed  # each of the rows is an item of its own: tags, links
    cdef public bint glue  # text between other fields that hardly changes


@cython.final
cdef class _Cut:
    cdef list keys, rows  # of each part: the number of its key, and its rows as a tuple
    cdef list first  # of each record: its first part; and the end

    cdef int add(self, int key, tuple rows) except -1
    cdef int end_record(self) except -1
    cdef Py_ssize_t records(self)
    cdef list counts(self)


@cython.final
cdef class _Group:
    cdef list at, rows  # of each part
    cdef int most  # parts that a record has
    cdef int run  # parts of the last record

    cdef int add(self, int record, tuple rows) except -1
    cdef list by_record(self)


@cython.final
cdef class _Walk:
    cdef RecordRows rows
    cdef object page
    cdef object is_one_value, label_of
    cdef list keys  # by number
    cdef dict numbers  # by key
    cdef dict by_class  # numbers by element and the attribute `class`
    cdef int text_key
    # Of the place that is taken apart: whether a part is known by its term; whether all children are texts, any cuts.
    cdef bint has_terms, only_texts, is_cut

    cdef list taken_apart(self, Field place)
    cdef list _children(self, Field place)
    cdef int _number(self, tuple key) except -1
    cdef int _key(self, int row) except -1
    cdef int _key_of(self, tuple rows) except -1
    cdef list _phrase(self, Field place, list children)
    cdef bint _have_cents(self, list parts) except -1
    cdef bint _has_words(self, list spoken) except -1
    cdef bint _has_texts_between(self, list spoken) except -1
    cdef _Cut _parts_of_line(self, list spoken)
    cdef list _without_notes(self, Field place, list spoken)
    cdef int _note(self, list ends, list spoken) except -2
    cdef list _spoken(self, list children)
    cdef list _after_value(self, Field place, list spoken)
    cdef bint _is_rest_of_many(self, Field place) except -1
    cdef list _cut_after(self, Field place, list spoken, int count)
    cdef bint _has_tail(self, list spoken) except -1
    cdef bint _may_be_pieces(self, list line, int count) except -1
    cpdef str _text(self, tuple roots)
    cpdef str _within_signs(self, tuple roots)
    cdef bint _is_sentence(self, list spoken) except -1
    cdef bint _is_glued(self, list own, set wordings, bint marked) except -1
    cdef bint _are_marks(self, set keys) except -1
    cdef _Cut _segments(self, list children)
    cdef int _segment(self, _Cut cut, list children) except -1
    cdef int _block_key(self, int row, int tag, int cell, str label) except -1
    cdef int _add_line(self, _Cut cut, list line) except -1
    cdef tuple _telling(self, list line)
    cdef _Cut _with_terms(self, _Cut cut)
    cdef bint _is_prose(self, _Cut cut) except -1
    cdef bint _are_between(self, _Cut cut) except -1
    cdef list _places(self, Field place, _Cut cut)
    cdef list _resolved(self, Field place, tuple key, _Group group)
    cdef list _terms(self, _Group group, list labels)
    cdef _Group _described(self, _Group group, list terms)
    cdef bint _are_short(self, _Group group, list parts) except -1
    cdef list _by_label(self, Field place, tuple key, _Group group, list labels)
    cdef list _by_value(self, _Group group)
    cdef bint _are_told_apart(self, list labels, int records) except -1
    cdef list _labels(self, list parts)
    cdef str _label(self, tuple rows)
    cdef bint _are_alike(self, _Group group) except -1
    cdef bint _has_parts(self, int row) except -1
    cdef list _joined_keys(self, _Cut cut)
    cdef dict _without_rare_classes(self, dict having, int records)
    cdef dict _stand_ins(self, dict holders, int records)
    cdef bint _is_stand_in(self, int number, int other, dict holders, int records) except -1

cdef bint _is_amount(str text) except -1
cdef int _most_wordings(set wordings) except -1
cdef bint _has_label(Field place) except -1
cdef Field _single(Field place, tuple key, list at, list roots)
cdef list _numbered(Field place, tuple key, list parts, int most)
cdef bint _stable(list counts) except -1
cdef list _most_held(dict holders)
cdef list _in_order(list keys, list first)
