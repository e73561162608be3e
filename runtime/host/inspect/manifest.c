/* SPDX-License-Identifier: MIT */
/* manifest.c - parses the manifest of a plug-in, an ELF note in its file. */

#include "config.h"

#include "host/inspect/manifest.h"

#include <elf.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEGMENT = 65536 }; /* bytes of ELF notes that are read */

/* ---- the content: lines ---------------------------------------------------------------------- */

static const struct key {
    const char *name;
    size_t at; /* offset in struct bp_manifest */
} keys[] = {
    {"id", offsetof(struct bp_manifest, id)},
    {"name", offsetof(struct bp_manifest, name)},
    {"version", offsetof(struct bp_manifest, version)},
    {"arch", offsetof(struct bp_manifest, arch)},
    {"isa", offsetof(struct bp_manifest, isa)},
    {"sanitizer", offsetof(struct bp_manifest, sanitizer)},
    {"env", offsetof(struct bp_manifest, env)},
    {"watch", offsetof(struct bp_manifest, watch)},
    {"license", offsetof(struct bp_manifest, license)},
    {"no_ctor", offsetof(struct bp_manifest, no_ctor)},
    {"devices", offsetof(struct bp_manifest, devices)},
};

/* Setters of values that are not text in struct bp_manifest. */
struct numbers {
    const char *abi, *needs_host, *priority;
};

static void set_once(const char **slot, const char *value)
{
    if (!*slot)
        *slot = value;
}

/*
 * The keys; unknown ones are ignored, so that a newer plug-in may have more than this host reads.
 */
static void take_pair(struct bp_manifest *out, struct numbers *numbers, const char *key,
                      const char *value)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].name) == 0)
            set_once((const char **)(void *)((char *)out + keys[i].at), value);
    }
    if (strcmp(key, "abi") == 0)
        set_once(&numbers->abi, value);
    else if (strcmp(key, "needs_host") == 0)
        set_once(&numbers->needs_host, value);
    else if (strcmp(key, "priority") == 0)
        set_once(&numbers->priority, value);
}

/*
 * Is the text free of control characters? They could write anything on a terminal that shows the
 * value.
 */
static bool has_control(const char *value)
{
    for (; *value; value++) {
        if ((unsigned char)*value < 0x20 || *value == 0x7f)
            return true;
    }
    return false;
}

/*
 * Splits the text in place; each line ends with a NUL. A NUL ends a line, too: the macro's own part
 * of the note follows the NUL of the author's string literal.
 */
static bp_rc take_lines(struct bp_manifest *out, size_t size, struct numbers *numbers, bp_err *err)
{
    char *line = out->text, *end = out->text + size;
    unsigned number = 0;

    for (char *c = line; c < end; c++) {
        if (*c == '\n')
            *c = '\0';
    }
    for (; line < end; line += strlen(line) + 1) {
        char *equals = strchr(line, '=');

        number++;
        if (!*line)
            continue;
        if (has_control(line))
            return bp_fail(err, BP_E_INVALID,
                           "its manifest has control characters in line %u; only text is possible",
                           number);
        if (!equals || equals == line)
            return bp_fail(err, BP_E_INVALID,
                           "its manifest has a line without a key: %.40s (line %u; KEY=VALUE is "
                           "possible)",
                           line, number);
        *equals = '\0';
        take_pair(out, numbers, line, equals + 1);
        line = equals + 1;
    }
    return BP_OK;
}

/* Reads up to five digits, then `end`. Five digits are at most 17 bits, so nothing can overflow. */
static bool read_number(const char **at, char end, uint32_t *out)
{
    const char *s = *at;

    *out = 0;
    while (*s >= '0' && *s <= '9' && s - *at < 5)
        *out = *out * 10 + (uint32_t)(*s++ - '0');
    if (s == *at || *s != end)
        return false;
    *at = s + 1;
    return true;
}

static bp_rc read_version(const char *key, const char *text, struct bp_manifest_version *out,
                          bp_err *err)
{
    const char *s = text;

    if (!read_number(&s, '.', &out->major) || !read_number(&s, '\0', &out->minor))
        return bp_fail(err, BP_E_INVALID, "its manifest has %s=%.40s; MAJOR.MINOR is possible", key,
                       text);
    return BP_OK;
}

static bp_rc take_numbers(struct bp_manifest *out, const struct numbers *numbers, bp_err *err)
{
    uint32_t priority = BP_MANIFEST_PRIORITY;
    const char *s = numbers->priority;
    bp_rc rc;

    if (!numbers->abi)
        return bp_fail(err, BP_E_INVALID,
                       "its manifest lacks the key 'abi', which BP_MANIFEST adds");
    rc = read_version("abi", numbers->abi, &out->abi, err);
    if (rc < 0)
        return rc;
    out->needs_host = (struct bp_manifest_version){out->abi.major, 0};
    if (numbers->needs_host)
        rc = read_version("needs_host", numbers->needs_host, &out->needs_host, err);
    if (rc < 0)
        return rc;
    if (s && !read_number(&s, '\0', &priority))
        return bp_fail(err, BP_E_INVALID, "its manifest has priority=%.40s; 0 to 99 is possible",
                       numbers->priority);
    out->priority = priority > 99 ? 99 : (int)priority; /* more than 99 is read as 99 */
    return BP_OK;
}

/* Has the text the characters of an id or short name? */
static bool is_plain(const char *s, size_t most)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = strspn(s, plain);

    return n > 0 && n <= most && s[n] == '\0';
}

/*
 * Checks id and name: they become parts of paths, messages and file keys, so few characters are
 * allowed.
 */
static bp_rc check_names(const struct bp_manifest *manifest, bp_err *err)
{
    const struct {
        const char *key, *value;
        size_t most;
    } names[] = {{"id", manifest->id, BP_MANIFEST_ID_MAX - 1},
                 {"name", manifest->name, BP_MANIFEST_NAME_MAX - 1}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!names[i].value)
            return bp_fail(err, BP_E_INVALID, "its manifest lacks the key '%s'; add a line %s=...",
                           names[i].key, names[i].key);
        if (!is_plain(names[i].value, names[i].most))
            return bp_fail(err, BP_E_INVALID,
                           "its manifest has %s=%.40s; up to %zu of a-z 0-9 . _ - are possible",
                           names[i].key, names[i].value, names[i].most);
    }
    if (!manifest->version)
        return bp_fail(err, BP_E_INVALID,
                       "its manifest lacks the key 'version'; add a line version=...");
    if (!*manifest->version || strlen(manifest->version) >= BP_MANIFEST_VERSION_MAX)
        return bp_fail(err, BP_E_INVALID,
                       "its manifest has a version of %zu bytes; 1 to %d are possible",
                       strlen(manifest->version), BP_MANIFEST_VERSION_MAX - 1);
    return BP_OK;
}

static void fill_absent(struct bp_manifest *manifest)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        set_once((const char **)(void *)((char *)manifest + keys[i].at), "");
}

bp_rc bp_manifest_parse(const char *content, size_t size, struct bp_manifest *out, bp_err *err)
{
    struct numbers numbers = {0};
    bp_rc rc;

    *out = (struct bp_manifest){0};
    if (size > BP_MANIFEST_MAX)
        return bp_fail(err, BP_E_INVALID, "its manifest has %zu bytes; %d at most are possible",
                       size, BP_MANIFEST_MAX);
    out->text = calloc(size + 1, 1);
    if (!out->text)
        return bp_fail_nomem(err, "the manifest of a plug-in");
    memcpy(out->text, content, size);
    rc = take_lines(out, size, &numbers, err);
    if (rc >= 0)
        rc = check_names(out, err);
    if (rc >= 0)
        rc = take_numbers(out, &numbers, err);
    if (rc < 0) {
        bp_manifest_finish(out);
        return rc;
    }
    fill_absent(out);
    return BP_OK;
}

/* Writes the canonical form: two manifests say the same exactly if it has the same bytes. */
void bp_manifest_write(const struct bp_manifest *manifest, struct bp_text *out)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *const *value = (const void *)((const char *)manifest + keys[i].at);

        if (**value)
            bp_text_printf(out, "%s=%s\n", keys[i].name, *value);
    }
    bp_text_printf(out, "abi=%u.%u\nneeds_host=%u.%u\npriority=%d", manifest->abi.major,
                   manifest->abi.minor, manifest->needs_host.major, manifest->needs_host.minor,
                   manifest->priority);
}

void bp_manifest_finish(struct bp_manifest *manifest)
{
    free(manifest->text);
    *manifest = (struct bp_manifest){0};
}

/* ---- finding it in the file ------------------------------------------------------------------ */

static size_t round_up(size_t n, size_t align)
{
    return (n + align - 1) / align * align;
}

/*
 * Finds our manifest's content among the notes of a segment; NULL: not there. Layout: System V
 * gABI, "Note Section": three words (sizes of name and content, type), the name, the content, each
 * padded to the alignment. Each sum is checked before it is used, because the sizes are the file's.
 */
static const char *find_in(const char *bytes, size_t size, size_t align, size_t *out_size)
{
    static const char owner[] = "Backplane";
    ElfW(Nhdr) header;
    size_t at = 0;

    while (size - at >= sizeof header) {
        size_t name = at + sizeof header, content, next;

        memcpy(&header, bytes + at, sizeof header);
        if (header.n_namesz > size || header.n_descsz > size)
            return NULL;
        content = round_up(name + header.n_namesz, align);
        next = content + header.n_descsz;
        if (content > size || next > size)
            return NULL;
        if (header.n_type == BP_MANIFEST_TYPE && header.n_namesz == sizeof owner &&
            memcmp(bytes + name, owner, sizeof owner) == 0) {
            *out_size = header.n_descsz;
            return bytes + content;
        }
        at = round_up(next, align);
        if (at > size)
            return NULL;
    }
    return NULL;
}

/*
 * Reads a segment of ELF notes; *found: it has a manifest, and rc says whether it is valid. A
 * segment of 8-byte alignment pads its notes to 8 (.note.gnu.property does), any other to 4, as
 * binutils and glibc read them.
 */
static bp_rc read_segment(const struct bp_elf *elf, const ElfW(Phdr) * segment, bool *found,
                          struct bp_manifest *out, bp_err *err)
{
    size_t size = (size_t)segment->p_filesz, content_size = 0;
    const char *content;
    bp_rc rc = BP_OK;
    char *bytes;

    if (size == 0 || segment->p_filesz > MAX_SEGMENT)
        return BP_OK;
    bytes = malloc(size);
    if (!bytes)
        return bp_fail_nomem(err, "the ELF notes of a plug-in");
    if (bp_elf_read(elf, segment->p_offset, bytes, size)) {
        content = find_in(bytes, size, segment->p_align == 8 ? 8 : 4, &content_size);
        *found = content != NULL;
        if (content)
            rc = bp_manifest_parse(content, content_size, out, err);
    }
    free(bytes);
    return rc;
}

bp_rc bp_manifest_read(const struct bp_elf *elf, struct bp_manifest *out, bp_err *err)
{
    bool found = false;
    bp_rc rc = BP_OK;

    *out = (struct bp_manifest){0};
    for (uint32_t i = 0; rc >= 0 && !found && i < elf->n_segments; i++) {
        if (elf->segments[i].p_type == PT_NOTE)
            rc = read_segment(elf, &elf->segments[i], &found, out, err);
    }
    if (rc >= 0 && !found)
        return bp_fail(err, BP_E_INVALID,
                       "it has no Backplane manifest, so it does not say what it is");
    return rc;
}

/*
 * Reads a note in memory. There is no file size to check against: the header tells how far to read,
 * and a wrong owner or too large a content ends the reading at once.
 */
bp_rc bp_manifest_read_linked(const void *bytes, struct bp_manifest *out, bp_err *err)
{
    ElfW(Nhdr) header;
    const char *content = NULL;
    size_t size = 0;

    *out = (struct bp_manifest){0};
    memcpy(&header, bytes, sizeof header);
    if (header.n_descsz <= BP_MANIFEST_MAX && header.n_namesz == sizeof BP_MANIFEST_OWNER)
        content = find_in(bytes, sizeof header + round_up(header.n_namesz, 4) + header.n_descsz, 4,
                          &size);
    if (!content)
        return bp_fail(err, BP_E_INVALID,
                       "its manifest is no note of Backplane; write it with BP_MANIFEST()");
    return bp_manifest_parse(content, size, out, err);
}

/* ---- versions -------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Compares two runs of digits and advances over them. Leading zeros are ignored, and runs may be
 * longer than any integer type: the longer run is the larger number.
 */
static int compare_digits(const char **a, const char **b)
{
    size_t n, m;
    int order;

    while (**a == '0')
        ++*a;
    while (**b == '0')
        ++*b;
    n = strspn(*a, "0123456789");
    m = strspn(*b, "0123456789");
    order = n != m ? (n < m ? -1 : 1) : strncmp(*a, *b, n);
    *a += n;
    *b += m;
    return order;
}

/*
 * Ranks the rest of a version: after a dash comes a pre-release, which is older than the version
 * itself.
 */
static int rank_of(char c)
{
    return c == '-' || c == '~' ? 0 : c == '\0' ? 1 : 2;
}

int bp_manifest_compare_versions(const char *a, const char *b)
{
    while (*a || *b) {
        int order;

        if (is_digit(*a) && is_digit(*b)) {
            order = compare_digits(&a, &b);
            if (order != 0)
                return order;
            continue;
        }
        if (rank_of(*a) != rank_of(*b))
            return rank_of(*a) - rank_of(*b);
        if (*a != *b)
            return (unsigned char)*a - (unsigned char)*b;
        a++;
        b++;
    }
    return 0;
}
