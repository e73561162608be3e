// SPDX-License-Identifier: MIT
// types.cl - what all families share. It comes first, then the definitions that the provider makes,
// then the family. Operands are memory and the number of elements before the tensor's first.

#define MAX_RANK 8

// Positions of up to three tensors under an index that counts through dims; strides in elements.
typedef struct {
    int rank;
    int dims[MAX_RANK];
    int strides[3][MAX_RANK];
} walk_t;

// Division and remainder of integers that no processor traps on.
#define INT_DIV(a, b) ((b) == 0 ? 0 : (b) == -1 ? -(a) : (a) / (b))
#define INT_REM(a, b) ((b) == 0 || (b) == -1 ? 0 : (a) % (b))
#define INT_MOD(a, b)                                                                              \
    (INT_REM(a, b) != 0 && (INT_REM(a, b) < 0) != ((b) < 0) ? INT_REM(a, b) + (b) : INT_REM(a, b))

float sigmoid_of(float a)
{
    return 1.0f / (1.0f + exp(-a));
}

// log(1 + exp(a)) without overflow
float softplus_of(float a)
{
    return a > 0 ? a + log1p(exp(-a)) : log1p(exp(a));
}

// exactly 1 or -1 where float32 has no number between tanh and that: drivers may be off by one step
float tanh_of(float a)
{
    return a > 9.02f ? 1.0f : a < -9.02f ? -1.0f : tanh(a);
}

// A window that slides over three spatial dimensions; those that data lack are 1.
typedef struct {
    int in[3], out[3], size[3], strides[3], dilations[3], before[3], after[3];
} window_t;

int volume(const int dims[3])
{
    return dims[0] * dims[1] * dims[2];
}

void split_index(int i, const int dims[3], int at[3])
{
    at[2] = i % dims[2];
    i /= dims[2];
    at[1] = i % dims[1];
    at[0] = i / dims[1];
}
