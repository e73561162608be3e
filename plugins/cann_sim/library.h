/* SPDX-License-Identifier: MIT */
/*
 * library.h - ACL, opened by name when an instance needs it: the vendor's libraries or the simulated
 * driver. What is the process's, not a session's, is here, behind one lock.
 */
#ifndef BP_CANN_LIBRARY_H
#define BP_CANN_LIBRARY_H

#include <acl/acl.h>
#include <acl/acl_op_compiler.h>
#include <bp_ascend_graph.h>
#include <bp_ascend_sim.h>
#include <stdbool.h>

#include <bp/sdk.h>

/* Settings that ACL has one of for the process: the first session that gives one has it. */
enum {
    BP_CANN_SET_PRECISION,
    BP_CANN_SET_IMPL_MODE,
    BP_CANN_SET_IMPL_LIST,
    BP_CANN_SET_QUEUE,
    BP_CANN_SETTINGS
};
enum { BP_CANN_SETTING_SIZE = 256 };

/*
 * What is used of ACL, all of which a driver has to have. Releases of CANN differ in which of their
 * libraries has what.
 */
#define BP_CANN_FUNCTIONS(F)                                                                       \
    F(aclCreateDataBuffer)                                                                         \
    F(aclCreateTensorDesc)                                                                         \
    F(aclDestroyDataBuffer)                                                                        \
    F(aclDestroyTensorDesc)                                                                        \
    F(aclFinalize)                                                                                 \
    F(aclGetRecentErrMsg)                                                                          \
    F(aclInit)                                                                                     \
    F(aclSetCompileopt)                                                                            \
    F(aclUpdateDataBuffer)                                                                         \
    F(aclmdlAddDatasetBuffer)                                                                      \
    F(aclmdlCreateDataset)                                                                         \
    F(aclmdlCreateDesc)                                                                            \
    F(aclmdlDestroyDataset)                                                                        \
    F(aclmdlDestroyDesc)                                                                           \
    F(aclmdlExecuteAsync)                                                                          \
    F(aclmdlGetDesc)                                                                               \
    F(aclmdlGetInputSizeByIndex)                                                                   \
    F(aclmdlGetNumInputs)                                                                          \
    F(aclmdlGetNumOutputs)                                                                         \
    F(aclmdlGetOutputSizeByIndex)                                                                  \
    F(aclmdlLoadFromFile)                                                                          \
    F(aclmdlLoadFromMem)                                                                           \
    F(aclmdlQuerySize)                                                                             \
    F(aclmdlQuerySizeFromMem)                                                                      \
    F(aclmdlUnload)                                                                                \
    F(aclopCompile)                                                                                \
    F(aclopCompileAndExecute)                                                                      \
    F(aclopCreateAttr)                                                                             \
    F(aclopDestroyAttr)                                                                            \
    F(aclopSetAttrBool)                                                                            \
    F(aclopSetAttrFloat)                                                                           \
    F(aclopSetAttrInt)                                                                             \
    F(aclopSetAttrListInt)                                                                         \
    F(aclopSetAttrString)                                                                          \
    F(aclopSetMaxOpQueueNum)                                                                       \
    F(aclrtCreateEvent)                                                                            \
    F(aclrtCreateStream)                                                                           \
    F(aclrtDestroyEvent)                                                                           \
    F(aclrtDestroyStream)                                                                          \
    F(aclrtFree)                                                                                   \
    F(aclrtGetCurrentContext)                                                                      \
    F(aclrtGetDeviceCount)                                                                         \
    F(aclrtGetSocName)                                                                             \
    F(aclrtGetVersion)                                                                             \
    F(aclrtMalloc)                                                                                 \
    F(aclrtMemcpy)                                                                                 \
    F(aclrtMemcpyAsync)                                                                            \
    F(aclrtMemsetAsync)                                                                            \
    F(aclrtRecordEvent)                                                                            \
    F(aclrtResetDevice)                                                                            \
    F(aclrtSetCurrentContext)                                                                      \
    F(aclrtSetDevice)                                                                              \
    F(aclrtStreamWaitEvent)                                                                        \
    F(aclrtSynchronizeEventWithTimeout)                                                            \
    F(aclrtSynchronizeStreamWithTimeout)

/*
 * Building models: the simulator's own. The vendor's builder is C++ only, so that with its
 * libraries operators are called one by one.
 */
#define BP_CANN_BUILDER(F)                                                                         \
    F(bp_ascend_graph_build)                                                                       \
    F(bp_ascend_graph_constant)                                                                    \
    F(bp_ascend_graph_create)                                                                      \
    F(bp_ascend_graph_destroy)                                                                     \
    F(bp_ascend_graph_input)                                                                       \
    F(bp_ascend_graph_operator)                                                                    \
    F(bp_ascend_graph_option)                                                                      \
    F(bp_ascend_graph_output)                                                                      \
    F(bp_ascend_model_free)                                                                        \
    F(bp_ascend_model_save)

/*
 * A driver that was opened, and the settings passed to it. Only what was found in opening it may be
 * read freely: functions, `path`, `is_sim` and `builds_models`.
 */
struct bp_cann_driver {
    struct {
#define F(name) __typeof__(name) *name;
        BP_CANN_FUNCTIONS(F)
    } acl;
    struct bp_cann_builder {
        BP_CANN_BUILDER(F)
#undef F
    } builder; /* all of it or nothing: builds_models */
    /* drops what is queued, where the release has that, or waits for it */
    __typeof__(aclrtDestroyStream) *end_stream;
    __typeof__(aclrtStreamAbort) *abort_stream; /* NULL: the release has none */
    /* of the simulator alone: NULL with the vendor's */
    __typeof__(bp_ascend_estimate_operator) *estimate_operator;
    __typeof__(bp_ascend_estimate_copy) *estimate_copy;
    struct bp_cann_driver *next;
    char path[512]; /* what it was opened by */
    bool is_sim;    /* the simulated one: it may be taken down and brought up again */
    bool builds_models;
    bool is_foreign; /* the application had called aclInit(): it is the one to call aclFinalize() */
    uint32_t refs;
    bool is_initialized;
    char settings[BP_CANN_SETTINGS][BP_CANN_SETTING_SIZE]; /* of the compiler; "" is unset */
};

/* For the entry, under the loader's lock: acquire fails in a child of a process that used ACL. */
void bp_cann_watch_forks(void);

/*
 * Opens the driver that `name` means ("auto", "sim" or a path) if it is not open, and brings ACL
 * up. *out is for bp_cann_driver_release(), once for each success. module_path: of this plug-in,
 * beside which an installed simulator lies. Any thread. BP_E_UNAVAILABLE says what is missing.
 */
bp_rc bp_cann_driver_acquire(const char *name, const char *module_path, struct bp_cann_driver **out,
                             bp_err *err);
/* The last one finalises the simulator; the vendor's ACL stays up. Any thread. */
void bp_cann_driver_release(struct bp_cann_driver *driver);

/*
 * Hands the compiler a setting, unless it is "" or the same as before. Operators that are compiled
 * cannot be undone: when an earlier session has asked for something else that stays, and *in_force,
 * which is the driver's, is it. Any thread. As ACL fails.
 */
bp_rc bp_cann_driver_set(struct bp_cann_driver *driver, uint32_t setting, const char *value,
                         const char **in_force, bp_err *err);

/* Copies those in force to out[BP_CANN_SETTINGS]. Any thread. */
void bp_cann_driver_settings(const struct bp_cann_driver *driver,
                             char (*out)[BP_CANN_SETTING_SIZE]);

/*
 * bp_fail() for an ACL code, which becomes the matching BP_E_... and is kept as native_code, with
 * ACL's own message after the sentence. Consumes ACL's message, of this thread.
 */
bp_rc bp_cann_fail(const struct bp_cann_driver *driver, bp_err *err, aclError code, const char *fmt,
                   ...) BP_PRINTF(4, 5);

#endif
