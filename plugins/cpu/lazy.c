/* SPDX-License-Identifier: MIT */
/* lazy.c - see lazy.h. */

#include "lazy.h"

#include <dlfcn.h>
#include <string.h>

void *bp_cpu_lazy_open(const char *soname, const struct bp_cpu_symbol *symbols, size_t n,
                       void *table)
{
    void *library = soname ? dlopen(soname, RTLD_NOW | RTLD_LOCAL) : NULL;

    for (size_t i = 0; i < n && library; i++) {
        void *symbol = dlsym(library, symbols[i].name);

        /* ISO C has no cast from an object's pointer to a function's; POSIX says they are alike */
        memcpy((char *)table + symbols[i].offset, &symbol, sizeof symbol);
        if (!symbol) {
            dlclose(library);
            library = NULL;
        }
    }
    return library;
}

void bp_cpu_lazy_close(void *library)
{
    if (library)
        dlclose(library);
}
