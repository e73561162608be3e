// SPDX-License-Identifier: MIT
// resize.cl - one axis gets another size: each element of it is made of some elements before. Defined
// before: T with its load and store; IS_NEAREST where it is a copy of one.

// x: elements behind the axis, y: the axis, z: what comes before it. Tables are [tap][out].
kernel void resize_axis(global T *y, long yo, global const T *x, long xo, global const int *index,
                        long io, global const float *weight, long wo, int inner, int in, int out,
                        int taps)
{
    int i = get_global_id(0), o = get_global_id(1), outer = get_global_id(2);

    if (i >= inner || o >= out)
        return;
    x += xo + (long)outer * in * inner + i;
    y += yo + ((long)outer * out + o) * inner + i;
#ifdef IS_NEAREST
    STORE_T(LOAD_T(x, (long)index[io + o] * inner), y, 0);
#else
    float sum = 0;

    for (int t = 0; t < taps; t++)
        sum += weight[wo + t * out + o] * LOAD_T(x, (long)index[io + t * out + o] * inner);
    STORE_T(sum, y, 0);
#endif
}
