/* SPDX-License-Identifier: MIT */
/*
 * drive.c - runs a fuzz target without libFuzzer:
 *
 *     check_fuzz_X [-n ROUNDS] [-s SEED] [FILE...]
 *     check_fuzz_X -w FOLDER
 *
 * runs the target on the files, or on its own seeds without any, and on ROUNDS changed ones of
 * them; SEED makes the changes others. -w writes the seeds as files, for libFuzzer.
 */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz.h"

struct input {
    uint8_t *bytes;
    size_t size;
};

static struct input *inputs;
static uint32_t n_inputs;
static uint64_t state;

static void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(2);
}

static void add(uint8_t *bytes, size_t size)
{
    inputs = realloc(inputs, (n_inputs + 1) * sizeof *inputs);
    if (!inputs)
        fail("inputs");
    inputs[n_inputs++] = (struct input){bytes, size};
}

static void add_seeds(void)
{
    uint8_t *bytes = NULL;
    size_t size;

    for (uint32_t i = 0; (size = bp_fuzz_seed(i, &bytes)) > 0; i++)
        add(bytes, size);
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = malloc(bp_fuzz_max_size);

    if (!file || !bytes)
        fail(path);
    add(bytes, fread(bytes, 1, bp_fuzz_max_size, file));
    fclose(file);
}

static int write_seeds(const char *folder)
{
    char path[4096];

    add_seeds();
    for (uint32_t i = 0; i < n_inputs; i++) {
        FILE *file;

        snprintf(path, sizeof path, "%s/seed-%u", folder, i);
        file = fopen(path, "wb");
        if (!file || fwrite(inputs[i].bytes, 1, inputs[i].size, file) != inputs[i].size ||
            fclose(file) != 0)
            fail(path);
    }
    return 0;
}

/* ---- changes --------------------------------------------------------------------------------- */

static size_t below(size_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (size_t)(state % n);
}

/* Values at which numbers, lengths and offsets go wrong; as two, four or eight bytes. */
static void set_number(uint8_t *bytes, size_t size)
{
    static const uint64_t values[] = {0,        1,          2,          4,          0x7f,
                                      0x80,     0xff,       0x100,      0x7fff,     0xffff,
                                      1u << 20, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX};
    size_t width = (size_t)1 << below(4);
    uint64_t value = values[below(sizeof values / sizeof *values)];

    if (below(3) == 0)
        value = (uint64_t) - (int64_t)below(64); /* a little back */
    else if (below(3) == 0)
        value = below(size); /* anywhere */
    if (width <= size)
        memcpy(bytes + below(size - width + 1), &value, width);
}

static void copy_piece(uint8_t *bytes, size_t size)
{
    size_t n = below(size < 64 ? size : 64) + 1, from, to;

    if (n > size)
        n = size;
    from = below(size - n + 1);
    to = below(size - n + 1);
    memmove(bytes + to, bytes + from, n);
}

static void change(uint8_t *bytes, size_t *size)
{
    for (size_t n = below(4) + 1; n > 0 && *size > 0; n--) {
        switch (below(8)) {
        case 0:
        case 1:
            bytes[below(*size)] ^= (uint8_t)(1u << below(8));
            break;
        case 2:
            bytes[below(*size)] = (uint8_t)below(256);
            break;
        case 3:
            copy_piece(bytes, *size);
            break;
        case 4:
            *size = below(16) == 0 ? below(*size) : *size;
            break;
        default:
            set_number(bytes, *size);
        }
    }
}

/* ---- running --------------------------------------------------------------------------------- */

/* In memory that ends where the input does, so that a sanitizer sees what is read behind it. */
static void run(const uint8_t *bytes, size_t size)
{
    uint8_t *own = malloc(size > 0 ? size : 1);

    if (!own)
        fail("an input");
    if (size > 0)
        memcpy(own, bytes, size);
    LLVMFuzzerTestOneInput(own, size);
    free(own);
}

static void run_all(unsigned long rounds)
{
    uint8_t *changed = malloc(bp_fuzz_max_size);

    if (!changed)
        fail("an input");
    for (uint32_t i = 0; i < n_inputs; i++)
        run(inputs[i].bytes, inputs[i].size);
    for (unsigned long i = 0; i < rounds; i++) {
        const struct input *input = &inputs[below(n_inputs)];
        size_t size = input->size;

        memcpy(changed, input->bytes, size);
        change(changed, &size);
        run(changed, size);
    }
    free(changed);
}

int main(int argc, char **argv)
{
    unsigned long rounds = 30000, seed = 1;
    int option;

    while ((option = getopt(argc, argv, "n:s:w:")) != -1) {
        if (option == 'n')
            rounds = strtoul(optarg, NULL, 10);
        else if (option == 's')
            seed = strtoul(optarg, NULL, 10);
        else
            return option == 'w' ? write_seeds(optarg) : 2;
    }
    state = 0x9e3779b97f4a7c15u + seed * 2;
    for (int i = optind; i < argc; i++)
        add_file(argv[i]);
    if (n_inputs == 0)
        add_seeds();
    run_all(rounds);
    printf("%u inputs, %lu changed ones, seed %lu\n", n_inputs, rounds, seed);
    for (uint32_t i = 0; i < n_inputs; i++)
        free(inputs[i].bytes);
    free(inputs);
    return 0;
}
