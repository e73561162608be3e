/* SPDX-License-Identifier: MIT */
/* engine.c - the end of an engine, and the frames that its runs share. */

#include "config.h"

#include "session/engine.h"

#include <stdatomic.h>
#include <stdlib.h>

/*
 * Frames before programs, programs before the instances that made them, and the graph after both.
 */
void bp_engine_destroy(struct bp_engine *engine)
{
    if (!engine)
        return;
    for (int i = 0; i < BP_IDLE_FRAMES; i++)
        bp_frame_state_destroy(atomic_load(&engine->idle[i]));
    bp_subgraph_destroy(engine->graph);
    bp_provider_list_finish(&engine->providers);
    bp_report_destroy(engine->report);
    if (engine->ir)
        bp_ir_finish(engine->ir);
    bp_symbols_finish(&engine->symbols);
    bp_region_finish(&engine->region);
    bp_custom_table_finish(&engine->custom);
    bp_onnx_unref(engine->onnx);
    free(engine);
}

/*
 * Slots are exchanged, so that runs on many threads need no lock. A frame that was used last is not
 * preferred: any has plans for the shapes that it has met.
 */
bp_rc bp_engine_take_frame(struct bp_engine *engine, struct bp_frame_state **out, bp_err *err)
{
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        *out = atomic_exchange(&engine->idle[i], NULL);
        if (*out)
            return BP_OK;
    }
    return bp_frame_state_create(engine->graph, out, err);
}

/* With more runs at once than slots, the frames that find none are destroyed. */
void bp_engine_return_frame(struct bp_engine *engine, struct bp_frame_state *frame)
{
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *none = NULL;

        if (atomic_compare_exchange_strong(&engine->idle[i], &none, frame))
            return;
    }
    bp_frame_state_destroy(frame);
}

/* Frames in a run are not in a slot, and stay. */
uint64_t bp_engine_trim(struct bp_engine *engine)
{
    uint64_t bytes = 0;

    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *frame = atomic_exchange(&engine->idle[i], NULL);

        if (frame)
            bytes += bp_frame_state_bytes(frame, NULL);
        bp_frame_state_destroy(frame);
    }
    return bytes;
}
