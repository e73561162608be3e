// SPDX-License-Identifier: MIT
// normalize.cl - normalizations. Defined before: T with its load and store.

// Rows of n elements become (x - mean) / sqrt(variance + epsilon) * scale + bias; with IS_RMS the mean
// is left out. Elements i of a row have scale (row * SCALE_ROW + i / SCALE_RUN) % n_scale. Groups of
// 64 work-items, one a row.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
normalize_rows(global T *y, long yo, global const T *x, long xo, global const T *scale, long so,
          global const T *bias, long bo, int n, int scale_row, int scale_run, int n_scale,
          int has_bias, float epsilon)
{
    local float part[64];
    int id = get_local_id(0), row = get_group_id(0);
    float mean = 0, sum = 0;

    x += xo + (long)row * n;
    y += yo + (long)row * n;
#ifndef IS_RMS
    for (int i = id; i < n; i += 64)
        sum += LOAD_T(x, i);
    part[id] = sum;
    for (int half_n = 32; half_n > 0; half_n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_n)
            part[id] += part[id + half_n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    mean = part[0] / n;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
#endif
    for (int i = id; i < n; i += 64) {
        float v = LOAD_T(x, i) - mean;

        sum += v * v;
    }
    part[id] = sum;
    for (int half_n = 32; half_n > 0; half_n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_n)
            part[id] += part[id + half_n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float factor = 1.0f / sqrt(part[0] / n + epsilon);

    for (int i = id; i < n; i += 64) {
        int s = (int)(((long)row * scale_row + i / scale_run) % n_scale);
        float v = (LOAD_T(x, i) - mean) * factor * LOAD_T(scale, so + s);

        if (has_bias)
            v += LOAD_T(bias, bo + s);
        STORE_T(v, y, i);
    }
}

// x: elements of a channel, y: images by channels.
kernel void batch_norm(global T *y, long yo, global const T *x, long xo, global const T *scale,
                       long so, global const T *bias, long bo, global const T *mean, long mo,
                       global const T *variance, long vo, int n, int planes, int channels,
                       float epsilon)
{
    int i = get_global_id(0), plane = get_global_id(1), c = plane % channels;

    if (i >= n || plane >= planes)
        return;
    float factor = LOAD_T(scale, so + c) / sqrt(LOAD_T(variance, vo + c) + epsilon);

    STORE_T((LOAD_T(x, xo + (long)plane * n + i) - LOAD_T(mean, mo + c)) * factor +
                LOAD_T(bias, bo + c),
            y, yo + (long)plane * n + i);
}

// x / (k + alpha / size * sum of squares of channels around)^beta. x: elements of a channel, y: images
// by channels.
kernel void lrn(global T *y, long yo, global const T *x, long xo, int n, int planes, int channels,
                int size, float alpha, float beta, float k)
{
    int i = get_global_id(0), plane = get_global_id(1), c = plane % channels;
    float sum = 0;

    if (i >= n || plane >= planes)
        return;
    x += xo + i;
    for (int d = max(0, c - (size - 1) / 2); d <= min(channels - 1, c + size / 2); d++) {
        float v = LOAD_T(x, (long)(plane - c + d) * n);

        sum += v * v;
    }
    STORE_T(LOAD_T(x, (long)plane * n) / pow(k + alpha / size * sum, beta), y,
            yo + (long)plane * n + i);
}
