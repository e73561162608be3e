/* SPDX-License-Identifier: MIT */
/*
 * layout.c - the layout of every struct that crosses the ABI or the API on 64-bit machines, as it
 * is in the draft. Compiling is the test. A line here changes only together with a version number.
 */

#include "config.h"

#include <stddef.h>
#include <stdint.h>

#include <backplane.h>

#define SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type " changed")
#define AT(type, field, bytes)                                                                     \
    _Static_assert(offsetof(type, field) == (bytes), #type "." #field " moved")

#if UINTPTR_MAX == UINT64_MAX

SIZE(bp_err, 40);
AT(bp_err, struct_size, 0);
AT(bp_err, code, 4);
AT(bp_err, native_code, 8);
AT(bp_err, msg, 16);
AT(bp_err, msg_cap, 24);
AT(bp_err, msg_len, 28);
AT(bp_err, detail, 32);
AT(bp_err, index, 36);

SIZE(bp_span, 16);
AT(bp_span, data, 0);
AT(bp_span, size, 8);

SIZE(bp_tensor, 48);
AT(bp_tensor, base, 0);
AT(bp_tensor, offset, 8);
AT(bp_tensor, dims, 16);
AT(bp_tensor, bytes, 24);
AT(bp_tensor, rank, 32);
AT(bp_tensor, dtype, 36);
AT(bp_tensor, space, 40);
AT(bp_tensor, device, 44);

SIZE(bp_option, 64);
AT(bp_option, struct_size, 0);
AT(bp_option, flags, 4);
AT(bp_option, type, 8);
AT(bp_option, n_choices, 12);
AT(bp_option, key, 16);
AT(bp_option, help, 24);
AT(bp_option, def, 32);
AT(bp_option, choices, 40);
AT(bp_option, min, 48);
AT(bp_option, max, 56);

SIZE(bp_opt, 32);
AT(bp_opt, key, 0);
AT(bp_opt, str, 8);
AT(bp_opt, i, 16);
AT(bp_opt, f, 24);

SIZE(bp_dim, 16);
AT(bp_dim, value, 0);
AT(bp_dim, symbol, 8);
AT(bp_dim, flags, 12);

SIZE(bp_value, 56);
AT(bp_value, name, 0);
AT(bp_value, dims, 8);
AT(bp_value, rank, 16);
AT(bp_value, dtype, 20);
AT(bp_value, flags, 24);
AT(bp_value, producer, 28);
AT(bp_value, const_bytes, 32);
AT(bp_value, const_id, 40);
AT(bp_value, outer, 48);
AT(bp_value, reserved0, 52);

SIZE(bp_const, 32);
AT(bp_const, data, 0);
AT(bp_const, bytes, 8);
AT(bp_const, dims, 16);
AT(bp_const, rank, 24);
AT(bp_const, dtype, 28);

SIZE(bp_attr, 32);
AT(bp_attr, name, 0);
AT(bp_attr, data, 8);
AT(bp_attr, type, 16);
AT(bp_attr, count, 20);
AT(bp_attr, flags, 24);
AT(bp_attr, reserved0, 28);

SIZE(bp_node, 80);
AT(bp_node, name, 0);
AT(bp_node, op, 8);
AT(bp_node, domain, 16);
AT(bp_node, in, 24);
AT(bp_node, out, 32);
AT(bp_node, n_in, 40);
AT(bp_node, n_out, 44);
AT(bp_node, opset, 48);
AT(bp_node, since, 52);
AT(bp_node, first_attr, 56);
AT(bp_node, n_attr, 60);
AT(bp_node, captures, 64);
AT(bp_node, n_captures, 72);
AT(bp_node, reserved0, 76);

SIZE(bp_graph, 120);
AT(bp_graph, struct_size, 0);
AT(bp_graph, flags, 4);
AT(bp_graph, n_nodes, 8);
AT(bp_graph, node_stride, 12);
AT(bp_graph, n_values, 16);
AT(bp_graph, value_stride, 20);
AT(bp_graph, attr_stride, 28);
AT(bp_graph, n_attrs, 24);
AT(bp_graph, nodes, 32);
AT(bp_graph, values, 40);
AT(bp_graph, attrs, 48);
AT(bp_graph, subs, 56);
AT(bp_graph, inputs, 64);
AT(bp_graph, outputs, 72);
AT(bp_graph, n_inputs, 80);
AT(bp_graph, n_outputs, 84);
AT(bp_graph, n_subs, 88);
AT(bp_graph, reserved0, 92);
AT(bp_graph, host, 96);
AT(bp_graph, outer, 104);
AT(bp_graph, outer_node, 112);
AT(bp_graph, reserved1, 116);

SIZE(bp_operand, 32);
AT(bp_operand, name, 0);
AT(bp_operand, types, 8);
AT(bp_operand, flags, 16);
AT(bp_operand, type_var, 20);
AT(bp_operand, min_count, 24);
AT(bp_operand, kinds, 28);

SIZE(bp_operator_fact, 40);
AT(bp_operator_fact, kind, 32);
AT(bp_operator_fact, struct_size, 0);
AT(bp_operator_fact, dtype, 4);
AT(bp_operator_fact, rank, 8);
AT(bp_operator_fact, n_content, 12);
AT(bp_operator_fact, dims, 16);
AT(bp_operator_fact, content, 24);

SIZE(bp_op_attr, 48);
AT(bp_op_attr, struct_size, 0);
AT(bp_op_attr, flags, 4);
AT(bp_op_attr, name, 8);
AT(bp_op_attr, type, 16);
AT(bp_op_attr, reserved0, 20);
AT(bp_op_attr, def_int, 24);
AT(bp_op_attr, def_float, 32);
AT(bp_op_attr, def_string, 40);

SIZE(bp_op_shapes, 64);
AT(bp_op_shapes, struct_size, 0);
AT(bp_op_shapes, version, 4);
AT(bp_op_shapes, h, 8);
AT(bp_op_shapes, n_in, 16);
AT(bp_op_shapes, in_stride, 20);
AT(bp_op_shapes, n_attrs, 24);
AT(bp_op_shapes, attr_stride, 28);
AT(bp_op_shapes, in, 32);
AT(bp_op_shapes, attrs, 40);
AT(bp_op_shapes, n_out, 48);
AT(bp_op_shapes, reserved0, 52);
AT(bp_op_shapes, set, 56);

SIZE(bp_op_schema, 80);
AT(bp_op_schema, struct_size, 0);
AT(bp_op_schema, flags, 4);
AT(bp_op_schema, domain, 8);
AT(bp_op_schema, name, 16);
AT(bp_op_schema, since, 24);
AT(bp_op_schema, until, 28);
AT(bp_op_schema, in, 32);
AT(bp_op_schema, out, 40);
AT(bp_op_schema, n_in, 48);
AT(bp_op_schema, n_out, 52);
AT(bp_op_schema, attrs, 56);
AT(bp_op_schema, n_attrs, 64);
AT(bp_op_schema, attr_stride, 68);
AT(bp_op_schema, shapes, 72);

SIZE(bp_cost, 24);
AT(bp_cost, struct_size, 0);
AT(bp_cost, known, 4);
AT(bp_cost, run_ns, 8);
AT(bp_cost, launch_ns, 16);

SIZE(bp_claim, 48);
AT(bp_claim, struct_size, 0);
AT(bp_claim, verdict, 4);
AT(bp_claim, reason, 8);
AT(bp_claim, device, 12);
AT(bp_claim, subject, 16);
AT(bp_claim, text, 24);
AT(bp_claim, cost, 32);
AT(bp_claim, together, 40);
AT(bp_claim, reserved0, 44);

SIZE(bp_claims, 24);
AT(bp_claims, struct_size, 0);
AT(bp_claims, reserved0, 4);
AT(bp_claims, h, 8);
AT(bp_claims, node, 16);

SIZE(bp_ext_constants, 16);
AT(bp_ext_constants, struct_size, 0);
AT(bp_ext_constants, done, 8);

SIZE(bp_graph_model, 80);
AT(bp_graph_model, struct_size, 0);
AT(bp_graph_model, reserved0, 4);
AT(bp_graph_model, path, 8);
AT(bp_graph_model, dir, 16);
AT(bp_graph_model, name, 24);
AT(bp_graph_model, producer, 32);
AT(bp_graph_model, producer_version, 40);
AT(bp_graph_model, domain, 48);
AT(bp_graph_model, doc, 56);
AT(bp_graph_model, ir_version, 64);
AT(bp_graph_model, model_version, 72);

SIZE(bp_graph_parent, 48);
AT(bp_graph_parent, struct_size, 0);
AT(bp_graph_parent, reserved0, 4);
AT(bp_graph_parent, graph, 8);
AT(bp_graph_parent, node, 16);
AT(bp_graph_parent, op, 24);
AT(bp_graph_parent, domain, 32);
AT(bp_graph_parent, attr, 40);

SIZE(bp_const_place, 32);
AT(bp_const_place, struct_size, 0);
AT(bp_const_place, flags, 4);
AT(bp_const_place, file, 8);
AT(bp_const_place, offset, 16);
AT(bp_const_place, bytes, 24);

SIZE(bp_ext_model, 48);
AT(bp_ext_model, struct_size, 0);
AT(bp_ext_model, reserved0, 4);
AT(bp_ext_model, model, 8);
AT(bp_ext_model, metadata, 16);
AT(bp_ext_model, opset, 24);
AT(bp_ext_model, parent, 32);
AT(bp_ext_model, place, 40);

SIZE(bp_host, 128);
AT(bp_host, struct_size, 0);
AT(bp_host, abi_major, 4);
AT(bp_host, abi_minor, 6);
AT(bp_host, magic, 8);
AT(bp_host, flags, 12);
AT(bp_host, name, 16);
AT(bp_host, version, 24);
AT(bp_host, module_path, 32);
AT(bp_host, h, 40);
AT(bp_host, log, 48);
AT(bp_host, alloc, 56);
AT(bp_host, free, 64);
AT(bp_host, pool_width, 72);
AT(bp_host, parallel_for, 80);
AT(bp_host, constant, 88);
AT(bp_host, weight_get, 96);
AT(bp_host, weight_put, 104);
AT(bp_host, extension, 112);
AT(bp_host, now_ns, 120);

SIZE(bp_avail, 40);
AT(bp_avail, struct_size, 0);
AT(bp_avail, state, 4);
AT(bp_avail, n_devices, 8);
AT(bp_avail, reserved0, 12);
AT(bp_avail, reason, 16);
AT(bp_avail, fix, 24);
AT(bp_avail, reason_cap, 32);
AT(bp_avail, fix_cap, 36);

SIZE(bp_device, 88);
AT(bp_device, struct_size, 0);
AT(bp_device, flags, 4);
AT(bp_device, kind, 8);
AT(bp_device, vendor_id, 12);
AT(bp_device, numa, 16);
AT(bp_device, spaces, 20);
AT(bp_device, id, 24);
AT(bp_device, name, 32);
AT(bp_device, driver, 40);
AT(bp_device, mem_total, 48);
AT(bp_device, mem_free, 56);
AT(bp_device, h2d_gbps, 64);
AT(bp_device, d2h_gbps, 72);
AT(bp_device, launch_ns, 80);

SIZE(bp_prof_event, 56);
AT(bp_prof_event, t0_ns, 0);
AT(bp_prof_event, t1_ns, 8);
AT(bp_prof_event, name, 16);
AT(bp_prof_event, node, 24);
AT(bp_prof_event, kind, 28);
AT(bp_prof_event, lane, 32);
AT(bp_prof_event, n_nodes, 36);
AT(bp_prof_event, nodes, 40);
AT(bp_prof_event, bytes, 48);

SIZE(bp_prof, 32);
AT(bp_prof, struct_size, 0);
AT(bp_prof, cap, 4);
AT(bp_prof, count, 8);
AT(bp_prof, dropped, 12);
AT(bp_prof, ev, 16);
AT(bp_prof, stride, 24);
AT(bp_prof, reserved0, 28);

SIZE(bp_run, 72);
AT(bp_run, struct_size, 0);
AT(bp_run, flags, 4);
AT(bp_run, run_id, 8);
AT(bp_run, io_epoch, 16);
AT(bp_run, reserved0, 20);
AT(bp_run, stream, 24);
AT(bp_run, wait_event, 32);
AT(bp_run, signal_event, 40);
AT(bp_run, cancel, 48);
AT(bp_run, deadline_ns, 56);
AT(bp_run, prof, 64);

SIZE(bp_shape, 16);
AT(bp_shape, dims, 0);
AT(bp_shape, rank, 8);
AT(bp_shape, dtype, 12);

SIZE(bp_in_place, 8);
AT(bp_in_place, in, 0);
AT(bp_in_place, out, 4);

SIZE(bp_frame_desc, 80);
AT(bp_frame_desc, struct_size, 0);
AT(bp_frame_desc, flags, 4);
AT(bp_frame_desc, n_in, 8);
AT(bp_frame_desc, n_out, 12);
AT(bp_frame_desc, n_shapes, 16);
AT(bp_frame_desc, reserved0, 20);
AT(bp_frame_desc, in, 24);
AT(bp_frame_desc, out, 32);
AT(bp_frame_desc, shapes, 40);
AT(bp_frame_desc, scratch, 48);
AT(bp_frame_desc, h, 56);
AT(bp_frame_desc, alloc_output, 64);
AT(bp_frame_desc, scratch_offset, 72);

SIZE(bp_frame_needs, 56);
AT(bp_frame_needs, struct_size, 0);
AT(bp_frame_needs, flags, 4);
AT(bp_frame_needs, scratch_bytes, 8);
AT(bp_frame_needs, scratch_align, 16);
AT(bp_frame_needs, scratch_space, 24);
AT(bp_frame_needs, io_align, 28);
AT(bp_frame_needs, in_slack, 32);
AT(bp_frame_needs, out_slack, 36);
AT(bp_frame_needs, n_in_place, 40);
AT(bp_frame_needs, reserved0, 44);
AT(bp_frame_needs, in_place, 48);

SIZE(bp_compile, 24);
AT(bp_compile, struct_size, 0);
AT(bp_compile, flags, 4);
AT(bp_compile, device, 8);
AT(bp_compile, reserved0, 12);
AT(bp_compile, name, 16);

SIZE(bp_program_info, 16);
AT(bp_program_info, struct_size, 0);
AT(bp_program_info, max_frames, 4);
AT(bp_program_info, frame_bytes, 8);

SIZE(bp_instance_memory, 40);
AT(bp_instance_memory, struct_size, 0);
AT(bp_instance_memory, reserved0, 4);
AT(bp_instance_memory, host_caches, 16);
AT(bp_instance_memory, host_weights, 8);
AT(bp_instance_memory, device_caches, 32);
AT(bp_instance_memory, device_weights, 24);

SIZE(bp_sink, 24);
AT(bp_sink, struct_size, 0);
AT(bp_sink, reserved0, 4);
AT(bp_sink, h, 8);
AT(bp_sink, write, 16);

SIZE(bp_copy, 16);
AT(bp_copy, dst, 0);
AT(bp_copy, src, 8);

SIZE(bp_device_ops, 104);
AT(bp_device_ops, struct_size, 0);
AT(bp_device_ops, flags, 4);
AT(bp_device_ops, alloc, 8);
AT(bp_device_ops, free, 16);
AT(bp_device_ops, copy, 24);
AT(bp_device_ops, stream_create, 32);
AT(bp_device_ops, stream_destroy, 40);
AT(bp_device_ops, event_create, 48);
AT(bp_device_ops, event_destroy, 56);
AT(bp_device_ops, event_record, 64);
AT(bp_device_ops, stream_wait, 72);
AT(bp_device_ops, event_wait, 80);
AT(bp_device_ops, event_notify, 88);
AT(bp_device_ops, event_signal, 96);

SIZE(bp_provider, 224);
AT(bp_provider, struct_size, 0);
AT(bp_provider, flags, 4);
AT(bp_provider, id, 8);
AT(bp_provider, name, 16);
AT(bp_provider, version, 24);
AT(bp_provider, vendor, 32);
AT(bp_provider, options, 40);
AT(bp_provider, n_options, 48);
AT(bp_provider, option_stride, 52);
AT(bp_provider, dev, 56);
AT(bp_provider, is_available, 64);
AT(bp_provider, device, 72);
AT(bp_provider, create, 80);
AT(bp_provider, destroy, 88);
AT(bp_provider, set_option, 96);
AT(bp_provider, fingerprint, 104);
AT(bp_provider, capability, 112);
AT(bp_provider, compile, 120);
AT(bp_provider, load, 128);
AT(bp_provider, save, 136);
AT(bp_provider, program_free, 144);
AT(bp_provider, frame_create, 152);
AT(bp_provider, frame_free, 160);
AT(bp_provider, execute, 168);
AT(bp_provider, extension, 176);
AT(bp_provider, program_info, 184);
AT(bp_provider, memory, 192);
AT(bp_provider, trim, 200);
AT(bp_provider, schemas, 208);
AT(bp_provider, n_schemas, 216);
AT(bp_provider, schema_stride, 220);

SIZE(bp_module, 48);
AT(bp_module, struct_size, 0);
AT(bp_module, abi_major, 4);
AT(bp_module, abi_minor, 6);
AT(bp_module, magic, 8);
AT(bp_module, flags, 12);
AT(bp_module, build, 16);
AT(bp_module, providers, 24);
AT(bp_module, n_providers, 32);
AT(bp_module, reserved0, 36);
AT(bp_module, teardown, 40);

SIZE(bp_env_config, 128);
AT(bp_env_config, struct_size, 0);
AT(bp_env_config, flags, 4);
AT(bp_env_config, log_level, 8);
AT(bp_env_config, threads, 12);
AT(bp_env_config, log, 16);
AT(bp_env_config, log_user, 24);
AT(bp_env_config, provider_dirs, 32);
AT(bp_env_config, n_provider_dirs, 40);
AT(bp_env_config, probe, 44);
AT(bp_env_config, probe_helper, 48);
AT(bp_env_config, probe_timeout_ms, 56);
AT(bp_env_config, reserved0, 60);
AT(bp_env_config, registry, 64);
AT(bp_env_config, allow, 72);
AT(bp_env_config, deps, 76);
AT(bp_env_config, allow_dir, 80);
AT(bp_env_config, allow_fn, 88);
AT(bp_env_config, allow_user, 96);
AT(bp_env_config, workers, 104);
AT(bp_env_config, memory_limit, 112);
AT(bp_env_config, default_providers, 120);

SIZE(bp_env_stats, 64);
AT(bp_env_stats, struct_size, 0);
AT(bp_env_stats, n_sessions, 4);
AT(bp_env_stats, memory_limit, 8);
AT(bp_env_stats, held_bytes, 16);
AT(bp_env_stats, idle_bytes, 24);
AT(bp_env_stats, beside_bytes, 32);
AT(bp_env_stats, peak_bytes, 40);
AT(bp_env_stats, device_bytes, 48);
AT(bp_env_stats, runs, 56);

SIZE(bp_processors, 16);
AT(bp_processors, list, 0);
AT(bp_processors, n, 8);
AT(bp_processors, reserved0, 12);

SIZE(bp_worker_config, 40);
AT(bp_worker_config, struct_size, 0);
AT(bp_worker_config, n_affinities, 4);
AT(bp_worker_config, affinities, 8);
AT(bp_worker_config, create, 16);
AT(bp_worker_config, join, 24);
AT(bp_worker_config, user, 32);

SIZE(bp_allocator, 32);
AT(bp_allocator, struct_size, 0);
AT(bp_allocator, reserved0, 4);
AT(bp_allocator, alloc, 8);
AT(bp_allocator, free, 16);
AT(bp_allocator, user, 24);

SIZE(bp_key_value, 16);
AT(bp_key_value, key, 0);
AT(bp_key_value, value, 8);

SIZE(bp_operator_info, 72);
AT(bp_operator_info, struct_size, 0);
AT(bp_operator_info, flags, 4);
AT(bp_operator_info, since, 8);
AT(bp_operator_info, until, 12);
AT(bp_operator_info, op, 16);
AT(bp_operator_info, domain, 24);
AT(bp_operator_info, params, 32);
AT(bp_operator_info, types, 40);
AT(bp_operator_info, taken, 48);
AT(bp_operator_info, conditional, 56);
AT(bp_operator_info, family, 64);
AT(bp_operator_info, reserved0, 68);

SIZE(bp_provider_info, 112);
AT(bp_provider_info, struct_size, 0);
AT(bp_provider_info, stage, 4);
AT(bp_provider_info, code, 8);
AT(bp_provider_info, n_options, 12);
AT(bp_provider_info, name, 16);
AT(bp_provider_info, id, 24);
AT(bp_provider_info, version, 32);
AT(bp_provider_info, vendor, 40);
AT(bp_provider_info, file, 48);
AT(bp_provider_info, reason, 56);
AT(bp_provider_info, fix, 64);
AT(bp_provider_info, options, 72);
AT(bp_provider_info, option_stride, 80);
AT(bp_provider_info, n_devices, 84);
AT(bp_provider_info, states, 88);
AT(bp_provider_info, n_schemas, 92);
AT(bp_provider_info, schemas, 96);
AT(bp_provider_info, schema_stride, 104);
AT(bp_provider_info, reserved0, 108);

SIZE(bp_known_provider, 64);
AT(bp_known_provider, struct_size, 0);
AT(bp_known_provider, home, 4);
AT(bp_known_provider, flags, 8);
AT(bp_known_provider, states, 12);
AT(bp_known_provider, name, 16);
AT(bp_known_provider, note, 24);
AT(bp_known_provider, stage, 32);
AT(bp_known_provider, code, 36);
AT(bp_known_provider, file, 40);
AT(bp_known_provider, reason, 48);
AT(bp_known_provider, fix, 56);

SIZE(bp_dim_info, 16);
AT(bp_dim_info, value, 0);
AT(bp_dim_info, symbol, 8);

SIZE(bp_io_info, 40);
AT(bp_io_info, struct_size, 0);
AT(bp_io_info, dtype, 4);
AT(bp_io_info, rank, 8);
AT(bp_io_info, flags, 12);
AT(bp_io_info, name, 16);
AT(bp_io_info, dims, 24);
AT(bp_io_info, type, 32);

SIZE(bp_op_info, 32);
AT(bp_op_info, struct_size, 0);
AT(bp_op_info, count, 4);
AT(bp_op_info, op, 8);
AT(bp_op_info, domain, 16);
AT(bp_op_info, opset, 24);
AT(bp_op_info, since, 28);

SIZE(bp_model_info, 136);
AT(bp_model_info, struct_size, 0);
AT(bp_model_info, n_inputs, 4);
AT(bp_model_info, n_outputs, 8);
AT(bp_model_info, n_nodes, 12);
AT(bp_model_info, n_ops, 16);
AT(bp_model_info, n_opsets, 20);
AT(bp_model_info, n_metadata, 24);
AT(bp_model_info, n_external, 28);
AT(bp_model_info, ir_version, 32);
AT(bp_model_info, model_version, 40);
AT(bp_model_info, producer, 48);
AT(bp_model_info, producer_version, 56);
AT(bp_model_info, domain, 64);
AT(bp_model_info, doc, 72);
AT(bp_model_info, graph_name, 80);
AT(bp_model_info, file_bytes, 88);
AT(bp_model_info, weight_bytes, 96);
AT(bp_model_info, n_weights, 104);
AT(bp_model_info, n_functions, 112);
AT(bp_model_info, format, 120);
AT(bp_model_info, format_version, 124);
AT(bp_model_info, graph_doc, 128);

SIZE(bp_binding, 64);
AT(bp_binding, index, 0);
AT(bp_binding, reserved0, 4);
AT(bp_binding, tensor, 8);
AT(bp_binding, object, 56);

SIZE(bp_type_info, 16);
AT(bp_type_info, kind, 0);
AT(bp_type_info, dtype, 4);
AT(bp_type_info, item, 8);

SIZE(bp_run_options, 48);
AT(bp_run_options, struct_size, 0);
AT(bp_run_options, flags, 4);
AT(bp_run_options, cancel, 8);
AT(bp_run_options, timeout_ns, 16);
AT(bp_run_options, profile, 24);
AT(bp_run_options, deadline_ns, 32);
AT(bp_run_options, state, 40);

SIZE(bp_profile_event, 72);
AT(bp_profile_event, struct_size, 0);
AT(bp_profile_event, kind, 4);
AT(bp_profile_event, start_ns, 8);
AT(bp_profile_event, end_ns, 16);
AT(bp_profile_event, run_id, 24);
AT(bp_profile_event, name, 32);
AT(bp_profile_event, op, 40);
AT(bp_profile_event, provider, 48);
AT(bp_profile_event, node, 56);
AT(bp_profile_event, n_nodes, 60);
AT(bp_profile_event, thread, 64);
AT(bp_profile_event, reserved0, 68);

SIZE(bp_run_shapes, 16);
AT(bp_run_shapes, inputs, 0);
AT(bp_run_shapes, n_inputs, 8);
AT(bp_run_shapes, reserved0, 12);

SIZE(bp_prepare_options, 48);
AT(bp_prepare_options, struct_size, 0);
AT(bp_prepare_options, n_runs, 4);
AT(bp_prepare_options, cancel, 8);
AT(bp_prepare_options, deadline_ns, 16);
AT(bp_prepare_options, progress, 24);
AT(bp_prepare_options, progress_user, 32);
AT(bp_prepare_options, n_unprepared, 40);
AT(bp_prepare_options, reserved0, 44);

SIZE(bp_named_shape, 24);
AT(bp_named_shape, name, 0);
AT(bp_named_shape, dims, 8);
AT(bp_named_shape, rank, 16);
AT(bp_named_shape, dtype, 20);

SIZE(bp_session_stats, 80);
AT(bp_session_stats, struct_size, 0);
AT(bp_session_stats, n_groups, 4);
AT(bp_session_stats, runs, 8);
AT(bp_session_stats, crossings, 16);
AT(bp_session_stats, idle_frames, 24);
AT(bp_session_stats, idle_bytes, 32);
AT(bp_session_stats, create_ns, 40);
AT(bp_session_stats, held_bytes, 48);
AT(bp_session_stats, peak_bytes, 56);
AT(bp_session_stats, device_bytes, 64);
AT(bp_session_stats, host_waits, 72);

SIZE(bp_memory_use, 104);
AT(bp_memory_use, struct_size, 0);
AT(bp_memory_use, reserved0, 4);
AT(bp_memory_use, provider, 8);
AT(bp_memory_use, held_bytes, 16);
AT(bp_memory_use, idle_bytes, 24);
AT(bp_memory_use, peak_bytes, 32);
AT(bp_memory_use, own_held_bytes, 40);
AT(bp_memory_use, own_idle_bytes, 48);
AT(bp_memory_use, own_peak_bytes, 56);
AT(bp_memory_use, untouched_bytes, 64);
AT(bp_memory_use, weight_bytes, 72);
AT(bp_memory_use, cache_bytes, 80);
AT(bp_memory_use, own_weight_bytes, 88);
AT(bp_memory_use, own_cache_bytes, 96);

SIZE(bp_report_provider, 120);
AT(bp_report_provider, struct_size, 0);
AT(bp_report_provider, stage, 4);
AT(bp_report_provider, code, 8);
AT(bp_report_provider, fallback, 12);
AT(bp_report_provider, name, 16);
AT(bp_report_provider, version, 24);
AT(bp_report_provider, file, 32);
AT(bp_report_provider, reason, 40);
AT(bp_report_provider, fix, 48);
AT(bp_report_provider, n_claimed, 56);
AT(bp_report_provider, n_nodes, 60);
AT(bp_report_provider, n_groups, 64);
AT(bp_report_provider, states, 68);
AT(bp_report_provider, n_costly, 72);
AT(bp_report_provider, known, 76);
AT(bp_report_provider, weight_bytes, 80);
AT(bp_report_provider, peak_bytes, 88);
AT(bp_report_provider, run_ns, 96);
AT(bp_report_provider, copy_ns, 104);
AT(bp_report_provider, is_uninterruptible, 112);
AT(bp_report_provider, named_by, 116);

SIZE(bp_report_node, 64);
AT(bp_report_node, struct_size, 0);
AT(bp_report_node, provider, 4);
AT(bp_report_node, group, 8);
AT(bp_report_node, n_refusals, 12);
AT(bp_report_node, name, 16);
AT(bp_report_node, op, 24);
AT(bp_report_node, domain, 32);
AT(bp_report_node, path, 40);
AT(bp_report_node, rule, 48);
AT(bp_report_node, stands_for, 56);

SIZE(bp_report_option, 24);
AT(bp_report_option, struct_size, 0);
AT(bp_report_option, origin, 4);
AT(bp_report_option, key, 8);
AT(bp_report_option, value, 16);

SIZE(bp_report_pass, 48);
AT(bp_report_pass, struct_size, 0);
AT(bp_report_pass, level, 4);
AT(bp_report_pass, is_exact, 8);
AT(bp_report_pass, n_matches, 12);
AT(bp_report_pass, n_before, 16);
AT(bp_report_pass, n_after, 20);
AT(bp_report_pass, ns, 24);
AT(bp_report_pass, name, 32);
AT(bp_report_pass, help, 40);

SIZE(bp_report_refusal, 32);
AT(bp_report_refusal, struct_size, 0);
AT(bp_report_refusal, provider, 4);
AT(bp_report_refusal, reason, 8);
AT(bp_report_refusal, reserved0, 12);
AT(bp_report_refusal, subject, 16);
AT(bp_report_refusal, text, 24);

SIZE(bp_report_group, 128);
AT(bp_report_group, struct_size, 0);
AT(bp_report_group, provider, 4);
AT(bp_report_group, n_nodes, 8);
AT(bp_report_group, n_inputs, 12);
AT(bp_report_group, n_outputs, 16);
AT(bp_report_group, n_copies, 20);
AT(bp_report_group, copy_bytes, 24);
AT(bp_report_group, path, 32);
AT(bp_report_group, known, 40);
AT(bp_report_group, device, 44);
AT(bp_report_group, weight_bytes, 48);
AT(bp_report_group, run_bytes, 56);
AT(bp_report_group, run_ns, 64);
AT(bp_report_group, copy_ns, 72);
AT(bp_report_group, device_id, 80);
AT(bp_report_group, program, 88);
AT(bp_report_group, max_frames, 92);
AT(bp_report_group, program_ns, 96);
AT(bp_report_group, cache, 104);
AT(bp_report_group, frame_bytes, 112);
AT(bp_report_group, n_unsized_copies, 120);

SIZE(bp_cache_file, 80);
AT(bp_cache_file, struct_size, 0);
AT(bp_cache_file, code, 4);
AT(bp_cache_file, file, 8);
AT(bp_cache_file, reason, 16);
AT(bp_cache_file, provider, 24);
AT(bp_cache_file, version, 32);
AT(bp_cache_file, group, 40);
AT(bp_cache_file, host, 48);
AT(bp_cache_file, bytes, 56);
AT(bp_cache_file, used, 64);
AT(bp_cache_file, model, 72);

#endif

#define IS(name, value) _Static_assert((name) == (value), #name " changed")

IS(BP_OK, 0);
IS(BP_PENDING, 1);
IS(BP_E_INVALID, -1);
IS(BP_E_UNSUPPORTED, -2);
IS(BP_E_UNAVAILABLE, -3);
IS(BP_E_OPTION, -4);
IS(BP_E_NOMEM, -5);
IS(BP_E_SHAPE, -6);
IS(BP_E_STALE, -7);
IS(BP_E_CANCELLED, -8);
IS(BP_E_TIMEOUT, -9);
IS(BP_E_BUSY, -10);
IS(BP_E_DEVICE_LOST, -11);
IS(BP_E_IO, -12);
IS(BP_E_VERSION, -13);
IS(BP_E_INTERNAL, -14);
IS(BP_E_SPACE, -15);
IS(BP_DTYPE_NONE, 0);
IS(BP_DTYPE_F32, 1);
IS(BP_DTYPE_U8, 2);
IS(BP_DTYPE_I8, 3);
IS(BP_DTYPE_U16, 4);
IS(BP_DTYPE_I16, 5);
IS(BP_DTYPE_I32, 6);
IS(BP_DTYPE_I64, 7);
IS(BP_DTYPE_STRING, 8);
IS(BP_DTYPE_BOOL, 9);
IS(BP_DTYPE_F16, 10);
IS(BP_DTYPE_F64, 11);
IS(BP_DTYPE_U32, 12);
IS(BP_DTYPE_U64, 13);
IS(BP_DTYPE_C64, 14);
IS(BP_DTYPE_C128, 15);
IS(BP_DTYPE_BF16, 16);
IS(BP_DTYPE_F8E4M3FN, 17);
IS(BP_DTYPE_F8E4M3FNUZ, 18);
IS(BP_DTYPE_F8E5M2, 19);
IS(BP_DTYPE_F8E5M2FNUZ, 20);
IS(BP_DTYPE_U4, 21);
IS(BP_DTYPE_I4, 22);
IS(BP_DTYPE_F4E2M1, 23);
IS(BP_DTYPE_F8E8M0, 24);
IS(BP_DTYPE_U2, 25);
IS(BP_DTYPE_I2, 26);
IS(BP_SPACE_HOST, 0);
IS(BP_OPT_STRING, 1);
IS(BP_OPT_INT, 2);
IS(BP_OPT_FLOAT, 3);
IS(BP_OPT_BOOL, 4);
IS(BP_OPT_CHOICE, 5);
IS(BP_OPTION_REQUIRED, 1);
IS(BP_OPTION_DYNAMIC, 2);
IS(BP_OPTION_DEPRECATED, 4);
IS(BP_OPTION_SECRET, 8);
IS(BP_DIM_FROM_DATA, 1);
IS(BP_VALUE_CONSTANT, 1);
IS(BP_VALUE_INPUT, 2);
IS(BP_VALUE_OUTPUT, 4);
IS(BP_VALUE_CAPTURED, 8);
IS(BP_ATTR_FLOAT, 1);
IS(BP_ATTR_INT, 2);
IS(BP_ATTR_STRING, 3);
IS(BP_ATTR_TENSOR, 4);
IS(BP_ATTR_GRAPH, 5);
IS(BP_ATTR_LIST, 1);
IS(BP_NO, 0);
IS(BP_YES, 1);
IS(BP_ONLY_IN_GROUP, 2);
IS(BP_R_NONE, 0);
IS(BP_R_OP, 1);
IS(BP_R_OPSET, 2);
IS(BP_R_DTYPE, 3);
IS(BP_R_RANK, 4);
IS(BP_R_DYNAMIC_SHAPE, 5);
IS(BP_R_ATTRIBUTE, 6);
IS(BP_R_NOT_CONSTANT, 7);
IS(BP_R_MEMORY, 8);
IS(BP_R_DEVICE_FEATURE, 9);
IS(BP_R_CONTROL_FLOW, 10);
IS(BP_R_NOT_PROFITABLE, 11);
IS(BP_R_OPTION, 12);
IS(BP_R_OTHER, 13);
IS(BP_LOG_ERROR, 1);
IS(BP_LOG_WARN, 2);
IS(BP_LOG_INFO, 3);
IS(BP_LOG_DEBUG, 4);
IS(BP_AVAIL_UNKNOWN, 0);
IS(BP_AVAIL_YES, 1);
IS(BP_AVAIL_NO, 2);
IS(BP_DEVICE_CPU, 1);
IS(BP_DEVICE_GPU, 2);
IS(BP_DEVICE_NPU, 3);
IS(BP_DEVICE_OTHER, 4);
IS(BP_PROVIDER_CONCURRENT_FRAMES, 1);
IS(BP_PROVIDER_UNLOADABLE, 2);
IS(BP_PROVIDER_SUBGRAPHS, 4);
IS(BP_PROVIDER_CONTEXTS, 8);
IS(BP_PROVIDER_ANY_OPTION, 16);
IS(BP_PROVIDER_UNINTERRUPTIBLE, 32);
IS(BP_PROVIDER_FORK_SAFE, 64);
IS(BP_PROVIDER_RUN_EVENTS, 128);
IS(BP_PROVIDER_NHWC, 256);
IS(BP_COMPILE_SAVE, 1);
IS(BP_COMPILE_CONTEXT, 2);
IS(BP_DEV_COPY_DIRECT, 1);
IS(BP_EVENT_MANUAL, 1);
IS(BP_ENV_IGNORE_VARIABLES, 1);
IS(BP_ENV_HERMETIC, 2);
IS(BP_ENV_STRICT, 4);
IS(BP_PROBE_AUTO, 1);
IS(BP_PROBE_ALWAYS, 2);
IS(BP_PROBE_OFF, 3);
IS(BP_FALLBACK_DEFAULT, 0);
IS(BP_FALLBACK_SILENT, 1);
IS(BP_FALLBACK_WARN, 2);
IS(BP_FALLBACK_REQUIRE, 3);
IS(BP_STAGE_NONE, 0);
IS(BP_STAGE_FOUND, 1);
IS(BP_STAGE_SECURITY, 2);
IS(BP_STAGE_MANIFEST, 3);
IS(BP_STAGE_ARCH, 4);
IS(BP_STAGE_ISA, 5);
IS(BP_STAGE_ABI, 6);
IS(BP_STAGE_POLICY, 7);
IS(BP_STAGE_QUARANTINE, 8);
IS(BP_STAGE_DEPENDENCIES, 9);
IS(BP_STAGE_OPEN, 10);
IS(BP_STAGE_ENTRY, 11);
IS(BP_STAGE_AVAILABLE, 12);
IS(BP_STAGE_OPTIONS, 13);
IS(BP_STAGE_CREATE, 14);
IS(BP_STAGE_CAPABILITY, 15);
IS(BP_STAGE_COST, 16);
IS(BP_STAGE_COMPILE, 17);
IS(BP_STAGE_RUN, 18);
IS(BP_HOME_HERE, 1);
IS(BP_HOME_ELSEWHERE, 2);
IS(BP_HOME_GONE, 3);
IS(BP_KNOWN_SUPPORTED, 1);
IS(BP_KNOWN_FILE, 2);
IS(BP_KNOWN_LINKED, 4);
IS(BP_KNOWN_LINKABLE, 8);
IS(BP_IO_OPTIONAL, 1);

int main(void)
{
    return 0;
}
