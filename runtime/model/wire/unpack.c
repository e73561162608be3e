/* SPDX-License-Identifier: MIT */
/* unpack.c - runs protobuf-c over the structure that the scan copied, with memory from a region. */

#include "config.h"

#include "model/wire/unpack.h"

static void *take(void *region, size_t n)
{
    return bp_region_alloc(region, n);
}

/* The region frees everything at once. */
static void give_back(void *region, void *p)
{
    (void)region; /* all at once, later */
    (void)p;
}

bp_rc bp_unpack(const void *bytes, size_t size, enum bp_message_type type,
                const ProtobufCMessageDescriptor *descriptor, struct bp_wire *wire,
                struct bp_region *region, const void **out, bp_err *err)
{
    ProtobufCAllocator allocator = {take, give_back, region};
    bp_rc rc = bp_wire_scan(bytes, size, type, wire, err);

    *out = NULL;
    if (rc < 0)
        return rc;
    *out = protobuf_c_message_unpack(descriptor, &allocator, wire->size, wire->copy);
    bp_wire_drop_copy(wire);
    if (*out)
        return BP_OK;
    bp_wire_finish(wire);
    /* the scan has checked all that protobuf-c checks, so the cause can only be memory */
    return bp_fail_nomem(err, "the decoded structure");
}

bp_rc bp_unpack_model(const void *bytes, size_t size, struct bp_wire *wire,
                      struct bp_region *region, const Bp__ModelProto **out, bp_err *err)
{
    const void *message;
    bp_rc rc = bp_unpack(bytes, size, BP_MSG_MODEL, &bp__model_proto__descriptor, wire, region,
                         &message, err);

    *out = message;
    return rc;
}

bp_rc bp_unpack_tensor(const void *bytes, size_t size, struct bp_wire *wire,
                       struct bp_region *region, const Bp__TensorProto **out, bp_err *err)
{
    const void *message;
    bp_rc rc = bp_unpack(bytes, size, BP_MSG_TENSOR, &bp__tensor_proto__descriptor, wire, region,
                         &message, err);

    *out = message;
    return rc;
}
