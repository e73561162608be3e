/* SPDX-License-Identifier: MIT */
/* group_file.c - FILE: what the shared object says of itself before any of it has run. */

#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check/kit.h"

#ifndef STB_GNU_UNIQUE
#define STB_GNU_UNIQUE 10
#endif

/* A mapped ELF file of this machine's kind; every access goes through at(). */
struct elf {
    const unsigned char *bytes;
    size_t size;
    const ElfW(Ehdr) * head;
    const ElfW(Shdr) * sections;
};

/* The content of a manifest. */
struct manifest {
    const char *text;
    size_t size;
};

/* n bytes at an offset, or NULL when the file is too short. */
static const void *at(const struct elf *elf, uint64_t offset, uint64_t n)
{
    if (offset > elf->size || n > elf->size - offset)
        return NULL;
    return elf->bytes + offset;
}

static void elf_open(struct kit *kit, struct elf *elf)
{
    int fd = open(kit->path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *map;

    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        kit_fail(kit, "it cannot be read");
    elf->size = (size_t)info.st_size;
    map = mmap(NULL, elf->size ? elf->size : 1, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        kit_fail(kit, "it cannot be mapped");
    elf->bytes = map;
    elf->head = at(elf, 0, sizeof *elf->head);
    if (!elf->head || memcmp(elf->head->e_ident, ELFMAG, SELFMAG) != 0)
        kit_fail(kit, "it is not an ELF file");
    if (elf->head->e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        kit_fail(kit, "it is for machines of another word size");
    if (elf->head->e_type != ET_DYN)
        kit_fail(kit, "it is not a shared object");
    elf->sections =
        at(elf, elf->head->e_shoff, (uint64_t)elf->head->e_shnum * sizeof *elf->sections);
    if (!elf->sections || elf->head->e_shentsize != sizeof *elf->sections)
        kit_skip(kit, "it has no section headers to read");
}

static const ElfW(Shdr) * section(const struct elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->head->e_shnum; i++) {
        if (elf->sections[i].sh_type == type)
            return &elf->sections[i];
    }
    return NULL;
}

/* The text at `offset` of the string table that a section links to; "" when it is out of range. */
static const char *text_of(const struct elf *elf, const ElfW(Shdr) * of, uint64_t offset)
{
    const ElfW(Shdr) * strings;
    const char *text;

    if (of->sh_link >= elf->head->e_shnum)
        return "";
    strings = &elf->sections[of->sh_link];
    text = at(elf, strings->sh_offset, strings->sh_size);
    if (!text || offset >= strings->sh_size || !memchr(text + offset, 0, strings->sh_size - offset))
        return "";
    return text + offset;
}

/* Entry i of the dynamic section; NULL: end. */
static const ElfW(Dyn) * dynamic(struct kit *kit, const struct elf *elf, size_t i)
{
    const ElfW(Shdr) *found = section(elf, SHT_DYNAMIC);
    const ElfW(Dyn) * rows;

    if (!found)
        kit_fail(kit, "it has no dynamic section");
    rows = at(elf, found->sh_offset, found->sh_size);
    if (!rows || i >= found->sh_size / sizeof *rows || rows[i].d_tag == DT_NULL)
        return NULL;
    return &rows[i];
}

typedef void (*on_symbol)(struct kit *kit, const ElfW(Sym) * symbol, const char *name);

static void each_symbol(struct kit *kit, const struct elf *elf, on_symbol fn)
{
    const ElfW(Shdr) *found = section(elf, SHT_DYNSYM);
    const ElfW(Sym) * rows;

    if (!found)
        kit_fail(kit, "it has no dynamic symbols");
    rows = at(elf, found->sh_offset, found->sh_size);
    for (size_t i = 1; rows && i < found->sh_size / sizeof *rows; i++)
        fn(kit, &rows[i], text_of(elf, found, rows[i].st_name));
}

static void loads(struct kit *kit)
{
    kit_open(kit);
    kit_note(kit, "%s %s, id %s%s%s", kit->p.name ? kit->p.name : "?", kit->p.version, kit->p.id,
             kit->module->build ? ", built with " : "",
             kit->module->build ? kit->module->build : "");
}

static void only_the_entry(struct kit *kit, const ElfW(Sym) * symbol, const char *name)
{
    if (symbol->st_shndx != SHN_UNDEF && (symbol->st_info >> 4) != STB_LOCAL &&
        symbol->st_shndx != SHN_ABS && strcmp(name, BP_ENTRY_SYMBOL) != 0)
        kit_fail(kit, "it exports %s; link with the SDK's export map", name);
}

static void one_export(struct kit *kit)
{
    struct elf elf;

    elf_open(kit, &elf);
    each_symbol(kit, &elf, only_the_entry);
}

static void check_run_path(struct kit *kit, const char *path)
{
    for (const char *part = path;; part++) {
        if (*part != '/' && strncmp(part, "$ORIGIN", 7) != 0 && strncmp(part, "${ORIGIN}", 9) != 0)
            kit_fail(kit, "RUNPATH '%s' has an entry that is neither absolute nor under $ORIGIN",
                     path);
        part = strchr(part, ':');
        if (!part)
            return;
    }
}

static void run_path(struct kit *kit)
{
    const ElfW(Dyn) * row;
    struct elf elf;

    elf_open(kit, &elf);
    for (size_t i = 0; (row = dynamic(kit, &elf, i)); i++) {
        if (row->d_tag == DT_RUNPATH || row->d_tag == DT_RPATH)
            check_run_path(kit, text_of(&elf, section(&elf, SHT_DYNAMIC), row->d_un.d_val));
    }
}

static void binds_now(struct kit *kit)
{
    const ElfW(Dyn) * row;
    struct elf elf;

    elf_open(kit, &elf);
    for (size_t i = 0; (row = dynamic(kit, &elf, i)); i++) {
        if (row->d_tag == DT_BIND_NOW ||
            (row->d_tag == DT_FLAGS && row->d_un.d_val & DF_BIND_NOW) ||
            (row->d_tag == DT_FLAGS_1 && row->d_un.d_val & DF_1_NOW))
            return;
    }
    kit_warn(kit,
             "it binds lazily: link with -Wl,-z,now, so that a missing function shows at load");
}

static void safe_segments(struct kit *kit)
{
    const ElfW(Phdr) * heads;
    const ElfW(Dyn) * row;
    struct elf elf;

    elf_open(kit, &elf);
    for (size_t i = 0; (row = dynamic(kit, &elf, i)); i++) {
        if (row->d_tag == DT_TEXTREL || (row->d_tag == DT_FLAGS && row->d_un.d_val & DF_TEXTREL))
            kit_fail(kit, "it has text relocations: compile with -fPIC");
    }
    heads = at(&elf, elf.head->e_phoff, (uint64_t)elf.head->e_phnum * sizeof *heads);
    for (size_t i = 0; heads && i < elf.head->e_phnum; i++) {
        if (heads[i].p_type == PT_GNU_STACK && heads[i].p_flags & PF_X)
            kit_fail(kit, "it asks for an executable stack: link with -Wl,-z,noexecstack");
    }
}

static void not_unique(struct kit *kit, const ElfW(Sym) * symbol, const char *name)
{
    if ((symbol->st_info >> 4) == STB_GNU_UNIQUE && symbol->st_shndx != SHN_UNDEF)
        kit_fail(kit, "%s is a unique symbol, shared with other plug-ins: use -fno-gnu-unique",
                 name);
}

static void no_unique(struct kit *kit)
{
    struct elf elf;

    elf_open(kit, &elf);
    each_symbol(kit, &elf, not_unique);
}

static void not_of_the_host(struct kit *kit, const ElfW(Sym) * symbol, const char *name)
{
    if (symbol->st_shndx == SHN_UNDEF && strncmp(name, "bp_", 3) == 0)
        kit_fail(kit, "it needs %s of the host by name; only bp_host's slots are there", name);
}

static void needs_no_host(struct kit *kit)
{
    const ElfW(Dyn) * row;
    struct elf elf;

    elf_open(kit, &elf);
    each_symbol(kit, &elf, not_of_the_host);
    for (size_t i = 0; (row = dynamic(kit, &elf, i)); i++) {
        if (row->d_tag == DT_NEEDED &&
            strncmp(text_of(&elf, section(&elf, SHT_DYNAMIC), row->d_un.d_val), "libbackplane.",
                    13) == 0)
            kit_fail(kit, "it is linked with libbackplane; a plug-in links nothing of the host");
    }
}

/* ---- the manifest -------------------------------------------------------------------------------- */

/* What of a manifest's content follows "key="; *n: how long it is. NULL: the key does not come. */
static const char *manifest_value(const struct manifest *manifest, const char *key, size_t *n)
{
    const char *end = manifest->text + manifest->size;
    size_t n_key = strlen(key);

    for (const char *line = manifest->text; line < end; line += *n + 1) {
        *n = 0;
        while (line + *n < end && line[*n] != '\n' && line[*n] != '\0')
            ++*n;
        if (*n > n_key && memcmp(line, key, n_key) == 0 && line[n_key] == '=') {
            *n -= n_key + 1;
            return line + n_key + 1;
        }
    }
    return NULL;
}

/* Our manifest among those of a section. */
static bool find_manifest(const struct elf *elf, const ElfW(Shdr) * in, struct manifest *out)
{
    const char *bytes = at(elf, in->sh_offset, in->sh_size);
    uint64_t align = in->sh_addralign == 8 ? 8 : 4;
    uint64_t pos = 0;

    while (bytes && in->sh_size - pos >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) head;
        uint64_t name = pos + sizeof head, content, next;

        memcpy(&head, bytes + pos, sizeof head);
        content = (name + head.n_namesz + align - 1) / align * align;
        next = (content + head.n_descsz + align - 1) / align * align;
        if (content > in->sh_size || head.n_descsz > in->sh_size - content)
            return false;
        if (head.n_type == BP_MANIFEST_TYPE && head.n_namesz == sizeof BP_MANIFEST_OWNER &&
            memcmp(bytes + name, BP_MANIFEST_OWNER, sizeof BP_MANIFEST_OWNER) == 0) {
            *out = (struct manifest){bytes + content, head.n_descsz};
            return true;
        }
        if (next > in->sh_size)
            return false;
        pos = next;
    }
    return false;
}

static void manifest_agrees(struct kit *kit, const struct manifest *manifest, const char *key,
                            const char *table)
{
    size_t n = 0;
    const char *value = manifest_value(manifest, key, &n);

    if (!value)
        kit_fail(kit, "its manifest has no '%s'", key);
    if (n != strlen(table) || memcmp(value, table, n) != 0)
        kit_fail(kit, "its manifest says %s=%.*s, its tables say '%s'", key, (int)n, value, table);
}

/* A host of this kit's version has to be new enough for it. */
static void manifest_needs(struct kit *kit, const struct manifest *manifest)
{
    unsigned major = BP_ABI_MAJOR, minor = 0;
    size_t n = 0;
    const char *value = manifest_value(manifest, "needs_host", &n);
    char text[16];

    if (!value)
        return;
    snprintf(text, sizeof text, "%.*s", (int)n, value);
    if (sscanf(text, "%u.%u", &major, &minor) != 2 || major != BP_ABI_MAJOR || minor > BP_ABI_MINOR)
        kit_fail(kit, "its manifest says needs_host=%s, but the tables work with this kit of %u.%u",
                 text, BP_ABI_MAJOR, BP_ABI_MINOR);
}

/* The provider that a manifest means, else the one that is tested. */
static const bp_provider *provider_of(const struct kit *kit, const struct manifest *manifest)
{
    size_t n = 0;
    const char *id = manifest_value(manifest, "id", &n);

    for (uint32_t i = 0; id && i < kit->module->n_providers; i++) {
        const bp_provider *p = kit->module->providers[i];

        if (strlen(p->id) == n && memcmp(p->id, id, n) == 0)
            return p;
    }
    return &kit->p;
}

static void has_manifest(struct kit *kit)
{
    const bp_provider *provider;
    struct manifest manifest = {0};
    char abi[16];
    struct elf elf;

    elf_open(kit, &elf);
    for (size_t i = 0; !manifest.text && i < elf.head->e_shnum; i++) {
        if (elf.sections[i].sh_type == SHT_NOTE && elf.sections[i].sh_flags & SHF_ALLOC)
            (void)find_manifest(&elf, &elf.sections[i], &manifest);
    }
    if (!manifest.text)
        kit_fail(kit, "it has no Backplane manifest; add BP_MANIFEST of <bp/manifest.h>, or no "
                      "host opens it");
    kit_open(kit);
    provider = provider_of(kit, &manifest);
    snprintf(abi, sizeof abi, "%u.%u", kit->module->abi_major, kit->module->abi_minor);
    manifest_agrees(kit, &manifest, "abi", abi);
    manifest_agrees(kit, &manifest, "id", provider->id);
    manifest_agrees(kit, &manifest, "name", provider->name);
    manifest_agrees(kit, &manifest, "version", provider->version);
    manifest_agrees(kit, &manifest, "arch", BP_MANIFEST_ARCH);
    manifest_needs(kit, &manifest);
}

static const struct kit_test tests[] = {
    {"BPK-FILE-01", "it loads, and its tables are readable", "bp_entry_fn; bp_module", loads},
    {"BPK-FILE-02", "it exports its entry and nothing else", "abi.h, first paragraph", one_export},
    {"BPK-FILE-03", "RUNPATH has absolute entries or $ORIGIN", "bp-provider(7), Linking", run_path},
    {"BPK-FILE-04", "it binds at load", "bp-provider(7), Linking", binds_now},
    {"BPK-FILE-05", "no text relocations, no executable stack", "bp-provider(7), Linking",
     safe_segments},
    {"BPK-FILE-06", "no unique symbols", "bp-provider(7), Linking", no_unique},
    {"BPK-FILE-07", "it needs nothing of the host by name", "abi.h, first paragraph",
     needs_no_host},
    {"BPK-FILE-08", "its manifest is there and agrees with its tables", "manifest.h", has_manifest},
};

const struct kit_group kit_file = {"FILE", tests, sizeof tests / sizeof tests[0]};
