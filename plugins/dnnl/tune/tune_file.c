/* SPDX-License-Identifier: MIT */
/*
 * tune_file.c - option autotune_cache: what autotune.c measured, kept in a file for later
 * processes. A file is for one program, set of shapes and number of threads, which make its name.
 * What it was measured with is in it as text, so that another processor or library is noticed and
 * named.
 *
 *     backplane dnnl autotune 1
 *     oneDNN 2.6.3 N/A, instruction sets 0x67
 *     Intel(R) Xeon(R) Processor @ 2.50GHz, signature 0x50657
 *     program 0f1e2d3c4b5a6978, sizes 8796a5b4c3d2e1f0, nodes 53, threads 2
 *     layout blocks
 *     winograd 00100100...
 *     sum 0123456789abcdef
 *
 * A file that differs in any way counts as absent, with a warning. It never changes results, only
 * which kernels compute them.
 */

#define _GNU_SOURCE /* mkostemp */

#include "tune/tune_file.h"

#include "base/hash.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/program.h"
#include "build/conv_choice.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    HEAD_LINES = 4,
    MAX_HEAD = 512, /* bytes of them */
    SUM_LINE = 21,  /* "sum ", 16 digits, a newline */
    MAX_PATH = 4096
};

/* ---- what it is for -------------------------------------------------------------------------- */

/* In the processor's byte order: files are for one kind of processor anyway. */
static uint64_t add_scalar(uint64_t h, uint64_t number)
{
    return bp_dnnl_hash(h, &number, sizeof number);
}

/* With its final zero, so that "ab" "c" and "a" "bc" differ. */
static uint64_t add_string(uint64_t h, const char *string)
{
    return bp_dnnl_hash(h, string, strlen(string) + 1);
}

/*
 * Types other than these decide nothing about time: subgraphs and tensors of nodes here are
 * constants.
 */
static uint64_t add_attr(uint64_t h, const bp_attr *attr)
{
    h = add_scalar(add_string(h, attr->name), (uint64_t)attr->type << 32 | attr->count);
    if (attr->type == BP_ATTR_FLOAT)
        return bp_dnnl_hash(h, attr->data, attr->count * sizeof(float));
    if (attr->type == BP_ATTR_INT)
        return bp_dnnl_hash(h, attr->data, attr->count * sizeof(int64_t));
    for (uint32_t i = 0; attr->type == BP_ATTR_STRING && i < attr->count; i++) {
        const bp_span *span = (const bp_span *)attr->data + i;

        h = bp_dnnl_hash(add_scalar(h, span->size), span->data, span->size);
    }
    return h;
}

/* Values by index: the same program compiled again has the same indices. */
static uint64_t add_node(uint64_t h, const bp_graph *graph, const bp_node *node)
{
    h = add_string(add_string(h, node->domain), node->op);
    h = add_scalar(add_scalar(h, node->since), (uint64_t)node->n_in << 32 | node->n_out);
    h = bp_dnnl_hash(h, node->in, node->n_in * sizeof *node->in);
    h = bp_dnnl_hash(h, node->out, node->n_out * sizeof *node->out);
    for (uint32_t i = 0; i < node->n_attr; i++)
        h = add_attr(h, BP_ATTR(graph, node->first_attr + i));
    return h;
}

/* Of what decides how long a program takes: nodes and sizes of weights, not names nor contents. */
static uint64_t hash_program(const bp_graph *graph)
{
    uint64_t h = BP_DNNL_HASH_START;

    for (uint32_t i = 0; i < graph->n_nodes; i++)
        h = add_node(h, graph, BP_NODE(graph, i));
    for (uint32_t v = 0; v < graph->n_values; v++) {
        const bp_value *value = BP_VALUE(graph, v);

        h = add_scalar(h, (uint64_t)value->dtype << 32 | value->flags);
        if (!(value->flags & BP_VALUE_CONSTANT) || value->rank == BP_RANK_UNKNOWN)
            continue;
        for (uint32_t i = 0; i < value->rank; i++)
            h = add_scalar(h, (uint64_t)value->dims[i].value);
    }
    return h;
}

/*
 * The brand string and the signature (family, model, stepping) by CPUID; on other architectures
 * what uname says.
 */
static void name_processor(char *out, size_t cap)
{
#if defined(__x86_64__)
    unsigned regs[12] = {0}, signature = 0, unused;
    char brand[sizeof regs + 1] = "";

    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002U + i, &regs[4 * i], &regs[4 * i + 1], &regs[4 * i + 2],
                    &regs[4 * i + 3]);
    memcpy(brand, regs, sizeof regs);
    __get_cpuid(1, &signature, &unused, &unused, &unused);
    snprintf(out, cap, "%s, signature 0x%x", brand, signature);
#else
    struct utsname system;

    snprintf(out, cap, "%s", uname(&system) == 0 ? system.machine : "unknown");
#endif
}

/* ---- the text -------------------------------------------------------------------------------- */

/* One file being read or written. */
struct file {
    struct bp_blocks memory;
    const bp_instance *instance;
    uint32_t n_nodes;
    char path[MAX_PATH];
    char head[MAX_HEAD];
    char *text; /* a buffer for all that such a file may have, and one byte */
    size_t cap, n;
};

static void say(const struct file *file, uint32_t level, const char *fmt, ...) BP_PRINTF(3, 4);

/* Logs through the host, with the provider's name. */
static void say(const struct file *file, uint32_t level, const char *fmt, ...)
{
    const bp_host *host = &file->instance->host;
    char words[MAX_PATH + MAX_HEAD];
    va_list args;

    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    host->log(host->h, level, "dnnl", words);
}

/*
 * Sets path and head, and memory for the text. False: no memory, or the path is too long, which is
 * logged.
 */
static bool open_file(struct file *file, const bp_program *program,
                      const struct bp_dnnl_conv_choice *choice)
{
    const dnnl_version_t *version = bp_dnnl.version();
    uint64_t name = hash_program(program->graph);
    int threads = bp_dnnl.get_max_threads();
    char processor[128];
    int n;

    *file = (struct file){.instance = program->instance,
                          .memory = {.host = &program->instance->host},
                          .n_nodes = program->graph->n_nodes};
    name_processor(processor, sizeof processor);
    snprintf(file->head, sizeof file->head,
             "backplane dnnl autotune 1\n"
             "oneDNN %d.%d.%d %.40s, instruction sets 0x%x\n"
             "%s\n"
             "program %016llx, sizes %016llx, nodes %u, threads %d\n",
             version->major, version->minor, version->patch, version->hash,
             (unsigned)bp_dnnl.get_effective_cpu_isa(), processor, (unsigned long long)name,
             (unsigned long long)choice->shapes, file->n_nodes, threads);
    name = add_scalar(add_scalar(name, choice->shapes), (uint64_t)threads);
    n = snprintf(file->path, sizeof file->path, "%s/dnnl-%016llx.tune",
                 program->instance->autotune_folder, (unsigned long long)name);
    if (n < 0 || (size_t)n >= sizeof file->path) {
        say(file, BP_LOG_WARN, "autotune_cache: the folder's name is too long");
        return false;
    }
    file->cap = MAX_HEAD + file->n_nodes + 64;
    file->text = bp_blocks_array(&file->memory, file->cap + 1, 1);
    if (!file->text)
        say(file, BP_LOG_WARN, "autotune_cache: no memory for %s", file->path);
    return file->text != NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

/*
 * Reads all of the file; NULL, or what is wrong with it. *is_there: there is something to complain
 * about. O_NONBLOCK, as there may be a pipe of that name.
 */
static const char *read_text(struct file *file, bool *is_there)
{
    int fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    const char *fault = NULL;
    struct stat st;
    ssize_t got = 1;

    *is_there = fd >= 0 || errno != ENOENT;
    if (fd < 0)
        return strerror(errno);
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
        fault = "it is not a regular file";
    else if ((size_t)st.st_size > file->cap)
        fault = "it is too long";
    while (!fault && got > 0 && file->n < file->cap) {
        got = read(fd, file->text + file->n, file->cap - file->n);
        if (got < 0)
            fault = strerror(errno);
        file->n += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    return fault;
}

/* FNV-1a of the text before it: against damage, not against forgery. */
static void write_sum(const struct file *file, size_t n, char *out)
{
    snprintf(out, SUM_LINE + 1, "sum %016llx\n",
             (unsigned long long)bp_dnnl_hash(BP_DNNL_HASH_START, file->text, n));
}

/* The sum is of all lines before it, so that a file that was cut short has none or a wrong one. */
static bool is_whole(const struct file *file)
{
    char sum[SUM_LINE + 1];

    if (file->n < SUM_LINE)
        return false;
    write_sum(file, file->n - SUM_LINE, sum);
    return memcmp(file->text + file->n - SUM_LINE, sum, SUM_LINE) == 0;
}

/* Does the head equal ours? Logs the first line that differs. *at comes out after the head. */
static bool is_for_us(const struct file *file, const char **at)
{
    const char *ours = file->head;

    *at = file->text;
    for (int i = 0; i < HEAD_LINES; i++) {
        size_t theirs = strcspn(*at, "\n"), n = strcspn(ours, "\n");

        if (theirs != n || (*at)[n] != '\n' || memcmp(*at, ours, n) != 0) {
            say(file, BP_LOG_WARN,
                "autotune_cache: %s is not used: it is for '%.*s', here it is '%.*s'; it is "
                "measured anew",
                file->path, (int)theirs, *at, (int)n, ours);
            return false;
        }
        ours += n + 1;
        *at += n + 1;
    }
    return true;
}

/* What follows `word`, or NULL if `at` does not begin with it. */
static const char *skip(const char *at, const char *word)
{
    size_t n = strlen(word);

    return at && strncmp(at, word, n) == 0 ? at + n : NULL;
}

/* Sets choice from the two lines that count; false: the text says something else, or more. */
static bool parse_choice(const struct file *file, const char *at,
                         struct bp_dnnl_conv_choice *choice)
{
    const char *blocks = skip(at, "layout blocks\n");

    choice->is_blocked = blocks != NULL;
    at = skip(blocks ? blocks : skip(at, "layout channels last\n"), "winograd ");
    for (uint32_t i = 0; at && i < file->n_nodes; i++) {
        if (at[i] != '0' && at[i] != '1')
            return false;
        choice->is_winograd[i] = at[i] == '1';
    }
    return at && at[file->n_nodes] == '\n' &&
           at + file->n_nodes + 1 == file->text + file->n - SUM_LINE;
}

/* A choice that was half set by a bad file is measured anew and overwritten. */
bool bp_dnnl_load_choice(const bp_program *program, struct bp_dnnl_conv_choice *choice)
{
    const char *fault, *at;
    bool is_there, ok = false;
    struct file file;

    if (!program->instance->autotune_folder)
        return false;
    if (open_file(&file, program, choice)) {
        fault = read_text(&file, &is_there);
        if (!fault && !is_whole(&file))
            fault = "it was cut short or changed";
        if (!fault && is_for_us(&file, &at)) {
            ok = parse_choice(&file, at, choice);
            fault = ok ? NULL : "it has no valid layout";
        }
        if (fault && is_there)
            say(&file, BP_LOG_WARN, "autotune_cache: %s is not used: %s; it is measured anew",
                file.path, fault);
        if (ok)
            say(&file, BP_LOG_INFO, "autotune: as measured before, in %s", file.path);
    }
    bp_blocks_free(&file.memory);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* As parse_choice() reads it; the head is what is_for_us() compares. */
static void write_text(struct file *file, const struct bp_dnnl_conv_choice *choice)
{
    char *end;

    file->n = (size_t)snprintf(file->text, file->cap, "%slayout %s\nwinograd ", file->head,
                               choice->is_blocked ? "blocks" : "channels last");
    end = file->text + file->n;
    for (uint32_t i = 0; i < file->n_nodes; i++)
        *end++ = choice->is_winograd[i] ? '1' : '0';
    *end++ = '\n';
    file->n = (size_t)(end - file->text);
    write_sum(file, file->n, end);
    file->n += SUM_LINE;
}

/* Written beside its place and renamed, so that no reader sees half of it. */
static bool put_file(const struct file *file)
{
    char beside[MAX_PATH + sizeof ".XXXXXX"];
    size_t n = 0;
    int fd, error;

    snprintf(beside, sizeof beside, "%s.XXXXXX", file->path);
    fd = mkostemp(beside, O_CLOEXEC);
    if (fd < 0)
        return false;
    for (ssize_t put = 1; put > 0 && n < file->n;) {
        put = write(fd, file->text + n, file->n - n);
        n += put > 0 ? (size_t)put : 0;
    }
    error = n == file->n ? 0 : errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(beside, file->path) == 0)
        return true;
    error = error ? error : errno;
    unlink(beside);
    errno = error;
    return false;
}

/* The folder is made for the user alone, if it is missing. */
void bp_dnnl_save_choice(const bp_program *program, const struct bp_dnnl_conv_choice *choice)
{
    struct file file;

    if (!program->instance->autotune_folder)
        return;
    if (open_file(&file, program, choice)) {
        write_text(&file, choice);
        (void)mkdir(program->instance->autotune_folder, 0700); /* it may be there */
        if (put_file(&file))
            say(&file, BP_LOG_INFO, "autotune: measured, and saved in %s", file.path);
        else
            say(&file, BP_LOG_WARN,
                "autotune_cache: %s cannot be written: %s; the next process measures again",
                file.path, strerror(errno));
    }
    bp_blocks_free(&file.memory);
}
