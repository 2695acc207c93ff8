/* Elements of matrices of ELPA's that this process has, one by one. */
#ifndef DAP_ELPA_ELEMENTS_H
#define DAP_ELPA_ELEMENTS_H

#include "elpa_impl.h"

/* This process's part of a matrix, seen as numbers of the real type. */
typedef struct dap_elpa_part {
  const dap_elpa_matrix *view;
  int64_t extents[2]; /* local rows and columns */
  int components;     /* 1, or 2 of a complex type */
  bool single;
} dap_elpa_part;

static inline dap_elpa_part dap_elpa_part_of(const dap_elpa_call *call, int i)
{
  dap_elpa_part p = {.view = &call->views[i],
                     .components = call->lib->dtype == call->lib->real ? 1 : 2,
                     .single = call->lib->real == DAP_F4};
  const dap_scalapack_int *desc = p.view->matrix.desc, none = 0;
  const dap_scalapack_int row = p.view->place[0], rows = p.view->grid[0];
  if (!p.view->matrix.data) return p;
  p.extents[0] = numroc_(&desc[2], &desc[4], &row, &none, &rows);
  p.extents[1] = p.view->local_ncols;
  return p;
}

/* The matrix's row (k = 0) or column (1) of a local one. */
static inline int64_t dap_elpa_global(const dap_elpa_part *p, int k, int64_t local)
{
  const int64_t block = p->view->block_size;
  return (local / block * p->view->grid[k] + p->view->place[k]) * block + local % block;
}

static inline void *dap_elpa_element(const dap_elpa_part *p, void *data, int64_t row, int64_t col)
{
  const int64_t item = p->components * (p->single ? 4 : 8);
  return (char *)data + (col * p->view->local_nrows + row) * item;
}

static inline double dap_elpa_component(const dap_elpa_part *p, const void *at, int c)
{
  return p->single ? (double)((const float *)at)[c] : ((const double *)at)[c];
}

static inline void dap_elpa_set(const dap_elpa_part *p, void *at, int c, double value)
{
  if (p->single)
    ((float *)at)[c] = (float)value;
  else
    ((double *)at)[c] = value;
}

#endif
