/* SPDX-License-Identifier: MIT */
/*
 * check_cache.c - the cache of compiled programs, with the mock "keeper", which saves and loads: what
 * is in a key, which files are not believed, and that nothing that goes wrong stops a session.
 */

#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/random.h"
#include "support/session_kit.h"
#include "support/skip.h"

enum { DAMAGES = 1000, MOST_BYTES = 4096, GROUPS = 2 }; /* groups of keeper in the small model */

static char dir[128];

static void setup(void)
{
    const char *tmp = getenv("TMPDIR");

    unsetenv("BP_KEEPER_LOAD");
    unsetenv("BP_KEEPER_SAVE");
    unsetenv("BP_KEEPER_DRIVER");
    snprintf(dir, sizeof dir, "%.80s/bp-cache.XXXXXX", tmp ? tmp : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(dir));
    kit_setup();
}

static void path_of(const char *name, char *out, size_t cap)
{
    snprintf(out, cap, "%s/%s", dir, name);
}

/* Files of the cache; the name of the last one. With take they go, temporary ones too. */
static uint32_t files(char *name, bool take)
{
    DIR *at = opendir(dir);
    uint32_t n = 0;
    char path[512];

    ck_assert_ptr_nonnull(at);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        path_of(entry->d_name, path, sizeof path);
        if (take)
            ck_assert_int_eq(remove(path), 0);
        if (!strstr(entry->d_name, ".bpc"))
            continue;
        if (name)
            snprintf(name, 128, "%.127s", entry->d_name);
        n++;
    }
    closedir(at);
    return n;
}

static void teardown(void)
{
    kit_teardown();
    chmod(dir, 0700);
    files(NULL, true);
    ck_assert_int_eq(rmdir(dir), 0);
}

/* ---- sessions -------------------------------------------------------------------------------- */

static void use_cache(const char *where, uint64_t limit)
{
    if (!kit.options)
        KIT_OK(bp_session_options_create(&kit.options, &kit.err));
    KIT_OK(bp_session_options_set_cache(kit.options, where, limit, &kit.err));
}

/* A session of the small model on keeper, with the cache; one option more, or NULL. */
static void start(const char *key, const char *value)
{
    kit.n_lines = 0; /* there is space for a session's */
    bp_session_options_destroy(kit.options);
    kit.options = NULL;
    if (key)
        kit_provider_with("keeper", key, value);
    else
        kit_provider("keeper", BP_FALLBACK_REQUIRE);
    use_cache(dir, 0);
    kit_session();
}

/* How many groups came about so, and whether each of those has the words in its line. */
static uint32_t groups(uint32_t how, const char *words)
{
    const bp_report *report = bp_session_report(kit.session);
    uint32_t n = 0;

    for (uint32_t i = 0; i < bp_report_group_count(report); i++) {
        bp_report_group row = {.struct_size = sizeof row};
        bp_report_provider by = {.struct_size = sizeof by};

        KIT_OK(bp_report_get_group(report, i, &row, &kit.err));
        KIT_OK(bp_report_get_provider(report, row.provider, &by, &kit.err));
        if (strcmp(by.name, "keeper") != 0 || row.program != how)
            continue;
        ck_assert_uint_gt(row.program_ns, 0);
        if (words)
            ck_assert_msg(row.cache && strstr(row.cache, words), "no '%s' in '%s'", words,
                          row.cache ? row.cache : "NULL");
        n++;
    }
    return n;
}

/* All groups came about so, and the session computes what it should. */
static void check_all(uint32_t how, const char *words)
{
    ck_assert_uint_eq(groups(how, words), GROUPS);
    kit_check_small(3);
    kit_end_session();
}

/* Fills the cache, and checks that it is used. */
static void fill(void)
{
    kit_small_model();
    start(NULL, NULL);
    check_all(BP_PROGRAM_COMPILED, "not in the cache; saved");
    ck_assert_uint_eq(files(NULL, false), GROUPS);
    start(NULL, NULL);
    check_all(BP_PROGRAM_LOADED, "loaded from the cache");
}

/* ---- on and off ------------------------------------------------------------------------------ */

START_TEST(cache_is_off_unless_asked_for)
{
    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, NULL), GROUPS);
    for (uint32_t i = 0; i < bp_report_group_count(bp_session_report(kit.session)); i++) {
        bp_report_group row = {.struct_size = sizeof row};

        KIT_OK(bp_report_get_group(bp_session_report(kit.session), i, &row, &kit.err));
        ck_assert_ptr_null(row.cache);
    }
}
END_TEST

START_TEST(second_session_loads_what_the_first_saved)
{
    fill();
    ck_assert_uint_eq(kit_warnings(), 0);
}
END_TEST

/* The environment of the kit reads no variables, so this has one of its own. */
START_TEST(variable_names_the_directory_and_an_empty_option_overrides_it)
{
    const char *dirs[] = {getenv("BP_MOCK_DIR"), NULL};
    char built[1024];
    bp_env_config config = {
        .struct_size = sizeof config,
        .log_level = BP_LOG_DEBUG,
        .threads = 1,
        .log = kit_log,
        .provider_dirs = dirs,
        .n_provider_dirs = 2,
        .probe = BP_PROBE_OFF,
    };

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    dirs[1] = built;
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = NULL;
    setenv("BACKPLANE_CACHE_DIR", dir, 1);
    setenv("BACKPLANE_CACHE_LIMIT", "lots", 1);
    KIT_OK(bp_env_create(&config, &kit.env, &kit.err));
    unsetenv("BACKPLANE_CACHE_DIR");
    unsetenv("BACKPLANE_CACHE_LIMIT");
    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    kit_session();
    ck_assert_uint_eq(files(NULL, false), GROUPS);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "BACKPLANE_CACHE_LIMIT=lots is not a size"), 1);
    kit_end_session();
    files(NULL, true);
    use_cache("", 0);
    kit_session();
    ck_assert_uint_eq(files(NULL, false), 0);
}
END_TEST

START_TEST(provider_that_saves_nothing_is_told_in_the_report)
{
    bp_report_group row = {.struct_size = sizeof row};

    kit_small_model();
    kit_provider("few", BP_FALLBACK_REQUIRE);
    use_cache(dir, 0);
    kit_session();
    KIT_OK(bp_report_get_group(bp_session_report(kit.session), 0, &row, &kit.err));
    ck_assert_str_eq(row.cache, "the provider does not save programs");
    ck_assert_uint_eq(files(NULL, false), 0);
}
END_TEST

/* ---- keys ------------------------------------------------------------------------------------ */

START_TEST(options_of_the_provider_are_in_the_key)
{
    fill();
    start("level", "4");
    check_all(BP_PROGRAM_COMPILED, "not in the cache");
    ck_assert_uint_eq(files(NULL, false), 2 * GROUPS);
    start("level", "3"); /* the default, so the same as before */
    check_all(BP_PROGRAM_LOADED, NULL);
}
END_TEST

START_TEST(options_outside_of_the_schema_are_in_the_key_and_the_report)
{
    bp_report_option row = {.struct_size = sizeof row};

    fill();
    start("vendor.mode", "a");
    ck_assert_uint_eq(kit_lines_with(BP_LOG_DEBUG, "any vendor.mode=a"), 1);
    KIT_OK(bp_report_get_option(bp_session_report(kit.session), 0,
                                bp_report_option_count(bp_session_report(kit.session), 0) - 1, &row,
                                &kit.err));
    ck_assert_str_eq(row.key, "vendor.mode");
    ck_assert_str_eq(row.value, "a");
    ck_assert_uint_eq(row.origin, BP_ORIGIN_APPLICATION);
    check_all(BP_PROGRAM_COMPILED, "not in the cache");
    start("vendor.mode", "b");
    check_all(BP_PROGRAM_COMPILED, "not in the cache");
    start("vendor.mode", "a");
    check_all(BP_PROGRAM_LOADED, NULL);
}
END_TEST

/* The option stays as it is: only what fingerprint answers changes. */
START_TEST(fingerprint_is_in_the_key)
{
    fill();
    setenv("BP_KEEPER_DRIVER", "2", 1);
    start(NULL, NULL);
    check_all(BP_PROGRAM_COMPILED, "not in the cache");
    unsetenv("BP_KEEPER_DRIVER");
    start(NULL, NULL);
    check_all(BP_PROGRAM_LOADED, NULL);
}
END_TEST

START_TEST(failing_fingerprint_leaves_the_cache_out)
{
    kit_small_model();
    start("driver", "unknown");
    check_all(BP_PROGRAM_COMPILED, "the cache is not used: the driver does not answer");
    ck_assert_uint_eq(files(NULL, false), 0);
}
END_TEST

/* y = x + c, of which c differs in one element. */
static void constant_model(float last)
{
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_floats("c", PW_DIMS(4), 4, (float[]){1, 2, 3, last});
    kit_node("add", "Add", "x c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    start(NULL, NULL);
}

START_TEST(bytes_of_constants_are_in_the_key)
{
    constant_model(4);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "saved"), 1);
    kit_end_session();
    constant_model(5);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "saved"), 1);
    kit_end_session();
    constant_model(4);
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 1);
    ck_assert_uint_eq(files(NULL, false), 2);
}
END_TEST

/* ---- providers that do not load or save ------------------------------------------------------- */

START_TEST(program_that_a_provider_does_not_load_is_compiled)
{
    static const char *const behaviours[][2] = {
        {"stale", "the driver is newer than the program"},
        {"fails", "no device is there to load it"},
        {"nothing", "load succeeded without a program"},
    };

    fill();
    for (size_t i = 0; i < sizeof behaviours / sizeof behaviours[0]; i++) {
        setenv("BP_KEEPER_LOAD", behaviours[i][0], 1);
        start(NULL, NULL);
        check_all(BP_PROGRAM_COMPILED, behaviours[i][1]);
        ck_assert_uint_ge(kit_lines_with(BP_LOG_WARN, behaviours[i][1]), GROUPS);
    }
    unsetenv("BP_KEEPER_LOAD");
    start(NULL, NULL); /* it was saved again */
    check_all(BP_PROGRAM_LOADED, NULL);
    ck_assert_uint_eq(atomic_load(&kit_counters("keeper")->programs), 0);
}
END_TEST

START_TEST(program_that_a_provider_does_not_save_leaves_no_file)
{
    kit_small_model();
    setenv("BP_KEEPER_SAVE", "fails", 1);
    start(NULL, NULL);
    check_all(BP_PROGRAM_COMPILED, "not saved: the pen is dry");
    setenv("BP_KEEPER_SAVE", "unsupported", 1);
    start(NULL, NULL);
    check_all(BP_PROGRAM_COMPILED, "not saved: this program is not one to keep");
    unsetenv("BP_KEEPER_SAVE");
    ck_assert_int_eq(rmdir(dir), 0); /* no temporary files either */
    ck_assert_int_eq(mkdir(dir, 0700), 0);
}
END_TEST

/* ---- files that are not believed -------------------------------------------------------------- */

static size_t read_bytes(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");
    size_t n;

    ck_assert_ptr_nonnull(file);
    n = fread(bytes, 1, MOST_BYTES, file);
    fclose(file);
    ck_assert_uint_lt(n, MOST_BYTES);
    return n;
}

static void write_bytes(const char *path, const uint8_t *bytes, size_t n)
{
    FILE *file = fopen(path, "wb");

    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, n, file), n);
    ck_assert_int_eq(fclose(file), 0);
}

/* One of: bits that flipped, an end that is missing, more at the end, zeros, noise. */
static size_t damage(uint64_t *seed, uint8_t *bytes, size_t n)
{
    size_t at = (size_t)(random_next(seed) % n), length = 1 + (size_t)(random_next(seed) % 16);

    switch (random_next(seed) % 5) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << random_next(seed) % 8);
        return n;
    case 1:
        return at;
    case 2:
        memset(bytes + n, (int)(random_next(seed) & 255), length);
        return n + length;
    case 3:
        bytes[at] ^= 0x55; /* so that something changes */
        for (size_t i = at + 1; i < n && i < at + length; i++)
            bytes[i] = 0;
        return n;
    default:
        bytes[at] = (uint8_t)~bytes[at];
        for (size_t i = at + 1; i < n && i < at + length; i++)
            bytes[i] = (uint8_t)random_next(seed);
        return n;
    }
}

START_TEST(thousand_damaged_files_are_compiled_and_written_anew)
{
    uint8_t whole[MOST_BYTES], bytes[MOST_BYTES + 16];
    uint64_t seed = 20240601;
    char name[128], path[512];
    size_t n;

    fill();
    files(name, false);
    path_of(name, path, sizeof path);
    n = read_bytes(path, whole);
    for (int i = 0; i < DAMAGES; i++) {
        memcpy(bytes, whole, n);
        write_bytes(path, bytes, damage(&seed, bytes, n));
        start(NULL, NULL);
        ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, name), 1); /* its line has the file's name */
        ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 1);   /* the other one */
        if (i % 50 == 0)
            kit_check_small(2);
        kit_end_session();
        ck_assert_uint_eq(read_bytes(path, bytes), n);
        ck_assert_mem_eq(bytes, whole, n);
    }
}
END_TEST

START_TEST(file_of_another_key_is_not_used)
{
    char name[128], path[512], other[512];
    uint8_t bytes[MOST_BYTES];
    size_t n;

    fill();
    files(name, false);
    path_of(name, path, sizeof path);
    n = read_bytes(path, bytes);
    start("level", "4");
    kit_end_session();
    files(NULL, false);
    for (int i = 0; i < 2; i++) { /* every other file gets these bytes */
        DIR *at = opendir(dir);

        for (struct dirent *entry; (entry = readdir(at)) != NULL;) {
            path_of(entry->d_name, other, sizeof other);
            if (strstr(entry->d_name, ".bpc"))
                write_bytes(other, bytes, n);
        }
        closedir(at);
    }
    start("level", "4");
    check_all(BP_PROGRAM_COMPILED, "it was written under another name");
}
END_TEST

START_TEST(file_that_others_could_write_is_not_used)
{
    char name[128], path[512];

    fill();
    files(name, false);
    path_of(name, path, sizeof path);
    ck_assert_int_eq(chmod(path, 0666), 0);
    start(NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "every user could change it"), 1);
    kit_end_session();
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(symlink("/etc/hostname", path), 0);
    start(NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "it is a link"), 1);
    kit_end_session();
    ck_assert_int_eq(remove(path), 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    start(NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "it is not a regular file"), 1);
    kit_end_session();
    ck_assert_int_eq(chmod(dir, 0777), 0);
    start(NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "every user could change it"), GROUPS);
}
END_TEST

START_TEST(file_of_another_user_is_not_used)
{
    char name[128], path[512];

    SKIP_UNLESS(geteuid() == 0, "only root can give a file to another user");
    fill();
    files(name, false);
    path_of(name, path, sizeof path);
    ck_assert_int_eq(chown(path, 12345, 12345), 0);
    start(NULL, NULL);
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "belongs to user 12345"), 1);
}
END_TEST

/* ---- directories that cannot be used ----------------------------------------------------------- */

START_TEST(directory_that_cannot_be_made_is_a_warning)
{
    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    use_cache("/proc/no/such", 0);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "compiled programs are not kept"), 1);
    check_all(BP_PROGRAM_COMPILED, "the cache is not used: /proc/no/such: ");
}
END_TEST

/* /proc is a directory in which no user can make files, root included. */
START_TEST(directory_that_cannot_be_written_is_one_warning)
{
    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    use_cache("/proc/self", 0);
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "not saved: /proc/"), 1);
    check_all(BP_PROGRAM_COMPILED, "not in the cache; not saved: /proc/");
}
END_TEST

/* write(2) fails in the middle of a file, as on a full disk. */
START_TEST(full_disk_is_a_warning_and_leaves_no_file)
{
    struct rlimit before, low;

    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    use_cache(dir, 0);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    low = (struct rlimit){200, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &low), 0);
    (void)!kit_try_session();
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_ptr_nonnull(kit.session);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "File too large"), 1);
    check_all(BP_PROGRAM_COMPILED, "not saved");
    ck_assert_int_eq(rmdir(dir), 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
}
END_TEST

START_TEST(program_larger_than_the_limit_is_not_kept)
{
    kit_small_model();
    kit_provider("keeper", BP_FALLBACK_REQUIRE);
    use_cache(dir, 200); /* more than the head, less than the whole */
    kit_session();
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "larger than the limit of the cache"), 1);
    check_all(BP_PROGRAM_COMPILED, "not saved");
    ck_assert_int_eq(rmdir(dir), 0);
    ck_assert_int_eq(mkdir(dir, 0700), 0);
}
END_TEST

/* ---- the limit --------------------------------------------------------------------------------- */

static void set_age(const char *name, time_t seconds)
{
    struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    char path[512];

    path_of(name, path, sizeof path);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Three constants make three files of one size; the limit has space for two. */
START_TEST(least_recently_used_file_goes_first)
{
    char first[128], second[128] = "", path[512];
    struct stat st;
    DIR *at;

    constant_model(1);
    kit_end_session();
    files(first, false);
    constant_model(2);
    kit_end_session();
    at = opendir(dir);
    for (struct dirent *entry; (entry = readdir(at)) != NULL;)
        if (strstr(entry->d_name, ".bpc") && strcmp(entry->d_name, first) != 0)
            snprintf(second, sizeof second, "%.127s", entry->d_name);
    closedir(at);
    set_age(first, 1000);
    set_age(second, 500);
    constant_model(1); /* a use: now the second is the oldest */
    ck_assert_uint_eq(groups(BP_PROGRAM_LOADED, NULL), 1);
    kit_end_session();
    path_of(first, path, sizeof path);
    ck_assert_int_eq(stat(path, &st), 0);
    use_cache(dir, (uint64_t)st.st_size * 2 + 10);
    kit_start_model();
    kit_io(KIT_INPUT, "x", BP_DTYPE_F32, "4");
    kit_floats("c", PW_DIMS(4), 4, (float[]){1, 2, 3, 3});
    kit_node("add", "Add", "x c", "y");
    kit_io(KIT_OUTPUT, "y", BP_DTYPE_F32, "4");
    kit_session();
    ck_assert_uint_eq(groups(BP_PROGRAM_COMPILED, "saved"), 1);
    ck_assert_uint_eq(files(NULL, false), 2);
    ck_assert_int_eq(stat(path, &st), 0);
    path_of(second, path, sizeof path);
    ck_assert_int_ne(stat(path, &st), 0);
}
END_TEST

START_TEST(temporary_files_of_dead_processes_go)
{
    char path[512];

    path_of("tmp.dead", path, sizeof path);
    write_bytes(path, (const uint8_t *)"x", 1);
    set_age("tmp.dead", 7200);
    path_of("tmp.alive", path, sizeof path);
    write_bytes(path, (const uint8_t *)"x", 1);
    fill();
    ck_assert_int_eq(access(path, F_OK), 0);
    path_of("tmp.dead", path, sizeof path);
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* ---- several processes -------------------------------------------------------------------------- */

/* Sessions one after the other, while the parent deletes files under them. */
static void race(void)
{
    for (int i = 0; i < 40; i++) {
        start(NULL, NULL);
        if (groups(BP_PROGRAM_LOADED, NULL) + groups(BP_PROGRAM_COMPILED, NULL) != GROUPS ||
            kit_warnings() > 0) {
            for (uint32_t l = 0; l < kit.n_lines && l < KIT_LINES; l++)
                fprintf(stderr, "race: %s\n", kit.lines[l]);
            _exit(1);
        }
        kit_check_small(2);
        kit_end_session();
    }
    _exit(0);
}

START_TEST(processes_that_race_all_get_their_programs)
{
    enum { CHILDREN = 4 };
    pid_t children[CHILDREN];
    int n_left = CHILDREN;

    kit_small_model();
    kit_new_env(1); /* no threads, which a child would not have */
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = fork();
        ck_assert_int_ge(children[i], 0);
        if (children[i] == 0)
            race();
    }
    while (n_left > 0) {
        int status;
        pid_t child = waitpid(-1, &status, WNOHANG);
        char name[128] = "", path[512];

        ck_assert_int_ge(child, 0);
        if (child > 0) {
            ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", status);
            n_left--;
            continue;
        }
        if (files(name, false) > 0) {
            path_of(name, path, sizeof path);
            unlink(path);
        }
        usleep(1000);
    }
    start(NULL, NULL);
    kit_end_session();
    start(NULL, NULL);
    check_all(BP_PROGRAM_LOADED, NULL);
}
END_TEST

/* ---- what tools see ------------------------------------------------------------------------------ */

START_TEST(cache_is_listed_verified_and_cleared)
{
    bp_cache_file row = {.struct_size = sizeof row};
    char name[128], path[512];
    uint8_t bytes[MOST_BYTES];
    uint32_t n_bad = 0, n;
    uint64_t n_bytes;
    bp_cache *cache;
    size_t size;

    fill();
    files(name, false);
    path_of(name, path, sizeof path);
    size = read_bytes(path, bytes);
    bytes[size - 1] ^= 1;
    write_bytes(path, bytes, size);
    KIT_FAILS(bp_cache_open(kit.env, NULL, &cache, &kit.err), BP_E_INVALID, "BACKPLANE_CACHE_DIR");
    KIT_FAILS(bp_cache_open(kit.env, "/no/such", &cache, &kit.err), BP_E_IO, "/no/such");
    KIT_OK(bp_cache_open(kit.env, dir, &cache, &kit.err));
    ck_assert_uint_eq(bp_cache_count(cache), GROUPS);
    for (uint32_t i = 0; i < GROUPS; i++) {
        KIT_OK(bp_cache_get(cache, i, 0, &row, &kit.err)); /* the first bytes are right */
        ck_assert_int_eq(row.code, BP_OK);
        ck_assert_str_eq(row.provider, "org.backplane.keeper");
        ck_assert_str_eq(row.version, "1.2.3");
        ck_assert_str_eq(row.host, bp_version());
        ck_assert_str_eq(row.model, "model in memory");
        ck_assert_int_eq(strncmp(row.group, "main/", 5), 0);
        KIT_OK(bp_cache_get(cache, i, 1, &row, &kit.err));
        if (row.code < 0) {
            n_bad++;
            ck_assert_int_eq(row.code, BP_E_STALE);
            ck_assert_str_eq(row.file, name);
            ck_assert_ptr_nonnull(strstr(row.reason, "checksum"));
        }
    }
    ck_assert_uint_eq(n_bad, 1);
    KIT_FAILS(bp_cache_get(cache, GROUPS, 0, &row, &kit.err), BP_E_INVALID, "no file 2");
    KIT_OK(bp_cache_clear(cache, 0, &n, &n_bytes, &kit.err));
    ck_assert_uint_eq(n, GROUPS);
    ck_assert_uint_ge(n_bytes, 2 * 160);
    bp_cache_close(cache);
    ck_assert_uint_eq(files(NULL, false), 0);
}
END_TEST

int main(void)
{
    TCase *cases[] = {tcase_create("cache")};

    tcase_add_checked_fixture(cases[0], setup, teardown);
    tcase_set_timeout(cases[0], 300);
    tcase_add_test(cases[0], cache_is_off_unless_asked_for);
    tcase_add_test(cases[0], second_session_loads_what_the_first_saved);
    tcase_add_test(cases[0], variable_names_the_directory_and_an_empty_option_overrides_it);
    tcase_add_test(cases[0], provider_that_saves_nothing_is_told_in_the_report);
    tcase_add_test(cases[0], options_of_the_provider_are_in_the_key);
    tcase_add_test(cases[0], options_outside_of_the_schema_are_in_the_key_and_the_report);
    tcase_add_test(cases[0], fingerprint_is_in_the_key);
    tcase_add_test(cases[0], failing_fingerprint_leaves_the_cache_out);
    tcase_add_test(cases[0], bytes_of_constants_are_in_the_key);
    tcase_add_test(cases[0], program_that_a_provider_does_not_load_is_compiled);
    tcase_add_test(cases[0], program_that_a_provider_does_not_save_leaves_no_file);
    tcase_add_test(cases[0], thousand_damaged_files_are_compiled_and_written_anew);
    tcase_add_test(cases[0], file_of_another_key_is_not_used);
    tcase_add_test(cases[0], file_that_others_could_write_is_not_used);
    tcase_add_test(cases[0], file_of_another_user_is_not_used);
    tcase_add_test(cases[0], directory_that_cannot_be_made_is_a_warning);
    tcase_add_test(cases[0], directory_that_cannot_be_written_is_one_warning);
    tcase_add_test(cases[0], full_disk_is_a_warning_and_leaves_no_file);
    tcase_add_test(cases[0], program_larger_than_the_limit_is_not_kept);
    tcase_add_test(cases[0], least_recently_used_file_goes_first);
    tcase_add_test(cases[0], temporary_files_of_dead_processes_go);
    tcase_add_test(cases[0], processes_that_race_all_get_their_programs);
    tcase_add_test(cases[0], cache_is_listed_verified_and_cleared);
    return kit_main("cache", cases, sizeof cases / sizeof cases[0]);
}
