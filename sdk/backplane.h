/* SPDX-License-Identifier: MIT */
/*
 * backplane.h - run ONNX models on execution providers that are plug-ins.
 *
 * In short: an environment (one a process is usual) finds providers; session options name the
 * providers to try, in order; a session is a model made ready on them; a run feeds tensors and
 * fetches tensors. The CPU provider is always the last in the list. A report says for every
 * provider and every node what happened and why.
 *
 *     char text[512];
 *     bp_err err = bp_err_init(text, sizeof text);
 *     bp_env *env = NULL;
 *     bp_session *session = NULL;
 *
 *     if (bp_env_create(NULL, &env, &err) < 0 ||
 *         bp_session_create(env, "model.onnx", NULL, &session, &err) < 0)
 *         fprintf(stderr, "%s\n", text);
 *
 * Errors: functions that can fail return a bp_rc below zero and put one sentence, which names the
 * thing and the way out, into the caller's bp_err (NULL is fine). A program that wants to know more
 * than the bp_rc reads bp_err.detail (BP_DETAIL_*), not the sentence. bp_err.code is what the function
 * returned, and so BP_OK after a success, also where it had the code of an older failure; the other
 * members count after a failure only. On failure every `out` is NULL or untouched and nothing is left
 * half made.
 * NULL: an argument that is needed gives BP_E_INVALID, and the message names it. Functions that return
 * no status return 0 or NULL for an object that is NULL, or do nothing. Comments say which arguments
 * may be NULL.
 * Ownership: what a `create` or `open` returns is the caller's, to `destroy` or `close`; destroyers
 * take NULL. Returned const pointers are borrowed: "until ..." says for how long.
 * Threads: "[any thread]" in a comment means that any number of threads may call the functions between
 * it and the next comment or empty line at the same time, also for one object. Other functions are
 * called by one thread at a time for an object. What ends an object comes after all other calls for it.
 * Different objects never interfere.
 */
#ifndef BACKPLANE_H
#define BACKPLANE_H

#include <bp/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BP_API __attribute__((visibility("default")))
#define BP_CHECKED __attribute__((warn_unused_result))
#else
#define BP_API
#define BP_CHECKED
#endif

/*
 * Threads, log, plug-ins and default providers of a program; ends with bp_env_destroy().
 *
 * fork(): the child can run the sessions that it has from the parent, and create others. Runs on a
 * provider that does not work there (cann) fail at once with BP_E_UNAVAILABLE and its name. An
 * environment that another thread of the parent was changing at that moment, by opening a provider
 * or creating a session, gives BP_E_UNAVAILABLE but for runs. What runs of other threads of the
 * parent held stays allocated in the child.
 *
 * Any thread may call the functions that take an environment, several at the same time, also for the
 * same provider; only bp_env_destroy() comes after all others. A plug-in is opened, and probed, by one
 * thread, and others that ask for a provider wait for it. What functions of an environment give out,
 * strings and tables of providers, lives and stays as it is until the environment is destroyed.
 * Functions of the application that the environment calls (its log, bp_allow_fn) call none of these.
 */
typedef struct bp_env bp_env;
/* Settings that sessions are created with; end with bp_session_options_destroy(). */
typedef struct bp_session_options bp_session_options;
/* A model that is ready to run; ends with bp_session_destroy(). */
typedef struct bp_session bp_session;
/* A model that was read and checked; ends with bp_model_close(). */
typedef struct bp_model bp_model;
/*
 * Which provider runs which node, and why. That of a session is the session's; others end with
 * bp_report_destroy().
 */
typedef struct bp_report bp_report;

/*
 * An error whose words go to `buf`, which holds `cap` bytes. buf is borrowed for as long as the
 * bp_err is used, and may be NULL when cap is 0. One bp_err serves many calls: each failure
 * overwrites the text of the one before.
 */
static inline bp_err bp_err_init(char *buf, size_t cap)
{
    bp_err err;

    err.struct_size = (uint32_t)sizeof err;
    err.code = BP_OK;
    err.native_code = 0;
    err.msg = buf;
    err.msg_cap = (uint32_t)cap;
    err.msg_len = 0;
    err.detail = 0;
    err.index = 0;
    if (cap > 0)
        buf[0] = '\0';
    return err;
}

/* The version of the library, "0.1.0"; a constant. [any thread] */
BP_API const char *bp_version(void);
/* The name of a code, "BP_E_SHAPE" for -6; never NULL. [any thread] */
BP_API const char *bp_rc_name(bp_rc rc);
/*
 * The name of an element type, "float32" for BP_DTYPE_F32, "none" for a number that is not a type;
 * never NULL. [any thread]
 */
BP_API const char *bp_dtype_name(uint32_t dtype);
/* BP_DTYPE_* for such a name, BP_DTYPE_NONE when there is none. [any thread] */
BP_API uint32_t bp_dtype_from_name(const char *name);
/* Bits of one element: 4 for BP_DTYPE_I4; 0 for types without a fixed size. [any thread] */
BP_API uint32_t bp_dtype_bits(uint32_t dtype);

/* ---- environment ----------------------------------------------------------------------------- */

/* Receives log lines; `text` has no newline and lives for the call. May come from any thread. */
typedef void (*bp_log_fn)(void *user, uint32_t level, const char *domain, const char *text);

/*
 * Decides whether a plug-in's file that is in no allow list may be opened; for example by verifying
 * a signature beside it. Called before any code of the plug-in runs. Returns 0 to allow it, and an
 * error, with its reason in `err`, to refuse it. The strings are valid for the call. Must not call
 * functions of the environment. [any thread, one at a time]
 */
typedef bp_rc (*bp_allow_fn)(void *user, const char *path, const char *id, const char *sha256,
                             bp_err *err);

/*
 * Processors that a thread may run on, numbered from 0 as the kernel does. The array is borrowed
 * for the call that gets it.
 */
typedef struct bp_processors {
    const uint32_t *list;
    uint32_t n; /* 0: wherever the process may */
    uint32_t reserved0;
} bp_processors;

/* The main function of a worker thread; it returns when the pool is destroyed. */
typedef void (*bp_worker_fn)(void *arg);

/*
 * Worker threads of a pool (all but the calling thread): how they are created, and on which
 * processors they run. Start from {0} with struct_size set. With this config all workers are
 * created together with the pool's environment or session; without it, at the first job that needs
 * them.
 */
typedef struct bp_worker_config {
    uint32_t struct_size;
    /*
     * Entries of affinities: 0, then workers run on any processor of the process, or the number of
     * threads minus 1. It is ignored for a pool of one thread. Processors that the process may not
     * use are left out with a warning.
     */
    uint32_t n_affinities;
    const bp_processors *affinities; /* worker i's; copied */
    /*
     * Creates a thread that calls worker(arg) once and ends when that returns. *thread is a handle
     * of the application's, for join; it may be NULL. On an error creation of the environment or
     * session fails with this error, and threads created before are joined. A thread that calls
     * worker(arg) after that returns at once. The host changes the thread's affinity only if
     * `affinities` names processors for it. NULL: the host creates POSIX threads. [the thread that
     * creates the pool, one call at a time]
     */
    bp_rc (*create)(void *user, bp_worker_fn worker, void *arg, void **thread, bp_err *err);
    /*
     * Waits for the end of such a thread, whose worker() is about to return, and frees its handle.
     * Called once for each thread that `create` made. Set both functions or neither. A C++
     * exception is logged; the pool then waits only until worker() has returned. [the thread that
     * destroys the pool, one call at a time]
     */
    void (*join)(void *user, void *thread);
    void *user; /* for both; must outlive the environment or the session */
} bp_worker_config;

/*
 * Memory of the application for runs; see bp_session_options_set_allocator(). Start from {0} with
 * struct_size set; alloc and free are both needed. Exceptions that they throw end in the host.
 */
typedef struct bp_allocator {
    uint32_t struct_size;
    uint32_t reserved0;
    /*
     * *block gets at least `bytes` bytes, more than 0, of any alignment. The values need not be set.
     * NULL there is BP_E_NOMEM. Below 0: there is no memory, and the run fails with that code and
     * the words in `err` (may be NULL). An exception fails the run too, with BP_E_INTERNAL. [any
     * thread, several at once]
     */
    bp_rc (*alloc)(void *user, size_t bytes, void **block, bp_err *err);
    /* `block` came from alloc and is not NULL. An exception is lost. [any thread, several at once] */
    void (*free)(void *user, void *block);
    void *user; /* for both; until all memory is back */
} bp_allocator;

/* Start from {0} with struct_size set; zeroes are the defaults. Everything is copied. */
typedef struct bp_env_config {
    uint32_t struct_size;
    uint32_t flags;     /* BP_ENV_* */
    uint32_t log_level; /* most verbose level that is delivered; 0: BP_LOG_WARN */
    uint32_t threads;   /* of the pool, the caller included; 0: CPU affinity and cgroup quota */
    bp_log_fn log;      /* NULL: warnings and errors go to standard error */
    void *log_user;
    const char *const *provider_dirs; /* absolute; searched before every other */
    uint32_t n_provider_dirs;
    uint32_t probe;           /* BP_PROBE_*; 0: as BACKPLANE_PROBE says, else BP_PROBE_AUTO */
    const char *probe_helper; /* absolute path of backplane-probe; NULL: where it was installed */
    /* of one plug-in; 0: as BACKPLANE_PROBE_TIMEOUT_MS says, else 2000 */
    uint32_t probe_timeout_ms;
    uint32_t reserved0;
    /*
     * File that keeps the results of probes between processes, so that good plug-ins are not probed
     * each time, and plug-ins that failed twice not again: an absolute path, "user" for a file in
     * the user's cache directory, "off" for none. NULL: as BACKPLANE_REGISTRY says, else "off".
     * Programs with raised privileges use none. A second file beside it caches manifests.
     */
    const char *registry;
    /* BP_ALLOW_*; 0: as BACKPLANE_ALLOW and the installation say, else BP_ALLOW_OFF */
    uint32_t allow;
    uint32_t deps;         /* BP_DEPS_*; 0: as BACKPLANE_DEPS says, else BP_DEPS_ANY */
    const char *allow_dir; /* absolute; lists beside the installation's; NULL: none */
    bp_allow_fn allow_fn;  /* decides about plug-ins in no list; NULL: none is allowed */
    void *allow_user;
    const bp_worker_config *workers; /* of the pool; NULL: all defaults */
    /*
     * Bytes of host memory that all sessions may hold together, see
     * bp_session_options_set_memory_limit(); 0: any number. BACKPLANE_MEMORY_LIMIT sets one too; the
     * lower one counts.
     */
    uint64_t memory_limit;
    /*
     * Providers of sessions for which the program names none otherwise: "auto", "none" (cpu alone),
     * or names with commas between, one of which may be "auto". NULL: what BACKPLANE_PROVIDERS names,
     * else `default` of providers.conf, else "auto". Copied.
     */
    const char *default_providers;
} bp_env_config;

/*
 * The allow list: which plug-ins' files may be opened. Lists are the files *.sum in
 * SYSCONFDIR/backplane/allow.d and in allow_dir. A line is the SHA-256 of a file, in 64 hexadecimal
 * digits, and the id that its manifest must have. A file `mode` in such a directory contains off,
 * warn or enforce. The strictest of all settings is in force, so users can only make it stricter.
 * A list that others may write to is ignored; a mode file like that means BP_ALLOW_ENFORCE.
 */
enum {
    BP_ALLOW_OFF = 1,
    BP_ALLOW_WARN = 2,   /* unlisted files are opened, with a warning in the log */
    BP_ALLOW_ENFORCE = 3 /* unlisted files are neither opened nor probed */
};

/*
 * Which libraries a plug-in may load. The dynamic linker finds them, and variables such as
 * LD_LIBRARY_PATH can redirect it. Programs with raised privileges, and BP_ENV_HERMETIC, always
 * have BP_DEPS_TRUSTED.
 */
enum {
    BP_DEPS_ANY = 1,
    BP_DEPS_TRUSTED = 2 /* none that another user could have changed; the rule for plug-ins */
};

/*
 * Probes: before a plug-in is opened in this process, backplane-probe opens it in a process of its
 * own, calls its entry and asks whether it is usable. One that crashes, exceeds the time limit,
 * ends its process, or leaves a thread, blocked signals or another current directory behind is not
 * opened here, and its row says what it did.
 */
enum {
    /* all but CPU and what is open here already; none, with one warning, if the helper can't run */
    BP_PROBE_AUTO = 1,
    BP_PROBE_ALWAYS = 2, /* CPU too; if the helper can't run, nothing is opened */
    BP_PROBE_OFF = 3
};

enum {
    BP_ENV_IGNORE_VARIABLES = 1u << 0, /* read no BACKPLANE_* variable */
    /*
     * As in a program with raised privileges: no variable and no directory of the user counts, and
     * files that a group may write to are never trusted.
     */
    BP_ENV_HERMETIC = 1u << 1,
    BP_ENV_STRICT = 1u << 2 /* as BACKPLANE_STRICT=1: see bp_session_options_set_strict */
};

/*
 * Creates an environment. config NULL: all defaults. Runs no plug-in code and probes no hardware.
 * BP_E_INVALID: a setting is wrong, or BACKPLANE_FALLBACK or BACKPLANE_PROVIDER_OPTIONS is
 * malformed and not ignored. *out is the caller's, to bp_env_destroy(). [any thread]
 */
BP_API bp_rc bp_env_create(const bp_env_config *config, bp_env **out, bp_err *err) BP_CHECKED;
/*
 * Destroys the environment. BP_E_INVALID: sessions or models of it still exist; nothing changes.
 * NULL is fine.
 */
BP_API bp_rc bp_env_destroy(bp_env *env, bp_err *err);
/* Threads of the pool, the caller included. [any thread] */
BP_API uint32_t bp_env_threads(const bp_env *env);

/* What the sessions of an environment hold together; sums over them as bp_session_stats has them. */
typedef struct bp_env_stats {
    uint32_t struct_size;
    uint32_t n_sessions;
    uint64_t memory_limit; /* bytes, in force; 0: none */
    /* Host memory of frames, now; of that, in frames that wait for a run. */
    uint64_t held_bytes, idle_bytes;
    uint64_t beside_bytes; /* host memory that providers hold beside frames: weights, and caches */
    uint64_t peak_bytes;   /* the most of held_bytes and beside_bytes together, as far as counted */
    uint64_t device_bytes; /* of providers' own memory, in idle frames */
    uint64_t runs;         /* finished, of the sessions that live */
} bp_env_stats;
/* The caller sets out->struct_size. BP_E_INVALID: it is not set. [any thread] */
BP_API bp_rc bp_env_get_stats(bp_env *env, bp_env_stats *out, bp_err *err) BP_CHECKED;
/*
 * bp_session_trim() of every session. *freed (freed may be NULL): bytes of host memory of frames.
 * [any thread]
 */
BP_API bp_rc bp_env_trim(bp_env *env, uint64_t *freed, bp_err *err);

/*
 * Variable i of those that begin with BACKPLANE_, as the process had it when the environment was
 * created: its name, with its value in *value and in *ignored why it does not count (NULL: it
 * does). NULL: end. Borrowed until the environment is destroyed. [any thread]
 */
BP_API const char *bp_env_variable(const bp_env *env, uint32_t i, const char **value,
                                   const char **ignored);

/*
 * The allow list in force: its mode (BP_ALLOW_*), with the number of plug-ins in it in *n and, in
 * *dir, the installation's directory of lists. Either may be NULL. [any thread]
 */
BP_API uint32_t bp_env_allow(bp_env *env, const char **dir, uint32_t *n);

/* What a failure of a provider means to the application. The report records it in any case. */
enum {
    BP_FALLBACK_DEFAULT = 0, /* the options' policy, which is BP_FALLBACK_WARN at first */
    BP_FALLBACK_SILENT = 1,  /* go on with the next provider */
    BP_FALLBACK_WARN = 2,    /* the same, with a log line: provider, reason, what runs instead */
    BP_FALLBACK_REQUIRE = 3  /* creation of the session fails, also if the provider takes no node */
};

/*
 * An option: its name and its value as text. Functions that take options copy both. Values are
 * written as a user would: "4", "true", "512M". The provider's schema defines types and ranges.
 *
 *     bp_key_value threads = {"threads", "4"};
 */
typedef struct bp_key_value {
    const char *key;
    const char *value;
} bp_key_value;

/*
 * Adds a default provider of the environment: later sessions have it after their own and before
 * CPU, unless they opt out. `name` as in bp_session_options_add_provider. BP_E_INVALID: it is there
 * already. [any thread]
 */
BP_API bp_rc bp_env_add_provider(bp_env *env, const char *name, const bp_key_value *options,
                                 uint32_t n_options, uint32_t fallback, bp_err *err) BP_CHECKED;

/*
 * Hands over a provider that is linked into the application (a static build, a test). The entry is
 * called at first use. It wins over plug-in files with the same name. Plug-ins that libtool's
 * -dlpreopen has linked in are there without this; see backplane-embed(1). BP_E_INVALID: the name is
 * taken. [any thread]
 */
BP_API bp_rc bp_env_add_entry(bp_env *env, const char *name, bp_entry_fn entry,
                              bp_err *err) BP_CHECKED;

/*
 * Stages of loading and using a provider, in order; a row names the last one that it reached. Up to
 * and including BP_STAGE_QUARANTINE a plug-in's file is only read: it is not mapped, and none of
 * its code runs.
 */
enum {
    BP_STAGE_NONE = 0,     /* not tried */
    BP_STAGE_FOUND = 1,    /* is there such a file or entry? */
    BP_STAGE_SECURITY = 2, /* could another user have changed it; is mapping it harmless? */
    BP_STAGE_MANIFEST = 3, /* has it a well-formed manifest? See bp/manifest.h */
    BP_STAGE_ARCH = 4,     /* is it of this kind of processor and build? */
    BP_STAGE_ISA = 5,      /* has this processor the instructions that it needs? */
    BP_STAGE_ABI = 6,      /* do we speak the same version? By its manifest, then by its tables */
    BP_STAGE_POLICY = 7,   /* is it wanted: not vetoed, not disabled, not a duplicate? */
    BP_STAGE_QUARANTINE = 8,
    BP_STAGE_DEPENDENCIES = 9, /* are all libraries and symbols there that it needs? */
    BP_STAGE_OPEN = 10,        /* can the dynamic linker map it? */
    BP_STAGE_ENTRY = 11,       /* is there an entry point, and in this file? */
    BP_STAGE_AVAILABLE = 12,
    BP_STAGE_OPTIONS = 13,
    BP_STAGE_CREATE = 14,
    BP_STAGE_CAPABILITY = 15,
    BP_STAGE_COST = 16,
    BP_STAGE_COMPILE = 17,
    BP_STAGE_RUN = 18, /* in use */
    BP_STAGE_END = 19
};
/* States of a provider in this process; each includes those before it. */
enum {
    BP_STATE_KNOWN = 1u << 0,     /* its name is known */
    BP_STATE_INSTALLED = 1u << 1, /* there is a file or an entry */
    BP_STATE_LOADABLE = 1u << 2,  /* it loads, with its libraries, and its ABI version fits */
    BP_STATE_USABLE = 1u << 3     /* it says that its device and libraries are here */
};

/* The word for a stage, "AVAILABLE" for BP_STAGE_AVAILABLE; never NULL. [any thread] */
BP_API const char *bp_stage_name(uint32_t stage);
/* The word for a reason, "NOT_CONSTANT" for BP_R_NOT_CONSTANT; never NULL. [any thread] */
BP_API const char *bp_reason_name(uint32_t reason);

/*
 * A provider as the environment knew it at one moment. Strings and tables live, and stay as they
 * are, until the environment is destroyed.
 */
typedef struct bp_provider_info {
    uint32_t struct_size;
    uint32_t stage;     /* BP_STAGE_*: where it ended; BP_STAGE_AVAILABLE with BP_OK: usable */
    bp_rc code;         /* BP_OK: usable */
    uint32_t n_options; /* rows of the schema, once opened */
    const char *name;   /* short name */
    const char *id, *version; /* as its manifest says until it is opened; NULL: unknown */
    const char *vendor;       /* NULL until opened */
    const char *file;         /* absolute path; NULL: linked in, or none found */
    const char *reason;       /* why not usable; NULL when it is */
    const char *fix;          /* what to do; may be NULL */
    const bp_option *options;
    uint32_t option_stride;
    uint32_t n_devices;
    uint32_t states;    /* BP_STATE_* */
    uint32_t n_schemas; /* operators of its own, once opened */
    const bp_op_schema *schemas;
    uint32_t schema_stride;
    uint32_t reserved0;
} bp_provider_info;

/*
 * Providers found: linked-in ones, then files, then CPU; those of a kind in the order of
 * BACKPLANE_PROVIDERS, of the priority that the operator gives, of the plug-in's own, of their ids.
 * Then files that are not used because another holds the same provider, and those that were asked
 * for by a path outside of the search. Reads files, and opens none of them. BP_E_UNAVAILABLE here and
 * in all functions below: see fork() at bp_env. [any thread]
 */
BP_API bp_rc bp_env_provider_count(bp_env *env, uint32_t *out, bp_err *err) BP_CHECKED;
/*
 * Opens provider i and asks whether it is usable; if not, BP_OK is returned all the same, and
 * out->code and out->reason say why. The caller sets out->struct_size. BP_E_INVALID: no provider i.
 * BP_E_NOMEM. Indices change only by bp_env_add_entry(), bp_env_forget_provider(), and a path that is
 * asked for the first time. [any thread]
 */
BP_API bp_rc bp_env_provider_info(bp_env *env, uint32_t i, bp_provider_info *out,
                                  bp_err *err) BP_CHECKED;
/*
 * The same, as far as it is known without mapping the plug-in or running its code. If no check has
 * failed so far, out->code is BP_OK and out->stage is below BP_STAGE_AVAILABLE. [any thread]
 */
BP_API bp_rc bp_env_provider_peek(bp_env *env, uint32_t i, bp_provider_info *out,
                                  bp_err *err) BP_CHECKED;
/*
 * Path of file j of those that were mapped into this process when provider i was opened: its own
 * first, then libraries that were not loaded before. NULL: end, or it has not been opened. Borrowed
 * for the life of the process. [any thread]
 */
BP_API const char *bp_env_provider_library(bp_env *env, uint32_t i, uint32_t j);
/*
 * Probes all plug-ins that were found and not probed yet, at once, each in a process of its own
 * (see BP_PROBE_AUTO). Later queries then need no probe. Takes as long as the slowest plug-in, at
 * most the time limit. BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_env_probe(bp_env *env, bp_err *err) BP_CHECKED;
/*
 * Forgets, here and in the registry file, that the provider of this name failed a probe. The next
 * query probes it again. Errors are those of bp_env_find_provider(). [any thread]
 */
BP_API bp_rc bp_env_retry_provider(bp_env *env, const char *name, bp_err *err) BP_CHECKED;
/*
 * Forgets the files of the provider of this name, in any form of bp_session_options_add_provider,
 * and has the directories searched again at the next query: files that were installed, replaced or
 * removed since are seen then, also if no file had that name before. Rows of other providers stay as
 * they are; indices change. Runs no code of a plug-in and unmaps nothing: sessions go on with what
 * they opened, and strings of the old rows stay valid as long as the environment. A later session
 * opens what is found then; a file of another path is mapped beside the old one.
 *
 * BP_E_BUSY: it is open and usable here, and another file has taken its place: nothing changes, and
 * it stays usable. The new file can be opened by another process; by another environment of this one
 * only if the plug-in may be unloaded (BP_PROVIDER_UNLOADABLE) and no environment has it open.
 * BP_E_INVALID: it is linked in, or the name is empty or too long. [any thread]
 */
BP_API bp_rc bp_env_forget_provider(bp_env *env, const char *name, bp_err *err) BP_CHECKED;
/*
 * What checks of a provider found. Strings live, and stay as they are, until the environment is
 * destroyed.
 */
typedef struct bp_provider_check {
    uint32_t struct_size;
    uint32_t stage;     /* BP_STAGE_*: where the checks ended; BP_STAGE_AVAILABLE: it is usable */
    bp_rc code;         /* BP_OK: nothing speaks against it */
    uint32_t is_probed; /* 1: a process of its own has opened it */
    uint32_t is_listed; /* 1: the allow list has its file; 0 too where the mode is BP_ALLOW_OFF */
    uint32_t reserved0;
    const char *reason; /* why it cannot be used; NULL with BP_OK */
    const char *fix;    /* what to do; may be NULL */
    const char *sha256; /* of its file, 64 digits; NULL: it could not be read, or is linked in */
} bp_provider_check;

/*
 * Makes all checks of provider i that this process can do without opening it: of its file as it is
 * now, of the allow list, whether its libraries and symbols are there; with probe 1 also whether
 * backplane-probe can open it and it says that it is usable, whatever BP_PROBE_* the environment
 * has (see there). A provider that is open is not probed. Takes up to two seconds for the linker,
 * and the time limit of probes. The caller sets out->struct_size. BP_OK also for a provider that
 * cannot be used; BP_E_INVALID: no provider i. For a file outside the directories, ask
 * bp_env_find_provider() for its path first. BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_env_check_provider(bp_env *env, uint32_t i, uint32_t probe, bp_provider_check *out,
                                   bp_err *err) BP_CHECKED;
/*
 * Which version of a provider is higher, as the host decides between two files? Runs of digits are
 * compared as numbers, all else by bytes; "1.0" is below "1.0.1", and "1.0-rc1" below "1.0". Below,
 * at or above 0. NULL is "". [any thread]
 */
BP_API int bp_compare_versions(const char *a, const char *b);

/* Directories that are searched by default. */
enum {
    BP_DIR_USER = 1,  /* the user's: backplane/v1 in XDG_DATA_HOME or ~/.local/share */
    BP_DIR_SYSTEM = 2 /* the installation's */
};

/*
 * The path of such a directory, which need not be there, into buf of cap bytes. BP_E_UNAVAILABLE:
 * the user has none, as neither variable is an absolute path. BP_E_INVALID: buf is too small, or
 * no such constant. [any thread]
 */
BP_API bp_rc bp_standard_provider_dir(uint32_t which, char *buf, size_t cap,
                                      bp_err *err) BP_CHECKED;
/*
 * Device `device` of provider i, below bp_provider_info.n_devices, as the provider describes it. A
 * provider that describes none has one: the CPU (kind BP_DEVICE_CPU), or with memory of its own one
 * of kind BP_DEVICE_OTHER. The total memory of a processor is the machine's where the provider does
 * not say it. Strings are never NULL, and borrowed until the env is destroyed. BP_E_INVALID: there
 * is no such device. If the provider is not usable, its error is returned. [any thread]
 */
BP_API bp_rc bp_env_provider_device(bp_env *env, uint32_t i, uint32_t device, bp_device *out,
                                    bp_err *err) BP_CHECKED;
/*
 * Index of the provider with a name, in any form of bp_session_options_add_provider. BP_E_INVALID:
 * an unknown name; the message has the nearest. BP_E_UNAVAILABLE: a known one that is not
 * installed. [any thread]
 */
BP_API bp_rc bp_env_find_provider(bp_env *env, const char *name, uint32_t *out,
                                  bp_err *err) BP_CHECKED;
/*
 * How ONNX Runtime writes a provider's name: "CPUExecutionProvider" for "cpu", and for "custom"
 * too, which runs operators of the application. Into buf, cut to its cap bytes; returns buf. [any
 * thread]
 */
BP_API const char *bp_provider_long_name(const char *name, char *buf, size_t cap);
/*
 * Is the provider of this name usable here and now? BP_OK, or why not in words. `name` in any of
 * the forms of bp_session_options_add_provider. [any thread]
 */
BP_API bp_rc bp_env_is_available(bp_env *env, const char *name, bp_err *err) BP_CHECKED;
/*
 * Directory i of the search path, with why it counts ("environment variable ...") in *why; NULL:
 * end. Both live until the environment is destroyed. [any thread]
 */
BP_API const char *bp_env_provider_dir(bp_env *env, uint32_t i, const char **why);

/* Who offers a provider that ONNX Runtime has a name for: see bp_known_provider. */
enum {
    BP_HOME_HERE = 1,      /* Backplane, in this release or a later one */
    BP_HOME_ELSEWHERE = 2, /* its vendor; Backplane has none */
    BP_HOME_GONE = 3       /* not maintained: it was withdrawn */
};

/* bp_known_provider.flags. */
enum {
    /* There is a plug-in for it: this release has its sources, or one was found. */
    BP_KNOWN_SUPPORTED = 1u << 0,
    BP_KNOWN_FILE = 1u << 1, /* a plug-in file of it lies in a searched directory, usable or not */
    BP_KNOWN_LINKED = 1u << 2, /* it is linked into this program */
    /*
     * It can be linked into programs: this build of Backplane has made it, or it is linked in here.
     * See backplane-embed(1) and configure's --with-static-providers, which installs the object
     * files.
     */
    BP_KNOWN_LINKABLE = 1u << 3
};

/*
 * A provider by a name that users of ONNX Runtime may type, whether or not it is installed. Stage,
 * code, states, file, reason and fix are those of the plug-in that its name means, as in
 * bp_provider_info; BP_STAGE_FOUND with BP_E_UNAVAILABLE if there is none. Strings live, and stay as
 * they are, until the environment is destroyed.
 */
typedef struct bp_known_provider {
    uint32_t struct_size;
    uint32_t home;    /* BP_HOME_* */
    uint32_t flags;   /* BP_KNOWN_* */
    uint32_t states;  /* BP_STATE_*; BP_STATE_KNOWN always */
    const char *name; /* short name */
    /* BP_HOME_ELSEWHERE: what it needs; BP_HOME_GONE: what replaced it; else NULL */
    const char *note;
    uint32_t stage;
    bp_rc code;
    const char *file; /* NULL: linked in, or none found */
    const char *reason, *fix;
} bp_known_provider;

/*
 * Known provider i, in a fixed order; those of BP_HOME_HERE come first. Looks for plug-in files and
 * reads their manifests, but opens none: a plug-in that was not opened before has code BP_OK with a
 * stage below BP_STAGE_AVAILABLE, as it is not known whether it is usable. BP_E_INVALID: the index
 * is past the end, or struct_size is not set. BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_env_known_provider(bp_env *env, uint32_t i, bp_known_provider *out,
                                   bp_err *err) BP_CHECKED;

/* bp_operator_info.flags. */
enum {
    BP_OPERATOR_HOST = 1u << 0 /* the host runs it: no provider is asked */
};

/*
 * Element types that a provider takes for one version of an operator, in inputs and outputs that
 * share a type.
 */
typedef struct bp_operator_info {
    uint32_t struct_size;
    uint32_t flags;        /* BP_OPERATOR_* */
    uint32_t since, until; /* versions of the domain that have it; until 0: up to the newest */
    const char *op, *domain;
    const char *params; /* "X, Y": inputs and outputs that share the type; NULL: a host operator */
    uint64_t types, taken; /* bits 1 << BP_DTYPE_*: types that ONNX allows, types that it takes */
    uint64_t conditional;  /* types that it refused only for the default attributes or shapes */
    uint32_t family;       /* for bp_operator_family() */
    uint32_t reserved0;    /* 0 */
} bp_operator_info;

/*
 * Gets rows in the order of domain, operator and version, then those that the provider declares
 * (bp_provider.schemas); a row is valid for the call.
 */
typedef void (*bp_operator_fn)(void *user, const bp_operator_info *row);

/*
 * Asks provider i, with its default options, which nodes it takes: for every version of every known
 * operator, a node with default attributes for each element type. What depends on shapes or
 * attributes is seen in the plan of a model. Calls `fn` on this thread, once for each row. Errors:
 * the provider's, if it is not usable; BP_E_INVALID: no provider i; BP_E_NOMEM. `fn` may call
 * functions of the environment. [any thread]
 */
BP_API bp_rc bp_env_provider_operators(bp_env *env, uint32_t i, bp_operator_fn fn, void *user,
                                       bp_err *err) BP_CHECKED;

/*
 * The families that operators are sorted into, from 1 on, in the order that lists have them: its
 * name, "gather_scatter", and in *out_about (which may be NULL) a sentence that says what is in it.
 * Both are constants. NULL: there is no such family, the end. [any thread]
 */
BP_API const char *bp_operator_family(uint32_t family, const char **out_about);

/* ---- session options ------------------------------------------------------------------------- */

/*
 * Independent of environments; one object may serve many sessions, which may be created at the same
 * time. BP_E_NOMEM.
 */
BP_API bp_rc bp_session_options_create(bp_session_options **out, bp_err *err) BP_CHECKED;
/* Sessions that were created with the options are not affected. NULL is fine. */
BP_API void bp_session_options_destroy(bp_session_options *options);

/*
 * Appends a provider to the ordered list. Without any, and without default ones of the environment,
 * sessions have those of bp_env_config.default_providers. `name`: "auto" for all usable providers
 * whose only device is the machine's own processor, by their priority; short ("dnnl"), ONNX Runtime's
 * ("DnnlExecutionProvider") in any case, an id ("org.backplane.dnnl"), or the absolute path of a
 * plug-in file. A key that begins with ? may be one that the provider does not have (one of a newer
 * version) and is passed over then. A key twice, or a provider twice, is BP_E_INVALID here; the
 * rest is checked when the session is made: an unknown name and a wrong option are errors
 * then, whatever the fallback policy; a provider that is missing or unusable is one by policy.
 * Strings are copied. CPU may be named to give it options; it stays last.
 */
BP_API bp_rc bp_session_options_add_provider(bp_session_options *options, const char *name,
                                             const bp_key_value *kv, uint32_t n_kv,
                                             uint32_t fallback, bp_err *err) BP_CHECKED;
/*
 * The same, but tried now: opened, asked whether it is available, options checked. On failure
 * nothing was added and the error says why, whatever the fallback policy.
 */
BP_API bp_rc bp_session_options_add_provider_now(bp_session_options *options, bp_env *env,
                                                 const char *name, const bp_key_value *kv,
                                                 uint32_t n_kv, uint32_t fallback,
                                                 bp_err *err) BP_CHECKED;
/*
 * Which of its devices a provider that was added is to use, as bp_env_provider_device counts them;
 * n_devices 0, as at first, leaves the choice to it. The option "device" of any provider, which takes
 * indices, ids, kinds (cpu, gpu, npu, other) and names with + or , between, overrules it. The array is copied. BP_E_INVALID: no such
 * provider in the list, or a device twice; one that the provider does not have is an error when the
 * session is made.
 */
BP_API bp_rc bp_session_options_set_devices(bp_session_options *options, const char *name,
                                            const uint32_t *devices, uint32_t n_devices,
                                            bp_err *err) BP_CHECKED;
/* Policy of providers that were added with BP_FALLBACK_DEFAULT. BP_E_INVALID: no such policy. */
BP_API bp_rc bp_session_options_set_fallback(bp_session_options *options, uint32_t fallback,
                                             bp_err *err) BP_CHECKED;
/*
 * Strict: SILENT and WARN count as REQUIRE for every provider that the session or the environment
 * names. on 0 switches it off again, but not where the environment is strict (BP_ENV_STRICT or
 * BACKPLANE_STRICT=1).
 */
BP_API void bp_session_options_set_strict(bp_session_options *options, uint32_t on);
/*
 * Shapes that a model declares for its values are hints. If the inferred shape, or that of a run,
 * differs, the declared one is ignored; the difference is reported once for each value, in the log
 * as a warning and in the report (bp_report_get_mismatch). With strict shapes it is an error
 * (BP_E_SHAPE), at creation of the session or in the run that has the other shape. A wrong element
 * type is always an error. (bp_session_options_set_strict() is about providers.)
 */
BP_API void bp_session_options_set_strict_shapes(bp_session_options *options, uint32_t on);
/*
 * Gives a named dimension of the model (dim_param, "batch") a size: providers see it as if the model
 * had the number, so that those which need sizes when they compile take more nodes. A run with
 * another size is BP_E_SHAPE. A name that the model does not have is a warning when a session is
 * made. Copied; the last size for a name counts. BP_E_INVALID: no name, or a negative size.
 */
BP_API bp_rc bp_session_options_set_dimension(bp_session_options *options, const char *name,
                                              int64_t size, bp_err *err) BP_CHECKED;
/* The same for all dimensions with a denotation (ONNX: "DATA_BATCH"); a name counts for more. */
BP_API bp_rc bp_session_options_set_denotation(bp_session_options *options, const char *denotation,
                                               int64_t size, bp_err *err) BP_CHECKED;
/*
 * Runs of the session keep what an output has for an input of the next run: the key/value cache of
 * a decoder, the state of a recurrent network. They neither feed that input nor fetch that output:
 * both are in the bp_state of the run, see there. A '*' in both names stands for the same text, so
 * that "past_key_*", "present_key_*" names all layers. Both are tensors of numbers. The names are
 * copied. BP_E_INVALID: a name is missing, or only one has a '*'. Names that the model does not
 * have are an error when a session is made.
 */
BP_API bp_rc bp_session_options_add_state(bp_session_options *options, const char *input,
                                          const char *output, bp_err *err) BP_CHECKED;
/*
 * Models that import an operator set newer than this host knows are refused (BP_E_VERSION), because
 * its operators may have changed. on: such a model runs as if it imported the newest known version,
 * and unknown attributes of its nodes are ignored.
 */
BP_API void bp_session_options_set_newer_opsets(bp_session_options *options, uint32_t on);
/*
 * Requires that a provider that was added gets at least this share (0 to 1) of the nodes that
 * providers run, counted after passes: a fused node is one. With less it counts as failed, and its
 * fallback policy applies. 0, as at first: one node is enough. `name` in any form. BP_E_INVALID: it
 * is not in the list, or share is out of range.
 */
BP_API bp_rc bp_session_options_set_min_share(bp_session_options *options, const char *name,
                                              double share, bp_err *err) BP_CHECKED;
/*
 * Appends a placement rule, "[name:|op:|path:]PATTERN=[!]PROVIDER": nodes whose name, operator
 * ("Conv", "com.example.Conv") or path (the names of the nodes around it, and all below:
 * "loop1/then") match the pattern, which may have *, ? and [] as in a shell, go to that provider
 * before all others, or with ! never to it. Without a prefix it is a name. Where more than one rule
 * names a provider for a node, the first counts; every ! counts. A node that its provider refuses
 * goes on down the list. BP_E_INVALID: no such rule. When a session is made, a provider that is in no
 * list is BP_E_OPTION; a rule that matches no node, or names a provider that is not in the list,
 * is warned of. What the host runs itself (control flow) is not placed. The report names the rule
 * that decided. Rules speak of the model's own nodes: one for a provider of the session keeps its
 * nodes from being folded, fused or dropped, see bp_session_options_set_optimization().
 */
BP_API bp_rc bp_session_options_add_placement(bp_session_options *options, const char *rule,
                                              bp_err *err) BP_CHECKED;
/*
 * The rules of a file, one a line; # begins a comment. On failure (file and line in it) none is
 * added.
 */
BP_API bp_rc bp_session_options_read_placements(bp_session_options *options, const char *path,
                                                bp_err *err) BP_CHECKED;
/*
 * Leaves out all default providers: those of bp_env_add_provider(), of bp_env_config and of
 * providers.conf, and "auto".
 */
BP_API void bp_session_options_ignore_env_providers(bp_session_options *options);
/*
 * The cache of compiled programs: a directory with a file for each group that a provider saved, so
 * that a later session with the same group loads it instead of compiling, in any process of this
 * user. It is off unless the application or the user asks for it. dir NULL, as at first: that of
 * BACKPLANE_CACHE_DIR, or none. "": none. Another: that one, which is made where it is missing, for
 * this user alone. limit: bytes of all its files, of which those that were not used for the longest
 * time are deleted; 0: what BACKPLANE_CACHE_LIMIT says, or BP_CACHE_LIMIT.
 *
 * A program is found by SHA-256 of the group's nodes, shapes and weights, of the provider, its
 * version, options and devices, the versions that its fingerprint names, and the version of this
 * host. A file is used only if it is whole, its checksum is right, and no user but this one and the
 * administrator could have written it. Whatever goes wrong with the cache is a warning in the log
 * and a line in the report (bp_report_group.cache), never a failure: the group is compiled then.
 * BP_E_NOMEM.
 */
BP_API bp_rc bp_session_options_set_cache(bp_session_options *options, const char *dir,
                                          uint64_t limit, bp_err *err) BP_CHECKED;
#define BP_CACHE_LIMIT ((uint64_t)1 << 30) /* bytes */

/* An open directory of compiled programs. One thread at a time. */
typedef struct bp_cache bp_cache;

/* A file of a cache. Strings are borrowed until the next call for this cache. */
typedef struct bp_cache_file {
    uint32_t struct_size;
    bp_rc code;         /* BP_OK, or why no session would use it */
    const char *file;   /* its name within the directory */
    const char *reason; /* a sentence; NULL with BP_OK */
    /* What it says of itself; NULL where it cannot be read. */
    const char *provider, *version; /* id and version */
    const char *group;              /* in the report's words: path and number, "main/3" */
    const char *host;               /* version of the host that wrote it */
    uint64_t bytes;                 /* of the file */
    int64_t used;                   /* last: seconds since 1970 */
    const char *model;              /* path of the model of the session, or "model in memory" */
} bp_cache_file;

/*
 * Opens a cache to look into it; its files are listed now. dir NULL: that of BACKPLANE_CACHE_DIR.
 * *out is the caller's, for bp_cache_close(). BP_E_INVALID: none is named. BP_E_IO: it is not there.
 * [any thread]
 */
BP_API bp_rc bp_cache_open(bp_env *env, const char *dir, bp_cache **out, bp_err *err) BP_CHECKED;
BP_API void bp_cache_close(bp_cache *cache); /* NULL is fine */
/* The directory, absolute, for as long as the cache is open; how many files it had then. */
BP_API const char *bp_cache_dir(const bp_cache *cache);
BP_API uint32_t bp_cache_count(const bp_cache *cache);
/*
 * File i. is_whole: all of it is read and its checksum is checked, else its first bytes only. A file
 * that is wrong has its code in the row. BP_E_INVALID: there is no file i.
 */
BP_API bp_rc bp_cache_get(bp_cache *cache, uint32_t i, uint32_t is_whole, bp_cache_file *out,
                          bp_err *err) BP_CHECKED;
/*
 * Deletes the files that were not used for the longest time until the others have at most `limit`
 * bytes; 0: all. Other files in the directory stay. Counts what was deleted. BP_E_IO: one cannot be
 * deleted.
 */
BP_API bp_rc bp_cache_clear(bp_cache *cache, uint64_t limit, uint32_t *n_files, uint64_t *bytes,
                            bp_err *err) BP_CHECKED;

/* Threads of the env's pool that runs of the session use; 0: all. */
BP_API void bp_session_options_set_threads(bp_session_options *options, uint32_t threads);
/*
 * Gives each session a pool of its own, with workers by this config and as many threads as
 * bp_session_options_set_threads() says, or as the environment's pool has.
 * bp_session_set_providers() keeps the pool. NULL: the environment's pool. The config is copied.
 * BP_E_INVALID: the config is malformed. Plans and optimized models use the environment's pool.
 */
BP_API bp_rc bp_session_options_set_workers(bp_session_options *options,
                                            const bp_worker_config *config, bp_err *err) BP_CHECKED;
/*
 * Host memory of runs comes from this allocator, for all sessions that are made with the options:
 * arenas with the values and the scratch memory of providers, outputs whose sizes come with the data,
 * values that loops carry, tensors in the sequences, optionals and maps that runs make (until the last
 * value with them is released), and outputs that bp_session_run() allocates: bp_tensor_free() gives
 * these back by the tensor's flags. Values and outputs may outlive the session. Runs with known shapes and buffers of
 * the caller allocate nothing. Other memory is returned when the session is destroyed or trimmed
 * (bp_session_trim()), or no longer needs it for the shapes that it remembers.
 *
 * Of the C library stay: weights, programs and what providers allocate themselves, strings, sparse
 * tensors, what a value has beside its tensors, lists of sizes, tensors without elements, and what models are
 * read and planned with. An output is asked for by the bytes of its elements, which begin where the
 * memory does; other memory with up to 72 bytes more, to align it.
 *
 * NULL: the C library. The struct is copied. BP_E_INVALID: it makes no sense, the options are as
 * before.
 */
BP_API bp_rc bp_session_options_set_allocator(bp_session_options *options,
                                              const bp_allocator *allocator,
                                              bp_err *err) BP_CHECKED;
/*
 * For how many sets of input shapes each state of a run keeps what was prepared for them: the sizes
 * of all values and what providers made for these. They share one block of memory, as large as the
 * largest of them needs. A run with other shapes prepares first, which takes as long as many runs
 * with small tensors. 0, as at first: 32. More than 1024 count as 1024. A provider may allow fewer.
 */
BP_API void bp_session_options_set_max_shapes(bp_session_options *options, uint32_t n);
/*
 * on: files of the model that bp_session_create() opens are copied to memory, not mapped; see
 * bp_model_open(). Then they may be written to and truncated.
 */
BP_API void bp_session_options_set_copy_files(bp_session_options *options, uint32_t on);
/*
 * Bytes of host memory that each session may hold; 0, as at first: any number. Counted are the
 * memory of frames (values of runs and scratch memory, bp_session_stats.held_bytes), and what
 * providers say that they hold beside: weights in a layout of their own, and caches. Weights in the
 * model's mapped file are not counted, nor is memory of the application. What would be more is not
 * allocated: idle frames are freed first, then the run fails with BP_E_NOMEM and the sum in its
 * message. Creating a session fails so too if the weights alone are more.
 */
BP_API void bp_session_options_set_memory_limit(bp_session_options *options, uint64_t bytes);
/*
 * Log lines about a session and from its providers go to this function, up to that level (0:
 * BP_LOG_WARN), instead of the environment's. fn NULL: the environment's. `user` must outlive the
 * session. Lines about finding and opening plug-ins always go to the environment's function.
 */
BP_API void bp_session_options_set_log(bp_session_options *options, bp_log_fn fn, void *user,
                                       uint32_t level);

/*
 * How far a session may change the graph before it runs; each level includes those before it. Names
 * of inputs and outputs stay. Results stay equal bit by bit (bp_report_pass.is_exact), or differ by
 * rounding where a pass changes the order of operations. Operators of the application, and nodes
 * that placement rules name, are not changed.
 */
enum {
    BP_OPTIMIZE_DEFAULT = 0, /* the recommended level: BP_OPTIMIZE_EXTENDED in this release */
    BP_OPTIMIZE_NONE = 1,    /* the graph runs as the model has it */
    BP_OPTIMIZE_BASIC = 2, /* ONNX's operators stay: constants are folded, nodes dropped, merged */
    BP_OPTIMIZE_EXTENDED = 3, /* nodes of one provider become fused operators that it takes too */
    BP_OPTIMIZE_LAYOUT = 4    /* passes that only some providers gain from: quantization on cpu */
};
/* Sets the level: BP_OPTIMIZE_*. BP_E_INVALID: no such level. */
BP_API bp_rc bp_session_options_set_optimization(bp_session_options *options, uint32_t level,
                                                 bp_err *err) BP_CHECKED;
/*
 * Disables one pass by its name ("fold-norm"). BP_E_INVALID: no such pass; the message lists all.
 */
BP_API bp_rc bp_session_options_disable_pass(bp_session_options *options, const char *name,
                                             bp_err *err) BP_CHECKED;
/*
 * Name of pass i in the order in which they run, or NULL; level (BP_OPTIMIZE_*) and help may be
 * NULL. [any thread]
 */
BP_API const char *bp_optimization_pass(uint32_t i, uint32_t *level, const char **help);

/*
 * Called at each phase of creating a session: "read", "infer", ...; fraction: 0 to 1 of the whole.
 * The string is a constant. [the thread that creates the session]
 */
typedef void (*bp_progress_fn)(void *user, const char *phase, double fraction);
/* Sets that function; NULL: none. `user` is borrowed until the sessions have been created. */
BP_API void bp_session_options_set_progress(bp_session_options *options, bp_progress_fn fn,
                                            void *user);

/*
 * How bp_session_prepare() works, and what bp_session_options_set_prepare() asks for. Start from
 * {0} with struct_size set.
 */
typedef struct bp_prepare_options {
    uint32_t struct_size;
    uint32_t n_runs; /* that will be in flight at once, for each of which it prepares; 0: 1 */
    /* As in bp_run_options: BP_E_CANCELLED, BP_E_TIMEOUT; what was prepared so far stays. */
    const volatile uint32_t *cancel;
    int64_t deadline_ns;
    bp_progress_fn progress; /* "prepare", after each set of shapes; NULL: none */
    void *progress_user;
    uint32_t n_unprepared; /* set: parts of the model whose sizes come with data, which stay */
    uint32_t reserved0;
} bp_prepare_options;

/* The shape of an input, for bp_session_options_add_shapes(). */
typedef struct bp_named_shape {
    const char *name;    /* of the input */
    const int64_t *dims; /* rank of them; -1: as the model or set_dimension() says */
    uint32_t rank;
    uint32_t dtype; /* BP_DTYPE_*; 0: the model's */
} bp_named_shape;

/*
 * Appends a set of input shapes that sessions are prepared for before their creation returns, as by
 * bp_session_prepare(): plans are made, weights packed, memory is reserved, and the first run with
 * these shapes takes no longer than later ones. Inputs that are left out have the sizes that the
 * model declares, or that bp_session_options_set_dimension() gives; so a set of no inputs is that
 * of a model whose sizes are all fixed. bp_session_set_providers() prepares too. Strings and sizes
 * are copied.
 *
 * BP_E_INVALID: an input without a name or given twice, or a size below -1. When a session is made:
 * BP_E_INVALID for an input that the model does not have (the nearest is named), or whose size is
 * open; BP_E_SHAPE for a shape that contradicts the model. A session that cannot be prepared is not
 * created. Parts whose sizes come with data stay unprepared; the log counts them (BP_LOG_INFO).
 *
 *     const bp_named_shape largest = {.name = "x", .dims = (int64_t[]){8, 3, 224, 224}, .rank = 4};
 *     rc = bp_session_options_add_shapes(options, &largest, 1, &err);
 */
BP_API bp_rc bp_session_options_add_shapes(bp_session_options *options,
                                           const bp_named_shape *inputs, uint32_t n_inputs,
                                           bp_err *err) BP_CHECKED;
/*
 * How sessions are prepared for these sets: for how many runs at once, and when creating them ends
 * with BP_E_CANCELLED or BP_E_TIMEOUT, which is looked at from the start of preparing on. `cancel`
 * is borrowed until the sessions have been created. The progress function of
 * bp_session_options_set_progress() sees "prepare" after each set; those in `prepare` must be NULL.
 * NULL: for one run, without a limit. BP_E_INVALID: more than 256 runs, or a progress function.
 */
BP_API bp_rc bp_session_options_set_prepare(bp_session_options *options,
                                            const bp_prepare_options *prepare,
                                            bp_err *err) BP_CHECKED;

/* ---- models ---------------------------------------------------------------------------------- */

/* Kinds of values. */
enum {
    BP_KIND_TENSOR = 0,
    BP_KIND_SEQUENCE = 1, /* of values of one type */
    BP_KIND_OPTIONAL = 2, /* a value, or none */
    BP_KIND_MAP = 3,      /* from integers or strings to values of one type */
    BP_KIND_SPARSE = 4,   /* a tensor of which only some elements are stored, the rest is 0 */
    BP_KIND_END = 5
};

/*
 * The type of a value; borrowed as long as the struct that refers to it. A sequence of tensors has
 * kind BP_KIND_SEQUENCE, and its item has kind BP_KIND_TENSOR.
 */
typedef struct bp_type_info {
    uint32_t kind;  /* BP_KIND_* */
    uint32_t dtype; /* of a tensor's elements or a map's keys; NONE: unknown */
    /* of a sequence, optional or map; of a sparse tensor its dense type; NULL: unknown */
    const struct bp_type_info *item;
} bp_type_info;

/*
 * A size that a model declares: a number, a name, or neither. Two dimensions with one symbol are
 * meant to have one size.
 */
typedef struct bp_dim_info {
    int64_t value;      /* -1: not fixed */
    const char *symbol; /* the model's name for it, "batch"; NULL: none */
} bp_dim_info;

/* An input or output. Pointers are borrowed until the model or session is destroyed. */
typedef struct bp_io_info {
    uint32_t struct_size;
    uint32_t dtype; /* BP_DTYPE_*, of a sparse tensor too; NONE when it is neither */
    uint32_t rank;  /* or BP_RANK_UNKNOWN */
    uint32_t flags; /* BP_IO_* */
    const char *name;
    const bp_dim_info *dims;
    const bp_type_info *type; /* never NULL */
} bp_io_info;

/* bp_io_info.flags. */
enum {
    BP_IO_OPTIONAL = 1u << 0, /* an input with a default: it need not be fed */
    BP_IO_SPARSE = 1u << 1,   /* an output that is a sparse constant of the model; it comes dense */
    BP_IO_KEPT = 1u << 2      /* the session keeps it in states: runs neither feed nor fetch it */
};

/* An operator that a model uses. Strings are borrowed until the model is closed. */
typedef struct bp_op_info {
    uint32_t struct_size;
    uint32_t count; /* nodes, those in subgraphs included */
    const char *op, *domain;
    uint32_t opset; /* imported version of the domain */
    uint32_t since; /* version of the operator in force; 0: no such operator is known */
} bp_op_info;

/* Formats of model files, recognized by their bytes. */
enum {
    BP_MODEL_FORMAT_ONNX = 0,
    BP_MODEL_FORMAT_ORT = 1 /* ONNX Runtime's own, .ort */
};

/*
 * Facts about a model. Strings are borrowed until it is closed; n_* are the numbers of rows of the
 * functions with an index below. file_bytes and weight_bytes are bytes.
 */
typedef struct bp_model_info {
    uint32_t struct_size;
    uint32_t n_inputs, n_outputs, n_nodes, n_ops, n_opsets, n_metadata, n_external;
    int64_t ir_version, model_version;
    const char *producer, *producer_version, *domain, *doc, *graph_name;
    uint64_t file_bytes, weight_bytes, n_weights;
    uint64_t n_functions;    /* that the model defines; n_nodes counts their nodes, once a call */
    uint32_t format;         /* BP_MODEL_FORMAT_*, of what was read */
    uint32_t format_version; /* of ONNX Runtime's own format; of ONNX it is ir_version */
    const char *graph_doc;
} bp_model_info;

/*
 * Opens a file in ONNX's format or in ONNX Runtime's (.ort), told apart by their bytes, and checks
 * its structure. Needs no provider. *out is the caller's, to bp_model_close().
 *
 * Weights stay in the file, which is mapped, so that processes share them. Replace a model by writing a
 * new file and renaming it to the old name (rename(2)): then sessions go on with the old one. A file
 * that is written to in place changes the weights under sessions that run; one that is truncated
 * ends the process (SIGBUS). The file's size and time of writing are looked at after a session was
 * created and before runs, at most each 100 ms: BP_E_STALE then, also for a file that was only
 * touched: only reading all of it could tell that its bytes are the same. Files of at most 1 MiB, and
 * with BP_SOURCE_COPY_FILES or bp_session_options_set_copy_files() all, are copied to memory instead,
 * and what happens to them later does not matter.
 *
 * BP_E_IO: the file can't be read. BP_E_INVALID: it is not a valid model.
 * BP_E_VERSION: a newer IR version or operator set. BP_E_STALE: the file was written to while it was
 * read. BP_E_UNSUPPORTED, BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_model_open(bp_env *env, const char *path, bp_model **out, bp_err *err) BP_CHECKED;
/*
 * The same from memory, which must outlive the model and its sessions. `dir` is the directory of
 * external data; NULL: models with external data are refused. [any thread]
 */
BP_API bp_rc bp_model_open_memory(bp_env *env, const void *bytes, size_t size, const char *dir,
                                  bp_model **out, bp_err *err) BP_CHECKED;

/* A tensor in place of the initializer of that name in the model's main graph. */
typedef struct bp_model_weight {
    const char *name;
    bp_tensor tensor; /* in ordinary memory; type and sizes must be the initializer's */
    uint32_t flags;   /* BP_WEIGHT_* */
    uint32_t reserved0;
} bp_model_weight;

/* bp_model_weight.flags. */
enum {
    BP_WEIGHT_IF_ANY = 1u << 0,  /* no error when the model has no such initializer */
    BP_WEIGHT_EXTERNAL = 1u << 1 /* an error if the initializer's data is not external */
};

/* A file of external data that is in memory: `name` is what the model calls it. */
typedef struct bp_model_file {
    const char *name;
    const void *bytes;
    size_t size;
} bp_model_file;

/*
 * The parts of a model. Start from {0} with struct_size set. Data is not copied: bytes, data of
 * tensors and files, and edits must stay valid and unchanged until the model and its sessions are
 * gone. The arrays weights, files and edits, and names in them, are only read during the call.
 */
typedef struct bp_model_source {
    uint32_t struct_size;
    uint32_t n_weights, n_files, n_edits;
    const char *path; /* of a file; or NULL, and: */
    const void *bytes;
    size_t size;
    const char *dir; /* where external data lies; NULL: beside `path`, and nowhere without one */
    const bp_model_weight *weights; /* of two with one name the last counts */
    const bp_model_file *files;     /* these are used before any in `dir` */
    /*
     * ModelProtos that change the model, in turn: imports of operator sets, nodes, initializers and
     * types of values are added, inputs and outputs replaced where the edit has some. Tensors in it
     * other than strings have no data of their own; `weights` has it.
     */
    const bp_span *edits;
    uint32_t flags; /* BP_SOURCE_* */
    uint32_t reserved0;
} bp_model_source;

/* bp_model_source.flags. */
enum {
    /* Files are copied to memory, not mapped; see bp_model_open(). */
    BP_SOURCE_COPY_FILES = 1u << 0
};

/*
 * As bp_model_open, with weights, files and edits. BP_E_OPTION: a weight fits no initializer; the
 * message names it. [any thread]
 */
BP_API bp_rc bp_model_open_source(bp_env *env, const bp_model_source *source, bp_model **out,
                                  bp_err *err) BP_CHECKED;
BP_API void bp_model_close(bp_model *model); /* sessions made from it live on */

/* An initializer, as bp_model_save passes it to `place`; valid for the call. */
typedef struct bp_weight_info {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *name;
    bp_tensor tensor; /* only to be read; base may be unaligned */
    const char *file; /* its external file; NULL: none */
    uint64_t offset;  /* in that file */
} bp_weight_info;

/*
 * Functions that receive a saved model. Start from {0} with struct_size set. A function that
 * returns an error ends bp_model_save with it. [the thread of bp_model_save]
 */
typedef struct bp_model_sink {
    uint32_t struct_size;
    uint32_t format; /* BP_MODEL_FORMAT_* */
    void *user;
    /*
     * Decides where an initializer's data goes. To make it external, the function writes the data
     * to a file itself, and sets *file to the name that the model shall have for it, borrowed until
     * the next call, and *offset to its first byte. If *file stays NULL, the data goes into the
     * model. NULL function: all data goes into the model. Not called for strings, which ONNX can't
     * have in external files.
     */
    bp_rc (*place)(void *user, const bp_weight_info *weight, const char **file, uint64_t *offset,
                   bp_err *err);
    /* gets the model's size in bytes, after all initializers are placed; NULL is fine */
    bp_rc (*begin)(void *user, uint64_t size, bp_err *err);
    bp_rc (*write)(void *user, const void *bytes, size_t size, bp_err *err); /* consecutive parts */
} bp_model_sink;

/*
 * Writes the model as it was opened, with weights and edits of its source, and with fields that the
 * host does not use. External data goes into the model, unless `place` decides otherwise.
 * BP_E_INVALID: the model would exceed 2 GiB, the limit of protobuf. BP_E_IO: external data is
 * missing. Errors of the sink's functions are returned.
 *
 * In ONNX Runtime's format all data goes into the model (`place` is not called), calls of functions
 * are inlined, Constant nodes become initializers, and fields that the host does not use are left
 * out. BP_E_UNSUPPORTED: the format can't express a part of the model; the message names it.
 * [any thread]
 */
BP_API bp_rc bp_model_save(const bp_model *model, const bp_model_sink *sink,
                           bp_err *err) BP_CHECKED;

enum {
    /*
     * Initializers that are also inputs stay inputs with a default, and are not folded. Without
     * this flag they become constants, and the new model lacks these inputs.
     */
    BP_OPTIMIZE_KEEP_DEFAULTS = 1u << 0
};

/*
 * Makes a model with the graph that a session with these options would run: after the passes of the
 * options' level for their providers, with calls of functions inlined and without Constant nodes.
 * It can be saved, planned or run; `model` may be closed before it, as weights are shared. Inputs,
 * outputs, names of values and metadata stay. Providers are asked which nodes they take, but
 * compile nothing; nodes that none takes are not an error. Fused operators are of domains that ONNX
 * Runtime has too, "" and com.microsoft. options NULL: the environment's defaults. *out is the
 * caller's, to bp_model_close(). *report (report may be NULL), what the passes did and which
 * provider takes which node, is the caller's, to bp_report_destroy(). BP_E_UNSUPPORTED: functions
 * import versions of an operator set that can't be combined into one. [any thread]
 */
BP_API bp_rc bp_model_optimize(bp_env *env, bp_model *model, const bp_session_options *options,
                               uint32_t flags, bp_model **out, bp_report **report,
                               bp_err *err) BP_CHECKED;

/* bp_context_config.flags. */
enum {
    BP_CONTEXT_EMBED = 1u << 0 /* programs lie in the model, not in files beside it */
};

/* How bp_model_compile() writes programs. Start from {0} with struct_size set. */
typedef struct bp_context_config {
    uint32_t struct_size;
    uint32_t flags; /* BP_CONTEXT_* */
    /*
     * That the new model will have; without BP_CONTEXT_EMBED programs are written to its directory,
     * under names that begin as that of the model and have a hash of the program in them.
     */
    const char *path;
    const char *prefix; /* of the names of the nodes; NULL: none */
} bp_context_config;

/*
 * Makes a model in which groups of nodes are compiled programs: bp_model_optimize(), but providers
 * compile what they take, and each group whose provider saves programs for models
 * (BP_PROVIDER_CONTEXTS) becomes one node EPContext of the domain com.microsoft, whose attribute
 * `source` is the provider's id. A session of the new model, in any process, loads such a program
 * with that provider instead of compiling; without the provider, or where it cannot load the program,
 * creating the session fails. Groups of other providers stay nodes, with their weights.
 * *n_programs: how many groups became programs; 0: *out is NULL, and the report says for each group
 * why (bp_report_group.cache). Initializers that are also inputs become constants. config NULL: BP_CONTEXT_EMBED. The cache of compiled programs is not
 * used. Errors are those of bp_session_create_from_model() and bp_model_optimize(), BP_E_IO: a
 * program cannot be written, and BP_E_OPTION: there is no path for programs beside the model. *report (report may be NULL) is the caller's.
 * [any thread]
 */
BP_API bp_rc bp_model_compile(bp_env *env, bp_model *model, const bp_session_options *options,
                              const bp_context_config *config, bp_model **out, uint32_t *n_programs,
                              bp_report **report, bp_err *err) BP_CHECKED;

/* The caller sets out->struct_size. [any thread] */
BP_API bp_rc bp_model_get_info(const bp_model *model, bp_model_info *out, bp_err *err) BP_CHECKED;
/*
 * Input or output i of the main graph, as the model declares it. BP_E_INVALID: there is none.
 * [any thread]
 */
BP_API bp_rc bp_model_input(const bp_model *model, uint32_t i, bp_io_info *out,
                            bp_err *err) BP_CHECKED;
BP_API bp_rc bp_model_output(const bp_model *model, uint32_t i, bp_io_info *out,
                             bp_err *err) BP_CHECKED;
/* Operators in use, sorted by domain, name and version. [any thread] */
BP_API bp_rc bp_model_op(const bp_model *model, uint32_t i, bp_op_info *out,
                         bp_err *err) BP_CHECKED;
/* Imported operator set i: its domain ("" is ai.onnx) and version. NULL: end. [any thread] */
BP_API const char *bp_model_opset(const bp_model *model, uint32_t i, int64_t *version);
/* Metadata entry i: its key, and its value in *value. NULL: end. [any thread] */
BP_API const char *bp_model_metadata(const bp_model *model, uint32_t i, const char **value);
/* External data file i, relative to the model's directory. NULL: end. [any thread] */
BP_API const char *bp_model_external(const bp_model *model, uint32_t i);

/* ---- sessions -------------------------------------------------------------------------------- */

/*
 * Creates a session of the model file at `path`: opens it, infers types and shapes, optimizes the
 * graph, assigns nodes to the providers in their order, compiles. options NULL: the environment's
 * defaults. *out is the caller's, to bp_session_destroy(). Errors: those of bp_model_open().
 * BP_E_INVALID: also an unknown provider. BP_E_OPTION: a wrong option. BP_E_UNSUPPORTED: no
 * provider takes a node; the message names it. BP_E_SHAPE: strict shapes are set, and a declared
 * shape is wrong. If a required provider fails, its error is returned. [any thread; several at once
 * in one environment]
 */
BP_API bp_rc bp_session_create(bp_env *env, const char *path, const bp_session_options *options,
                               bp_session **out, bp_err *err) BP_CHECKED;
/* The same for an opened model, which may be closed before the session. [any thread] */
BP_API bp_rc bp_session_create_from_model(bp_env *env, bp_model *model,
                                          const bp_session_options *options, bp_session **out,
                                          bp_err *err) BP_CHECKED;
/*
 * Counts one more owner of the session, whose part also ends with bp_session_destroy(); returns it.
 * So a thread that took the session from a place where another thread may put a newer one keeps it
 * for as long as it needs. NULL is fine. [any thread that has an owner's session]
 */
BP_API bp_session *bp_session_retain(bp_session *session);
/*
 * Ends an owner's part. The last one's waits for runs in flight, of which none may begin meanwhile,
 * and destroys the session. NULL is fine. [any thread]
 */
BP_API void bp_session_destroy(bp_session *session);

/*
 * Inputs that must or may be fed (initializers with a default come after the others), and outputs.
 * [any thread]
 */
BP_API uint32_t bp_session_input_count(const bp_session *session);
BP_API uint32_t bp_session_output_count(const bp_session *session);
/*
 * Input or output i, borrowed until the session is destroyed. BP_E_INVALID: there is none.
 * [any thread]
 */
BP_API bp_rc bp_session_input(const bp_session *session, uint32_t i, bp_io_info *out,
                              bp_err *err) BP_CHECKED;
BP_API bp_rc bp_session_output(const bp_session *session, uint32_t i, bp_io_info *out,
                               bp_err *err) BP_CHECKED;
/* Index of an input or output by name; BP_E_INVALID names the nearest. [any thread] */
BP_API bp_rc bp_session_find_input(const bp_session *session, const char *name, uint32_t *out,
                                   bp_err *err) BP_CHECKED;
BP_API bp_rc bp_session_find_output(const bp_session *session, const char *name, uint32_t *out,
                                    bp_err *err) BP_CHECKED;

typedef struct bp_object bp_object; /* a value of any kind; see the end of this file */

/*
 * A value to feed or to fetch, at input or output `index`. A tensor of 2 x 3 floats at input 0;
 * `object` and the reserved member stay 0:
 *
 *     int64_t dims[2] = {2, 3};
 *     bp_binding in = {.index = 0};
 *     in.tensor = (bp_tensor){
 *         .base = x, .dims = dims, .bytes = 24, .rank = 2, .dtype = BP_DTYPE_F32};
 */
typedef struct bp_binding {
    uint32_t index;
    uint32_t reserved0; /* not looked at, and not written to */
    bp_tensor tensor;
    bp_object *object; /* NULL, or the value instead of `tensor` */
} bp_binding;

typedef struct bp_profile bp_profile; /* what runs did and when; see below */
typedef struct bp_state bp_state;     /* what runs leave for the next ones; see below */

/* Start from {0} with struct_size set; zeroes are the defaults. */
typedef struct bp_run_options {
    uint32_t struct_size;
    uint32_t flags;
    /*
     * May be NULL; non-zero stops the run with BP_E_CANCELLED. Any thread may store to it,
     * atomically.
     */
    const volatile uint32_t *cancel;
    /*
     * How long the run may take, in nanoseconds, then BP_E_TIMEOUT; 0: any time. What is left of a
     * budget may be negative: then the time is over, and the run ends at once.
     */
    int64_t timeout_ns;
    bp_profile *profile; /* NULL: nothing is measured; else the run is written there */
    /*
     * The moment at which the run ends with BP_E_TIMEOUT, in nanoseconds of CLOCK_MONOTONIC; 0: none.
     * One moment serves several runs of a request. With timeout_ns as well, the earlier one counts.
     */
    int64_t deadline_ns;
    /*
     * What earlier runs left, for a session whose options have bp_session_options_add_state(),
     * which needs one; else NULL. One run at a time may have it: BP_E_BUSY.
     */
    bp_state *state;
} bp_run_options;

/*
 * Runs the session once. [any thread; several runs of one session at once, as far as its providers
 * allow: then a run waits until another ends, its deadline passes or it is cancelled] Later runs with
 * the same shapes and with buffers of the caller allocate nothing. options may be NULL.
 *
 * Inputs: the caller sets base, bytes, dims, rank and dtype; the memory is only read. Results are
 * written into the bindings of outputs, so that each of these serves one run at a time. Outputs with
 * a base: the result is written there. bytes is the capacity; dims has space for rank entries,
 * which are filled in. BP_E_SPACE: either is too small; rank, bytes and, as far as there is space for
 * them, dims say what is needed, so that the caller can run again. Outputs
 * with base NULL: base and dims are allocated, for the caller to bp_tensor_free(). In both cases
 * dtype is filled in. All tensors are in ordinary memory (BP_SPACE_HOST). An output must not overlap
 * an input or another output, else its values are undefined, unless its operator says that both may
 * be one (the cache of com.microsoft.GroupQueryAttention). An output
 * may be given several times: each binding gets its values. Buffers may have any address: one that is not aligned for its elements, or not
 * as its provider asks, is copied, through memory that the session keeps. Providers that ask for
 * bytes behind the elements read and write those that `bytes` counts; if there are too few, the
 * tensor is copied too. A tensor of strings needs bytes for its spans and, after them, for their
 * text. A result that is not a tensor is in `object`, for the caller to bp_object_release(); for
 * tensors `object` is NULL.
 *
 * An input that the model declares as a scalar may have any shape. Inputs that no requested output
 * depends on may be left out. The first run with such a shape, or without such inputs, takes as
 * long as creating the session. A session keeps 16 such variants; another one is BP_E_UNSUPPORTED.
 *
 * BP_E_INVALID: an index, type or missing input. BP_E_SHAPE: a shape that contradicts the model.
 * BP_E_CANCELLED, BP_E_TIMEOUT: as the options ask. Else the error of the provider that failed; the
 * message names the node. BP_E_STALE: a file of the model was written to, see bp_model_open().
 */
BP_API bp_rc bp_session_run(bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
                            bp_binding *outputs, uint32_t n_outputs, const bp_run_options *options,
                            bp_err *err) BP_CHECKED;

/*
 * Called when a run in the background has ended, on the thread that ran: rc is what bp_session_run() would
 * return, and err->msg its message, both valid for the call. An exception is logged. Others wait
 * for the thread meanwhile.
 */
typedef void (*bp_run_done_fn)(void *user, bp_rc rc, const bp_err *err);

/*
 * As bp_session_run(), on a thread of the environment's: returns at once, and calls `done` once.
 * Where it fails itself, `done` is not called; BP_E_INVALID, BP_E_NOMEM, or BP_E_UNAVAILABLE: no
 * thread can be started. The environment has as many such threads as its pool, at least 2; they
 * start when needed, and end with it. More runs wait, in order, for which each takes about 200
 * bytes; there is no limit to their number. The options are copied. inputs, outputs and what they
 * point to, as well as what the options point to, have to stay until `done` is called.
 *
 * timeout_ns counts from this call, so that the time in the queue is part of it. Cancellation and
 * deadline are looked at when a thread takes the run, and in the run. bp_session_destroy() waits
 * for the callbacks too; in a callback of the session it may be called only if no other run of it
 * is in flight, else the log says so and the session stays. In the child of a fork() waiting runs
 * are not made, and new ones start threads anew. [any thread]
 */
BP_API bp_rc bp_session_run_async(bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
                                  bp_binding *outputs, uint32_t n_outputs,
                                  const bp_run_options *options, bp_run_done_fn done, void *user,
                                  bp_err *err) BP_CHECKED;

/* ---- bound inputs and outputs ---------------------------------------------------------------- */

/*
 * Inputs and outputs of a session that are bound once, for any number of runs: names, types and
 * sizes are checked when they are bound, and outputs without memory of the caller have memory that
 * stays between runs and grows when it has to, so that a run with known shapes allocates nothing.
 * It owns a part of the session (bp_session_retain()). [one thread at a time for each io_binding,
 * all functions; several may run the same session at once]
 *
 *     bp_io_binding *io;
 *     const bp_binding *y;
 *     bp_binding x = {.tensor = {.base = data, .dims = dims, .bytes = 24, .rank = 2,
 *                                .dtype = BP_DTYPE_F32}};
 *
 *     rc = bp_io_binding_create(session, &io, &err);
 *     rc = bp_io_binding_set_input(io, "x", &x, &err);
 *     rc = bp_io_binding_set_output(io, "y", NULL, &err);
 *     while (next(data)) {
 *         rc = bp_io_binding_run(io, NULL, &err);
 *         rc = bp_io_binding_output(io, "y", 0, &y, &err);
 *         use(bp_tensor_data(&y->tensor));
 *     }
 *     bp_io_binding_destroy(io);
 */
typedef struct bp_io_binding bp_io_binding;

/* *out is the caller's, to bp_io_binding_destroy(). BP_E_NOMEM. */
BP_API bp_rc bp_io_binding_create(bp_session *session, bp_io_binding **out, bp_err *err) BP_CHECKED;
/* Frees it with the memory of its outputs, and ends its part of the session. NULL is fine. */
BP_API void bp_io_binding_destroy(bp_io_binding *io);
/*
 * Binds an input to a value, in place of an earlier one. name NULL: value->index says which input.
 * The elements are read in each run, where they are: they may change between runs, and have to stay
 * as long as the value is bound. Sizes are copied, and an object is retained. BP_E_INVALID: there
 * is no such input (the nearest is named), or another type. BP_E_SHAPE: a rank or size that
 * contradicts the model. What is bound stays as it was then.
 */
BP_API bp_rc bp_io_binding_set_input(bp_io_binding *io, const char *name, const bp_binding *value,
                                     bp_err *err) BP_CHECKED;
/*
 * Binds an output, in place of an earlier value. With tensor.base each run writes to this memory of
 * `bytes` bytes, whose dims and rank do not count; dtype 0: the model's. Without, or with value
 * NULL: to memory of the library, by the session's allocator. name NULL: value->index says which
 * output. BP_E_INVALID: there is no such output, another type, or memory for a value that is not a
 * tensor. BP_E_SPACE: the model's fixed sizes need more bytes.
 */
BP_API bp_rc bp_io_binding_set_output(bp_io_binding *io, const char *name, const bp_binding *value,
                                      bp_err *err) BP_CHECKED;
/* Nothing is bound afterwards; memory that outputs kept is freed. NULL is fine. */
BP_API void bp_io_binding_clear_inputs(bp_io_binding *io);
BP_API void bp_io_binding_clear_outputs(bp_io_binding *io);
/*
 * Runs the session with what is bound. options may be NULL. Errors are those of bp_session_run();
 * BP_E_INVALID: no output is bound. After a failure outputs have no values.
 */
BP_API bp_rc bp_io_binding_run(bp_io_binding *io, const bp_run_options *options,
                               bp_err *err) BP_CHECKED;
/*
 * As bp_io_binding_run(), on a thread of the environment's: see bp_session_run_async(). Until the
 * run has ended other functions of this io_binding are BP_E_BUSY, and those that clear or destroy
 * it wait. In `done` it has ended: outputs may be read, and the next run submitted.
 */
BP_API bp_rc bp_io_binding_run_async(bp_io_binding *io, const bp_run_options *options,
                                     bp_run_done_fn done, void *user, bp_err *err) BP_CHECKED;
/*
 * The value of an output after a run, by its name, or (NULL) by its index: a tensor whose bytes are
 * those of its elements, or an object. Borrowed until the next run, or until outputs are bound or
 * cleared: memory of the library may move in a run, so do not bind it to an input of the same
 * io_binding. BP_E_INVALID: it is not bound, or no run has succeeded.
 */
BP_API bp_rc bp_io_binding_output(const bp_io_binding *io, const char *name, uint32_t index,
                                  const bp_binding **out, bp_err *err) BP_CHECKED;

/* The shapes of one run: its inputs, of which index, rank and dims count, and dtype if not 0. */
typedef struct bp_run_shapes {
    const bp_binding *inputs;
    uint32_t n_inputs;
    uint32_t reserved0;
} bp_run_shapes;

/*
 * Prepares for runs with inputs of these shapes, so that the first one takes no longer than those
 * after it: sizes of all values, what providers make for them, and memory. Nothing runs, and no
 * data is read. A session prepares by itself when shapes come for the first time. The memory of all
 * sets is that of the largest, so preparing the largest one alone reserves it, until
 * bp_session_trim(). More sets than
 * bp_session_options_set_max_shapes() says replace earlier ones. Shapes that follow from data (of an
 * input that says how to reshape another, for example) are known in a run only: such parts are
 * counted in n_unprepared. options may be NULL. Errors are those of bp_session_run() for such
 * inputs. [any thread; runs may go on]
 */
BP_API bp_rc bp_session_prepare(bp_session *session, const bp_run_shapes *sets, uint32_t n_sets,
                                bp_prepare_options *options, bp_err *err) BP_CHECKED;
/*
 * Tells the shapes that outputs would have in a run with inputs of these shapes, and prepares for
 * them. The caller sets index, dims (space for rank entries) and rank of each output; dims, rank,
 * dtype and bytes are filled in. If a size comes with data, or the output is not a tensor, rank is
 * BP_RANK_UNKNOWN and bytes 0. BP_E_SPACE: dims is too small; rank is what it needs. Others as
 * bp_session_prepare(). [any thread]
 */
BP_API bp_rc bp_session_output_shapes(bp_session *session, const bp_run_shapes *inputs,
                                      bp_binding *outputs, uint32_t n_outputs,
                                      bp_err *err) BP_CHECKED;

/*
 * Replaces the provider list, as if the session had been created with it; inputs, outputs and their
 * indices stay. BP_E_BUSY: a run is in flight. Other errors are those of bp_session_create(). On
 * failure the session is unchanged.
 */
BP_API bp_rc bp_session_set_providers(bp_session *session, const bp_session_options *options,
                                      bp_err *err) BP_CHECKED;
/*
 * Short name of provider i of the session, highest priority first, CPU last. NULL: end. Borrowed
 * until bp_session_set_providers() or the end of the session. [any thread, but not during
 * bp_session_set_providers]
 */
BP_API const char *bp_session_provider(const bp_session *session, uint32_t i);
/*
 * Option j of provider i, defaults included: its key, and its value in *value, which is "(secret)"
 * for secret options. NULL: end. Borrowed until the option changes.
 */
BP_API const char *bp_session_provider_option(const bp_session *session, uint32_t i, uint32_t j,
                                              const char **value);
/*
 * Changes an option of a provider of the session while it lives; runs in flight may see either
 * value. provider: its name in any form. Only options that the provider marks as dynamic
 * (BP_OPTION_DYNAMIC) can be changed. BP_E_INVALID: the session has no such provider. BP_E_OPTION:
 * it has no such option (the nearest and all valid ones are named), or that does not take the
 * value. BP_E_UNSUPPORTED: the option is fixed once a session is made (those that are not are
 * named). Whatever fails, the value is as before. [one thread at a time; runs may go on]
 */
BP_API bp_rc bp_session_set_option(bp_session *session, const char *provider, const char *key,
                                   const char *value, bp_err *err) BP_CHECKED;
/*
 * Which provider runs each node, and why. Borrowed until bp_session_set_providers() or the end of
 * the session. [any thread, but not during bp_session_set_providers]
 */
BP_API const bp_report *bp_session_report(const bp_session *session);

/* Counters of a session. */
typedef struct bp_session_stats {
    uint32_t struct_size;
    uint32_t n_groups;    /* programs, those in subgraphs included */
    uint64_t runs;        /* finished */
    uint64_t crossings;   /* calls of a provider's execute */
    uint64_t idle_frames; /* states of runs that wait for the next runs */
    uint64_t idle_bytes;  /* host memory of idle frames */
    uint64_t create_ns;   /* wall time of creation */
    /*
     * Host memory of all frames, those of runs in flight included, now and at most: arenas, and
     * outputs whose sizes depend on data, but not those of iterations of loops. Weights are not
     * counted. held_bytes - idle_bytes is in use by runs.
     */
    uint64_t held_bytes, peak_bytes;
    uint64_t device_bytes; /* of providers' own memory, in idle frames; weights are not counted */
    uint64_t host_waits;   /* that runs made for providers' streams, so far */
} bp_session_stats;
/* The counters as they are now; the caller sets out->struct_size. [any thread] */
BP_API bp_rc bp_session_get_stats(const bp_session *session, bp_session_stats *out,
                                  bp_err *err) BP_CHECKED;
/*
 * Memory of a session for one provider, in bytes. The first six members are of frames;
 * bp_session_stats has their sums. An arena is shared by groups of all providers: each provider is
 * charged in proportion to what it asked for, so host memory of all rows adds up to that of the
 * session. What the process has grown by is about held_bytes - untouched_bytes + weight_bytes +
 * cache_bytes; weights that sessions share are counted in each of them.
 */
typedef struct bp_memory_use {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *provider; /* its short name; NULL: nodes that the host runs itself */
    uint64_t held_bytes, idle_bytes, peak_bytes;             /* host memory; idle: of idle frames */
    uint64_t own_held_bytes, own_idle_bytes, own_peak_bytes; /* the same in its own memory */
    /*
     * Of idle_bytes: pages that no run has written to yet. The process has addresses for them, but
     * no memory.
     */
    uint64_t untouched_bytes;
    /*
     * Weights in a layout of the provider, and caches, which bp_session_trim() frees: in host memory,
     * and in its own. As the provider says (bp_provider.memory), with the weights that it shares
     * through the host (bp_host.weight_get).
     */
    uint64_t weight_bytes, cache_bytes;
    uint64_t own_weight_bytes, own_cache_bytes;
} bp_memory_use;
/*
 * Row i: the providers in the order of bp_session_provider(), then the host. BP_E_INVALID: there is
 * none. [any thread]
 */
BP_API bp_rc bp_session_get_memory(const bp_session *session, uint32_t i, bp_memory_use *out,
                                   bp_err *err) BP_CHECKED;
/*
 * Frees idle frames: for a session that will not run for a while, or after a run with unusually
 * large shapes. Providers free their caches and the C library what it keeps (glibc). The next run
 * makes a frame again. Runs in flight keep theirs until they end. *freed (freed may be NULL): bytes
 * of host memory of frames that were freed. [any thread, but not during
 * bp_session_set_providers]
 */
BP_API bp_rc bp_session_trim(bp_session *session, uint64_t *freed, bp_err *err);

/*
 * ---- states: what runs leave for the next ones -------------------------------------------------
 *
 * A session whose options have bp_session_options_add_state() runs with a bp_state, one for each
 * conversation, stream or beam, as many as one likes at once:
 *
 *     bp_session_options_add_state(options, "past_key_*", "present_key_*", &err);
 *     bp_session_options_add_state(options, "past_value_*", "present_value_*", &err);
 *     ... create the session; then
 *     bp_state_create(session, 1, &state, &err);
 *     run.state = state;
 *     bp_session_run(session, inputs, n_inputs, &logits, 1, &run, &err); as often as there are tokens
 *
 * A value that grows, as the output is a Concat of the input and what is new, has one block of
 * memory with room at its end, which doubles when it is full: a run writes what is new behind the
 * rest, and copies nothing. Where the axis of the Concat is not the first, the optimizer (at its
 * default level) keeps the value in memory with that axis first, and lets the products that read it
 * do so. Other values have two blocks, of which each run reads one and writes the other. A
 * run whose output is not what its input takes fails; after a run that failed the state is as
 * before. Its memory comes from the session's allocator, and is not
 * counted in the session's memory and limits.
 *
 * [any thread] below means: one call or run at a time for each state; others meanwhile get
 * BP_E_BUSY.
 */

/*
 * A state before the first run: zeros. Dimensions of a size that the model does not declare are 0
 * where the value grows, else `batch`. *out is the caller's, to bp_state_destroy(); it keeps the
 * session, as bp_session_retain() does. BP_E_INVALID: the session has no states, or an
 * output has another type than its input. BP_E_UNSUPPORTED: the model does not declare the rank or type
 * of an input. [any thread, but not during bp_session_set_providers]
 */
BP_API bp_rc bp_state_create(bp_session *session, int64_t batch, bp_state **out,
                             bp_err *err) BP_CHECKED;
/* No run may have it. NULL is fine. [any thread] */
BP_API void bp_state_destroy(bp_state *state);
/* As after bp_state_create(); the memory stays. [any thread] */
BP_API bp_rc bp_state_reset(bp_state *state, bp_err *err) BP_CHECKED;
/* Another one with the same values, as for a second answer to one prompt. [any thread] */
BP_API bp_rc bp_state_copy(bp_state *from, bp_state **out, bp_err *err) BP_CHECKED;
/*
 * Copies the value for an input from or to a tensor in the model's layout. BP_E_INVALID: a wrong
 * type or too little memory, or the input is not kept. BP_E_SHAPE: sizes are not what the model
 * declares. Of bp_state_get() base and dims are allocated, for the caller to bp_tensor_free(). [any
 * thread]
 */
BP_API bp_rc bp_state_set(bp_state *state, const char *input, const bp_tensor *value,
                          bp_err *err) BP_CHECKED;
BP_API bp_rc bp_state_get(bp_state *state, const char *input, bp_tensor *out,
                          bp_err *err) BP_CHECKED;
/*
 * The size of the first value that grows, along the axis on which it does: tokens. 0: none grows.
 * [any thread, between runs]
 */
BP_API int64_t bp_state_length(const bp_state *state);
/*
 * Keeps the first `length` of all values that grow, as after tokens that were only guessed.
 * BP_E_INVALID: one is shorter, or none grows. [any thread]
 */
BP_API bp_rc bp_state_truncate(bp_state *state, int64_t length, bp_err *err) BP_CHECKED;
/*
 * Allocates memory for so many now, so that runs up to there allocate none for the state. [any
 * thread]
 */
BP_API bp_rc bp_state_reserve(bp_state *state, int64_t length, bp_err *err) BP_CHECKED;

/*
 * ---- profiles ---------------------------------------------------------------------------------
 */

/* What an event of a profile is about. */
enum {
    BP_PROFILE_SPAN = 0,  /* what the application timed, see bp_profile_add */
    BP_PROFILE_NODE = 1,  /* one node, or several that their provider ran or measured as one */
    BP_PROFILE_GROUP = 2, /* one call of a provider's execute */
    BP_PROFILE_RUN = 3    /* one bp_session_run, from its first check to its last output */
};

/* Strings are borrowed until the profile is destroyed. */
typedef struct bp_profile_event {
    uint32_t struct_size;
    uint32_t kind;            /* BP_PROFILE_* */
    int64_t start_ns, end_ns; /* on CLOCK_MONOTONIC */
    uint64_t run_id;          /* counts the runs of a session; 0 for spans */
    const char *name;         /* of the (first) node; "model_run" for a run */
    /* operator type; of several nodes "Group", or the provider's word; NULL for runs and spans */
    const char *op;
    const char *provider; /* short name; NULL: the host itself */
    uint32_t node;        /* index of the (first) node in its graph, or BP_NONE */
    uint32_t n_nodes;     /* nodes that it covers; 0 for runs and spans */
    uint32_t thread;      /* thread id of the operating system */
    uint32_t reserved0;
} bp_profile_event;

/*
 * Creates a ring buffer of `capacity` events (0: 65536; at most 16777216); when it is full, new
 * ones replace the oldest. Runs that have it in their bp_run_options write to it, several at once
 * if need be; other runs are not slowed down. The nodes of a group come in the order in which they
 * ended, then the group; the run comes last. It may outlive sessions. BP_E_INVALID: capacity is too
 * large; BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_profile_create(uint32_t capacity, bp_profile **out, bp_err *err) BP_CHECKED;
BP_API void bp_profile_destroy(bp_profile *profile); /* no run may be writing; NULL is fine */
/* A span of the application's own, such as reading a model. `name` is copied. [any thread] */
BP_API bp_rc bp_profile_add(bp_profile *profile, const char *name, int64_t start_ns, int64_t end_ns,
                            bp_err *err) BP_CHECKED;
/* Events that are there. [any thread] */
BP_API uint32_t bp_profile_count(const bp_profile *profile);
/* Events that were replaced or not recorded. [any thread] */
BP_API uint64_t bp_profile_dropped(const bp_profile *profile);
/* Event i, the oldest first. [any thread] */
BP_API bp_rc bp_profile_get(const bp_profile *profile, uint32_t i, bp_profile_event *out,
                            bp_err *err) BP_CHECKED;
/*
 * All events as JSON in Chrome's trace event format, with the categories, names and arguments of
 * ONNX Runtime's profiles, so that tools for these can read it; profile.schema.json describes it.
 * *out is the caller's, to bp_free(). BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_profile_json(const bp_profile *profile, char **out, bp_err *err) BP_CHECKED;

/* ---- the report ------------------------------------------------------------------------------ */

/*
 * Which estimates of a provider with memory of its own are known. If sizes are known only in a run,
 * memory and times are not estimated.
 */
enum {
    BP_ESTIMATED_WEIGHTS = 1u << 0,
    BP_ESTIMATED_MEMORY = 1u << 1,
    BP_ESTIMATED_TIME = 1u << 2,
    BP_ESTIMATED_COPIES = 1u << 3,
    BP_ESTIMATED_SIMULATED = 1u << 4 /* times are those of a simulated device */
};

/* Why a provider is in the list of a session. */
enum {
    BP_NAMED_BY_SESSION = 0,     /* the program, for this session */
    BP_NAMED_BY_ENVIRONMENT = 1, /* the program, by bp_env_add_provider() or bp_env_config */
    BP_NAMED_BY_VARIABLE = 2,    /* BACKPLANE_PROVIDERS */
    BP_NAMED_BY_FILE = 3,        /* providers.conf */
    BP_NAMED_BY_AUTO = 4,        /* "auto": its devices are the machine's own processor */
    BP_NAMED_BY_HOST = 5         /* always there: cpu, and operators of the application */
};
/*
 * The word for BP_NAMED_BY_*: "session", "environment", "variable", "file", "auto", "host", or "?".
 * [any thread]
 */
BP_API const char *bp_named_by_name(uint32_t named_by);

/* A provider of the list: how far it came and what it got. Strings live as long as the report. */
typedef struct bp_report_provider {
    uint32_t struct_size;
    uint32_t stage;                    /* BP_STAGE_*: how far it came; BP_STAGE_RUN: in use */
    bp_rc code;                        /* BP_OK, or what stopped it */
    uint32_t fallback;                 /* BP_FALLBACK_*, in force */
    const char *name, *version, *file; /* version and file may be NULL */
    const char *reason, *fix;          /* may be NULL */
    uint32_t n_claimed;                /* nodes that it accepted */
    uint32_t n_nodes;                  /* nodes that it runs */
    uint32_t n_groups;
    uint32_t states;   /* BP_STATE_* */
    uint32_t n_costly; /* nodes that it accepted, but that cost less on another provider */
    /* Estimates, of plans only: sums over its groups; those in subgraphs count once. */
    uint32_t known;         /* BP_ESTIMATED_*: which of the following are set */
    uint64_t weight_bytes;  /* on the device for as long as the session lives */
    uint64_t peak_bytes;    /* most on the device at once: weights and the values of a run */
    double run_ns, copy_ns; /* of one run: on the device, and of copies between memories */
    /*
     * 1: its nodes look neither at a run's deadline nor at its cancellation, so that a run ends only
     * between them; 0: they do, or nothing of it was opened.
     */
    uint32_t is_uninterruptible;
    uint32_t named_by; /* BP_NAMED_BY_* */
} bp_report_provider;

/* A node of the graph after passes, and its provider. Strings live as long as the report. */
typedef struct bp_report_node {
    uint32_t struct_size;
    /* index of a provider row; BP_NONE: run by the host (control flow), or not run */
    uint32_t provider;
    uint32_t group; /* index of a group row, or BP_NONE */
    uint32_t n_refusals;
    const char *name, *op, *domain;
    const char *path;       /* names of the nodes around it, "loop1/then"; "" at the top */
    const char *rule;       /* the placement rule that decided; NULL: none matches */
    const char *stands_for; /* nodes of the model that it replaces, "conv1, relu1"; or NULL */
} bp_report_node;

/* Why a provider that came before did not get the node. */
typedef struct bp_report_refusal {
    uint32_t struct_size;
    uint32_t provider; /* index of a provider row */
    uint32_t reason;   /* BP_R_* */
    uint32_t reserved0;
    const char *subject, *text; /* may be NULL */
} bp_report_refusal;

/* bp_report_group.program. */
enum {
    BP_PROGRAM_NONE = 0,     /* of a plan, or the host runs the node itself */
    BP_PROGRAM_COMPILED = 1, /* by the provider, just now */
    BP_PROGRAM_LOADED = 2    /* from the cache of compiled programs, or out of the model */
};

/* A group: nodes that one provider compiled together. Strings live as long as the report. */
typedef struct bp_report_group {
    uint32_t struct_size;
    uint32_t provider;
    uint32_t n_nodes;
    uint32_t n_inputs, n_outputs; /* values that cross its edge, constants not counted */
    uint32_t n_copies;            /* of those, copied between memory spaces */
    uint64_t copy_bytes;          /* a run, where sizes are known */
    const char *path;
    /* Estimates, of plans only. */
    uint32_t known;         /* BP_ESTIMATED_*: which of the following are set */
    uint32_t device;        /* as bp_env_provider_device() counts them; BP_NONE: run by the host */
    uint64_t weight_bytes;  /* on the device for as long as the session lives */
    uint64_t run_bytes;     /* in addition while it runs: inputs, outputs and values between them */
    double run_ns, copy_ns; /* of one run: on the device, and of copies between memories */
    const char *device_id;  /* bp_device.id; "" or NULL where the provider tells none */
    /* How the group became a program; of sessions only. */
    uint32_t program;    /* BP_PROGRAM_* */
    uint32_t max_frames; /* that its provider allows at once; 0: any number */
    uint64_t program_ns; /* that compiling it, or loading and saving it, took: wall time */
    /*
     * What the cache of compiled programs had to do with it, or that it came out of the model
     * (EPContext), or of bp_model_compile(): whether it was saved. NULL: none of these.
     */
    const char *cache;
    uint64_t frame_bytes; /* that each frame holds, as its provider says; 0: none or unknown */
    uint64_t
        n_unsized_copies; /* of n_copies, those whose size only a run knows: not in copy_bytes */
} bp_report_group;

/* A pass over the graph and its subgraphs, before providers compile them. */
typedef struct bp_report_pass {
    uint32_t struct_size;
    uint32_t level;    /* BP_OPTIMIZE_*, the lowest that runs it */
    uint32_t is_exact; /* results keep every bit */
    uint32_t n_matches;
    uint32_t n_before, n_after; /* nodes of all graphs; only this pass's changes count */
    uint64_t ns;
    const char *name, *help;
} bp_report_pass;

/* Where an option's value comes from; each overrides those before it. */
enum {
    BP_ORIGIN_DEFAULT = 0,     /* the provider itself */
    BP_ORIGIN_FILE = 1,        /* NAME.conf beside the plug-in, by the operator */
    BP_ORIGIN_APPLICATION = 2, /* session or environment options of the program */
    BP_ORIGIN_VARIABLE = 3     /* BACKPLANE_PROVIDER_OPTIONS, by the user */
};

/* An option that a provider was created with. */
typedef struct bp_report_option {
    uint32_t struct_size;
    uint32_t origin;         /* BP_ORIGIN_* */
    const char *key, *value; /* the value is "(secret)" for one that is */
} bp_report_option;

/* Passes that ran. [any thread] */
BP_API uint32_t bp_report_pass_count(const bp_report *report);
/* Pass i; the caller sets out->struct_size. BP_E_INVALID: there is none. [any thread] */
BP_API bp_rc bp_report_get_pass(const bp_report *report, uint32_t i, bp_report_pass *out,
                                bp_err *err) BP_CHECKED;
/*
 * Options of a provider's row, defaults included, as they were when the session was made; none
 * where it came no further than BP_STAGE_OPTIONS. Strings live as long as the report. BP_E_INVALID:
 * there is no such provider or option. [any thread]
 */
BP_API uint32_t bp_report_option_count(const bp_report *report, uint32_t provider);
BP_API bp_rc bp_report_get_option(const bp_report *report, uint32_t provider, uint32_t j,
                                  bp_report_option *out, bp_err *err) BP_CHECKED;
/*
 * The word for BP_ORIGIN_*: "default", "file", "application", "variable", or "?". [any thread]
 */
BP_API const char *bp_origin_name(uint32_t origin);
/* Rows of each kind; the functions below take an index under these. [any thread] */
BP_API uint32_t bp_report_provider_count(const bp_report *report);
BP_API uint32_t bp_report_node_count(const bp_report *report);
BP_API uint32_t bp_report_group_count(const bp_report *report);
/* Row i of its kind; the caller sets out->struct_size. BP_E_INVALID: there is none. [any thread] */
BP_API bp_rc bp_report_get_provider(const bp_report *report, uint32_t i, bp_report_provider *out,
                                    bp_err *err) BP_CHECKED;
BP_API bp_rc bp_report_get_node(const bp_report *report, uint32_t i, bp_report_node *out,
                                bp_err *err) BP_CHECKED;
/* Refusal j of node i. [any thread] */
BP_API bp_rc bp_report_get_refusal(const bp_report *report, uint32_t i, uint32_t j,
                                   bp_report_refusal *out, bp_err *err) BP_CHECKED;
BP_API bp_rc bp_report_get_group(const bp_report *report, uint32_t i, bp_report_group *out,
                                 bp_err *err) BP_CHECKED;
/*
 * Edge i of the graph: the name of a value that node *from makes and node *to reads. Either may be
 * BP_NONE, for an input or output of the model. NULL: end. Borrowed as long as the report.
 * [any thread]
 */
BP_API const char *bp_report_edge(const bp_report *report, uint32_t i, uint32_t *from,
                                  uint32_t *to);

/*
 * A value whose sizes or rank are not those that the model declares; the declared ones are ignored.
 */
typedef struct bp_report_mismatch {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *value;
    const char *path;                /* names of the nodes around it, "loop1/body"; "" at the top */
    const char *inferred, *declared; /* "float32[4]", "float32[batch,3]" */
} bp_report_mismatch;

/* One a value. Runs may add rows to a session's report: sizes known by then only. [any thread] */
BP_API uint32_t bp_report_mismatch_count(const bp_report *report);
/* Mismatch i; the caller sets out->struct_size. BP_E_INVALID: there is none. [any thread] */
BP_API bp_rc bp_report_get_mismatch(const bp_report *report, uint32_t i, bp_report_mismatch *out,
                                    bp_err *err) BP_CHECKED;

/*
 * A group that its provider does not run for some sizes (BP_E_SHAPE of frame_create): for them its
 * nodes run on the next providers that take them. One row for each group and each set of providers
 * that it went to, with the first sizes that were refused.
 */
typedef struct bp_report_refused_sizes {
    uint32_t struct_size;
    uint32_t provider; /* index of a provider row */
    uint32_t n_nodes;
    uint32_t reserved0;
    const char *node;  /* the first of them */
    const char *sizes; /* of the run's inputs, "x 1x3x224x224, mask 1x7" */
    const char *text;  /* the provider's words */
} bp_report_refused_sizes;

/* Runs add rows to a session's report. [any thread] */
BP_API uint32_t bp_report_refused_sizes_count(const bp_report *report);
/* Row i; the caller sets out->struct_size. Strings live as long as the report. BP_E_INVALID: there
   is none. [any thread] */
BP_API bp_rc bp_report_get_refused_sizes(const bp_report *report, uint32_t i,
                                         bp_report_refused_sizes *out, bp_err *err) BP_CHECKED;

/*
 * The whole report as JSON, which report.schema.json describes: JSON Schema, installed in
 * backplane/schema of the data directory. *out is the caller's, to bp_free(). BP_E_NOMEM.
 * [any thread]
 */
BP_API bp_rc bp_report_json(const bp_report *report, char **out, bp_err *err) BP_CHECKED;

enum {
    BP_EXPLAIN_TEXT = 0, /* for people: a row for each provider, with details below it */
    BP_EXPLAIN_JSON = 1  /* the same fields; explanation.schema.json describes them */
};

/*
 * Explains why a provider was not used, or not for all nodes: the stage that it reached, the
 * reason, what to do, its states (known, installed, loadable, usable), and its reasons for refusing
 * nodes, grouped, with counts and examples. `provider`: a name in any form; NULL: all. report: of a
 * session or a plan; NULL, or if it has no row of the provider: the provider is opened and only its
 * own state explained. format: BP_EXPLAIN_*. *out is the caller's, to bp_free(). BP_E_INVALID: an
 * unknown name; the message has the nearest. [any thread]
 */
BP_API bp_rc bp_explain(bp_env *env, const bp_report *report, const char *provider, uint32_t format,
                        char **out, bp_err *err) BP_CHECKED;

/*
 * Plans a model without compiling or running it: which provider takes which node, and why others
 * refused. Succeeds also if no provider takes some nodes; a session would fail, the report has them
 * without a provider. options NULL: the environment's defaults. *out is the caller's, to
 * bp_report_destroy(). Other errors are those of bp_session_create(). [any thread]
 */
BP_API bp_rc bp_plan_create(bp_env *env, bp_model *model, const bp_session_options *options,
                            bp_report **out, bp_err *err) BP_CHECKED;
BP_API void bp_report_destroy(bp_report *report); /* of bp_plan_create only */

/* ---- tensors --------------------------------------------------------------------------------- */

/*
 * Bytes that a dense tensor needs. BP_E_INVALID: negative or too large, or a type without fixed
 * size. [any thread]
 */
BP_API bp_rc bp_tensor_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out,
                             bp_err *err) BP_CHECKED;
/*
 * A zeroed tensor, whose base and dims are one block, to bp_tensor_free(). dims are copied.
 * BP_E_INVALID as bp_tensor_bytes(); BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_tensor_alloc(uint32_t dtype, const int64_t *dims, uint32_t rank, bp_tensor *out,
                             bp_err *err) BP_CHECKED;
/*
 * Frees what bp_tensor_alloc, bp_tensor_decode or a run allocated, and zeroes the tensor. Memory that
 * the caller brought is left alone. NULL is fine.
 */
BP_API void bp_tensor_free(bp_tensor *tensor);
/* 1: bp_tensor_free() frees its memory; 0: the memory is the caller's. [any thread] */
BP_API uint32_t bp_tensor_is_owned(const bp_tensor *tensor);
/*
 * A tensor of strings with copies of `texts`, one for each element that dims give, in row-major order;
 * NULL there is an empty string. base and dims are one block, to bp_tensor_free(). BP_E_INVALID as
 * bp_tensor_bytes(), or texts is NULL; BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_tensor_from_strings(const char *const *texts, const int64_t *dims, uint32_t rank,
                                    bp_tensor *out, bp_err *err) BP_CHECKED;
/*
 * Element i of a tensor of strings, in row-major order: its text, which need not end with a NUL, and its
 * bytes in *size (size may be NULL). NULL: there is no such element. Borrowed from the tensor.
 * [any thread]
 */
BP_API const char *bp_tensor_string(const bp_tensor *tensor, size_t i, size_t *size);
/*
 * Decodes an ONNX TensorProto into *out, to bp_tensor_free(). *name (name may be NULL) is its name,
 * to bp_free(). BP_E_INVALID: malformed. [any thread]
 */
BP_API bp_rc bp_tensor_decode(const void *bytes, size_t size, bp_tensor *out, char **name,
                              bp_err *err) BP_CHECKED;
/* Encodes an ONNX TensorProto of *size bytes; *out is the caller's, to bp_free(). [any thread] */
BP_API bp_rc bp_tensor_encode(const bp_tensor *tensor, const char *name, void **out, size_t *size,
                              bp_err *err) BP_CHECKED;
/*
 * Frees memory that a function of this header says is the caller's to bp_free(). NULL is fine.
 * [any thread]
 */
BP_API void bp_free(void *p);

/* ---- values of any kind ---------------------------------------------------------------------- */

/*
 * A tensor with its own memory, a sequence, an optional, a map or a sparse tensor. Never changes
 * once made, and counts its references, so that sequences share their items.
 *
 * This makes one of a copy of the tensor. [any thread]
 */
BP_API bp_rc bp_object_from_tensor(const bp_tensor *tensor, bp_object **out,
                                   bp_err *err) BP_CHECKED;
/*
 * A tensor of rank 0 with one element: int64, float32, bool (not 0: true), a string (copied up to its
 * NUL). For trip counts, conditions and the like: bp_binding.object takes it where a model has a
 * tensor. BP_E_INVALID: text is NULL; BP_E_NOMEM. [any thread]
 */
BP_API bp_rc bp_object_from_int64(int64_t value, bp_object **out, bp_err *err) BP_CHECKED;
BP_API bp_rc bp_object_from_float(float value, bp_object **out, bp_err *err) BP_CHECKED;
BP_API bp_rc bp_object_from_bool(uint32_t value, bp_object **out, bp_err *err) BP_CHECKED;
BP_API bp_rc bp_object_from_string(const char *text, bp_object **out, bp_err *err) BP_CHECKED;
/* n items of one type (n may be 0); adds a reference to each. [any thread] */
BP_API bp_rc bp_object_sequence(bp_object *const *items, uint32_t n, bp_object **out,
                                bp_err *err) BP_CHECKED;
/* item NULL: an optional without a value. [any thread] */
BP_API bp_rc bp_object_optional(bp_object *item, bp_object **out, bp_err *err) BP_CHECKED;
/*
 * keys: a tensor of rank 1, of integers or strings; values: a tensor of rank 1, or a sequence, of
 * as many. [any thread]
 */
BP_API bp_rc bp_object_map(bp_object *keys, bp_object *values, bp_object **out,
                           bp_err *err) BP_CHECKED;

/* Formats of the indices of a sparse tensor. */
enum {
    /* int64 indices: for each value its row-major offset, or its index in each dimension */
    BP_SPARSE_COO = 1,
    BP_SPARSE_CSR = 2,  /* a matrix: int64 column of each value, and offset of each row's first */
    BP_SPARSE_BLOCK = 4 /* int32 indices of blocks, whose layout the application defines */
};

/*
 * A sparse tensor of the type and sizes of `dense`, whose memory is not read. parts are tensors:
 * the values, as a list for COO and CSR, then their indices: one tensor, for CSR two, columns [n]
 * and rows [rows + 1]. BP_E_INVALID: an index is outside, or they do not belong together. CSR
 * without any value may have no rows either ([0]). [any thread]
 */
BP_API bp_rc bp_object_sparse(uint32_t format, const bp_tensor *dense, bp_object *const *parts,
                              uint32_t n_parts, bp_object **out, bp_err *err) BP_CHECKED;
/* BP_SPARSE_* of a sparse tensor; 0 of others. [any thread] */
BP_API uint32_t bp_object_format(const bp_object *object);
/*
 * Type and sizes of a sparse tensor as a tensor without memory, borrowed; NULL: it is none.
 * [any thread]
 */
BP_API const bp_tensor *bp_object_dense(const bp_object *object);

/* Adds a reference and returns the object; gives one back. NULL is fine. [any thread] */
BP_API bp_object *bp_object_retain(bp_object *object);
BP_API void bp_object_release(bp_object *object);
/* BP_KIND_*. [any thread] */
BP_API uint32_t bp_object_kind(const bp_object *object);
/*
 * Items of a sequence; 0 or 1 of an optional; 2 of a map, its keys and its values; 2 or 3 of a
 * sparse tensor, its parts; 0 of a tensor. [any thread]
 */
BP_API uint32_t bp_object_count(const bp_object *object);
/* Item i, borrowed; NULL: there is none. [any thread] */
BP_API bp_object *bp_object_item(const bp_object *object, uint32_t i);
/* The tensor, borrowed and not to be written to; NULL: it is none. [any thread] */
BP_API const bp_tensor *bp_object_tensor(const bp_object *object);
/*
 * Reads an ONNX TensorProto, SequenceProto, OptionalProto or MapProto: `kind` says which.
 * [any thread]
 */
BP_API bp_rc bp_object_decode(const void *bytes, size_t size, uint32_t kind, bp_object **out,
                              bp_err *err) BP_CHECKED;

#ifdef __cplusplus
}
#endif

/* Operators of the application's own: bp_operators_*, bp_session_options_add_operators. */
#include <backplane_operators.h>

#endif
