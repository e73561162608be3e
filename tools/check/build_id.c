/* SPDX-License-Identifier: MIT */
/* build_id.c - the GNU build-id of a file: what "this very build is conformant" is about. */

#include "config.h"

#include <elf.h>
#include <link.h>

#include "check/report.h"

enum { NOTES_MAX = 4096, ID_MAX = 20 };

/* Looks for the build-id among notes, which are rows of sizes, name and contents. */
static void search(const unsigned char *notes, size_t size, char out[48])
{
    size_t at = 0;

    while (size - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        size_t name, data;

        memcpy(&note, notes + at, sizeof note);
        name = at + sizeof note;
        if (note.n_namesz > NOTES_MAX || note.n_descsz > NOTES_MAX)
            return;
        data = name + (note.n_namesz + 3U) / 4 * 4;
        at = data + (note.n_descsz + 3U) / 4 * 4;
        if (at > size)
            return;
        if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
            memcmp(notes + name, "GNU", 4) != 0 || note.n_descsz > ID_MAX)
            continue;
        for (size_t i = 0; i < note.n_descsz; i++)
            snprintf(out + 2 * i, 3, "%02x", notes[data + i]);
        return;
    }
}

void read_build_id(const char *path, char out[48])
{
    FILE *file = fopen(path, "rb");
    ElfW(Ehdr) head;

    out[0] = '\0';
    if (!file)
        return;
    if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
        head.e_phnum = 0;
    for (unsigned i = 0; i < head.e_phnum && !out[0]; i++) {
        unsigned char notes[NOTES_MAX];
        ElfW(Phdr) segment;

        if (fseek(file, (long)(head.e_phoff + i * sizeof segment), SEEK_SET) != 0 ||
            fread(&segment, sizeof segment, 1, file) != 1)
            break;
        if (segment.p_type != PT_NOTE || segment.p_filesz > sizeof notes ||
            fseek(file, (long)segment.p_offset, SEEK_SET) != 0 ||
            fread(notes, 1, segment.p_filesz, file) != segment.p_filesz)
            continue;
        search(notes, segment.p_filesz, out);
    }
    fclose(file);
}
