/* SPDX-License-Identifier: MIT */
/* lazy.c - see lazy.h. */

#include "lazy.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ISO C has no cast from an object's pointer to a function's; POSIX says they are alike. */
static bool find_functions(struct bp_cpu_library *library, const struct bp_cpu_symbol *symbols,
                           size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *symbol = dlsym(library->handle, symbols[i].name);

        if (!symbol)
            return false;
        memcpy((char *)library->functions + symbols[i].offset, &symbol, sizeof symbol);
    }
    return true;
}

static void close_library(struct bp_cpu_library *library)
{
    if (library && library->handle)
        dlclose(library->handle);
    free(library);
}

enum bp_cpu_lazy_rc bp_cpu_lazy_open(bp_cpu_lazy *at, const char *soname,
                                     const struct bp_cpu_symbol *symbols, size_t n,
                                     const void **functions)
{
    struct bp_cpu_library *library = atomic_load(at), *first = NULL;

    if (!library) {
        library = calloc(1, sizeof *library + n * sizeof library->functions[0]);
        if (!library)
            return BP_CPU_LAZY_NO_MEMORY;
        library->handle = soname ? dlopen(soname, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (!library->handle || !find_functions(library, symbols, n)) {
            close_library(library);
            return BP_CPU_LAZY_NO_LIBRARY;
        }
        if (!atomic_compare_exchange_strong(at, &first, library)) {
            close_library(library);
            library = first;
        }
    }
    *functions = library->functions;
    return BP_CPU_LAZY_OK;
}

void bp_cpu_lazy_close(bp_cpu_lazy *at)
{
    close_library(atomic_exchange(at, NULL));
}
