/* SPDX-License-Identifier: MIT */
/* report.c - results as text, JSON and JUnit. */

#include "config.h"

#include "check/cases/case.h"
#include "check/coverage.h"
#include "check/report.h"

static const char *const names[] = {"pass", "skip", "warn", "fail", "died", "timeout"};

enum {
    LEVEL_CONFORMANT = 0,
    LEVEL_FAILED = 1,
    LEVEL_NOT_LOADABLE = 2,
    LEVEL_WARNINGS = 3,
    LEVEL_NOTHING = 5
};

const char *verdict_name(uint32_t verdict)
{
    return verdict < sizeof names / sizeof names[0] ? names[verdict] : "fail";
}

static unsigned count(const struct report *report, enum kit_verdict least, enum kit_verdict most)
{
    unsigned n = 0;

    for (size_t i = 0; i < report->n; i++) {
        const struct result *r = &report->results[i];

        n += r->was_run && r->outcome.verdict >= (uint32_t)least &&
             r->outcome.verdict <= (uint32_t)most;
    }
    return n;
}

/* Cases of NUMERICS that ran, and those that were asked for: all, where no test came so far. */
static unsigned cases_ran(const struct report *report, unsigned *all)
{
    unsigned n = 0;

    *all = 0;
    for (size_t i = 0; i < report->n; i++) {
        if (strcmp(report->results[i].group->name, "NUMERICS") != 0)
            continue;
        n += report->results[i].outcome.n_ran;
        *all += report->results[i].outcome.n_cases;
    }
    *all = *all ? *all : (unsigned)kit_n_cases;
    return n;
}

int report_level(const struct report *report)
{
    unsigned all;

    for (size_t i = 0; i < report->n; i++) {
        const struct result *r = &report->results[i];

        if (strcmp(r->test->id, "BPK-FILE-01") == 0 && r->was_run && r->outcome.verdict >= KIT_FAIL)
            return LEVEL_NOT_LOADABLE;
    }
    if (count(report, KIT_FAIL, KIT_TOO_LONG) > 0)
        return LEVEL_FAILED;
    if (report->is_whole && cases_ran(report, &all) == 0)
        return LEVEL_NOTHING;
    return count(report, KIT_WARN, KIT_WARN) > 0 ? LEVEL_WARNINGS : LEVEL_CONFORMANT;
}

static const char *level_name(int level)
{
    static const char *const levels[] = {"conformant",   "failed",
                                         "not loadable", "conformant, with warnings",
                                         "wrong usage",  "nothing was tested"};

    return levels[level];
}

/* Text of the plug-in's, without what would steer a terminal. */
static void put_clean(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        fputc(*p < 0x20 || *p == 0x7f ? ' ' : *p, out);
}

void report_line(FILE *out, const struct result *result, bool quiet)
{
    if (!result->was_run || (quiet && result->outcome.verdict < KIT_WARN))
        return;
    fprintf(out, "%-7s %-17s %s", verdict_name(result->outcome.verdict), result->test->id,
            result->test->title);
    if (result->outcome.text[0]) {
        fputs(result->outcome.verdict >= KIT_WARN ? "\n        " : " (", out);
        put_clean(out, result->outcome.text);
        if (result->outcome.verdict >= KIT_WARN)
            fprintf(out, "\n        see: %s", result->test->clause);
        else
            fputc(')', out);
    }
    fputc('\n', out);
}

void report_summary(FILE *out, const struct report *report, bool quiet)
{
    unsigned all, ran = cases_ran(report, &all);

    if (report->stopped)
        fprintf(out,
                "%s: the tests after this one were not run: each of them begins with that call\n",
                report->stopped);
    if (report->is_whole && !report->stopped)
        fprintf(out, "%s: %u of %u cases ran\n", report->file, ran, all);
    if (!quiet && !report->stopped)
        kit_coverage_print(out, report->file);
    fprintf(out, "%s: %s: %u passed, %u skipped, %u with a warning, %u failed\n", report->file,
            level_name(report_level(report)), count(report, KIT_PASS, KIT_PASS),
            count(report, KIT_SKIP, KIT_SKIP), count(report, KIT_WARN, KIT_WARN),
            count(report, KIT_FAIL, KIT_TOO_LONG));
    fprintf(out, "backplane-check %s, ABI %u.%u, build-id %s\n", KIT_VERSION, BP_ABI_MAJOR,
            BP_ABI_MINOR, report->build_id[0] ? report->build_id : "none");
}

/* ---- JSON ------------------------------------------------------------------------------------ */

void report_json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p < 0x20 || *p >= 0x7f)
            fprintf(out, "\\u%04x", *p < 0x7f ? *p : 0xfffdU); /* the kit's own words are ASCII */
        else
            fputc(*p, out);
    }
    fputc('"', out);
}

static void json_text(FILE *out, const char *key, const char *text)
{
    fprintf(out, "\"%s\": ", key);
    report_json_string(out, text);
}

void report_json(FILE *out, const struct report *report)
{
    unsigned all, ran;
    const char *comma = "";

    fputs("{\n  \"schema\": \"check/1\",\n  ", out);
    json_text(out, "kit", KIT_VERSION);
    fprintf(out, ",\n  \"abi\": \"%u.%u\",\n  ", BP_ABI_MAJOR, BP_ABI_MINOR);
    json_text(out, "file", report->file);
    fputs(",\n  ", out);
    json_text(out, "build_id", report->build_id);
    fputs(",\n  ", out);
    json_text(out, "result", level_name(report_level(report)));
    ran = cases_ran(report, &all);
    fprintf(out, ",\n  \"level\": %d,\n  \"cases\": {\"ran\": %u, \"all\": %u},\n  \"coverage\": ",
            report_level(report), ran, all);
    kit_coverage_json(out);
    fputs(",\n  \"tests\": [", out);
    for (size_t i = 0; i < report->n; i++) {
        const struct result *r = &report->results[i];

        if (!r->was_run)
            continue;
        fprintf(out, "%s\n    {", comma);
        json_text(out, "id", r->test->id);
        fputs(", ", out);
        json_text(out, "group", r->group->name);
        fputs(", ", out);
        json_text(out, "result", verdict_name(r->outcome.verdict));
        fprintf(out, ", \"seconds\": %.3f,\n     ", r->seconds);
        json_text(out, "title", r->test->title);
        fputs(",\n     ", out);
        json_text(out, "clause", r->test->clause);
        fputs(",\n     ", out);
        json_text(out, "text", r->outcome.text);
        fputc('}', out);
        comma = ",";
    }
    fputs("\n  ]\n}\n", out);
}

/* ---- JUnit ----------------------------------------------------------------------------------- */

static void xml_text(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        if (*p == '<')
            fputs("&lt;", out);
        else if (*p == '&')
            fputs("&amp;", out);
        else if (*p == '"')
            fputs("&quot;", out);
        else
            fputc(*p < 0x20 || *p >= 0x7f ? '?' : *p, out);
    }
}

static void xml_outcome(FILE *out, const struct result *r)
{
    static const char *const tags[] = {NULL, "skipped", "system-out", "failure", "error", "error"};
    const char *tag = tags[r->outcome.verdict];

    if (!tag)
        return;
    if (r->outcome.verdict == KIT_WARN) {
        fputs("    <system-out>warning: ", out);
        xml_text(out, r->outcome.text);
        fputs("</system-out>\n", out);
        return;
    }
    fprintf(out, "    <%s message=\"", tag);
    xml_text(out, r->outcome.text);
    fputs("\"/>\n", out);
}

void report_junit(FILE *out, const struct report *report)
{
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"backplane-check\" "
            "tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\">\n",
            count(report, KIT_PASS, KIT_TOO_LONG), count(report, KIT_FAIL, KIT_FAIL),
            count(report, KIT_DIED, KIT_TOO_LONG), count(report, KIT_SKIP, KIT_SKIP));
    for (size_t i = 0; i < report->n; i++) {
        const struct result *r = &report->results[i];

        if (!r->was_run)
            continue;
        fprintf(out, "  <testcase classname=\"%s\" name=\"%s ", r->group->name, r->test->id);
        xml_text(out, r->test->title);
        fprintf(out, "\" time=\"%.3f\">\n", r->seconds);
        xml_outcome(out, r);
        fputs("  </testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
}
