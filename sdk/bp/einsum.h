/* SPDX-License-Identifier: MIT */
/*
 * einsum.h - reads the equation of ONNX's Einsum, for the host's shape rule and for providers:
 * "bij,bjk->bik", with blanks anywhere, letters of both cases, and one "..." a term. The syntax is
 * that of ONNX Einsum, version 12.
 *
 * bp_einsum_parse() is the function to call; the others are its parts. All of it is inline,
 * allocates nothing and keeps no state [any thread]. Errors are sentences: static text, NULL for
 * none.
 *
 *     bp_einsum_term terms[3]; uint32_t ranks[2] = {3, 3};
 *     const char *wrong = bp_einsum_parse("bij,bjk->bik", 12, 2, ranks, terms);
 *
 * gives three terms of rank 3, of which terms[0].labels[2] and terms[1].labels[1] are equal (j).
 */
#ifndef BP_EINSUM_H
#define BP_EINSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    BP_EINSUM_RANK = 64,                                   /* of a term */
    BP_EINSUM_LETTERS = 52,                                /* labels below it are letters */
    BP_EINSUM_LABELS = BP_EINSUM_LETTERS + BP_EINSUM_RANK, /* of an equation, at most */
    BP_EINSUM_NOWHERE = BP_EINSUM_RANK + 1
};

/*
 * An operand or the result: a label for each dimension. Dimensions of an ellipsis have labels from
 * BP_EINSUM_LETTERS on, counted from the last one, as they are broadcast.
 * labels[0 .. rank - 1] are set, the others are undefined. Dimensions with one label have equal
 * sizes; those of size 1 are broadcast to the others (ONNX, "Multidirectional Broadcasting"). As
 * labels of ellipses count from the last dimension, those of operands with ellipses of different
 * lengths agree from the right, as in NumPy.
 */
typedef struct bp_einsum_term {
    uint32_t rank;
    uint32_t ellipsis; /* dimensions before it; BP_EINSUM_NOWHERE: there is none */
    uint8_t labels[BP_EINSUM_RANK];
} bp_einsum_term;

/*
 * Label of a letter, in the order of ASCII; -1: none. A to Z are 0 to 25, a to z are 26 to 51: all
 * below BP_EINSUM_LETTERS. Does not depend on the locale.
 */
static inline int bp_einsum_label(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    return -1;
}

/*
 * Reads a term up to ',', "->" or the end; its ellipsis has no dimensions yet. NULL or what is
 * wrong.
 * *at moves to the character that ended the term, and stays where it was on failure. Blanks are
 * skipped, also between the letters of a term. The bytes from *at to end need no NUL behind them. A
 * letter may come several times in one term: "ii" is a diagonal.
 */
static inline const char *bp_einsum_read(const char **at, const char *end, bp_einsum_term *term)
{
    const char *s = *at;

    term->rank = 0;
    term->ellipsis = BP_EINSUM_NOWHERE;
    for (; s < end && *s != ',' && *s != '-'; s++) {
        int label = bp_einsum_label(*s);

        if (*s == ' ')
            continue;
        if (*s == '.') {
            if (end - s < 3 || s[1] != '.' || s[2] != '.')
                return "equation has a dot that is in no ellipsis";
            if (term->ellipsis != BP_EINSUM_NOWHERE)
                return "equation has two ellipses in one term";
            term->ellipsis = term->rank;
            s += 2;
            continue;
        }
        if (label < 0)
            return "equation has a character that is not a letter";
        if (term->rank == BP_EINSUM_RANK)
            return "equation has a term of too many letters";
        term->labels[term->rank++] = (uint8_t)label;
    }
    *at = s;
    return NULL;
}

/*
 * Gives the ellipsis of a term `dims` dimensions: labels after it move up. A term without an
 * ellipsis stays as it is. NULL, or what is wrong: a rank beyond BP_EINSUM_RANK.
 * Call it once a term, after bp_einsum_read(). Example: "a...z" with dims 2 becomes the labels {a,
 * LETTERS + 1, LETTERS + 0, z} and rank 4.
 */
static inline const char *bp_einsum_widen(bp_einsum_term *term, uint32_t dims)
{
    uint32_t at = term->ellipsis;

    if (dims > BP_EINSUM_RANK - term->rank)
        return "equation has a term of too many dimensions";
    if (at == BP_EINSUM_NOWHERE)
        return NULL;
    memmove(term->labels + at + dims, term->labels + at, term->rank - at);
    for (uint32_t i = 0; i < dims; i++)
        term->labels[at + i] = (uint8_t)(BP_EINSUM_LETTERS + dims - 1 - i);
    term->rank += dims;
    return NULL;
}

/*
 * The result of an equation without "->": the ellipsis, then letters that are there once. Letters
 * come in the order of their labels, capitals first. The ellipsis has no dimensions yet: the caller
 * widens it by those of the longest one of an operand. Cannot fail; returns NULL like its sibling
 * bp_einsum_check_out().
 */
static inline const char *bp_einsum_implied(const uint8_t *uses, bp_einsum_term *out)
{
    out->rank = 0;
    out->ellipsis = 0;
    for (uint32_t label = 0; label < BP_EINSUM_LETTERS; label++) {
        if (uses[label] == 1)
            out->labels[out->rank++] = (uint8_t)label;
    }
    return NULL;
}

/*
 * A result that the equation gives: each letter is an operand's, and there once. Call it before
 * bp_einsum_widen(): labels of an ellipsis are not an index of uses.
 */
static inline const char *bp_einsum_check_out(const uint8_t *uses, const bp_einsum_term *out)
{
    uint8_t seen[BP_EINSUM_LETTERS] = {0};

    for (uint32_t i = 0; i < out->rank; i++) {
        if (uses[out->labels[i]] == 0)
            return "equation has a letter in its result that no operand has";
        if (seen[out->labels[i]]++)
            return "equation has a letter twice in its result";
    }
    return NULL;
}

/*
 * The operands of an equation, from *at to "->" or the end. uses[label] becomes 1 for a letter that
 * is there once, more for several; *widest the dimensions of the longest ellipsis. NULL, or what is
 * wrong.
 * ranks[i] is the rank of operand i. The ellipsis of term i gets the dimensions that its letters
 * leave; a term without an ellipsis must have a letter for each dimension. uses must be zero before
 * the call, and *widest too. No letter count overflows: uses[label] stays at 255.
 */
static inline const char *bp_einsum_operands(const char **at, const char *end, uint32_t n,
                                             const uint32_t *ranks, bp_einsum_term *terms,
                                             uint8_t *uses, uint32_t *widest)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *wrong = bp_einsum_read(at, end, &terms[i]);
        uint32_t letters = terms[i].rank;

        if (wrong)
            return wrong;
        for (uint32_t k = 0; k < letters; k++)
            uses[terms[i].labels[k]] |= (uint8_t)(uses[terms[i].labels[k]] + 1); /* 1, 3, ... */
        if (letters > ranks[i] || (terms[i].ellipsis == BP_EINSUM_NOWHERE && letters != ranks[i]))
            return "equation has a term that does not have the rank of its operand";
        if (ranks[i] - letters > *widest)
            *widest = ranks[i] - letters;
        wrong = bp_einsum_widen(&terms[i], ranks[i] - letters);
        if (wrong)
            return wrong;
        if (i + 1 < n && (*at == end || **at != ','))
            return "equation has fewer terms than there are operands";
        if (i + 1 < n)
            ++*at;
    }
    return *at < end && **at == ',' ? "equation has more terms than there are operands" : NULL;
}

/*
 * Reads an equation of `size` bytes, without a NUL, for n operands of these ranks. terms: n + 1 of
 * the caller's; the last becomes the result, implied when there is no "->". NULL, or a sentence
 * that says what is wrong, in which case terms are undefined.
 * Sizes are not looked at: that dimensions with one label agree is for the caller to check. Labels
 * that no result has are summed over. Time is linear in size and n, stack use constant.
 */
static inline const char *bp_einsum_parse(const char *text, size_t size, uint32_t n,
                                          const uint32_t *ranks, bp_einsum_term *terms)
{
    uint8_t uses[BP_EINSUM_LETTERS] = {0}; /* of a letter: 0, 1, or more for several */
    const char *end = text + size;
    uint32_t widest = 0;
    const char *wrong = bp_einsum_operands(&text, end, n, ranks, terms, uses, &widest);

    if (wrong)
        return wrong;
    if (text == end) {
        wrong = bp_einsum_implied(uses, &terms[n]);
    } else if (end - text < 2 || text[1] != '>') {
        return "equation has a '-' without '>'";
    } else {
        text += 2;
        wrong = bp_einsum_read(&text, end, &terms[n]);
        if (!wrong && text != end)
            return "equation has more than one result";
        if (!wrong)
            wrong = bp_einsum_check_out(uses, &terms[n]);
    }
    return wrong ? wrong : bp_einsum_widen(&terms[n], widest);
}

#endif
