/* SPDX-License-Identifier: MIT */
/*
 * library.c - opens the OpenCL loader, lists its devices, and says what is missing where it has
 * none: which files name drivers, and which of those drivers cannot be opened.
 */

#define _GNU_SOURCE /* environ, pipe2 */

#include "base/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VENDORS "/etc/OpenCL/vendors"

enum { LIST_MS = 10000 }; /* drivers that take longer to say what there is are given up */

/* One a process, as OpenCL's loader is. Never closed: threads of drivers may be anywhere. */
static struct {
    pthread_mutex_t lock;
    bool is_open, is_listed;
    struct bp_opencl_library library;
    struct bp_opencl_listing listing;
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- what is missing ------------------------------------------------------------------------- */

/* Appends to `why`, as far as there is room. */
static void say(struct bp_opencl_listing *listing, const char *fmt, ...) BP_PRINTF(2, 3);
static void say(struct bp_opencl_listing *listing, const char *fmt, ...)
{
    size_t at = strlen(listing->why);
    va_list args;

    va_start(args, fmt);
    vsnprintf(listing->why + at, sizeof listing->why - at, fmt, args);
    va_end(args);
}

/* Says whether the driver that an .icd file names can be opened; its first line is a library. */
static void look_at_file(struct bp_opencl_listing *listing, const char *path)
{
    char line[512] = "";
    FILE *file = fopen(path, "re");
    void *driver;

    if (!file) {
        say(listing, "; %s cannot be read", path);
        return;
    }
    if (!fgets(line, sizeof line, file))
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    driver = dlopen(line, RTLD_LAZY | RTLD_LOCAL);
    if (!driver) {
        const char *text = dlerror();

        say(listing, "; %s names %s: %.120s", path, line, text ? text : "it cannot be opened");
        return;
    }
    dlclose(driver);
    say(listing, "; %s names %s, which shows no device", path, line);
}

static bool is_icd(const char *name)
{
    size_t n = strlen(name);

    return n > 4 && strcmp(name + n - 4, ".icd") == 0;
}

static void look_at_folder(struct bp_opencl_listing *listing, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    unsigned n = 0;

    if (!dir) {
        say(listing, "; there is no folder %s", folder);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        char path[1024];

        if (!is_icd(entry->d_name))
            continue;
        n++;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path)
            look_at_file(listing, path);
    }
    closedir(dir);
    if (n == 0)
        say(listing, "; %s has no .icd file", folder);
}

/* Where the loader looks: the variable names a folder, a file, or a driver itself. */
static void explain(struct bp_opencl_listing *listing)
{
    const char *vendors = getenv("OCL_ICD_VENDORS");
    struct stat info;

    if (!vendors || !*vendors)
        look_at_folder(listing, VENDORS);
    else if (stat(vendors, &info) == 0 && S_ISREG(info.st_mode) && is_icd(vendors))
        look_at_file(listing, vendors);
    else
        look_at_folder(listing, vendors);
    if (vendors && *vendors)
        say(listing, " (OCL_ICD_VENDORS=%.200s)", vendors);
    snprintf(
        listing->fix, sizeof listing->fix,
        "install the OpenCL driver of the device's vendor, or for the processor PoCL (Debian's "
        "pocl-opencl-icd)");
}

/* ---- devices --------------------------------------------------------------------------------- */

/* Empty where the driver does not say, or says more than there is room for. */
static void read_text(const struct bp_opencl_library *library, cl_device_id id, cl_device_info what,
                      char *out)
{
    out[0] = '\0';
    if (library->clGetDeviceInfo(id, what, BP_OPENCL_TEXT - 1, out, NULL) != CL_SUCCESS)
        out[0] = '\0';
    out[BP_OPENCL_TEXT - 1] = '\0';
}

static bool read_number(const struct bp_opencl_library *library, cl_device_id id,
                        cl_device_info what, size_t size, void *out)
{
    return library->clGetDeviceInfo(id, what, size, out, NULL) == CL_SUCCESS;
}

/* "gpu1": unique among all devices, and the same while drivers stay the same. */
static void name_key(const struct bp_opencl_library *library, struct bp_opencl_device *device)
{
    const char *kind = device->type & CL_DEVICE_TYPE_GPU           ? "gpu"
                       : device->type & CL_DEVICE_TYPE_CPU         ? "cpu"
                       : device->type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                                                                   : "custom";
    unsigned n = 0;

    for (uint32_t i = 0; i < library->listing.n_devices; i++)
        n += strncmp(library->listing.devices[i].key, kind, strlen(kind)) == 0;
    snprintf(device->key, sizeof device->key, "%s%u", kind, n);
}

/* Devices that lack a compiler, are switched off or store the highest byte first are of no use. */
static bool is_usable(const struct bp_opencl_library *library, cl_device_id id)
{
    cl_bool is_there = CL_FALSE, compiles = CL_FALSE, is_little = CL_FALSE;

    return read_number(library, id, CL_DEVICE_AVAILABLE, sizeof is_there, &is_there) && is_there &&
           read_number(library, id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiles, &compiles) &&
           compiles &&
           read_number(library, id, CL_DEVICE_ENDIAN_LITTLE, sizeof is_little, &is_little) &&
           is_little;
}

static void add_device(struct bp_opencl_library *library, cl_platform_id platform, cl_device_id id)
{
    struct bp_opencl_device *device = &library->listing.devices[library->listing.n_devices];
    char version[BP_OPENCL_TEXT], name[BP_OPENCL_TEXT] = "";

    if (library->listing.n_devices == BP_OPENCL_MAX_DEVICES || !is_usable(library, id))
        return;
    memset(device, 0, sizeof *device);
    device->platform = platform;
    device->id = id;
    if (!read_number(library, id, CL_DEVICE_TYPE, sizeof device->type, &device->type) ||
        !read_number(library, id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof device->memory,
                     &device->memory) ||
        !read_number(library, id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof device->max_alloc,
                     &device->max_alloc) ||
        !read_number(library, id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof device->max_group,
                     &device->max_group))
        return;
    read_number(library, id, CL_DEVICE_VENDOR_ID, sizeof device->vendor_id, &device->vendor_id);
    read_number(library, id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof device->units, &device->units);
    read_text(library, id, CL_DEVICE_NAME, device->name);
    read_text(library, id, CL_DEVICE_VERSION, device->version);
    read_text(library, id, CL_DRIVER_VERSION, version);
    library->clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name - 1, name, NULL);
    snprintf(device->driver, sizeof device->driver, "%.60s %.80s", name, version);
    name_key(library, device);
    library->listing.n_devices++;
}

static void list_devices(struct bp_opencl_library *library)
{
    struct bp_opencl_listing *listing = &library->listing;
    cl_platform_id platforms[BP_OPENCL_MAX_DEVICES];
    cl_uint n = 0;
    cl_int code = library->clGetPlatformIDs(BP_OPENCL_MAX_DEVICES, platforms, &n);

    if (code != CL_SUCCESS)
        n = 0; /* CL_PLATFORM_NOT_FOUND_KHR where there is none */
    for (cl_uint i = 0; i < n && i < BP_OPENCL_MAX_DEVICES; i++) {
        cl_device_id ids[BP_OPENCL_MAX_DEVICES];
        cl_uint found = 0;

        if (library->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, BP_OPENCL_MAX_DEVICES, ids,
                                    &found) != CL_SUCCESS)
            continue;
        for (cl_uint k = 0; k < found && k < BP_OPENCL_MAX_DEVICES; k++)
            add_device(library, platforms[i], ids[k]);
    }
    if (library->listing.n_devices > 0)
        return;
    say(listing, "%s shows %s", BP_OPENCL_SONAME,
        n > 0 ? "no device that is switched on and has a compiler" : "no platform");
    explain(listing);
}

/* ---- opening --------------------------------------------------------------------------------- */

static void open_library(struct bp_opencl_library *library)
{
    struct bp_opencl_listing *listing = &library->listing;
    void *handle = dlopen(BP_OPENCL_SONAME, RTLD_NOW | RTLD_LOCAL);

    if (!handle) {
        const char *text = dlerror();

        say(listing, "the loader cannot be opened: %.300s", text ? text : BP_OPENCL_SONAME);
        snprintf(listing->fix, sizeof listing->fix,
                 "install an OpenCL loader (Debian's ocl-icd-libopencl1) and a driver (pocl-opencl-"
                 "icd for the processor)");
        return;
    }
#define F(name)                                                                                    \
    {                                                                                              \
        void *symbol = dlsym(handle, #name);                                                       \
                                                                                                   \
        memcpy(&library->name, &symbol, sizeof library->name);                                     \
        if (!symbol) {                                                                             \
            say(listing, "%s has no %s, it is older than OpenCL 1.2", BP_OPENCL_SONAME, #name);    \
            snprintf(listing->fix, sizeof listing->fix, "update the OpenCL loader");               \
            return;                                                                                \
        }                                                                                          \
    }
    BP_OPENCL_FUNCTIONS(F)
#undef F
    list_devices(library);
}

/* ---- what drivers change in the process ------------------------------------------------------ */

/*
 * PoCL brings LLVM along, which installs handlers of signals, and hwloc, for which it sets a
 * variable. Both are the application's: they are put back.
 */
enum { N_SIGNALS = 32 };

struct saved {
    struct sigaction actions[N_SIGNALS];
    char **variables; /* as environ was; NULL: no memory */
    size_t n;
};

static void save(struct saved *saved)
{
    memset(saved, 0, sizeof *saved);
    for (int i = 1; i < N_SIGNALS; i++)
        sigaction(i, NULL, &saved->actions[i]);
    while (environ && environ[saved->n])
        saved->n++;
    saved->variables = malloc((saved->n + 1) * sizeof *saved->variables);
    for (size_t i = 0; i < saved->n && saved->variables; i++)
        saved->variables[i] = environ[i];
}

static bool was_there(const struct saved *saved, const char *variable)
{
    for (size_t i = 0; i < saved->n; i++) {
        if (saved->variables[i] == variable)
            return true;
    }
    return false;
}

/* Takes one variable out that was not there before; false: there is none. */
static bool unset_new(const struct saved *saved)
{
    for (size_t i = 0; environ && environ[i]; i++) {
        char name[128];
        size_t n = strcspn(environ[i], "=");

        if (was_there(saved, environ[i]) || n >= sizeof name)
            continue;
        memcpy(name, environ[i], n);
        name[n] = '\0';
        return unsetenv(name) == 0;
    }
    return false;
}

static void put_back(struct saved *saved)
{
    for (int i = 1; i < N_SIGNALS; i++) {
        if (i != SIGKILL && i != SIGSTOP)
            sigaction(i, &saved->actions[i], NULL);
    }
    while (saved->variables && unset_new(saved))
        continue;
    free(saved->variables);
}

/* [locked] */
static const struct bp_opencl_library *open_once(void)
{
    struct saved saved;

    if (process.is_open)
        return &process.library;
    save(&saved);
    open_library(&process.library);
    put_back(&saved);
    process.is_open = true;
    return &process.library;
}

const struct bp_opencl_library *bp_opencl_library(void)
{
    pthread_mutex_lock(&process.lock);
    open_once();
    pthread_mutex_unlock(&process.lock);
    return &process.library;
}

/* ---- listing --------------------------------------------------------------------------------- */

/* In a child of its own: lists, writes the answer, and takes the drivers' threads with it. */
static void answer(int to)
{
    const struct bp_opencl_listing *listing = &open_once()->listing;
    const char *at = (const char *)listing;
    size_t left = sizeof *listing;

    while (left > 0) {
        ssize_t n = write(to, at, left);

        if (n < 0 && errno != EINTR)
            break;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    _exit(0);
}

/* False: the child ended early, or takes too long. */
static bool read_answer(int from, struct bp_opencl_listing *out)
{
    char *at = (char *)out;
    size_t left = sizeof *out;

    while (left > 0) {
        struct pollfd row = {.fd = from, .events = POLLIN};
        int ready = poll(&row, 1, LIST_MS);
        ssize_t n;

        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return false;
        n = read(from, at, left);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        left -= (size_t)n;
    }
    return true;
}

/* An application may reap children of its own, so that there may be none to wait for. */
static void end_child(pid_t child)
{
    kill(child, SIGKILL);
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* False: no child could be asked, or it gave no answer. */
static bool ask_child(struct bp_opencl_listing *out)
{
    int ends[2];
    pid_t child;
    bool is_answered;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return false;
    child = fork();
    if (child == 0)
        answer(ends[1]);
    close(ends[1]);
    is_answered = child > 0 && read_answer(ends[0], out);
    close(ends[0]);
    if (child > 0)
        end_child(child);
    return is_answered;
}

/* Where the loader is in the process already, its drivers' threads are too, and may be in use. */
static bool is_loaded(void)
{
    void *handle = dlopen(BP_OPENCL_SONAME, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);

    if (handle)
        dlclose(handle);
    return handle != NULL;
}

/* [locked] */
static void list_once(struct bp_opencl_listing *listing)
{
    if (process.is_open || is_loaded()) {
        *listing = open_once()->listing;
        return;
    }
    if (ask_child(listing))
        return;
    memset(listing, 0, sizeof *listing);
    say(listing,
        "the OpenCL drivers gave no list of their devices: the process that asked them "
        "ended, or %d s passed",
        LIST_MS / 1000);
    snprintf(listing->fix, sizeof listing->fix, "see whether clinfo lists devices");
}

const struct bp_opencl_listing *bp_opencl_list(void)
{
    pthread_mutex_lock(&process.lock);
    if (!process.is_listed)
        list_once(&process.listing);
    process.is_listed = true;
    pthread_mutex_unlock(&process.lock);
    return &process.listing;
}

/* ---- failures -------------------------------------------------------------------------------- */

#define STATUSES(S)                                                                                \
    S(CL_DEVICE_NOT_FOUND)                                                                         \
    S(CL_DEVICE_NOT_AVAILABLE)                                                                     \
    S(CL_COMPILER_NOT_AVAILABLE)                                                                   \
    S(CL_MEM_OBJECT_ALLOCATION_FAILURE)                                                            \
    S(CL_OUT_OF_RESOURCES)                                                                         \
    S(CL_OUT_OF_HOST_MEMORY)                                                                       \
    S(CL_PROFILING_INFO_NOT_AVAILABLE)                                                             \
    S(CL_MEM_COPY_OVERLAP)                                                                         \
    S(CL_BUILD_PROGRAM_FAILURE)                                                                    \
    S(CL_MISALIGNED_SUB_BUFFER_OFFSET)                                                             \
    S(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)                                                \
    S(CL_INVALID_VALUE)                                                                            \
    S(CL_INVALID_DEVICE)                                                                           \
    S(CL_INVALID_CONTEXT)                                                                          \
    S(CL_INVALID_COMMAND_QUEUE)                                                                    \
    S(CL_INVALID_MEM_OBJECT)                                                                       \
    S(CL_INVALID_BINARY)                                                                           \
    S(CL_INVALID_BUILD_OPTIONS)                                                                    \
    S(CL_INVALID_PROGRAM)                                                                          \
    S(CL_INVALID_PROGRAM_EXECUTABLE)                                                               \
    S(CL_INVALID_KERNEL_NAME)                                                                      \
    S(CL_INVALID_KERNEL)                                                                           \
    S(CL_INVALID_ARG_INDEX)                                                                        \
    S(CL_INVALID_ARG_VALUE)                                                                        \
    S(CL_INVALID_ARG_SIZE)                                                                         \
    S(CL_INVALID_KERNEL_ARGS)                                                                      \
    S(CL_INVALID_WORK_DIMENSION)                                                                   \
    S(CL_INVALID_WORK_GROUP_SIZE)                                                                  \
    S(CL_INVALID_WORK_ITEM_SIZE)                                                                   \
    S(CL_INVALID_EVENT_WAIT_LIST)                                                                  \
    S(CL_INVALID_EVENT)                                                                            \
    S(CL_INVALID_OPERATION)                                                                        \
    S(CL_INVALID_BUFFER_SIZE)                                                                      \
    S(CL_INVALID_GLOBAL_WORK_SIZE)

const char *bp_opencl_status_name(cl_int code)
{
    switch (code) {
#define S(name)                                                                                    \
    case name:                                                                                     \
        return #name;
        STATUSES(S)
#undef S
    default:
        return "an unknown status";
    }
}

/* A driver that is out of resources has most often lost its device, or has too little memory. */
static bp_rc rc_of(cl_int code)
{
    switch (code) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_INVALID_BUFFER_SIZE:
        return BP_E_NOMEM;
    case CL_OUT_OF_RESOURCES:
    case CL_DEVICE_NOT_AVAILABLE:
    case CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST:
        return BP_E_DEVICE_LOST;
    case CL_DEVICE_NOT_FOUND:
    case CL_COMPILER_NOT_AVAILABLE:
        return BP_E_UNAVAILABLE;
    case CL_INVALID_BUILD_OPTIONS:
        return BP_E_OPTION;
    default:
        return BP_E_INTERNAL;
    }
}

bp_rc bp_opencl_fail(bp_err *err, cl_int code, const char *fmt, ...)
{
    char what[256];
    va_list args;
    bp_rc rc = rc_of(code);

    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    bp_fail(err, rc, "opencl: %s failed with %s (%d)", what, bp_opencl_status_name(code),
            (int)code);
    if (err)
        err->native_code = code;
    return rc;
}
