/* SPDX-License-Identifier: MIT */
/*
 * elf.h - reads ELF files by their bytes, without mapping them: what a plug-in is and needs, before
 * anything of it can run. The file is hostile input: every offset and size is checked.
 */
#ifndef BP_HOST_INSPECT_ELF_H
#define BP_HOST_INSPECT_ELF_H

#include <link.h>

#include "base/status.h"

enum {
    BP_ELF_MAX_SEGMENTS = 64,
    BP_ELF_MAX_NEEDED = 256,
    BP_ELF_HEAD = 4096 /* bytes read at once: headers, and in most files the ELF notes */
};

/* An open file. The descriptor is the caller's and must outlive this. */
struct bp_elf {
    int fd;
    uint64_t size;
    uint8_t elf_class, byte_order; /* ELFCLASS*, ELFDATA* */
    uint16_t type, machine;        /* ET_*, EM_* */
    bool is_native; /* of this process's class, order and machine: the rest is filled in */
    uint32_t n_segments;
    ElfW(Phdr) segments[BP_ELF_MAX_SEGMENTS];
    size_t n_head;
    unsigned char head[BP_ELF_HEAD];
};

/* The dynamic section. Offsets of strings count from `strings`; 0: there is none. */
struct bp_elf_dynamic {
    uint64_t strings, n_strings; /* place in the file, and bytes */
    uint64_t runpath, rpath, soname;
    uint64_t needed[BP_ELF_MAX_NEEDED];
    uint32_t n_needed;
    bool has_text_relocations;
    bool has_constructors; /* mapping it runs code of it */
};

/* BP_E_INVALID: no ELF file, or a damaged one. BP_E_IO: cannot be read. */
bp_rc bp_elf_open(struct bp_elf *out, int fd, bp_err *err) BP_CHECKED;
/* Bytes of the file; false: they are not all there. */
bool bp_elf_read(const struct bp_elf *elf, uint64_t at, void *out, size_t n) BP_CHECKED;
/* Of a native file. BP_E_INVALID: damaged, or it has none. */
bp_rc bp_elf_dynamic_read(const struct bp_elf *elf, struct bp_elf_dynamic *out,
                          bp_err *err) BP_CHECKED;
/* A string of the dynamic table, whole and with its NUL; false: too long or beyond the table. */
bool bp_elf_string(const struct bp_elf *elf, const struct bp_elf_dynamic *dynamic, uint64_t offset,
                   char *out, size_t cap) BP_CHECKED;
/* Does loading a native file make the stack executable? */
bool bp_elf_wants_executable_stack(const struct bp_elf *elf);
/* "x86-64" for EM_X86_64, else a number. `buf` holds what is made up. */
const char *bp_elf_machine_name(uint16_t machine, char buf[32]);
/* The machine of this process, EM_*. */
uint16_t bp_elf_own_machine(void);

#endif
