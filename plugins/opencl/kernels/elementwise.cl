// SPDX-License-Identifier: MIT
// elementwise.cl - y = f(a, b, c) for each element. Defined before: TY, TA (TB, TC) with their loads
// and stores, N_IN, and f().

#if N_IN > 1
#define OPERAND_B , global const TB *b, long bo
#define VALUE_B(at) , LOAD_TB(b, at)
#else
#define OPERAND_B
#define VALUE_B(at)
#endif
#if N_IN > 2
#define OPERAND_C , global const TC *c, long co
#define VALUE_C(at) , LOAD_TC(c, at)
#else
#define OPERAND_C
#define VALUE_C(at)
#endif

#ifdef IS_FLAT
// All inputs are walked through like the output, or are one element: STEP_A and so on are 1 or 0.
kernel void elementwise(global TY *y, long yo, global const TA *a, long ao OPERAND_B OPERAND_C, int n)
{
    int i = get_global_id(0);

    if (i < n)
        STORE_TY(f(LOAD_TA(a, ao + i * STEP_A) VALUE_B(bo + i * STEP_B) VALUE_C(co + i * STEP_C)),
                 y, yo + i);
}
#else
// x counts through the innermost dimension, y through all others.
kernel void elementwise(global TY *y, long yo, global const TA *a, long ao OPERAND_B OPERAND_C,
                        walk_t w, int rows)
{
    int i = get_global_id(0), row = get_global_id(1), rest = row;
    int last = w.rank - 1;
    int pa = i * w.strides[0][last];
#if N_IN > 1
    int pb = i * w.strides[1][last];
#endif
#if N_IN > 2
    int pc = i * w.strides[2][last];
#endif

    if (i >= w.dims[last] || row >= rows)
        return;
    for (int d = last - 1; d >= 0; d--) {
        int next = rest / w.dims[d], k = rest - next * w.dims[d];

        pa += k * w.strides[0][d];
#if N_IN > 1
        pb += k * w.strides[1][d];
#endif
#if N_IN > 2
        pc += k * w.strides[2][d];
#endif
        rest = next;
    }
    STORE_TY(f(LOAD_TA(a, ao + pa) VALUE_B(bo + pb) VALUE_C(co + pc)), y,
             yo + (long)row * w.dims[last] + i);
}
#endif
