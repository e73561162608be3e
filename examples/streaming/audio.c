/* SPDX-License-Identifier: MIT */
/* audio.c - reads WAV files (RIFF, PCM) and bare samples as they come. */
#include "audio.h"

#include <errno.h>
#include <string.h>

#include "../common/example.h"

static uint32_t little_endian(const unsigned char *bytes, int n)
{
    uint32_t value = 0;

    while (n-- > 0)
        value = value << 8 | bytes[n];
    return value;
}

static bool skip(FILE *file, uint32_t n)
{
    while (n > 0 && getc(file) != EOF)
        n--;
    return n == 0;
}

/* The chunk "fmt ", of which `size` bytes are left in the file. */
static bool read_format(struct audio *audio, uint32_t size)
{
    unsigned char format[16];

    if (size < sizeof format || fread(format, sizeof format, 1, audio->file) != 1 ||
        !skip(audio->file, size - (uint32_t)sizeof format))
        return example_fail("a WAV file without a whole header");
    audio->rate = little_endian(format + 4, 4);
    if (little_endian(format, 2) != 1 || little_endian(format + 2, 2) != 1 ||
        little_endian(format + 14, 2) != 16 || audio->rate == 0)
        return example_fail("a WAV file, but not of one channel and 16 bits");
    return true;
}

/* What comes after "RIFF", up to the first sample. */
static bool read_header(struct audio *audio)
{
    unsigned char head[8];
    bool has_format = false;

    if (fread(head, sizeof head, 1, audio->file) != 1 || memcmp(head + 4, "WAVE", 4) != 0)
        return example_fail("neither a WAV file nor bare samples");
    while (fread(head, sizeof head, 1, audio->file) == 1) {
        uint32_t size = little_endian(head + 4, 4);

        if (memcmp(head, "data", 4) == 0 && has_format) {
            audio->left = size == UINT32_MAX ? UINT64_MAX : size / 2; /* a pipe does not know */
            return true;
        }
        if (memcmp(head, "fmt ", 4) == 0) {
            if (!read_format(audio, size))
                return false;
            has_format = true;
        } else if (!skip(audio->file, size)) {
            break;
        }
        if (size % 2 == 1)
            (void)getc(audio->file);
    }
    return example_fail("a WAV file without samples");
}

bool audio_open(struct audio *audio, const char *path, uint32_t rate)
{
    *audio = (struct audio){.file = stdin, .rate = rate, .left = UINT64_MAX};
    if (path)
        audio->file = fopen(path, "rb");
    if (!audio->file)
        return example_fail("%s: %s", path, strerror(errno));
    audio->n_ahead = fread(audio->ahead, 1, sizeof audio->ahead, audio->file);
    if (audio->n_ahead < sizeof audio->ahead || memcmp(audio->ahead, "RIFF", 4) != 0)
        return true;
    audio->n_ahead = 0;
    return read_header(audio);
}

void audio_close(struct audio *audio)
{
    if (audio->file && audio->file != stdin)
        fclose(audio->file);
    audio->file = NULL;
}

/* The next byte, or EOF. */
static int next_byte(struct audio *audio)
{
    int byte;

    if (audio->n_ahead == 0)
        return getc(audio->file);
    byte = audio->ahead[0];
    memmove(audio->ahead, audio->ahead + 1, --audio->n_ahead);
    return byte;
}

bool audio_read(struct audio *audio, float *samples, size_t n, size_t *n_read)
{
    size_t i = 0;

    while (i < n && audio->left > 0) {
        int low = next_byte(audio);
        int high = next_byte(audio);
        int sample;

        if (low == EOF || high == EOF)
            break;
        sample = high << 8 | low;
        samples[i++] = (float)(sample < 0x8000 ? sample : sample - 0x10000) / 32768;
        if (audio->left != UINT64_MAX)
            audio->left--;
    }
    *n_read = i;
    while (i < n)
        samples[i++] = 0;
    return !ferror(audio->file) || example_fail("reading failed: %s", strerror(errno));
}
