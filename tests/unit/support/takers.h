/* SPDX-License-Identifier: MIT */
/* takers.h - providers for tests of plan/: each takes nodes by the first letter of their names. */
#ifndef BP_TESTS_TAKERS_H
#define BP_TESTS_TAKERS_H

#include "plan/make_partition.h"
#include "support/graphs.h"

enum { MOST_TAKERS = 4 };

struct bp_instance {
    const char *takes;   /* first letters of nodes that it takes */
    const char *only;    /* those that it takes only beside one of the others */
    bp_rc fails;         /* what capability returns, after it has answered */
    uint32_t beyond;     /* answers for so many nodes too many */
    const char *second;  /* those that it puts on its device 1 */
    bool twice;          /* refuses every node first, then answers */
    const bp_cost *cost; /* what it says of each node, or NULL */
};

/* A sealed, inferred and partitioned graph. */
struct takers {
    struct graphs g;
    struct bp_instance instances[MOST_TAKERS];
    struct bp_asked asked[MOST_TAKERS];
    struct bp_ask_failure failed[MOST_TAKERS];
    uint32_t n_asked;
    struct bp_fact *facts;
    struct bp_partition part;
    struct bp_region region; /* of the partition */
    const char *special;     /* a node whose schema takers_divide() sets */
    const struct bp_schema *schema;
};

void takers_setup(struct takers *t);
void takers_teardown(struct takers *t);
struct bp_instance *takers_add(struct takers *t, const char *name, const char *takes);
/* The same, with memory of its own. */
struct bp_instance *takers_add_device(struct takers *t, const char *name, const char *takes);
/* Seals t->g, infers and partitions; fails the test when that fails. */
void takers_divide(struct takers *t);
/* Index of a node of the main graph by name. */
uint32_t takers_node(const struct takers *t, const char *name);
/* "a1 b1|c1": nodes of the groups in their order, a bar between groups. */
const char *takers_groups(const struct takers *t);

#endif
