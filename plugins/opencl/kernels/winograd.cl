// SPDX-License-Identifier: MIT
// winograd.cl - convolutions of 3 x 3 by F(2x2, 3x3): tiles of 4 x 4 of x and the weights are
// transformed, multiplied element by element, which are 16 products of matrices, and transformed back
// to tiles of 2 x 2. Defined before: T with its load and store, ACT(v), HAS_BIAS, HAS_Z.

// Tiles are rows * columns an image, of an x of height * width.
typedef struct {
    int channels, outputs, rows, columns, height, width, out_height, out_width, top, left, images;
} winograd_t;

// u[16][outputs][channels] = G w G'. x: outputs by channels.
kernel void transform_weights(global T *u, long uo, global const T *w, long wo, winograd_t s)
{
    int i = get_global_id(0), n = s.outputs * s.channels;
    float half_way[4][3];

    if (i >= n)
        return;
    w += wo + (long)i * 9;
    for (int c = 0; c < 3; c++) {
        float w0 = LOAD_T(w, c), w1 = LOAD_T(w, 3 + c), w2 = LOAD_T(w, 6 + c);

        half_way[0][c] = w0;
        half_way[1][c] = 0.5f * (w0 + w1 + w2);
        half_way[2][c] = 0.5f * (w0 - w1 + w2);
        half_way[3][c] = w2;
    }
    for (int r = 0; r < 4; r++) {
        float w0 = half_way[r][0], w1 = half_way[r][1], w2 = half_way[r][2];
        long at = uo + (long)r * 4 * n + i;

        STORE_T(w0, u, at);
        STORE_T(0.5f * (w0 + w1 + w2), u, at + n);
        STORE_T(0.5f * (w0 - w1 + w2), u, at + 2 * (long)n);
        STORE_T(w2, u, at + 3 * (long)n);
    }
}

// v[16][channels][images * tiles] = B' d B. x: tiles of an image, y: channels, z: images.
kernel void transform_inputs(global T *v, long vo, global const T *x, long xo, winograd_t s)
{
    int tile = get_global_id(0), c = get_global_id(1), image = get_global_id(2);
    int tiles = s.rows * s.columns;
    long total = (long)tiles * s.images, step = total * s.channels;
    float d[4][4], half_way[4][4];

    if (tile >= tiles || c >= s.channels)
        return;
    int top = tile / s.columns * 2 - s.top, left = tile % s.columns * 2 - s.left;

    x += xo + ((long)image * s.channels + c) * s.height * s.width;
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            int row = top + i, column = left + k;

            d[i][k] = row >= 0 && row < s.height && column >= 0 && column < s.width
                          ? LOAD_T(x, row * s.width + column)
                          : 0.0f;
        }
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
        half_way[0][k] = d[0][k] - d[2][k];
        half_way[1][k] = d[1][k] + d[2][k];
        half_way[2][k] = d[2][k] - d[1][k];
        half_way[3][k] = d[1][k] - d[3][k];
    }
    v += vo + (long)c * total + (long)image * tiles + tile;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        STORE_T(half_way[i][0] - half_way[i][2], v, (4 * i) * step);
        STORE_T(half_way[i][1] + half_way[i][2], v, (4 * i + 1) * step);
        STORE_T(half_way[i][2] - half_way[i][1], v, (4 * i + 2) * step);
        STORE_T(half_way[i][1] - half_way[i][3], v, (4 * i + 3) * step);
    }
}

#ifdef HAS_BIAS
#define BIAS_OPERAND , global const T *bias, long co
#define ADD_BIAS(v, m) v += LOAD_T(bias, co + (m))
#else
#define BIAS_OPERAND
#define ADD_BIAS(v, m)
#endif
#ifdef HAS_Z
#define Z_OPERAND , global const T *z, long zo
#define ADD_Z(v, i) v += LOAD_T(z, zo + (i))
#else
#define Z_OPERAND
#define ADD_Z(v, i)
#endif

// y = act(A' m A + bias + z). x: tiles of an image, y: outputs, z: images.
kernel void transform_outputs(global T *y, long yo, global const T *m, long mo BIAS_OPERAND Z_OPERAND,
                              winograd_t s)
{
    int tile = get_global_id(0), c = get_global_id(1), image = get_global_id(2);
    int tiles = s.rows * s.columns;
    long total = (long)tiles * s.images, step = total * s.outputs;
    float half_way[2][4];

    if (tile >= tiles || c >= s.outputs)
        return;
    int top = tile / s.columns * 2, left = tile % s.columns * 2;

    m += mo + (long)c * total + (long)image * tiles + tile;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float m0 = LOAD_T(m, k * step), m1 = LOAD_T(m, (4 + k) * step);
        float m2 = LOAD_T(m, (8 + k) * step), m3 = LOAD_T(m, (12 + k) * step);

        half_way[0][k] = m0 + m1 + m2;
        half_way[1][k] = m1 - m2 - m3;
    }
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 2; k++) {
            float v = k == 0 ? half_way[i][0] + half_way[i][1] + half_way[i][2]
                             : half_way[i][1] - half_way[i][2] - half_way[i][3];
            long at = (((long)image * s.outputs + c) * s.out_height + top + i) * s.out_width + left + k;

            if (top + i >= s.out_height || left + k >= s.out_width)
                continue;
            ADD_BIAS(v, c);
            ADD_Z(v, at);
            STORE_T(ACT(v), y, yo + at);
        }
    }
}
