/* SPDX-License-Identifier: MIT */
/* file_id.h - identifies the file that a path must lead to. */
#ifndef BP_HOST_LOAD_FILE_ID_H
#define BP_HOST_LOAD_FILE_ID_H

#include <sys/types.h>

/* Device and inode name one file for as long as it is held open (POSIX, <sys/stat.h>). */
struct bp_file_id {
    dev_t dev;
    ino_t ino;
};

#endif
