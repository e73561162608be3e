/* SPDX-License-Identifier: MIT */
/*
 * main.cc - a program on ONNX Runtime's C++ header that uses each of its classes: main.cc MODELS
 *
 * It writes a line for each test: its name, `pass` or `fail`.
 */

#include "cxx.h"

#include <cstdio>

#define TEST(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    test_fn run;
} tests[] = {
    TEST(environment),    TEST(allocators),  TEST(devices),      TEST(provider_options),
    TEST(errors),         TEST(session),     TEST(binding),      TEST(assignment),
    TEST(adapter),        TEST(compilation), TEST(small_floats), TEST(tensors),
    TEST(sparse_tensors), TEST(containers),  TEST(types),        TEST(custom_operator),
    TEST(lite_operators), TEST(graph),       TEST(graph_views),
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s MODELS\n", argv[0]);
        return 2;
    }
    Ort::Env env(ORT_LOGGING_LEVEL_ERROR, "cxx");
    for (const auto &test : tests) {
        bool passes = false;
        try {
            test.run(env, argv[1]);
            passes = true;
        } catch (const std::exception &e) {
            fprintf(stderr, "%s: %s\n", test.name, e.what());
        }
        printf("%s\t%s\n", test.name, passes ? "pass" : "fail");
        fflush(stdout);
    }
    return 0;
}
