// SPDX-License-Identifier: MIT
// attention.cl - y = softmax(softcap(scale * q k') + mask) v, block by block of keys, with the maximum
// and the sum of each row so far, so that scores are never in memory. Defined before: T with its load
// and store, HEAD and V_HEAD, sizes of a head; HAS_MASK with TM and its load, IS_BOOL where the mask
// says which keys are seen; IS_PROCESSOR, or else BLOCK, keys that are in local memory at a time.

// Strides are in elements: of batches, heads, rows. Row i is at position past + i of the keys.
typedef struct {
    int heads, group, rows, keys, past, is_causal, left, right, mask_keys;
    int q[3], k[3], v[3], y[3], mask[3];
    float scale, softcap;
} attention_t;

#ifdef HAS_MASK
#define MASK_OPERAND , global const TM *mask, long mo
#else
#define MASK_OPERAND
#endif

#define OPERANDS                                                                                   \
    global T *y, long yo, global const T *q, long qo, global const T *k, long ko,                  \
        global const T *v, long vo MASK_OPERAND, attention_t s

// A head of a batch: y counts heads, z batches.
#define FIND_HEAD                                                                                  \
    int head = get_global_id(1), batch = get_global_id(2), kv_head = head / s.group;               \
                                                                                                   \
    y += yo + (long)batch * s.y[0] + (long)head * s.y[1];                                          \
    q += qo + (long)batch * s.q[0] + (long)head * s.q[1];                                          \
    k += ko + (long)batch * s.k[0] + (long)kv_head * s.k[1];                                       \
    v += vo + (long)batch * s.v[0] + (long)kv_head * s.v[1]
#ifdef HAS_MASK
#define FIND_MASK mask += mo + (long)batch * s.mask[0] + (long)head * s.mask[1]
#define MASKED(score, row, key) masked(score, mask, &s, row, key)

float masked(float score, global const TM *mask, const attention_t *s, int row, int key)
{
    if (key >= s->mask_keys)
        return -INFINITY;
#ifdef IS_BOOL
    return mask[(long)row * s->mask[2] + key] ? score : -INFINITY;
#else
    return score + LOAD_TM(mask, (long)row * s->mask[2] + key);
#endif
}
#else
#define FIND_MASK
#define MASKED(score, row, key) (score)
#endif

// Keys that a row sees: from..to.
int first_seen(const attention_t *s, int row)
{
    return s->left < 0 ? 0 : max(s->past + row - s->left, 0);
}

int end_of_seen(const attention_t *s, int row)
{
    int end = s->keys;

    if (s->is_causal)
        end = min(end, s->past + row + 1);
    if (s->right >= 0)
        end = min(end, s->past + row + 1 + s->right);
    return end;
}

float capped(float score, float softcap)
{
    return softcap > 0 ? softcap * tanh_of(score / softcap) : score;
}

#ifdef IS_PROCESSOR
#define ROWS 4
#define KEYS 16
#define HEAD_PARTS (HEAD / 16)
#define V_PARTS (V_HEAD / 16)
#ifdef T_IS_HALF
#define VLOAD(p) vload_half16(0, p)
#define VSTORE(v, p) vstore_half16_rte(v, 0, p)
#else
#define VLOAD(p) vload16(0, p)
#define VSTORE(v, p) vstore16(v, 0, p)
#endif

float sum_of(float16 a)
{
    float8 half_sum = a.lo + a.hi;
    float4 quarter = half_sum.lo + half_sum.hi;
    float2 pair = quarter.lo + quarter.hi;

    return pair.x + pair.y;
}

float max_of(float16 a)
{
    float8 half_max = fmax(a.lo, a.hi);
    float4 quarter = fmax(half_max.lo, half_max.hi);
    float2 pair = fmax(quarter.lo, quarter.hi);

    return fmax(pair.x, pair.y);
}

// x counts blocks of four rows; sizes of heads are multiples of 16.
kernel void attention(OPERANDS)
{
    int first = get_global_id(0) * ROWS, from = s.keys, end = 0;
    float16 sum[ROWS][V_PARTS], query[ROWS][HEAD_PARTS];
    float largest[ROWS], total[ROWS], score[ROWS][KEYS];

    if (first >= s.rows)
        return;
    FIND_HEAD;
    FIND_MASK;
    for (int r = 0; r < ROWS; r++) {
        int row = min(first + r, s.rows - 1);

        for (int c = 0; c < HEAD_PARTS; c++)
            query[r][c] = VLOAD(q + (long)row * s.q[2] + c * 16) * s.scale;
        for (int c = 0; c < V_PARTS; c++)
            sum[r][c] = 0;
        largest[r] = -INFINITY;
        total[r] = 0;
        from = min(from, first_seen(&s, row));
        end = max(end, end_of_seen(&s, row));
    }
    for (int start = from; start < end; start += KEYS) {
        int width = min(KEYS, end - start);

        for (int i = 0; i < width; i++) {
            float16 part[ROWS];

            for (int r = 0; r < ROWS; r++)
                part[r] = 0;
#pragma unroll
            for (int c = 0; c < HEAD_PARTS; c++) {
                float16 key = VLOAD(k + (long)(start + i) * s.k[2] + c * 16);

#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    part[r] += query[r][c] * key;
            }
            for (int r = 0; r < ROWS; r++)
                score[r][i] = sum_of(part[r]);
        }
        for (int r = 0; r < ROWS; r++) {
            int row = min(first + r, s.rows - 1);
            int low = first_seen(&s, row), high = end_of_seen(&s, row);
            float16 p;
            float top, factor;

            for (int i = 0; i < KEYS; i++)
                score[r][i] = i < width && start + i >= low && start + i < high
                                  ? MASKED(capped(score[r][i], s.softcap), row, start + i)
                                  : -INFINITY;
            p = vload16(0, score[r]);
            top = fmax(largest[r], max_of(p));
            if (top == -INFINITY) {
                for (int i = 0; i < KEYS; i++)
                    score[r][i] = 0;
                continue;
            }
            factor = exp(largest[r] - top);
            p = exp(p - top);
            largest[r] = top;
            total[r] = total[r] * factor + sum_of(p);
            for (int c = 0; c < V_PARTS; c++)
                sum[r][c] *= factor;
            vstore16(p, 0, score[r]);
        }
        for (int i = 0; i < width; i++) {
#pragma unroll
            for (int c = 0; c < V_PARTS; c++) {
                float16 value = VLOAD(v + (long)(start + i) * s.v[2] + c * 16);

#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    sum[r][c] += score[r][i] * value;
            }
        }
    }
    for (int r = 0; r < ROWS && first + r < s.rows; r++) {
        float factor = total[r] > 0 ? 1.0f / total[r] : 0.0f;

        for (int c = 0; c < V_PARTS; c++)
            VSTORE(sum[r][c] * factor, y + (long)(first + r) * s.y[2] + c * 16);
    }
}
#else
#define ROWS 16
#define LANES 4
#define WIDEST (HEAD > V_HEAD ? HEAD : V_HEAD)
#define COLUMNS ((V_HEAD + LANES - 1) / LANES)

// Groups of 64 work-items, four for each of 16 rows: each computes a quarter of the block's scores, then
// a quarter of the columns of y.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void attention(OPERANDS)
{
    local float query[ROWS][HEAD + 1], rows[BLOCK][WIDEST + 1], score[ROWS][BLOCK + 1];
    int id = get_local_id(0), first = get_group_id(0) * ROWS, r = id / LANES, lane = id % LANES;
    int row = min(first + r, s.rows - 1), low = first_seen(&s, row), high = end_of_seen(&s, row);
    int from = first_seen(&s, first), end = end_of_seen(&s, min(first + ROWS, s.rows) - 1);
    float sum[COLUMNS], largest = -INFINITY, total = 0;

    FIND_HEAD;
    FIND_MASK;
    for (int c = 0; c < COLUMNS; c++)
        sum[c] = 0;
    for (int i = id; i < ROWS * HEAD; i += 64)
        query[i / HEAD][i % HEAD] =
            LOAD_T(q, (long)min(first + i / HEAD, s.rows - 1) * s.q[2] + i % HEAD) * s.scale;
    for (int start = from; start < end; start += BLOCK) {
        float top = largest, factor;

        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = id; i < BLOCK * HEAD; i += 64)
            rows[i / HEAD][i % HEAD] =
                start + i / HEAD < s.keys
                    ? LOAD_T(k, (long)(start + i / HEAD) * s.k[2] + i % HEAD)
                    : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lane; i < BLOCK; i += LANES) {
            float dot_product = 0;

            for (int c = 0; c < HEAD; c++)
                dot_product += query[r][c] * rows[i][c];
            score[r][i] = start + i >= low && start + i < high
                              ? MASKED(capped(dot_product, s.softcap), row, start + i)
                              : -INFINITY;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < BLOCK; i++)
            top = fmax(top, score[r][i]);
        for (int i = id; i < BLOCK * V_HEAD; i += 64)
            rows[i / V_HEAD][i % V_HEAD] =
                start + i / V_HEAD < s.keys
                    ? LOAD_T(v, (long)(start + i / V_HEAD) * s.v[2] + i % V_HEAD)
                    : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = lane; i < BLOCK; i += LANES)
            score[r][i] = top == -INFINITY ? 0.0f : exp(score[r][i] - top);
        barrier(CLK_LOCAL_MEM_FENCE);
        factor = top == -INFINITY ? 1.0f : exp(largest - top);
        largest = top;
        total *= factor;
        for (int c = 0; c < COLUMNS; c++)
            sum[c] *= factor;
        for (int i = 0; i < BLOCK; i++) {
            float p = score[r][i];

            total += p;
#pragma unroll
            for (int c = 0; c < COLUMNS; c++)
                sum[c] += p * rows[i][min(lane + c * LANES, V_HEAD - 1)];
        }
    }
    if (first + r >= s.rows)
        return;
    for (int c = 0; c < COLUMNS; c++) {
        int column = lane + c * LANES;

        if (column < V_HEAD)
            STORE_T(total > 0 ? sum[c] / total : 0.0f, y, (long)row * s.y[2] + column);
    }
}
#endif
