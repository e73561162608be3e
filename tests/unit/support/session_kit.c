/* SPDX-License-Identifier: MIT */
/* session_kit.c - environments, models in memory, sessions and tensors for tests; see kit.h. */

#include "config.h"

#include "support/session_kit.h"

#include <stdio.h>

struct kit kit;

/* ---- the environment ------------------------------------------------------------------------- */

void kit_log(void *user, uint32_t level, const char *domain, const char *text)
{
    (void)user;
    pthread_mutex_lock(&kit.lock);
    if (kit.n_lines < KIT_LINES)
        snprintf(kit.lines[kit.n_lines], KIT_LINE, "%u %s: %s", level, domain, text);
    kit.n_lines++;
    pthread_mutex_unlock(&kit.lock);
}

static const char *mock_dir(void)
{
    const char *dir = getenv("BP_MOCK_DIR");

    ck_assert_msg(dir != NULL, "BP_MOCK_DIR is not set; run this through make check");
    return dir;
}

static void make_env(uint32_t threads, uint64_t memory_limit)
{
    char built[1024];
    const char *dirs[] = {mock_dir(), built};
    bp_env_config config = {
        .struct_size = sizeof config,
        .flags = BP_ENV_IGNORE_VARIABLES,
        .log_level = BP_LOG_DEBUG,
        .threads = threads,
        .log = kit_log,
        .provider_dirs = dirs,
        .n_provider_dirs = 2,
        .probe = BP_PROBE_OFF, /* check_probe.c is about that */
        .memory_limit = memory_limit,
    };

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    KIT_OK(bp_env_create(&config, &kit.env, &kit.err));
}

void kit_new_env(uint32_t threads)
{
    make_env(threads, 0);
}

void kit_limited_env(uint64_t bytes)
{
    make_env(2, bytes);
}

void kit_setup(void)
{
    memset(&kit, 0, sizeof kit);
    pthread_mutex_init(&kit.lock, NULL);
    kit.err = bp_err_init(kit.text, sizeof kit.text);
    kit_new_env(2);
    kit_start_model();
}

void kit_teardown(void)
{
    bp_session_destroy(kit.session);
    bp_session_options_destroy(kit.options);
    bp_model_close(kit.model);
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    pw_free(&kit.w);
    pthread_mutex_destroy(&kit.lock);
}

/* ---- models ---------------------------------------------------------------------------------- */

void kit_start_model(void)
{
    kit_start_model_at(13);
}

void kit_start_model_at(int64_t opset)
{
    bp_session_destroy(kit.session);
    bp_model_close(kit.model);
    kit.session = NULL;
    kit.model = NULL;
    kit.is_closed = false;
    pw_free(&kit.w);
    pw_open_model_at(&kit.w, opset);
}

static void write_dim(const char *text, size_t n)
{
    char *end;
    long long value = strtoll(text, &end, 10);

    pw_open(&kit.w, 1);
    if (end == text + n)
        pw_int(&kit.w, 1, value);
    else if (n != 1 || *text != '?')
        pw_bytes(&kit.w, 2, text, n);
    pw_close(&kit.w);
}

void kit_io(uint32_t field, const char *name, uint32_t dtype, const char *shape)
{
    pw_open(&kit.w, field);
    pw_text(&kit.w, 1, name);
    pw_open(&kit.w, 2); /* type */
    pw_open(&kit.w, 1); /* tensor_type */
    pw_int(&kit.w, 1, dtype);
    if (shape) {
        pw_open(&kit.w, 2);
        while (*shape) {
            size_t n = strcspn(shape, ",");

            write_dim(shape, n);
            shape += n + (shape[n] == ',');
        }
        pw_close(&kit.w);
    }
    pw_close(&kit.w);
    pw_close(&kit.w);
    pw_close(&kit.w);
}

void kit_io_of(uint32_t field, const char *name, uint32_t kind, uint32_t key, uint32_t dtype)
{
    static const uint32_t fields[] = {
        [BP_KIND_SEQUENCE] = 4, [BP_KIND_OPTIONAL] = 9, [BP_KIND_MAP] = 5};

    pw_open(&kit.w, field);
    pw_text(&kit.w, 1, name);
    pw_open(&kit.w, 2); /* type */
    pw_open(&kit.w, fields[kind]);
    if (kind == BP_KIND_MAP)
        pw_int(&kit.w, 1, key);
    pw_open(&kit.w, kind == BP_KIND_MAP ? 2 : 1); /* elem_type, value_type */
    pw_open(&kit.w, 1);
    pw_int(&kit.w, 1, dtype);
    for (int i = 0; i < 5; i++)
        pw_close(&kit.w);
}

void kit_open_node(const char *name, const char *op, const char *in, const char *out)
{
    pw_open_node(&kit.w, op, in, out);
    pw_text(&kit.w, 3, name);
}

void kit_node(const char *name, const char *op, const char *in, const char *out)
{
    kit_open_node(name, op, in, out);
    pw_close(&kit.w);
}

void kit_int_attr(const char *name, int64_t value)
{
    pw_open_attr(&kit.w, name, 2);
    pw_int(&kit.w, 3, value);
    pw_close(&kit.w);
}

void kit_ints_attr(const char *name, uint32_t n, const int64_t *values)
{
    pw_open_attr(&kit.w, name, 7);
    for (uint32_t i = 0; i < n; i++)
        pw_int(&kit.w, 8, values[i]);
    pw_close(&kit.w);
}

void kit_node_int(const char *name, const char *op, const char *in, const char *out,
                  const char *attr, int64_t value)
{
    kit_open_node(name, op, in, out);
    kit_int_attr(attr, value);
    pw_close(&kit.w);
}

void kit_node_ints(const char *name, const char *op, const char *in, const char *out,
                   const char *attr, uint32_t n, const int64_t *values)
{
    kit_open_node(name, op, in, out);
    kit_ints_attr(attr, n, values);
    pw_close(&kit.w);
}

void kit_strings_attr(const char *name, uint32_t n, const char *const *values)
{
    pw_open_attr(&kit.w, name, 8);
    for (uint32_t i = 0; i < n; i++)
        pw_text(&kit.w, 9, values[i]);
    pw_close(&kit.w);
}

void kit_open_subgraph(const char *attr)
{
    pw_open_attr(&kit.w, attr, 5);
    pw_open(&kit.w, 6);
    pw_text(&kit.w, 2, attr);
}

void kit_close_subgraph(void)
{
    pw_close(&kit.w);
    pw_close(&kit.w);
}

void kit_floats(const char *name, const int64_t *dims, uint32_t n, const float *values)
{
    pw_raw_tensor(&kit.w, 5, name, BP_DTYPE_F32, dims, values, n * sizeof *values);
}

void kit_ints(const char *name, const int64_t *dims, uint32_t n, const int64_t *values)
{
    pw_raw_tensor(&kit.w, 5, name, BP_DTYPE_I64, dims, values, n * sizeof *values);
}

bp_model *kit_model(void)
{
    if (kit.model)
        return kit.model;
    if (!kit.is_closed)
        pw_close(&kit.w);
    kit.is_closed = true;
    KIT_OK(bp_model_open_memory(kit.env, kit.w.data, kit.w.size, NULL, &kit.model, &kit.err));
    return kit.model;
}

void kit_small_model(void)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "N,4");
    kit_node("relu", "Relu", "x", "r");
    kit_node("neg", "Neg", "r", "n");
    kit_node("add", "Add", "n n", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "N,4");
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void need_options(void)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
}

void kit_provider(const char *name, uint32_t fallback)
{
    need_options();
    KIT_OK(bp_session_options_add_provider(kit.options, name, NULL, 0, fallback, &kit.err));
}

void kit_provider_with(const char *name, const char *key, const char *value)
{
    bp_key_value row = {key, value};

    need_options();
    KIT_OK(
        bp_session_options_add_provider(kit.options, name, &row, 1, BP_FALLBACK_DEFAULT, &kit.err));
}

void kit_end_session(void)
{
    bp_session_destroy(kit.session);
    kit.session = NULL;
}

bp_rc kit_try_session(void)
{
    bp_model *model = kit_model();

    kit_end_session();
    return bp_session_create_from_model(kit.env, model, kit.options, &kit.session, &kit.err);
}

bp_session *kit_session(void)
{
    KIT_OK(kit_try_session());
    return kit.session;
}

bp_binding kit_tensor(uint32_t index, uint32_t dtype, const void *data, uint32_t rank,
                      int64_t *dims)
{
    bp_binding binding = {.index = index};
    bool fits = bp_dense_bytes(dtype, dims, rank, &binding.tensor.bytes);

    ck_assert(fits);
    binding.tensor.base = (void *)(uintptr_t)data; /* inputs are only read */
    binding.tensor.dims = dims;
    binding.tensor.rank = rank;
    binding.tensor.dtype = dtype;
    return binding;
}

bp_binding kit_wanted(uint32_t index)
{
    return (bp_binding){.index = index};
}

void kit_run(bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out)
{
    KIT_OK(bp_session_run(kit.session, in, n_in, out, n_out, NULL, &kit.err));
}

void kit_check_floats(const bp_tensor *tensor, uint32_t n, const float *want)
{
    const float *got = bp_tensor_data(tensor);

    ck_assert_uint_eq(tensor->dtype, BP_DTYPE_F32);
    ck_assert_int_eq(bp_dims_count(tensor->dims, tensor->rank), n);
    for (uint32_t i = 0; i < n; i++)
        ck_assert_msg(got[i] == want[i], "element %u is %g instead of %g", i, (double)got[i],
                      (double)want[i]);
}

void kit_check_dims(const bp_tensor *tensor, uint32_t rank, const int64_t *dims)
{
    ck_assert_uint_eq(tensor->rank, rank);
    for (uint32_t d = 0; d < rank; d++)
        ck_assert_int_eq(tensor->dims[d], dims[d]);
}

void kit_check_small(uint32_t rows)
{
    int64_t dims[] = {rows, 4};
    size_t n = (size_t)rows * 4;
    float *x = calloc(n + 1, sizeof *x);
    bp_binding in, out = kit_wanted(0);

    ck_assert_ptr_nonnull(x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)i - (float)n / 2;
    in = kit_tensor(0, BP_DTYPE_F32, x, 2, dims);
    kit_run(&in, 1, &out, 1);
    kit_check_dims(&out.tensor, 2, dims);
    for (size_t i = 0; i < n; i++)
        ck_assert(((float *)out.tensor.base)[i] == (x[i] > 0 ? -2 * x[i] : 0));
    bp_tensor_free(&out.tensor);
    free(x);
}

struct mock_counters *kit_counters(const char *name)
{
    struct bp_candidate *row;
    const void *table = NULL;

    KIT_OK(bp_registry_open(&kit.env->registry, name, &row, NULL, &kit.err));
    if (row->provider->extension)
        table = row->provider->extension(MOCK_COUNTERS_ID);
    ck_assert_msg(table != NULL, "'%s' counts nothing", name);
    return (struct mock_counters *)(uintptr_t)table;
}

/* ---- words ----------------------------------------------------------------------------------- */

void kit_fails_with(bp_rc got, bp_rc rc, ...)
{
    const char *words;
    va_list args;

    ck_assert_msg(got == rc, "%s instead of %s: %s", bp_rc_name(got), bp_rc_name(rc), kit.text);
    va_start(args, rc);
    while ((words = va_arg(args, const char *)) != NULL)
        ck_assert_msg(strstr(kit.text, words) != NULL, "'%s' is not in: %s", words, kit.text);
    va_end(args);
}

uint32_t kit_lines_with(uint32_t level, const char *words)
{
    char start[16];
    uint32_t n = 0;

    snprintf(start, sizeof start, "%u ", level);
    ck_assert_uint_le(kit.n_lines, KIT_LINES);
    for (uint32_t i = 0; i < kit.n_lines; i++)
        n += strncmp(kit.lines[i], start, strlen(start)) == 0 && strstr(kit.lines[i], words);
    return n;
}

uint32_t kit_warnings(void)
{
    return kit_lines_with(BP_LOG_ERROR, "") + kit_lines_with(BP_LOG_WARN, "");
}

int kit_main(const char *name, TCase *const *cases, uint32_t n_cases)
{
    return check_main(name, cases, n_cases);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *skip_space(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

static const char *skip_value(const char *s, int depth);

/* Each skip gives what is after, or NULL where the text is wrong; json_at says where that was. */
static const char *json_at;

static const char *wrong(const char *s)
{
    if (!json_at)
        json_at = s;
    return NULL;
}

static const char *skip_string(const char *s)
{
    if (*s != '"')
        return wrong(s);
    for (s++; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return wrong(s);
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u') {
            if (strspn(s + 1, "0123456789abcdefABCDEF") < 4)
                return wrong(s);
            s += 4;
        } else if (!*s || !strchr("\"\\/bfnrt", *s)) {
            return wrong(s);
        }
    }
    return s + 1;
}

static const char *skip_digits(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n ? s + n : wrong(s);
}

static const char *skip_number(const char *s)
{
    s += *s == '-';
    if (*s == '0' && s[1] >= '0' && s[1] <= '9')
        return wrong(s);
    s = skip_digits(s);
    if (s && *s == '.')
        s = skip_digits(s + 1);
    if (s && (*s == 'e' || *s == 'E')) {
        s++;
        s = skip_digits(s + (*s == '-' || *s == '+'));
    }
    return s;
}

/* "key": value */
static const char *skip_member(const char *s, int depth)
{
    s = skip_string(s);
    if (!s)
        return NULL;
    s = skip_space(s);
    return *s == ':' ? skip_value(s + 1, depth) : wrong(s);
}

static const char *skip_list(const char *s, char end, int depth)
{
    s = skip_space(s + 1);
    if (*s == end)
        return s + 1;
    for (;;) {
        s = end == '}' ? skip_member(skip_space(s), depth) : skip_value(s, depth);
        if (!s)
            return NULL;
        s = skip_space(s);
        if (*s == end)
            return s + 1;
        if (*s != ',')
            return wrong(s);
        s++;
    }
}

static const char *skip_value(const char *s, int depth)
{
    static const char *const words[] = {"true", "false", "null"};

    s = skip_space(s);
    if (depth > 100)
        return wrong(s);
    if (*s == '{' || *s == '[')
        return skip_list(s, *s == '{' ? '}' : ']', depth + 1);
    if (*s == '"')
        return skip_string(s);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(s, words[i], strlen(words[i])) == 0)
            return s + strlen(words[i]);
    }
    return skip_number(s);
}

const char *kit_bad_json(const char *text)
{
    const char *end;

    json_at = NULL;
    end = skip_value(text, 0);
    if (!end)
        return json_at;
    end = skip_space(end);
    return *end ? end : NULL;
}
