/* SPDX-License-Identifier: MIT */
/*
 * store.h - a directory of compiled programs, a file each, which several processes share.
 *
 * A file is named after its key and never changes: it is written under another name in the same
 * directory and then renamed, so that a reader sees a whole file or none. Nothing in a file is
 * believed before its owner, its lengths and its checksum have been checked, and a file that does
 * not pass is as good as none. The time of a file's last change is that of its last use.
 */
#ifndef BP_CACHE_STORE_H
#define BP_CACHE_STORE_H

#include "base/file_trust.h"
#include "base/log.h"
#include "base/sha256.h"

#define BP_STORE_END ".bpc" /* of a file's name, after its key */

/* What a file says of itself, for people: nothing is decided by it. */
enum {
    BP_STORE_PROVIDER, /* its id */
    BP_STORE_VERSION,  /* the provider's */
    BP_STORE_GROUP,    /* the group's name: "main/3" */
    BP_STORE_HOST,     /* version of the host */
    BP_STORE_MODEL,    /* path of the model that was compiled; or that it was in memory */
    BP_STORE_LABELS
};

/* An open directory, of one thread. Start from {0}; finish it also after a failure. */
struct bp_store {
    char *dir; /* absolute, without links */
    uint64_t limit;
    const struct bp_log *log;
    struct bp_trust trust;
    bool has_warned; /* that it cannot be written to: once is enough */
};

/* A file that passed the checks. `bytes` is to be freed; the rest points into it. */
struct bp_store_file {
    uint8_t *bytes;
    bp_span blob;
    const char *labels[BP_STORE_LABELS];
    uint64_t size; /* of the whole file */
    int64_t used;  /* the last time, in seconds since 1970 */
};

/* store_dir.c */

/*
 * Opens the directory. With may_make it is made where it is missing, for this user alone. limit: in
 * bytes, of all files; 0: the default of backplane.h. BP_E_IO: it is not there, or is not a directory.
 */
bp_rc bp_store_open(struct bp_store *store, const char *dir, uint64_t limit, bool may_make,
                    const struct bp_log *log, bp_err *err) BP_CHECKED;
void bp_store_finish(struct bp_store *store);

/* The names of the files, sorted; for bp_store_free_names(). BP_E_IO, BP_E_NOMEM */
bp_rc bp_store_names(const struct bp_store *store, char ***out, uint32_t *n,
                     bp_err *err) BP_CHECKED;
void bp_store_free_names(char **names, uint32_t n); /* NULL is fine */
/*
 * Deletes the files that were not used for the longest time until all others have at most `limit`
 * bytes, and files that some process began an hour ago and never ended. Counts what it deleted;
 * what another process deletes meanwhile is not a failure. BP_E_IO, BP_E_NOMEM
 */
bp_rc bp_store_shrink(const struct bp_store *store, uint64_t limit, uint32_t *n_files,
                      uint64_t *bytes, bp_err *err) BP_CHECKED;

/* store.c */

/*
 * Reads the file of a key, and marks it as used; bytes NULL: there is none. BP_E_STALE: there is
 * one that is damaged or that another user could have written, and the message says why.
 * BP_E_NOMEM, BP_E_IO.
 */
bp_rc bp_store_read(struct bp_store *store, const char key[BP_SHA256_TEXT],
                    struct bp_store_file *out, bp_err *err) BP_CHECKED;
/*
 * Reads a file by its name, as bp_store_names() gives it, and leaves its time alone. Without
 * is_whole the labels only: the checksum is not checked, and blob.data is NULL.
 */
bp_rc bp_store_inspect(struct bp_store *store, const char *name, bool is_whole,
                       struct bp_store_file *out, bp_err *err) BP_CHECKED;

/*
 * The same checks of bytes in memory that bp_store_wrap() made, or of any other origin: they are lent, and
 * *out points into them; its `bytes` is NULL. name: of where they come from, for messages.
 * BP_E_STALE.
 */
bp_rc bp_store_unwrap(const void *bytes, size_t size, const char *name, struct bp_store_file *out,
                      bp_err *err) BP_CHECKED;

/* store_write.c */

/* A file in memory: head, labels and the n bytes at blob. *out is to be freed. BP_E_NOMEM */
bp_rc bp_store_wrap(const char key[BP_SHA256_TEXT], const char *const labels[BP_STORE_LABELS],
                    const void *blob, size_t n, uint8_t **out, size_t *size,
                    bp_err *err) BP_CHECKED;

/* A file in the making. Start from {0}. */
struct bp_store_writer {
    struct bp_store *store;
    int fd;
    char *path; /* of the temporary file; NULL: nothing was begun, or all is over */
    char key[BP_SHA256_TEXT];
    struct bp_sha256 sha;
    uint64_t n_labels, n_blob;
    bp_rc rc; /* of the first failure */
    char text[256];
};

/* Begins the file of a key. BP_E_IO: the directory cannot be written to. BP_E_NOMEM */
bp_rc bp_store_begin(struct bp_store *store, const char key[BP_SHA256_TEXT],
                     const char *const labels[BP_STORE_LABELS], struct bp_store_writer *out,
                     bp_err *err) BP_CHECKED;
/* Appends to the blob; for bp_sink.write, with the writer as h. BP_E_IO */
bp_rc bp_store_put(void *writer, const void *bytes, size_t n);
/*
 * Gives the file its name, in place of one that may be there, and keeps the limit. On failure there
 * is not a new file. BP_E_IO, also where the file alone is larger than the limit.
 */
bp_rc bp_store_commit(struct bp_store_writer *writer, bp_err *err) BP_CHECKED;
void bp_store_abandon(struct bp_store_writer *writer); /* after any of the above */

/* ---- the head of a file, shared by store.c and store_write.c ---- */

/*
 * Integers have their low byte first. Bytes 0 to 7: the magic; 8 to 15: the version; bytes of the labels; 24 to 31: bytes of the blob; 32 to 95: the key; 96 to 159: the checksum,
 * SHA-256 of the labels, the blob and then the head up to here, in hexadecimal digits.
 */
#define BP_STORE_MAGIC "BPCACHE\n"
enum {
    BP_STORE_FORMAT = 2,
    BP_STORE_SUMMED = 96, /* bytes of the head that the checksum covers */
    BP_STORE_HEAD = 160,
    BP_STORE_MOST_LABELS = 4096 /* bytes */
};

#endif
