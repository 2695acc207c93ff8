/* Compares bounds of the workspace of ScaLAPACK's routines in 64 bits with the routines' own answers, if
 * these fit. If they wrap, the bounds are compared with numbers that were worked out by hand.
 * Private: no matrix that fits into memory makes an answer wrap. */
#include "room_impl.h"

#include <inttypes.h>

#include "mpi_test.h"

enum { CASES = 400, MOST = 60, MOST_BLOCK = 17 };

/* ---- matrices ---------------------------------------------------------------------------------------- */

/* The test's own grid, and two matrices on it, without elements. */
typedef struct trial {
  dap_scalapack_int context;
  dap_scalapack_matrix a, c;
  bool is_complex;
  char side, uplo, vect;
} trial;

static dap_scalapack_int make_context(int rows, int cols)
{
  dap_scalapack_int handle = Csys2blacs_handle(MPI_COMM_WORLD), context = handle, map[64];
  for (int q = 0; q < cols; q++)
    for (int p = 0; p < rows; p++) map[q * rows + p] = p * cols + q;
  Cblacs_gridmap(&context, map, rows, rows, cols);
  Cfree_blacs_system_handle(handle);
  return context;
}

static dap_scalapack_matrix describe(dap_scalapack_int context, const int64_t size[2], const int64_t block[2],
                                     const int64_t source[2])
{
  static double nothing[2];
  dap_scalapack_matrix m = {.data = nothing, .ia = 1, .ja = 1};
  const int64_t desc[9] = {1, context, size[0], size[1], block[0], block[1], source[0], source[1], MOST};
  for (int k = 0; k < 9; k++) m.desc[k] = (dap_scalapack_int)desc[k];
  m.m = m.desc[2], m.n = m.desc[3];
  return m;
}

/* ---- the routines' answers --------------------------------------------------------------------------- */

/* Returns the sizes that a routine of double precision asks for: WORK [0], and RWORK or IWORK [1]. */
typedef struct answer {
  double work[2], more[2];
  dap_scalapack_int iwork;
} answer;

static const dap_scalapack_int ask = -1;
static double nothing[2], numbers[2 * MOST];
static dap_scalapack_int integers[MOST];

#define AT(m) (m).data, &(m).ia, &(m).ja, (m).desc

static const dap_linalg_routines *lib_of(const trial *t)
{
  return dap_linalg_routines_of(t->is_complex ? DAP_C16 : DAP_F8);
}

static void ask_geqrf(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->geqrf(&t->a.m, &t->a.n, AT(t->a), nothing, of->work, &ask, &info);
  *bound = dap_room_panels(t->a.desc[DAP_NB], &t->a);
}

static void ask_gelqf(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->gelqf(&t->a.m, &t->a.n, AT(t->a), nothing, of->work, &ask, &info);
  *bound = dap_room_panels(t->a.desc[DAP_MB], &t->a);
}

/* Q of the reflectors of geqrf, or of gelqf. */
static void ask_org(const trial *t, answer *of, int64_t *bound)
{
  const dap_scalapack_int k = t->a.m < t->a.n ? t->a.m : t->a.n;
  dap_scalapack_int info = 0;
  if (t->side == 'L')
    lib_of(t)->orgqr(&t->a.m, &k, &k, AT(t->a), nothing, of->work, &ask, &info);
  else
    lib_of(t)->orglq(&k, &t->a.n, &k, AT(t->a), nothing, of->work, &ask, &info);
  *bound = dap_room_panels(t->a.desc[t->side == 'L' ? DAP_NB : DAP_MB], &t->a);
}

static void ask_geqpf(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  if (t->is_complex)
    pzgeqpf_(&t->a.m, &t->a.n, AT(t->a), integers, nothing, of->work, &ask, of->more, &ask, &info);
  else
    pdgeqpf_(&t->a.m, &t->a.n, AT(t->a), integers, nothing, of->work, &ask, &info);
  *bound = dap_room_panels(1, &t->a);
}

/* A is of the order of Q, and has as many reflectors. */
static void ask_orm(const trial *t, answer *of, int64_t *bound)
{
  const bool lq = t->vect == 'P';
  dap_scalapack_int info = 0;
  dap_pormqr *const routine = lq ? lib_of(t)->ormlq : lib_of(t)->ormqr;
  const dap_scalapack_int k = t->a.m;
  routine(&t->side, "N", &t->c.m, &t->c.n, &k, AT(t->a), nothing, AT(t->c), of->work, &ask, &info);
  *bound = dap_room_product(lq, t->side, &t->a, &t->c);
}

static void ask_gels(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->gels("N", &t->a.m, &t->a.n, &t->c.n, AT(t->a), AT(t->c), of->work, &ask, &info);
  *bound = dap_room_gels(&t->a, &t->c);
}

static void ask_getri(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->getri(&t->a.n, AT(t->a), integers, of->work, &ask, &of->iwork, &ask, &info);
  *bound = dap_room_panels(t->a.desc[DAP_NB],
                           &t->a); /* the bound does not hold for IWORK's size, but IWORK fits if WORK does */
}

static void ask_sytrd(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->sytrd(&t->uplo, &t->a.n, AT(t->a), numbers, numbers, nothing, of->work, &ask, &info);
  *bound = dap_room_panels(t->a.desc[DAP_NB], &t->a);
}

static void ask_ormtr(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->ormtr("L", &t->uplo, "N", &t->c.m, &t->c.n, AT(t->a), nothing, AT(t->c), of->work, &ask, &info);
  *bound = dap_room_panels(t->c.desc[DAP_NB], &t->c);
}

static void ask_gebrd(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  lib_of(t)->gebrd(&t->a.m, &t->a.n, AT(t->a), numbers, numbers, nothing, nothing, of->work, &ask, &info);
  *bound = dap_room_panels(t->a.desc[DAP_NB], &t->a);
}

/* Q from the left or P from the right, of a square A. */
static void ask_ormbr(const trial *t, answer *of, int64_t *bound)
{
  dap_scalapack_int info = 0;
  const dap_scalapack_int k = t->a.m;
  const char vect = t->side == 'L' ? 'Q' : 'P';
  lib_of(t)->ormbr(&vect, &t->side, "N", &t->c.m, &t->c.n, &k, AT(t->a), nothing, AT(t->c), of->work, &ask,
                   &info);
  *bound = dap_room_panels(t->c.desc[DAP_NB], &t->c);
}

static void ask_ev(const trial *t, answer *of, int64_t *bound)
{
  const bool has_vectors = t->side == 'L';
  const char *job = has_vectors ? "V" : "N";
  dap_scalapack_int info = 0;
  if (t->is_complex)
    pzheev_(job, &t->uplo, &t->a.n, AT(t->a), numbers, AT(t->a), of->work, &ask, of->more, &ask, &info);
  else
    pdsyev_(job, &t->uplo, &t->a.n, AT(t->a), numbers, AT(t->a), of->work, &ask, &info);
  *bound = dap_room_vectors(1, &t->a);
}

static void ask_gesvd(const trial *t, answer *of, int64_t *bound)
{
  const bool wants_u = t->side == 'L', wants_vt = t->vect == 'P';
  dap_scalapack_int info = 0;
  static double real[8 * MOST];
  if (t->is_complex)
    pzgesvd_(wants_u ? "V" : "N", wants_vt ? "V" : "N", &t->a.m, &t->a.n, AT(t->a), numbers, AT(t->a),
             AT(t->a), of->work, &ask, real, &info);
  else
    pdgesvd_(wants_u ? "V" : "N", wants_vt ? "V" : "N", &t->a.m, &t->a.n, AT(t->a), numbers, AT(t->a),
             AT(t->a), of->work, &ask, &info);
  *bound = dap_room_vectors(2, &t->a);
}

/* ---- the table --------------------------------------------------------------------------------------- */

typedef enum shape { ANY, SQUARE, PRODUCT, LEFT_PRODUCT, SIDES } shape;

static const struct routine {
  const char *name;
  void (*ask)(const trial *t, answer *of, int64_t *bound);
  shape shape;
  bool square_blocks, sources;
} routines[] = {
    {"geqrf", ask_geqrf, ANY, false, true},         {"gelqf", ask_gelqf, ANY, false, true},
    {"orgqr, orglq", ask_org, ANY, false, true},    {"geqpf", ask_geqpf, ANY, false, true},
    {"ormqr, ormlq", ask_orm, PRODUCT, true, true}, {"gels", ask_gels, SIDES, false, true},
    {"getri", ask_getri, SQUARE, true, true},       {"sytrd", ask_sytrd, SQUARE, true, true},
    {"ormtr", ask_ormtr, LEFT_PRODUCT, true, true}, {"gebrd", ask_gebrd, ANY, true, true},
    {"ormbr", ask_ormbr, PRODUCT, true, true},      {"syev, heev", ask_ev, SQUARE, true, true},
    {"gesvd", ask_gesvd, SQUARE, true, false},
};
enum { ROUTINES = sizeof routines / sizeof routines[0] };

static void draw_blocks(test_random *random, bool square, int64_t block[2])
{
  for (int k = 0; k < 2; k++) block[k] = test_random_int(random, 1, MOST_BLOCK);
  if (square) block[1] = block[0];
}

/* A, and C that goes with it. */
static void draw_matrices(test_random *random, const struct routine *r, const int procs[2], trial *t)
{
  int64_t size[2], other[2], block[2], source[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    size[k] = test_random_int(random, 2, MOST);
    if (r->sources) source[k] = test_random_int(random, 0, procs[k] - 1);
  }
  if (r->shape != ANY && r->shape != SIDES) size[1] = size[0];
  draw_blocks(random, r->square_blocks, block);
  const bool left = t->side == 'L' || r->shape == LEFT_PRODUCT, wide = size[0] < size[1];
  other[0] = other[1] = test_random_int(random, 2, MOST);
  other[left ? 0 : 1] = size[0];
  if (r->shape == SIDES) other[0] = wide ? size[1] : size[0];
  const int64_t beside[2] = {r->shape == SIDES && wide ? block[1] : block[0], block[1]};
  t->a = describe(t->context, size, block, source);
  t->c = describe(t->context, other, beside, source);
}

static void answers_are_within_bounds(void **state)
{
  (void)state;
  test_random random = test_random_init(4007);
  for (int i = 0; i < test_cases(CASES); i++) {
    const struct routine *r = &routines[i % ROUTINES];
    int procs[2];
    do procs[0] = (int)test_random_int(&random, 1, test_nprocs());
    while (test_nprocs() % procs[0]);
    procs[1] = test_nprocs() / procs[0];
    trial t = {.context = make_context(procs[0], procs[1]), .is_complex = test_random_one_in(&random, 2)};
    t.side = "LR"[test_random_int(&random, 0, 1)], t.uplo = "LU"[test_random_int(&random, 0, 1)];
    t.vect = "QP"[test_random_int(&random, 0, 1)];
    draw_matrices(&random, r, procs, &t);
    TEST_CASE("seed %" PRIu64
              ", case %d: %s, %s, side %c, uplo %c, vect %c, A %d x %d in blocks of %d x %d from (%d, %d), "
              "C %d x %d, %d x %d processes",
              test_seed(), i, r->name, t.is_complex ? "complex" : "real", t.side, t.uplo, t.vect, (int)t.a.m,
              (int)t.a.n, (int)t.a.desc[4], (int)t.a.desc[5], (int)t.a.desc[6], (int)t.a.desc[7], (int)t.c.m,
              (int)t.c.n, procs[0], procs[1]);
    answer of = {.work = {0}};
    int64_t bound = 0;
    r->ask(&t, &of, &bound);
    EXPECT_MSG(of.work[0] >= 0 && of.work[0] <= (double)bound, "WORK: %g, bound %" PRId64, of.work[0], bound);
    EXPECT_MSG(of.more[0] <= (double)bound, "RWORK: %g, bound %" PRId64, of.more[0], bound);
    Cblacs_gridexit(t.context);
    SETTLE();
  }
}

/* ---- where answers wrap ------------------------------------------------------------------------------ */

/* A matrix on one process, with all rows in one block, and blocks of nb columns. */
static dap_scalapack_matrix tall(dap_scalapack_int context, int64_t rows, int64_t n, int64_t nb)
{
  return describe(context, (const int64_t[2]){rows, n}, (const int64_t[2]){rows, nb},
                  (const int64_t[2]){0, 0});
}

/* A bound exceeds the demand by at most 0.2 %, so hardly any problem that fits is refused. */
static void expect_bound(int64_t bound, int64_t demanded)
{
  EXPECT_MSG(bound >= demanded && bound <= demanded + demanded / 500, "bound %" PRId64 ", demanded %" PRId64,
             bound, demanded);
}

static void check_numbers(dap_scalapack_int context)
{
  static const struct {
    const char *why;
    int64_t rows, cols, nb, qr, gels;
  } rows[] = {
      {"the answer fits", 33000000, 3, 64, 2112004288, 2112004291},
      {"the answer is positive again", 68000000, 3, 64, 4352004288, 4352004291},
      {"beyond 2^33", 135000000, 3, 64, 8640004288, 8640004291},
      {"many rows", 750000000, 3, 64, 48000004288, 48000004291},
      {"square blocks: beyond 2^53", 750000000, 3, 750000000, 1125000002250000000, 1125000002250000003},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_scalapack_matrix a = tall(context, rows[i].rows, rows[i].cols, rows[i].nb),
                               b = tall(context, rows[i].rows, 1, rows[i].nb);
    const int64_t panels = dap_room_panels(a.desc[DAP_NB], &a), gels = dap_room_gels(&a, &b);
    TEST_CASE("%s", rows[i].why);
    EXPECT_MSG(panels >= rows[i].qr, "qr: %" PRId64, panels);
    EXPECT_MSG(gels >= rows[i].gels, "gels: %" PRId64, gels);
  }
  const dap_scalapack_matrix huge = tall(context, 2147483647, 3, 2147483647),
                             one = tall(context, 20000, 20000, 20000);
  EXPECT(dap_room_panels(huge.desc[DAP_NB], &huge) >= INT64_C(1) << 60);
  expect_bound(dap_room_panels(20000, &one), INT64_C(3) * 20000 * 20000);
  dap_scalapack_matrix square = tall(context, 200000, 200000, 64);
  square.desc[DAP_MB] = 64;
  expect_bound(dap_room_vectors(1, &square), INT64_C(200000) * (5 + 200000) + 1 + 64 * (2 * 200000 + 64));
  expect_bound(dap_room_vectors(2, &square), INT64_C(200000) * 400000 + 64 * (2 * 200000 + 64));
}

static void numbers_are_those_of_64_bits(void **state)
{
  (void)state;
  const dap_scalapack_int context = make_context(1, 1);
  if (test_rank() == 0) check_numbers(context);
  if (test_rank() == 0) Cblacs_gridexit(context);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(answers_are_within_bounds),
                                          cmocka_unit_test(numbers_are_those_of_64_bits)};
MPI_TEST_MAIN(tests)
