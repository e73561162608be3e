// SPDX-License-Identifier: MIT
// pool.cl - the largest or the mean of each window. Defined before: T with its load and store. x:
// output positions, y: images by channels.

void first_of(int p, const window_t *w, int first[3])
{
    int o[3];

    o[2] = p % w->out[2];
    p /= w->out[2];
    o[1] = p % w->out[1];
    o[0] = p / w->out[1];
    for (int d = 0; d < 3; d++)
        first[d] = o[d] * w->strides[d] - w->before[d];
}

// A NaN is larger than any number. indices: positions in x as a whole, if has_indices.
kernel void max_pool(global T *y, long yo, global const T *x, long xo, global long *indices, long io,
                     window_t w, int planes, int has_indices)
{
    int p = get_global_id(0), plane = get_global_id(1), first[3], best_at = -1;
    int ins = w.in[0] * w.in[1] * w.in[2], outs = w.out[0] * w.out[1] * w.out[2];
    float best = -INFINITY;

    if (p >= outs || plane >= planes)
        return;
    first_of(p, &w, first);
    x += xo + (long)plane * ins;
    for (int a = 0; a < w.size[0]; a++) {
        int i0 = first[0] + a * w.dilations[0];

        for (int b = 0; i0 >= 0 && i0 < w.in[0] && b < w.size[1]; b++) {
            int i1 = first[1] + b * w.dilations[1];

            for (int c = 0; i1 >= 0 && i1 < w.in[1] && c < w.size[2]; c++) {
                int i2 = first[2] + c * w.dilations[2];

                if (i2 < 0 || i2 >= w.in[2])
                    continue;
                int at = (i0 * w.in[1] + i1) * w.in[2] + i2;
                float v = LOAD_T(x, at);

                if (best_at < 0 || v > best || (v != v && best == best)) {
                    best = v;
                    best_at = at;
                }
            }
        }
    }
    STORE_T(best, y, yo + (long)plane * outs + p);
    if (has_indices)
        indices[io + (long)plane * outs + p] = (long)plane * ins + best_at;
}

// The divisor is the window's positions within the data, or with the padding counted, within that
// too; what ceil_mode adds behind it counts never.
kernel void average_pool(global T *y, long yo, global const T *x, long xo, window_t w, int planes,
                         int counts_padding)
{
    int p = get_global_id(0), plane = get_global_id(1), first[3], n = 0;
    int ins = w.in[0] * w.in[1] * w.in[2], outs = w.out[0] * w.out[1] * w.out[2];
    float sum = 0;

    if (p >= outs || plane >= planes)
        return;
    first_of(p, &w, first);
    x += xo + (long)plane * ins;
    for (int a = 0; a < w.size[0]; a++) {
        int i0 = first[0] + a * w.dilations[0];

        for (int b = 0; b < w.size[1]; b++) {
            int i1 = first[1] + b * w.dilations[1];

            for (int c = 0; c < w.size[2]; c++) {
                int i2 = first[2] + c * w.dilations[2];
                int is_inside = i0 >= 0 && i0 < w.in[0] && i1 >= 0 && i1 < w.in[1] && i2 >= 0 &&
                                i2 < w.in[2];

                if (is_inside)
                    sum += LOAD_T(x, (i0 * w.in[1] + i1) * w.in[2] + i2);
                n += is_inside || (counts_padding && i0 < w.in[0] + w.after[0] &&
                                   i1 < w.in[1] + w.after[1] && i2 < w.in[2] + w.after[2]);
            }
        }
    }
    STORE_T(sum / n, y, yo + (long)plane * outs + p);
}

// One group of work-items for each image and channel; groups of 64.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
global_pool(global T *y, long yo, global const T *x, long xo, int n, int is_max)
{
    local float part[64];
    int id = get_local_id(0), plane = get_group_id(0);
    float v = is_max ? -INFINITY : 0;

    x += xo + (long)plane * n;
    for (int i = id; i < n; i += 64) {
        float e = LOAD_T(x, i);

        if (is_max)
            v = e > v || e != e ? e : v;
        else
            v += e;
    }
    part[id] = v;
    for (int half_n = 32; half_n > 0; half_n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_n) {
            float other = part[id + half_n];

            if (is_max)
                part[id] = other > part[id] || other != other ? other : part[id];
            else
                part[id] += other;
        }
    }
    if (id == 0)
        STORE_T(is_max ? part[0] : part[0] / n, y, yo + plane);
}
