/* SPDX-License-Identifier: MIT */
/*
 * int8.h - products of 8-bit integers in int32, exactly (they wrap around as 32 bits do):
 *
 *   C[i][j] = sum over p of (A[i][p] - a_zero) * (B[p][j] - b_zero)
 *
 * A becomes unsigned and B signed by moving their zero points by 128, so that one kernel serves all
 * signs; zero points are taken out of the sums afterwards. Both are packed in groups of 4 bytes,
 * which hold 4 values of 8 bits or 2 of 16, as the processor multiplies them. A product is planned
 * once for its sizes and run in tasks that may run at once.
 */
#ifndef BP_CPU_KERNELS_INT8_INT8_H
#define BP_CPU_KERNELS_INT8_INT8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bp_cpu_int8_epilogue;
struct bp_cpu_window;

/* A tile of the product of packed A and one packed panel of B. */
struct bp_cpu_int8_block {
    const uint8_t *a; /* rows of `groups` groups, a_row bytes apart */
    const uint8_t *b; /* nr groups, `groups` times */
    size_t a_row, rows, groups;
    int32_t *c; /* rows of nr sums */
};

/* The loops of one instruction set. */
struct bp_cpu_int8_level {
    const char *name;
    size_t mr, nr; /* the tile; block takes up to mr rows */
    size_t group;  /* values in a group: 4 or 2 */
    void (*block)(const struct bp_cpu_int8_block *block);
    void (*epilogue)(const struct bp_cpu_int8_epilogue *e); /* of a tile; see int8_epilogue.h */
};

/* All levels, the plain one first; *usable: this processor can. NULL: no such level. */
const struct bp_cpu_int8_level *bp_cpu_int8_level(uint32_t i, bool *usable);
/* The one for this processor. */
const struct bp_cpu_int8_level *bp_cpu_int8_best(void);

extern const struct bp_cpu_int8_level bp_cpu_int8_plain;
/* block is NULL where the compiler cannot build them */
extern const struct bp_cpu_int8_level bp_cpu_int8_avx2;
extern const struct bp_cpu_int8_level bp_cpu_int8_avx512;
extern const struct bp_cpu_int8_level bp_cpu_int8_vnni;

/* Fill m to level and call bp_cpu_int8_plan(); the rest is its own. */
struct bp_cpu_int8 {
    size_t m, n, k;
    bool a_signed, b_signed;
    const struct bp_cpu_window *image;     /* B is a convolution's matrix over it; NULL: a matrix */
    uint32_t width;                        /* threads */
    bool is_packed;                        /* B comes packed */
    const struct bp_cpu_int8_level *level; /* NULL: the best one here */

    size_t groups, a_row, panel, panels; /* bytes of a row of A, of a panel; panels of B */
    size_t pass;                         /* panels that are packed at a time */
    uint32_t row_parts, col_parts, tasks;
    size_t a_bytes;       /* of packed A */
    size_t scratch_bytes; /* of each worker */
};

/* False: the sizes overflow. */
bool bp_cpu_int8_plan(struct bp_cpu_int8 *plan);

/* Bytes of packed A (64-aligned) and its m sums; of packed B and its n sums. 0: too large. */
size_t bp_cpu_int8_a_size(const struct bp_cpu_int8 *plan);
size_t bp_cpu_int8_b_size(const struct bp_cpu_int8 *plan);
/* Row-major m x k and k x n, dense, at any address. */
void bp_cpu_int8_pack_a(const struct bp_cpu_int8 *plan, const void *a, void *packed);
void bp_cpu_int8_pack_b(const struct bp_cpu_int8 *plan, const void *b, void *packed);

/* A zero point, or one for each row of A (column of B). */
struct bp_cpu_int8_zero {
    const int32_t *at;
    bool each;
};

/*
 * A matrix Y, m x n and dense, of the product times scales: 8-bit integers, rounded and saturated,
 * or floats.
 */
struct bp_cpu_int8_output {
    void *y;
    uint32_t dtype;      /* BP_DTYPE_U8, I8 or F32 */
    const float *scales; /* one, or one for each column */
    bool each;
    int32_t zero;      /* zero point of 8-bit Y */
    const float *bias; /* n floats, added to Y of floats; NULL: none */
};

struct bp_cpu_int8_operands {
    const void *a; /* packed */
    const void *b; /* packed, a matrix or an image, as planned */
    struct bp_cpu_int8_zero a_zero, b_zero;
    const struct bp_cpu_int8_output *output; /* needs one a_zero; NULL: finish() gets the sums */
    /* n sums of row i from column j on; [any thread] */
    void (*finish)(void *u, const int32_t *sums, size_t i, size_t j, size_t n);
    void *u;
};

/* Task `task` of a product; scratch is the worker's own, 64-aligned. */
void bp_cpu_int8_task(const struct bp_cpu_int8 *plan, const struct bp_cpu_int8_operands *operands,
                      uint32_t task, void *scratch);

#endif
