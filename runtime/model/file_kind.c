/* SPDX-License-Identifier: MIT */
/*
 * file_kind.c - first bytes of files that people take for models, and what to say about them.
 *
 * An ONNX file has no magic number: it is a protobuf message, which begins with field 1
 * (ir_version) in nearly all files.
 */

#include "config.h"

#include "model/file_kind.h"

#include <stdint.h>
#include <string.h>

static const struct {
    const char *begin;
    size_t offset, size;
    const char *words;
} kinds[] = {
    {"version https://git-lfs", 0, 23,
     "it is the pointer that Git LFS left in its place; fetch the file with 'git lfs pull'"},
    {"\x89PNG", 0, 4, "it is a PNG image"},
    {"\xff\xd8\xff", 0, 3, "it is a JPEG image"},
    {"%PDF", 0, 4, "it is a PDF document"},
    {"PK\x03\x04", 0, 4,
     "it is a ZIP archive, as PyTorch and NumPy write them; export it to ONNX, or unpack it"},
    {"\x1f\x8b", 0, 2, "it is compressed with gzip; unpack it first"},
    {"\xfd"
     "7zXZ",
     0, 5, "it is compressed with xz; unpack it first"},
    {"\x89HDF", 0, 4, "it is an HDF5 file, as Keras writes them; export it to ONNX"},
    {"\x93NUMPY", 0, 6, "it is a NumPy array"},
    {"\x7f"
     "ELF",
     0, 4, "it is a program or library"},
    {"TFL3", 4, 4, "it is a TensorFlow Lite model; convert it to ONNX"},
    {"GGUF", 0, 4, "it is a GGUF model; export it to ONNX"},
};

/* 64 printable characters are text; a protobuf message has tags and lengths in between. */
static bool is_text(const uint8_t *p, size_t size)
{
    size_t n = size < 64 ? size : 64;

    if (n < 4)
        return false;
    for (size_t i = 0; i < n; i++) {
        if ((p[i] < 0x20 || p[i] == 0x7f) && p[i] != '\n' && p[i] != '\r' && p[i] != '\t')
            return false;
    }
    return true;
}

const char *bp_sniff(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;

    if (size == 0)
        return "it is empty";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (size >= kinds[i].offset + kinds[i].size &&
            memcmp(p + kinds[i].offset, kinds[i].begin, kinds[i].size) == 0)
            return kinds[i].words;
    }
    if (!is_text(p, size))
        return NULL;
    if (p[0] == '<')
        return "it is a web page or other XML text";
    return "it is text";
}

/* 0x08 is the tag of field 1 as a varint; versions are small. */
bool bp_sniff_model(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;

    return size >= 2 && p[0] == 0x08 && p[1] < 0x20;
}
