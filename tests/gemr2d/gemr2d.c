#define _POSIX_C_SOURCE 200809L /* dlfcn.h; NOLINT(bugprone-reserved-identifier) */
#include "gemr2d.h"

#include <dlfcn.h>

#include "buffers.h"

enum { GUARD = 64 /* bytes before and behind */, MARK = 0x5A };

/* The leak sanitizer calls this. BLACS never frees some memory of a process's first context, and some
 * communicators with messages under way. If a test leaves a context, its communicators remain, and Open
 * MPI keeps their empty tables of attributes. That the tables are empty is counted in test_cache.c, because
 * the sanitizer also ignores memory that only ignored memory points to. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:Cblacs_gridmap\nleak:ompi_attr_set_c\n";
}

/* ---- grids -------------------------------------------------------------------------------------------- */

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

/* Blocks are dealt in turn, from the source on. */
static int owner_of(const matrix *m, int axis, int index, int64_t *local)
{
  const int procs = axis == 0 ? m->grid.nprow : m->grid.npcol, block = index / m->block[axis];
  *local = (int64_t)(block / procs) * m->block[axis] + index % m->block[axis];
  return (block + m->source[axis]) % procs;
}

/* The address of element (i, j); NULL if it is on another process. */
static unsigned char *find_element(const matrix *m, int i, int j)
{
  int64_t row, column;
  if (owner_of(m, 0, i, &row) != m->grid.row || owner_of(m, 1, j, &column) != m->grid.col) return NULL;
  return m->memory + GUARD + (column * m->ld + row) * m->item;
}

void matrix_start(matrix *m, matrix_type type)
{
  static const int64_t items[TYPES] = {sizeof(dap_scalapack_int), 4, 8, 8, 16};
  m->type = type, m->item = items[type];
  grid_start(&m->grid);
  const int place[2] = {m->grid.row, m->grid.col};
  for (int k = 0; k < 2; k++) {
    int64_t at;
    m->local[k] = 0;
    for (int i = 0; i < m->size[k]; i++) m->local[k] += owner_of(m, k, i, &at) == place[k];
  }
  m->ld = (m->local[0] > 0 ? m->local[0] : 1) + m->gap;
  m->bytes = 2 * GUARD + m->ld * m->local[1] * m->item;
  m->memory = test_must(malloc((size_t)m->bytes));
  m->data = m->local[0] * m->local[1] > 0 ? m->memory + GUARD : NULL;
  matrix_clear(m);
  m->desc[0] = 1, m->desc[1] = m->grid.context, m->desc[8] = (dap_scalapack_int)m->ld;
  for (int k = 0; k < 2; k++)
    m->desc[2 + k] = m->size[k], m->desc[4 + k] = m->block[k], m->desc[6 + k] = m->source[k];
  for (int w = 0; w < 9 && place[0] < 0; w++)
    if (w != 1) m->desc[w] = -7777 - w;
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
  matrix whole = *m;
  whole.start[0] = whole.start[1] = 0;
  matrix_expect(&whole, &whole, m->size, salt);
}

void matrix_expect(matrix *m, const matrix *a, const int part[2], int salt)
{
  for (int i = 0; i < part[0]; i++)
    for (int j = 0; j < part[1]; j++) {
      unsigned char *element = find_element(m, m->start[0] + i, m->start[1] + j);
      const int64_t number = (int64_t)(a->start[0] + i) * 65536 + a->start[1] + j + (int64_t)salt * 61;
      if (element) bytes_of(m->item, number, element);
    }
}

unsigned char *matrix_copy(const matrix *m)
{
  return memcpy(test_must(malloc((size_t)m->bytes)), m->memory, (size_t)m->bytes);
}

bool matrix_holds(const matrix *m, const unsigned char *want, const char *what)
{
  return EXPECT_MSG(!memcmp(m->memory, want, (size_t)m->bytes), "%s: not what they should be", what);
}

unsigned char *matrix_model(matrix *b, const matrix *a, const int part[2], int salt)
{
  matrix_clear(b);
  matrix_expect(b, a, part, salt);
  unsigned char *model = matrix_copy(b);
  matrix_clear(b);
  return model;
}

/* ---- routines ------------------------------------------------------------------------------------------ */

const gemr2d_routine reference[TYPES] = {
    {pigemr2d_, Cpigemr2d, pigemr2do_, Cpigemr2do}, {psgemr2d_, Cpsgemr2d, psgemr2do_, Cpsgemr2do},
    {pdgemr2d_, Cpdgemr2d, pdgemr2do_, Cpdgemr2do}, {pcgemr2d_, Cpcgemr2d, pcgemr2do_, Cpcgemr2do},
    {pzgemr2d_, Cpzgemr2d, pzgemr2do_, Cpzgemr2do},
};
gemr2d_routine dropin[TYPES];
static void *library;

void calls_take_plans_only(bool only)
{
  EXPECT((only ? setenv("DAPBRIDGE_GEMR2D", "plans", 1) : unsetenv("DAPBRIDGE_GEMR2D")) == 0);
}

/* ISO C has no conversion of dlsym()'s result to a function's address. */
bool calls_load(void)
{
  static const char *const formats[CALL_FORMS] = {"p%cgemr2d_", "Cp%cgemr2d", "p%cgemr2do_", "Cp%cgemr2do"};
  calls_take_plans_only(true);
  if (dropin[0].fortran) return true;
  library = dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  bool ok = EXPECT_MSG(library, "%s", dlerror());
  for (int i = 0; i < (int)TYPES * CALL_FORMS && library; i++) {
    char name[32];
    (void)snprintf(name, sizeof name, formats[i % CALL_FORMS], TYPE_LETTERS[i / CALL_FORMS]);
    void *ours = dlsym(library, name), *theirs;
    memcpy(&theirs, (const char *)reference + i * (int)sizeof theirs, sizeof theirs);
    memcpy((char *)dropin + i * (int)sizeof ours, &ours, sizeof ours);
    ok = EXPECT_MSG(ours && ours != theirs, "the drop-in has no %s of its own", name) && ok;
  }
  return ok;
}

void calls_unload(void)
{
  memset(dropin, 0, sizeof dropin);
  EXPECT(dlclose(library) == 0);
}

void call_gemr2d(const gemr2d_routine of[], call_form form, const matrix *a, matrix *b, const int part[2],
                 const grid *all)
{
  const gemr2d_routine *r = &of[a->type];
  const dap_scalapack_int m = part[0], n = part[1], ia = a->start[0] + 1, ja = a->start[1] + 1;
  const dap_scalapack_int ib = b->start[0] + 1, jb = b->start[1] + 1;
  if (form == CALL_FORTRAN)
    r->fortran(&m, &n, a->data, &ia, &ja, a->desc, b->data, &ib, &jb, b->desc, &all->context);
  else if (form == CALL_C)
    r->c(m, n, a->data, ia, ja, a->desc, b->data, ib, jb, b->desc, all->context);
  else if (form == CALL_FORTRAN_OLD)
    r->fortran_old(&m, &n, a->data, &ia, &ja, a->desc, b->data, &ib, &jb, b->desc);
  else
    r->c_old(m, n, a->data, ia, ja, a->desc, b->data, ib, jb, b->desc);
}

/* ---- moves -------------------------------------------------------------------------------------------- */

setting setting_start(matrix a, matrix b, matrix_type type)
{
  setting s = {.all = grid_from(1, test_nprocs(), 0), .a = a, .b = b};
  grid_start(&s.all);
  matrix_start(&s.a, type);
  matrix_start(&s.b, type);
  return s;
}

void setting_stop(setting *s)
{
  matrix_stop(&s->a);
  matrix_stop(&s->b);
  grid_stop(&s->all);
}

void check_move(setting *s, const int part[2], int salt)
{
  matrix_fill(&s->a, salt);
  unsigned char *model = matrix_model(&s->b, &s->a, part, salt);
  call_gemr2d(dropin, CALL_FORTRAN, &s->a, &s->b, part, &s->all);
  matrix_holds(&s->b, model, "the elements");
  free(model);
}
