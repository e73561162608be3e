/* SPDX-License-Identifier: MIT */
/*
 * lines.c - tells vertical from horizontal lines in images, by Android's Neural Networks API alone:
 * nothing of Backplane, nothing of the simulator. For Android 10 (API level 29) or later.
 *
 * It runs on a phone, and on the simulated runtime:
 *
 *     cc lines.c $(pkg-config --cflags --libs backplane-neuralnetworks-sim) && ./a.out
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <android/NeuralNetworks.h>

enum { SIZE = 6, WINDOW = 3, INSIDE = SIZE - WINDOW + 1, KINDS = 2 };

static const char *const kinds[KINDS] = {"vertical", "horizontal"};

/* A filter for each kind of line: [kinds, height, width, channels]. */
static const float filters[KINDS * WINDOW * WINDOW] = {-1, 2,  -1, -1, 2, -1, -1, 2,  -1,
                                                       -1, -1, -1, 2,  2, 2,  -1, -1, -1};
static const float no_bias[KINDS];

static const struct {
    const char *name;
    float pixels[SIZE * SIZE];
} images[] = {
    {"a pole", {0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0}},
    {"the sea", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"a slope", {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
                 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1}},
};

static int failed(int code, const char *what)
{
    static const char *const names[] = {"NO_ERROR",
                                        "OUT_OF_MEMORY",
                                        "INCOMPLETE",
                                        "UNEXPECTED_NULL",
                                        "BAD_DATA",
                                        "OP_FAILED",
                                        "BAD_STATE",
                                        "UNMAPPABLE",
                                        "OUTPUT_INSUFFICIENT_SIZE",
                                        "UNAVAILABLE_DEVICE",
                                        "MISSED_DEADLINE_TRANSIENT",
                                        "MISSED_DEADLINE_PERSISTENT",
                                        "RESOURCE_EXHAUSTED_TRANSIENT",
                                        "RESOURCE_EXHAUSTED_PERSISTENT",
                                        "DEAD_OBJECT"};

    if (code == ANEURALNETWORKS_NO_ERROR)
        return 0;
    fprintf(stderr, "lines: %s: %s (%d)\n", what,
            code > 0 && (size_t)code < sizeof names / sizeof names[0] ? names[code] : "unknown",
            code);
    return 1;
}

/* ---- the model ------------------------------------------------------------------------------ */

/* A model that is made, and the first failure: after it nothing more is added. */
struct maker {
    ANeuralNetworksModel *model;
    uint32_t count; /* of operands */
    int bad;
};

/* Adds an operand and returns its index. `size` bytes of `value`, or NULL: it is computed. */
static uint32_t add(struct maker *maker, int32_t type, uint32_t rank, const uint32_t *dims,
                    const void *value, size_t size)
{
    ANeuralNetworksOperandType operand = {
        .type = type, .dimensionCount = rank, .dimensions = dims, .scale = 0, .zeroPoint = 0};

    if (!maker->bad)
        maker->bad = failed(ANeuralNetworksModel_addOperand(maker->model, &operand), "addOperand");
    if (!maker->bad && value)
        maker->bad = failed(
            ANeuralNetworksModel_setOperandValue(maker->model, (int32_t)maker->count, value, size),
            "setOperandValue");
    return maker->count++;
}

/* Values of up to 128 bytes are copied, so that they may be of this function. */
static uint32_t add_int(struct maker *maker, int32_t value)
{
    return add(maker, ANEURALNETWORKS_INT32, 0, NULL, &value, sizeof value);
}

static uint32_t add_floats(struct maker *maker, uint32_t rank, const uint32_t *dims,
                           const float *values, size_t size)
{
    return add(maker, ANEURALNETWORKS_TENSOR_FLOAT32, rank, dims, values, size);
}

static void operate(struct maker *maker, int32_t operation, uint32_t count, const uint32_t *inputs,
                    uint32_t output, const char *what)
{
    if (!maker->bad)
        maker->bad = failed(
            ANeuralNetworksModel_addOperation(maker->model, operation, count, inputs, 1, &output),
            what);
}

/* Filters, then the mean of each over the image; Android's images are channels-last. */
static uint32_t add_layers(struct maker *maker, uint32_t image)
{
    static const uint32_t filter_dims[] = {KINDS, WINDOW, WINDOW, 1}, bias_dims[] = {KINDS};
    static const uint32_t found_dims[] = {1, INSIDE, INSIDE, KINDS}, mean_dims[] = {1, 1, 1, KINDS};
    uint32_t filter = add_floats(maker, 4, filter_dims, filters, sizeof filters);
    uint32_t bias = add_floats(maker, 1, bias_dims, no_bias, sizeof no_bias);
    uint32_t valid = add_int(maker, ANEURALNETWORKS_PADDING_VALID), one = add_int(maker, 1);
    uint32_t relu = add_int(maker, ANEURALNETWORKS_FUSED_RELU);
    uint32_t none = add_int(maker, ANEURALNETWORKS_FUSED_NONE), inside = add_int(maker, INSIDE);
    uint32_t found = add_floats(maker, 4, found_dims, NULL, 0);
    uint32_t mean = add_floats(maker, 4, mean_dims, NULL, 0);

    operate(maker, ANEURALNETWORKS_CONV_2D, 7,
            (uint32_t[]){image, filter, bias, valid, one, one, relu}, found, "CONV_2D");
    operate(maker, ANEURALNETWORKS_AVERAGE_POOL_2D, 7,
            (uint32_t[]){found, valid, one, one, inside, inside, none}, mean, "AVERAGE_POOL_2D");
    return mean;
}

static uint32_t add_head(struct maker *maker, uint32_t mean)
{
    static const uint32_t row_dims[] = {1, KINDS}, two[] = {2};
    static const int32_t row[] = {1, KINDS};
    static const float beta = 2;
    uint32_t shape = add(maker, ANEURALNETWORKS_TENSOR_INT32, 1, two, row, sizeof row);
    uint32_t factor = add(maker, ANEURALNETWORKS_FLOAT32, 0, NULL, &beta, sizeof beta);
    uint32_t flat = add_floats(maker, 2, row_dims, NULL, 0);
    uint32_t chances = add_floats(maker, 2, row_dims, NULL, 0);

    operate(maker, ANEURALNETWORKS_RESHAPE, 2, (uint32_t[]){mean, shape}, flat, "RESHAPE");
    operate(maker, ANEURALNETWORKS_SOFTMAX, 2, (uint32_t[]){flat, factor}, chances, "SOFTMAX");
    return chances;
}

/* *model is the caller's to free, also when 1 is returned. */
static int make_model(ANeuralNetworksModel **model)
{
    static const uint32_t image_dims[] = {1, SIZE, SIZE, 1};
    struct maker maker = {NULL, 0, 0};
    uint32_t image, chances;

    if (failed(ANeuralNetworksModel_create(model), "ANeuralNetworksModel_create"))
        return 1;
    maker.model = *model;
    image = add_floats(&maker, 4, image_dims, NULL, 0);
    chances = add_head(&maker, add_layers(&maker, image));
    return maker.bad ||
           failed(ANeuralNetworksModel_identifyInputsAndOutputs(*model, 1, &image, 1, &chances),
                  "identifyInputsAndOutputs") ||
           failed(ANeuralNetworksModel_finish(*model), "ANeuralNetworksModel_finish");
}

/* ---- devices -------------------------------------------------------------------------------- */

/* Lists the devices; *chosen is the one of the name, if a name is given. */
static int find_device(const char *name, ANeuralNetworksDevice **chosen)
{
    static const char *const types[] = {"unknown", "other", "CPU", "GPU", "accelerator"};
    uint32_t count = 0;

    if (failed(ANeuralNetworks_getDeviceCount(&count), "ANeuralNetworks_getDeviceCount"))
        return 1;
    for (uint32_t i = 0; i < count; i++) {
        ANeuralNetworksDevice *device;
        const char *its_name;
        int32_t type;
        int64_t level;

        if (failed(ANeuralNetworks_getDevice(i, &device), "ANeuralNetworks_getDevice") ||
            failed(ANeuralNetworksDevice_getName(device, &its_name), "getName") ||
            failed(ANeuralNetworksDevice_getType(device, &type), "getType") ||
            failed(ANeuralNetworksDevice_getFeatureLevel(device, &level), "getFeatureLevel"))
            return 1;
        printf("device %s: %s, feature level %lld\n", its_name,
               type >= 0 && type <= ANEURALNETWORKS_DEVICE_ACCELERATOR ? types[type] : "unknown",
               (long long)level);
        if (name && strcmp(name, its_name) == 0)
            *chosen = device;
    }
    if (!name || *chosen)
        return 0;
    fprintf(stderr, "lines: there is no device \"%s\"\n", name);
    return 1;
}

/* For one device it is asked first what it takes; without one NNAPI divides the model. */
static int compile(ANeuralNetworksModel *model, ANeuralNetworksDevice *device,
                   ANeuralNetworksCompilation **compilation)
{
    static const char *const operations[] = {"CONV_2D", "AVERAGE_POOL_2D", "RESHAPE", "SOFTMAX"};
    const ANeuralNetworksDevice *devices[] = {device};
    bool takes[4] = {false};

    if (!device) {
        if (failed(ANeuralNetworksCompilation_create(model, compilation), "Compilation_create"))
            return 1;
    } else {
        if (failed(ANeuralNetworksModel_getSupportedOperationsForDevices(model, devices, 1, takes),
                   "getSupportedOperationsForDevices"))
            return 1;
        for (int i = 0; i < 4; i++)
            if (!takes[i]) {
                fprintf(stderr, "lines: the device does not take %s\n", operations[i]);
                return 1;
            }
        if (failed(ANeuralNetworksCompilation_createForDevices(model, devices, 1, compilation),
                   "Compilation_createForDevices"))
            return 1;
    }
    return failed(ANeuralNetworksCompilation_setPreference(*compilation,
                                                           ANEURALNETWORKS_PREFER_SUSTAINED_SPEED),
                  "setPreference") ||
           failed(ANeuralNetworksCompilation_finish(*compilation),
                  "ANeuralNetworksCompilation_finish");
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Of a device that was chosen: how long it took. */
static int print_duration(const ANeuralNetworksExecution *execution)
{
    uint64_t ns = UINT64_MAX;

    if (failed(ANeuralNetworksExecution_getDuration(execution, ANEURALNETWORKS_DURATION_ON_HARDWARE,
                                                    &ns),
               "getDuration"))
        return 1;
    if (ns != UINT64_MAX) /* the driver knows it */
        printf(" (%.3f ms)", (double)ns * 1e-6);
    return 0;
}

/* In the burst, or without one in NNAPI's own thread, until its event. */
static int compute(ANeuralNetworksExecution *execution, ANeuralNetworksBurst *burst)
{
    ANeuralNetworksEvent *event = NULL;
    int bad;

    if (burst)
        return failed(ANeuralNetworksExecution_burstCompute(execution, burst),
                      "ANeuralNetworksExecution_burstCompute");
    if (failed(ANeuralNetworksExecution_startCompute(execution, &event),
               "ANeuralNetworksExecution_startCompute"))
        return 1;
    bad = failed(ANeuralNetworksEvent_wait(event), "ANeuralNetworksEvent_wait");
    ANeuralNetworksEvent_free(event);
    return bad;
}

/* An execution computes once: there is a new one for each image. */
static int classify(ANeuralNetworksCompilation *compilation, ANeuralNetworksBurst *burst,
                    bool measured, int image)
{
    ANeuralNetworksExecution *execution = NULL;
    float chances[KINDS];
    int bad = failed(ANeuralNetworksExecution_create(compilation, &execution), "Execution_create");

    if (!bad && measured)
        bad =
            failed(ANeuralNetworksExecution_setMeasureTiming(execution, true), "setMeasureTiming");
    bad = bad ||
          failed(ANeuralNetworksExecution_setInput(execution, 0, NULL, images[image].pixels,
                                                   sizeof images[image].pixels),
                 "setInput") ||
          failed(ANeuralNetworksExecution_setOutput(execution, 0, NULL, chances, sizeof chances),
                 "setOutput") ||
          compute(execution, burst);
    if (!bad) {
        printf("%s:", images[image].name);
        for (int i = 0; i < KINDS; i++)
            printf("%s %s %.2f", i ? "," : "", kinds[i], (double)chances[i]);
        bad = measured && print_duration(execution);
        printf("\n");
    }
    ANeuralNetworksExecution_free(execution);
    return bad;
}

/* The first image alone; the others in a burst, as frames of a camera would come. */
static int run(ANeuralNetworksCompilation *compilation, bool measured)
{
    ANeuralNetworksBurst *burst = NULL;
    int bad =
        classify(compilation, NULL, measured, 0) ||
        failed(ANeuralNetworksBurst_create(compilation, &burst), "ANeuralNetworksBurst_create");

    for (int i = 1; i < 3 && !bad; i++)
        bad = classify(compilation, burst, measured, i);
    ANeuralNetworksBurst_free(burst);
    return bad;
}

int main(int argc, char **argv)
{
    ANeuralNetworksModel *model = NULL;
    ANeuralNetworksCompilation *compilation = NULL;
    ANeuralNetworksDevice *device = NULL;
    int bad;

    if (argc > 2) {
        fprintf(stderr, "usage: lines [DEVICE]\n");
        return 1;
    }
    bad = find_device(argc > 1 ? argv[1] : NULL, &device) || make_model(&model) ||
          compile(model, device, &compilation) || run(compilation, device != NULL);
    ANeuralNetworksCompilation_free(compilation);
    ANeuralNetworksModel_free(model);
    return bad;
}
