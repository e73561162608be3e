/* SPDX-License-Identifier: MIT */
/* check_text.c - operators of the CPU provider on texts, and ImageDecoder on image files. */

#include "config.h"

#include <check.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/cpu_case.h"
#include "support/random.h"
#include "support/skip.h"

enum { MAX_TEXTS = 64 };

static void start(void)
{
    setup();
    th_allow_alloc(t);
}

/* "a|b||c" as texts; their number in *n. */
static bp_span *texts_of(const char *line, size_t *n)
{
    static bp_span texts[4][MAX_TEXTS];
    static int next;
    bp_span *out = texts[next = (next + 1) % 4];

    for (*n = 0; line; ++*n) {
        const char *end = strchr(line, '|');

        ck_assert_uint_lt(*n, MAX_TEXTS);
        out[*n] = (bp_span){line, end ? (size_t)(end - line) : strlen(line)};
        line = end ? end + 1 : NULL;
    }
    return out;
}

static void ck_texts(const char *name, const char *line)
{
    const bp_span *got = th_data(t, name);
    size_t n;
    const bp_span *want = texts_of(line, &n);

    ck_assert_uint_eq(th_count(t, name), n);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(got[i].size == want[i].size &&
                          (got[i].size == 0 || memcmp(got[i].data, want[i].data, got[i].size) == 0),
                      "text %zu is '%.*s', not '%.*s'", i, (int)got[i].size,
                      (const char *)got[i].data, (int)want[i].size, (const char *)want[i].data);
}

/* ---- StringConcat, StringSplit --------------------------------------------------------------- */

static const struct {
    const char *x, *x_dims, *y, *y_dims, *dims, *want;
} concats[] = {
    {"a|b", "2", "c|d", "2", "2", "ac|bd"},
    {"a||", "3", "|x|", "3", "3", "a|x|"},
    {"a|b", "2,1", "1|2|3", "3", "2,3", "a1|a2|a3|b1|b2|b3"},
    {"\xc3\xa9", "", "!", "1", "1", "\xc3\xa9!"},
};

START_TEST(string_concat_joins_strings_elementwise)
{
    size_t n;

    th_input(t, "x", BP_DTYPE_STRING, concats[_i].x_dims, texts_of(concats[_i].x, &n));
    th_input(t, "y", BP_DTYPE_STRING, concats[_i].y_dims, texts_of(concats[_i].y, &n));
    th_output(t, "z", BP_DTYPE_STRING, concats[_i].dims);
    th_node(t, "StringConcat", 20, "x y", "z");
    ck_run();
    ck_texts("z", concats[_i].want);
}
END_TEST

/* What Python's str.split() gives. */
static const struct {
    const char *x, *delimiter;
    int most;
    const char *dims, *parts;
    int64_t counts[4];
} splits[] = {
    {"a b c| d  e ", NULL, -1, "2,3", "a|b|c|d|e|", {3, 2}},
    {"a b c| d  e f ", NULL, 1, "2,2", "a|b c|d|e f ", {2, 2}},
    {"a-b-c|--", "-", -1, "2,3", "a|b|c|||", {3, 3}},
    {"a-b-c|x", "-", 1, "2,2", "a|b-c|x|", {2, 1}},
    {"a==b|=", "==", -1, "2,2", "a|b|=|", {2, 1}},
    {"abc|", "x", 0, "2,1", "abc|", {1, 1}},
    {"a\xe3\x80\x80"
     "b|\xc2\xa0",
     "",
     -1,
     "2,2",
     "a|b||",
     {2, 0}},
    {"aaa|aaaa", "aa", -1, "2,3", "|a|||||", {2, 3}},
};

START_TEST(string_split_matches_its_definition)
{
    size_t n;
    const int64_t *counts;

    th_input(t, "x", BP_DTYPE_STRING, "2", texts_of(splits[_i].x, &n));
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_output(t, "z", BP_DTYPE_I64, "2");
    th_node(t, "StringSplit", 20, "x", "y z");
    if (splits[_i].delimiter)
        th_string(t, "delimiter", splits[_i].delimiter);
    if (splits[_i].most >= 0)
        th_int(t, "maxsplit", splits[_i].most);
    ck_run();
    counts = th_data(t, "z");
    ck_assert_str_eq(th_dims(t, "y"), splits[_i].dims);
    ck_assert_mem_eq(counts, splits[_i].counts, 2 * sizeof *counts);
    if (_i != 7)
        ck_texts("y", splits[_i].parts);
}
END_TEST

START_TEST(string_split_accepts_an_empty_tensor)
{
    th_input(t, "x", BP_DTYPE_STRING, "3,0", NULL);
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_output(t, "z", BP_DTYPE_I64, "3,0");
    th_node(t, "StringSplit", 20, "x", "y z");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), "3,0,0");
}
END_TEST

/* ---- StringNormalizer ------------------------------------------------------------------------ */

static const struct {
    const char *x, *dims, *action, *locale, *words[3];
    bool is_sensitive;
    const char *want_dims, *want;
} normals[] = {
    {"Monday|tuesday|WED", "3", "LOWER", NULL, {"monday"}, true, "3", "monday|tuesday|wed"},
    {"Monday|tuesday|monday", "3", "UPPER", NULL, {"monday"}, false, "1", "TUESDAY"},
    {"monday|monday", "1,2", "NONE", NULL, {"monday"}, true, "1,1", ""},
    {"a|b", "1,2", "NONE", NULL, {"x", "a"}, true, "1,1", "b"},
    {"stra\xc3\x9f"
     "e|\xc3\x89t\xc3\xa9",
     "2",
     "UPPER",
     NULL,
     {NULL},
     false,
     "2",
     "STRASSE|\xc3\x89T\xc3\x89"},
    {"ILI|ili", "2", "LOWER", "tr_TR.UTF-8", {NULL}, false, "2", "\xc4\xb1l\xc4\xb1|ili"},
    {"\xc3\x89T\xc3\x89|x", "2", "NONE", NULL, {"\xc3\xa9t\xc3\xa9"}, false, "1", "x"},
    {"", "1", "LOWER", NULL, {NULL}, false, "1", ""},
};

START_TEST(string_normalizer_matches_its_definition)
{
    uint32_t n_words = 0;
    size_t n;

    while (normals[_i].words[n_words])
        n_words++;
    th_input(t, "x", BP_DTYPE_STRING, normals[_i].dims, texts_of(normals[_i].x, &n));
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_node(t, "StringNormalizer", 10, "x", "y");
    th_string(t, "case_change_action", normals[_i].action);
    th_int(t, "is_case_sensitive", normals[_i].is_sensitive);
    if (n_words)
        th_strings(t, "stopwords", n_words, normals[_i].words);
    if (normals[_i].locale)
        th_string(t, "locale", normals[_i].locale);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), normals[_i].want_dims);
    ck_texts("y", normals[_i].want);
}
END_TEST

START_TEST(string_normalizer_replaces_invalid_utf_8)
{
    size_t n;

    th_input(t, "x", BP_DTYPE_STRING, "1", texts_of("a\xff", &n));
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_node(t, "StringNormalizer", 10, "x", "y");
    th_string(t, "case_change_action", "UPPER");
    ck_run();
    ck_texts("y", "A\xef\xbf\xbd");
}
END_TEST

/* ---- RegexFullMatch -------------------------------------------------------------------------- */

static const struct {
    const char *pattern, *x, *want; /* one digit a text */
} regexes[] = {
    {"www\\.[\\w.-]+\\.\\bcom\\b", "www.google.com|www.facebook.com|www.bbc.co.uk", "110"},
    {"(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)",
     "account@gmail.com|account@hotmail.com|not email|account2@yahoo.com", "1001"},
    {"a|ab|abc", "abc|ab|abcd", "110"},
    {"", "|a", "10"},
    {"(?i)stra\xc3\x9f"
     "e",
     "STRA\xc3\x9f"
     "E|strasse",
     "10"},
    {".", "\xc3\xa9|\n|ab|\xff", "1000"},
    {"(?s).", "\n", "1"},
    {"a$", "a|a\n", "10"},
    {"\\s*\\v", "\x0b|\n\x0b|x", "110"},
    {"\\s", "\x0b| ", "01"},
    {"[\\S]", "\x0b| ", "10"},
    {"\\d+", "12|\xd9\xa1", "10"},
    {"\xc3\xa9+x{2,}", "\xc3\xa9\xc3\xa9xx|\xc3\xa9x|xxx|\xc3\xa9xxxx", "1001"},
    {"[^a-c\\s]+?\\x41{0,}", "de|deA|deAA|A|a|d d", "111100"},
    {"(?:a+|b)+\\Qc+\\E+", "abac+|ac++|bac", "110"},
    {"\\pL+\\p{Greek}", "a\xce\xb1|ab", "10"},
    {"\\Qa.b*\\E+", "a.b**|axb", "10"},
    {"[[:alpha:]]{2,3}", "ab|abcd|a1", "100"},
    {"[]a[]+", "]a[|b", "10"},
    {"\\x41\\x{42}\\103", "ABC", "1"},
    {"(?P<n>a)(?<m>b)(?:c)(?U)d*", "abcdd", "1"},
    {"x{,2}", "x{,2}|xx", "10"},
    {"(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac|aab", "01"},
    {"(x+x+)+y", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|xxy", "01"},
};

START_TEST(regex_full_match_matches_whole_strings)
{
    size_t n;
    const bp_span *texts = texts_of(regexes[_i].x, &n);
    const uint8_t *y;
    char dims[8];

    sprintf(dims, "%zu", n);
    th_input(t, "x", BP_DTYPE_STRING, dims, texts);
    th_output(t, "y", BP_DTYPE_BOOL, dims);
    th_node(t, "RegexFullMatch", 20, "x", "y");
    th_string(t, "pattern", regexes[_i].pattern);
    ck_run();
    y = th_data(t, "y");
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(y[i] == (regexes[_i].want[i] == '1'), "%s: text %zu", regexes[_i].pattern, i);
}
END_TEST

static const char *const wrong_regexes[][2] = {
    {"(a)\\1", "a reference to a group"},
    {"(?=a)a", "a group that RE2 does not have"},
    {"(?<=a)b", "a group that RE2"},
    {"(?>a)", "a group that RE2"},
    {"a*+", "a repetition of a repetition"},
    {"(*ACCEPT)", "a verb"},
    {"\\K", "an escape"},
    {"\\C", "an escape"},
    {"a{1001}", "more than 1000"},
    {"(a", "pattern is wrong near byte 2"},
    {"a\\", "a \\ at the end"},
    {"[a", "pattern is wrong"},
    {"\\p{Nonsense}", "pattern is wrong"},
    {"(?x)a b", "a group that RE2"},
};

START_TEST(regex_full_match_rejects_syntax_that_re2_lacks)
{
    size_t n;

    th_input(t, "x", BP_DTYPE_STRING, "1", texts_of("a", &n));
    th_output(t, "y", BP_DTYPE_BOOL, "1");
    th_node(t, "RegexFullMatch", 20, "x", "y");
    th_string(t, "pattern", wrong_regexes[_i][0]);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), wrong_regexes[_i][1]) != NULL, "%s", th_message(t));
}
END_TEST

static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum { LONG = 80000 };

/* A text of so many letters, and a pattern that nearly matches it. */
static void long_text(const char *pattern)
{
    static char letters[LONG];
    static bp_span text = {letters, LONG};

    memset(letters, 'a', LONG);
    th_input(t, "x", BP_DTYPE_STRING, "1", &text);
    th_output(t, "y", BP_DTYPE_BOOL, "1");
    th_node(t, "RegexFullMatch", 20, "x", "y");
    th_string(t, "pattern", pattern);
}

static const char *const nested[] = {"(a+)+b",   "(a{2,})+b", "((\\w+)*\\S+)+b", "(?:[a-c]+?)+b",
                                     "(a|aa)+b", "(a*)*b",    "(\xc3\xa9+|a+)+b"};

/* 80,000 letters took over 100 s for each 10,000 of them, or more memory than the limit. */
START_TEST(repetitions_within_repetitions_take_linear_time)
{
    int64_t start = now_ns();

    long_text(nested[_i]);
    ck_run();
    ck_assert_int_eq(((const uint8_t *)th_data(t, "y"))[0], 0);
    if (!skip_is_slowed())
        ck_assert_int_lt(now_ns() - start, 5 * INT64_C(1000000000));
}
END_TEST

/* Counted repetitions remain, of which each count is a state. */
START_TEST(deadline_ends_a_regular_expression)
{
    int64_t deadline = now_ns() + 20 * 1000000;

    long_text("(a{1,60}){1,60}b");
    th_limits(t, NULL, deadline, NULL);
    ck_assert_int_eq(th_run(t), BP_E_TIMEOUT);
    if (!skip_is_slowed())
        ck_assert_int_lt(now_ns() - deadline, 50 * 1000000);
}
END_TEST

/* ---- Tokenizer ------------------------------------------------------------------------------- */

static const struct {
    const char *x, *dims, *separators[3], *tokenexp;
    int mark, least;
    const char *want_dims, *want;
} tokens[] = {
    {"a b|c  d e", "2", {" "}, NULL, 0, 1, "2,3", "a|b|#|c|d|e"},
    {"a b|c  d e", "2", {" "}, NULL, 1, 1, "2,5", "\x02|a|b|\x03|#|\x02|c|d|e|\x03"},
    {"a b|c|d|e f g", "2,2", {" "}, NULL, 0, 1, "2,2,3", "a|b|#|c|#|#|d|#|#|e|f|g"},
    {"|  ", "2", {" "}, NULL, 1, 1, "2,0", NULL},
    {"a1b2|21", "2", {"1", "2"}, "x", 0, 1, "2,2", "a|b|#|#"},
    {"abcd ef g", "1", {" "}, NULL, 0, 2, "1,2", "abcd|ef"},
    /* the earliest match, then the longest */
    {"xxabc|axb", "2", {"x+"}, NULL, 0, 1, "2,2", "abc|#|a|b"},
    {"aab cab", "1", {"a|ab"}, NULL, 0, 1, "1,1", " c"},
    {"abcd ef g", "1", {NULL}, "a|ab|abc", 0, 1, "1,1", "abc"},
    {"abcd", "1", {NULL}, "ab??", 0, 1, "1,1", "ab"},
    /* an empty match takes a character along; ^ is the start of the text alone */
    {"abc", "1", {"x*"}, NULL, 0, 1, "1,0", NULL},
    {"abc", "1", {"^"}, NULL, 0, 1, "1,1", "bc"},
    {"abcd ef g", "1", {NULL}, "[a-z]*", 0, 1, "1,3", "abcd|ef|g"},
    /* a match that is too short is left with its first character */
    {"abcd ef g", "1", {NULL}, "[a-z]+", 0, 2, "1,2", "abcd|ef"},
    {"ab", "1", {NULL}, "[a-z]", 0, 3, "1,0", NULL},
    /* characters */
    {"abc|\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80",
     "2",
     {""},
     NULL,
     0,
     1,
     "2,3",
     "a|b|c|\xc3\xa9|\xe6\xbc\xa2|\xf0\x9f\x98\x80"},
    {"ab|", "2", {""}, NULL, 1, 1, "2,4", "\x02|a|b|\x03|\x02|\x03|#|#"},
    {"a\nb", "1", {NULL}, ".", 0, 1, "1,3", "a|\n|b"},
    {"|", "2", {""}, NULL, 1, 1, "2,0", NULL},
};

static void tokenize(const char *x, const char *dims, const char *const *separators,
                     const char *tokenexp, int mark, int least)
{
    uint32_t n_separators = 0;
    size_t n;

    th_input(t, "x", BP_DTYPE_STRING, dims, texts_of(x, &n));
    th_output(t, "y", BP_DTYPE_STRING, NULL);
    th_node(t, "Tokenizer", 1, "x", "y");
    th_domain(t, "com.microsoft");
    th_int(t, "mark", mark);
    th_int(t, "mincharnum", least);
    th_string(t, "pad_value", "#");
    while (n_separators < 3 && separators[n_separators])
        n_separators++;
    if (n_separators)
        th_strings(t, "separators", n_separators, separators);
    if (tokenexp)
        th_string(t, "tokenexp", tokenexp);
}

START_TEST(tokenizer_matches_its_definition)
{
    tokenize(tokens[_i].x, tokens[_i].dims, tokens[_i].separators, tokens[_i].tokenexp,
             tokens[_i].mark, tokens[_i].least);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), tokens[_i].want_dims);
    ck_texts("y", tokens[_i].want);
}
END_TEST

/* As ONNX Runtime: without texts there is a dimension less than with them. */
START_TEST(tokenizer_accepts_an_empty_tensor)
{
    static const char *const dims[][2] = {{"0", "0"}, {"2,0", "2,0"}, {"0,3", "0,0"}};
    const char *const separators[] = {" ", NULL};

    tokenize(NULL, dims[_i][0], separators, NULL, 1, 1);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), dims[_i][1]);
}
END_TEST

static const struct {
    const char *x, *separators[3], *tokenexp;
    int least;
    const char *why;
} untokenized[] = {
    {"a|a\xff", {" "}, NULL, 1, "invalid utf8 chars at input index: 1"},
    {"\xc0\x80", {""}, NULL, 1, "invalid utf8"},     /* longer than it has to be */
    {"\xed\xa0\x80", {""}, NULL, 1, "invalid utf8"}, /* a surrogate */
    {"\xf4\x90\x80\x80", {""}, NULL, 1, "invalid utf8"},
    {"\xe6\xbc", {NULL}, "a", 1, "invalid utf8"},
    {"a", {"("}, NULL, 1, "a separator is wrong"},
    {"a", {NULL}, "(", 1, "tokenexp is wrong"},
    {"a", {NULL}, "", 1, "tokenexp is empty"},
    {"a", {NULL}, NULL, 1, "neither separators nor tokenexp"},
    {"a", {" "}, NULL, 0, "mincharnum is not above 0"},
    {"a", {""}, NULL, 2, "tokens are characters"},
};

START_TEST(tokenizer_rejects_invalid_attributes)
{
    tokenize(untokenized[_i].x, strchr(untokenized[_i].x, '|') ? "2" : "1",
             untokenized[_i].separators, untokenized[_i].tokenexp, 0, untokenized[_i].least);
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), untokenized[_i].why) != NULL, "%s", th_message(t));
}
END_TEST

/* ---- TfIdfVectorizer ------------------------------------------------------------------------- */

enum { GRAMS = 7, ROW = 12 };

/* Counts pool n-grams by trying them all at each place. */
static double count_gram(const int64_t *row, const int64_t *gram, int size, int skips)
{
    double count = 0;

    for (int step = 1; step <= (size == 1 ? 1 : skips + 1); step++) {
        for (int at = 0; at + (size - 1) * step < ROW; at++) {
            bool is_it = true;

            for (int k = 0; k < size; k++)
                is_it = is_it && row[at + k * step] == gram[k];
            count += is_it;
        }
    }
    return count;
}

START_TEST(tfidf_vectorizer_counts_n_grams)
{
    static const char *const modes[] = {"TF", "IDF", "TFIDF"};
    static const char *const names[] = {"zero", "one", "two", "three"};
    static const int64_t pool[] = {1, 2, 3, 1, 2, 2, 3, 3, 3, 1, 2, 3};
    static const int sizes[GRAMS] = {1, 1, 1, 2, 2, 2, 3}, starts[GRAMS] = {0, 1, 2, 3, 5, 7, 9};
    static const int64_t columns[GRAMS] = {6, 0, 1, 2, 5, 4, 3};
    const float weights[GRAMS] = {2, 3, 4, 5, 6, 7, 8};
    int shortest = 1 + _i % 2, longest = shortest + _i / 2 % 2, skips = _i % 4, mode = _i / 4 % 3;
    uint32_t dtype = (uint32_t[]){BP_DTYPE_I64, BP_DTYPE_STRING, BP_DTYPE_I32}[_i % 3];
    bool is_text = dtype == BP_DTYPE_STRING, has_weights = _i % 5 != 0;
    uint64_t seed = (uint64_t)_i;
    const char *pool_names[12];
    int64_t x[2 * ROW];
    int32_t narrow[2 * ROW];
    bp_span texts[2 * ROW];
    const float *y;

    for (int i = 0; i < 2 * ROW; i++) {
        x[i] = random_below(&seed, 4);
        narrow[i] = (int32_t)x[i];
        texts[i] = (bp_span){names[x[i]], strlen(names[x[i]])};
    }
    for (int i = 0; i < 12; i++)
        pool_names[i] = names[pool[i]];
    th_input(t, "x", dtype, "2,12",
             is_text                 ? (const void *)texts
             : dtype == BP_DTYPE_I32 ? (const void *)narrow
                                     : x);
    th_output(t, "y", BP_DTYPE_F32, "2,7");
    th_node(t, "TfIdfVectorizer", 9, "x", "y");
    th_int(t, "min_gram_length", shortest);
    th_int(t, "max_gram_length", longest);
    th_int(t, "max_skip_count", skips);
    th_string(t, "mode", modes[mode]);
    th_ints(t, "ngram_counts", 3, (int64_t[]){0, 3, 9});
    th_ints(t, "ngram_indexes", GRAMS, columns);
    if (is_text)
        th_strings(t, "pool_strings", 12, pool_names);
    else
        th_ints(t, "pool_int64s", 12, pool);
    if (has_weights)
        th_floats(t, "weights", GRAMS, weights);
    ck_run();
    y = th_data(t, "y");
    for (int r = 0; r < 2; r++) {
        for (int g = 0; g < GRAMS; g++) {
            bool is_taken = sizes[g] >= shortest && sizes[g] <= longest;
            double want = is_taken ? count_gram(x + r * ROW, pool + starts[g], sizes[g], skips) : 0;

            if (mode == 1)
                want = want > 0;
            if (mode > 0 && has_weights)
                want *= (double)weights[g];
            ck_assert_double_eq((double)y[r * GRAMS + columns[g]], want);
        }
    }
}
END_TEST

START_TEST(tfidf_vectorizer_rejects_an_invalid_pool)
{
    th_input(t, "x", BP_DTYPE_I32, "1", (int32_t[]){1});
    th_output(t, "y", BP_DTYPE_F32, "1");
    th_node(t, "TfIdfVectorizer", 9, "x", "y");
    th_int(t, "min_gram_length", 1);
    th_int(t, "max_gram_length", 1);
    th_int(t, "max_skip_count", 0);
    th_string(t, "mode", "TF");
    th_ints(t, "ngram_counts", 1, (int64_t[]){_i ? 9 : 0});
    th_ints(t, "ngram_indexes", 1, (int64_t[]){0});
    th_ints(t, "pool_int64s", 2, (int64_t[]){1, 2});
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_msg(strstr(th_message(t), _i ? "ngram_counts 0 is 9" : "2 n-grams") != NULL, "%s",
                  th_message(t));
}
END_TEST

/* ---- ImageDecoder ---------------------------------------------------------------------------- */

static void add_decoder(const void *bytes, size_t n, const char *format)
{
    char dims[16];

    sprintf(dims, "%zu", n);
    th_input(t, "x", BP_DTYPE_U8, dims, bytes);
    th_output(t, "y", BP_DTYPE_U8, NULL);
    th_node(t, "ImageDecoder", 20, "x", "y");
    th_string(t, "pixel_format", format);
}

static const struct {
    const char *bytes;
    size_t n;
    const char *format, *dims, *pixels;
} images[] = {
#define IMAGE(bytes, format, dims, pixels)                                                         \
    {                                                                                              \
        bytes, sizeof(bytes) - 1, format, dims, pixels                                             \
    }
    IMAGE("P6 2 1 255\nabcdef", "RGB", "1,2,3", "abcdef"),
    IMAGE("P6 # so\n2 1\n255\nabcdef", "BGR", "1,2,3", "cbafed"),
    IMAGE("P5\n2 2\n255\nabcd", "Grayscale", "2,2,1", "abcd"),
    IMAGE("P2 1 2 4\n1 4", "RGB", "2,1,3", "@@@\xff\xff\xff"),
    IMAGE("P1 2 1\n10", "Grayscale", "1,2,1", "\0\xff"),
    IMAGE("P4 2 1\n\x80", "Grayscale", "1,2,1", "\0\xff"),
    IMAGE("P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\nabcd", "RGB",
          "1,1,3", "abc"),
    /* 24 bits, from below, rows filled up to 4 bytes */
    IMAGE("BM\0\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0\x01\0\0\0\x02\0\0\0\x01\0\x18\0\0\0\0\0\0\0\0\0"
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
          "abc.def.",
          "RGB", "2,1,3", "fedcba"),
    /* 8 bits with a palette of two, run lengths, from above */
    IMAGE("BM\0\0\0\0\0\0\0\0\x3e\0\0\0\x28\0\0\0\x03\0\0\0\xff\xff\xff\xff\x01\0\x08\0\x01\0\0\0"
          "\0\0\0\0\0\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"
          "abc\0def\0"
          "\x02\x01\x01\x00\x00\x01",
          "RGB", "1,3,3", "fedfedcba"),
};

START_TEST(image_decoder_gives_the_pixels)
{
    add_decoder(images[_i].bytes, images[_i].n, images[_i].format);
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), images[_i].dims);
    ck_assert_mem_eq(th_data(t, "y"), images[_i].pixels, th_count(t, "y"));
}
END_TEST

/* Every image broken off at each byte, and with bytes changed: pixels or none, and no crash. */
START_TEST(image_decoder_survives_broken_images)
{
    static const char *const others[] = {"\xff\xd8\xff\xe0\0\x10JFIF",
                                         "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01",
                                         "II*\0\x08\0\0\0\x01\0",
                                         "RIFF\x20\0\0\0WEBPVP8 ",
                                         "\xff\x4f\xff\x51\0\x29",
                                         "\0\0\0\x0cjP  \r\n\x87\n",
                                         "junk",
                                         ""};
    static const size_t sizes[] = {10, 24, 10, 16, 6, 12, 4, 0};
    int n_images = COUNT(images), kind = _i / 50;
    size_t n = kind < n_images ? images[kind].n : sizes[kind - n_images];
    char *bytes = malloc(n + 64);
    uint64_t seed = (uint64_t)_i;
    bp_rc rc;

    memset(bytes, 0, n + 64);
    memcpy(bytes, kind < n_images ? images[kind].bytes : others[kind - n_images], n);
    if (kind >= n_images)
        n += random_below(&seed, 48);
    for (uint32_t k = random_below(&seed, 4); k > 0 && n > 2; k--)
        bytes[2 + random_below(&seed, (uint32_t)n - 2)] = (char)random_next(&seed);
    if (_i % 2)
        n = random_below(&seed, (uint32_t)n + 1);
    add_decoder(bytes, n, "RGB");
    rc = th_run(t);
    ck_assert_msg(rc >= 0 || strstr(th_message(t), "pixels") != NULL, "%s", th_message(t));
    free(bytes);
}
END_TEST

START_TEST(image_decoder_gives_no_pixels_for_data_of_unknown_format)
{
    add_decoder(_i ? "P6 2 1 255\nabc" : "what?", _i ? 14 : 5, _i ? "RGB" : "Grayscale");
    ck_run();
    ck_assert_str_eq(th_dims(t, "y"), _i ? "0,0,3" : "0,0,1");
}
END_TEST

START_TEST(image_decoder_rejects_huge_images)
{
    add_decoder("P6 99999 99999 255\nabc", 22, "RGB");
    ck_assert_int_lt(th_run(t), 0);
    ck_assert_ptr_nonnull(strstr(th_message(t), "pixels"));
}
END_TEST

/* A grey progressive JPEG file of 4096 x 4096 pixels, whose scans have no data. Returns its bytes. */
static size_t make_scans(uint8_t *out, int n_scans)
{
    static const uint8_t frame[] = {0xff, 0xc2, 0, 11, 8, 0x10, 0, 0x10, 0, 1, 1, 0x11, 0};
    static const uint8_t codes[] = {0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0,
                                    0,    0,    0, 0,  0, 0, 0, 0, 0, 0, 0};
    static const uint8_t scan[] = {0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 1};
    uint8_t *at = out;

    memcpy(at, "\xff\xd8\xff\xdb\0\x43\0", 7); /* and the table of quantisation */
    memset(at + 7, 1, 64);
    at += 7 + 64;
    memcpy(at, frame, sizeof frame);
    at += sizeof frame;
    memcpy(at, codes, sizeof codes);
    at += sizeof codes;
    for (int i = 0; i < n_scans; i++, at += sizeof scan) {
        memcpy(at, scan, sizeof scan);
        if (i > 0)
            at[9] = 0x10; /* another bit of the same coefficients */
    }
    memcpy(at, "\xff\xd9", 2);
    return (size_t)(at + 2 - out);
}

/* Each scan is a pass over all pixels: 15 KB took 35 s. */
START_TEST(image_decoder_limits_the_scans_of_an_image)
{
    static uint8_t bytes[16384];
    int64_t deadline = now_ns() + 100 * 1000000;

    add_decoder(bytes, make_scans(bytes, 568), "Grayscale");
    if (_i == 0) {
        ck_assert_int_eq(th_run(t), BP_E_INVALID);
        ck_assert_ptr_nonnull(strstr(th_message(t), "too many scans"));
        return;
    }
    th_limits(t, NULL, deadline, NULL);
    ck_assert_int_eq(th_run(t), BP_E_TIMEOUT);
    if (!skip_is_slowed())
        ck_assert_int_lt(now_ns() - deadline, 50 * 1000000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("cpu_text");
    TCase *tcase = tcase_create("text");
    SRunner *runner = srunner_create(suite);
    int failed;

    suite_add_tcase(suite, tcase);
    tcase_set_timeout(tcase, 120);
    tcase_add_checked_fixture(tcase, start, teardown);
    tcase_add_loop_test(tcase, string_concat_joins_strings_elementwise, 0, COUNT(concats));
    tcase_add_loop_test(tcase, string_split_matches_its_definition, 0, COUNT(splits));
    tcase_add_test(tcase, string_split_accepts_an_empty_tensor);
    tcase_add_loop_test(tcase, string_normalizer_matches_its_definition, 0, COUNT(normals));
    tcase_add_test(tcase, string_normalizer_replaces_invalid_utf_8);
    tcase_add_loop_test(tcase, regex_full_match_matches_whole_strings, 0, COUNT(regexes));
    tcase_add_loop_test(tcase, repetitions_within_repetitions_take_linear_time, 0, COUNT(nested));
    tcase_add_test(tcase, deadline_ends_a_regular_expression);
    tcase_add_loop_test(tcase, regex_full_match_rejects_syntax_that_re2_lacks, 0,
                        COUNT(wrong_regexes));
    tcase_add_loop_test(tcase, tokenizer_matches_its_definition, 0, COUNT(tokens));
    tcase_add_loop_test(tcase, tokenizer_accepts_an_empty_tensor, 0, 3);
    tcase_add_loop_test(tcase, tokenizer_rejects_invalid_attributes, 0, COUNT(untokenized));
    tcase_add_loop_test(tcase, tfidf_vectorizer_counts_n_grams, 0, 48);
    tcase_add_loop_test(tcase, tfidf_vectorizer_rejects_an_invalid_pool, 0, 2);
    tcase_add_loop_test(tcase, image_decoder_gives_the_pixels, 0, COUNT(images));
    tcase_add_loop_test(tcase, image_decoder_survives_broken_images, 0, 50 * (COUNT(images) + 8));
    tcase_add_loop_test(tcase, image_decoder_gives_no_pixels_for_data_of_unknown_format, 0, 2);
    tcase_add_test(tcase, image_decoder_rejects_huge_images);
    tcase_add_loop_test(tcase, image_decoder_limits_the_scans_of_an_image, 0, 2);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
