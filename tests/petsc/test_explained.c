/* Compares the verdict of `dapbridge explain` on the vectors of a field with the verdict of
 * dap_petsc_field_get(). The command does not use PETSc, but has its own conditions.
 *
 * Layouts are random, and half of them are of a kind that is often shared. The seed is printed. */
#define _POSIX_C_SOURCE 200809L
#include "any_view.h"
#include "buffers.h"
#include "mpi_test.h"
#include "random_array.h"

#include <dapbridge/export.h>
#include <inttypes.h>

enum { CASES = 60, OUTPUT = 1 << 16 /* characters of a verdict */ };

typedef struct verdicts {
  int refused, global, local; /* 1: the field is refused; the vector is shared */
} verdicts;

static random_array array;
static const char *program; /* path of the command */
static int met[2][2];       /* cases whose global, local vector was shared */

/* ---- cases ------------------------------------------------------------------------------------------ */

/* Ranges with one halo on all axes that have several processes, which PETSc often shares. */
static void draw_alike(test_random *random, int ndim)
{
  dap_dist dists[3];
  int procs[3];
  const int64_t halo = test_random_int(random, 0, 2);
  random_grid(random, test_nprocs(), ndim, procs);
  for (int k = 0; k < ndim; k++) {
    dists[k] =
        dap_dist_even(procs[k] * test_random_int(random, 1, 4) + test_random_int(random, 0, 2), procs[k]);
    if (procs[k] > 1 && dists[k].size / procs[k] >= halo) dists[k].halo = halo;
    dists[k].periodic = test_random_one_in(random, 6);
  }
  array_deal(ndim, dists, NULL, &array);
}

static void draw(test_random *random, int number)
{
  int64_t size[3];
  const int ndim = (int)test_random_int(random, 1, 3);
  random_shape(random, ndim, 200, size);
  if (number % 2)
    draw_alike(random, ndim);
  else
    random_array_draw(random, test_nprocs(), ndim, size, &array);
}

/* ---- both verdicts ---------------------------------------------------------------------------------- */

static int is_shared(const char *output, const char *vector)
{
  char text[64];
  (void)snprintf(text, sizeof text, "\"vector\":\"%s\",\"verdict\":\"shared\"", vector);
  return strstr(output, text) != NULL;
}

/* Returns the command's verdict, on process 0, on the arrays that all processes export. */
static verdicts explain(const dap_array *local)
{
  static char output[OUTPUT];
  char path[] = "/tmp/dap-explained-XXXXXX", command[512];
  dap_error err = {0};
  const int file = test_rank() == 0 ? mkstemp(path) : -1;
  FILE *stream = file >= 0 ? fdopen(file, "w") : NULL;
  EXPECT(test_rank() != 0 || stream != NULL);
  EXPECT_OK(dap_array_export(MPI_COMM_WORLD, local, stream, &err), &err);
  if (!stream) return (verdicts){0};
  fclose(stream);
  (void)snprintf(command, sizeof command, "%s explain --json %s", program, path);
  FILE *pipe = popen(command, "r");
  const size_t length = pipe ? fread(output, 1, OUTPUT - 1, pipe) : 0;
  output[length] = '\0';
  EXPECT(pipe && pclose(pipe) == 0);
  remove(path);
  EXPECT_MSG(strstr(output, "petsc_field") != NULL, "the command says: %s", output);
  return (verdicts){!strstr(output, "\"vector\":"), is_shared(output, "global"), is_shared(output, "local")};
}

static void compare(const dap_layout *layout, const dap_array *local)
{
  dap_petsc_field field;
  dap_error err = {0};
  const verdicts command = explain(local);
  const dap_darray a = {layout, local};
  const dap_status s = dap_petsc_field_get(MPI_COMM_WORLD, a, DAP_READ_WRITE, NULL, &field, &err);
  if (s && s != DAP_ERR_UNSUPPORTED) EXPECT_OK(s, &err);
  if (test_rank() == 0 && !s) {
    EXPECT_MSG(command.global == field.shared_global && !command.refused,
               "global: the command says %d, PETSc %d: %s", command.global, field.shared_global,
               field.reason_global);
    EXPECT_MSG(command.local == field.shared_local, "local: the command says %d, PETSc %d: %s", command.local,
               field.shared_local, field.reason_local);
    met[0][command.global]++;
    met[1][command.local]++;
  }
  if (!s) EXPECT_OK(dap_petsc_field_restore(&field, &err), &err);
}

static void random_field(int number, test_random *random)
{
  draw(random, number);
  const dap_dtype type = sizeof(PetscScalar) == sizeof(PetscReal) ? DAP_F8 : DAP_C16;
  const test_form form = (test_form)test_random_int(random, 0, FORM_COUNT - 1);
  dap_layout *layout = random_array_layout(&array);
  TEST_CASE("seed %" PRIu64 ", case %d: %s", test_seed(), number, random_array_text(&array));
  test_buffer buffer = test_buffer_make(layout, test_rank(), dap_dtype_size(type), form, random);
  dap_array local;
  dap_error err = {0};
  if (random_array_is_sayable(&array, "0.10") &&
      EXPECT_OK(dap_array_init(&local, layout, test_rank(), type, DAP_ORDER_C, buffer.data, &err), &err)) {
    memcpy(local.strides, buffer.strides, sizeof buffer.strides);
    compare(layout, &local);
    dap_array_release(&local);
  }
  test_buffer_free(&buffer);
  dap_layout_destroy(&layout);
}

static void random_fields(void **state)
{
  (void)state;
  test_each(test_cases(CASES), 93, random_field);
  for (int v = 0; v < 2 && test_rank() == 0; v++)
    EXPECT_MSG(met[v][0] > 0 && met[v][1] > 0, "%d moved, %d shared", met[v][0], met[v][1]);
  SETTLE();
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(petsc_starts),
      cmocka_unit_test(random_fields),
      cmocka_unit_test(petsc_ends),
  };
  program = argc > 1 ? argv[1] : "dapbridge";
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
