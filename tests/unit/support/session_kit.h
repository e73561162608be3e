/* SPDX-License-Identifier: MIT */
/*
 * session_kit.h - what tests of sessions share: an environment that finds the mocks and records its log,
 * models written into memory, and tensors to feed and fetch. Functions fail the test when they
 * cannot do it.
 *
 *     kit_io(11, "x", BP_DTYPE_F32, "N,3");
 *     kit_node("r", "Relu", "x", "y");
 *     kit_io(12, "y", BP_DTYPE_F32, "N,3");
 *     session = kit_session(NULL);
 */
#ifndef BP_TESTS_KIT_H
#define BP_TESTS_KIT_H

#include <check.h>

#include "host/env.h"
#include "mock/counters.h"
#include "support/check_main.h"
#include "support/proto_writer.h"

enum { KIT_LINES = 32, KIT_LINE = 512 };

/* One of everything; a test begins with kit_setup() and ends with kit_teardown(). */
struct kit {
    char text[1024]; /* words of err */
    bp_err err;
    bp_env *env;
    struct pw w; /* the model's bytes; its graph is open until kit_model() */
    bool is_closed;
    bp_model *model;
    bp_session *session;
    bp_session_options *options;
    char lines[KIT_LINES][KIT_LINE]; /* "2 session: ...": level, domain, text */
    uint32_t n_lines;                /* also those that found no place */
    pthread_mutex_t lock;            /* of lines */
};

extern struct kit kit;

void kit_setup(void);    /* two threads, log level debug, no variables, an open model */
void kit_teardown(void); /* destroys what there is, and that must succeed */
/* Another environment instead of kit.env, with so many threads. */
void kit_new_env(uint32_t threads);
/* The same with two threads and a memory limit. */
void kit_limited_env(uint64_t bytes);

/* ---- models ---------------------------------------------------------------------------------- */

enum { KIT_INPUT = 11, KIT_OUTPUT = 12, KIT_VALUE_INFO = 13 };

/* Throws the model away and begins one anew. */
void kit_start_model(void);
void kit_start_model_at(int64_t opset);
/* A declared value; `shape` is "N,3,?", "" for a scalar, NULL for an unknown rank. */
void kit_io(uint32_t field, const char *name, uint32_t dtype, const char *shape);
/* A declared sequence or optional (BP_KIND_*) of tensors, or a map to tensors with keys of `key`. */
void kit_io_of(uint32_t field, const char *name, uint32_t kind, uint32_t key, uint32_t dtype);
/* A node; names with blanks between. */
void kit_node(const char *name, const char *op, const char *in, const char *out);
/* The same with one attribute, an integer or a list of them. */
void kit_node_int(const char *name, const char *op, const char *in, const char *out,
                  const char *attr, int64_t value);
void kit_node_ints(const char *name, const char *op, const char *in, const char *out,
                   const char *attr, uint32_t n, const int64_t *values);
/* Left open for more of them; then pw_close(&kit.w). */
void kit_open_node(const char *name, const char *op, const char *in, const char *out);
void kit_int_attr(const char *name, int64_t value);
void kit_ints_attr(const char *name, uint32_t n, const int64_t *values);
void kit_strings_attr(const char *name, uint32_t n, const char *const *values);
/* A subgraph: from here to kit_close_subgraph(), nodes and outputs go to it. */
void kit_open_subgraph(const char *attr);
void kit_close_subgraph(void);
/* An initializer; dims up to a negative one, see PW_DIMS. */
void kit_floats(const char *name, const int64_t *dims, uint32_t n, const float *values);
void kit_ints(const char *name, const int64_t *dims, uint32_t n, const int64_t *values);
/* Ends the model and opens it, unless that is done. */
bp_model *kit_model(void);

/* x[N,4] float32 -> Relu "relu" -> Neg "neg" -> Add "add" with itself -> y. Two groups of "few", one of CPU. */
void kit_small_model(void);

/* ---- sessions -------------------------------------------------------------------------------- */

/* What records log lines in kit.lines: a bp_log_fn, for environments of one's own. */
void kit_log(void *user, uint32_t level, const char *domain, const char *text);

/* Appends a provider to kit.options, which are made at first use. */
void kit_provider(const char *name, uint32_t fallback);
void kit_provider_with(const char *name, const char *key, const char *value);
/* A session of the model with kit.options; at the same time kit.session. */
bp_session *kit_session(void);
bp_rc kit_try_session(void);
void kit_end_session(void); /* when there is one */
/* Runs input 0 (rows x 4 floats) through the small model and checks the result. */
void kit_check_small(uint32_t rows);

bp_binding kit_tensor(uint32_t index, uint32_t dtype, const void *data, uint32_t rank,
                      int64_t *dims);
#define KIT_TENSOR(index, dtype, data, ...)                                                        \
    kit_tensor(index, dtype, data, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),             \
               (int64_t[]){__VA_ARGS__})
/* An output to be allocated. */
bp_binding kit_wanted(uint32_t index);
/* One run; fails the test when it fails. */
void kit_run(bp_binding *in, uint32_t n_in, bp_binding *out, uint32_t n_out);
void kit_check_floats(const bp_tensor *tensor, uint32_t n, const float *want);
void kit_check_dims(const bp_tensor *tensor, uint32_t rank, const int64_t *dims);
#define KIT_FLOATS(tensor, ...)                                                                    \
    kit_check_floats(tensor, sizeof((float[]){__VA_ARGS__}) / sizeof(float), (float[]){__VA_ARGS__})
#define KIT_DIMS(tensor, ...)                                                                      \
    kit_check_dims(tensor, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),                     \
                   (int64_t[]){__VA_ARGS__})

/* Counters of a mock that has been opened. */
struct mock_counters *kit_counters(const char *name);

/* ---- words ----------------------------------------------------------------------------------- */

/* The code is rc, and each of the words (up to NULL) is in kit.text. */
void kit_fails_with(bp_rc got, bp_rc rc, ...);
#define KIT_FAILS(call, ...) kit_fails_with((kit.text[0] = '\0', call), __VA_ARGS__, (char *)NULL)
#define KIT_OK(call)                                                                               \
    do {                                                                                           \
        bp_rc kit_rc = (call);                                                                     \
        ck_assert_msg(kit_rc == BP_OK, "%s: %s", bp_rc_name(kit_rc), kit.text);                    \
    } while (0)
/* The count of recorded lines of `level` that contain `words`. */
uint32_t kit_lines_with(uint32_t level, const char *words);
/* Recorded lines of warnings and errors. */
uint32_t kit_warnings(void);
/* Is it one well-formed JSON value (RFC 8259)? Gives where it is not, or NULL. */
const char *kit_bad_json(const char *text);

int kit_main(const char *name, TCase *const *cases, uint32_t n_cases);

#endif
