// SPDX-License-Identifier: MIT
// recurrent.cl - all steps of a direction of RNN, GRU or LSTM, once x * W' is there: a group of
// work-items for each entry of the batch, which wait for each other after each step. Defined before:
// IS_LSTM or IS_GRU; HAS_Y, HAS_Y_H, HAS_Y_C, HAS_BIAS, HAS_LENGTHS, HAS_H, HAS_C, HAS_P for operands;
// functions act_f, act_g and act_h; clipped(); OPTION, LSTM's input_forget or GRU's linear_before_reset.

// Steps in elements from one point in time, or entry of the batch, to the next.
typedef struct {
    int steps, hidden, gate_step, gate_batch, y_step, y_batch, state_batch, is_reverse;
} sizes_t;

#if defined(IS_LSTM)
#define GATES 4
#elif defined(IS_GRU)
#define GATES 3
#else
#define GATES 1
#endif

float dot_of(global const float *a, global const float *b, int n)
{
    float4 sum = 0;
    float rest = 0;
    int i = 0;

    for (; i + 4 <= n; i += 4)
        sum += vload4(0, a + i) * vload4(0, b + i);
    for (; i < n; i++)
        rest += a[i] * b[i];
    return sum.x + sum.y + sum.z + sum.w + rest;
}

// What gate g of unit j is before its activation.
float gate_of(global const float *gates, global const float *r, global const float *bias,
              global const float *h, int n, int g, int j)
{
    float v = gates[g * n + j] + dot_of(r + (long)(g * n + j) * n, h, n);

#ifdef HAS_BIAS
    v += bias[g * n + j] + bias[(GATES + g) * n + j];
#endif
    return v;
}

// scratch: for each entry h twice, before and after a step, then c or z, and what R of GRU's last gate is
// multiplied by.
kernel void recurrent(
#ifdef HAS_Y
    global float *y, long yo,
#endif
#ifdef HAS_Y_H
    global float *y_h, long yho,
#endif
#ifdef HAS_Y_C
    global float *y_c, long yco,
#endif
    global const float *gates, long go, global const float *r, long ro,
#ifdef HAS_BIAS
    global const float *bias, long bo,
#endif
#ifdef HAS_LENGTHS
    global const int *lengths, long lo,
#endif
#ifdef HAS_H
    global const float *first_h, long ho,
#endif
#ifdef HAS_C
    global const float *first_c, long co,
#endif
#ifdef HAS_P
    global const float *peepholes, long po,
#endif
    global float *scratch, long so, sizes_t s)
{
    int id = get_local_id(0), width = get_local_size(0), entry = get_group_id(0), n = s.hidden;
    int length = s.steps;
    global float *h = scratch + so + (long)entry * 4 * n, *next = h + n, *c = h + 2 * n;

#ifndef HAS_BIAS
    global const float *bias = gates;
#else
    bias += bo;
#endif
#ifdef HAS_LENGTHS
    length = clamp(lengths[lo + entry], 0, s.steps);
#endif
    gates += go + (long)entry * s.gate_batch;
    r += ro;
    for (int j = id; j < n; j += width) {
        h[j] = 0;
        c[j] = 0;
#ifdef HAS_H
        h[j] = first_h[ho + (long)entry * s.state_batch + j];
#endif
#ifdef HAS_C
        c[j] = first_c[co + (long)entry * s.state_batch + j];
#endif
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int step = 0; step < length; step++) {
        int t = s.is_reverse ? length - 1 - step : step;
        global const float *gate = gates + (long)t * s.gate_step;

#if defined(IS_GRU) && !OPTION
        for (int j = id; j < n; j += width) {
            c[j] = act_f(clipped(gate_of(gate, r, bias, h, n, 0, j)));
            c[n + j] = act_f(clipped(gate_of(gate, r, bias, h, n, 1, j))) * h[j];
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
#endif
        for (int j = id; j < n; j += width) {
#ifdef IS_LSTM
            float in = gate_of(gate, r, bias, h, n, 0, j), out = gate_of(gate, r, bias, h, n, 1, j);
            float forget = gate_of(gate, r, bias, h, n, 2, j);
            float cell = act_g(clipped(gate_of(gate, r, bias, h, n, 3, j)));

#ifdef HAS_P
            in += peepholes[po + j] * c[j];
            forget += peepholes[po + 2 * n + j] * c[j];
#endif
            in = act_f(clipped(in));
            forget = OPTION ? 1 - in : act_f(clipped(forget));
            c[j] = forget * c[j] + in * cell;
#ifdef HAS_P
            out += peepholes[po + n + j] * c[j];
#endif
            next[j] = act_f(clipped(out)) * act_h(c[j]);
#elif defined(IS_GRU)
#if OPTION
            float z = act_f(clipped(gate_of(gate, r, bias, h, n, 0, j)));
            float reset = act_f(clipped(gate_of(gate, r, bias, h, n, 1, j)));
            float hidden = dot_of(r + (long)(2 * n + j) * n, h, n);

#ifdef HAS_BIAS
            hidden += bias[5 * n + j];
#endif
            hidden = gate[2 * n + j] + reset * hidden;
#ifdef HAS_BIAS
            hidden += bias[2 * n + j];
#endif
#else
            float z = c[j], hidden = gate_of(gate, r, bias, c + n, n, 2, j);
#endif
            next[j] = (1 - z) * act_g(clipped(hidden)) + z * h[j];
#else
            next[j] = act_f(clipped(gate_of(gate, r, bias, h, n, 0, j)));
#endif
#ifdef HAS_Y
            y[yo + (long)t * s.y_step + (long)entry * s.y_batch + j] = next[j];
#endif
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
        global float *swap = h;

        h = next;
        next = swap;
    }
    for (int j = id; j < n; j += width) {
#ifdef HAS_Y
        for (int t = length; t < s.steps; t++)
            y[yo + (long)t * s.y_step + (long)entry * s.y_batch + j] = 0;
#endif
#ifdef HAS_Y_H
        y_h[yho + (long)entry * s.state_batch + j] = h[j];
#endif
#ifdef HAS_Y_C
        y_c[yco + (long)entry * s.state_batch + j] = c[j];
#endif
    }
}
