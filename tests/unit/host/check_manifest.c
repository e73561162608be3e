/* SPDX-License-Identifier: MIT */
/*
 * check_manifest.c - the manifest of a plug-in: found in the file, read, and never believed too
 * easily.
 */

#include "config.h"

#include <check.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/inspect/manifest.h"
#include "support/random.h"
#include "support/session_kit.h"

static const char *mock_path(const char *name)
{
    static char path[1024];

    snprintf(path, sizeof path, "%s/libbp-%s.so", getenv("BP_MOCK_DIR"), name);
    return path;
}

/* ---- the content ----------------------------------------------------------------------------- */

#define LEAST "id=a.b\nname=b\nversion=1\nabi=1.0\n"

static bp_rc parse(const char *text, struct bp_manifest *out)
{
    return bp_manifest_parse(text, strlen(text), out, &kit.err);
}

START_TEST(manifest_parser_reads_all_keys)
{
    static const char text[] = "id=com.acme.npu\nname=npu\n\nversion=2.1\0abi=1.3\0needs_host=1.1\n"
                               "arch=x86_64\nisa=x86-64-v3\nsanitizer=address\npriority=70\n"
                               "env=A,B\nwatch=/dev/npu\nlicense=MIT\nshoe_size=43\n\0\0\0";
    struct bp_manifest manifest;

    KIT_OK(bp_manifest_parse(text, sizeof text, &manifest, &kit.err));
    ck_assert_str_eq(manifest.id, "com.acme.npu");
    ck_assert_str_eq(manifest.name, "npu");
    ck_assert_str_eq(manifest.version, "2.1");
    ck_assert_uint_eq(manifest.abi.major, 1);
    ck_assert_uint_eq(manifest.abi.minor, 3);
    ck_assert_uint_eq(manifest.needs_host.minor, 1);
    ck_assert_str_eq(manifest.arch, "x86_64");
    ck_assert_str_eq(manifest.isa, "x86-64-v3");
    ck_assert_str_eq(manifest.sanitizer, "address");
    ck_assert_int_eq(manifest.priority, 70);
    ck_assert_str_eq(manifest.env, "A,B");
    ck_assert_str_eq(manifest.watch, "/dev/npu");
    ck_assert_str_eq(manifest.license, "MIT");
    bp_manifest_finish(&manifest);
}
END_TEST

START_TEST(manifest_parser_fills_in_defaults)
{
    struct bp_manifest manifest;

    KIT_OK(parse("id=a.b\nname=b\nversion=1\nabi=2.7\nname=c", &manifest));
    ck_assert_str_eq(manifest.name, "b"); /* the first counts */
    ck_assert_uint_eq(manifest.needs_host.major, 2);
    ck_assert_uint_eq(manifest.needs_host.minor, 0);
    ck_assert_int_eq(manifest.priority, BP_MANIFEST_PRIORITY);
    ck_assert_str_eq(manifest.isa, "");
    ck_assert_str_eq(manifest.env, "");
    bp_manifest_finish(&manifest);
    KIT_OK(parse(LEAST "priority=500", &manifest));
    ck_assert_int_eq(manifest.priority, 99); /* a manifest cannot exceed priority 99 */
    bp_manifest_finish(&manifest);
}
END_TEST

static const struct {
    const char *text, *words;
} wrong[] = {
    {"", "'id'"},
    {"name=b\nversion=1\nabi=1.0", "'id'"},
    {"id=a.b\nversion=1\nabi=1.0", "'name'"},
    {"id=a.b\nname=b\nabi=1.0", "'version'"},
    {"id=a.b\nname=b\nversion=\nabi=1.0", "version of 0 bytes"},
    {"id=a.b\nname=b\nversion=1", "'abi'"},
    {"id=a.b\nname=b\nversion=1\nabi=1", "abi=1;"},
    {"id=a.b\nname=b\nversion=1\nabi=1.x", "abi=1.x"},
    {"id=a.b\nname=b\nversion=1\nabi=123456.0", "abi=123456.0"},
    {"id=A b\nname=b\nversion=1\nabi=1.0", "id=A b"},
    {"id=\nname=b\nversion=1\nabi=1.0", "id="},
    {"id=a.b\nname=../b\nversion=1\nabi=1.0", "name=../b"},
    {"id=a.b\nname=b\nversion=1\033[31m\nabi=1.0", "control characters"},
    {LEAST "what is this", "without a key: what is this"},
    {LEAST "=x", "without a key"},
    {LEAST "priority=-1", "priority=-1"},
    {LEAST "priority=high", "priority=high"},
    {LEAST "needs_host=new", "needs_host=new"},
};

START_TEST(manifest_parser_rejects_a_malformed_manifest)
{
    struct bp_manifest manifest;

    KIT_FAILS(parse(wrong[_i].text, &manifest), BP_E_INVALID, "its manifest", wrong[_i].words);
    ck_assert_ptr_null(manifest.text);
}
END_TEST

START_TEST(manifest_parser_rejects_a_manifest_that_is_too_large)
{
    static char text[BP_MANIFEST_MAX + 1];
    char id[400];
    struct bp_manifest manifest;

    KIT_FAILS(bp_manifest_parse(text, sizeof text, &manifest, &kit.err), BP_E_INVALID,
              "8193 bytes");
    snprintf(id, sizeof id, "id=%0*d\nname=b\nversion=1\nabi=1.0", BP_MANIFEST_ID_MAX, 0);
    KIT_FAILS(parse(id, &manifest), BP_E_INVALID, "up to 127");
    snprintf(id, sizeof id, "id=%0*d\nname=b\nversion=1\nabi=1.0", BP_MANIFEST_ID_MAX - 1, 0);
    KIT_OK(parse(id, &manifest));
    bp_manifest_finish(&manifest);
}
END_TEST

/* From the lowest to the highest. */
static const char *const versions[] = {"0.9",   "1.0-rc1", "1.0-rc2",       "1.0-rc10", "1.0",
                                       "1.0.1", "1.9",     "1.10",          "1.10a",    "2",
                                       "10",    "2024.1",  "20240101000000"};

START_TEST(versions_are_compared_number_by_number)
{
    int n = (int)(sizeof versions / sizeof versions[0]);

    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int order = bp_manifest_compare_versions(versions[i], versions[j]);

            ck_assert_msg((order > 0) == (i > j) && (order < 0) == (i < j), "%s and %s: %d",
                          versions[i], versions[j], order);
        }
    }
    ck_assert_int_eq(bp_manifest_compare_versions("1.01", "1.1"), 0);
}
END_TEST

START_TEST(manifest_macro_states_the_version_of_the_headers)
{
    char text[32];

    snprintf(text, sizeof text, "%u.%u", BP_ABI_MAJOR, BP_ABI_MINOR);
    ck_assert_str_eq(text, BP_MANIFEST_ABI);
}
END_TEST

/* ---- the file -------------------------------------------------------------------------------- */

static bp_rc read_fd(int fd, struct bp_manifest *out)
{
    static struct bp_elf elf;
    bp_rc rc = bp_elf_open(&elf, fd, &kit.err);

    *out = (struct bp_manifest){0};
    if (rc >= 0 && !elf.is_native)
        return BP_E_UNSUPPORTED;
    return rc < 0 ? rc : bp_manifest_read(&elf, out, &kit.err);
}

static bp_rc read_path(const char *path, struct bp_manifest *out)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bp_rc rc;

    ck_assert_int_ge(fd, 0);
    rc = read_fd(fd, out);
    close(fd);
    return rc;
}

START_TEST(manifest_of_a_plug_in_is_read_from_its_file)
{
    struct bp_manifest manifest;

    KIT_OK(read_path(mock_path("few"), &manifest));
    ck_assert_str_eq(manifest.id, "org.backplane.few");
    ck_assert_str_eq(manifest.name, "few");
    ck_assert_str_eq(manifest.version, "1.2.3");
    ck_assert_str_eq(manifest.arch, BP_MANIFEST_ARCH);
    ck_assert_str_eq(manifest.sanitizer, BP_MANIFEST_SANITIZER);
    ck_assert_uint_eq(manifest.abi.major, BP_ABI_MAJOR);
    ck_assert_uint_eq(manifest.abi.minor, BP_ABI_MINOR);
    bp_manifest_finish(&manifest);
}
END_TEST

START_TEST(stripped_plug_in_keeps_its_manifest)
{
    char path[] = "/tmp/bp-manifest-XXXXXX", command[2048];
    int fd = mkstemp(path);
    struct bp_manifest manifest;

    ck_assert_int_ge(fd, 0);
    close(fd);
    snprintf(command, sizeof command, "strip -s -o %s %s", path, mock_path("few"));
    ck_assert_int_eq(system(command), 0);
    KIT_OK(read_path(path, &manifest));
    ck_assert_str_eq(manifest.id, "org.backplane.few");
    bp_manifest_finish(&manifest);
    unlink(path);
}
END_TEST

START_TEST(file_without_a_manifest_is_reported)
{
    struct bp_manifest manifest;

    KIT_FAILS(read_path("/proc/self/exe", &manifest), BP_E_INVALID, "no Backplane manifest");
    KIT_FAILS(read_path("/etc/passwd", &manifest), BP_E_INVALID, "not an ELF file");
    KIT_FAILS(read_path("/dev/null", &manifest), BP_E_INVALID, "not an ELF file");
}
END_TEST

/* A plug-in's bytes in a file that tests may change. */
static int copy_to_memory(const char *path, unsigned char **bytes, size_t *size)
{
    int from = open(path, O_RDONLY | O_CLOEXEC), to = memfd_create("plug-in", MFD_CLOEXEC);
    struct stat st;

    ck_assert_int_ge(from, 0);
    ck_assert_int_ge(to, 0);
    ck_assert_int_eq(fstat(from, &st), 0);
    *size = (size_t)st.st_size;
    *bytes = malloc(*size);
    ck_assert_ptr_nonnull(*bytes);
    ck_assert_int_eq(read(from, *bytes, *size), (ssize_t)*size);
    ck_assert_int_eq(write(to, *bytes, *size), (ssize_t)*size);
    close(from);
    return to;
}

/* Reads everything that the host reads of a file before it opens it. */
static bool survives(int fd)
{
    static struct bp_elf elf;
    struct bp_elf_dynamic dynamic;
    char text[256];
    struct bp_manifest manifest = {0};
    bool is_whole = false;

    if (bp_elf_open(&elf, fd, &kit.err) < 0 || !elf.is_native)
        return false;
    is_whole = bp_manifest_read(&elf, &manifest, &kit.err) >= 0;
    if (is_whole)
        ck_assert_uint_gt(strlen(manifest.id) + strlen(manifest.name) + strlen(manifest.version),
                          2);
    bp_manifest_finish(&manifest);
    if (bp_elf_dynamic_read(&elf, &dynamic, &kit.err) < 0)
        return false;
    for (uint32_t i = 0; i < dynamic.n_needed; i++) {
        if (bp_elf_string(&elf, &dynamic, dynamic.needed[i], text, sizeof text))
            ck_assert_uint_lt(strlen(text), sizeof text);
    }
    return bp_elf_string(&elf, &dynamic, dynamic.runpath, text, sizeof text) && is_whole;
}

/* Where a change matters: headers and cache, or the dynamic section. */
static size_t place_to_change(uint64_t *state, const unsigned char *bytes, size_t size)
{
    const ElfW(Ehdr) *header = (const void *)bytes;
    const ElfW(Phdr) *segments = (const void *)(bytes + header->e_phoff);

    for (int i = 0; i < header->e_phnum && random_below(state, 3) == 0; i++) {
        if (segments[i].p_type == PT_DYNAMIC)
            return segments[i].p_offset + random_below(state, (uint32_t)segments[i].p_filesz);
    }
    return random_below(state, 1024) % size;
}

START_TEST(damaged_plug_in_files_do_not_crash_the_reader)
{
    static const unsigned char bad[] = {0, 1, 0x7f, 0x80, 0xff};
    unsigned char *bytes;
    size_t size, offsets[4];
    uint32_t n_read = 0;
    uint64_t state = 7;
    int fd = copy_to_memory(mock_path("few"), &bytes, &size);

    for (int round = 0; round < 20000; round++) {
        size_t n = 1 + random_below(&state, 4);

        for (size_t i = 0; i < n; i++) {
            uint64_t byte = random_below(&state, 256 + sizeof bad);
            unsigned char value = byte < 256 ? (unsigned char)byte : bad[byte - 256];

            offsets[i] = place_to_change(&state, bytes, size);
            ck_assert_int_eq(pwrite(fd, &value, 1, (off_t)offsets[i]), 1);
        }
        n_read += survives(fd);
        for (size_t i = 0; i < n; i++)
            ck_assert_int_eq(pwrite(fd, bytes + offsets[i], 1, (off_t)offsets[i]), 1);
    }
    ck_assert_uint_gt(
        n_read, 100); /* most changes hit bytes that are not read, so many rounds are needed */
    ck_assert_uint_lt(n_read, 19000);
    free(bytes);
    close(fd);
}
END_TEST

START_TEST(truncated_plug_in_files_are_rejected)
{
    unsigned char *bytes;
    size_t size;
    int fd = copy_to_memory(mock_path("few"), &bytes, &size);

    ck_assert(survives(fd));
    for (size_t n = size; n-- > 0; n = n > 4096 ? n - n / 7 : n) {
        ck_assert_int_eq(ftruncate(fd, (off_t)n), 0);
        if (n < 2000)
            ck_assert(!survives(fd));
        else
            (void)survives(fd);
    }
    free(bytes);
    close(fd);
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("manifest");
    int n_wrong = (int)(sizeof wrong / sizeof wrong[0]);

    tcase_add_checked_fixture(tcase, kit_setup, kit_teardown);
    tcase_add_test(tcase, manifest_parser_reads_all_keys);
    tcase_add_test(tcase, manifest_parser_fills_in_defaults);
    tcase_add_loop_test(tcase, manifest_parser_rejects_a_malformed_manifest, 0, n_wrong);
    tcase_add_test(tcase, manifest_parser_rejects_a_manifest_that_is_too_large);
    tcase_add_test(tcase, versions_are_compared_number_by_number);
    tcase_add_test(tcase, manifest_macro_states_the_version_of_the_headers);
    tcase_add_test(tcase, manifest_of_a_plug_in_is_read_from_its_file);
    tcase_add_test(tcase, stripped_plug_in_keeps_its_manifest);
    tcase_add_test(tcase, file_without_a_manifest_is_reported);
    tcase_add_test(tcase, damaged_plug_in_files_do_not_crash_the_reader);
    tcase_add_test(tcase, truncated_plug_in_files_are_rejected);
    return kit_main("manifest", &tcase, 1);
}
