/* SPDX-License-Identifier: MIT */
/*
 * all_types.h - operators that move elements, at every type that their newest version takes: random bits
 * go in, and each element of the output must be the one that a case finds by its index, bit for bit.
 */
#ifndef BP_TESTS_ALL_TYPES_H
#define BP_TESTS_ALL_TYPES_H

#include "graph/schema_table.h"

#include "support/shapes.h"

/* One run: what a case has chosen at random. */
struct move {
    const struct bp_schema *schema;
    uint32_t dtype;
    struct shape x, y;
    size_t n_x, n_y;
    const void *data;                  /* of x */
    int64_t params[4 * SHAPE_RANK], n; /* what the operator is told, as the case likes */
    const int64_t *list;               /* more of it */
    const void *filler;                /* an element for where there is none of x; NULL: zero */
};

struct move_case {
    const char *domain, *op;
    /* Chooses shapes and parameters, calls move_begin(), adds other inputs, and calls move_node(). */
    void (*make)(struct move *m, uint64_t *seed);
    /* From an index in y to that in x; false: there is no such element. NULL: the same order. */
    bool (*source)(const struct move *m, int64_t *index);
};

/* The newest version of an operator. */
static inline const struct bp_schema *every_newest(const char *domain, const char *op)
{
    const struct bp_schema *schema = bp_schema_find(domain, op, UINT32_MAX);

    ck_assert_msg(schema != NULL, "%s is in no table", op);
    return schema;
}

/* Is it a type of the first input, or of the first output where there is none? */
static inline bool every_takes(const struct bp_schema *schema, uint32_t dtype)
{
    return (schema->n_in > 0 ? schema->in : schema->out)[0].types >> dtype & 1;
}

/* A shape that has no elements now and then. */
static inline struct shape every_shape(uint64_t *seed, uint32_t least, uint32_t most_rank)
{
    struct shape shape = shape_random(seed, least, most_rank);

    if (shape.rank > 0 && random_below(seed, 12) == 0)
        shape.dims[random_below(seed, shape.rank)] = 0;
    return shape;
}

/* The same axis, counted from the end half of the time. */
static inline int64_t every_axis(uint64_t *seed, uint32_t axis, uint32_t rank)
{
    return (int64_t)axis - (random_below(seed, 2) ? (int64_t)rank : 0);
}

/* Adds a list of integers, as int64 or int32, constant or not. */
static inline void every_list(uint64_t *seed, const char *name, const int64_t *list, uint32_t n,
                              bool may_be_narrow)
{
    void (*put)(struct th *, const char *, uint32_t, const char *, const void *) =
        random_below(seed, 2) ? th_const : th_input;
    int32_t *narrow = kept_zeros(n + 1, sizeof *narrow);
    const char *dims = shape_text(&(struct shape){1, {n}});

    for (uint32_t i = 0; i < n; i++)
        narrow[i] = (int32_t)list[i];
    if (may_be_narrow && random_below(seed, 2))
        put(t, name, BP_DTYPE_I32, dims, narrow);
    else
        put(t, name, BP_DTYPE_I64, dims, list);
}

/* Adds x, with elements, and y; is_late: whose size comes with data. */
static inline void move_begin(struct move *m, uint64_t *seed, bool is_late)
{
    m->n_x = shape_count(&m->x);
    m->n_y = shape_count(&m->y);
    m->data = th_keep(t, typed_random(seed, m->n_x, m->dtype));
    th_input(t, "x", m->dtype, shape_text(&m->x), m->data);
    th_output(t, "y", m->dtype, is_late ? NULL : shape_text(&m->y));
    if (is_late)
        th_allow_alloc(t);
}

static inline void move_node(const struct move *m, const char *in)
{
    th_node(t, m->schema->op, m->schema->since, in, "y");
    th_domain(t, m->schema->domain);
}

static inline void move_check(const struct move_case *c, const struct move *m)
{
    const uint64_t zero[2] = {0};
    const void *y;

    ck_assert_str_eq(th_dims(t, "y"), shape_text(&m->y));
    y = th_data(t, "y");
    for (size_t i = 0; i < m->n_y; i++) {
        int64_t index[SHAPE_RANK];
        const void *from = m->data;
        size_t k = i;

        if (c->source) {
            shape_index(&m->y, i, index);
            if (c->source(m, index))
                k = shape_at(&m->x, index);
            else
                from = m->filler ? m->filler : (const void *)zero;
        }
        if (!typed_same(y, i, from, from == m->data ? k : 0, m->dtype))
            ck_abort_msg("%s: element %zu of %s is not element %zu of %s, in type %s", c->op, i,
                         shape_text(&m->y), k, shape_text(&m->x), bp_dtype_name(m->dtype));
    }
}

/* Some random cases of one type, if it is one of the operator's. */
static inline void move_all(const struct move_case *c, uint32_t dtype, uint32_t rounds)
{
    uint64_t seed = dtype;
    struct move m = {.schema = every_newest(c->domain, c->op), .dtype = dtype};

    for (uint32_t i = 0; i < rounds && every_takes(m.schema, dtype); i++) {
        teardown();
        setup();
        m.filler = NULL;
        c->make(&m, &seed);
        ck_assert_msg(th_run(t) >= 0, "%s of %s: %s", c->op, bp_dtype_name(dtype), th_message(t));
        move_check(c, &m);
    }
}

/* The body of a loop test from 0 to EVERY_TYPE times the number of cases. */
enum { EVERY_TYPE = BP_DTYPE_END };
#define move_loop(cases) move_all(&(cases)[_i / EVERY_TYPE], (uint32_t)_i % EVERY_TYPE, 10)

#endif
