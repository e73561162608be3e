/* SPDX-License-Identifier: MIT */
/* engine.c - the end of an engine. */

#include "config.h"

#include "session/engine.h"

#include <stdlib.h>

/*
 * Destroys frames before their programs, programs before the instances that made them, and the
 * graph last.
 */
void bp_engine_destroy(struct bp_engine *engine)
{
    if (!engine)
        return;
    bp_engine_finish_frames(engine);
    bp_memory_leave(&engine->memory);
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
