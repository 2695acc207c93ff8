/* Tests dap_layout_assemble_ghosted() with right and wrong owners beside the dictionaries. comm_assemble,
 * comm_lookup and the plans of transfer_random_programs compare the resulting layouts with the brute-force
 * model. */
#include "mpi_test.h"

#include <dapbridge/comm.h>

enum { EACH = 3, MOST = 2 * EACH };

/* EACH indices of a process, followed by those of the next process as ghosts. */
typedef struct mesh {
  int64_t indices[MOST];
  bool is_owned[MOST];
  int64_t count;
  double data[MOST * 2];
  dap_array array;
} mesh;

static void make_mesh(int copies, mesh *m)
{
  const int rank = test_rank() / copies, procs = test_nprocs() / copies, next = (rank + 1) % procs;
  *m = (mesh){.count = procs > 1 ? MOST : EACH};
  for (int i = 0; i < EACH; i++) {
    m->indices[i] = EACH * rank + i;
    m->indices[EACH + i] = EACH * next + i;
    m->is_owned[i] = true;
  }
  m->array = (dap_array){.abi = DAP_ARRAY_ABI,
                         .ndim = 2,
                         .dim_count = 2,
                         .version = "0.10.0",
                         .dtype = DAP_F8,
                         .data = m->data,
                         .shape = {m->count, 1},
                         .strides = {8, 8},
                         .dims = {{.dist_type = 'u',
                                   .indices_dtype = DAP_I8,
                                   .size = (int64_t)EACH * procs,
                                   .proc_grid_size = procs,
                                   .proc_grid_rank = rank,
                                   .index_count = m->count,
                                   .indices = m->indices},
                                  {.dist_type = 'b',
                                   .size = copies,
                                   .proc_grid_size = copies,
                                   .proc_grid_rank = test_rank() % copies,
                                   .start = test_rank() % copies,
                                   .stop = test_rank() % copies + 1}}};
}

static dap_status assemble(const mesh *m, bool gives, bool gives_block, dap_layout **layout, dap_error *err)
{
  const bool *const is_owned[] = {gives ? m->is_owned : NULL, gives_block ? m->is_owned : NULL};
  return dap_layout_assemble_ghosted(MPI_COMM_WORLD, NULL, &m->array, is_owned, layout, err);
}

static void owners_as_given(void **state)
{
  (void)state;
  mesh m;
  dap_layout *layout = NULL;
  dap_error err = {0};
  make_mesh(1, &m);
  if (EXPECT_OK(assemble(&m, true, false, &layout, &err), &err)) {
    for (int c = 0; c < test_nprocs(); c++) EXPECT_INT(dap_layout_owned(layout, 0, c), EACH);
    EXPECT(dap_layout_axis(layout, 0).owners_given);
    dap_run run = {0};
    EXPECT(dap_layout_next_run(layout, 0, test_rank(), &run));
    EXPECT_INT(run.global, EACH * test_rank());
    EXPECT_INT(run.length, EACH);
    EXPECT(!dap_layout_next_run(layout, 0, test_rank(), &run));
  }
  dap_layout_destroy(&layout);
  if (EXPECT_OK(assemble(&m, false, false, &layout, &err), &err) && test_nprocs() > 1) {
    EXPECT_INT(dap_layout_owned(layout, 0, 0), MOST); /* by the protocol's rule the lowest rank owns both */
    EXPECT(!dap_layout_axis(layout, 0).owners_given);
  }
  dap_layout_destroy(&layout);
  SETTLE();
}

/* Mistakes that one process can make. */
typedef enum mistake { NONE_OWNS, TWO_OWN, GIVES_NOT, GIVES_BLOCK, ONE_TO_ONE, TWIN_DIFFERS } mistake;

static const struct {
  const char *why;
  mistake mistake;
  int copies; /* processes at each coordinate */
  dap_status want;
  const char *parts;
} rows[] = {
    {"an index that nobody owns", NONE_OWNS, 1, DAP_ERR_LAYOUT, "axis 0: index 3|owned by no process"},
    {"an index that two own", TWO_OWN, 1, DAP_ERR_LAYOUT, "axis 0: index|owned by proc_grid_rank|others"},
    {"owners on some processes only", GIVES_NOT, 1, DAP_ERR_ARG, "rank 1: axis 0: owners|rank 0|not on this"},
    {"owners of a block axis", GIVES_BLOCK, 1, DAP_ERR_ARG, "rank 1: axis 1: owners|'b', not 'u'"},
    {"ghosts of a one-to-one axis", ONE_TO_ONE, 1, DAP_ERR_LAYOUT, "axis 0: there are ghosts|one_to_one"},
    {"processes at one coordinate differ", TWIN_DIFFERS, 2, DAP_ERR_LAYOUT,
     "axis 0: is_owned[0]|same indices"},
};

static void refuses(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    mesh m;
    dap_layout *layout = NULL;
    dap_error err = {0};
    const mistake wrong = rows[i].mistake;
    const bool odd = test_rank() == 1;
    if (test_nprocs() < 2 || test_nprocs() % rows[i].copies) continue;
    TEST_CASE("%s", rows[i].why);
    make_mesh(rows[i].copies, &m);
    if (odd && wrong == NONE_OWNS) m.is_owned[0] = false;
    if (odd && wrong == TWO_OWN) m.is_owned[EACH] = true;
    if (odd && wrong == TWIN_DIFFERS) m.is_owned[0] = false;
    m.array.dims[0].one_to_one = wrong == ONE_TO_ONE;
    const dap_status s =
        assemble(&m, !(odd && wrong == GIVES_NOT), odd && wrong == GIVES_BLOCK, &layout, &err);
    expect_same_error(MPI_COMM_WORLD, s, &err, rows[i].want, rows[i].parts);
    EXPECT(!layout);
    SETTLE();
  }
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(owners_as_given), cmocka_unit_test(refuses)};
MPI_TEST_MAIN(tests)
