/* SPDX-License-Identifier: MIT */
/* window.c - where windows of convolutions and pools lie. */
#include "ops/window.h"

uint32_t nn_window_read(const struct nn_call *call, uint32_t at, bool implicit,
                        struct nn_window *window)
{
    memset(window, 0, sizeof *window);
    window->dilation_w = window->dilation_h = 1;
    if (implicit) {
        window->left = -(int64_t)nn_int(call, at++);
        if (window->left >= 0)
            window->left = -99; /* not a padding code, and must not look like a padding */
    } else {
        window->left = nn_int(call, at++);
        window->right = nn_int(call, at++);
        window->top = nn_int(call, at++);
        window->bottom = nn_int(call, at++);
        if (window->left < 0)
            window->right = -1; /* refused, not taken for a code */
    }
    window->stride_w = nn_int(call, at++);
    window->stride_h = nn_int(call, at++);
    return at;
}

/* One axis: output size, and the padding of a code. */
static bool finish_axis(int64_t size, int64_t kernel, int64_t stride, int64_t dilation,
                        int64_t *head, int64_t *tail, int64_t code, uint32_t *out)
{
    int64_t covers = (kernel - 1) * dilation + 1, need;

    if (code == ANEURALNETWORKS_PADDING_SAME) {
        int64_t n = (size + stride - 1) / stride;

        need = (n - 1) * stride + covers - size;
        need = need > 0 ? need : 0;
        *head = need / 2;
        *tail = need - need / 2;
    } else if (code == ANEURALNETWORKS_PADDING_VALID) {
        *head = *tail = 0;
    }
    if (*head < 0 || *tail < 0 || size + *head + *tail < covers)
        return false;
    *out = (uint32_t)((size + *head + *tail - covers) / stride + 1);
    return true;
}

int nn_window_finish(const struct nn_call *call, uint32_t h, uint32_t w, struct nn_window *window)
{
    bool implicit = window->left < 0 && window->right == 0;
    int64_t code = implicit ? -window->left : 0;

    if (implicit && code != ANEURALNETWORKS_PADDING_SAME && code != ANEURALNETWORKS_PADDING_VALID)
        return nn_op_failed(call, "its padding code is neither SAME nor VALID");
    if (window->stride_w < 1 || window->stride_h < 1 || window->dilation_w < 1 ||
        window->dilation_h < 1 || window->kernel_w < 1 || window->kernel_h < 1)
        return nn_op_failed(call, "a stride, a dilation or the kernel is less than 1");
    if (!finish_axis(w, window->kernel_w, window->stride_w, window->dilation_w, &window->left,
                     &window->right, code, &window->out_w) ||
        !finish_axis(h, window->kernel_h, window->stride_h, window->dilation_h, &window->top,
                     &window->bottom, code, &window->out_h))
        return nn_op_failed(call, "a padding is negative, or the image is smaller than its kernel");
    return 0;
}
