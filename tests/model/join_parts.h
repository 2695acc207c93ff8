/* The parts of all processes for dap_layout_join(), and the right ones that the tests join or spoil. */
#ifndef DAP_TEST_JOIN_PARTS_H
#define DAP_TEST_JOIN_PARTS_H

#include "check_rows.h"
#include "layouts.h"

#include <dapbridge/join.h>
#include <inttypes.h>

/* ---- the parts of all processes ----------------------------------------------------------------- */

enum { PARTS = 6, FOUND = 32 };

typedef struct finding {
  int rank, rule;
  dap_status status;
  char text[DAP_ERROR_TEXT];
} finding;

typedef struct parts {
  dap_layout *layout; /* that the right parts come from */
  int nprocs;
  dap_array part[PARTS];
  int refuses;      /* rank whose part is not to be had; -1: none */
  int asked[PARTS]; /* how often for each */
  finding found[FOUND];
  int count; /* of found */
} parts;

static inline dap_status part_of(void *context, int rank, dap_array *array, dap_error *err)
{
  parts *p = context;
  p->asked[rank]++;
  if (rank == p->refuses) return dap_fail(err, DAP_ERR_LIBRARY, "no file for %d", rank);
  *array = p->part[rank];
  return DAP_OK;
}

static inline void tell(void *context, dap_status status, const dap_error *error)
{
  parts *p = context;
  if (!EXPECT(p->count < FOUND)) return;
  finding *f = &p->found[p->count++];
  *f = (finding){.rank = error->rank, .rule = error->rule, .status = status};
  snprintf(f->text, sizeof f->text, "%s", error->text);
}

static inline void make_parts(int ndim, const dap_dist dists[], const int ranks[], parts *p)
{
  dap_error err = {0};
  *p = (parts){.refuses = -1, .layout = make_layout(ndim, dists, ranks)};
  p->nprocs = dap_layout_nprocs(p->layout);
  for (int rank = 0; rank < p->nprocs; rank++)
    EXPECT_OK(dap_array_init(&p->part[rank], p->layout, rank, DAP_I4, DAP_ORDER_F, NULL, &err), &err);
}

/* What the parts keep is theirs, whatever a test has written over it. */
static inline void release_parts(parts *p)
{
  for (int rank = 0; rank < p->nprocs; rank++) dap_array_release(&p->part[rank]);
  dap_layout_destroy(&p->layout);
}

/* ---- right ones --------------------------------------------------------------------------------- */

static const int64_t a0[] = {4, 0}, a1[] = {1, 4, 2}, a2[] = {3}, a_lengths[] = {2, 3, 1};
static const int64_t *const a_lists[] = {a0, a1, a2};
static const int64_t b0[] = {0, 1}, b1[] = {3, 2}, b_lengths[] = {2, 2};
static const int64_t *const b_lists[] = {b0, b1};
static const int turned[] = {3, 1, 5, 0, 2, 4};

static const struct {
  const char *why;
  int ndim;
  dap_dist dists[3];
  const int *ranks;
} right[] = {
    {"a scalar", 0, {{0}}, NULL},
    {"one process", 1, {{.procs = 1, .size = 4}}, NULL},
    {"padded, dealt out",
     2,
     {{.procs = 3, .size = 7, .halo = 1},
      {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = 2, .first_owner = 1}},
     NULL},
    {"the same in another order",
     2,
     {{.procs = 3, .size = 7, .halo = 1}, {.kind = DAP_DIST_CYCLIC, .procs = 2, .size = 5, .block_size = 2}},
     turned},
    {"padding that wraps round",
     1,
     {{.procs = 4, .size = 9, .halo = 2, .periodic = true, .wraps = true}},
     NULL},
    {"lists, in another order",
     2,
     {{.kind = DAP_DIST_UNSTRUCTURED, .procs = 3, .size = 5, .lengths = a_lengths, .indices = a_lists},
      {.kind = DAP_DIST_UNSTRUCTURED,
       .procs = 2,
       .size = 4,
       .lengths = b_lengths,
       .indices = b_lists,
       .one_to_one = true}},
     turned},
    {"full copies of all but one axis",
     3,
     {{.kind = DAP_DIST_REPLICATED, .procs = 2, .size = 3},
      {.procs = 3, .size = 2},
      {.kind = DAP_DIST_REPLICATED, .procs = 1, .size = 0}},
     NULL},
};

#endif
