/* SPDX-License-Identifier: MIT */
/*
 * junit.c - writes the results as JUnit XML: a testsuite with a testcase per directory.
 *
 * No standard defines the format. The elements are those that Ant's JUnit task writes and that CI
 * servers such as Jenkins and GitLab read.
 */

#include "config.h"

#include <stdlib.h>

#include "conform/conform.h"
#include "values/file.h"

static void add_attribute(struct bp_text *xml, const char *name, const char *value)
{
    text_printf(xml, " %s=\"", name);
    text_html(xml, value);
    text_put(xml, "\"");
}

/*
 * A failure is a wrong result; an error is a test that crashed or timed out. Known failures count as
 * skipped, so that a CI server does not fail for them.
 */
static const char *element_of(const struct test *test)
{
    return test->outcome != FAILED ? "skipped" : test->is_broken ? "error" : "failure";
}

static void add_test(struct bp_text *xml, const struct test *test)
{
    const char *short_name = test_short_name(test);
    char *folder = xstrdup(test->name);

    folder[short_name > test->name ? short_name - test->name - 1 : 0] = '\0';
    text_put(xml, "  <testcase");
    add_attribute(xml, "classname", *folder ? folder : "backplane");
    add_attribute(xml, "name", short_name);
    text_printf(xml, " time=\"%.3f\">\n", test->seconds);
    if (test->outcome != PASSED) {
        struct bp_text why = {0};

        if (test->outcome == KNOWN)
            text_put(&why, "known: ");
        text_put(&why, test->verdict.why);
        text_printf(xml, "    <%s", element_of(test));
        add_attribute(xml, "message", text_string(&why));
        text_put(xml, "/>\n");
        text_finish(&why);
    }
    if (*test->output) {
        text_put(xml, "    <system-err>");
        text_html(xml, test->output);
        text_put(xml, "</system-err>\n");
    }
    text_put(xml, "  </testcase>\n");
    free(folder);
}

int conform_junit(const struct conform *c)
{
    struct bp_text xml = {0};
    size_t broken = 0;
    bp_rc rc;

    for (size_t i = 0; i < c->n; i++)
        broken += c->tests[i].outcome == FAILED && c->tests[i].is_broken;
    text_put(&xml, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite");
    add_attribute(&xml, "name", "backplane conform");
    text_printf(&xml, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"", c->n,
                c->counts[FAILED] - broken, broken, c->counts[KNOWN] + c->counts[SKIPPED]);
    text_printf(&xml, " time=\"%.3f\">\n  <properties>\n    <property name=\"providers\"",
                c->seconds);
    add_attribute(&xml, "value",
                  c->args->suite.load.providers ? c->args->suite.load.providers : "cpu");
    text_put(&xml, "/>\n  </properties>\n");
    for (size_t i = 0; i < c->n; i++)
        add_test(&xml, &c->tests[i]);
    text_put(&xml, "</testsuite>\n");
    rc = file_write(c->args->junit, xml.data, xml.len, NULL, 0, &c->cli->err);
    text_finish(&xml);
    return rc < 0 ? cli_fail_rc(c->cli, CLI_USAGE, rc) : CLI_OK;
}
