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

void operand_get(const held_array *o, dap_access access, const dap_scalapack_options *options,
                 dap_scalapack_matrix *m)
{
  dap_error err = {0};
  EXPECT_OK(dap_scalapack_get(o->comm, held_darray(o), access, options, m, &err), &err);
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

bool buffer_holds(const test_buffer *b, const dap_scalapack_matrix *m)
{
  const unsigned char *begin = b->memory, *end = begin + b->bytes;
  bool held = m->data || m->desc[1] < 0;
  for (element_walk w = walk_elements(m, b->itemsize); next_element(&w);)
    held = held && (unsigned char *)w.element >= begin && (unsigned char *)w.element + b->itemsize <= end;
  return held;
}

element_walk walk_elements(const dap_scalapack_matrix *m, int64_t itemsize)
{
  element_walk w = {.m = m, .itemsize = itemsize, .at = -1};
  matrix_grid(m, w.grid);
  EXPECT_MSG(m->desc[4] >= 1 && m->desc[5] >= 1, "no block size");
  EXPECT_MSG(m->desc[1] < 0 || w.grid[0] >= 1, "no grid");
  return w;
}

bool next_element(element_walk *w)
{
  const int64_t rows = w->m->m, cols = w->m->n, mb = w->m->desc[4], nb = w->m->desc[5];
  int64_t i, j; /* in the whole matrix */
  if (w->grid[2] < 0 || mb < 1 || nb < 1) return false;
  do {
    if (++w->at >= rows * cols) return false;
    w->i = w->at % rows, w->j = w->at / rows;
    i = w->m->ia - 1 + w->i, j = w->m->ja - 1 + w->j;
  } while ((i / mb + w->m->desc[6]) % w->grid[0] != w->grid[2] ||
           (j / nb + w->m->desc[7]) % w->grid[1] != w->grid[3]);
  if (!EXPECT_MSG(w->m->data, "no data where the descriptor says elements are")) return false;
  const int64_t row = i / (mb * w->grid[0]) * mb + i % mb, col = j / (nb * w->grid[1]) * nb + j % nb;
  w->element = (char *)w->m->data + (row + col * w->m->desc[8]) * w->itemsize;
  w->flat = w->m->op == 'N' ? w->i * cols + w->j : w->j * rows + w->i;
  return true;
}

int64_t matrix_right(const dap_scalapack_matrix *m, dap_dtype dtype)
{
  const int64_t item = dap_dtype_size(dtype);
  int64_t seen = 0;
  for (element_walk w = walk_elements(m, item); next_element(&w); seen++) {
    unsigned char want[16];
    value_of(dtype, w.flat, want);
    EXPECT_MSG(!memcmp(w.element, want, (size_t)item),
               "array element %" PRId64 " is not where the descriptor says", w.flat);
  }
  return seen;
}

int64_t matrix_sound(const dap_scalapack_matrix *m, const int64_t size[2], const int64_t source[2])
{
  dap_scalapack_int grid[4];
  int64_t extents[2];
  EXPECT(m->op == 'N' || m->op == 'T');
  EXPECT_INT(m->desc[0], 1);
  for (int k = 0; k < 2; k++) EXPECT_INT(m->desc[2 + k], size[m->op == 'N' ? k : 1 - k]);
  if (m->desc[1] < 0) return EXPECT(!m->data) ? 0 : -1;
  Cblacs_gridinfo(m->desc[1], &grid[0], &grid[1], &grid[2], &grid[3]);
  for (int k = 0; k < 2; k++) {
    EXPECT_INT(m->desc[6 + k], source[k]);
    extents[k] = numroc_(&m->desc[2 + k], &m->desc[4 + k], &grid[2 + k], &m->desc[6 + k], &grid[k]);
  }
  EXPECT(m->desc[8] >= 1 && m->desc[8] >= extents[0]);
  EXPECT_MSG(m->data != NULL, "an empty part also needs an address: MPICH refuses NULL");
  return extents[0] * extents[1];
}

void matrix_check_from(const dap_scalapack_matrix *m, const held_array *o, const int64_t source[2])
{
  const int64_t size[2] = {dap_layout_size(o->layout, 0), dap_layout_size(o->layout, 1)};
  const int64_t own = matrix_sound(m, size, source);
  int64_t seen = matrix_right(m, o->array.dtype);
  EXPECT_INT(seen, own);
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT64_T, MPI_SUM, o->comm);
  EXPECT_INT(seen, dap_layout_count(o->layout));
}

void matrix_write(const dap_scalapack_matrix *m, dap_dtype dtype)
{
  for (element_walk w = walk_elements(m, dap_dtype_size(dtype)); next_element(&w);)
    value_of(dtype, w.flat, w.element);
}

dap_scalapack_int grid_in_order(const int procs[2], char op)
{
  const int rows = procs[op == 'N' ? 0 : 1], cols = procs[op == 'N' ? 1 : 0];
  dap_scalapack_int context;
  Cblacs_get(0, 0, &context);
  Cblacs_gridinit(&context, op == 'N' ? "R" : "C", rows, cols);
  return context;
}
