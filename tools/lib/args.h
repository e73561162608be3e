/* SPDX-License-Identifier: MIT */
/* args.h - command lines read by tables; the same tables print --help. */
#ifndef BP_TOOLS_ARGS_H
#define BP_TOOLS_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;

/* Texts that an option or the operands collected; the strings are those of argv. */
struct arg_list {
    const char **items;
    size_t n, cap;
};

void arg_list_finish(struct arg_list *list);

enum arg_kind {
    ARG_FLAG,   /* bool */
    ARG_TEXT,   /* const char *; the last one counts */
    ARG_NAMES,  /* char *, to be freed: "a,b", and more of them each time it is given */
    ARG_LIST,   /* struct arg_list; may be given more than once */
    ARG_COUNT,  /* uint64_t */
    ARG_NUMBER, /* double */
    ARG_CHOICE  /* uint32_t: 1 + index of the choice; 0 stays: not given */
};

struct arg_spec {
    const char *name; /* without its dashes */
    char letter;      /* "-q"; 0: none */
    enum arg_kind kind;
    const char *value;          /* what --help calls the value; NULL for a flag */
    size_t at;                  /* offset of the field in the group's struct */
    const char *help;           /* a sentence, or a few */
    const char *const *choices; /* ARG_CHOICE: NULL-terminated */
    double min, max; /* ARG_COUNT, ARG_NUMBER: inclusive; equal means any that is not negative */
};

struct arg_group {
    const char *title; /* heading in --help */
    const struct arg_spec *specs;
    size_t n;
    void *into;
};

struct arg_command {
    const char *name;     /* "run"; NULL: the program itself */
    const char *operands; /* "MODEL", for the usage line */
    const char *about;    /* paragraphs for --help, lines already broken */
    const struct arg_group *groups;
    size_t n_groups;
    size_t min_operands, max_operands;
};

enum { ARGS_GO = -1 };

/*
 * Reads argv[1..]: options go to their fields, the rest to `operands`. ARGS_GO: carry on. Else what
 * was to be said (--help, an error) has been printed, and the result is the exit code.
 */
int args_parse(const struct cli *cli, const struct arg_command *command, int argc, char **argv,
               struct arg_list *operands);

/*
 * Reads only options, up to the first operand. *next becomes the index of that operand, or argc.
 * For the program's own options, which may stand before the command.
 */
int args_parse_leading(const struct cli *cli, const struct arg_command *command, int argc,
                       char **argv, int *next);

/* The option tables of a command, as --help prints them. */
void args_help(const struct cli *cli, const struct arg_command *command);

/* Whole text as a number up to max; false when it is none. */
bool arg_count(const char *text, uint64_t max, uint64_t *out);

/* The one of n names that is nearest to `word`, or NULL when none is near. */
const char *args_suggest(const char *word, const char *const *names, size_t n);

#endif
