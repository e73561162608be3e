/* SPDX-License-Identifier: MIT */
/* inspect.c - judges a plug-in by its bytes. */

#include "config.h"

#include "host/inspect/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A plug-in under judgement. */
struct exam {
    struct bp_vet *vet;
    const char *path;   /* or name, where it is linked in */
    const void *linked; /* its note then */
    int fd;
    int named_level;
    struct stat st;
    struct bp_vetted *out;
    struct bp_ruling *verdict;
    struct bp_elf elf;
    bool has_constructors;
};

void bp_vet_init(struct bp_vet *vet, bool is_hermetic)
{
    bp_trust_init(&vet->trust, is_hermetic);
    bp_isa_ask(&vet->isa);
    vet->sanitizer = BP_NOTE_SANITIZER;
    vet->notes = NULL;
    vet->log = NULL;
}

void bp_vetted_finish(struct bp_vetted *vetted)
{
    bp_note_finish(&vetted->note);
}

bool bp_ruling_end(struct bp_ruling *verdict, uint32_t stage, bp_rc code, const char *fix,
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

static bool check_found(struct exam *exam)
{
    struct stat *st = &exam->st;

    /* a FIFO or a device must not hold us up */
    exam->fd = open(exam->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (exam->fd < 0 || fstat(exam->fd, st) != 0)
        return bp_ruling_end(exam->verdict, BP_STAGE_FOUND, BP_E_IO, NULL, "%s: %s", exam->path,
                             strerror(errno));
    if (!S_ISREG(st->st_mode))
        return bp_ruling_end(exam->verdict, BP_STAGE_FOUND, BP_E_IO, NULL,
                             "%s: it is no regular file", exam->path);
    exam->out->dev = st->st_dev;
    exam->out->ino = st->st_ino;
    exam->out->is_there = true;
    return true;
}

static bool check_trust(struct exam *exam)
{
    struct bp_ruling *verdict = exam->verdict;
    char text[sizeof verdict->reason];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_trust_check(&exam->vet->trust, exam->path, exam->fd, verdict->fix,
                              sizeof verdict->fix, &err);

    return rc >= 0 || bp_ruling_end(verdict, BP_STAGE_SECURITY, rc, verdict->fix, "%s", text);
}

/* An ELF file of this kind of processor: what is of another cannot be judged further. */
static bool check_kind(struct exam *exam)
{
    char text[256], theirs[32], ours[32];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_elf_open(&exam->elf, exam->fd, &err);

    if (rc < 0)
        return bp_ruling_end(exam->verdict, BP_STAGE_NOTE, BP_E_IO, NULL, "%s: %s", exam->path,
                             text);
    if (!exam->elf.is_native)
        return bp_ruling_end(exam->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE,
                             "install the plug-in's build for this machine",
                             "%s is for %s (%u bits, %s-endian), this process is %s (%u bits)",
                             exam->path, bp_elf_machine_name(exam->elf.machine, theirs),
                             exam->elf.elf_class == ELFCLASS64 ? 64u : 32u,
                             exam->elf.byte_order == ELFDATA2LSB ? "little" : "big",
                             bp_elf_machine_name(bp_elf_own_machine(), ours),
                             (unsigned)sizeof(void *) * 8);
    if (exam->elf.type != ET_DYN)
        return bp_ruling_end(exam->verdict, BP_STAGE_NOTE, BP_E_IO, NULL,
                             "%s: it is an ELF file, but no shared object", exam->path);
    return true;
}

/* A list of directories that names the current directory, or one below it; NULL: it does not. */
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

static bool check_paths(struct exam *exam, const struct bp_elf_dynamic *dynamic, uint64_t offset,
                        const char *tag)
{
    char list[PATH_MAX];
    const char *entry;

    if (offset == 0)
        return true;
    if (!bp_elf_string(&exam->elf, dynamic, offset, list, sizeof list))
        return bp_ruling_end(exam->verdict, BP_STAGE_SECURITY, BP_E_INVALID, NULL,
                             "%s: its %s is damaged", exam->path, tag);
    entry = relative_entry(list);
    if (!entry)
        return true;
    return bp_ruling_end(exam->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
                         "build it with absolute directories or with $ORIGIN",
                         "%s: its %s has the entry '%.*s', which means the current directory of "
                         "whoever starts the program",
                         exam->path, tag, (int)strcspn(entry, ":"), entry);
}

/* What in the file alone would endanger the process that loads it. */
static bool check_harmless(struct exam *exam)
{
    struct bp_elf_dynamic dynamic;
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);

    if (bp_elf_dynamic_read(&exam->elf, &dynamic, &err) < 0)
        return bp_ruling_end(exam->verdict, BP_STAGE_SECURITY, BP_E_INVALID, NULL, "%s: %s",
                             exam->path, text);
    exam->has_constructors = dynamic.has_constructors;
    if (bp_elf_wants_executable_stack(&exam->elf))
        return bp_ruling_end(exam->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
                             "link it with -Wl,-z,noexecstack",
                             "%s: loading it would make the stack executable", exam->path);
    if (dynamic.has_text_relocations)
        return bp_ruling_end(
            exam->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE, "compile all of it with -fPIC",
            "%s: it has text relocations: loading it would write to its code", exam->path);
    return check_paths(exam, &dynamic, dynamic.rpath, "RPATH") &&
           check_paths(exam, &dynamic, dynamic.runpath, "RUNPATH");
}

static bool no_note(struct exam *exam, bp_rc rc, const char *why)
{
    return bp_ruling_end(exam->verdict, BP_STAGE_NOTE, rc,
                         "its author adds BP_NOTE of <bp/note.h> to it", "%s: %s", exam->path, why);
}

static bool check_note(struct exam *exam)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc = bp_note_read(&exam->elf, &exam->out->note, &err);

    return rc >= 0 || no_note(exam, rc, text);
}

static bool check_linked_note(struct exam *exam)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!exam->linked)
        return no_note(exam, BP_E_INVALID, "it is linked in without a Backplane note");
    rc = bp_note_read_linked(exam->linked, &exam->out->note, &err);
    return rc >= 0 || no_note(exam, rc, text);
}

/* What the note promises of the rest of the file. */
static bool check_promise(struct exam *exam)
{
    const char *claim = exam->out->note.no_ctor;

    if (!*claim || strcmp(claim, "0") == 0 || !exam->has_constructors)
        return true;
    return bp_ruling_end(exam->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE,
                         "its author links it with -nostartfiles, or takes the claim back",
                         "%s: its note claims no_ctor, but mapping it would run constructors of it",
                         exam->path);
}

/* Is it known what the bytes of this very file tell? Only good ones are kept. */
static bool recall(struct exam *exam)
{
    struct bp_notes *notes = exam->vet->notes;
    const char *note = NULL;
    size_t size = 0;

    if (notes)
        note = bp_notes_find(notes, exam->path, &exam->st, &size, exam->vet->log);
    exam->out->is_recalled = note && bp_note_parse(note, size, &exam->out->note, NULL) >= 0;
    return exam->out->is_recalled;
}

/* All that takes reading the file. */
static bool check_bytes(struct exam *exam)
{
    if (recall(exam))
        return true;
    if (!check_kind(exam) || !check_harmless(exam) || !check_note(exam) || !check_promise(exam))
        return false;
    if (exam->vet->notes)
        bp_notes_keep(exam->vet->notes, exam->path, &exam->st, &exam->out->note);
    return true;
}

/* What the note says of processor and build. */
static bool check_arch(struct exam *exam)
{
    const struct bp_note *note = &exam->out->note;

    if (*note->arch && strcmp(note->arch, BP_NOTE_ARCH) != 0)
        return bp_ruling_end(exam->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE, NULL,
                             "%s: its note says that it is for %.40s, this process is %s",
                             exam->path, note->arch, BP_NOTE_ARCH);
    /* code without a sanitizer runs beside one; the reverse ends the process */
    if (*note->sanitizer && strcmp(note->sanitizer, exam->vet->sanitizer) != 0)
        return bp_ruling_end(exam->verdict, BP_STAGE_ARCH, BP_E_UNAVAILABLE,
                             "use a build of the plug-in without a sanitizer",
                             "%s is built with the %.20s sanitizer, this process %s%s", exam->path,
                             note->sanitizer, *exam->vet->sanitizer ? "with " : "without one",
                             exam->vet->sanitizer);
    return true;
}

static bool check_isa(struct exam *exam)
{
    int own = bp_isa_level(&exam->vet->isa);
    int level = bp_isa_level_of(exam->out->note.isa);
    char missing[256];

    if (level == BP_ISA_UNKNOWN)
        return bp_ruling_end(exam->verdict, BP_STAGE_ISA, BP_E_UNAVAILABLE, NULL,
                             "%s needs '%.40s' of the processor, which this host cannot tell",
                             exam->path, exam->out->note.isa);
    if (level < exam->named_level)
        level = exam->named_level;
    exam->out->level = level;
    if (level <= own)
        return true;
    bp_isa_missing(&exam->vet->isa, level, missing, sizeof missing);
    return bp_ruling_end(exam->verdict, BP_STAGE_ISA, BP_E_UNAVAILABLE,
                         "install the plug-in's build for older processors",
                         "%s needs x86-64-v%d, this machine has x86-64-v%d; missing: %s",
                         exam->path, level, own, missing);
}

static bool check_abi(struct exam *exam)
{
    const struct bp_note *note = &exam->out->note;

    if (note->abi.major != BP_ABI_MAJOR)
        return bp_ruling_end(exam->verdict, BP_STAGE_ABI, BP_E_VERSION,
                             "install the plug-in's build for this version",
                             "%s speaks ABI %u.%u, this host speaks %u.0 to %u.%u", exam->path,
                             note->abi.major, note->abi.minor, BP_ABI_MAJOR, BP_ABI_MAJOR,
                             BP_ABI_MINOR);
    if (note->needs_host.major == BP_ABI_MAJOR && note->needs_host.minor <= BP_ABI_MINOR)
        return true;
    return bp_ruling_end(exam->verdict, BP_STAGE_ABI, BP_E_VERSION,
                         "install a newer Backplane, or an older version of the plug-in",
                         "%s needs a host of ABI %u.%u, this host speaks %u.0 to %u.%u", exam->path,
                         note->needs_host.major, note->needs_host.minor, BP_ABI_MAJOR, BP_ABI_MAJOR,
                         BP_ABI_MINOR);
}

typedef bool check_fn(struct exam *);

/* One check after the other, until one ends it. */
static void run_checks(struct exam *exam, check_fn *const *checks, size_t n)
{
    bool goes_on = true;

    *exam->out = (struct bp_vetted){0};
    *exam->verdict = (struct bp_ruling){.stage = BP_STAGE_ABI};
    for (size_t i = 0; goes_on && i < n; i++)
        goes_on = checks[i](exam);
}

/* All checks in turn; the descriptor of the file, also when it is refused, or -1. */
static int examine(struct bp_vet *vet, const char *path, int named_level, struct bp_vetted *out,
                   struct bp_ruling *verdict)
{
    static check_fn *const checks[] = {
        check_found, check_trust, check_bytes, check_arch, check_isa, check_abi,
    };
    struct exam exam = {.vet = vet,
                        .path = path,
                        .fd = -1,
                        .named_level = named_level,
                        .out = out,
                        .verdict = verdict};

    run_checks(&exam, checks, sizeof checks / sizeof checks[0]);
    return exam.fd;
}

void bp_vet_file(struct bp_vet *vet, const char *path, int named_level, struct bp_vetted *out,
                 struct bp_ruling *verdict)
{
    int fd = examine(vet, path, named_level, out, verdict);

    if (fd >= 0)
        close(fd);
}

int bp_vet_again(struct bp_vet *vet, const char *path, int named_level, struct bp_vetted *out,
                 struct bp_ruling *verdict)
{
    struct bp_notes *notes = vet->notes;
    int fd;

    vet->notes = NULL;
    bp_trust_forget(&vet->trust);
    fd = examine(vet, path, named_level, out, verdict);
    vet->notes = notes;
    if (fd >= 0 && verdict->code < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

void bp_vet_linked(struct bp_vet *vet, const char *module, const void *note, struct bp_vetted *out,
                   struct bp_ruling *verdict)
{
    static check_fn *const checks[] = {check_linked_note, check_arch, check_isa, check_abi};
    struct exam exam = {.vet = vet, .path = module, .linked = note, .out = out, .verdict = verdict};

    run_checks(&exam, checks, sizeof checks / sizeof checks[0]);
}
