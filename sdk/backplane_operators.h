/* SPDX-License-Identifier: MIT */
/*
 * backplane_operators.h - operators that an application defines at run time; part of backplane.h.
 *
 * A set holds definitions: name and domain, from which version on, what goes in and out, how the
 * sizes of outputs follow from inputs, and a kernel. Sessions that are given the set run nodes of
 * these operators as they run all others: in any place of a model, in subgraphs of loops too,
 * planned, reported and refused in the same words.
 *
 *     static bp_rc twice(void *kernel, bp_operator_call *call, bp_err *err)
 *     {
 *         const bp_tensor *x = bp_operator_input(call, 0);
 *         bp_tensor *y;
 *         bp_rc rc = bp_operator_size_output(call, 0, x->rank, x->dims, &y, err);
 *         ...
 *     }
 *
 *     bp_operand x = {.name = "X", .types = 1u << BP_DTYPE_F32};
 *     bp_operand y = {.name = "Y", .types = 1u << BP_DTYPE_F32};
 *     bp_operator_def def = {.struct_size = sizeof def, .domain = "com.example", .name = "Twice",
 *                            .since = 1, .in = &x, .n_in = 1, .out = &y, .n_out = 1,
 *                            .compute = twice};
 *
 *     bp_operators_create(&set, &err);
 *     bp_operators_add(set, &def, &err);
 *     bp_session_options_add_operators(options, set, &err);
 *     bp_operators_release(set);
 *
 * Which version of an operator a node means is decided by the model's import of its domain, as for
 * ONNX's own: the newest that is not newer. A domain that the model does not import is an error.
 * Values are tensors, and where an operand says so sequences of tensors and optionals; maps and sparse
 * tensors do not reach an operator of an application. bp_operand.kinds has bits 1 << BP_KIND_*: of an
 * input all that it takes (0: tensors), of an output the one that it gives, or BP_KIND_OPTIONAL with
 * BP_KIND_SEQUENCE for an optional sequence. `types` are then those of the tensors inside.
 * A function that the model itself defines wins over an operator of the same name.
 */
#ifndef BACKPLANE_OPERATORS_H
#define BACKPLANE_OPERATORS_H

#include <backplane.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bp_operators bp_operators;             /* a set; counted */
typedef struct bp_operator_shapes bp_operator_shapes; /* a node whose shapes are asked for */
typedef struct bp_operator_call bp_operator_call;     /* a node that is being run */

/*
 * A node of the operator, as a kernel is made from it. All of it lives until the kernel is
 * destroyed; what `claim` sees, for the call. The helpers of bp/sdk.h read it: bp_node_attr(),
 * bp_node_int(), bp_node_in() and so on.
 */
typedef struct bp_operator_node {
    uint32_t struct_size;
    uint32_t reserved0;
    const bp_graph *graph;
    const bp_node *node;
    const bp_tensor *const
        *constants; /* one an input: its constant, or NULL. For claim: all NULL */
} bp_operator_node;

enum {
    /*
     * The domain belongs to ONNX or to this host, and that is known: a new name there, or an
     * operator that takes the place of theirs. Without it such a definition is refused.
     */
    BP_OPERATOR_REPLACE = 1u << 0
};

/*
 * A definition; copied, but for what `user` points to. Slots marked (opt) may be NULL. Functions in
 * C++ may throw: what fails then is BP_E_INTERNAL, with what() in its words; `destroy` and
 * `release` give a line of the log. An exception in a function of bp_operator_parallel_for() fails
 * the kernel.
 */
typedef struct bp_operator_def {
    uint32_t struct_size;
    uint32_t flags; /* BP_OPERATOR_REPLACE */
    const char *domain, *name;
    uint32_t since, until; /* versions of the domain; until 0: and all later ones */
    const bp_operand *in, *out;
    uint32_t n_in, n_out;
    void *user;
    void (*release)(void *user); /* (opt) the set has gone, or refused the definition */

    /*
     * (opt: yes) [any thread] Would a kernel be made for the node? An error refuses it, and its
     * words are the reason in reports. Element types have been checked by then.
     */
    bp_rc (*claim)(void *user, const bp_operator_node *node, bp_err *err);
    /*
     * (opt: every size comes with the data) [any thread] Sets the outputs from the inputs, once
     * with sizes that may be unknown and before runs with exact ones. It must depend on nothing
     * else.
     */
    bp_rc (*shapes)(void *user, bp_operator_shapes *shapes, bp_err *err);
    /* (opt: the kernel is `user`) [any thread] */
    bp_rc (*create)(void *user, const bp_operator_node *node, void **kernel, bp_err *err);
    /*
     * [any thread] Runs of one session that overlap call it for one kernel at the same time: what
     * changes belongs on the stack. Every output that is there has to be written.
     */
    bp_rc (*compute)(void *kernel, bp_operator_call *call, bp_err *err);
    void (*destroy)(void *kernel); /* (opt) for kernels of `create`; no run is in flight */
} bp_operator_def;

/* ---- sets ------------------------------------------------------------------------------------ */

/* An empty set. *out is the caller's, to bp_operators_release(). BP_E_NOMEM. [any thread] */
BP_API bp_rc bp_operators_create(bp_operators **out, bp_err *err) BP_CHECKED;
/*
 * Adds a definition. BP_E_INVALID: no sound one (a name, domain, version, compute or operand is
 * missing or wrong), one that is there already, one in a foreign domain without
 * BP_OPERATOR_REPLACE, or the set is in use by a session, or as one of the environment by a model.
 * On failure `release` has been called.
 */
BP_API bp_rc bp_operators_add(bp_operators *set, const bp_operator_def *def,
                              bp_err *err) BP_CHECKED;
/*
 * Adds functions of ordinary C libraries, as a text file declares them; backplane(1), "BIND FILES",
 * has its form. The set keeps the libraries open. BP_E_IO: no such file or library; BP_E_INVALID: a
 * line is wrong, or its function is not there (the error names file, line and column); BP_E_UNSUPPORTED:
 * built without libffi. On failure the operators of lines before are in the set.
 */
BP_API bp_rc bp_operators_bind(bp_operators *set, const char *path, bp_err *err) BP_CHECKED;
/*
 * Gives the caller's reference back; options and sessions keep theirs. NULL is fine. [any thread]
 */
BP_API void bp_operators_release(bp_operators *set);

/*
 * Gives the set to sessions that are made with the options, or to all of the environment. A
 * session's own sets come before the environment's; one operator in two sets of the same kind is
 * an error when the session is made. Adds a reference.
 */
BP_API bp_rc bp_session_options_add_operators(bp_session_options *options, bp_operators *set,
                                              bp_err *err) BP_CHECKED;
/* The same for all sessions of an environment. [any thread] */
BP_API bp_rc bp_env_add_operators(bp_env *env, bp_operators *set, bp_err *err) BP_CHECKED;

/* ---- for the shapes callback; everything lives for the call ---------------------------------- */

/* How many inputs and outputs the node has. */
BP_API uint32_t bp_operator_shapes_inputs(const bp_operator_shapes *shapes);
BP_API uint32_t bp_operator_shapes_outputs(const bp_operator_shapes *shapes);
/* Input i; an absent one has neither type nor rank. The caller sets out->struct_size. */
BP_API bp_rc bp_operator_shapes_input(bp_operator_shapes *shapes, uint32_t i, bp_operator_fact *out,
                                      bp_err *err) BP_CHECKED;
/* Attribute of the node, or NULL. */
BP_API const bp_attr *bp_operator_shapes_attr(const bp_operator_shapes *shapes, const char *name);
/* The model's name for a bp_dim.symbol; "" when it has none. */
BP_API const char *bp_operator_shapes_symbol(const bp_operator_shapes *shapes, uint32_t symbol);
/*
 * Sets output i, a tensor; of others, the element type inside. dtype BP_DTYPE_NONE: as the operand says. A size is a number, or -1 with the
 * symbol of an input's size; -1 without one, as rank BP_RANK_UNKNOWN, comes with the data: compute
 * says it. An output that the node does not have is ignored.
 */
BP_API bp_rc bp_operator_shapes_set(bp_operator_shapes *shapes, uint32_t i, uint32_t dtype,
                                    uint32_t rank, const bp_dim *dims, bp_err *err) BP_CHECKED;

/* ---- for compute; everything lives for the call, on the thread that was called --------------- */

/* How many inputs and outputs the node has. */
BP_API uint32_t bp_operator_inputs(const bp_operator_call *call);
BP_API uint32_t bp_operator_outputs(const bp_operator_call *call);
/* Input i; NULL: absent, or a sequence or optional. Strings are bp_span. */
BP_API const bp_tensor *bp_operator_input(const bp_operator_call *call, uint32_t i);
/* Input i where it is a sequence or an optional, to be read by bp_object_*(); NULL: it is none. */
BP_API const bp_object *bp_operator_input_object(const bp_operator_call *call, uint32_t i);
/* Output i where it has a size by now; NULL: absent, or bp_operator_size_output() comes first. */
BP_API bp_tensor *bp_operator_output(const bp_operator_call *call, uint32_t i);
/* Is output i wanted? An absent one need not be computed. */
BP_API uint32_t bp_operator_wants(const bp_operator_call *call, uint32_t i);
/*
 * The tensor that the run's caller brings for output i, with its sizes if the caller has set them;
 * NULL: none, or the output is not an output of the model. What has the same element type and fits then
 * lies in its memory, unless that is badly aligned; strings never do.
 */
BP_API const bp_tensor *bp_operator_given(const bp_operator_call *call, uint32_t i);
/*
 * Says the size of output i and gets its storage; *out is NULL for an absent one. Where `shapes`
 * has said the size, it must be the same. Elements are undefined, strings empty. The last call
 * counts.
 */
BP_API bp_rc bp_operator_size_output(bp_operator_call *call, uint32_t i, uint32_t rank,
                                     const int64_t *dims, bp_tensor **out, bp_err *err) BP_CHECKED;
/* Sets string `index` of output i to a copy of the text. */
BP_API bp_rc bp_operator_set_text(bp_operator_call *call, uint32_t i, size_t index,
                                  const void *text, size_t size, bp_err *err) BP_CHECKED;
/*
 * Gives output i, which is a sequence or an optional, this value; the caller's reference goes to the
 * host, also on failure and where the output is absent. The last call counts. BP_E_INVALID: the output
 * is a tensor, or the value is of another kind or element type than the operator says.
 */
BP_API bp_rc bp_operator_set_object(bp_operator_call *call, uint32_t i, bp_object *object,
                                    bp_err *err) BP_CHECKED;
/* Threads that bp_operator_parallel_for() uses at most. */
BP_API uint32_t bp_operator_threads(const bp_operator_call *call);
/* As bp_host.parallel_for; nested calls run on the thread that makes them. */
BP_API void bp_operator_parallel_for(bp_operator_call *call, uint32_t n,
                                     void (*fn)(void *u, uint32_t i, uint32_t worker), void *u);
/* Is the run to stop? Then return BP_E_CANCELLED. [any thread] */
BP_API uint32_t bp_operator_is_cancelled(const bp_operator_call *call);

#ifdef __cplusplus
}
#endif

#endif
