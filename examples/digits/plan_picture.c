/* SPDX-License-Identifier: MIT */
/* plan_picture.c - draws who runs which node as an SVG picture. */
#include "plan_picture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/example.h"

/* In pixels. */
enum { BOX_WIDTH = 220, BOX_HEIGHT = 46, GAP_X = 30, GAP_Y = 34, MARGIN = 24, LEGEND_ROW = 24 };
enum { LABEL_CHARS = 26, OPERATOR_CHARS = 18 }; /* what a box has room for */

/* A node, or an input or output of the model. */
struct box {
    const char *name;
    uint32_t node; /* BP_NONE: an input or output */
    uint32_t level, column;
    bp_report_node row;
};

struct edge {
    uint32_t from, to; /* boxes */
};

struct picture {
    const bp_report *report;
    struct box *boxes; /* the nodes first, in the report's order */
    struct edge *edges;
    uint32_t n_nodes, n_boxes, n_edges;
    uint32_t n_levels, n_columns;
    uint32_t *in_level; /* boxes a level */
    FILE *file;
};

static const char *const colours[] = {"#ffd8a8", "#a5d8ff", "#b2f2bb", "#eebefa",
                                      "#ffec99", "#99e9f2", "#ffc9c9", "#dee2e6"};

static const char *colour_of(uint32_t provider)
{
    return provider == BP_NONE ? "#ffffff" : colours[provider % (sizeof colours / sizeof *colours)];
}

/* ---- from report to boxes ------------------------------------------------------------------- */

/* The box of an input (or output) of the model by its name, made at first mention. */
static uint32_t terminal(struct picture *p, const char *name, uint32_t *first, uint32_t *end)
{
    for (uint32_t i = *first; i < *end; i++) {
        if (strcmp(p->boxes[i].name, name) == 0)
            return i;
    }
    p->boxes[*end] = (struct box){.name = name, .node = BP_NONE};
    return (*end)++;
}

static bool read_nodes(struct picture *p)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    for (uint32_t i = 0; i < p->n_nodes; i++) {
        struct box *box = &p->boxes[i];

        box->row.struct_size = sizeof box->row;
        if (bp_report_get_node(p->report, i, &box->row, &err) < 0)
            return example_fail("%s", text);
        box->node = i;
        box->name = box->row.name;
    }
    return true;
}

static void read_edges(struct picture *p)
{
    uint32_t inputs = p->n_nodes;
    uint32_t inputs_end = inputs;
    uint32_t outputs;
    uint32_t from, to;
    const char *name;

    /* Inputs get their boxes before outputs do, so that each kind lies together. */
    for (uint32_t i = 0; (name = bp_report_edge(p->report, i, &from, &to)); i++) {
        if (from == BP_NONE)
            from = terminal(p, name, &inputs, &inputs_end);
        p->edges[i] = (struct edge){from, to};
    }
    outputs = inputs_end;
    p->n_boxes = inputs_end;
    for (uint32_t i = 0; (name = bp_report_edge(p->report, i, &from, &to)); i++) {
        if (to == BP_NONE)
            p->edges[i].to = terminal(p, name, &outputs, &p->n_boxes);
    }
}

/* A box lies one level below the lowest box that leads to it. */
static void place(struct picture *p)
{
    bool is_moving = true;

    /* Nodes come in an order in which they can run, so the second round seldom finds anything. */
    for (uint32_t round = 0; is_moving && round < p->n_boxes; round++) {
        is_moving = false;
        for (uint32_t i = 0; i < p->n_edges; i++) {
            const struct box *from = &p->boxes[p->edges[i].from];
            struct box *to = &p->boxes[p->edges[i].to];

            if (to->level <= from->level) {
                to->level = from->level + 1;
                is_moving = true;
            }
        }
    }

    for (uint32_t i = 0; i < p->n_boxes; i++) {
        struct box *box = &p->boxes[i];

        box->column = p->in_level[box->level]++;
        if (box->level >= p->n_levels)
            p->n_levels = box->level + 1;
        if (box->column >= p->n_columns)
            p->n_columns = box->column + 1;
    }
}

static bool picture_init(struct picture *p, const bp_report *report)
{
    uint32_t from, to;
    size_t most_boxes;

    *p = (struct picture){.report = report, .n_nodes = bp_report_node_count(report)};
    while (bp_report_edge(report, p->n_edges, &from, &to))
        p->n_edges++;

    most_boxes = (size_t)p->n_nodes + 2 * (size_t)p->n_edges + 1;
    p->boxes = calloc(most_boxes, sizeof *p->boxes);
    p->in_level = calloc(most_boxes + 1, sizeof *p->in_level);
    p->edges = calloc((size_t)p->n_edges + 1, sizeof *p->edges);
    if (!p->boxes || !p->in_level || !p->edges)
        return example_fail("no memory for a picture of %u nodes", p->n_nodes);

    if (!read_nodes(p))
        return false;
    read_edges(p);
    place(p);
    return true;
}

static void picture_finish(struct picture *p)
{
    free(p->boxes);
    free(p->in_level);
    free(p->edges);
}

/* ---- from boxes to SVG ---------------------------------------------------------------------- */

/* Writes at most `most` characters of UTF-8 text, with what XML cannot take as it is replaced. */
static void put_text(FILE *file, const char *text, size_t most)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        bool begins_character = (c & 0xc0) != 0x80;

        if (begins_character && most-- == 0) {
            fputs("…", file);
            return;
        }
        if (c == '<')
            fputs("&lt;", file);
        else if (c == '>')
            fputs("&gt;", file);
        else if (c == '&')
            fputs("&amp;", file);
        else
            fputc(c < ' ' ? ' ' : c, file);
    }
}

static uint32_t box_x(const struct picture *p, const struct box *box)
{
    uint32_t row = p->in_level[box->level] * (BOX_WIDTH + GAP_X) - GAP_X;
    uint32_t widest = p->n_columns * (BOX_WIDTH + GAP_X) - GAP_X;

    return MARGIN + (widest - row) / 2 + box->column * (BOX_WIDTH + GAP_X);
}

static uint32_t legend_height(const struct picture *p)
{
    return MARGIN + (bp_report_provider_count(p->report) + 1) * LEGEND_ROW;
}

static uint32_t box_y(const struct picture *p, const struct box *box)
{
    return legend_height(p) + MARGIN + box->level * (BOX_HEIGHT + GAP_Y);
}

static void put_head(const struct picture *p, const char *title)
{
    uint32_t width = 2 * MARGIN + p->n_columns * (BOX_WIDTH + GAP_X) - GAP_X;
    uint32_t height = legend_height(p) + 2 * MARGIN + p->n_levels * (BOX_HEIGHT + GAP_Y) - GAP_Y;

    fprintf(p->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
            "viewBox=\"0 0 %u %u\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" "
            "markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\">"
            "<path d=\"M0 0 L8 4 L0 8 z\" fill=\"#495057\"/></marker></defs>\n"
            "<rect width=\"%u\" height=\"%u\" fill=\"#ffffff\"/>\n"
            "<text x=\"%d\" y=\"%d\" font-size=\"14\" font-weight=\"bold\">",
            width, height, width, height, width, height, MARGIN, MARGIN + 12);
    put_text(p->file, title, 2 * LABEL_CHARS);
    fputs("</text>\n", p->file);
}

static bool put_legend(const struct picture *p)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    for (uint32_t i = 0; i < bp_report_provider_count(p->report); i++) {
        bp_report_provider row = {.struct_size = sizeof row};
        uint32_t y = MARGIN + (i + 1) * LEGEND_ROW;

        if (bp_report_get_provider(p->report, i, &row, &err) < 0)
            return example_fail("%s", text);
        fprintf(p->file,
                "<rect x=\"%d\" y=\"%u\" width=\"16\" height=\"16\" rx=\"3\" fill=\"%s\" "
                "stroke=\"#495057\"/><text x=\"%d\" y=\"%u\">",
                MARGIN, y, colour_of(i), MARGIN + 24, y + 12);
        put_text(p->file, row.name, OPERATOR_CHARS);
        if (row.code < 0)
            fprintf(p->file, ": not in use (%s)</text>\n", bp_stage_name(row.stage));
        else
            fprintf(p->file, ": %u nodes</text>\n", row.n_nodes);
    }
    return true;
}

static void put_edge(const struct picture *p, const struct edge *edge)
{
    const struct box *from = &p->boxes[edge->from];
    const struct box *to = &p->boxes[edge->to];
    uint32_t x1 = box_x(p, from) + BOX_WIDTH / 2;
    uint32_t y1 = box_y(p, from) + BOX_HEIGHT;
    uint32_t x2 = box_x(p, to) + BOX_WIDTH / 2;
    uint32_t y2 = box_y(p, to);

    fprintf(p->file,
            "<path d=\"M%u %u C%u %u %u %u %u %u\" fill=\"none\" stroke=\"#495057\" "
            "marker-end=\"url(#arrow)\"/>\n",
            x1, y1, x1, y1 + GAP_Y / 2, x2, y2 - GAP_Y / 2, x2, y2);
}

/* The words that show when the mouse rests on the box. */
static bool put_refusals(const struct picture *p, const struct box *box)
{
    char text[EXAMPLE_TEXT];
    bp_err err = bp_err_init(text, sizeof text);

    fputs("<title>", p->file);
    put_text(p->file, box->name, SIZE_MAX);
    for (uint32_t i = 0; i < box->row.n_refusals; i++) {
        bp_report_refusal refusal = {.struct_size = sizeof refusal};
        bp_report_provider provider = {.struct_size = sizeof provider};

        if (bp_report_get_refusal(p->report, box->node, i, &refusal, &err) < 0 ||
            bp_report_get_provider(p->report, refusal.provider, &provider, &err) < 0)
            return example_fail("%s", text);
        fputs("\nnot ", p->file);
        put_text(p->file, provider.name, SIZE_MAX);
        fprintf(p->file, ": %s ", bp_reason_name(refusal.reason));
        put_text(p->file, refusal.text ? refusal.text : "", SIZE_MAX);
    }
    fputs("</title>", p->file);
    return true;
}

static bool put_node(const struct picture *p, const struct box *box)
{
    uint32_t x = box_x(p, box);
    uint32_t y = box_y(p, box);

    fputs("<g>", p->file);
    if (!put_refusals(p, box))
        return false;
    fprintf(p->file,
            "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"%s\" "
            "stroke=\"#495057\"/><text x=\"%u\" y=\"%u\" font-weight=\"bold\">",
            x, y, BOX_WIDTH, BOX_HEIGHT, colour_of(box->row.provider), x + 10, y + 19);
    put_text(p->file, box->row.op, OPERATOR_CHARS);
    if (box->row.group != BP_NONE)
        fprintf(p->file, "</text><text x=\"%u\" y=\"%u\" text-anchor=\"end\">group %u",
                x + BOX_WIDTH - 10, y + 19, box->row.group);
    fprintf(p->file, "</text><text x=\"%u\" y=\"%u\">", x + 10, y + 36);
    put_text(p->file, box->name, LABEL_CHARS);
    fputs("</text></g>\n", p->file);
    return true;
}

static void put_terminal(const struct picture *p, const struct box *box)
{
    uint32_t x = box_x(p, box);
    uint32_t y = box_y(p, box);

    fprintf(p->file,
            "<rect x=\"%u\" y=\"%u\" width=\"%d\" height=\"%d\" rx=\"%d\" fill=\"#f1f3f5\" "
            "stroke=\"#adb5bd\"/><text x=\"%u\" y=\"%u\" text-anchor=\"middle\">",
            x, y, BOX_WIDTH, BOX_HEIGHT, BOX_HEIGHT / 2, x + BOX_WIDTH / 2, y + BOX_HEIGHT / 2 + 4);
    put_text(p->file, box->name, LABEL_CHARS);
    fputs("</text>\n", p->file);
}

static bool put_picture(const struct picture *p, const char *title)
{
    put_head(p, title);
    if (!put_legend(p))
        return false;
    for (uint32_t i = 0; i < p->n_edges; i++)
        put_edge(p, &p->edges[i]);
    for (uint32_t i = 0; i < p->n_boxes; i++) {
        if (p->boxes[i].node == BP_NONE)
            put_terminal(p, &p->boxes[i]);
        else if (!put_node(p, &p->boxes[i]))
            return false;
    }
    fputs("</svg>\n", p->file);
    return true;
}

bool plan_picture_write(const bp_report *report, const char *title, const char *path)
{
    struct picture picture;
    bool is_good = picture_init(&picture, report);

    if (!is_good)
        goto out;

    picture.file = fopen(path, "w");
    if (!picture.file) {
        is_good = example_fail("%s: %s", path, strerror(errno));
        goto out;
    }
    is_good = put_picture(&picture, title);
    if (ferror(picture.file) | fclose(picture.file))
        is_good = example_fail("%s: cannot be written: is the disk full?", path);
out:
    picture_finish(&picture);
    return is_good;
}
