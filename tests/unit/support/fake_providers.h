/* SPDX-License-Identifier: MIT */
/* fake_providers.h - providers for tests of plan/: each takes nodes by the first letter of their names. */
#ifndef BP_TESTS_FAKE_PROVIDERS_H
#define BP_TESTS_FAKE_PROVIDERS_H

#include "plan/make_partition.h"
#include "support/graphs.h"

enum { MAX_FAKES = 4 };

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
struct fakes {
    struct graphs g;
    struct bp_instance instances[MAX_FAKES];
    struct bp_asked asked[MAX_FAKES];
    struct bp_ask_failure failed[MAX_FAKES];
    uint32_t n_asked;
    struct bp_fact *facts;
    struct bp_partition part;
    struct bp_region region; /* of the partition */
    const char *special;     /* a node whose schema fakes_partition() sets */
    const struct bp_schema *schema;
};

void fakes_setup(struct fakes *t);
void fakes_teardown(struct fakes *t);
struct bp_instance *fakes_add(struct fakes *t, const char *name, const char *takes);
/* The same, with memory of its own. */
struct bp_instance *fakes_add_device(struct fakes *t, const char *name, const char *takes);
/* Seals t->g, infers and partitions; fails the test when that fails. */
void fakes_partition(struct fakes *t);
/* Index of a node of the main graph by name. */
uint32_t fakes_node(const struct fakes *t, const char *name);
/* "a1 b1|c1": nodes of the groups in their order, a bar between groups. */
const char *fakes_groups(const struct fakes *t);

#endif
