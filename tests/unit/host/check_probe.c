/* SPDX-License-Identifier: MIT */
/*
 * check_probe.c - plug-ins that crash, hang, end their process or leave things behind, and what a
 * host makes of them that tries them in processes of their own first.
 */

#include "config.h"

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

#include "support/plugin_kit.h"

/* ---- plug-ins -------------------------------------------------------------------------------- */

/* The rest of a plug-in; what it does is in macros before it. */
static const char body[] =
    "#include <pthread.h>\n#include <signal.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    "#include <string.h>\n#include <sys/mman.h>\n#include <sys/wait.h>\n"
    "#ifndef LOAD\n#define LOAD\n#endif\n#ifndef ENTER\n#define ENTER\n#endif\n"
    "#ifndef ASK\n#define ASK\n#endif\n"
    "static volatile int *nothing;\n"
    "static int deep(volatile int n) { volatile char buffer[4096]; buffer[0] = (char)n;"
    " return n < 0 ? buffer[0] : deep(n + 1) + buffer[0]; }\n"
    "static void *idle(void *p) { for (;;) sleep(100); return p; }\n"
    "static void use(void) { (void)nothing; (void)deep; (void)idle; }\n"
    "__attribute__((constructor)) static void load(void) { use(); LOAD; }\n"
    "static bp_rc ask(const bp_host *host, bp_avail *avail, bp_err *err)\n"
    "{ (void)host; (void)err; ASK; avail->state = BP_AVAIL_YES; avail->n_devices = 1;"
    " return BP_OK; }\n"
    "static void stub(void) {}\n"
    "static const bp_provider provider = {.struct_size = sizeof provider, .id = \"org.test.\" NAME,"
    " .name = NAME, .version = \"1\", .is_available = ask, .create = (void *)stub,"
    " .destroy = (void *)stub, .capability = (void *)stub, .compile = (void *)stub,"
    " .program_free = (void *)stub, .frame_create = (void *)stub, .frame_free = (void *)stub,"
    " .execute = (void *)stub};\n"
    "static const bp_provider *const all[] = {&provider};\n"
    "static const bp_module module = {.struct_size = sizeof module, .abi_major = BP_ABI_MAJOR,"
    " .abi_minor = BP_ABI_MINOR, .magic = BP_MAGIC, .providers = all, .n_providers = 1};\n"
    "BP_EXPORT bp_rc bp_provider_entry_v1(const bp_host *h, const bp_module **out, bp_err *err)\n"
    "{ (void)h; (void)err; ENTER; *out = &module; return BP_OK; }\n";

/* A plug-in "name" that does `what`, a macro such as "ASK abort()". */
static void make(const char *name, const char *what)
{
    char code[3600], manifest[128], file[64];

    snprintf(code, sizeof code, "#define NAME \"%s\"\n#define %s\n%s", name, what, body);
    snprintf(manifest, sizeof manifest, "id=org.test.%s\\nname=%s\\nversion=1", name, name);
    snprintf(file, sizeof file, "libbp-%s.so", name);
    plugin_make(file, manifest, code, "-D_GNU_SOURCE -w -O0 -pthread");
}

static const char *registry; /* of the environments to come; NULL: none */

static bp_env *env_with(uint32_t mode, uint32_t timeout_ms, const char *helper)
{
    char built[1024], own[1024];
    const char *dirs[] = {plugin_dir, built};
    bp_env_config config = {.struct_size = sizeof config,
                            .flags = BP_ENV_IGNORE_VARIABLES,
                            .log_level = BP_LOG_WARN,
                            .log = kit_log,
                            .provider_dirs = dirs,
                            .n_provider_dirs = 2,
                            .probe = mode,
                            .probe_timeout_ms = timeout_ms,
                            .probe_helper = helper ? helper : own,
                            .registry = registry};
    bp_env *env = NULL;

    snprintf(built, sizeof built, "%s/providers", getenv("BP_BUILDDIR"));
    snprintf(own, sizeof own, "%s/runtime/backplane-probe", getenv("BP_BUILDDIR"));
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    return env;
}

static bp_provider_info ask(bp_env *env, const char *name)
{
    bp_provider_info info = {.struct_size = sizeof info};
    uint32_t i;

    KIT_OK(bp_env_find_provider(env, name, &i, &kit.err));
    KIT_OK(bp_env_provider_info(env, i, &info, &kit.err));
    return info;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- the zoo --------------------------------------------------------------------------------- */

static const struct {
    const char *name, *what;
    uint32_t stage;
    const char *words;
} zoo[] = {
    {"crashload", "LOAD *nothing = 1", BP_STAGE_OPEN, "signal 11"},
    {"crashentry", "ENTER *nothing = 1", BP_STAGE_ABI, "signal 11"},
    {"crashask", "ASK *nothing = 1", BP_STAGE_AVAILABLE, "signal 11"},
    {"abortload", "LOAD abort()", BP_STAGE_OPEN, "signal 6"},
    {"abortask", "ASK abort()", BP_STAGE_AVAILABLE, "signal 6"},
    {"trap", "ENTER __builtin_trap()", BP_STAGE_ABI, "crashed with signal"},
    {"deep", "ASK deep(0)", BP_STAGE_AVAILABLE, "signal 11"},
    {"killed", "ASK kill(getpid(), SIGKILL)", BP_STAGE_AVAILABLE, "signal 9"},
    {"hangload", "LOAD idle(0)", BP_STAGE_OPEN, "more than 3000 ms"},
    {"hangentry", "ENTER idle(0)", BP_STAGE_ABI, "more than 3000 ms"},
    {"hangask", "ASK idle(0)", BP_STAGE_AVAILABLE, "more than 3000 ms"},
    {"spinask", "ASK for (;;) use()", BP_STAGE_AVAILABLE, "more than 3000 ms"},
    {"stopask", "ASK raise(SIGSTOP)", BP_STAGE_AVAILABLE, "more than 3000 ms"},
    {"deafask", "ASK sigset_t s; sigfillset(&s); sigprocmask(SIG_BLOCK, &s, 0); idle(0)",
     BP_STAGE_AVAILABLE, "more than 3000 ms"},
    {"forkask", "ASK if (fork() == 0) idle(0); wait(0)", BP_STAGE_AVAILABLE, "more than 3000 ms"},
    {"exitload", "LOAD exit(0)", BP_STAGE_OPEN, "ended its process with status 0"},
    {"exitentry", "ENTER _exit(7)", BP_STAGE_ABI, "ended its process with status 7"},
    {"exitask", "ASK exit(3)", BP_STAGE_AVAILABLE, "ended its process with status 3"},
    {"thread", "ASK pthread_t t; pthread_create(&t, 0, idle, 0)", BP_STAGE_AVAILABLE,
     "left behind a thread"},
    {"mask",
     "ASK sigset_t s; sigemptyset(&s); sigaddset(&s, SIGTERM);"
     " pthread_sigmask(SIG_BLOCK, &s, 0)",
     BP_STAGE_AVAILABLE, "left behind blocked signals"},
    {"moved", "ENTER (void)!chdir(\"/\")", BP_STAGE_AVAILABLE, "another current directory"},
    {"closer", "ASK for (int i = 0; i < 64; i++) close(i)", BP_STAGE_AVAILABLE,
     "standard descriptors closed"},
    {"trapload", "LOAD __builtin_trap()", BP_STAGE_OPEN, "crashed with signal"},
    {"smash", "ENTER volatile char buffer[8]; static int i; while (i < 4096) buffer[i++] = 65",
     BP_STAGE_ABI, "crashed with signal"},
    {"beyond",
     "ASK int f = memfd_create(\"x\", 0);"
     " *(volatile char *)mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0) = 1",
     BP_STAGE_AVAILABLE, "signal 7"},
    {"alarm", "ENTER alarm(1); idle(0)", BP_STAGE_ABI, "signal 14"},
    {"another", "ASK execl(\"/bin/true\", \"true\", (char *)0)", BP_STAGE_AVAILABLE,
     "ended its process with status 0"},
    {"lastthread", "ENTER pthread_exit(0)", BP_STAGE_ABI, "ended its process with status 0"},
    {"forkload", "LOAD if (fork() > 0) _exit(5); idle(0)", BP_STAGE_OPEN,
     "ended its process with status 5"},
    {"spinload", "LOAD for (;;) use()", BP_STAGE_OPEN, "more than 3000 ms"},
};

enum { N_ZOO = sizeof zoo / sizeof zoo[0] };

/* Milliseconds of a start that tries all there is, with what tests of it use. */
static double time_start(const char *helper, bp_env **out)
{
    double start = now();

    *out = env_with(BP_PROBE_AUTO, 3000, helper);
    KIT_OK(bp_env_probe(*out, &kit.err));
    return (now() - start) * 1e3;
}

/* Later starts know all plug-ins and probe none; the shortest of several times is checked. */
static void check_next_starts(void)
{
    double least = 1e9;
    bp_env *env;

    for (int i = 0; i < 5; i++) {
        double ms = time_start("/nowhere", &env);

        least = ms < least ? ms : least;
        for (unsigned j = 0; j < N_ZOO; j++)
            KIT_FAILS(bp_env_is_available(env, zoo[j].name, &kit.err), BP_E_UNAVAILABLE,
                      zoo[j].words, "not tried again before 10 min");
        KIT_OK(bp_env_destroy(env, &kit.err));
    }
    ck_assert_uint_eq(kit_warnings(), 0);
    printf("zoo: the next start skips them in %.2f ms (limit 5)\n", least);
    ck_assert_msg(least < (plugin_limits_are_strict() ? 5.0 : 3000.0), "some were tried again");
}

/* Proof 2 of docs/proofs.md: P4 and P6. */
START_TEST(probe_registers_no_faulty_plug_in)
{
    double ms;
    bp_env *env;

    for (unsigned i = 0; i < N_ZOO; i++)
        make(zoo[i].name, zoo[i].what);
    make("good", "ASK");
    registry = plugin_path("registry");
    ms = time_start(NULL, &env);
    printf("zoo: %d bad plug-ins and a good one are tried in %.1f ms (deadline 3000, limit 3050)\n",
           N_ZOO, ms);
    ck_assert_msg(ms < (plugin_limits_are_strict() ? 3050 : 4 * 3000), "%g ms: too slow", ms);
    for (unsigned i = 0; i < N_ZOO; i++) {
        bp_provider_info info = ask(env, zoo[i].name);

        ck_assert_msg(info.code == BP_E_UNAVAILABLE && info.stage == zoo[i].stage &&
                          strstr(info.reason, zoo[i].words),
                      "%s: %s, %s, %s", zoo[i].name, bp_stage_name(info.stage),
                      bp_rc_name(info.code), info.reason ? info.reason : "no reason");
        ck_assert_ptr_nonnull(info.fix);
        KIT_FAILS(bp_env_is_available(env, zoo[i].name, &kit.err), BP_E_UNAVAILABLE, zoo[i].words);
    }
    ck_assert_int_eq(ask(env, "good").code, BP_OK);
    ck_assert_uint_eq(ask(env, "good").stage, BP_STAGE_AVAILABLE);
    KIT_OK(bp_env_destroy(env, &kit.err));

    check_next_starts();
    registry = NULL;
}
END_TEST

START_TEST(session_probes_all_its_providers_at_once)
{
    double start;

    make("hanga", "ASK idle(0)");
    make("hangb", "LOAD idle(0)");
    make("hangc", "ENTER idle(0)");
    bp_model_close(kit.model);
    kit.model = NULL;
    KIT_OK(bp_env_destroy(kit.env, &kit.err));
    kit.env = env_with(BP_PROBE_AUTO, 3000, NULL);
    kit_small_model();
    kit_provider("hanga", BP_FALLBACK_SILENT);
    kit_provider("hangb", BP_FALLBACK_SILENT);
    kit_provider("hangc", BP_FALLBACK_SILENT);
    start = now();
    kit_session();
    ck_assert_msg(now() - start < 3 * 3.0, "%g s: one after the other", now() - start);
    kit_check_small(2);
}
END_TEST

/* ---- modes ----------------------------------------------------------------------------------- */

START_TEST(missing_probe_helper_warns_in_mode_auto_and_fails_in_mode_always)
{
    bp_env *env;

    make("gooda", "ASK");
    make("goodb", "ASK");
    make("goodc", "ASK");
    env = env_with(BP_PROBE_ALWAYS, 0, "/nowhere/backplane-probe");
    KIT_FAILS(bp_env_is_available(env, "goodc", &kit.err), BP_E_UNAVAILABLE, "could not be probed",
              "/nowhere/backplane-probe");
    ck_assert_uint_eq(ask(env, "goodc").stage, BP_STAGE_QUARANTINE);
    ck_assert_uint_eq(ask(env, "cpu").stage, BP_STAGE_QUARANTINE);
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_eq(kit_warnings(), 0);
    env = env_with(BP_PROBE_AUTO, 0, "/nowhere/backplane-probe");
    KIT_OK(bp_env_is_available(env, "gooda", &kit.err));
    KIT_OK(bp_env_is_available(env, "goodb", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "/nowhere/backplane-probe"), 1);
}
END_TEST

/* A helper that fails, however it fails, is not counted as a fault of the plug-in. */
START_TEST(a_broken_probe_helper_blames_no_plug_in)
{
    static const char *const scripts[] = {"#!/bin/sh\nexit 0\n", "#!/bin/sh\nkill -9 $$\n",
                                          "#!/bin/sh\nsleep 100\n", "no program\n"};
    char name[32];
    bp_env *env;

    snprintf(name, sizeof name, "good%d", _i);
    make(name, "ASK");
    plugin_write("helper", scripts[_i]);
    ck_assert_int_eq(chmod(plugin_path("helper"), 0755), 0);
    env = env_with(BP_PROBE_AUTO, 500, plugin_path("helper"));
    KIT_OK(bp_env_is_available(env, name, &kit.err));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "/helper"), 1);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

START_TEST(probe_mode_off_starts_no_helper)
{
    bp_env *env;

    make("once", "ASK if (getenv(\"BP_TEST_PARENT\") && atoi(getenv(\"BP_TEST_PARENT\")) !="
                 " getpid()) abort()");
    snprintf(kit.text, sizeof kit.text, "%d", (int)getpid());
    setenv("BP_TEST_PARENT", kit.text, 1);
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    KIT_FAILS(bp_env_is_available(env, "once", &kit.err), BP_E_UNAVAILABLE, "signal 6");
    KIT_OK(bp_env_destroy(env, &kit.err));
    env = env_with(BP_PROBE_OFF, 0, NULL);
    KIT_OK(bp_env_probe(env, &kit.err));
    KIT_OK(bp_env_is_available(env, "once", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    env = env_with(BP_PROBE_ALWAYS, 0, NULL); /* it is open here by now */
    KIT_OK(bp_env_is_available(env, "once", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BP_TEST_PARENT");
}
END_TEST

START_TEST(plug_in_that_reports_unavailable_passes_the_probe)
{
    bp_provider_info info;
    bp_env *env;

    plugin_shell("cp %s/libbp-absent.so %s", getenv("BP_MOCK_DIR"), plugin_path("libbp-absent.so"));
    plugin_shell("cp %s/libbp-undefined.so %s", getenv("BP_MOCK_DIR"),
                 plugin_path("libbp-undefined.so"));
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    info = ask(env, "absent");
    ck_assert_uint_eq(info.stage, BP_STAGE_AVAILABLE);
    ck_assert_ptr_nonnull(strstr(info.reason, "driver too old"));
    ck_assert_ptr_nonnull(info.vendor);
    ck_assert_uint_eq(ask(env, "undefined").stage, BP_STAGE_DEPENDENCIES);
    KIT_OK(bp_env_destroy(env, &kit.err));
}
END_TEST

/* An application may ignore its children, or take the ends of all of them. */
START_TEST(probe_works_when_the_application_ignores_sigchld)
{
    bp_env *env;

    make("good", "ASK");
    make("crash", "ASK *nothing = 1");
    signal(SIGCHLD, SIG_IGN);
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    KIT_OK(bp_env_is_available(env, "good", &kit.err));
    KIT_FAILS(bp_env_is_available(env, "crash", &kit.err), BP_E_UNAVAILABLE,
              "in is_available; how is not known");
    KIT_OK(bp_env_destroy(env, &kit.err));
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* ---- from one process to the next ------------------------------------------------------------ */

START_TEST(second_failure_quarantines_a_plug_in_until_the_user_ends_it)
{
    bp_provider_info info;
    bp_env *env;

    make("crash", "ASK *nothing = 1");
    registry = plugin_path("registry");
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    KIT_FAILS(bp_env_is_available(env, "crash", &kit.err), BP_E_UNAVAILABLE, "signal 11");
    KIT_OK(bp_env_destroy(env, &kit.err));
    env = env_with(BP_PROBE_ALWAYS, 0, NULL);
    KIT_FAILS(bp_env_is_available(env, "crash", &kit.err), BP_E_UNAVAILABLE, "signal 11");
    KIT_OK(bp_env_destroy(env, &kit.err));
    for (uint32_t mode = BP_PROBE_AUTO; mode <= BP_PROBE_ALWAYS; mode++) {
        env = env_with(mode, 0, "/nowhere");
        info = ask(env, "crash");
        ck_assert_uint_eq(info.stage, BP_STAGE_QUARANTINE);
        ck_assert_ptr_nonnull(strstr(info.reason, "has failed 2 times"));
        ck_assert_ptr_nonnull(strstr(info.reason, "signal 11"));
        ck_assert_ptr_nonnull(strstr(info.fix, "backplane doctor retry crash"));
        KIT_OK(bp_env_destroy(env, &kit.err));
    }
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    ck_assert_uint_eq(ask(env, "crash").stage, BP_STAGE_QUARANTINE);
    KIT_OK(bp_env_retry_provider(env, "crash", &kit.err));
    ck_assert_uint_eq(ask(env, "crash").stage, BP_STAGE_AVAILABLE);
    KIT_OK(bp_env_destroy(env, &kit.err));
    KIT_FAILS(bp_env_retry_provider(kit.env, "nobody", &kit.err), BP_E_INVALID,
              "there is no provider 'nobody'");
    KIT_FAILS(bp_env_retry_provider(kit.env, "", &kit.err), BP_E_INVALID, "needs a name");
    KIT_OK(bp_env_retry_provider(kit.env, "cpu", &kit.err));
    registry = NULL;
}
END_TEST

START_TEST(quarantine_ends_when_the_file_changes)
{
    bp_env *env;

    make("crash", "ASK *nothing = 1");
    registry = plugin_path("registry");
    for (uint32_t i = 0; i < 2; i++) {
        env = env_with(BP_PROBE_ALWAYS, 0, NULL);
        KIT_FAILS(bp_env_is_available(env, "crash", &kit.err), BP_E_UNAVAILABLE, "signal 11");
        KIT_OK(bp_env_destroy(env, &kit.err));
    }
    make("crash", "ASK"); /* mended */
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    KIT_OK(bp_env_is_available(env, "crash", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    registry = NULL;
}
END_TEST

/* A plug-in that passed is not probed for a day; this one would fail a second probe. */
START_TEST(plug_in_that_passed_is_opened_without_a_probe_for_a_day)
{
    bp_env *env;
    pid_t child;
    int status;

    make("fine", "ASK if (getenv(\"BP_TEST_PARENT\") && atoi(getenv(\"BP_TEST_PARENT\")) !="
                 " getpid()) abort()");
    registry = plugin_path("registry");
    child = fork(); /* so that it is not open in this process */
    if (child == 0) {
        env = env_with(BP_PROBE_AUTO, 0, NULL);
        (void)!bp_env_is_available(env, "fine", NULL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    plugin_shell("grep -q libbp-fine.so %s", registry);
    snprintf(kit.text, sizeof kit.text, "%d", (int)getpid());
    setenv("BP_TEST_PARENT", kit.text, 1);
    env = env_with(BP_PROBE_AUTO, 0, NULL);
    KIT_OK(bp_env_is_available(env, "fine", &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BP_TEST_PARENT");
    registry = NULL;
}
END_TEST

START_TEST(probe_writes_no_file_unless_configured)
{
    bp_env_config config = {.struct_size = sizeof config, .log = kit_log};
    struct stat st;
    bp_env *env;

    make("crash", "ASK *nothing = 1");
    setenv("BACKPLANE_PROVIDER_PATH", plugin_dir, 1);
    setenv("XDG_CACHE_HOME", plugin_path("cache"), 1);
    ck_assert_int_eq(mkdir(plugin_path("cache"), 0700), 0);
    for (int i = 0; i < 4; i++) {
        static const char *const values[] = {NULL, "off", "registry", "user"};

        if (values[i])
            setenv("BACKPLANE_REGISTRY", values[i], 1);
        KIT_OK(bp_env_create(&config, &env, &kit.err));
        KIT_FAILS(bp_env_is_available(env, "crash", &kit.err), BP_E_UNAVAILABLE, "signal 11");
        KIT_OK(bp_env_destroy(env, &kit.err));
        ck_assert_int_eq(stat(plugin_path("cache/backplane/registry"), &st), i == 3 ? 0 : -1);
        ck_assert_uint_eq(kit_warnings(), i >= 2); /* about "registry" */
    }
    unsetenv("BACKPLANE_REGISTRY");
    unsetenv("XDG_CACHE_HOME");
}
END_TEST

START_TEST(environment_rejects_invalid_probe_settings)
{
    bp_env_config config = {.struct_size = sizeof config, .probe = 4};
    bp_env *env;

    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "probe is 4");
    config.probe = 0;
    config.probe_timeout_ms = 600001;
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "at most 600000");
    config.probe_timeout_ms = 0;
    config.probe_helper = "helper";
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "not absolute");
    config.probe_helper = NULL;
    config.registry = "registry";
    KIT_FAILS(bp_env_create(&config, &env, &kit.err), BP_E_INVALID, "not 'registry'");
}
END_TEST

START_TEST(variables_configure_probes_when_the_application_does_not)
{
    bp_env_config config = {.struct_size = sizeof config, .log = kit_log};
    bp_env *env;

    make("hang", "ASK idle(0)");
    setenv("BACKPLANE_PROVIDER_PATH", plugin_dir, 1);
    setenv("BACKPLANE_PROBE_TIMEOUT_MS", "300", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_FAILS(bp_env_is_available(env, "hang", &kit.err), BP_E_UNAVAILABLE, "more than 300 ms");
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_eq(kit_warnings(), 0);
    setenv("BACKPLANE_PROBE", "never", 1);
    setenv("BACKPLANE_PROBE_TIMEOUT_MS", "3s", 1);
    setenv("BACKPLANE_PROBE_HELPER", "helper", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_OK(bp_env_destroy(env, &kit.err));
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'never' counts as auto"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "'3s' counts as 2000"), 1);
    ck_assert_uint_eq(kit_lines_with(BP_LOG_WARN, "it is not absolute"), 1);
    setenv("BACKPLANE_PROBE", "always", 1);
    setenv("BACKPLANE_PROBE_HELPER", "/nowhere", 1);
    KIT_OK(bp_env_create(&config, &env, &kit.err));
    KIT_FAILS(bp_env_is_available(env, "hang", &kit.err), BP_E_UNAVAILABLE, "could not be probed");
    KIT_OK(bp_env_destroy(env, &kit.err));
    unsetenv("BACKPLANE_PROBE");
    unsetenv("BACKPLANE_PROBE_HELPER");
    unsetenv("BACKPLANE_PROBE_TIMEOUT_MS");
}
END_TEST

int main(void)
{
    TCase *animals = tcase_create("zoo"), *modes = tcase_create("modes");
    TCase *const cases[] = {modes, animals}; /* the first one wants nothing open so far */

    /* for the helpers: a build with sanitizers would end where the others get a signal */
    setenv("ASAN_OPTIONS",
           "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigill=0:handle_sigfpe=0:"
           "detect_leaks=0",
           1);
    tcase_add_checked_fixture(animals, plugin_setup, plugin_teardown);
    tcase_add_checked_fixture(modes, plugin_setup, plugin_teardown);
    tcase_set_timeout(animals, 600); /* the compiler has a lot to do */
    tcase_add_test(animals, probe_registers_no_faulty_plug_in);
    tcase_add_test(animals, session_probes_all_its_providers_at_once);
    tcase_add_test(modes, missing_probe_helper_warns_in_mode_auto_and_fails_in_mode_always);
    tcase_add_loop_test(modes, a_broken_probe_helper_blames_no_plug_in, 0, 4);
    tcase_add_test(modes, probe_mode_off_starts_no_helper);
    tcase_add_test(modes, plug_in_that_reports_unavailable_passes_the_probe);
    tcase_add_test(modes, probe_works_when_the_application_ignores_sigchld);
    tcase_add_test(modes, second_failure_quarantines_a_plug_in_until_the_user_ends_it);
    tcase_add_test(modes, quarantine_ends_when_the_file_changes);
    tcase_add_test(modes, plug_in_that_passed_is_opened_without_a_probe_for_a_day);
    tcase_add_test(modes, probe_writes_no_file_unless_configured);
    tcase_add_test(modes, environment_rejects_invalid_probe_settings);
    tcase_add_test(modes, variables_configure_probes_when_the_application_does_not);
    return kit_main("probe", cases, 2);
}
