/* SPDX-License-Identifier: MIT */
/* inspect.c - static checks of a plug-in: file, ELF headers, manifest, processor, ABI. */

#include "config.h"

#include "host/inspect/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One inspection of a plug-in. */
struct inspection {
    struct bp_inspector *inspector;
    const char *path;   /* or its name, for a linked-in provider */
    const void *linked; /* its manifest */
    int fd;
    int named_level;
    struct stat st;
    struct bp_inspected *out;
    struct bp_stage_verdict *verdict;
    struct bp_elf elf;
    bool has_constructors;
};

void bp_inspector_init(struct bp_inspector *inspector, bool is_hermetic)
{
    bp_trust_init(&inspector->trust, is_hermetic);
    bp_isa_ask(&inspector->isa);
    inspector->sanitizer = BP_MANIFEST_SANITIZER;
    inspector->cache = NULL;
    inspector->log = NULL;
}

void bp_inspected_finish(struct bp_inspected *inspected)
{
    bp_manifest_finish(&inspected->manifest);
}

bool bp_stage_refuse(struct bp_stage_verdict *verdict, uint32_t stage, bp_rc code, const char *fix,
                     const char *fmt, ...)
{
    va_list args;

    verdict->stage = stage;
    verdict->code = code;
    if (fix && fix != verdict->fix)
        snprintf(verdict->fix, sizeof verdict->fix, "%s", fix);
    va_start(args, fmt);
    vsnprintf(verdict->reason, sizeof verdict->reason, fmt, args);
    va_end(args);
    return false;
}

/*
 * Opens the file once; all checks read through this descriptor, so that no other process can
 * replace the file between two checks.
 */
static bool check_found(struct inspection *it)
{
    struct stat *st = &it->st;

    /* opening a FIFO or a device must not block */
    it->fd = open(it->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (it->fd < 0 || fstat(it->fd, st) != 0)
        return bp_stage_refuse(it->verdict, BP_STAGE_FOUND, BP_E_IO, NULL, "%s: %s", it->path,
                               strerror(errno));
    if (!S_ISREG(st->st_mode))
        return bp_stage_refuse(it->verdict, BP_STAGE_FOUND, BP_E_IO, NULL,
                               "%s: it is not a regular file", it->path);
    it->out->dev = st->st_dev;
    it->out->ino = st->st_ino;
    it->out->is_there = true;
    return true;
}

/*
 * Checks who may write to the file, before any byte is read: parsing a hostile file is only as safe
 * as the parser.
 */
static bool check_trust(struct inspection *it)
{
    struct bp_stage_verdict *verdict = it->verdict;
    char text[sizeof verdict->reason];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_trust_check(&it->inspector->trust, it->path, it->fd, verdict->fix,
                              sizeof verdict->fix, &err);

    return rc >= 0 || bp_stage_refuse(verdict, BP_STAGE_SECURITY, rc, verdict->fix, "%s", text);
}

/* Checks that the file is ELF for this kind of processor; others cannot be inspected further. */
static bool check_kind(struct inspection *it)
{
    char text[256], theirs[32], ours[32];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_elf_open(&it->elf, it->fd, &err);

    if (rc < 0)
        return bp_stage_refuse(it->verdict, BP_STAGE_MANIFEST, BP_E_IO,
                               "install the plug-in again; its file is a shared object, whole",
                               "%s: %s", it->path, text);
    if (!it->elf.is_native)
        return bp_stage_refuse(it->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE,
                               "install the plug-in's build for this machine",
                               "%s is for %s (%u bits, %s-endian), this process is %s (%u bits)",
                               it->path, bp_elf_machine_name(it->elf.machine, theirs),
                               it->elf.elf_class == ELFCLASS64 ? 64u : 32u,
                               it->elf.byte_order == ELFDATA2LSB ? "little" : "big",
                               bp_elf_machine_name(bp_elf_own_machine(), ours),
                               (unsigned)sizeof(void *) * 8);
    if (it->elf.type != ET_DYN)
        return bp_stage_refuse(it->verdict, BP_STAGE_MANIFEST, BP_E_IO, "link it with -shared",
                               "%s: it is an ELF file, but not a shared object", it->path);
    return true;
}

/*
 * Returns the entry of a list of directories that is the current directory or below it; NULL: none.
 * ld.so(8): an empty entry means the current directory, and $ORIGIN the directory of the file.
 */
static const char *relative_entry(const char *list)
{
    for (const char *entry = list;; entry++) {
        size_t n = strcspn(entry, ":");

        if (entry[0] != '/' && strncmp(entry, "$ORIGIN", 7) != 0 &&
            strncmp(entry, "${ORIGIN}", 9) != 0)
            return entry;
        entry += n;
        if (!*entry)
            return NULL;
    }
}

static bool check_paths(struct inspection *it, const struct bp_elf_dynamic *dynamic,
                        uint64_t offset, const char *tag)
{
    char list[PATH_MAX];
    const char *entry;

    if (offset == 0)
        return true;
    if (!bp_elf_string(&it->elf, dynamic, offset, list, sizeof list))
        return bp_stage_refuse(it->verdict, BP_STAGE_SECURITY, BP_E_INVALID, NULL,
                               "%s: its %s is damaged", it->path, tag);
    entry = relative_entry(list);
    if (!entry)
        return true;
    return bp_stage_refuse(it->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
                           "build it with absolute directories or with $ORIGIN",
                           "%s: its %s has the entry '%.*s', which means the current directory of "
                           "whoever starts the program",
                           it->path, tag, (int)strcspn(entry, ":"), entry);
}

/*
 * Checks what in the file alone would endanger the process that loads it. An executable stack or a
 * text relocation weakens the whole process; no flag of dlopen() refuses them, so they are checked
 * here.
 */
static bool check_harmless(struct inspection *it)
{
    struct bp_elf_dynamic dynamic;
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);

    if (bp_elf_dynamic_read(&it->elf, &dynamic, &err) < 0)
        return bp_stage_refuse(it->verdict, BP_STAGE_SECURITY, BP_E_INVALID, NULL, "%s: %s",
                               it->path, text);
    it->has_constructors = dynamic.has_constructors;
    if (bp_elf_wants_executable_stack(&it->elf))
        return bp_stage_refuse(it->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
                               "link it with -Wl,-z,noexecstack",
                               "%s: loading it would make the stack executable", it->path);
    if (dynamic.has_text_relocations)
        return bp_stage_refuse(
            it->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "compile all of it with -fPIC",
            "%s: it has text relocations: loading it would write to its code", it->path);
    return check_paths(it, &dynamic, dynamic.rpath, "RPATH") &&
           check_paths(it, &dynamic, dynamic.runpath, "RUNPATH");
}

/* A manifest is the author's to mend, missing or malformed. */
static bool no_manifest(struct inspection *it, bp_rc rc, const char *why)
{
    return bp_stage_refuse(it->verdict, BP_STAGE_MANIFEST, rc,
                           "ask its author for a build with a sound BP_MANIFEST of <bp/manifest.h>",
                           "%s: %s", it->path, why);
}

static bool check_manifest(struct inspection *it)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_manifest_read(&it->elf, &it->out->manifest, &err);

    return rc >= 0 || no_manifest(it, rc, text);
}

static bool check_linked_manifest(struct inspection *it)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!it->linked)
        return no_manifest(it, BP_E_INVALID, "it is linked in without a Backplane manifest");
    rc = bp_manifest_read_linked(it->linked, &it->out->manifest, &err);
    return rc >= 0 || no_manifest(it, rc, text);
}

/*
 * Checks what the manifest promises of the rest of the file. no_ctor tells a user that mapping runs
 * nothing; DT_INIT and the arrays of constructors would run something.
 */
static bool check_promise(struct inspection *it)
{
    const char *claim = it->out->manifest.no_ctor;

    if (!*claim || strcmp(claim, "0") == 0 || !it->has_constructors)
        return true;
    return bp_stage_refuse(
        it->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
        "its author links it with -nostartfiles, or takes the claim back",
        "%s: its manifest claims no_ctor, but mapping it would run constructors of it", it->path);
}

/*
 * Is the result for the bytes of this file in the cache? Only good results are kept: a file enters
 * the cache after passing all checks of its bytes, so these are skipped as well.
 */
static bool recall(struct inspection *it)
{
    struct bp_manifest_cache *cache = it->inspector->cache;
    const char *manifest = NULL;
    size_t size = 0;

    if (cache)
        manifest = bp_manifest_cache_find(cache, it->path, &it->st, &size, it->inspector->log);
    it->out->is_recalled =
        manifest && bp_manifest_parse(manifest, size, &it->out->manifest, NULL) >= 0;
    return it->out->is_recalled;
}

/* Makes all checks that read the file. */
static bool check_bytes(struct inspection *it)
{
    if (recall(it))
        return true;
    if (!check_kind(it) || !check_harmless(it) || !check_manifest(it) || !check_promise(it))
        return false;
    if (it->inspector->cache)
        bp_manifest_cache_keep(it->inspector->cache, it->path, &it->st, &it->out->manifest);
    return true;
}

/* Checks what the manifest says of processor and build. */
static bool check_arch(struct inspection *it)
{
    const struct bp_manifest *manifest = &it->out->manifest;

    if (*manifest->arch && strcmp(manifest->arch, BP_MANIFEST_ARCH) != 0)
        return bp_stage_refuse(it->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE, NULL,
                               "%s: its manifest says that it is for %.40s, this process is %s",
                               it->path, manifest->arch, BP_MANIFEST_ARCH);
    /* code without a sanitizer runs beside code with one; the reverse ends the process */
    if (*manifest->sanitizer && strcmp(manifest->sanitizer, it->inspector->sanitizer) != 0)
        return bp_stage_refuse(it->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE,
                               "use a build of the plug-in without a sanitizer",
                               "%s is built with the %.20s sanitizer, this process %s%s", it->path,
                               manifest->sanitizer,
                               *it->inspector->sanitizer ? "with " : "without one",
                               it->inspector->sanitizer);
    return true;
}

/*
 * Checks the processor's level against the higher of two requirements, that of the manifest and
 * that of the file's name (0: none).
 */
static bool check_isa(struct inspection *it)
{
    int own = bp_isa_level(&it->inspector->isa);
    int level = bp_isa_level_of(it->out->manifest.isa);
    char missing[256];

    if (level == BP_ISA_UNKNOWN)
        return bp_stage_refuse(it->verdict, BP_STAGE_ISA, BP_E_UNAVAILABLE, NULL,
                               "%s needs '%.40s' of the processor, which this host cannot tell",
                               it->path, it->out->manifest.isa);
    if (level < it->named_level)
        level = it->named_level;
    it->out->level = level;
    if (level <= own)
        return true;
    bp_isa_missing(&it->inspector->isa, level, missing, sizeof missing);
    return bp_stage_refuse(it->verdict, BP_STAGE_ISA, BP_E_UNAVAILABLE,
                           "install the plug-in's build for older processors",
                           "%s needs x86-64-v%d, this machine has x86-64-v%d; missing: %s",
                           it->path, level, own, missing);
}

/*
 * Checks the ABI version: host and plug-in must have the same major version, and the host at least
 * the minor version that the plug-in requires.
 */
static bool check_abi(struct inspection *it)
{
    const struct bp_manifest *manifest = &it->out->manifest;

    if (manifest->abi.major != BP_ABI_MAJOR)
        return bp_stage_refuse(
            it->verdict, BP_STAGE_ABI, BP_E_VERSION, "install the plug-in's build for this version",
            "%s speaks ABI %u.%u, this host speaks %u.0 to %u.%u", it->path, manifest->abi.major,
            manifest->abi.minor, BP_ABI_MAJOR, BP_ABI_MAJOR, BP_ABI_MINOR);
    if (manifest->needs_host.major == BP_ABI_MAJOR && manifest->needs_host.minor <= BP_ABI_MINOR)
        return true;
    return bp_stage_refuse(it->verdict, BP_STAGE_ABI, BP_E_VERSION,
                           "install a newer Backplane, or an older version of the plug-in",
                           "%s needs a host of ABI %u.%u, this host speaks %u.0 to %u.%u", it->path,
                           manifest->needs_host.major, manifest->needs_host.minor, BP_ABI_MAJOR,
                           BP_ABI_MAJOR, BP_ABI_MINOR);
}

typedef bool check_fn(struct inspection *);

/* Makes one check after the other, until one fails. */
static void run_checks(struct inspection *it, check_fn *const *checks, size_t n)
{
    bool goes_on = true;

    *it->out = (struct bp_inspected){0};
    *it->verdict = (struct bp_stage_verdict){.stage = BP_STAGE_ABI};
    for (size_t i = 0; goes_on && i < n; i++)
        goes_on = checks[i](it);
}

/*
 * Makes all checks in order and returns the descriptor of the file, also after a refusal; -1: the
 * file is not open.
 */
static int inspect(struct bp_inspector *inspector, const char *path, int named_level,
                   struct bp_inspected *out, struct bp_stage_verdict *verdict)
{
    static check_fn *const checks[] = {
        check_found, check_trust, check_bytes, check_arch, check_isa, check_abi,
    };
    struct inspection it = {.inspector = inspector,
                            .path = path,
                            .fd = -1,
                            .named_level = named_level,
                            .out = out,
                            .verdict = verdict};

    run_checks(&it, checks, sizeof checks / sizeof checks[0]);
    return it.fd;
}

void bp_inspect_file(struct bp_inspector *inspector, const char *path, int named_level,
                     struct bp_inspected *out, struct bp_stage_verdict *verdict)
{
    int fd = inspect(inspector, path, named_level, out, verdict);

    if (fd >= 0)
        close(fd);
}

/*
 * Inspects without the cache and forgets what is known of directories, because the file as it is
 * now counts.
 */
int bp_inspect_again(struct bp_inspector *inspector, const char *path, int named_level,
                     struct bp_inspected *out, struct bp_stage_verdict *verdict)
{
    struct bp_manifest_cache *cache = inspector->cache;
    int fd;

    inspector->cache = NULL;
    bp_trust_forget(&inspector->trust);
    fd = inspect(inspector, path, named_level, out, verdict);
    inspector->cache = cache;
    if (fd >= 0 && verdict->code < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void bp_inspect_linked(struct bp_inspector *inspector, const char *module, const void *manifest,
                       struct bp_inspected *out, struct bp_stage_verdict *verdict)
{
    static check_fn *const checks[] = {check_linked_manifest, check_arch, check_isa, check_abi};
    struct inspection it = {
        .inspector = inspector, .path = module, .linked = manifest, .out = out, .verdict = verdict};

    run_checks(&it, checks, sizeof checks / sizeof checks[0]);
}
