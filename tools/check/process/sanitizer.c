/* SPDX-License-Identifier: MIT */
/*
 * sanitizer.c - finds out which sanitizer a plug-in was built with, and starts the kit again with its
 * run-time library. Such a library replaces malloc and must come before all others in the process;
 * dlopen() of a plug-in that needs it comes too late.
 */

#define _GNU_SOURCE
#include "config.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check/process/sanitizer.h"

enum { NAME = 4096 };

/* A sanitizer: what a file that is built with it refers to, and what its library is called. */
static const struct {
    const char *name, *symbol; /* a function of the library that each object calls */
    const char *gcc;           /* the library's name up to its number, which the file has */
    const char *clang;         /* the part of the library's name before the processor; NULL: none */
} sanitizers[] = {
    {"address", "__asan_init", "libasan.so.", "asan"},
    {"thread", "__tsan_init", "libtsan.so.", "tsan"},
    {"memory", "__msan_init", "libmsan.so.", NULL},
    {"undefined", "__ubsan_handle_", "libubsan.so.", "ubsan_standalone"},
};

enum { ADDRESS, THREAD, MEMORY, UNDEFINED, N_SANITIZERS };

struct file {
    char *bytes;
    size_t size;
};

static bool map_file(const char *path, struct file *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *map = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_size > 0)
        map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    if (map == MAP_FAILED)
        return false; /* FILE-01 will say so */
    out->bytes = map;
    out->size = (size_t)info.st_size;
    return true;
}

/* Names of symbols and libraries stand in the file as text. */
static const char *find(const struct file *file, const char *text)
{
    return memmem(file->bytes, file->size, text, strlen(text));
}

/* A clang of this machine knows where its libraries are; its answer is a path only if one is there. */
static bool ask_clang(int which, char out[NAME])
{
    static const char *const compilers[] = {"clang",    "clang-19", "clang-18", "clang-17",
                                            "clang-16", "clang-15", "clang-14"};
    struct utsname machine;
    char command[256];

    uname(&machine);
    for (size_t i = 0; i < sizeof compilers / sizeof compilers[0]; i++) {
        FILE *answer;
        bool is_there;

        snprintf(command, sizeof command, "%s -print-file-name=libclang_rt.%s-%.32s.so 2>/dev/null",
                 compilers[i], sanitizers[which].clang, machine.machine);
        answer = popen(command, "r");
        is_there = answer && fgets(out, NAME, answer);
        if (answer)
            pclose(answer);
        out[is_there ? strcspn(out, "\n") : 0] = '\0';
        if (is_there && out[0] == '/' && access(out, R_OK) == 0)
            return true;
    }
    return false;
}

/* The library that has to be preloaded. */
static bool library_of(const struct file *file, int which, char out[NAME])
{
    const char *needed = find(file, sanitizers[which].gcc);
    size_t n = strlen(sanitizers[which].gcc);

    if (needed) {
        while (needed + n < file->bytes + file->size && isdigit((unsigned char)needed[n]))
            n++;
        snprintf(out, NAME, "%.*s", (int)n, needed);
        return true;
    }
    return sanitizers[which].clang && ask_clang(which, out);
}

/* Adds to a variable of the environment; what the user has in it comes last and wins. */
static void add_setting(const char *name, const char *setting)
{
    const char *old = getenv(name);
    char text[NAME];

    snprintf(text, sizeof text, "%s%s%s", setting, old ? ":" : "", old ? old : "");
    setenv(name, text, 1);
}

/*
 * Does a process with the library come up? That of ThreadSanitizer in some versions of LLVM does not,
 * in any program that was not built with it.
 */
static bool comes_up(void)
{
    static char name[] = "backplane-check", version[] = "--version";
    char *const argv[] = {name, version, NULL};
    int status = -1;
    pid_t child = fork();

    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

        if (nowhere >= 0) {
            dup2(nowhere, 1);
            dup2(nowhere, 2);
        }
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

/* Does not return if it works. */
static void restart(const char *library, char **argv)
{
    add_setting("LD_PRELOAD", library);
    /* The kit asks for memory that is not there, and its tests end without looking for leaks. */
    add_setting("ASAN_OPTIONS", "allocator_may_return_null=1:detect_leaks=0");
    /* Tests end by _exit(), which does not look whether a race was reported: so a race ends them. */
    add_setting("TSAN_OPTIONS", "allocator_may_return_null=1:die_after_fork=0:halt_on_error=1");
    if (comes_up())
        execv("/proc/self/exe", argv);
}

bool sanitizer_of_threads(void)
{
    return dlsym(RTLD_DEFAULT, sanitizers[THREAD].symbol) != NULL;
}

bool sanitizer_restart(const char *path, char **argv)
{
    char library[NAME] = "";
    struct file file;
    int which = 0;
    bool found;

    if (!map_file(path, &file))
        return true;
    while (which < N_SANITIZERS && !find(&file, sanitizers[which].symbol))
        which++;
    if (which < N_SANITIZERS &&
        dlsym(RTLD_DEFAULT,
              which == UNDEFINED ? "__ubsan_handle_add_overflow" : sanitizers[which].symbol))
        which = N_SANITIZERS; /* the library is here */
    if (which == UNDEFINED && find(&file, sanitizers[which].gcc))
        which = N_SANITIZERS; /* it replaces nothing, so that it may come with the plug-in */
    if (which == N_SANITIZERS) {
        munmap(file.bytes, file.size);
        return true;
    }
    found = library_of(&file, which, library);
    munmap(file.bytes, file.size);
    if (found && !getenv("BACKPLANE_CHECK_RESTARTED")) {
        setenv("BACKPLANE_CHECK_RESTARTED", "1",
               1); /* once: a library that is not found would loop */
        fflush(NULL);
        restart(library, argv);
    }
    fprintf(stderr,
            "backplane-check: error: %s was built with the %s sanitizer, whose library has to come "
            "first: ",
            path, sanitizers[which].name);
    if (which == MEMORY)
        fputs("it cannot be loaded into a process; link it into the kit, or leave it out\n",
              stderr);
    else if (found)
        fprintf(stderr,
                "no process comes up with LD_PRELOAD=%s; give the path of one that works, or build "
                "the plug-in with gcc, whose library can be loaded so\n",
                library);
    else
        fprintf(stderr,
                "LD_PRELOAD=$(clang -print-file-name=libclang_rt.%s-$(uname -m).so) "
                "backplane-check ...\n",
                sanitizers[which].clang);
    return false;
}
