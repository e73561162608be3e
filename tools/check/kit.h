/* SPDX-License-Identifier: MIT */
/* kit.h - the conformance kit's parts: a test, what it may say, and the plug-in it is about. */
#ifndef BP_CHECK_KIT_H
#define BP_CHECK_KIT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bp/sdk.h>

#define KIT_VERSION "1.0"

enum kit_verdict {
    KIT_PASS,
    KIT_SKIP, /* nothing of the plug-in is there to test, or this build cannot */
    KIT_WARN,
    KIT_FAIL,
    KIT_DIED,    /* a signal, or an exit in the middle */
    KIT_TOO_LONG /* past its limit */
};

enum { KIT_TEXT = 1024 };

/* What a test found; in memory that the process of the test shares with the kit's. */
struct kit_outcome {
    uint32_t verdict; /* enum kit_verdict */
    uint32_t is_done; /* the test came to its end */
    uint32_t stage;   /* enum kit_stage: where it is, or was when it ended */
    uint32_t n_cases; /* cases that the test is about, */
    uint32_t n_ran;   /* and those of them that ran */
    uint32_t at;      /* of ONNX: how many tests are done */
    char text[KIT_TEXT];
};

/* Calls that every test begins with. */
enum kit_stage { KIT_BEYOND, KIT_LOADING, KIT_ENTRY, KIT_AVAILABLE, KIT_CREATE };

struct kit_weight;

/* How parallel_for divides its indices among workers. */
enum kit_order {
    KIT_ROTATING,     /* backwards, each index another worker's than the one before */
    KIT_FIRST_WORKER, /* in order, all by worker 0 */
    KIT_LAST_WORKER,  /* backwards, all by the last one */
    KIT_ANY_WORKER,   /* backwards, without a pattern */
    KIT_THREADS       /* each worker is a thread */
};

enum { KIT_MAX_WIDTH = 64 };

/* The host that the kit is to a plug-in: strict, counting, with faults on demand. */
struct kit_host {
    bp_host table;
    struct kit_weight *weights;
    size_t live_bytes, live_blocks; /* of alloc */
    uint32_t allocs, fail_at;       /* the fail_at-th alloc from now fails; 0: none does */
    uint32_t width;                 /* workers of parallel_for, KIT_MAX_WIDTH at most */
    uint32_t order;                 /* enum kit_order */
    uint32_t n_packed;              /* weights that were packed so far */
    bool in_execute;
    bool may_allocate;  /* in execute: a first run whose needs come with the data */
    const char *broken; /* the first rule that the plug-in broke, or NULL */
};

/* A value that every instance gets in place of an option's default; or one of the environment. */
struct kit_given {
    const char *key, *text;
};

/* The run of one test. */
struct kit {
    const char *path;              /* absolute */
    const char *provider;          /* short name; NULL: the first */
    uint32_t seed;                 /* of the groups FUZZ and RANDOM; of ONNX: the first test */
    const char *reference;         /* file of another provider, or NULL */
    const struct kit_given *given; /* what the user wants of options */
    uint32_t n_given;
    struct kit_given fault; /* variable of the environment with which devices fail, or {NULL} */
    bool in_process;        /* with the kit, where a debugger is */
    uint32_t placing;       /* enum kit_placing, of frames that are made */
    const char *doing;      /* what is being tested, for words; or NULL */
    struct kit_outcome *outcome;
    jmp_buf end; /* where a verdict jumps to; never across a frame of the plug-in */

    void *handle;
    bp_entry_fn entry;
    const bp_module *module;
    bp_provider p;     /* our copy, */
    bp_device_ops dev; /* and of p.dev, to which that then points */
    struct kit_host host;
    char words[KIT_TEXT]; /* of the last call that took &err */
    bp_err err;
};

struct kit_test {
    const char *id;     /* "BPK-ABI-03" */
    const char *title;  /* what is promised */
    const char *clause; /* where it is written */
    void (*run)(struct kit *kit);
};

struct kit_group {
    const char *name;
    const struct kit_test *tests;
    size_t n;
};

/* The groups in the order in which they run; NULL ends them. */
extern const struct kit_group *const kit_groups[];
extern const struct kit_group kit_file, kit_abi, kit_probe, kit_options, kit_capability,
    kit_numerics, kit_weights, kit_run, kit_cancel, kit_state, kit_process, kit_device, kit_shapes,
    kit_cache, kit_life, kit_docs, kit_fuzz, kit_onnx_group, kit_random_group;

#define KIT_PRINTF __attribute__((format(printf, 2, 3)))

/* Verdicts. They end the test at once; a test that returns has passed. */
_Noreturn void kit_fail(struct kit *kit, const char *fmt, ...) KIT_PRINTF;
_Noreturn void kit_warn(struct kit *kit, const char *fmt, ...) KIT_PRINTF;
_Noreturn void kit_skip(struct kit *kit, const char *fmt, ...) KIT_PRINTF;
/* Words beside a pass: how much was tested. */
void kit_note(struct kit *kit, const char *fmt, ...) KIT_PRINTF;

/* An error buffer for the next call. */
bp_err *kit_err(struct kit *kit);

/* ---- the plug-in (open.c) -------------------------------------------------------------------- */

/* Maps the file and finds its entry; fails the test when that does not work. */
void kit_map(struct kit *kit);
/* The same, then calls the entry, checks what is vital and copies the provider's table. */
void kit_open(struct kit *kit);
/* The same, and skips the test when the provider is not usable here. */
void kit_open_usable(struct kit *kit);
/* is_available(), known to the kit's process if it does not return. */
bp_rc kit_is_available(struct kit *kit, bp_avail *out, bp_err *err);
/*
 * Rows for create(), to be freed: options have their defaults, or what the user gives, but for
 * option `row` (BP_NONE: none), which has a value of the test's. Skips the test where a default is
 * no value.
 */
bp_opt *kit_option_values(struct kit *kit, uint32_t row, const char *text);
/* Warns unless the provider has the options that the user gives, with such values. */
void kit_check_given(struct kit *kit);
/* Prints the cases that the provider refuses, with its words, to standard output. */
void kit_list_refused(struct kit *kit);
/* Counts the operators that the provider declares, for coverage. */
void kit_declare_operators(struct kit *kit);
/* An instance with all options at their defaults. Fails the test if there is none. */
bp_instance *kit_instance(struct kit *kit);
/* The same without failing: option `row` (BP_NONE: none) has another value; on another device. */
bp_rc kit_create(struct kit *kit, uint32_t row, const char *text, bp_instance **out);
bp_rc kit_create_on(struct kit *kit, uint32_t device, bp_instance **out);
/* Option row i, by its stride. */
const bp_option *kit_option(const struct kit *kit, uint32_t i);
/* A text as a value of an option; false: it is none. */
bool kit_parse(const bp_option *option, const char *text, bp_opt *out);
/*
 * An instance whose options' texts cannot be read any more, as a host may free them when create()
 * returned; who does read them ends the test.
 */
bp_instance *kit_instance_without_texts(struct kit *kit);
/* Fails the test if the plug-in broke a rule of the host's table meanwhile. */
void kit_settle(struct kit *kit);

/* ---- the host (host.c) ----------------------------------------------------------------------- */

void kit_host_init(struct kit_host *host, const char *path);
/* Did weight_get pack anything? Is any of that not put back? */
bool kit_host_has_packed(const struct kit_host *host);
bool kit_host_has_users(const struct kit_host *host);

/* ---- malloc, watched (alloc.c) --------------------------------------------------------------- */

/* Can allocations be counted in this build? */
bool kit_alloc_works(void);
/* Calls of malloc and its family on this thread since watching began. */
void kit_alloc_watch(void);
unsigned long kit_alloc_calls(void);
/* Lets the n-th allocation of this thread from now fail; 0 ends that. */
void kit_alloc_fail_at(unsigned n);
/* Has one failed since? */
bool kit_alloc_failed(void);
/* A pause within which nothing is counted and nothing fails: the kit's own work. */
void kit_alloc_pause(bool on);

#endif
