/* SPDX-License-Identifier: MIT */
/* recheck.c - inspects a plug-in's file again right before it is mapped, and checks its hash. */

#include "config.h"

#include "host/recheck.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "host/inspect/dependencies.h"

bp_rc bp_recheck_init(struct bp_registry *registry, const bp_env_config *config,
                      const struct bp_settings *settings, bp_err *err)
{
    const char *word = bp_settings_get(settings, "BACKPLANE_DEPS");

    if (config->deps > BP_DEPS_TRUSTED)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: deps is %u; use a BP_DEPS_* constant",
                       config->deps);
    registry->wants_trusted =
        registry->inspector.trust.is_strict || config->deps == BP_DEPS_TRUSTED;
    if (config->deps || !word || strcmp(word, "any") == 0)
        return BP_OK;
    if (strcmp(word, "trusted") != 0)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "BACKPLANE_DEPS is any or trusted; '%s' counts as trusted", word);
    registry->wants_trusted = true;
    return BP_OK;
}

/*
 * Compares manifests by their meaning and not by their bytes: the order of lines and unknown keys
 * don't matter.
 */
static bool is_same_manifest(const struct bp_manifest *a, const struct bp_manifest *b)
{
    struct bp_text one = {0}, other = {0};
    bool is_same;

    bp_manifest_write(a, &one);
    bp_manifest_write(b, &other);
    is_same = !one.failed && !other.failed && strcmp(one.data, other.data) == 0;
    bp_text_finish(&one);
    bp_text_finish(&other);
    return is_same;
}

/*
 * Fails if the manifest has changed: names, order, vetoes and duplicates were settled by the old
 * one.
 */
static void check_manifest(const struct bp_registry *registry, const struct bp_candidate *candidate,
                           const struct bp_manifest *fresh, struct bp_stage_verdict *verdict)
{
    if (verdict->code < 0 || is_same_manifest(fresh, &candidate->inspected.manifest))
        return;
    if (candidate->inspected.is_recalled)
        bp_stage_refuse(verdict, BP_STAGE_MANIFEST, BP_E_UNAVAILABLE,
                        "start the program anew, or call bp_env_forget_provider()",
                        "%s: its manifest is another than %s had", candidate->file,
                        registry->cache.file);
    else
        bp_stage_refuse(verdict, BP_STAGE_MANIFEST, BP_E_UNAVAILABLE,
                        "start the program anew, or call bp_env_forget_provider()",
                        "%s: its manifest is another than when it was found", candidate->file);
}

/*
 * Compares size and both times as well, because a file that is rewritten in place keeps its inode.
 */
static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/*
 * Computes the file's hash unless it is known for this state of the file. A hash takes milliseconds
 * for large plug-ins, and both a probe and the opening after it ask for it.
 */
static bool find_hash(struct bp_candidate *candidate, int fd, struct bp_stage_verdict *verdict)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    struct stat st = {0};

    if (fstat(fd, &st) == 0 && candidate->sha256[0] && is_same_file(&st, &candidate->hashed))
        return true;
    candidate->hashed = st;
    if (bp_sha256_of_file(fd, candidate->sha256, &err) >= 0)
        return true;
    candidate->sha256[0] = '\0';
    return bp_stage_refuse(verdict, BP_STAGE_POLICY, BP_E_IO, NULL, "%s: %s", candidate->file,
                           text);
}

bool bp_recheck_hash(struct bp_candidate *candidate, int fd)
{
    struct bp_stage_verdict verdict;

    return find_hash(candidate, fd, &verdict);
}

/*
 * Has the file the hash that the operator's conf gives, and does the allow list have it, if one is
 * in force?
 */
static bool check_hash(struct bp_registry *registry, struct bp_candidate *candidate, int fd,
                       struct bp_stage_verdict *verdict)
{
    struct bp_allow_list *allow = &registry->allow;
    char text[sizeof verdict->reason], words[sizeof text], fix[sizeof verdict->fix];
    bp_err err = bp_err_init(text, sizeof text);
    bool wants_list = allow->mode != BP_ALLOW_OFF;
    bp_rc rc;

    if (!wants_list && !candidate->conf.sha256)
        return true;
    if (!find_hash(candidate, fd, verdict))
        return false;
    candidate->is_allowed =
        wants_list &&
        bp_allow_list_has(allow, &registry->inspector.trust, candidate->file,
                          candidate->inspected.manifest.id, candidate->sha256, words, sizeof words);
    rc = bp_plugin_conf_check_pin(&candidate->conf, candidate->file, candidate->sha256, &err);
    if (rc < 0)
        return bp_stage_refuse(verdict, BP_STAGE_POLICY, rc, NULL, "%s", text);
    if (!wants_list || candidate->is_allowed)
        return true;
    if (allow->mode == BP_ALLOW_ENFORCE) {
        snprintf(fix, sizeof fix, "who trusts it puts that hash and id into a file %.120s/NAME.sum",
                 allow->dirs[0]);
        return bp_stage_refuse(verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, fix, "%s", words);
    }
    if (!candidate->has_warned)
        bp_log(registry->log, BP_LOG_WARN, "host", "%s; it is opened all the same", words);
    candidate->has_warned = true;
    return true;
}

/*
 * Could another user have changed a library that the plug-in would load? This runs the dynamic
 * linker in a process of its own, so it is done only on request.
 */
static bool check_libraries(struct bp_registry *registry, const struct bp_candidate *candidate,
                            struct bp_stage_verdict *verdict)
{
    char text[sizeof verdict->reason];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!registry->wants_trusted && !candidate->conf.wants_trusted)
        return true;
    rc = bp_dependencies_check(candidate->file, &registry->inspector.trust, verdict->fix,
                               sizeof verdict->fix, &err);
    return rc >= 0 || bp_stage_refuse(verdict, BP_STAGE_SECURITY, rc, verdict->fix, "%s", text);
}

/* Removes the file's entry from the cache, as it is no longer true. */
static void forget_manifest(struct bp_registry *registry, const struct bp_candidate *candidate)
{
    bp_manifest_cache_forget(&registry->cache, candidate->file);
    bp_manifest_cache_save(&registry->cache, registry->log);
}

/*
 * Inspects the file again. The descriptor stays open until the file is mapped: meanwhile the inode
 * can't be given to another file, so device and inode prove which file was mapped.
 */
int bp_recheck_file(struct bp_registry *registry, struct bp_candidate *candidate,
                    struct bp_file_id *id)
{
    struct bp_stage_verdict verdict;
    struct bp_inspected fresh;
    int fd;

    if (!candidate->file || !bp_candidate_is_fit(candidate))
        return -1;
    fd = bp_inspect_again(&registry->inspector, candidate->file, candidate->inspected.level, &fresh,
                          &verdict);
    check_manifest(registry, candidate, &fresh.manifest, &verdict);
    if (verdict.code < 0 && candidate->inspected.is_recalled)
        forget_manifest(registry, candidate);
    if (verdict.code >= 0 && check_hash(registry, candidate, fd, &verdict))
        (void)check_libraries(registry, candidate, &verdict);
    *id = (struct bp_file_id){.dev = fresh.dev, .ino = fresh.ino};
    bp_inspected_finish(&fresh);
    candidate->inspected.is_recalled = false;
    if (verdict.code < 0) {
        candidate->verdict = verdict;
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    return fd;
}

/* Stops at the first file that is not trusted, because the verdict has one reason. */
void bp_recheck_libraries(struct bp_registry *registry, struct bp_candidate *candidate,
                          const char *files)
{
    char text[sizeof candidate->reason], fix[sizeof candidate->fix];
    bp_err err = bp_err_init(text, sizeof text);

    if ((!registry->wants_trusted && !candidate->conf.wants_trusted) || !files ||
        !bp_candidate_is_fit(candidate))
        return;
    while (*files) {
        size_t n = strcspn(files, "\n");
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%.*s", (int)(n < PATH_MAX ? n : PATH_MAX - 1), files);
        if (bp_dependencies_check_file(path, &registry->inspector.trust, fix, sizeof fix, &err) <
            0) {
            bp_stage_refuse(&candidate->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE, fix,
                            "%s brings in a file that is not trusted: %.400s", candidate->file,
                            text);
            return;
        }
        files += n + (files[n] == '\n');
    }
}
