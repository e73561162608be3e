/* SPDX-License-Identifier: MIT */
/*
 * library.h - NNAPI, opened by name when an instance needs it: Android's libneuralnetworks.so or the
 * simulated runtime; and the devices that it lists.
 */
#ifndef BP_NN_LIBRARY_H
#define BP_NN_LIBRARY_H

#include <bp_nnapi_sim.h>
#include <stdbool.h>

#include <bp/sdk.h>

/* Feature levels 1 to 5 have the numbers of Android's API levels. */
enum {
    BP_NN_FL1 = 27,
    BP_NN_FL2 = 28,
    BP_NN_FL3 = 29,
    BP_NN_FL4 = 30,
    BP_NN_FL5 = 31,
    BP_NN_FL6 = 1000006
};

/* Of level 27: every runtime has them. */
#define BP_NN_REQUIRED(F)                                                                          \
    F(ANeuralNetworksCompilation_create)                                                           \
    F(ANeuralNetworksCompilation_finish)                                                           \
    F(ANeuralNetworksCompilation_free)                                                             \
    F(ANeuralNetworksCompilation_setPreference)                                                    \
    F(ANeuralNetworksEvent_free)                                                                   \
    F(ANeuralNetworksEvent_wait)                                                                   \
    F(ANeuralNetworksExecution_create)                                                             \
    F(ANeuralNetworksExecution_free)                                                               \
    F(ANeuralNetworksExecution_setInput)                                                           \
    F(ANeuralNetworksExecution_setOutput)                                                          \
    F(ANeuralNetworksExecution_startCompute)                                                       \
    F(ANeuralNetworksMemory_createFromFd)                                                          \
    F(ANeuralNetworksMemory_free)                                                                  \
    F(ANeuralNetworksModel_addOperand)                                                             \
    F(ANeuralNetworksModel_addOperation)                                                           \
    F(ANeuralNetworksModel_create)                                                                 \
    F(ANeuralNetworksModel_finish)                                                                 \
    F(ANeuralNetworksModel_free)                                                                   \
    F(ANeuralNetworksModel_identifyInputsAndOutputs)                                               \
    F(ANeuralNetworksModel_setOperandValue)                                                        \
    F(ANeuralNetworksModel_setOperandValueFromMemory)

/* F(level, name) of what came later, NULL below its level and where a runtime lacks it. */
#define BP_NN_OPTIONAL(F)                                                                          \
    F(28, ANeuralNetworksModel_relaxComputationFloat32toFloat16)                                   \
    F(29, ANeuralNetworksCompilation_createForDevices)                                             \
    F(29, ANeuralNetworksCompilation_setCaching)                                                   \
    F(29, ANeuralNetworksDevice_getFeatureLevel)                                                   \
    F(29, ANeuralNetworksDevice_getName)                                                           \
    F(29, ANeuralNetworksDevice_getType)                                                           \
    F(29, ANeuralNetworksDevice_getVersion)                                                        \
    F(29, ANeuralNetworksModel_getSupportedOperationsForDevices)                                   \
    F(29, ANeuralNetworksModel_setOperandSymmPerChannelQuantParams)                                \
    F(29, ANeuralNetworks_getDevice)                                                               \
    F(29, ANeuralNetworks_getDeviceCount)                                                          \
    F(30, ANeuralNetworksCompilation_setPriority)                                                  \
    F(30, ANeuralNetworksCompilation_setTimeout)                                                   \
    F(30, ANeuralNetworksExecution_setTimeout)                                                     \
    F(31, ANeuralNetworks_getRuntimeFeatureLevel)

struct bp_nn_functions {
#define F(name) __typeof__(name) *name;
    BP_NN_REQUIRED(F)
#undef F
#define F(level, name) __typeof__(name) *name;
    BP_NN_OPTIONAL(F)
#undef F
};

/* What only the simulated runtime has: all of it, or nothing. */
#define BP_NN_SIMULATOR(F)                                                                         \
    F(bp_nnapi_estimate)                                                                           \
    F(bp_nnapi_get_rates)                                                                          \
    F(bp_nnapi_last_error)                                                                         \
    F(bp_nnapi_level)                                                                              \
    F(bp_nnapi_operation_name)                                                                     \
    F(bp_nnapi_why_unsupported)

struct bp_nn_simulator {
#define F(name) __typeof__(name) *name;
    BP_NN_SIMULATOR(F)
#undef F
};

/* A runtime that is open. It is never closed, as its threads may be anywhere. */
struct bp_nn_driver {
    struct bp_nn_functions nn;
    struct bp_nn_driver *next;
    struct bp_nn_simulator sim;
    char path[512];
    bool is_sim; /* `sim` is filled */
};

/* What the runtime says of a device. Texts are the runtime's, as long as the process. */
struct bp_nn_device {
    ANeuralNetworksDevice *handle;
    const char *name, *version;
    int64_t level; /* -1: it does not tell */
    int32_t type;  /* ANEURALNETWORKS_DEVICE_* */
    uint32_t index;
};

enum { BP_NN_MAX_DEVICES = 16 };

/*
 * The runtime of that name: "auto" is Android's library, then the simulator; "sim" the simulator;
 * else a path. module_path: of the plug-in, beside which the simulator is looked for. The driver is
 * the process's. BP_E_UNAVAILABLE: there is none, or it lacks a function of level 27. [any thread]
 */
bp_rc bp_nn_driver_open(const char *name, const char *module_path, struct bp_nn_driver **out,
                        bp_err *err);
/* Feature level of the runtime now: 27..31, or a later one as it gives it. */
int64_t bp_nn_runtime_level(const struct bp_nn_driver *driver);
/* The functions that a runtime of this level has; the others are NULL. */
void bp_nn_functions_at(const struct bp_nn_driver *driver, int64_t level,
                        struct bp_nn_functions *out);
/*
 * BP_E_UNAVAILABLE: the level is below 27, Android 8.1, which ONNX Runtime's provider needs (C-01).
 */
bp_rc bp_nn_check_level(const struct bp_nn_driver *driver, bp_err *err);
/*
 * The devices, of level 29 on; none before, where the runtime chooses by itself. The CPU comes last,
 * as the slowest; the others are in the runtime's order.
 */
bp_rc bp_nn_list_devices(const struct bp_nn_driver *driver, struct bp_nn_device *out,
                         uint32_t *n_out, bp_err *err);

/* The bp_rc for a result code of NNAPI. */
bp_rc bp_nn_rc_of(int code);
/* "ANEURALNETWORKS_BAD_DATA"; "unknown code" for one that is none. */
const char *bp_nn_code_name(int code);
/* Fills err with NNAPI's code and the words, for a call that failed. Returns the bp_rc. */
bp_rc bp_nn_fail(bp_err *err, int code, const char *fmt, ...) BP_PRINTF(3, 4);
/*
 * The same while a session is made, where BP_E_NOMEM would mean that the host has no memory: a
 * runtime or device without memory is BP_E_UNAVAILABLE, and other providers take over.
 */
bp_rc bp_nn_fail_creation(bp_err *err, int code, const char *fmt, ...) BP_PRINTF(3, 4);

#endif
