/* SPDX-License-Identifier: MIT */
/*
 * bp_nnapi_sim.h - what the simulated Neural Networks runtime offers beside Android's API: its level
 * and devices, faults, simulated time, and what it counted. A program that is to run on Android's
 * library too looks these up with dlsym(). Every function may be called by any thread at any time.
 */
#ifndef BP_NNAPI_SIM_H
#define BP_NNAPI_SIM_H

#include <android/NeuralNetworks.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BP_NNAPI_SIM_SONAME "libbp-neuralnetworks-sim.so.0"

/* ---- configuration -------------------------------------------------------------------------- */

/*
 * Configuration from now on, in place of the file that BP_NNAPI_SIM names: lines "key = value" as in
 * plugins/nnapi_sim/driver/README.md. The text is copied; NULL goes back to the file, or to the
 * defaults. Simulated times, states and faults start anew. Devices of before stay valid handles of
 * their index.
 * ANEURALNETWORKS_BAD_DATA: a line is wrong (bp_nnapi_last_error()) and nothing was changed;
 * ANEURALNETWORKS_BAD_STATE: models, compilations or memory live; ANEURALNETWORKS_OUT_OF_MEMORY.
 */
ANN_API int bp_nnapi_configure(const char *text);

/*
 * The simulated API level: 26 (no NNAPI), 27 to 31, or 1000006 to 1000008. On Android a program
 * reads ro.build.version.sdk; ANeuralNetworks_getRuntimeFeatureLevel() is there from 31 on only.
 */
ANN_API int64_t bp_nnapi_level(void);

/*
 * A function of Android's API by its name, as dlsym() on a library of the configured level gives it:
 * NULL when the level does not have it yet. The pointer is a function's.
 */
ANN_API void *bp_nnapi_symbol(const char *name);

/*
 * Copies the sentence of the last call that failed in this thread, as Android writes it to its log,
 * cut to `size` bytes; "" when none did.
 */
ANN_API void bp_nnapi_last_error(char *text, size_t size);

/* "CONV_2D"; NULL for a code that Android does not have. */
ANN_API const char *bp_nnapi_operation_name(int32_t operation);
/* "TENSOR_FLOAT32"; NULL for a code that Android does not have. */
ANN_API const char *bp_nnapi_operand_name(int32_t type);
/* "BAD_DATA"; NULL for a code that Android does not have. */
ANN_API const char *bp_nnapi_result_name(int32_t code);
/*
 * Whether this simulator computes the operation, and the feature level that brought it; 0 when it
 * does not compute it at any level.
 */
ANN_API int64_t bp_nnapi_operation_level(int32_t operation);

/* ---- devices -------------------------------------------------------------------------------- */

/* What can befall a device. Index as for ANeuralNetworks_getDevice(). */
enum {
    BP_NNAPI_OK = 0,
    BP_NNAPI_DEAD = 1, /* its service died: DEAD_OBJECT (below API level 30 OP_FAILED) */
    BP_NNAPI_GONE = 2, /* UNAVAILABLE_DEVICE */
    BP_NNAPI_BUSY = 3, /* RESOURCE_EXHAUSTED_TRANSIENT (below 30 OP_FAILED) */
    BP_NNAPI_FULL = 4  /* RESOURCE_EXHAUSTED_PERSISTENT (below 30 OP_FAILED) */
};

/* ANEURALNETWORKS_BAD_DATA: no such device or state. */
ANN_API int bp_nnapi_set_state(uint32_t device, uint32_t state);

/* A device's rates, of its simulated time. Later versions append. */
struct bp_nnapi_rates {
    size_t struct_size;
    uint64_t launch_ns;      /* a run */
    uint64_t operation_ns;   /* an operation */
    uint64_t compile_ns;     /* compiling, an operation */
    uint64_t float_rate;     /* multiplications and additions a second on float32 */
    uint64_t half_rate;      /* on float16, and on float32 that is relaxed */
    uint64_t quant_rate;     /* on 8-bit types */
    uint64_t memory_rate;    /* bytes a second that operations read and write */
    uint64_t copy_rate;      /* bytes a second between the program and the device; 0: no copies */
    uint64_t memory;         /* bytes that the constants of a model may have; 0: no limit */
    uint32_t relaxed;        /* 1: float32 of a relaxed model is rounded to float16 */
    uint32_t caches;         /* 1: it writes compiled models into the cache folder */
    uint32_t memory_domains; /* 1: memory of descriptions lies on the device */
    uint32_t reserved;
};

/* Fills as much of *rates as its struct_size says. */
ANN_API int bp_nnapi_get_rates(uint32_t device, struct bp_nnapi_rates *rates);

/*
 * Nanoseconds that each operation of a finished model would take on the device, in the order in
 * which they were added; UINT64_MAX where the device refuses it. Launch and copies are not in it.
 */
ANN_API int bp_nnapi_estimate(const ANeuralNetworksModel *model, uint32_t device,
                              uint64_t *nanoseconds);

/* The device of an operation of a finished compilation: runtime's choice, or the program's. */
ANN_API int bp_nnapi_device_of(const ANeuralNetworksCompilation *compilation, uint32_t operation,
                               uint32_t *device);

/*
 * Whether the device takes the operation; when it does not, why: a sentence, cut to `size` bytes.
 * The model is finished.
 */
ANN_API int bp_nnapi_why_unsupported(const ANeuralNetworksModel *model, uint32_t operation,
                                     uint32_t device, bool *supported, char *why, size_t size);

/* ---- faults --------------------------------------------------------------------------------- */

/* Where a fault can be injected. */
enum {
    BP_NNAPI_AT_MODEL,     /* ANeuralNetworksModel_finish(): OUT_OF_MEMORY */
    BP_NNAPI_AT_COMPILE,   /* a device compiles: OP_FAILED */
    BP_NNAPI_AT_EXECUTE,   /* a device is handed a run: OP_FAILED */
    BP_NNAPI_AT_OPERATION, /* a device computes an operation: OP_FAILED */
    BP_NNAPI_AT_MEMORY,    /* memory is made: OUT_OF_MEMORY */
    BP_NNAPI_AT_MAP,       /* a descriptor is mapped: UNMAPPABLE */
    BP_NNAPI_AT_COPY,      /* ANeuralNetworksMemory_copy(): OP_FAILED */
    BP_NNAPI_AT_CACHE,     /* a cache entry is read: it counts as corrupt, and nothing fails */
    BP_NNAPI_POINTS
};

/* For any device, and where a point is not a device's. */
#define BP_NNAPI_ANY UINT32_MAX

/*
 * Lets calls of a kind fail: `after` of them pass first, then `times` fail with `code`, then all
 * pass again. `code` 0 stands for the kind's usual one, named above. Replaces an earlier fault of
 * that point and device; times 0 takes it away. ANEURALNETWORKS_BAD_DATA: no such point or device.
 */
ANN_API int bp_nnapi_fault(uint32_t point, uint32_t device, uint64_t after, uint64_t times,
                           int code);
/*
 * Each call fails with probability per_million / 1000000; `seed` makes a run repeatable. Replaces
 * an earlier fault there.
 */
ANN_API int bp_nnapi_fault_random(uint32_t point, uint32_t device, uint32_t per_million,
                                  uint64_t seed, int code);
/* At all points of all devices. */
ANN_API void bp_nnapi_clear_faults(void);

/* ---- what was counted ----------------------------------------------------------------------- */

/* Since the library was opened or bp_nnapi_reset_counters(). Later versions append. */
struct bp_nnapi_counters {
    size_t struct_size;
    /* objects that live now */
    uint64_t live_models, live_compilations, live_executions, live_events, live_bursts;
    uint64_t live_memories, live_descriptions;
    /* models */
    uint64_t models_finished, models_rejected;
    uint64_t operands, operations; /* of finished models */
    uint64_t constants_copied;     /* at most 128 bytes each */
    uint64_t constants_referenced; /* larger ones, by pointer */
    uint64_t constants_pooled;     /* from memory */
    uint64_t constant_bytes;
    uint64_t operations_by_code[128]; /* of finished models */
    int64_t highest_level;            /* that a model needed: a FeatureLevelCode */
    /* compilations */
    uint64_t compilations, compilations_for_devices, compilations_failed;
    uint64_t partitions; /* parts that went to one device each */
    uint64_t cache_hits, cache_misses, cache_writes;
    /* runs */
    uint64_t runs_started, runs_failed; /* of executions */
    uint64_t runs_sync, runs_async, runs_burst, runs_fenced;
    uint64_t in_flight, in_flight_max;
    uint64_t fallbacks_compile, fallbacks_run; /* to the reference CPU */
    uint64_t missed_transient, missed_persistent;
    uint64_t bytes_in, bytes_out; /* between the program and devices */
    uint64_t waits;
    uint64_t refused[16]; /* calls, by the ResultCode that they returned */
    uint64_t too_new;     /* calls of functions that the level does not have */
};

/* Fills as much of *counters as its struct_size says. */
ANN_API int bp_nnapi_get_counters(struct bp_nnapi_counters *counters);
/* Counts start anew; what lives now stays counted. */
ANN_API void bp_nnapi_reset_counters(void);

/* Simulated nanoseconds of one device since bp_nnapi_configure(). Later versions append. */
struct bp_nnapi_times {
    size_t struct_size;
    uint64_t compile; /* compiling, and reading caches */
    uint64_t compute; /* launches and operations */
    uint64_t copy;    /* between the program and the device */
    uint64_t runs;    /* counted */
    uint64_t operations;
};

ANN_API int bp_nnapi_get_times(uint32_t device, struct bp_nnapi_times *times);

/* ---- hardware buffers ----------------------------------------------------------------------- */

/*
 * A buffer for ANeuralNetworksMemory_createFromAHardwareBuffer(), where Android's library
 * libnativewindow is not: `size` bytes. blob: plain bytes; otherwise a picture of some format that
 * only a driver understands. *data is where its bytes lie. The buffer may be destroyed when memory
 * was made of it.
 */
ANN_API int bp_nnapi_hardware_buffer_create(size_t size, bool blob, AHardwareBuffer **buffer,
                                            void **data);
ANN_API void bp_nnapi_hardware_buffer_destroy(AHardwareBuffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
