/* SPDX-License-Identifier: MIT */
/*
 * model.c - y = relu(x w) as an offline model of ACL: built, saved, loaded from its file and run.
 *
 *     cc model.c $(pkg-config --cflags --libs backplane-ascend-sim) && ./a.out layer.om
 *
 * Loading and running are written as for the vendor's library. Building is the simulator's own
 * (bp_ascend_graph.h): for a device, atc makes the file of an ONNX model.
 */
#include <stdio.h>

#include <acl/acl.h>
#include <bp_ascend_graph.h>
#include <bp_ascend_sim.h>

enum { ROWS = 2, INNER = 3, COLUMNS = 2 };

static int failed(aclError rc, const char *what)
{
    const char *why;

    if (rc == ACL_SUCCESS)
        return 0;
    why = aclGetRecentErrMsg();
    fprintf(stderr, "%s: error %d: %s\n", what, rc, why ? why : "no message");
    return 1;
}

/* ---- building: the simulator's ---------------------------------------------------------------- */

/* Tensors: x, w, their product, y. */
static int put_together(bp_ascend_graph *graph, aclTensorDesc *const descs[3])
{
    static const float w[INNER * COLUMNS] = {1, 0, 0, 1, 1, 1};
    const aclTensorDesc *in[2] = {descs[0], descs[1]}, *out[1] = {descs[2]};
    uint32_t inputs[2], product, y;

    return failed(bp_ascend_graph_input(graph, "x", descs[0], &inputs[0]), "an input") ||
           failed(bp_ascend_graph_constant(graph, descs[1], w, sizeof w, &inputs[1]), "weights") ||
           failed(
               bp_ascend_graph_operator(graph, "MatMulV2", 2, inputs, in, 1, out, NULL, &product),
               "MatMulV2") ||
           failed(bp_ascend_graph_operator(graph, "Relu", 1, &product, out, 1, out, NULL, &y),
                  "Relu") ||
           failed(bp_ascend_graph_output(graph, "y", y), "an output");
}

static int build(const char *path)
{
    static const int64_t dims[3][2] = {{ROWS, INNER}, {INNER, COLUMNS}, {ROWS, COLUMNS}};
    bp_ascend_graph *graph = bp_ascend_graph_create("layer");
    aclTensorDesc *descs[3] = {NULL, NULL, NULL};
    void *model = NULL;
    size_t size = 0;
    int bad = !graph;

    for (int i = 0; i < 3; i++) {
        descs[i] = aclCreateTensorDesc(ACL_FLOAT, 2, dims[i], ACL_FORMAT_ND);
        bad = bad || !descs[i];
    }
    bad = bad || put_together(graph, descs) ||
          failed(bp_ascend_graph_build(graph, &model, &size), "bp_ascend_graph_build") ||
          failed(bp_ascend_model_save(path, model, size), "bp_ascend_model_save");
    bp_ascend_model_free(model);
    for (int i = 0; i < 3; i++)
        aclDestroyTensorDesc(descs[i]);
    bp_ascend_graph_destroy(graph);
    return bad;
}

/* ---- running: ACL ----------------------------------------------------------------------------- */

/* A data set of one buffer on the device, as large as the model says. */
static aclmdlDataset *make_set(size_t size)
{
    aclmdlDataset *set = aclmdlCreateDataset();
    aclDataBuffer *buffer;
    void *memory = NULL;

    if (!set || failed(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc"))
        return set;
    buffer = aclCreateDataBuffer(memory, size);
    if (!buffer || failed(aclmdlAddDatasetBuffer(set, buffer), "aclmdlAddDatasetBuffer"))
        aclrtFree(memory);
    return set;
}

static void destroy_set(aclmdlDataset *set)
{
    for (size_t i = 0; i < aclmdlGetDatasetNumBuffers(set); i++) {
        aclDataBuffer *buffer = aclmdlGetDatasetBuffer(set, i);

        aclrtFree(aclGetDataBufferAddr(buffer));
        aclDestroyDataBuffer(buffer);
    }
    if (set)
        aclmdlDestroyDataset(set);
}

static int compute(uint32_t id, aclmdlDataset *in, aclmdlDataset *out, float *y)
{
    static const float x[ROWS * INNER] = {1, 2, 3, -1, -2, -3};
    const size_t y_size = ROWS * COLUMNS * sizeof *y;

    if (aclmdlGetDatasetNumBuffers(in) != 1 || aclmdlGetDatasetNumBuffers(out) != 1)
        return 1;
    return failed(aclrtMemcpy(aclGetDataBufferAddr(aclmdlGetDatasetBuffer(in, 0)), sizeof x, x,
                              sizeof x, ACL_MEMCPY_HOST_TO_DEVICE),
                  "aclrtMemcpy") ||
           failed(aclmdlExecute(id, in, out), "aclmdlExecute") ||
           failed(aclrtMemcpy(y, y_size, aclGetDataBufferAddr(aclmdlGetDatasetBuffer(out, 0)),
                              y_size, ACL_MEMCPY_DEVICE_TO_HOST),
                  "aclrtMemcpy");
}

static int run(const char *path, float *y)
{
    aclmdlDesc *desc = aclmdlCreateDesc();
    aclmdlDataset *in, *out;
    uint32_t id;
    int bad;

    if (!desc || failed(aclmdlLoadFromFile(path, &id), "aclmdlLoadFromFile")) {
        if (desc)
            aclmdlDestroyDesc(desc);
        return 1;
    }
    bad = failed(aclmdlGetDesc(desc, id), "aclmdlGetDesc");
    in = make_set(aclmdlGetInputSizeByIndex(desc, 0));
    out = make_set(aclmdlGetOutputSizeByIndex(desc, 0));
    bad = bad || compute(id, in, out, y);
    destroy_set(in);
    destroy_set(out);
    aclmdlDestroyDesc(desc);
    aclmdlUnload(id);
    return bad;
}

int main(int argc, char **argv)
{
    float y[ROWS * COLUMNS];
    int bad;

    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE.om\n", argv[0]);
        return 2;
    }
    if (failed(aclInit(NULL), "aclInit"))
        return 1;
    bad = failed(aclrtSetDevice(0), "aclrtSetDevice") || build(argv[1]) || run(argv[1], y);
    if (!bad)
        printf("%s: %g %g %g %g\n", argv[1], (double)y[0], (double)y[1], (double)y[2],
               (double)y[3]);
    aclrtResetDevice(0);
    aclFinalize();
    if (bp_ascend_violations_total() > 0)
        printf("breaches of ACL's rules: %llu\n", (unsigned long long)bp_ascend_violations_total());
    return bad;
}
