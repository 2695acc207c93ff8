#define _POSIX_C_SOURCE 200809L /* dlfcn.h; NOLINT(bugprone-reserved-identifier) */
#include "calls.h"

#include <dlfcn.h>

typedef struct routine {
  dap_pgemr2d *fortran;
  dap_Cpgemr2d *c;
  dap_pgemr2do *fortran_old;
  dap_Cpgemr2do *c_old;
} routine;

static const routine reference[TYPES] = {
    {pigemr2d_, Cpigemr2d, pigemr2do_, Cpigemr2do}, {psgemr2d_, Cpsgemr2d, psgemr2do_, Cpsgemr2do},
    {pdgemr2d_, Cpdgemr2d, pdgemr2do_, Cpdgemr2do}, {pcgemr2d_, Cpcgemr2d, pcgemr2do_, Cpcgemr2do},
    {pzgemr2d_, Cpzgemr2d, pzgemr2do_, Cpzgemr2do},
};
static routine dropin[TYPES];
static void *library;

/* ISO C has no conversion of dlsym()'s result to a function's address. */
static bool find(const char *format, matrix_type type, void *function)
{
  char name[32];
  (void)snprintf(name, sizeof name, format, type_letter(type));
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return EXPECT_MSG(symbol, "the drop-in has no %s", name);
}

void calls_take_plans_only(bool only)
{
  EXPECT((only ? setenv("DAPBRIDGE_GEMR2D", "plans", 1) : unsetenv("DAPBRIDGE_GEMR2D")) == 0);
}

bool calls_load(void)
{
  calls_take_plans_only(true);
  if (dropin[0].fortran) return true;
  library = dlopen(DROPIN_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!EXPECT_MSG(library, "%s", dlerror())) return false;
  bool ok = true;
  for (matrix_type t = TYPE_I; t < TYPES; t++) {
    ok = find("p%cgemr2d_", t, &dropin[t].fortran) && ok;
    ok = find("Cp%cgemr2d", t, &dropin[t].c) && ok;
    ok = find("p%cgemr2do_", t, &dropin[t].fortran_old) && ok;
    ok = find("Cp%cgemr2do", t, &dropin[t].c_old) && ok;
    ok = EXPECT(dropin[t].fortran != reference[t].fortran && dropin[t].c != reference[t].c) && ok;
    ok = EXPECT(dropin[t].fortran_old != reference[t].fortran_old && dropin[t].c_old != reference[t].c_old) &&
         ok;
  }
  return ok;
}

void calls_unload(void)
{
  memset(dropin, 0, sizeof dropin);
  EXPECT(dlclose(library) == 0);
}

static void call(const routine *r, call_form form, const matrix *a, matrix *b, const int part[2],
                 const grid *all)
{
  const dap_scalapack_int m = part[0], n = part[1], ia = a->start[0] + 1, ja = a->start[1] + 1;
  const dap_scalapack_int ib = b->start[0] + 1, jb = b->start[1] + 1;
  switch (form) {
  case FORM_FORTRAN:
    r->fortran(&m, &n, a->data, &ia, &ja, a->desc, b->data, &ib, &jb, b->desc, &all->context);
    break;
  case FORM_C:
    r->c(m, n, a->data, ia, ja, a->desc, b->data, ib, jb, b->desc, all->context);
    break;
  case FORM_FORTRAN_OLD:
    r->fortran_old(&m, &n, a->data, &ia, &ja, a->desc, b->data, &ib, &jb, b->desc);
    break;
  default:
    r->c_old(m, n, a->data, ia, ja, a->desc, b->data, ib, jb, b->desc);
  }
}

void call_reference(call_form form, const matrix *a, matrix *b, const int part[2], const grid *all)
{
  call(&reference[a->type], form, a, b, part, all);
}

void call_dropin(call_form form, const matrix *a, matrix *b, const int part[2], const grid *all)
{
  call(&dropin[a->type], form, a, b, part, all);
}

dap_pgemr2d *dropin_pdgemr2d(void)
{
  return dropin[TYPE_D].fortran;
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
  check_move_of(s, s->a.data, s->b.data, part, salt);
}

void check_move_of(setting *s, void *from, void *to, const int part[2], int salt)
{
  matrix told[] = {s->a, s->b};
  matrix_fill(&s->a, salt);
  unsigned char *model = matrix_model(&s->b, &s->a, part, salt);
  told[0].data = from;
  told[1].data = to;
  call_dropin(FORM_FORTRAN, &told[0], &told[1], part, &s->all);
  EXPECT_MSG(!memcmp(s->b.memory, model, (size_t)s->b.bytes), "the elements are not right");
  free(model);
}
