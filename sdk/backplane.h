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
 * than the bp_rc reads bp_err.detail (BP_DETAIL_*), not the sentence. On failure every `out` is NULL
 * or untouched and nothing is left half made.
 * Ownership: what a `create` or `open` returns is the caller's, to `destroy` or `close`; destroyers
 * take NULL. Returned const pointers are borrowed: "until ..." says for how long.
 * Threads: one object may be used by one thread at a time unless its comment says otherwise.
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

/* Threads, log, plug-ins and default providers of a program; ends with bp_env_destroy(). */
typedef struct bp_env bp_env;
/* Settings that sessions are created with; end with bp_session_options_destroy(). */
typedef struct bp_session_options bp_session_options;
/* A model that is ready to run; ends with bp_session_destroy(). */
typedef struct bp_session bp_session;
/* A model that was read and checked; ends with bp_model_close(). */
typedef struct bp_model bp_model;
/* Who runs what, and why; a session's is its own, others end with bp_report_destroy(). */
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

/* "0.1.0"; a constant. */
BP_API const char *bp_version(void);
/* "BP_E_SHAPE" for -6; never NULL. */
BP_API const char *bp_rc_name(bp_rc rc);
/* "float32" for BP_DTYPE_F32, "none" for what is no type; never NULL. */
BP_API const char *bp_dtype_name(uint32_t dtype);
/* BP_DTYPE_* for such a name, BP_DTYPE_NONE when there is none. */
BP_API uint32_t bp_dtype_from_name(const char *name);
/* Bits of one element: 4 for BP_DTYPE_I4; 0 for types without a fixed size. */
BP_API uint32_t bp_dtype_bits(uint32_t dtype);

/* ---- environment ----------------------------------------------------------------------------- */

/* Receives log lines; `text` has no newline and lives for the call. May come from any thread. */
typedef void (*bp_log_fn)(void *user, uint32_t level, const char *domain, const char *text);

/*
 * Asked about a plug-in's file that no allow list has, before anything of it runs: may it be
 * opened? A place to verify a signature that lies beside it. Below 0: no, and `err` may say why. It
 * must not call functions of the environment. [any thread, one at a time]
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

/* What a worker's thread does, from its first to its last moment. */
typedef void (*bp_worker_fn)(void *arg);

/*
 * Worker threads of a pool, all but the caller's: who makes them and where they run. Start from {0}
 * with struct_size set. All of them are made when the pool is, with its environment or session,
 * instead of at the first job that wants them.
 */
typedef struct bp_worker_config {
    uint32_t struct_size;
    /*
     * 0: workers run wherever the process may. Else the number of threads minus 1; it does not
     * count where that is 0. Processors that the process does not have are left out with a warning.
     */
    uint32_t n_affinities;
    const bp_processors *affinities; /* worker i's; copied */
    /*
     * Makes a thread that calls worker(arg) once and ends when that returns. *thread is the
     * application's, for join; NULL is fine. Below 0: the environment or the session is not made,
     * with these words; what was made before is joined. Neither a thread that was not made, nor one
     * that calls too late, does harm. Its affinity is left alone where `affinities` does not say
     * it. NULL: POSIX threads. [the thread that makes the pool, one call at a time]
     */
    bp_rc (*create)(void *user, bp_worker_fn worker, void *arg, void **thread, bp_err *err);
    /*
     * Waits for the end of such a thread, whose worker() is about to return, and frees it. Once for
     * each that was made; together with create, or not at all. An exception is a line of the log;
     * the pool then waits only until worker() has returned. [the thread that ends the pool, one
     * call at a time]
     */
    void (*join)(void *user, void *thread);
    void *user; /* for both; until the environment or the session is gone */
} bp_worker_config;

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
     * Where it is remembered from one process to the next what came of probes, so that good
     * plug-ins are not tried every time and bad ones no third time: the absolute path of a file,
     * "user" for one in the user's cache directory, "off" for none. NULL: as BACKPLANE_REGISTRY
     * says, else "off": nothing is written that nobody asked for. Never in programs with raised
     * privileges. What plug-ins say of themselves is kept in another file beside it, for lists.
     */
    const char *registry;
    /* BP_ALLOW_*; 0: as BACKPLANE_ALLOW and the installation say, else BP_ALLOW_OFF */
    uint32_t allow;
    uint32_t deps;         /* BP_DEPS_*; 0: as BACKPLANE_DEPS says, else BP_DEPS_ANY */
    const char *allow_dir; /* absolute; lists beside the installation's; NULL: none */
    bp_allow_fn allow_fn;  /* asked about a plug-in that no list has; NULL: it is not allowed */
    void *allow_user;
    const bp_worker_config *workers; /* of the pool; NULL: all defaults */
} bp_env_config;

/*
 * The allow list: which plug-ins' files may be opened. Lists are the files *.sum in
 * SYSCONFDIR/backplane/allow.d and in allow_dir; a line is the SHA-256 of a file, in 64 digits, and
 * the id that its manifest has to have. A file `mode` beside them, with the word off, warn or
 * enforce, is what the operator asks for. The strictest mode that anybody asks for counts; the user
 * can make it stricter only. Lists and modes that others may write to do not count, the mode then
 * being BP_ALLOW_ENFORCE.
 */
enum {
    BP_ALLOW_OFF = 1,
    BP_ALLOW_WARN = 2,   /* what is not listed is opened, with a warning in the log */
    BP_ALLOW_ENFORCE = 3 /* what is not listed is not opened, nor tried */
};

/*
 * What libraries a plug-in may bring in. They are found where the dynamic linker looks, which
 * variables like LD_LIBRARY_PATH can redirect. BP_DEPS_TRUSTED in a program with raised privileges
 * and with BP_ENV_HERMETIC, whatever is asked for.
 */
enum {
    BP_DEPS_ANY = 1,
    BP_DEPS_TRUSTED = 2 /* none that another user could have changed, as with plug-ins themselves */
};

/*
 * Plug-ins are tried in a process of their own before they are opened in this one: they are opened
 * there, greeted, and asked whether they are usable. One that crashes, takes too long, ends its
 * process, or leaves a thread, blocked signals or another directory behind is not opened here, and
 * its row says what it did.
 */
enum {
    BP_PROBE_AUTO = 1, /* all but CPU and what is open here already; without a helper none, and one
                            warning */
    BP_PROBE_ALWAYS = 2, /* CPU too, and nothing is opened that could not be tried */
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
 * config NULL: all defaults. Runs no plug-in code and probes no hardware. BP_E_INVALID also where
 * BACKPLANE_FALLBACK or BACKPLANE_PROVIDER_OPTIONS counts and is malformed.
 */
BP_API bp_rc bp_env_create(const bp_env_config *config, bp_env **out, bp_err *err) BP_CHECKED;
/*
 * After its sessions, models and options are gone; BP_E_INVALID leaves it alive while some are not.
 */
BP_API bp_rc bp_env_destroy(bp_env *env, bp_err *err);
/* Threads of the pool, the caller included. */
BP_API uint32_t bp_env_threads(const bp_env *env);

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

/* What a failure of a provider means to the application. What is recorded is always the same. */
enum {
    BP_FALLBACK_DEFAULT = 0, /* as set for the whole, at first BP_FALLBACK_WARN */
    BP_FALLBACK_SILENT = 1,  /* go on with the next provider */
    BP_FALLBACK_WARN = 2,    /* the same, with one log line that says who, why and what then */
    BP_FALLBACK_REQUIRE = 3  /* creating the session fails; so it does when no node was taken */
};

/*
 * An option: its name and its value as text. Both are copied by who is given them. Values are
 * written as a user would: "4", "true", "512M". The provider's schema says what they mean.
 *
 *     bp_key_value threads = {"threads", "4"};
 */
typedef struct bp_key_value {
    const char *key;
    const char *value;
} bp_key_value;

/*
 * Adds a default provider of the environment: later sessions have it after their own and before
 * CPU, unless they opt out. `name` as in bp_session_options_add_provider. [one thread at a time per
 * env]
 */
BP_API bp_rc bp_env_add_provider(bp_env *env, const char *name, const bp_key_value *options,
                                 uint32_t n_options, uint32_t fallback, bp_err *err) BP_CHECKED;

/*
 * Hands over a provider that is linked into the application (a static build, a test). The entry is
 * called at first use. It wins over plug-in files with the same name. Plug-ins that libtool's
 * -dlpreopen has linked in are there without this; see backplane-embed(1).
 */
BP_API bp_rc bp_env_add_entry(bp_env *env, const char *name, bp_entry_fn entry,
                              bp_err *err) BP_CHECKED;

/*
 * How far a provider has come; a report row names the stage at which it ended. Up to and with
 * BP_STAGE_QUARANTINE nothing of a plug-in is mapped and none of its code runs: its file alone is
 * read.
 */
enum {
    BP_STAGE_NONE = 0,     /* not tried */
    BP_STAGE_FOUND = 1,    /* is there such a file or entry? */
    BP_STAGE_SECURITY = 2, /* can nobody else have put or changed it, and is its file harmless? */
    BP_STAGE_MANIFEST = 3, /* has it a manifest that says what it is? See bp/manifest.h */
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
/* What a provider is to this process, each more than the one before. */
enum {
    BP_STATE_KNOWN = 1u << 0,     /* its name means something */
    BP_STATE_INSTALLED = 1u << 1, /* there is a file or an entry */
    BP_STATE_LOADABLE = 1u << 2,  /* it loads, with all that it needs, and we speak its version */
    BP_STATE_USABLE = 1u << 3     /* it says that it can work here and now */
};

/* "AVAILABLE" for BP_STAGE_AVAILABLE; never NULL. */
BP_API const char *bp_stage_name(uint32_t stage);
/* "NOT_CONSTANT" for BP_R_NOT_CONSTANT; never NULL. */
BP_API const char *bp_reason_name(uint32_t reason);

/* A provider as the environment knows it. Strings are borrowed until the next call on the env. */
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
    uint32_t states; /* BP_STATE_* */
    uint32_t reserved0;
} bp_provider_info;

/*
 * Providers found: linked-in ones, then files, then CPU; those of a kind in the order of
 * BACKPLANE_PROVIDERS, of the priority that the operator gives, of the plug-in's own, of their ids.
 * Then files that are not used because another holds the same provider, and those that were asked
 * for by a path outside of the search. Reads files, and opens none of them.
 */
BP_API bp_rc bp_env_provider_count(bp_env *env, uint32_t *out, bp_err *err) BP_CHECKED;
/*
 * Opens provider i and asks whether it is usable; what stands in the way is in the answer's reason.
 */
BP_API bp_rc bp_env_provider_info(bp_env *env, uint32_t i, bp_provider_info *out,
                                  bp_err *err) BP_CHECKED;
/*
 * The same as far as it is known without mapping or running anything of the plug-in. Where nothing
 * stands in the way up to then, the code is BP_OK and the stage below BP_STAGE_AVAILABLE.
 */
BP_API bp_rc bp_env_provider_peek(bp_env *env, uint32_t i, bp_provider_info *out,
                                  bp_err *err) BP_CHECKED;
/*
 * File j of those that opening provider i brought into this process: its own first, then libraries
 * that nothing here had loaded before. NULL: end, or it has not been opened. Borrowed for the life
 * of the process. [any thread]
 */
BP_API const char *bp_env_provider_library(bp_env *env, uint32_t i, uint32_t j);
/*
 * Tries all that were found and are still unknown in processes of their own, all at once, so that
 * asking for each of them does not do that one after the other; see BP_PROBE_AUTO. Takes no longer
 * than the slowest, which is bounded. BP_E_NOMEM.
 */
BP_API bp_rc bp_env_probe(bp_env *env, bp_err *err) BP_CHECKED;
/*
 * Forgets that the provider of this name has failed to stand a probe, here and in the registry
 * file; the next question tries it anew, and what its row said until then is void. Errors are those
 * of bp_env_find_provider().
 */
BP_API bp_rc bp_env_retry_provider(bp_env *env, const char *name, bp_err *err) BP_CHECKED;
/*
 * Device `device` of provider i, as the provider tells of it; bp_provider_info.n_devices says how
 * many there are. One that says nothing of its devices has the processor (kind BP_DEVICE_CPU), or
 * with memory of its own one of kind BP_DEVICE_OTHER. Strings are never NULL, and borrowed until
 * the env is destroyed. BP_E_INVALID: there is no such device; or why the provider is not usable.
 */
BP_API bp_rc bp_env_provider_device(bp_env *env, uint32_t i, uint32_t device, bp_device *out,
                                    bp_err *err) BP_CHECKED;
/* Index of the provider that a name means, in any form of bp_session_options_add_provider. */
BP_API bp_rc bp_env_find_provider(bp_env *env, const char *name, uint32_t *out,
                                  bp_err *err) BP_CHECKED;
/*
 * How ONNX Runtime writes a provider's name: "CPUExecutionProvider" for "cpu", and for "custom"
 * too, which runs operators of the application. Into buf, cut to its cap bytes; returns buf.
 */
BP_API const char *bp_provider_long_name(const char *name, char *buf, size_t cap);
/*
 * Is the provider of this name usable here and now? BP_OK, or why not in words. `name` in any of
 * the forms of bp_session_options_add_provider.
 */
BP_API bp_rc bp_env_is_available(bp_env *env, const char *name, bp_err *err) BP_CHECKED;
/*
 * Directory i of the search path, with why it counts ("environment variable ...") in *why; NULL:
 * end.
 */
BP_API const char *bp_env_provider_dir(bp_env *env, uint32_t i, const char **why);

/* Who has a provider of ONNX Runtime's world to bring: see bp_known_provider. */
enum {
    BP_HOME_HERE = 1,      /* Backplane, in this release or one to come */
    BP_HOME_ELSEWHERE = 2, /* its vendor; Backplane has none */
    BP_HOME_GONE = 3       /* nobody: it was withdrawn */
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
 * bp_provider_info; BP_STAGE_FOUND with BP_E_UNAVAILABLE if there is none. Name and note are
 * constants; other strings are borrowed until the next call on the env.
 */
typedef struct bp_known_provider {
    uint32_t struct_size;
    uint32_t home;    /* BP_HOME_* */
    uint32_t flags;   /* BP_KNOWN_* */
    uint32_t states;  /* BP_STATE_*; BP_STATE_KNOWN always */
    const char *name; /* short name */
    /* BP_HOME_ELSEWHERE: what it needs; BP_HOME_GONE: what took its place. NULL: nothing to tell */
    const char *note;
    uint32_t stage;
    bp_rc code;
    const char *file; /* NULL: linked in, or none found */
    const char *reason, *fix;
} bp_known_provider;

/*
 * Known provider i, in an order that stays; those at home here come first. Looks for files and
 * reads what they say of themselves, and opens none: one that was not opened before is neither
 * usable nor unusable yet, code BP_OK with a stage below BP_STAGE_AVAILABLE. BP_E_INVALID: there is
 * none of that index, the end; or struct_size is not set. [any thread]
 */
BP_API bp_rc bp_env_known_provider(bp_env *env, uint32_t i, bp_known_provider *out,
                                   bp_err *err) BP_CHECKED;

/* bp_operator_info.flags. */
enum {
    BP_OPERATOR_HOST = 1u << 0 /* the host runs it: no provider is asked */
};

/*
 * What a provider takes of one version of an operator, in inputs and outputs of one element type.
 */
typedef struct bp_operator_info {
    uint32_t struct_size;
    uint32_t flags;        /* BP_OPERATOR_* */
    uint32_t since, until; /* versions of the domain that have it; until 0: up to the newest */
    const char *op, *domain;
    const char *params; /* "X, Y": inputs and outputs that share the type; NULL: a host operator */
    uint64_t types, taken; /* bits 1 << BP_DTYPE_*: that ONNX allows, that the provider takes */
    uint64_t conditional;  /* others, which it refused for an attribute or a shape, not the type */
    uint32_t family;       /* for bp_operator_family() */
    uint32_t reserved0;    /* 0 */
} bp_operator_info;

/* Gets rows in the order of domain, operator and version; a row is valid for the call. */
typedef void (*bp_operator_fn)(void *user, const bp_operator_info *row);

/*
 * Finds out what provider i takes of every version of every operator that is known here, by asking
 * it about nodes made up for that, with attributes as by default: what depends on shapes or
 * attributes, a plan of a model tells. The provider has its default options.
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

/* Lives apart from the env; one may serve many sessions. */
BP_API bp_rc bp_session_options_create(bp_session_options **out, bp_err *err) BP_CHECKED;
/* Sessions made with them go on. NULL is fine. */
BP_API void bp_session_options_destroy(bp_session_options *options);

/*
 * Appends a provider to the ordered list. `name`: short ("dnnl"), ONNX Runtime's
 * ("DnnlExecutionProvider") in any case, an id ("org.backplane.dnnl"), or the absolute path of a
 * plug-in file. A key that begins with ? may be one that the provider does not have (one of a newer
 * version) and is passed over then. A key twice, or a provider twice, is BP_E_INVALID here; the
 * rest is checked when the session is made: a name that nobody knows and a wrong option are errors
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
BP_API bp_rc bp_session_options_register(bp_session_options *options, bp_env *env, const char *name,
                                         const bp_key_value *kv, uint32_t n_kv, uint32_t fallback,
                                         bp_err *err) BP_CHECKED;
/*
 * Which of its devices a provider that was added is to use, as bp_env_provider_device counts them;
 * n_devices 0, as at first, leaves the choice to it. The array is copied. BP_E_INVALID: no such
 * provider in the list, or a device twice; one that the provider does not have is an error when the
 * session is made.
 */
BP_API bp_rc bp_session_options_set_devices(bp_session_options *options, const char *name,
                                            const uint32_t *devices, uint32_t n_devices,
                                            bp_err *err) BP_CHECKED;
/* Policy of providers that were added with BP_FALLBACK_DEFAULT. */
BP_API bp_rc bp_session_options_set_fallback(bp_session_options *options, uint32_t fallback,
                                             bp_err *err) BP_CHECKED;
/*
 * Strict: SILENT and WARN count as REQUIRE for every provider that the session or the environment
 * names. on 0 switches it off again, but not where the environment is strict (BP_ENV_STRICT or
 * BACKPLANE_STRICT=1).
 */
BP_API void bp_session_options_set_strict(bp_session_options *options, uint32_t on);
/*
 * Sizes and ranks that a model declares of its values are hints: where what is inferred, or made by
 * a run, is another, that counts, and the difference is told once a value, as a warning and in the
 * report (bp_report_get_mismatch). With strict shapes it is an error (BP_E_SHAPE), when the
 * session is made or at the run that shows it. Another element type is always one. This has nothing
 * to do with bp_session_options_set_strict(), which is about providers.
 */
BP_API void bp_session_options_set_strict_shapes(bp_session_options *options, uint32_t on);
/*
 * Models that import an operator set newer than the newest that is known here are refused
 * (BP_E_VERSION), as their operators may mean something else by then. on: they run as if they
 * imported the newest, and their nodes may have attributes that are not known, which do nothing.
 */
BP_API void bp_session_options_set_newer_opsets(bp_session_options *options, uint32_t on);
/*
 * A provider that was added is to get at least this share (0..1) of the nodes that providers run,
 * counted as they run: a fused node is one. With less it has failed, and its policy says what that
 * means. It is named in any spelling; BP_E_INVALID: it is not in the list, or share is out of
 * range. 0: any node will do.
 */
BP_API bp_rc bp_session_options_set_min_share(bp_session_options *options, const char *name,
                                              double share, bp_err *err) BP_CHECKED;
/*
 * Appends a placement rule, "[name:|op:|path:]PATTERN=[!]PROVIDER": nodes whose name, operator
 * ("Conv", "com.example.Conv") or path (the names of the nodes around it, and all below:
 * "loop1/then") match the pattern, which may have *, ? and [] as in a shell, go to that provider
 * before all others, or with ! never to it. Without a prefix it is a name. Where more than one rule
 * names a provider for a node, the first counts; every ! counts. A node that its provider refuses
 * goes on down the list. BP_E_INVALID: no such rule. When a session is made, a provider that nobody
 * knows is BP_E_OPTION; a rule that matches no node, or names a provider that is not in the list,
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
/* Leaves out the environment's default providers. */
BP_API void bp_session_options_ignore_env_providers(bp_session_options *options);
/* Threads of the env's pool that runs of the session use; 0: all. */
BP_API void bp_session_options_set_threads(bp_session_options *options, uint32_t threads);
/*
 * Sessions get a pool of their own with such workers, as wide as bp_session_options_set_threads()
 * says, or as the environment's; it stays as it is when providers are set anew. NULL: the
 * environment's pool. The config is copied. BP_E_INVALID: it makes no sense. Plans and optimized
 * models that are made from the options use the environment's.
 */
BP_API bp_rc bp_session_options_set_workers(bp_session_options *options,
                                            const bp_worker_config *config, bp_err *err) BP_CHECKED;
/*
 * Lines about a session, and of its providers, go to this function instead of the environment's, up
 * to that level (0: BP_LOG_WARN). fn NULL: the environment's. `user` has to stay until the session
 * is gone. What providers are found and opened goes to the environment's in any case.
 */
BP_API void bp_session_options_set_log(bp_session_options *options, bp_log_fn fn, void *user,
                                       uint32_t level);

/*
 * How far a session may change the graph before it runs: each level has the passes of those before
 * it. Names of inputs and outputs stay, and so do results, to the bit or within the roundings of
 * another order of the same arithmetic (the report's passes say which). Operators of the
 * application and nodes that placement rules speak of are left as they are.
 */
enum {
    BP_OPTIMIZE_DEFAULT = 0, /* what has proved itself: now that of EXTENDED */
    BP_OPTIMIZE_NONE = 1,    /* the graph runs as the model has it */
    BP_OPTIMIZE_BASIC = 2, /* ONNX's operators stay: constants are folded, nodes dropped, merged */
    BP_OPTIMIZE_EXTENDED = 3, /* nodes of one provider become fused operators that it takes too */
    BP_OPTIMIZE_LAYOUT = 4    /* what pays on some providers alone: quantised operators on cpu */
};
/* BP_E_INVALID: no such level. */
BP_API bp_rc bp_session_options_set_optimization(bp_session_options *options, uint32_t level,
                                                 bp_err *err) BP_CHECKED;
/*
 * Leaves out one pass by its name ("fold-norm"). BP_E_INVALID: none has it; the error has them all.
 */
BP_API bp_rc bp_session_options_disable_pass(bp_session_options *options, const char *name,
                                             bp_err *err) BP_CHECKED;
/*
 * Name of pass i in the order in which they run, or NULL; level (BP_OPTIMIZE_*) and help may be
 * NULL.
 */
BP_API const char *bp_optimization_pass(uint32_t i, uint32_t *level, const char **help);

/*
 * Told about each phase of a long creation: "read", "infer", ...; fraction 0..1 within the whole.
 */
typedef void (*bp_progress_fn)(void *user, const char *phase, double fraction);
/* Sets that function; NULL: nobody is told. `user` is borrowed until sessions are created. */
BP_API void bp_session_options_set_progress(bp_session_options *options, bp_progress_fn fn,
                                            void *user);

/* ---- models ---------------------------------------------------------------------------------- */

/* What a value is. */
enum {
    BP_KIND_TENSOR = 0,
    BP_KIND_SEQUENCE = 1, /* of values of one type */
    BP_KIND_OPTIONAL = 2, /* a value, or none */
    BP_KIND_MAP = 3,      /* from integers or strings to values of one type */
    BP_KIND_SPARSE = 4,   /* a tensor of which only some elements are stored, the rest is 0 */
    BP_KIND_END = 5
};

/*
 * The type of a value. Borrowed like what it was got from. A sequence of tensors is two rows, of
 * which the first has the kind BP_KIND_SEQUENCE and the second, its item, the kind BP_KIND_TENSOR.
 */
typedef struct bp_type_info {
    uint32_t kind;  /* BP_KIND_* */
    uint32_t dtype; /* of a tensor's elements or a map's keys; NONE: not said */
    /* of a sequence, optional or map; the tensor that a sparse one stands for; NULL: not said */
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
    BP_IO_SPARSE = 1u << 1    /* an output that is a sparse constant of the model; it comes dense */
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
 * What a model says of itself. Strings are borrowed until it is closed; the numbers n_* are what the
 * functions with an index below accept.
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

/* Reads structure and checks it; needs no provider. Weights stay in the file. ONNX, or ONNX Runtime's own
 * format (.ort), told by the bytes. */
BP_API bp_rc bp_model_open(bp_env *env, const char *path, bp_model **out, bp_err *err) BP_CHECKED;
/* The same from memory, which must outlive the model and its sessions. `dir` (may be NULL) is where
 * external data lies; without it external data is refused. */
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
    BP_WEIGHT_EXTERNAL = 1u << 1 /* an error when the model has the initializer's data in itself */
};

/* A file of external data that is in memory: `name` is what the model calls it. */
typedef struct bp_model_file {
    const char *name;
    const void *bytes;
    size_t size;
} bp_model_file;

/*
 * Where a model comes from. Start from {0} with struct_size set. Nothing is copied: bytes, tensors,
 * files and edits, though not the arrays and their names, must stay as they are until the model and
 * its sessions are gone.
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
} bp_model_source;

/*
 * As bp_model_open, with all that may come in from outside. BP_E_OPTION names a weight that does
 * not fit.
 */
BP_API bp_rc bp_model_open_source(bp_env *env, const bp_model_source *source, bp_model **out,
                                  bp_err *err) BP_CHECKED;
BP_API void bp_model_close(bp_model *model); /* sessions made from it live on */

/* An initializer, as bp_model_save tells of it; valid for the call. */
typedef struct bp_weight_info {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *name;
    bp_tensor tensor; /* only to be read; base may be unaligned */
    const char *file; /* the external file that it lies in; NULL: within the model, or given */
    uint64_t offset;  /* in that file */
} bp_weight_info;

/* What takes a model that is saved. Start from {0} with struct_size set. */
typedef struct bp_model_sink {
    uint32_t struct_size;
    uint32_t format; /* BP_MODEL_FORMAT_* */
    void *user;
    /*
     * Says where an initializer goes: *file, borrowed until the next call, is the name that the
     * saved model has for the file, and *offset where in it the bytes are, which the function has
     * put there. *file is NULL at first: within the model. NULL function: all go within. Not asked
     * for strings, which cannot be outside.
     */
    bp_rc (*place)(void *user, const bp_weight_info *weight, const char **file, uint64_t *offset,
                   bp_err *err);
    /* told the size once all are placed; NULL is fine */
    bp_rc (*begin)(void *user, uint64_t size, bp_err *err);
    bp_rc (*write)(void *user, const void *bytes, size_t size, bp_err *err); /* in order */
} bp_model_sink;

/*
 * Writes the model as it was opened: with given weights and edits, and with everything that the
 * host itself does not read. External data that no `place` puts elsewhere comes within.
 * BP_E_INVALID: it would be over 2 GiB, where protobuf ends. BP_E_IO: external data is missing.
 * What the sink's functions return ends it.
 *
 * In ONNX Runtime's own format all data comes within (`place` is not asked), functions are put in
 * place of their calls, Constant nodes become initializers, and what the host does not read is left
 * out. BP_E_UNSUPPORTED: the format cannot say something of the model; the words name it.
 */
BP_API bp_rc bp_model_save(const bp_model *model, const bp_model_sink *sink,
                           bp_err *err) BP_CHECKED;

enum {
    /*
     * Initializers that are inputs as well stay so, and nothing is computed from them in advance.
     * Without it they become constants: inputs of the new model no more.
     */
    BP_OPTIMIZE_KEEP_DEFAULTS = 1u << 0
};

/*
 * A model with the graph that a session would run: after the passes of the options' level, for
 * their providers, without functions (their nodes are in place of the calls) and without Constant
 * nodes. It is a model like others, to be saved, planned or run; `model` may be closed, its weights
 * are shared. Inputs, outputs, names of values and metadata stay. Providers only say what they
 * would take: nothing is compiled, and nodes that none takes are no error. Fused operators are of
 * domains that ONNX Runtime has too, "" and com.microsoft. options NULL: the environment's
 * defaults. *out is the caller's, to close; *report (report may be NULL) to bp_report_destroy():
 * what the passes did, and who takes what. BP_E_UNSUPPORTED: functions bring versions of operators
 * that no one version of their set has.
 */
BP_API bp_rc bp_model_optimize(bp_env *env, bp_model *model, const bp_session_options *options,
                               uint32_t flags, bp_model **out, bp_report **report,
                               bp_err *err) BP_CHECKED;
/* The caller sets out->struct_size. [any thread, as the next five] */
BP_API bp_rc bp_model_get_info(const bp_model *model, bp_model_info *out, bp_err *err) BP_CHECKED;
/* Input or output i of the main graph, as the model declares it. BP_E_INVALID: there is none. */
BP_API bp_rc bp_model_input(const bp_model *model, uint32_t i, bp_io_info *out,
                            bp_err *err) BP_CHECKED;
BP_API bp_rc bp_model_output(const bp_model *model, uint32_t i, bp_io_info *out,
                             bp_err *err) BP_CHECKED;
/* Operators in use, sorted by domain, name and version. */
BP_API bp_rc bp_model_op(const bp_model *model, uint32_t i, bp_op_info *out,
                         bp_err *err) BP_CHECKED;
/* Imported operator set i: its domain ("" is ai.onnx) and version. NULL: end. */
BP_API const char *bp_model_opset(const bp_model *model, uint32_t i, int64_t *version);
/* Metadata entry i: its key, and its value in *value. NULL: end. */
BP_API const char *bp_model_metadata(const bp_model *model, uint32_t i, const char **value);
/* External data file i, relative to the model's directory. NULL: end. */
BP_API const char *bp_model_external(const bp_model *model, uint32_t i);

/* ---- sessions -------------------------------------------------------------------------------- */

/*
 * Makes the model of `path` ready: read, understood, claimed by the providers in order, compiled.
 * options NULL: the environment's defaults.
 */
BP_API bp_rc bp_session_create(bp_env *env, const char *path, const bp_session_options *options,
                               bp_session **out, bp_err *err) BP_CHECKED;
/* The same of a model that was opened; the session lives on when that is closed. */
BP_API bp_rc bp_session_create_from_model(bp_env *env, bp_model *model,
                                          const bp_session_options *options, bp_session **out,
                                          bp_err *err) BP_CHECKED;
/* Waits for runs in flight. */
BP_API void bp_session_destroy(bp_session *session);

/*
 * Inputs that must or may be fed (initializers with a default come after the others), and outputs.
 */
BP_API uint32_t bp_session_input_count(const bp_session *session);
BP_API uint32_t bp_session_output_count(const bp_session *session);
/* Input or output i, borrowed until the session is destroyed. BP_E_INVALID: there is none. */
BP_API bp_rc bp_session_input(const bp_session *session, uint32_t i, bp_io_info *out,
                              bp_err *err) BP_CHECKED;
BP_API bp_rc bp_session_output(const bp_session *session, uint32_t i, bp_io_info *out,
                               bp_err *err) BP_CHECKED;
/* Index of an input or output by name; BP_E_INVALID names the nearest. */
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
    uint32_t reserved0; /* the library's own during a run */
    bp_tensor tensor;
    bp_object *object; /* NULL, or the value instead of `tensor` */
} bp_binding;

typedef struct bp_profile bp_profile; /* what runs did and when; see below */

/* Start from {0} with struct_size set; zeroes are the defaults. */
typedef struct bp_run_options {
    uint32_t struct_size;
    uint32_t flags;
    /*
     * May be NULL; non-zero stops the run with BP_E_CANCELLED. Any thread may store to it,
     * atomically.
     */
    const volatile uint32_t *cancel;
    int64_t timeout_ns;  /* 0: none; BP_E_TIMEOUT */
    bp_profile *profile; /* NULL: nothing is measured; else the run is written there */
} bp_run_options;

/*
 * One run. Any number of threads may run one session at once. After the first runs with given
 * shapes and the caller's buffers it allocates nothing. Inputs: base, bytes, dims, rank and dtype
 * are set by the caller; the memory is only read. Outputs: with a base, the result goes there:
 * `bytes` is the capacity, `dims` must have `rank` entries to be filled (BP_E_SHAPE says what is
 * needed when either is too small). With base NULL, base and dims are allocated: bp_tensor_free()
 * them. dtype is filled in either way. Both may lie at any address: what is not aligned for its
 * elements is copied, through memory that stays with the session. A tensor of strings needs bytes
 * for its spans and, behind them, for their text. An output that is no tensor is put into `object`,
 * which is the caller's to bp_object_release(); `object` is NULL for others. options may be NULL.
 *
 * An input that is declared as a scalar may have any shape, which it keeps. Inputs that no wanted
 * output needs may be left out. The first run of either kind takes as long as making the session;
 * up to 16 such sets of inputs are remembered, then it is BP_E_UNSUPPORTED.
 */
BP_API bp_rc bp_session_run(bp_session *session, const bp_binding *inputs, uint32_t n_inputs,
                            bp_binding *outputs, uint32_t n_outputs, const bp_run_options *options,
                            bp_err *err) BP_CHECKED;

/*
 * Sets the provider list anew, as if the session had been made with it: inputs, outputs and their
 * indices stay. No run may be in flight. On failure the session is as before.
 */
BP_API bp_rc bp_session_set_providers(bp_session *session, const bp_session_options *options,
                                      bp_err *err) BP_CHECKED;
/* Providers of the session, highest priority first, CPU last. NULL: end. Until set_providers. */
BP_API const char *bp_session_provider(const bp_session *session, uint32_t i);
/*
 * Effective option j of provider i, defaults included: key, with value in *value, "(secret)" for
 * one that is. NULL: end. Until the option is changed.
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
/* Where every node went and why. Until set_providers or destroy. */
BP_API const bp_report *bp_session_report(const bp_session *session);

/* Counters of a session. */
typedef struct bp_session_stats {
    uint32_t struct_size;
    uint32_t n_groups;    /* programs, those in subgraphs included */
    uint64_t runs;        /* finished */
    uint64_t crossings;   /* calls of a provider's execute */
    uint64_t frames;      /* states of runs that wait for the next runs */
    uint64_t arena_bytes; /* host memory in these: pooled */
    uint64_t create_ns;   /* wall time of creation */
    /*
     * Host memory of all such states, those of runs in flight too: their arenas, and outputs whose
     * sizes come with the data; without those of loops' rounds. Now, so that held_bytes -
     * arena_bytes is in use; and the most that there ever was. Weights are not in it.
     */
    uint64_t held_bytes, peak_bytes;
    uint64_t device_bytes; /* of providers' own memory, in all frames; weights are not counted */
} bp_session_stats;
/* The counters as they are now; the caller sets out->struct_size. [any thread] */
BP_API bp_rc bp_session_get_stats(const bp_session *session, bp_session_stats *out,
                                  bp_err *err) BP_CHECKED;
/*
 * Memory of a session's states of runs by whom it serves, as bp_session_stats has it for all.
 * Weights are not in it. An arena serves the groups of all providers: each is charged with its part
 * of it by what it asked for, so that host memory of all rows adds up to that of the session.
 */
typedef struct bp_memory_use {
    uint32_t struct_size;
    uint32_t reserved0;
    const char *provider; /* as bp_session_provider() has it; NULL: what the host runs itself */
    uint64_t held_bytes, pooled_bytes, peak_bytes; /* host memory; pooled: of idle states */
    uint64_t own_held_bytes, own_pooled_bytes, own_peak_bytes; /* the same in its own memory */
} bp_memory_use;
/*
 * Row i: the providers in the order of bp_session_provider(), then the host. BP_E_INVALID: there is
 * none. [as bp_session_get_stats]
 */
BP_API bp_rc bp_session_get_memory(const bp_session *session, uint32_t i, bp_memory_use *out,
                                   bp_err *err) BP_CHECKED;
/*
 * Gives back the memory that waits for the next runs, which then are prepared anew, once: for a
 * session that rests, or after a run with unusually large shapes. Runs in flight keep theirs until
 * they end. *freed (NULL is fine): its bytes of host memory. [any thread, but not with
 * bp_session_set_providers]
 */
BP_API bp_rc bp_session_trim(bp_session *session, uint64_t *freed, bp_err *err);

/*
 * ---- profiles ---------------------------------------------------------------------------------
 */

/* What an event of a profile is about. */
enum {
    BP_PROFILE_SPAN = 0,  /* what the application timed, see bp_profile_add */
    BP_PROFILE_NODE = 1,  /* one node; or a group whose provider measures no single nodes */
    BP_PROFILE_GROUP = 2, /* one call of a provider's execute */
    BP_PROFILE_RUN = 3    /* one bp_session_run, from its first check to its last output */
};

/* Strings are borrowed until the profile is destroyed. */
typedef struct bp_profile_event {
    uint32_t struct_size;
    uint32_t kind;            /* BP_PROFILE_* */
    int64_t start_ns, end_ns; /* on CLOCK_MONOTONIC */
    uint64_t run_id;          /* counts the runs of a session; 0 for spans */
    const char *name;         /* of the node, or of the group's first; "model_run" for a run */
    const char *op;       /* operator type, "Group" for several nodes; NULL for runs and spans */
    const char *provider; /* short name; NULL: the host itself */
    uint32_t node;        /* index of the (first) node in its graph, or BP_NONE */
    uint32_t n_nodes;     /* nodes that it covers; 0 for runs and spans */
    uint32_t thread;      /* number of the thread, as the system counts */
    uint32_t reserved0;
} bp_profile_event;

/*
 * A record of the last `capacity` events (0: 65536; at most 16777216): when it is full, new ones
 * replace the oldest. Runs that are given it in bp_run_options write to it, any number of them at
 * once; others are not slowed down. In a run, nodes come in the order in which they ended, then
 * their group, at last the run. It outlives sessions.
 */
BP_API bp_rc bp_profile_create(uint32_t capacity, bp_profile **out, bp_err *err) BP_CHECKED;
BP_API void bp_profile_destroy(bp_profile *profile); /* no run may be writing; NULL is fine */
/* A span of the application's own, such as reading a model. `name` is copied. [any thread] */
BP_API bp_rc bp_profile_add(bp_profile *profile, const char *name, int64_t start_ns, int64_t end_ns,
                            bp_err *err) BP_CHECKED;
/* Events that are there. [any thread, as the next three] */
BP_API uint32_t bp_profile_count(const bp_profile *profile);
/* Events that were replaced or not recorded. */
BP_API uint64_t bp_profile_dropped(const bp_profile *profile);
/* Event i, the oldest first. */
BP_API bp_rc bp_profile_get(const bp_profile *profile, uint32_t i, bp_profile_event *out,
                            bp_err *err) BP_CHECKED;
/*
 * All events as JSON in the trace format of browsers, with categories, names and arguments as ONNX
 * Runtime's profiles have them, so that tools for those read it. *out is the caller's, to
 * bp_free().
 */
BP_API bp_rc bp_profile_json(const bp_profile *profile, char **out, bp_err *err) BP_CHECKED;

/* ---- the report ------------------------------------------------------------------------------ */

/*
 * What a provider with memory of its own reckons that a plan takes. Sizes that only a run knows
 * leave memory and times unknown.
 */
enum {
    BP_ESTIMATED_WEIGHTS = 1u << 0,
    BP_ESTIMATED_MEMORY = 1u << 1,
    BP_ESTIMATED_TIME = 1u << 2,
    BP_ESTIMATED_COPIES = 1u << 3,
    BP_ESTIMATED_SIMULATED = 1u << 4 /* its times are a simulation's */
};

/* A provider of the list: how far it came and what it got. Strings live as long as the report. */
typedef struct bp_report_provider {
    uint32_t struct_size;
    uint32_t stage;                    /* BP_STAGE_*: how far it came; BP_STAGE_RUN: in use */
    bp_rc code;                        /* BP_OK, or what stopped it */
    uint32_t fallback;                 /* BP_FALLBACK_*, in force */
    const char *name, *version, *file; /* version and file may be NULL */
    const char *reason, *fix;          /* may be NULL */
    uint32_t n_claimed;                /* nodes it would have taken */
    uint32_t n_nodes;                  /* nodes it got */
    uint32_t n_groups;
    uint32_t states;   /* BP_STATE_* */
    uint32_t n_costly; /* nodes it takes, but that the host gave to others as it would be slower */
    /* of a plan, where the provider estimates; of all its groups, those in subgraphs once each */
    uint32_t known;         /* BP_ESTIMATED_*: which of these are */
    uint64_t weight_bytes;  /* on the device for as long as the session lives */
    uint64_t peak_bytes;    /* on the device at most: these, and the values of a run */
    double run_ns, copy_ns; /* a run: on the device, and of copies between memories */
} bp_report_provider;

/* A node of the graph as it runs: who runs it. Strings live as long as the report. */
typedef struct bp_report_node {
    uint32_t struct_size;
    /* index of a provider row; BP_NONE: run by the host (control flow), or nobody */
    uint32_t provider;
    uint32_t group; /* index of a group row, or BP_NONE */
    uint32_t n_refusals;
    const char *name, *op, *domain;
    const char *path;       /* names of the nodes around it, "loop1/then"; "" at the top */
    const char *rule;       /* the placement rule that decided; NULL: none spoke of it */
    const char *stands_for; /* the model's nodes that passes made it of, "conv1, relu1"; or NULL */
} bp_report_node;

/* Why a provider that came before did not get the node. */
typedef struct bp_report_refusal {
    uint32_t struct_size;
    uint32_t provider; /* index of a provider row */
    uint32_t reason;   /* BP_R_* */
    uint32_t reserved0;
    const char *subject, *text; /* may be NULL */
} bp_report_refusal;

/* A group: nodes that one provider compiled together. Strings live as long as the report. */
typedef struct bp_report_group {
    uint32_t struct_size;
    uint32_t provider;
    uint32_t n_nodes;
    uint32_t n_inputs, n_outputs; /* values that cross its edge, constants not counted */
    uint32_t n_copies;            /* of those, copied between memory spaces */
    uint64_t copy_bytes;          /* a run, where sizes are known */
    const char *path;
    /* of a plan, where the provider reckons */
    uint32_t known; /* BP_ESTIMATED_*: which of these are */
    uint32_t reserved0;
    uint64_t weight_bytes;  /* on the device for as long as the session lives */
    uint64_t run_bytes;     /* more while it runs: its inputs, its outputs and what is between */
    double run_ns, copy_ns; /* a run: on the device, and of its copies between memories */
} bp_report_group;

/* A pass over the graph and its subgraphs, before providers compile them. */
typedef struct bp_report_pass {
    uint32_t struct_size;
    uint32_t level;    /* BP_OPTIMIZE_*, the lowest that runs it */
    uint32_t is_exact; /* results keep every bit */
    uint32_t n_matches;
    uint32_t n_before, n_after; /* nodes of all graphs, but for what other passes took */
    uint64_t ns;
    const char *name, *help;
} bp_report_pass;

/* Who an option's value is from; each goes over those before it. */
enum {
    BP_ORIGIN_DEFAULT = 0,     /* the provider itself */
    BP_ORIGIN_FILE = 1,        /* a conf file beside the plug-in, of who installed it */
    BP_ORIGIN_APPLICATION = 2, /* session or environment options of the program */
    BP_ORIGIN_VARIABLE = 3     /* BACKPLANE_PROVIDER_OPTIONS, of who runs the program */
};

/* An option that a provider was created with. */
typedef struct bp_report_option {
    uint32_t struct_size;
    uint32_t origin;         /* BP_ORIGIN_* */
    const char *key, *value; /* the value is "(secret)" for one that is */
} bp_report_option;

BP_API uint32_t bp_report_pass_count(const bp_report *report); /* those that ran */
BP_API bp_rc bp_report_get_pass(const bp_report *report, uint32_t i, bp_report_pass *out,
                                bp_err *err) BP_CHECKED;
/*
 * Options of a provider's row, defaults included, as they were when the session was made; none
 * where it came no further than BP_STAGE_OPTIONS. Strings live as long as the report. BP_E_INVALID:
 * there is no such provider or option.
 */
BP_API uint32_t bp_report_option_count(const bp_report *report, uint32_t provider);
BP_API bp_rc bp_report_get_option(const bp_report *report, uint32_t provider, uint32_t j,
                                  bp_report_option *out, bp_err *err) BP_CHECKED;
/* "default", "file", "application", "variable"; "?" for other numbers. */
BP_API const char *bp_origin_name(uint32_t origin);
/* Rows of each kind; the functions below take an index under these. [any thread] */
BP_API uint32_t bp_report_provider_count(const bp_report *report);
BP_API uint32_t bp_report_node_count(const bp_report *report);
BP_API uint32_t bp_report_group_count(const bp_report *report);
/* Row i of its kind; the caller sets out->struct_size. BP_E_INVALID: there is none. */
BP_API bp_rc bp_report_get_provider(const bp_report *report, uint32_t i, bp_report_provider *out,
                                    bp_err *err) BP_CHECKED;
BP_API bp_rc bp_report_get_node(const bp_report *report, uint32_t i, bp_report_node *out,
                                bp_err *err) BP_CHECKED;
/* Refusal j of node i. */
BP_API bp_rc bp_report_get_refusal(const bp_report *report, uint32_t i, uint32_t j,
                                   bp_report_refusal *out, bp_err *err) BP_CHECKED;
BP_API bp_rc bp_report_get_group(const bp_report *report, uint32_t i, bp_report_group *out,
                                 bp_err *err) BP_CHECKED;
/* Values between nodes: edge i runs from node *from to node *to through value `name`; either end may be
 * BP_NONE (an input or output of the model). NULL: end. */
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
/* Mismatch i; the caller sets out->struct_size. BP_E_INVALID: there is none. */
BP_API bp_rc bp_report_get_mismatch(const bp_report *report, uint32_t i, bp_report_mismatch *out,
                                    bp_err *err) BP_CHECKED;

/* The whole as JSON; *out is the caller's, to bp_free(). */
BP_API bp_rc bp_report_json(const bp_report *report, char **out, bp_err *err) BP_CHECKED;

enum {
    BP_EXPLAIN_TEXT = 0, /* for people: a row a provider, with lines that belong to it below */
    BP_EXPLAIN_JSON = 1  /* the same fields */
};

/*
 * Why was a provider not used, or not for all? `provider` in any spelling, or NULL for all of them:
 * the stage at which it ended, why, what to do, what it is (known, installed, loadable, usable),
 * and the reasons for which it refused nodes, equal ones together, with how many they are and
 * examples. With a report, of a session or a plan, this is about that; without one (NULL), or for a
 * provider that it has no row of, about the provider alone, which is opened. *out is the caller's,
 * to bp_free(). BP_E_INVALID: nobody knows the provider (names the nearest).
 */
BP_API bp_rc bp_explain(bp_env *env, const bp_report *report, const char *provider, uint32_t format,
                        char **out, bp_err *err) BP_CHECKED;

/*
 * Plans a model without compiling or running it: who would take which node, and why not the others.
 * Succeeds also where a session would fail for want of operators; the report then has nodes that
 * nobody takes.
 */
BP_API bp_rc bp_plan_create(bp_env *env, bp_model *model, const bp_session_options *options,
                            bp_report **out, bp_err *err) BP_CHECKED;
BP_API void bp_report_destroy(bp_report *report); /* of bp_plan_create only */

/* ---- tensors --------------------------------------------------------------------------------- */

/*
 * Bytes that a dense tensor needs. BP_E_INVALID: negative or too large, or a type without fixed
 * size.
 */
BP_API bp_rc bp_tensor_bytes(uint32_t dtype, const int64_t *dims, uint32_t rank, size_t *out,
                             bp_err *err) BP_CHECKED;
/* Zeroed storage for a tensor: base and dims are allocated together. */
BP_API bp_rc bp_tensor_alloc(uint32_t dtype, const int64_t *dims, uint32_t rank, bp_tensor *out,
                             bp_err *err) BP_CHECKED;
/* Frees what bp_tensor_alloc, bp_tensor_decode or a run allocated, and zeroes the tensor. */
BP_API void bp_tensor_free(bp_tensor *tensor);
/* Reads an ONNX TensorProto. *name (may be NULL) gets its name, to bp_free(). */
BP_API bp_rc bp_tensor_decode(const void *bytes, size_t size, bp_tensor *out, char **name,
                              bp_err *err) BP_CHECKED;
/* Writes an ONNX TensorProto; *out is the caller's, to bp_free(). */
BP_API bp_rc bp_tensor_encode(const bp_tensor *tensor, const char *name, void **out, size_t *size,
                              bp_err *err) BP_CHECKED;
/* Frees what a function of this header allocated for the caller and named so. NULL is fine. */
BP_API void bp_free(void *p);

/* ---- values of any kind ---------------------------------------------------------------------- */

/*
 * A tensor with its own memory, a sequence, an optional, a map or a sparse tensor. Never changes
 * once made, and counts its references, so that sequences share their items. All functions here may
 * be called from any thread.
 */
BP_API bp_rc bp_object_from_tensor(const bp_tensor *tensor, bp_object **out,
                                   bp_err *err) BP_CHECKED; /* copies it */
/* n items of one type (n may be 0); adds a reference to each. */
BP_API bp_rc bp_object_sequence(bp_object *const *items, uint32_t n, bp_object **out,
                                bp_err *err) BP_CHECKED;
/* item NULL: an optional without a value. */
BP_API bp_rc bp_object_optional(bp_object *item, bp_object **out, bp_err *err) BP_CHECKED;
/*
 * keys: a tensor of rank 1, of integers or strings; values: a tensor of rank 1, or a sequence, of
 * as many.
 */
BP_API bp_rc bp_object_map(bp_object *keys, bp_object *values, bp_object **out,
                           bp_err *err) BP_CHECKED;

/* How a sparse tensor says where its values are. */
enum {
    /* an int64 for each value, its place in row-major order; or one a dimension */
    BP_SPARSE_COO = 1,
    BP_SPARSE_CSR = 2, /* of a matrix: int64 column of each value; where in those each row begins */
    BP_SPARSE_BLOCK = 4 /* int32, as the writer of the model has it */
};

/*
 * A sparse tensor of the type and sizes of `dense`, whose memory is not read. parts are tensors:
 * the values, as a list for COO and CSR, then their indices: one tensor, for CSR two, columns [n]
 * and rows [rows + 1]. BP_E_INVALID: an index is outside, or they do not belong together. CSR
 * without any value may have no rows either ([0]).
 */
BP_API bp_rc bp_object_sparse(uint32_t format, const bp_tensor *dense, bp_object *const *parts,
                              uint32_t n_parts, bp_object **out, bp_err *err) BP_CHECKED;
/* BP_SPARSE_* of a sparse tensor; 0 of others. */
BP_API uint32_t bp_object_format(const bp_object *object);
/* Type and sizes of a sparse tensor as a tensor without memory, borrowed; NULL: it is none. */
BP_API const bp_tensor *bp_object_dense(const bp_object *object);

BP_API bp_object *bp_object_retain(bp_object *object); /* returns it; NULL is fine, as below */
BP_API void bp_object_release(bp_object *object);
BP_API uint32_t bp_object_kind(const bp_object *object); /* BP_KIND_* */
/*
 * Items of a sequence; 0 or 1 of an optional; 2 of a map, its keys and its values; 2 or 3 of a
 * sparse tensor, its parts; 0 of a tensor.
 */
BP_API uint32_t bp_object_count(const bp_object *object);
/* Item i, borrowed; NULL: there is none. */
BP_API bp_object *bp_object_item(const bp_object *object, uint32_t i);
/* The tensor, borrowed and not to be written to; NULL: it is none. */
BP_API const bp_tensor *bp_object_tensor(const bp_object *object);
/* Reads an ONNX TensorProto, SequenceProto, OptionalProto or MapProto: `kind` says which. */
BP_API bp_rc bp_object_decode(const void *bytes, size_t size, uint32_t kind, bp_object **out,
                              bp_err *err) BP_CHECKED;

#ifdef __cplusplus
}
#endif

/* Operators of the application's own: bp_operators_*, bp_session_options_add_operators. */
#include <backplane_operators.h>

#endif
