/* SPDX-License-Identifier: MIT */
/* empty.c - values that the C ABI cannot make: a model with one node does. */

#include "config.h"

#include "ort/conform/conform.h"
#include "support/proto_writer.h"

/* Fields of TypeProto. */
enum { TENSOR = 1, SEQUENCE = 4, OPTIONAL = 9 };

static void write_type(struct pw *w, uint32_t field, const bp_type_info *type)
{
    pw_open(w, field);
    if (type->kind == BP_KIND_TENSOR) {
        pw_open(w, TENSOR);
        pw_int(w, 1, type->dtype);
    } else {
        pw_open(w, type->kind == BP_KIND_OPTIONAL ? OPTIONAL : SEQUENCE);
        write_type(w, 1, type->item);
    }
    pw_close(w);
    pw_close(w);
}

/* SequenceEmpty, or Optional without an input. */
static void write_model(struct pw *w, const bp_type_info *type)
{
    enum { TYPE_INT = 2, TYPE_PROTO = 13 };
    bool is_optional = type->kind == BP_KIND_OPTIONAL;

    pw_open_model_at(w, 15);
    pw_open_node(w, is_optional ? "Optional" : "SequenceEmpty", "", "empty");
    if (is_optional) {
        pw_open_attr(w, "type", TYPE_PROTO);
        write_type(w, 14, type->item);
    } else {
        pw_open_attr(w, "dtype", TYPE_INT);
        pw_int(w, 3, type->item->dtype);
    }
    pw_close(w);
    pw_close(w);
    pw_open(w, 12);
    pw_text(w, 1, "empty");
    write_type(w, 2, type);
    pw_close(w);
    pw_close(w);
}

OrtValue *value_make_empty(const struct face *face, const bp_type_info *type)
{
    static const char *const outputs[] = {"empty"};
    OrtSession *session = NULL;
    OrtValue *value = NULL;
    struct pw w = {0};

    write_model(&w, type);
    if (!face_ok(face,
                 face->api->CreateSessionFromArray(face->env, w.data, w.size, NULL, &session)) ||
        !face_ok(face, face->api->Run(session, NULL, NULL, NULL, 0, outputs, 1, &value)))
        value = NULL;
    pw_free(&w);
    if (session)
        face->api->ReleaseSession(session);
    return value;
}
