/* SPDX-License-Identifier: MIT */
/* utf8.c - decodes UTF-8: well-formed sequences are those of the Unicode Standard, table 3-7. */

#include "config.h"

#include "text/utf8.h"

uint32_t bp_utf8_next(const char **at)
{
    /*
     * the least code point of a sequence of 1, 2, 3 and 4 bytes: shorter ones must not be spelled
     * longer
     */
    static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)*(*at)++;
    unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    uint32_t point = lead & (0x3fu >> more);
    const char *s = *at;

    if (lead < 0x80)
        return lead;
    if (lead < 0xc2 || lead > 0xf4)
        return BP_UTF8_REPLACEMENT;
    for (unsigned i = 0; i < more; i++, s++) {
        if (((unsigned char)*s & 0xc0) != 0x80) /* the NUL is not such a byte either */
            return BP_UTF8_REPLACEMENT;
        point = point << 6 | ((unsigned char)*s & 0x3fu);
    }
    /* surrogates are halves of UTF-16 pairs and no characters */
    if (point < least[more] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return BP_UTF8_REPLACEMENT;
    *at = s;
    return point;
}
