#include "matrix.h"

#include "buffers.h"

enum { GUARD = 64 /* bytes before and behind */, MARK = 0x5A };

/* The leak sanitizer reads this. BLACS forgets memory where it has not had a context yet, and communicators
 * that its own messages were still under way on; a context that a test leaves keeps communicators, whose
 * tables of attributes Open MPI keeps, empty though they are. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:Cblacs_gridmap\nleak:ompi_attr_set_c\n";
}

/* ---- elements ----------------------------------------------------------------------------------------- */

static int64_t type_size(matrix_type type)
{
  static const int64_t sizes[TYPES] = {sizeof(dap_scalapack_int), 4, 8, 8, 16};
  return sizes[type];
}

char type_letter(matrix_type type)
{
  return "isdcz"[type];
}

static void write_number(const matrix *m, int i, int j, int salt, void *element)
{
  bytes_of(type_size(m->type), (int64_t)i * 65536 + j + (int64_t)salt * 61, element);
}

/* ---- grids -------------------------------------------------------------------------------------------- */

bool grid_has(const grid *g, int rank)
{
  for (int i = 0; i < g->nprow * g->npcol; i++)
    if (g->ranks[i] == rank) return true;
  return false;
}

grid grid_from(int nprow, int npcol, int first)
{
  grid g = {.nprow = nprow, .npcol = npcol};
  for (int i = 0; i < nprow * npcol; i++) g.ranks[i] = (first + i) % test_nprocs();
  return g;
}

void grid_start(grid *g)
{
  dap_scalapack_int map[MATRIX_PROCS], context = Csys2blacs_handle(MPI_COMM_WORLD);
  const dap_scalapack_int handle = context;
  g->row = g->col = -1;
  for (int p = 0; p < g->nprow; p++)
    for (int q = 0; q < g->npcol; q++) {
      map[q * g->nprow + p] = g->ranks[p * g->npcol + q];
      if (g->ranks[p * g->npcol + q] == test_rank()) g->row = p, g->col = q;
    }
  Cblacs_gridmap(&context, map, g->nprow, g->nprow, g->npcol);
  Cfree_blacs_system_handle(handle);
  g->context = g->row >= 0 ? context : -1;
}

void grid_stop(grid *g)
{
  if (g->context >= 0) Cblacs_gridexit(g->context);
  g->context = -1;
}

/* ---- matrices ----------------------------------------------------------------------------------------- */

static unsigned char *get_memory(int64_t bytes)
{
  unsigned char *memory = malloc((size_t)bytes);
  if (memory) return memory;
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(EXIT_FAILURE);
}

/* Blocks are dealt out round robin from the source on. */
static int owner_of(const matrix *m, int axis, int index, int64_t *local)
{
  const int procs = axis == 0 ? m->grid.nprow : m->grid.npcol, block = index / m->block[axis];
  *local = (int64_t)(block / procs) * m->block[axis] + index % m->block[axis];
  return (block + m->source[axis]) % procs;
}

static int64_t count_local(const matrix *m, int axis)
{
  int64_t count = 0, local;
  for (int i = 0; i < m->size[axis]; i++)
    count += owner_of(m, axis, i, &local) == (axis == 0 ? m->grid.row : m->grid.col);
  return count;
}

/* Where (i, j) is; NULL: elsewhere. */
static unsigned char *find_element(const matrix *m, int i, int j)
{
  int64_t row, column;
  if (owner_of(m, 0, i, &row) != m->grid.row || owner_of(m, 1, j, &column) != m->grid.col) return NULL;
  return m->memory + GUARD + (column * m->ld + row) * type_size(m->type);
}

void matrix_start(matrix *m, matrix_type type)
{
  m->type = type;
  grid_start(&m->grid);
  const bool is_here = m->grid.row >= 0;
  for (int k = 0; k < 2; k++) m->local[k] = is_here ? count_local(m, k) : 0;
  m->ld = (m->local[0] > 0 ? m->local[0] : 1) + m->gap;
  m->bytes = 2 * GUARD + m->ld * m->local[1] * type_size(type);
  m->memory = get_memory(m->bytes);
  m->data = m->local[0] * m->local[1] > 0 ? m->memory + GUARD : NULL;
  matrix_clear(m);
  const dap_scalapack_int words[] = {1,
                                     m->grid.context,
                                     m->size[0],
                                     m->size[1],
                                     m->block[0],
                                     m->block[1],
                                     m->source[0],
                                     m->source[1],
                                     (dap_scalapack_int)m->ld};
  for (int w = 0; w < 9; w++) m->desc[w] = is_here || w == 1 ? words[w] : -7777 - w;
}

void matrix_stop(matrix *m)
{
  grid_stop(&m->grid);
  free(m->memory);
  m->memory = NULL;
}

void matrix_clear(matrix *m)
{
  memset(m->memory, MARK, (size_t)m->bytes);
}

void matrix_fill(matrix *m, int salt)
{
  for (int i = 0; i < m->size[0] && m->data; i++)
    for (int j = 0; j < m->size[1]; j++) {
      unsigned char *element = find_element(m, i, j);
      if (element) write_number(m, i, j, salt, element);
    }
}

void matrix_expect(matrix *m, const matrix *a, const int part[2], int salt)
{
  for (int i = 0; i < part[0] && m->data; i++)
    for (int j = 0; j < part[1]; j++) {
      unsigned char *element = find_element(m, m->start[0] + i, m->start[1] + j);
      if (element) write_number(m, a->start[0] + i, a->start[1] + j, salt, element);
    }
}

unsigned char *matrix_copy(const matrix *m)
{
  unsigned char *copy = get_memory(m->bytes);
  memcpy(copy, m->memory, (size_t)m->bytes);
  return copy;
}

unsigned char *matrix_model(matrix *b, const matrix *a, const int part[2], int salt)
{
  matrix_clear(b);
  matrix_expect(b, a, part, salt);
  unsigned char *model = matrix_copy(b);
  matrix_clear(b);
  return model;
}
