#include "operand.h"

#include <dapbridge/scalapack_calls.h>

#include <inttypes.h>

held_array operand_of(MPI_Comm comm, dap_layout *layout, dap_dtype dtype, test_form form)
{
  held_array o = held_array_make(comm, layout, dtype, form);
  fill_global(o.layout, o.rank, &o.array);
  return o;
}

held_array operand_make(MPI_Comm comm, const dap_dist dists[2], dap_dtype dtype, test_form form)
{
  return operand_of(comm, layout_make(2, dists, NULL), dtype, form);
}

dap_status operand_try(const held_array *o, dap_access access, const dap_scalapack_options *options,
                       dap_scalapack_matrix *m, dap_error *err)
{
  return dap_scalapack_get(o->comm, held_darray(o), access, options, m, err);
}

void operand_get(const held_array *o, dap_access access, const dap_scalapack_options *options,
                 dap_scalapack_matrix *m)
{
  dap_error err = {0};
  EXPECT_OK(operand_try(o, access, options, m, &err), &err);
}

void operand_restore(dap_scalapack_matrix *m)
{
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_restore(m, &err), &err);
}

void take(operand_use *u, const dap_dist dists[2], test_form form, dap_scalapack_options options)
{
  u->o = operand_make(MPI_COMM_WORLD, dists, DAP_F8, form);
  operand_get(&u->o, DAP_READ_WRITE, &options, &u->m);
}

void finish(operand_use *u)
{
  if (u->m.view.view) matrix_check(&u->m, &u->o);
  operand_restore(&u->m);
  check_global(u->o.layout, u->o.rank, &u->o.array, PADDING_POISON);
  held_array_free(&u->o);
}

/* ---- the local part ----------------------------------------------------------------------------------- */

void matrix_grid(const dap_scalapack_matrix *m, int grid[4])
{
  dap_scalapack_int found[4];
  Cblacs_gridinfo(m->desc[1], &found[0], &found[1], &found[2], &found[3]);
  for (int i = 0; i < 4; i++) grid[i] = (int)found[i];
}

void matrix_extents(const dap_scalapack_matrix *m, int64_t extents[2])
{
  dap_scalapack_int grid[4];
  Cblacs_gridinfo(m->desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  for (int k = 0; k < 2; k++)
    extents[k] = numroc_(&m->desc[2 + k], &m->desc[4 + k], &grid[2 + k], &m->desc[6 + k], &grid[k]);
}

bool operand_holds(const held_array *o, const dap_scalapack_matrix *m)
{
  int64_t extents[2];
  matrix_extents(m, extents);
  if (extents[0] * extents[1] == 0) return m->data != NULL;
  const int64_t bytes = ((extents[1] - 1) * m->desc[8] + extents[0]) * dap_dtype_size(o->array.dtype);
  const unsigned char *first = m->data;
  return first >= o->buffer.memory && first + bytes <= o->buffer.memory + o->buffer.bytes;
}

int64_t matrix_visit(const dap_scalapack_matrix *m, int64_t itemsize, visitor *visit, void *context)
{
  const int64_t rows = m->desc[2], cols = m->desc[3], mb = m->desc[4], nb = m->desc[5];
  int grid[4];
  matrix_grid(m, grid);
  if (!EXPECT_MSG(grid[0] >= 1 && grid[1] >= 1 && mb >= 1 && nb >= 1, "no grid or no block size")) return 0;
  int64_t seen = 0;
  for (int64_t j = 0; j < cols; j++) {
    if ((j / nb + m->desc[7]) % grid[1] != grid[3]) continue;
    for (int64_t i = 0; i < rows; i++) {
      if ((i / mb + m->desc[6]) % grid[0] != grid[2]) continue;
      const int64_t row = i / (mb * grid[0]) * mb + i % mb, col = j / (nb * grid[1]) * nb + j % nb;
      if (!EXPECT_MSG(m->data != NULL, "no data where the descriptor says elements are")) return 0;
      visit((char *)m->data + (row + col * m->desc[8]) * itemsize, m->op == 'N' ? i * cols + j : j * rows + i,
            context);
      seen++;
    }
  }
  return seen;
}

static void check_one(void *element, int64_t flat, void *context)
{
  const held_array *o = context;
  unsigned char want[16];
  value_of(o->array.dtype, flat, want);
  EXPECT_MSG(!memcmp(element, want, (size_t)dap_dtype_size(o->array.dtype)),
             "array element %" PRId64 " is not where the descriptor says", flat);
}

static void write_one(void *element, int64_t flat, void *context)
{
  const held_array *o = context;
  value_of(o->array.dtype, flat, element);
}

void matrix_check(const dap_scalapack_matrix *m, const held_array *o)
{
  matrix_check_from(m, o, (const int64_t[2]){0, 0});
}

void matrix_check_from(const dap_scalapack_matrix *m, const held_array *o, const int64_t source[2])
{
  const int64_t item = dap_dtype_size(o->array.dtype);
  const int first = m->op == 'N' ? 0 : 1;
  EXPECT(m->op == 'N' || m->op == 'T');
  EXPECT_INT(m->desc[0], 1);
  EXPECT_INT(m->desc[2], dap_layout_size(o->layout, first));
  EXPECT_INT(m->desc[3], dap_layout_size(o->layout, 1 - first));
  EXPECT_INT(m->desc[6], source[0]);
  EXPECT_INT(m->desc[7], source[1]);
  int64_t extents[2];
  matrix_extents(m, extents);
  EXPECT(m->desc[8] >= 1 && m->desc[8] >= extents[0]);
  EXPECT_MSG(m->data != NULL, "an empty part also needs an address: MPICH refuses NULL");

  int64_t seen = matrix_visit(m, item, check_one, (void *)o);
  EXPECT_INT(seen, extents[0] * extents[1]);
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT64_T, MPI_SUM, o->comm);
  EXPECT_INT(seen, dap_layout_count(o->layout));
}

void matrix_write(const dap_scalapack_matrix *m, const held_array *o)
{
  matrix_visit(m, dap_dtype_size(o->array.dtype), write_one, (void *)o);
}

/* What matrix_walk() goes through, and how many elements of it are not what they should be. */
typedef struct walk {
  const dap_scalapack_matrix *m;
  int64_t itemsize;
  double set;
  int64_t wrong;
} walk;

static void walk_one(void *element, int64_t flat, void *context)
{
  walk *w = context;
  const int64_t rows = w->m->desc[2], cols = w->m->desc[3];
  const int64_t i = (w->m->op == 'N' ? flat / cols : flat % rows) - (w->m->ia - 1);
  const int64_t j = (w->m->op == 'N' ? flat % cols : flat / rows) - (w->m->ja - 1);
  const double value = 1 + 1000.0 * (double)i + (double)j, want[2] = {value, -value};
  double *number = element;
  if (i < 0 || i >= w->m->m || j < 0 || j >= w->m->n) return;
  for (int p = 0; p < w->itemsize / 8; p++)
    if (w->set != 0)
      number[p] = w->set * want[p];
    else
      w->wrong += number[p] != want[p];
}

int64_t matrix_walk(const dap_scalapack_matrix *m, int64_t itemsize, double set)
{
  walk w = {m, itemsize, set, 0};
  int grid[4];
  matrix_grid(m, grid);
  if (grid[2] >= 0) matrix_visit(m, itemsize, walk_one, &w);
  return w.wrong;
}

dap_scalapack_int grid_in_order(const int procs[2], char op)
{
  const int rows = procs[op == 'N' ? 0 : 1], cols = procs[op == 'N' ? 1 : 0];
  dap_scalapack_int map[64], context = Csys2blacs_handle(MPI_COMM_WORLD);
  const dap_scalapack_int handle = context;
  for (int q = 0; q < cols; q++)
    for (int p = 0; p < rows; p++) map[q * rows + p] = op == 'N' ? p * cols + q : q * rows + p;
  Cblacs_gridmap(&context, map, rows, rows, cols);
  Cfree_blacs_system_handle(handle);
  return context;
}

int64_t matrix_moved(const held_array *o, const dap_scalapack_matrix *m)
{
  int64_t moved = m->moved_bytes;
  MPI_Allreduce(MPI_IN_PLACE, &moved, 1, MPI_INT64_T, MPI_SUM, o->comm);
  return moved;
}
