#define _XOPEN_SOURCE 700 /* mkdtemp(), nftw(); NOLINT(bugprone-reserved-identifier) */
#include "files.h"

#include "mpi_test.h"

#include <ftw.h>
#include <unistd.h>

enum { PATHS = 4, PATH = 512 };
static char folder[PATH];

/* ---- the folder ------------------------------------------------------------------------------------ */

void files_begin(void)
{
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/dapbridge-file-XXXXXX", parent && parent[0] ? parent : "/tmp");
  if (test_rank() == 0) EXPECT(mkdtemp(folder));
  MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
  (void)status;
  (void)kind;
  (void)place;
  return remove(path);
}

void files_end(void)
{
  MPI_Barrier(MPI_COMM_WORLD);
  if (test_rank() == 0) (void)nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *files_path(const char *name)
{
  static char paths[PATHS][2 * PATH];
  static int next;
  char *path = paths[next++ % PATHS];
  snprintf(path, sizeof paths[0], "%s/%s", folder, name);
  return path;
}

int files_count(void)
{
  return (int)files_in(folder);
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

unsigned char *files_read(const char *path, int64_t *length)
{
  FILE *file = fopen(path, "rb");
  *length = 0;
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *length = ftell(file);
  rewind(file);
  unsigned char *bytes = calloc((size_t)*length + 1, 1);
  if (bytes) EXPECT_INT(fread(bytes, 1, (size_t)*length, file), *length);
  fclose(file);
  return bytes;
}

bool files_write(const char *path, const void *bytes, int64_t length)
{
  FILE *file = fopen(path, "wb");
  if (!file) return false;
  const bool written = fwrite(bytes, 1, (size_t)length, file) == (size_t)length;
  return fclose(file) == 0 && written;
}

/* ---- arrays ---------------------------------------------------------------------------------------- */

fixture files_trial(void)
{
  return fixture_make(DAP_F8, DAP_ORDER_F, "40x30 on %dx1: c, n");
}

dap_darray files_array(const test_side *side, dap_array *array)
{
  static const dap_dtype dtypes[] = {DAP_U1, DAP_I2, DAP_F4, DAP_F8, DAP_C16, DAP_C32};
  size_t i = 0;
  while (i + 1 < sizeof dtypes / sizeof dtypes[0] && dap_dtype_size(dtypes[i]) != side->itemsize) i++;
  EXPECT_INT(dap_dtype_size(dtypes[i]), side->itemsize);
  *array = test_buffer_array(&side->buffer, dtypes[i]);
  return (dap_darray){side->layout, side->process < 0 ? NULL : array};
}
