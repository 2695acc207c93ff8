/* All pairs of placements of a tensor, from a mesh of one group of processes to a mesh of another: every
 * element, and the fewest bytes; all at once and as trees, of one tensor and of several. */
#include "mpi_test.h"
#include "problem_impl.h"
#include "tensors.h"
#include "two_groups.h"

#include <inttypes.h>

enum { ARRAYS = 2 };

static double values[2][ARRAYS][TENSOR_ELEMENTS];
static const void *const sources[ARRAYS] = {values[0][0], values[0][1]};
static void *const destinations[ARRAYS] = {values[1][0], values[1][1]};

static void move(const two_groups *g, int sender, const tensor *from, const tensor *to,
                 const dap_plan_options *o)
{
  const int arrays = o->arrays > 0 ? (int)o->arrays : 1;
  dap_side side = tensor_side(g->own == sender ? from : to);
  dap_plan *plan = NULL;
  dap_error err = {0};
  side.ranks = NULL; /* the mesh is the group, in its order */
  const dap_status s = dap_plan_create(g->inter, g->own == sender ? &side : NULL,
                                       g->own == sender ? NULL : &side, 0, o, &plan, &err);
  if (!EXPECT_OK(s, &err)) return;
  tensor_check_bytes(from, to, plan, arrays);
  for (int shift = 0; shift < 2; shift++) {
    for (int a = 0; a < arrays; a++) {
      tensor_fill(from, shift + 10 * a, values[0][a]);
      tensor_spoil(values[1][a]);
    }
    if (!EXPECT_OK(dap_plan_run_many(plan, g->own == sender ? sources : NULL,
                                     g->own == sender ? NULL : destinations, &err),
                   &err))
      break;
    for (int a = 0; a < arrays; a++) tensor_check(to, tensor_addends(from), shift + 10 * a, 0, values[1][a]);
  }
  dap_plan_destroy(&plan);
}

static void all_pairs(const two_groups *g, int sender, int variant)
{
  static const unsigned sets[] = {0, DAP_TRANSPORT_STAGED | DAP_TRANSPORT_MESSAGES, DAP_TRANSPORT_MESSAGES};
  const tensor_mesh meshes[2] = {tensor_mesh_of(g->size[sender], g->members[sender]),
                                 tensor_mesh_of(g->size[1 - sender], g->members[1 - sender])};
  for (int i = 0; i < TENSOR_PAIRS; i++) {
    const int number = i + variant;
    const tensor_pair p = tensor_pair_of(i);
    const dap_plan_options o = {.arrays = 1 + number / 3 % ARRAYS,
                                .transports =
                                    sets[number / 2 % 3] | DAP_FORCED_FAN_OUT * (unsigned)(number % 3)};
    tensor x = tensor_make(&meshes[0], p.from, number % 2), y = tensor_make(&meshes[1], p.to, number / 2 % 2);
    TEST_CASE("%d processes to %d, %s, %" PRId64 " arrays, transports %#x", g->size[sender],
              g->size[1 - sender], p.name, o.arrays, o.transports);
    move(g, sender, &x, &y, &o);
    tensor_free(&x);
    tensor_free(&y);
  }
  SETTLE();
}

static void all_groups(void **state)
{
  (void)state;
  int variant = 0;
  for (int first = 1; first<test_nprocs(); first += test_nprocs()> 4 ? 2 : 1)
    for (int sender = 0; sender < 2; sender++, variant++) {
      two_groups g = two_groups_make(first, (group_order)(variant % GROUP_ORDERS));
      all_pairs(&g, sender, variant);
      two_groups_free(&g);
    }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(all_groups)};
MPI_TEST_MAIN(tests)
