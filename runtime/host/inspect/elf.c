/* SPDX-License-Identifier: MIT */
/* elf.c - reads ELF files by their bytes. */

#include "config.h"

#include "host/inspect/elf.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DYNAMIC = 4096 }; /* entries; real ones have some dozens */

#if __BYTE_ORDER == __LITTLE_ENDIAN
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif
#define OWN_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/* Reads with pread(), which leaves the descriptor's position alone: a caller may share it. */
static bool read_all(int fd, uint64_t at, void *out, size_t n)
{
    unsigned char *to = out;

    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        at += (uint64_t)got;
        n -= (size_t)got;
    }
    return true;
}

bool bp_elf_read(const struct bp_elf *elf, uint64_t at, void *out, size_t n)
{
    if (at > elf->size || n > elf->size - at)
        return false;
    if (at <= elf->n_head && n <= elf->n_head - at) {
        memcpy(out, elf->head + at, n);
        return true;
    }
    return read_all(elf->fd, at, out, n);
}

/* Reads a 16-bit field in the byte order that the file declares. */
static uint16_t half(const struct bp_elf *elf, size_t at)
{
    unsigned low = elf->head[at], high = elf->head[at + 1];

    return (uint16_t)(elf->byte_order == ELFDATA2LSB ? low | high << 8 : high | low << 8);
}

/* Is the file of this class and byte order? Only then its structs are those of <link.h>. */
static bp_rc read_segments(struct bp_elf *elf, bp_err *err)
{
    ElfW(Ehdr) header;

    if (!bp_elf_read(elf, 0, &header, sizeof header))
        return bp_fail(err, BP_E_INVALID, "its ELF header is cut off; copy the file again");
    if (header.e_phentsize != sizeof elf->segments[0] || header.e_phnum == 0 ||
        header.e_phnum > BP_ELF_MAX_SEGMENTS)
        return bp_fail(
            err, BP_E_INVALID,
            "it has %u program headers of %u bytes, where 1 to %d of %zu bytes are possible; it is "
            "damaged, copy it again",
            (unsigned)header.e_phnum, (unsigned)header.e_phentsize, BP_ELF_MAX_SEGMENTS,
            sizeof elf->segments[0]);
    elf->n_segments = header.e_phnum;
    if (!bp_elf_read(elf, header.e_phoff, elf->segments, elf->n_segments * sizeof elf->segments[0]))
        return bp_fail(err, BP_E_INVALID,
                       "its program headers lie beyond its end; copy the file again");
    return BP_OK;
}

/*
 * e_type and e_machine lie at the same offsets in both classes (gABI, "ELF Header"), so a file of
 * another kind can still be named.
 */
bp_rc bp_elf_open(struct bp_elf *out, int fd, bp_err *err)
{
    enum { E_TYPE = 16, E_MACHINE = 18, LEAST = 20 };
    struct stat st;

    memset(out, 0, offsetof(struct bp_elf, head));
    out->fd = fd;
    if (fstat(fd, &st) != 0)
        return bp_fail(err, BP_E_IO, "its size cannot be read: %s", strerror(errno));
    out->size = st.st_size < 0 ? 0 : (uint64_t)st.st_size;
    out->n_head = out->size < BP_ELF_HEAD ? (size_t)out->size : BP_ELF_HEAD;
    if (!read_all(fd, 0, out->head, out->n_head))
        return bp_fail(err, BP_E_IO, "its first %zu bytes cannot be read: %s", out->n_head,
                       errno ? strerror(errno) : "it became shorter");
    if (out->n_head < LEAST || memcmp(out->head, ELFMAG, SELFMAG) != 0)
        return bp_fail(err, BP_E_INVALID, "it is not an ELF file; a plug-in is a shared object");
    out->elf_class = out->head[EI_CLASS];
    out->byte_order = out->head[EI_DATA];
    out->type = half(out, E_TYPE);
    out->machine = half(out, E_MACHINE);
    out->is_native = out->elf_class == OWN_CLASS && out->byte_order == OWN_ORDER &&
                     out->machine == bp_elf_own_machine();
    return out->is_native ? read_segments(out, err) : BP_OK;
}

/* Returns the segment of a type; NULL: none. */
static const ElfW(Phdr) * find_segment(const struct bp_elf *elf, uint32_t type)
{
    for (uint32_t i = 0; i < elf->n_segments; i++) {
        if (elf->segments[i].p_type == type)
            return &elf->segments[i];
    }
    return NULL;
}

/*
 * Finds where n bytes at an address of memory are in the file: the dynamic section holds addresses,
 * and a PT_LOAD segment maps them to the file.
 */
static bool offset_of(const struct bp_elf *elf, uint64_t address, uint64_t n, uint64_t *out)
{
    for (uint32_t i = 0; i < elf->n_segments; i++) {
        const ElfW(Phdr) *segment = &elf->segments[i];

        if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
            address - segment->p_vaddr > segment->p_filesz ||
            n > segment->p_filesz - (address - segment->p_vaddr))
            continue;
        *out = segment->p_offset + (address - segment->p_vaddr);
        return *out >= segment->p_offset;
    }
    return false;
}

/* Records an entry; addresses stay as they are. Other tags have no influence on safety. */
static void take_entry(struct bp_elf_dynamic *out, const ElfW(Dyn) * entry)
{
    switch (entry->d_tag) {
    case DT_STRTAB:
        out->strings = entry->d_un.d_ptr;
        break;
    case DT_STRSZ:
        out->n_strings = entry->d_un.d_val;
        break;
    case DT_RUNPATH:
        out->runpath = entry->d_un.d_val;
        break;
    case DT_RPATH:
        out->rpath = entry->d_un.d_val;
        break;
    case DT_SONAME:
        out->soname = entry->d_un.d_val;
        break;
    case DT_NEEDED:
        if (out->n_needed < BP_ELF_MAX_NEEDED)
            out->needed[out->n_needed++] = entry->d_un.d_val;
        break;
    case DT_TEXTREL:
        out->has_text_relocations = true;
        break;
    case DT_INIT:
        out->has_constructors = true;
        break;
    case DT_INIT_ARRAYSZ:
    case DT_PREINIT_ARRAYSZ:
        out->has_constructors |= entry->d_un.d_val > 0;
        break;
    case DT_FLAGS:
        out->has_text_relocations |= (entry->d_un.d_val & DF_TEXTREL) != 0;
        break;
    default:
        break;
    }
}

bp_rc bp_elf_dynamic_read(const struct bp_elf *elf, struct bp_elf_dynamic *out, bp_err *err)
{
    const ElfW(Phdr) *segment = find_segment(elf, PT_DYNAMIC);
    ElfW(Dyn) * entries;
    size_t n;

    memset(out, 0, sizeof *out);
    if (!segment)
        return bp_fail(
            err, BP_E_INVALID,
            "it is not a shared object: it has no dynamic section; link it with -shared");
    n = segment->p_filesz / sizeof *entries;
    if (n == 0 || n > MAX_DYNAMIC)
        return bp_fail(
            err, BP_E_INVALID,
            "its dynamic section has %zu entries, where 1 to %d are possible; it is damaged, "
            "copy it again",
            n, MAX_DYNAMIC);
    entries = calloc(n, sizeof *entries);
    if (!entries)
        return bp_fail_nomem(err, "a dynamic section");
    if (!bp_elf_read(elf, segment->p_offset, entries, n * sizeof *entries)) {
        free(entries);
        return bp_fail(err, BP_E_INVALID,
                       "its dynamic section lies beyond its end; copy the file again");
    }
    for (size_t i = 0; i < n && entries[i].d_tag != DT_NULL; i++)
        take_entry(out, &entries[i]);
    free(entries);
    if (!offset_of(elf, out->strings, out->n_strings, &out->strings))
        return bp_fail(err, BP_E_INVALID,
                       "its dynamic strings lie in no segment; it is damaged, copy it again");
    return BP_OK;
}

/* A string without a NUL inside the table is refused, as reading on would leave the table. */
bool bp_elf_string(const struct bp_elf *elf, const struct bp_elf_dynamic *dynamic, uint64_t offset,
                   char *out, size_t cap)
{
    uint64_t n;

    if (offset >= dynamic->n_strings)
        return false;
    n = dynamic->n_strings - offset;
    if (n > cap)
        n = cap;
    return bp_elf_read(elf, dynamic->strings + offset, out, (size_t)n) &&
           memchr(out, 0, (size_t)n) != NULL;
}

bool bp_elf_wants_executable_stack(const struct bp_elf *elf)
{
    const ElfW(Phdr) *stack = find_segment(elf, PT_GNU_STACK);

    if (stack)
        return (stack->p_flags & PF_X) != 0;
    /* without the header the linker makes the stack executable, the default of old compilers */
    return elf->machine == EM_X86_64 || elf->machine == EM_386 || elf->machine == EM_ARM;
}

static const struct {
    uint16_t machine;
    char name[12];
} machines[] = {
    {EM_X86_64, "x86_64"}, {EM_386, "i386"},      {EM_AARCH64, "aarch64"}, {EM_ARM, "arm"},
    {EM_RISCV, "riscv"},   {EM_PPC64, "ppc64"},   {EM_S390, "s390"},       {EM_MIPS, "mips"},
    {EM_PPC, "ppc"},       {EM_SPARCV9, "sparc"},
};

const char *bp_elf_machine_name(uint16_t machine, char buf[32])
{
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        if (machines[i].machine == machine)
            return machines[i].name;
    }
    snprintf(buf, 32, "machine %u", (unsigned)machine);
    return buf;
}

uint16_t bp_elf_own_machine(void)
{
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__i386__)
    return EM_386;
#elif defined(__aarch64__)
    return EM_AARCH64;
#elif defined(__arm__)
    return EM_ARM;
#elif defined(__riscv)
    return EM_RISCV;
#elif defined(__powerpc64__)
    return EM_PPC64;
#elif defined(__s390__)
    return EM_S390;
#else
    return EM_NONE; /* nothing is native here until a line is added */
#endif
}
