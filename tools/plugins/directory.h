/* SPDX-License-Identifier: MIT */
/* directory.h - the directory that plug-ins are installed into and removed from. */
#ifndef BP_TOOLS_DIRECTORY_H
#define BP_TOOLS_DIRECTORY_H

#include "plugins/plugin.h"

/* What --system and --dir say. */
struct directory_args {
    bool is_system;
    const char *dir; /* NULL: not given */
};

enum { DIRECTORY_OPTIONS = 2 };
/* The two options, DIRECTORY_OPTIONS of them, as a group of --help. */
struct arg_group directory_group(struct directory_args *args);

/* Its absolute path, to be freed. Prints what fails; returns an exit code. */
int directory_find(struct cli *cli, const struct directory_args *args, char **out);
/* Is it one in which the environment looks for plug-ins? */
bool directory_is_searched(bp_env *env, const char *dir);

/*
 * Splits the name of a file that a search takes, libbp-STEM.so or libbp-STEM.x86-64-v3.so: its stem,
 * and in *level what is between stem and ".so", maybe nothing. False: it is another kind of name, or
 * has characters that no plug-in's needs.
 */
bool directory_split_name(const char *name, struct bp_text *stem, struct bp_text *level);

/* Called for each plug-in file of a directory with its row; true ends the search. */
typedef bool directory_fn(void *user, const struct plugin *plugin);
/* False: no call returned true. A directory that is not there has no files. */
bool directory_each(struct cli *cli, const char *dir, directory_fn *fn, void *user);

/* Directories that were made; start from {0}. */
struct directory_made {
    char **paths;
    size_t n;
};
/* Makes the directory and those above it with mode 0755. False with errno. */
bool directory_make(const char *dir, struct directory_made *made);
/* Frees the list, and if is_undone deletes what was made. */
void directory_made_finish(struct directory_made *made, bool is_undone);
/* Has changes of the directory written to the disk, where the file system can. */
void directory_sync(const char *dir);

#endif
