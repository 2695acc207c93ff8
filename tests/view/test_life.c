/* Tests the life of views: copies, ends, several views at a time, and objects that outlive each other. */
#include "buffers.h"
#include "mpi_test.h"
#include "toy.h"

#include <dapbridge/log.h>
#include <inttypes.h>

/* Makes slabs of columns, which the toy can share in F order. */
static fixture make(bool shared)
{
  return fixture_make(DAP_F8, shared ? DAP_ORDER_F : DAP_ORDER_C, "4x11 on 1x%d");
}

static const toy_options moved = {.sharing = DAP_SHARE_NEVER}, shared = {.sharing = DAP_SHARE_OR_FAIL};

static void get(MPI_Comm comm, const fixture *f, dap_access access, const toy_options *o, toy_matrix *m)
{
  dap_error err = {.rank = -1};
  EXPECT_OK(toy_get(comm, (dap_darray){f->layout, &f->local}, access, o, m, &err), &err);
}

static void restore(toy_matrix *m)
{
  dap_error err = {.rank = -1};
  EXPECT_OK(toy_restore(m, &err), &err);
}

/* Multiplies every element of the view by `factor`. */
static void scale(const toy_matrix *m, double factor)
{
  for (int64_t i = 0; i < m->slab->rows * m->slab->columns; i++) m->slab->memory[i] *= factor;
}

/* Checks that the array has its first values times that factor. */
static void check_scaled(const fixture *f, bool is_shared, double factor)
{
  fixture before = make(is_shared);
  const double *got = f->local.data, *was = before.local.data;
  for (int64_t i = 0; i < dap_array_count(&f->local); i++) EXPECT(got[i] == was[i] * factor);
  fixture_end(&before);
}

static void test_handles(void **state)
{
  (void)state;
  fixture f = make(true);
  dap_error err = {.rank = -1};
  toy_matrix m, copy, zero = {0};
  get(MPI_COMM_WORLD, &f, DAP_READ_WRITE, NULL, &m);
  copy = m;
  EXPECT_FAIL(toy_restore(&copy, &err), DAP_ERR_ARG, &err, "copy");
  EXPECT_FAIL(toy_load(&copy, &err), DAP_ERR_ARG, &err, "copy");
  restore(&m);
  EXPECT_FAIL(toy_restore(&copy, &err), DAP_ERR_ARG, &err, "copy");
  restore(&m);
  restore(&zero);
  EXPECT_OK(toy_discard(NULL, &err), &err);
  EXPECT_FAIL(toy_load(&m, &err), DAP_ERR_ARG, &err, "live view");
  EXPECT_FAIL(toy_store(&zero, &err), DAP_ERR_ARG, &err, "live view");
  EXPECT_FAIL(toy_halo(NULL, &err), DAP_ERR_ARG, &err, "matrix|NULL");
  EXPECT(m.shared && m.reason[0] && !m.slab && !m.handle.view);
  EXPECT_INT(toy_alive, 0);
  fixture_end(&f);
  SETTLE();
}

static void test_access(void **state)
{
  (void)state;
  fixture f = make(true);
  dap_error err = {.rank = -1};
  toy_matrix in, out;
  get(MPI_COMM_WORLD, &f, DAP_READ, NULL, &in);
  get(MPI_COMM_WORLD, &f, DAP_WRITE, NULL, &out);
  EXPECT_FAIL(toy_store(&in, &err), DAP_ERR_ARG, &err, "DAP_WRITE");
  EXPECT_FAIL(toy_halo(&in, &err), DAP_ERR_ARG, &err, "DAP_WRITE");
  EXPECT_FAIL(toy_load(&out, &err), DAP_ERR_ARG, &err, "DAP_READ");
  restore(&in);
  restore(&out);
  fixture_end(&f);
  SETTLE();
}

/* A moved view that is discarded must not change the array. */
static void test_discard(void **state)
{
  (void)state;
  fixture f = make(false);
  dap_error err = {.rank = -1};
  toy_matrix m;
  get(MPI_COMM_WORLD, &f, DAP_READ_WRITE, &moved, &m);
  scale(&m, -1);
  EXPECT_OK(toy_discard(&m, &err), &err);
  check_global(f.layout, test_rank(), &f.local, PADDING_ANY);
  fixture_end(&f);
  SETTLE();
}

static void test_words(void **state)
{
  (void)state;
  fixture f = make(true);
  toy_matrix m;
  char text[DAP_ERROR_TEXT], cut[8];
  get(MPI_COMM_WORLD, &f, DAP_READ, NULL, &m);
  const size_t length = toy_describe(&m, text, sizeof text);
  EXPECT_MSG(test_contains(text, "4 x 11 matrix|shared|0 bytes|even slabs"), "%s", text);
  EXPECT_INT(length, strlen(text));
  EXPECT_INT(toy_describe(&m, cut, sizeof cut), length);
  EXPECT_INT(strlen(cut), sizeof cut - 1);
  EXPECT_INT(toy_describe(&m, NULL, 0), length);
  restore(&m);
  (void)toy_describe(&m, text, sizeof text);
  EXPECT_MSG(strcmp(text, "no live view") == 0, "%s", text);
  fixture_end(&f);
  SETTLE();
}

/* The communicator, the array and the layout may be freed before the view ends. */
static void test_outlives(void **state)
{
  (void)state;
  for (int is_moved = 0; is_moved < 2; is_moved++) {
    fixture f = make(true);
    toy_matrix m;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    get(comm, &f, DAP_READ_WRITE, is_moved ? &moved : &shared, &m);
    MPI_Comm_free(&comm);
    dap_layout_destroy(&f.layout);
    scale(&m, 3);
    restore(&m);
    check_scaled(&f, true, 3);
    fixture_end(&f);
    SETTLE();
  }
}

/* A library may be finalised while a view of it is alive. The view must end, and report this. */
static void test_finalised(void **state)
{
  (void)state;
  fixture f = make(false);
  dap_error err = {.rank = -1};
  toy_matrix m;
  get(MPI_COMM_WORLD, &f, DAP_READ_WRITE, &moved, &m);
  toy_is_over = true;
  EXPECT_FAIL(toy_store(&m, &err), DAP_ERR_LIBRARY, &err, "finalised");
  EXPECT_FAIL(toy_restore(&m, &err), DAP_ERR_LIBRARY, &err, "finalised");
  restore(&m);
  toy_is_over = false;
  toy_alive = 0;
  fixture_end(&f);
  SETTLE();
}

/* Lines of the log about views; plans have their own lines. */
typedef struct record {
  int count;
  char line[4][2 * DAP_ERROR_TEXT];
} record;

static void keep(void *context, const char *line)
{
  record *r = context;
  if (strncmp(line, "matrix ", 7) == 0 && r->count < 4)
    snprintf(r->line[r->count++], sizeof r->line[0], "%s", line);
}

/* Each get, restore and discard must log one line, with the bytes that this process moved. */
static void test_log(void **state)
{
  (void)state;
  for (int is_moved = 0; is_moved < 2; is_moved++) {
    fixture f = make(true);
    const toy_options *o = is_moved ? &moved : &shared;
    const char *how = is_moved ? "moved" : "shared", *why = is_moved ? "a copy" : "even slabs";
    dap_error err = {.rank = -1};
    record r = {0};
    toy_matrix m;
    char bytes[32];
    dap_log_set(keep, &r);
    get(MPI_COMM_WORLD, &f, DAP_READ_WRITE, o, &m);
    const int64_t in = m.moved_bytes;
    restore(&m);
    EXPECT(is_moved || m.moved_bytes == 0);
    get(MPI_COMM_WORLD, &f, DAP_READ, o, &m);
    EXPECT_OK(toy_discard(&m, &err), &err);
    EXPECT_OK(toy_discard(&m, &err), &err);
    dap_log_set(NULL, NULL);
    snprintf(bytes, sizeof bytes, " %" PRId64 " bytes", in);
    EXPECT_INT(r.count, 4);
    for (int i = 0; i < 2; i++)
      EXPECT_MSG(test_contains(r.line[i], i ? "restored" : "got") && test_contains(r.line[i], bytes) &&
                     test_contains(r.line[i], how) && test_contains(r.line[i], why),
                 "%s", r.line[i]);
    EXPECT_MSG(test_contains(r.line[3], "discarded| 0 bytes"), "%s", r.line[3]);
    fixture_end(&f);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_handles), cmocka_unit_test(test_access),   cmocka_unit_test(test_discard),
    cmocka_unit_test(test_words),   cmocka_unit_test(test_outlives), cmocka_unit_test(test_finalised),
    cmocka_unit_test(test_log),
};
MPI_TEST_MAIN(tests)
