/* SPDX-License-Identifier: MIT */
/*
 * check_autotune_cache.c - what dnnl's autotune measured, kept in a folder: a later instance, as a later
 * process, takes it from there; a file that is not for it, or no longer whole, counts as absent.
 */

#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dnnl/dnnl_kit.h"

static char dir[] = "/tmp/bp-kept-XXXXXX";
static char folder[64], file[512];
static char text[4096]; /* of the file */

static void begin(void)
{
    strcpy(strrchr(dir, '-'), "-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(folder, sizeof folder, "%s/kept", dir);
}

static void end(void)
{
    DIR *all = opendir(folder);
    struct dirent *entry;

    while (all && (entry = readdir(all)) != NULL) {
        char path[512];

        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (all)
        closedir(all);
    rmdir(folder);
    ck_assert_int_eq(rmdir(dir), 0);
}

/* Files in the folder, the last of which is `file`; -1: there is no folder. */
static int count_files(void)
{
    DIR *all = opendir(folder);
    struct dirent *entry;
    int n = 0;

    if (!all)
        return -1;
    while ((entry = readdir(all)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        n++;
    }
    closedir(all);
    return n;
}

static size_t read_file(void)
{
    FILE *from = fopen(file, "re");
    size_t n;

    ck_assert_ptr_nonnull(from);
    n = fread(text, 1, sizeof text - 1, from);
    text[n] = '\0';
    fclose(from);
    return n;
}

static void write_file(const char *bytes, size_t n)
{
    FILE *to = fopen(file, "we");

    ck_assert_ptr_nonnull(to);
    ck_assert_uint_eq(fwrite(bytes, 1, n, to), n);
    ck_assert_int_eq(fclose(to), 0);
}

/* The last line as it has to be for what stands before it. */
static void seal(void)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    char *sum = strstr(text, "sum ");

    ck_assert_ptr_nonnull(sum);
    for (const char *at = text; at < sum; at++)
        h = (h ^ (unsigned char)*at) * UINT64_C(0x100000001b3);
    snprintf(sum, 32, "sum %016llx\n", (unsigned long long)h);
    write_file(text, strlen(text));
}

/* A convolution of `filters` that is tuned. */
static struct th *make(const char *kept, const char *filters)
{
    struct th *t = dnnl_new();
    char w[32], y[32];

    data_seed(7);
    th_option(t, "autotune", "true");
    th_option(t, "autotune_cache", kept);
    snprintf(w, sizeof w, "%s,16,3,3", filters);
    snprintf(y, sizeof y, "1,%s,12,12", filters);
    dnnl_input(t, "x", "1,16,12,12");
    dnnl_const(t, "w", w);
    dnnl_output(t, "y", y);
    dnnl_conv(t, "x w", "y");
    return t;
}

/* Runs the model and returns its last log line; the count of allocations shows whether it measured. */
static const char *run(const char *kept, const char *filters, uint32_t *allocs)
{
    static char logged[2048];
    struct th *t = make(kept, filters);

    dnnl_run(t);
    snprintf(logged, sizeof logged, "%s", th_logged(t));
    *allocs = th_allocs(t);
    th_free(t);
    return logged;
}

static bool says(const char *logged, const char *words)
{
    if (!strstr(logged, words))
        fprintf(stderr, "not there: %s\nin: %s\n", words, logged);
    return strstr(logged, words) != NULL;
}

START_TEST(second_process_uses_saved_layouts_without_measuring)
{
    uint32_t first, second;
    char before[sizeof text];

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    ck_assert(says(run(folder, "16", &first), "measured, and saved in"));
    ck_assert_int_eq(count_files(), 1);
    read_file();
    strcpy(before, text);
    ck_assert(says(run(folder, "16", &second), "as measured before, in"));
    ck_assert_uint_lt(second, first);
    ck_assert_int_eq(count_files(), 1);
    read_file();
    ck_assert_str_eq(text, before);
}
END_TEST

START_TEST(saved_layout_is_used)
{
    static const char *const layouts[] = {"channels last", "blocks"};
    size_t bytes[2];
    uint32_t allocs;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    run(folder, "24", &allocs);
    ck_assert_int_eq(count_files(), 1);
    for (size_t i = 0; i < 2; i++) {
        char rest[1024], *at, *sum;
        struct th *t;

        read_file();
        at = strstr(text, "layout ");
        ck_assert_ptr_nonnull(at);
        sum = strstr(at, "sum ");
        ck_assert_ptr_nonnull(sum);
        snprintf(rest, sizeof rest, "layout %s\nwinograd 0\n%s", layouts[i], sum);
        strcpy(at, rest);
        seal();
        t = make(folder, "24");
        dnnl_run(t);
        ck_assert(says(th_logged(t), "as measured before"));
        bytes[i] = th_scratch_bytes(t);
        th_free(t);
        read_file();
        ck_assert(says(text, layouts[i])); /* the file was not written again */
    }
    ck_assert_uint_ne(bytes[1], bytes[0]); /* frames of other layouts need other memory */
}
END_TEST

START_TEST(each_program_has_its_own_autotune_file)
{
    uint32_t allocs;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    run(folder, "16", &allocs);
    ck_assert(says(run(folder, "32", &allocs), "measured, and saved in"));
    ck_assert_int_eq(count_files(), 2);
    ck_assert(says(run(folder, "16", &allocs), "as measured before"));
    ck_assert(says(run(folder, "32", &allocs), "as measured before"));
}
END_TEST

/* It is refused with these words, and written anew. */
static void check_replaced(const char *words)
{
    struct th *t;
    int saved = dup(STDERR_FILENO), to;
    char path[128], line[2048] = "";
    uint32_t allocs;
    FILE *from;

    snprintf(path, sizeof path, "%s/words", dir);
    to = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    ck_assert_int_ge(to, 0);
    fflush(stderr);
    dup2(to, STDERR_FILENO); /* test_host writes warnings there */
    t = make(folder, "16");
    dnnl_run(t);
    ck_assert(says(th_logged(t), "measured, and saved in"));
    th_free(t);
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(to);
    from = fopen(path, "re");
    ck_assert_ptr_nonnull(from);
    ck_assert_ptr_nonnull(fgets(line, sizeof line, from));
    fclose(from);
    unlink(path);
    ck_assert(says(line, words));
    ck_assert(says(line, "is not used"));
    ck_assert(says(run(folder, "16", &allocs), "as measured before"));
}

START_TEST(autotune_file_of_another_onednn_or_processor_is_ignored)
{
    static const char *const changes[][2] = {
        {"backplane dnnl autotune 1", "it is for 'backplane dnnl autotune 9'"},
        {"oneDNN 2", "it is for 'oneDNN 9"},
        {"signature 0", "signature 9"},
        {"threads ", "here it is 'program"},
    };
    uint32_t allocs;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    run(folder, "16", &allocs);
    ck_assert_int_eq(count_files(), 1);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        char *at;

        read_file();
        at = strstr(text, changes[i][0]);
        ck_assert_msg(at != NULL, "no %s in %s", changes[i][0], text);
        at[strlen(changes[i][0]) - 1] = '9';
        seal();
        check_replaced(changes[i][1]);
    }
}
END_TEST

START_TEST(damaged_autotune_file_is_ignored)
{
    uint32_t allocs;
    size_t n;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    run(folder, "16", &allocs);
    ck_assert_int_eq(count_files(), 1);
    n = read_file();
    for (size_t cut = 0; cut < n; cut += 1 + n / 8) {
        write_file(text, cut);
        check_replaced("it was cut short or changed");
        read_file();
    }
    for (size_t i = 0; i < n; i += 1 + n / 8) {
        read_file();
        text[i] ^= 1;
        write_file(text, n);
        check_replaced("it was cut short or changed");
    }
    read_file();
    memcpy(strstr(text, "layout"), "layers", 6);
    seal();
    check_replaced("it has no valid layout");
    read_file();
    strstr(text, "winograd ")[9] = '2';
    seal();
    check_replaced("it has no valid layout");
    memset(text, 'x', sizeof text - 1);
    write_file(text, sizeof text - 1);
    check_replaced("it is too long");
}
END_TEST

START_TEST(autotune_writes_no_file_without_the_option)
{
    uint32_t allocs;

    ck_assert(!strstr(run("", "16", &allocs), "autotune cache"));
    ck_assert_int_eq(count_files(), -1);
}
END_TEST

START_TEST(run_succeeds_when_the_autotune_folder_is_not_writable)
{
    static char lengthy[5000];
    char below[128];
    uint32_t allocs;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    snprintf(below, sizeof below, "%s/not/there", dir);
    ck_assert(says(run(below, "16", &allocs), "cannot be written"));
    memset(lengthy, 'x', sizeof lengthy - 1);
    ck_assert(says(run(lengthy, "16", &allocs), "the folder's name is too long"));
}
END_TEST

START_TEST(autotune_survives_every_failing_allocation)
{
    uint32_t unused;

    SKIP_UNLESS(dnnl_has_blocks(), "no AVX-512, so only one layout to measure");
    run(folder, "16", &unused);
    for (uint32_t n = 1;; n++) {
        struct th *t = make(folder, "16");
        bp_rc rc;

        th_fail_alloc(t, n);
        rc = th_run(t);
        if (rc >= 0 && th_allocs(t) < n) {
            th_free(t);
            break;
        }
        ck_assert(rc >= 0 || rc == BP_E_NOMEM);
        ck_assert_uint_lt(n, 1000);
        th_free(t);
    }
}
END_TEST

int main(void)
{
    TCase *tcase = tcase_create("autotune cache");

    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, begin, end);
    tcase_add_test(tcase, second_process_uses_saved_layouts_without_measuring);
    tcase_add_test(tcase, saved_layout_is_used);
    tcase_add_test(tcase, each_program_has_its_own_autotune_file);
    tcase_add_test(tcase, autotune_file_of_another_onednn_or_processor_is_ignored);
    tcase_add_test(tcase, damaged_autotune_file_is_ignored);
    tcase_add_test(tcase, run_succeeds_when_the_autotune_folder_is_not_writable);
    tcase_add_test(tcase, autotune_survives_every_failing_allocation);
    tcase_add_test(tcase, autotune_writes_no_file_without_the_option);
    return check_main("dnnl_autotune_cache", &tcase, 1);
}
