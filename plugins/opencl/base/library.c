/* SPDX-License-Identifier: MIT */
/*
 * library.c - opens the OpenCL loader, lists its devices, and says what is missing where it has
 * none: which files name drivers, and which of those drivers cannot be opened.
 */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "base/library.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/surroundings.h"

#define VENDORS "/etc/OpenCL/vendors"

enum { NO_PLATFORM = -1001 }; /* CL_PLATFORM_NOT_FOUND_KHR of CL/cl_ext.h */

/*
 * One a process, as OpenCL's loader is. Never closed: threads of drivers may be anywhere. An answer
 * that was given stays as it is; where a driver failed meanwhile, it is asked anew, and the second
 * place holds its answer once it has devices.
 */
static struct {
    pthread_mutex_t lock;
    const struct bp_opencl_library *open;
    const struct bp_opencl_listing *listed;
    struct bp_opencl_library libraries[2];
    struct bp_opencl_listing listings[2];
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool is_final(const struct bp_opencl_listing *listing)
{
    return listing->n_devices > 0 || !listing->is_passing;
}

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

/* Notes the first call that fails, for the reason why there is no device. */
static bool is_well(struct bp_opencl_library *library, const char *call, cl_int code)
{
    if (code != CL_SUCCESS && !library->failed) {
        library->failed = call;
        library->failed_with = code;
    }
    return code == CL_SUCCESS;
}

/* Empty where the driver does not say, or says more than there is room for. */
static void read_text(const struct bp_opencl_library *library, cl_device_id id, cl_device_info what,
                      char *out)
{
    out[0] = '\0';
    if (library->clGetDeviceInfo(id, what, BP_OPENCL_TEXT - 1, out, NULL) != CL_SUCCESS)
        out[0] = '\0';
    out[BP_OPENCL_TEXT - 1] = '\0';
}

static bool read_number(struct bp_opencl_library *library, cl_device_id id, cl_device_info what,
                        size_t size, void *out)
{
    return is_well(library, "clGetDeviceInfo", library->clGetDeviceInfo(id, what, size, out, NULL));
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
static bool is_usable(struct bp_opencl_library *library, cl_device_id id)
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

    if (code == NO_PLATFORM || !is_well(library, "clGetPlatformIDs", code))
        n = 0;
    for (cl_uint i = 0; i < n && i < BP_OPENCL_MAX_DEVICES; i++) {
        cl_device_id ids[BP_OPENCL_MAX_DEVICES];
        cl_uint found = 0;

        code = library->clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, BP_OPENCL_MAX_DEVICES, ids,
                                       &found);
        if (code == CL_DEVICE_NOT_FOUND || !is_well(library, "clGetDeviceIDs", code))
            continue;
        for (cl_uint k = 0; k < found && k < BP_OPENCL_MAX_DEVICES; k++)
            add_device(library, platforms[i], ids[k]);
    }
    if (library->listing.n_devices > 0)
        return;
    say(listing, "%s shows %s", BP_OPENCL_SONAME,
        n > 0 ? "no device that is switched on and has a compiler" : "no platform");
    if (library->failed)
        say(listing, "; %s failed with %s (%d)", library->failed,
            bp_opencl_status_name(library->failed_with), (int)library->failed_with);
    listing->is_passing = library->failed != NULL;
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

/* [locked] */
static const struct bp_opencl_library *open_once(void)
{
    struct bp_opencl_library *to = &process.libraries[process.open != NULL];
    struct bp_opencl_saved saved;

    if (process.open && is_final(&process.open->listing))
        return process.open;
    memset(to, 0, sizeof *to);
    bp_opencl_save(&saved);
    open_library(to);
    bp_opencl_put_back(&saved);
    if (!process.open || to->listing.n_devices > 0)
        process.open = to;
    return process.open;
}

const struct bp_opencl_library *bp_opencl_library(void)
{
    const struct bp_opencl_library *library;

    pthread_mutex_lock(&process.lock);
    library = open_once();
    pthread_mutex_unlock(&process.lock);
    return library;
}

/* ---- listing --------------------------------------------------------------------------------- */

static const struct bp_opencl_listing *list_here(void)
{
    return &open_once()->listing;
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
    if (process.open || is_loaded()) {
        *listing = *list_here();
        return;
    }
    if (bp_opencl_ask_child(list_here, listing))
        return;
    memset(listing, 0, sizeof *listing);
    listing->is_passing = true;
    say(listing,
        "the OpenCL drivers gave no list of their devices: the process that asked them "
        "ended, or %d s passed",
        BP_OPENCL_LIST_MS / 1000);
    snprintf(listing->fix, sizeof listing->fix, "see whether clinfo lists devices");
}

const struct bp_opencl_listing *bp_opencl_list(void)
{
    const struct bp_opencl_listing *listed;
    struct bp_opencl_listing *to;

    pthread_mutex_lock(&process.lock);
    if (!process.listed || !is_final(process.listed)) {
        to = &process.listings[process.listed != NULL];
        list_once(to);
        if (!process.listed || to->n_devices > 0)
            process.listed = to;
    }
    listed = process.listed;
    pthread_mutex_unlock(&process.lock);
    return listed;
}
