/* SPDX-License-Identifier: MIT */
/* recheck.c - the last look at a plug-in's file, right before anything of it is mapped. */

#include "config.h"

#include "host/recheck.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "host/candidates.h"
#include "host/inspect/dependencies.h"

bp_rc bp_confirm_init(struct bp_registry *registry, const bp_env_config *config,
                      const struct bp_settings *settings, bp_err *err)
{
    const char *word = bp_settings_get(settings, "BACKPLANE_DEPS");

    if (config->deps > BP_DEPS_TRUSTED)
        return bp_fail(err, BP_E_INVALID, "bp_env_config: deps is %u; use a BP_DEPS_* constant",
                       config->deps);
    registry->wants_trusted = registry->vet.trust.is_strict || config->deps == BP_DEPS_TRUSTED;
    if (config->deps || !word || strcmp(word, "any") == 0)
        return BP_OK;
    if (strcmp(word, "trusted") != 0)
        bp_log(registry->log, BP_LOG_WARN, "host",
               "BACKPLANE_DEPS is any or trusted; '%s' counts as trusted", word);
    registry->wants_trusted = true;
    return BP_OK;
}

static bool is_same_note(const struct bp_note *a, const struct bp_note *b)
{
    struct bp_text one = {0}, other = {0};
    bool is_same;

    bp_note_write(a, &one);
    bp_note_write(b, &other);
    is_same = !one.failed && !other.failed && strcmp(one.data, other.data) == 0;
    bp_text_finish(&one);
    bp_text_finish(&other);
    return is_same;
}

/* Names, order, vetoes and duplicates were settled by the note that it had then. */
static void check_note(const struct bp_registry *registry, const struct bp_found *row,
                       const struct bp_note *fresh, struct bp_ruling *verdict)
{
    if (verdict->code < 0 || is_same_note(fresh, &row->vetted.note))
        return;
    if (row->vetted.is_recalled)
        bp_ruling_end(verdict, BP_STAGE_NOTE, BP_E_UNAVAILABLE, "start the program anew",
                      "%s: its note is another than %s had", row->file, registry->notes.file);
    else
        bp_ruling_end(verdict, BP_STAGE_NOTE, BP_E_UNAVAILABLE, "start the program anew",
                      "%s: its note is another than when it was found", row->file);
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
           a->st_ctim.tv_sec == b->st_ctim.tv_sec && a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* Fills in the row's hash, which is of this very file already when it is asked for again. */
static bool find_hash(struct bp_found *row, int fd, struct bp_ruling *verdict)
{
    char text[256];
    bp_err err = bp_err_init(text, sizeof text);
    struct stat st = {0};

    if (fstat(fd, &st) == 0 && row->sha256[0] && is_same_file(&st, &row->hashed))
        return true;
    row->hashed = st;
    if (bp_sha256_of_file(fd, row->sha256, &err) >= 0)
        return true;
    row->sha256[0] = '\0';
    return bp_ruling_end(verdict, BP_STAGE_POLICY, BP_E_IO, NULL, "%s: %s", row->file, text);
}

/* Is it what the operator pins, and in the allow list as far as that counts? */
static bool check_hash(struct bp_registry *registry, struct bp_found *row, int fd,
                       struct bp_ruling *verdict)
{
    struct bp_allow *allow = &registry->allow;
    char text[sizeof verdict->reason], fix[sizeof verdict->fix];
    bp_err err = bp_err_init(text, sizeof text);
    bool is_listed = allow->mode != BP_ALLOW_OFF;
    bp_rc rc;

    if (!is_listed && !row->conf.sha256)
        return true;
    if (!find_hash(row, fd, verdict))
        return false;
    rc = bp_conf_check_pin(&row->conf, row->file, row->sha256, &err);
    if (rc < 0)
        return bp_ruling_end(verdict, BP_STAGE_POLICY, rc, NULL, "%s", text);
    if (!is_listed || bp_allow_has(allow, &registry->vet.trust, row->file, row->vetted.note.id,
                                   row->sha256, text, sizeof text))
        return true;
    if (allow->mode == BP_ALLOW_ENFORCE) {
        snprintf(fix, sizeof fix, "who trusts it puts that hash and id into a file %.120s/NAME.sum",
                 allow->dirs[0]);
        return bp_ruling_end(verdict, BP_STAGE_POLICY, BP_E_UNAVAILABLE, fix, "%s", text);
    }
    if (!row->has_warned)
        bp_log(registry->log, BP_LOG_WARN, "host", "%s; it is opened all the same", text);
    row->has_warned = true;
    return true;
}

/* Could another user have changed what it would bring in? */
static bool check_libraries(struct bp_registry *registry, const struct bp_found *row,
                            struct bp_ruling *verdict)
{
    char text[sizeof verdict->reason];
    bp_err err = bp_err_init(text, sizeof text);
    bp_rc rc;

    if (!registry->wants_trusted && !row->conf.wants_trusted)
        return true;
    rc = bp_depends_check(row->file, &registry->vet.trust, verdict->fix, sizeof verdict->fix, &err);
    return rc >= 0 || bp_ruling_end(verdict, BP_STAGE_SECURITY, rc, verdict->fix, "%s", text);
}

/* What was kept of the file is no longer true. */
static void forget_note(struct bp_registry *registry, const struct bp_found *row)
{
    bp_notes_forget(&registry->notes, row->file);
    bp_notes_save(&registry->notes, registry->log);
}

int bp_row_confirm(struct bp_registry *registry, struct bp_found *row, struct bp_file_id *id)
{
    struct bp_ruling verdict;
    struct bp_vetted fresh;
    int fd;

    if (!row->file || !bp_row_is_fit(row))
        return -1;
    fd = bp_vet_again(&registry->vet, row->file, row->vetted.level, &fresh, &verdict);
    check_note(registry, row, &fresh.note, &verdict);
    if (verdict.code < 0 && row->vetted.is_recalled)
        forget_note(registry, row);
    if (verdict.code >= 0 && check_hash(registry, row, fd, &verdict))
        (void)check_libraries(registry, row, &verdict);
    *id = (struct bp_file_id){.dev = fresh.dev, .ino = fresh.ino};
    bp_vetted_finish(&fresh);
    row->vetted.is_recalled = false;
    if (verdict.code < 0) {
        row->verdict = verdict;
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    return fd;
}

void bp_row_judge_files(struct bp_registry *registry, struct bp_found *row, const char *files)
{
    char text[sizeof row->reason], fix[sizeof row->fix];
    bp_err err = bp_err_init(text, sizeof text);

    if ((!registry->wants_trusted && !row->conf.wants_trusted) || !files || !bp_row_is_fit(row))
        return;
    while (*files) {
        size_t n = strcspn(files, "\n");
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%.*s", (int)(n < PATH_MAX ? n : PATH_MAX - 1), files);
        if (bp_depends_check_file(path, &registry->vet.trust, fix, sizeof fix, &err) < 0) {
            bp_ruling_end(&row->verdict, BP_STAGE_SECURITY, BP_E_UNAVAILABLE, fix,
                          "%s brings in a file that is not trusted: %.400s", row->file, text);
            return;
        }
        files += n + (files[n] == '\n');
    }
}
