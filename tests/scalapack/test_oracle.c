/* Views against ScaLAPACK's own: a moved view has what p?gemr2d makes of the shared one, and PBLAS finds
 * the elements where the descriptors say. */
#include "operand.h"

#include <dapbridge/scalapack_calls.h>

static const struct {
  dap_dtype dtype;
  dap_pgemr2d *gemr2d;
} types[] = {
    {DAP_F4, psgemr2d_},
    {DAP_F8, pdgemr2d_},
    {DAP_C8, pcgemr2d_},
    {DAP_C16, pzgemr2d_},
};

static void get(dap_scalapack_matrix *m, const operand *o, dap_scalapack_options options)
{
  operand_get(o, DAP_READ, &options, m);
}

static dap_dist cyclic(int64_t size, int procs, int64_t block, int first)
{
  return (dap_dist){
      .kind = DAP_DIST_CYCLIC, .procs = procs, .size = size, .block_size = block, .first_owner = first};
}

/* The moved view is cleared, filled by p?gemr2d from the shared one, and checked like any view. */
static void gemr2d_moves_what_a_plan_moves(void **state)
{
  (void)state;
  const dap_scalapack_int one = 1;
  const int n = test_nprocs();
  for (size_t t = 0; t < 4; t++)
    for (int first = 0; first < n; first++)
      for (int form = OPERAND_C; form <= OPERAND_F; form++) {
        TEST_CASE("%s, first owner %d, %s", dap_dtype_name(types[t].dtype), first,
                  form == OPERAND_C ? "C" : "F");
        const dap_dist dists[2] = {cyclic(23, n, 3, first), cyclic(11, 1, 4, 0)};
        operand o = operand_make(MPI_COMM_WORLD, dists, types[t].dtype, (operand_form)form);
        dap_scalapack_matrix shared;
        get(&shared, &o, (dap_scalapack_options){.sharing = DAP_SHARE_OR_FAIL});
        dap_scalapack_matrix moved;
        get(&moved, &o,
            (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .grid = {1, n}, .block_size = {2, 5}});
        matrix_check(&moved, &o);
        matrix_clear(&moved, &o, 0);
        EXPECT(matrix_is(&moved, &o, 0));
        types[t].gemr2d(&shared.desc[2], &shared.desc[3], shared.data, &one, &one, shared.desc, moved.data,
                        &one, &one, moved.desc, &shared.desc[1]);
        matrix_check(&moved, &o);
        operand_restore(&moved);
        operand_restore(&shared);
        operand_free(&o);
        SETTLE();
      }
}

/* Largest element, by PBLAS and by formula; and an array added to itself through views of both kinds. */
static void pblas_finds_the_elements(void **state)
{
  (void)state;
  const dap_scalapack_int one = 1;
  const int n = test_nprocs();
  const double plus = 1, minus = -1;
  for (int first = 0; first < n; first++) {
    TEST_CASE("first owner %d", first);
    const dap_dist dists[2] = {cyclic(23, n, 3, first), dap_dist_even(12, 1)};
    const dap_dist padded[2] = {{.kind = DAP_DIST_EVEN, .procs = n, .size = 4 * n, .halo = 1},
                                dap_dist_even(9, 1)};
    operand a = operand_make(MPI_COMM_WORLD, dists, DAP_F8, OPERAND_WIDE);
    operand p = operand_make(MPI_COMM_WORLD, padded, DAP_F8, OPERAND_C);
    dap_scalapack_matrix ma;
    get(&ma, &a, (dap_scalapack_options){.sharing = DAP_SHARE_OR_FAIL});
    dap_scalapack_matrix mp;
    get(&mp, &p, (dap_scalapack_options){.sharing = DAP_SHARE_OR_FAIL});
    dap_scalapack_matrix mc;
    get(&mc, &a, (dap_scalapack_options){.sharing = DAP_SHARE_NEVER, .aligned_with = &ma});
    EXPECT(pdlange_("M", &ma.desc[2], &ma.desc[3], ma.data, &one, &one, ma.desc, NULL) == 23 * 12);
    EXPECT(pdlange_("M", &mp.desc[2], &mp.desc[3], mp.data, &one, &one, mp.desc, NULL) == 4 * n * 9);
    pdgeadd_("N", &ma.desc[2], &ma.desc[3], &minus, ma.data, &one, &one, ma.desc, &plus, mc.data, &one, &one,
             mc.desc);
    EXPECT(matrix_is(&mc, &a, 0));
    operand_restore(&ma);
    operand_restore(&mp);
    operand_restore(&mc);
    check_gaps(&p.buffer);
    check_global(p.layout, p.rank, &p.array, PADDING_POISON);
    operand_free(&a);
    operand_free(&p);
    SETTLE();
  }
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gemr2d_moves_what_a_plan_moves),
      cmocka_unit_test(pblas_finds_the_elements),
  };
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
