/* SPDX-License-Identifier: MIT */
/* passes_kit.c - models at each level of optimization; see passes_kit.h. */

#include "config.h"

#include "optimize/passes_kit.h"

#include <math.h>
#include <stdio.h>

#include "session/session.h"
#include "support/random.h"

void passes_open_at(uint32_t level)
{
    kit_end_session();
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_optimization(kit.options, level, &kit.err));
}

/* Operators of all nodes in their order, with a blank between. */
const char *passes_ops(void)
{
    static char text[4096];
    const bp_report *report = bp_session_report(kit.session);
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? " " : "", row.op);
        ck_assert_uint_lt(used, sizeof text);
    }
    return text;
}

bp_report_node passes_node(const char *name)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_node_count(report); i++) {
        bp_report_node row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_node(report, i, &row, &kit.err));
        if (strcmp(row.name, name) == 0)
            return row;
    }
    ck_abort_msg("the report has no node '%s'", name);
}

uint32_t passes_matches(const char *pass)
{
    const bp_report *report = bp_session_report(kit.session);

    for (uint32_t i = 0; i < bp_report_pass_count(report); i++) {
        bp_report_pass row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_pass(report, i, &row, &kit.err));
        ck_assert_uint_le(row.n_after, row.n_before);
        if (strcmp(row.name, pass) == 0)
            return row.n_matches;
    }
    ck_abort_msg("pass '%s' did not run", pass);
}

/* Feeds each input (float32, sizes known; 3 where not) with numbers of the seed. */
void passes_run(uint64_t seed, struct passes_result *result)
{
    bp_binding in[4] = {{0}};
    int64_t dims[4][8];
    uint32_t n = kit.session->ports.n_required;

    *result = (struct passes_result){.n = bp_session_output_count(kit.session)};
    ck_assert_uint_le(n, 4);
    ck_assert_uint_le(result->n, MOST_OUTPUTS);
    for (uint32_t i = 0; i < n; i++) {
        bp_io_info info = {.struct_size = sizeof info};
        size_t count = 1;
        float *data;

        KIT_OK(bp_session_input(kit.session, i, &info, &kit.err));
        for (uint32_t d = 0; d < info.rank; d++) {
            dims[i][d] = info.dims[d].value < 0 ? 3 : info.dims[d].value;
            count *= (size_t)dims[i][d];
        }
        data = calloc(count + 1, sizeof *data);
        ck_assert_ptr_nonnull(data);
        for (size_t k = 0; k < count; k++)
            data[k] = random_float(&seed, 2);
        in[i] = kit_tensor(i, BP_DTYPE_F32, data, info.rank, dims[i]);
    }
    for (uint32_t i = 0; i < result->n; i++)
        result->out[i] = kit_wanted(i);
    kit_run(in, n, result->out, result->n);
    for (uint32_t i = 0; i < n; i++)
        free(in[i].tensor.base);
}

void passes_forget(struct passes_result *result)
{
    for (uint32_t i = 0; i < result->n; i++)
        bp_tensor_free(&result->out[i].tensor);
}

float passes_step;

void passes_compare(const struct passes_result *want, const struct passes_result *got,
                    const char *what)
{
    for (uint32_t i = 0; i < want->n; i++) {
        const bp_tensor *a = &want->out[i].tensor, *b = &got->out[i].tensor;
        const float *x = bp_tensor_data(a), *y = bp_tensor_data(b);
        int64_t n = bp_dims_count(a->dims, a->rank);

        ck_assert_uint_eq(a->dtype, b->dtype);
        kit_check_dims(b, a->rank, a->dims);
        if (a->dtype != BP_DTYPE_F32) {
            ck_assert(memcmp(x, y, a->bytes) == 0);
            continue;
        }
        for (int64_t k = 0; k < n; k++)
            ck_assert_msg(fabsf(x[k] - y[k]) <= 1e-4f * (1 + fabsf(x[k])) + passes_step,
                          "%s: output %u, element %lld is %g instead of %g", what, i, (long long)k,
                          (double)y[k], (double)x[k]);
    }
}

static bp_rc append(void *user, const void *bytes, size_t size, bp_err *err)
{
    struct passes_saved *saved = user;

    (void)err;
    saved->bytes = realloc(saved->bytes, saved->size + size + 1);
    ck_assert_ptr_nonnull(saved->bytes);
    if (size > 0)
        memcpy(saved->bytes + saved->size, bytes, size);
    saved->size += size;
    return BP_OK;
}

void passes_save(uint32_t flags, struct passes_saved *out)
{
    bp_model_sink sink = {.struct_size = sizeof sink, .user = out, .write = append};
    bp_model *model;

    *out = (struct passes_saved){0};
    KIT_OK(bp_model_optimize(kit.env, kit_model(), kit.options, flags, &model, NULL, &kit.err));
    KIT_OK(bp_model_save(model, &sink, &kit.err));
    bp_model_close(model);
    KIT_OK(bp_model_open_memory(kit.env, out->bytes, out->size, NULL, &out->model, &kit.err));
}

void passes_unsave(struct passes_saved *saved)
{
    bp_model_close(saved->model);
    free(saved->bytes);
}

/* What is saved at the level of kit.options runs as it is, and computes the same. */
static void check_saved(const struct passes_result *want, const char *what)
{
    bp_model *model = kit_model();
    struct passes_result got;
    struct passes_saved saved;

    passes_save(0, &saved);
    kit.model = saved.model;
    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &got);
    passes_compare(want, &got, what);
    passes_forget(&got);
    kit_end_session();
    kit.model = model;
    passes_unsave(&saved);
}

void passes_same(void)
{
    static const char *const names[] = {"default", "none", "basic", "extended", "layout"};
    struct passes_result want, got;

    passes_open_at(BP_OPTIMIZE_NONE);
    kit_session();
    passes_run(1, &want);
    for (uint32_t level = BP_OPTIMIZE_BASIC; level <= BP_OPTIMIZE_LAYOUT; level++) {
        passes_open_at(level);
        kit_session();
        for (int again = 0; again < 2; again++) {
            passes_run(1, &got);
            passes_compare(&want, &got, names[level]);
            passes_forget(&got);
        }
        check_saved(&want, names[level]);
    }
    passes_forget(&want);
    passes_open_at(BP_OPTIMIZE_LAYOUT);
    kit_session();
}

/* The model becomes these operators, and computes the same. */
void passes_becomes(const char *basic, const char *extended)
{
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, NULL);
    passes_same();
    passes_open_at(BP_OPTIMIZE_BASIC);
    kit_session();
    ck_assert_str_eq(passes_ops(), basic);
    passes_open_at(BP_OPTIMIZE_EXTENDED);
    kit_session();
    ck_assert_str_eq(passes_ops(), extended);
}

void passes_gives(const char *ops)
{
    passes_becomes(ops, ops);
}

/* ---- pieces of models ------------------------------------------------------------------------ */

void passes_floats(const char *name, const int64_t *dims, uint64_t seed)
{
    float values[1024];
    int64_t n = 1;

    for (const int64_t *d = dims; *d >= 0; d++)
        n *= *d;
    ck_assert_int_le(n, 1024);
    for (int64_t i = 0; i < n; i++)
        values[i] = random_float(&seed, 1) + 0.01f;
    kit_floats(name, dims, (uint32_t)n, values);
}

void passes_float_attr(const char *name, float value)
{
    pw_open_attr(&kit.w, name, 1);
    pw_float(&kit.w, 2, value);
    pw_close(&kit.w);
}

void passes_scalar(const char *name, float value)
{
    kit_floats(name, PW_SCALAR, 1, &value);
}
