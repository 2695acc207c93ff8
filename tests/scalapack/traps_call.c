/* Calls of Fortran routines by a text that says their arguments. */
#include "traps.h"

#include <dapbridge/scalapack_calls.h>

enum { WORK = 1 << 15 /* elements, for matrices of this size more than any routine wants */ };
enum { SPACES = 12, LETTERS = 8, ARGUMENTS = 36 };

/* ---- work space --------------------------------------------------------------------------------------- */

typedef struct space {
  char name[LETTERS + 1];
  void *memory;
} space;

/* The row's calls, with a word and its length. */
typedef struct reader {
  trap *t;
  const char *word;
  size_t length;
  space spaces[SPACES];
  void *arguments[ARGUMENTS];
  int count;
} reader;

static bool is(const reader *r, const char *word)
{
  return strlen(word) == r->length && !memcmp(r->word, word, r->length);
}

/* Row i of `m` is swapped with this one. */
static int64_t partner(int64_t i, int64_t m)
{
  return i + (i * i + 5) % (m - i);
}

/* Rows of the whole matrix, counted from 0, that this process has before this one. */
static int64_t rows_before(const dap_scalapack_matrix *a, int64_t row)
{
  dap_scalapack_int procs[2], place[2];
  const dap_scalapack_int end = (dap_scalapack_int)row;
  Cblacs_gridinfo(a->desc[1], &procs[0], &procs[1], &place[0], &place[1]);
  return numroc_(&end, &a->desc[4], &place[0], &a->desc[6], &procs[0]);
}

/* As getrf gives them: a process has those of its rows. */
static void fill_swaps(const dap_scalapack_matrix *a, dap_scalapack_int *pivots)
{
  for (int64_t i = 0; i < a->m; i++) {
    const int64_t row = a->ia - 1 + i, here = rows_before(a, row);
    if (rows_before(a, row + 1) > here) pivots[here] = (dap_scalapack_int)(a->ia + partner(i, a->m));
  }
}

/* The descriptor of pivots that are dealt as the matrix's rows. */
static void fill_descriptor(const dap_scalapack_matrix *a, dap_scalapack_int *desc)
{
  dap_scalapack_int procs[2], place[2];
  Cblacs_gridinfo(a->desc[1], &procs[0], &procs[1], &place[0], &place[1]);
  memcpy(desc, a->desc, sizeof a->desc);
  desc[2] = a->desc[2] + a->desc[4] * procs[0], desc[3] = 1, desc[5] = 1, desc[7] = place[1];
}

/* What some words have in their space at first. */
static void fill_space(const reader *r, void *memory)
{
  const dap_scalapack_matrix *a = &r->t->views[0];
  if (is(r, "swaps")) fill_swaps(a, memory);
  if (is(r, "dealt")) fill_descriptor(a, memory);
  if (is(r, "lwork")) *(dap_scalapack_int *)memory = WORK;
  if (is(r, "norm"))
    element_store(r->t->type->real, whole_norm('1', r->t->size[0][0], r->t->size[0][1], r->t->before[0]),
                  memory);
  for (int i = 0; i < WORK && is(r, "last"); i++) ((dap_scalapack_int *)memory)[i] = a->ia + a->m - 1;
}

/* The word's own, which is made where it comes first. */
static void *space_of(reader *r)
{
  int i = 0;
  while (i < SPACES && r->spaces[i].memory && !is(r, r->spaces[i].name)) i++;
  if (!EXPECT_MSG(i < SPACES && r->length <= LETTERS, "no room for \"%s\"", r->word)) return NULL;
  if (r->spaces[i].memory) return r->spaces[i].memory;
  memcpy(r->spaces[i].name, r->word, r->length);
  r->spaces[i].memory = zeros(SLACK + 16 * WORK, 1);
  fill_space(r, r->spaces[i].memory);
  return r->spaces[i].memory;
}

/* ---- arguments ---------------------------------------------------------------------------------------- */

static void add(reader *r, const void *argument)
{
  r->arguments[r->count++] = (void *)argument;
}

/* A number of the type; NULL: the word is not one. */
static const void *number_of(const reader *r)
{
  static const char *const words[] = {"zero", "one", "two", "minus"};
  static const float single[][2] = {{0, 0}, {1, 0}, {2, 0}, {-1, 0}};
  static const double twice[][2] = {{0, 0}, {1, 0}, {2, 0}, {-1, 0}};
  for (int i = 0; i < 4; i++)
    if (is(r, words[i])) return r->t->type->real == DAP_F4 ? (const void *)single[i] : twice[i];
  return NULL;
}

/* A size or index of an operand, whose number ends the word; NULL: the word is not one. */
static const void *size_of(const reader *r)
{
  const char last = r->word[r->length - 1];
  if (last < '0' || last >= '0' + OPERANDS || r->length > 3) return NULL;
  const dap_scalapack_matrix *m = &r->t->views[last - '0'];
  return r->word[0] == 'm' ? &m->m : r->word[0] == 'n' ? &m->n : &m->ia;
}

static void *values_of(const reader *r)
{
  const int64_t *size = r->t->size[0];
  r->t->count = is(r, "value") ? 1 : size[0] < size[1] ? size[0] : size[1];
  return r->t->values;
}

static void add_argument(reader *r)
{
  static const dap_scalapack_int integers[] = {0, 1};
  if (r->word[0] == '\'') {
    add(r, r->word + 1);
  } else if (r->length == 1 && r->word[0] >= 'A' && r->word[0] < 'A' + OPERANDS) {
    dap_scalapack_matrix *m = &r->t->views[r->word[0] - 'A'];
    add(r, m->data), add(r, &m->ia), add(r, &m->ja), add(r, m->desc);
  } else if (is(r, "1")) {
    add(r, &integers[1]);
  } else if (is(r, "info")) {
    add(r, &r->t->info);
  } else if (is(r, "values") || is(r, "value")) {
    add(r, values_of(r));
  } else if (number_of(r)) {
    add(r, number_of(r));
  } else {
    add(r, size_of(r) ? size_of(r) : space_of(r));
  }
}

/* ---- calls -------------------------------------------------------------------------------------------- */

/* Fortran takes addresses only. What follows the last argument is not looked at, unless as the length of
 * characters. */
#define NINE void *, void *, void *, void *, void *, void *, void *, void *, void *
#define NINE_OF(a) (a)[0], (a)[1], (a)[2], (a)[3], (a)[4], (a)[5], (a)[6], (a)[7], (a)[8]
#define ALL NINE_OF(a), NINE_OF(a + 9), NINE_OF(a + 18), NINE_OF(a + 27)
typedef void subroutine(NINE, NINE, NINE, NINE);
typedef float single_function(NINE, NINE, NINE, NINE);
typedef double double_function(NINE, NINE, NINE, NINE);

static void call(reader *r, trap_function *function, bool has_result)
{
  void **a = r->arguments;
  for (int i = r->count; i < ARGUMENTS; i++) a[i] = (void *)1;
  if (!has_result) {
    ((subroutine *)function)(ALL);
    return;
  }
  const bool is_single = r->t->type->real == DAP_F4;
  const double result =
      is_single ? (double)((single_function *)function)(ALL) : ((double_function *)function)(ALL);
  element_store(r->t->type->real, result, r->t->values);
  r->t->count = 1;
}

/* To the next word of the call; false: it has no more. */
static bool next_word(reader *r)
{
  r->word += r->length;
  r->word += strspn(r->word, " ");
  r->length = strcspn(r->word, " ;");
  return r->length > 0;
}

void trap_call(trap *t)
{
  reader r = {.t = t, .word = t->routine->calls};
  t->info = 0;
  t->count = 0;
  for (; t->info == 0 && next_word(&r); r.word += *r.word == ';') {
    const bool has_result = *r.word == '=';
    trap_function *function = trap_function_of(r.word + has_result, r.length - has_result, t->letter);
    r.count = 0;
    while (next_word(&r)) {
      const bool is_optional = *r.word == '?';
      r.word += is_optional, r.length -= is_optional;
      if (!is_optional || t->type->is_complex) add_argument(&r);
    }
    if (EXPECT_MSG(function, "no routine for \"%s\"", t->routine->calls)) call(&r, function, has_result);
  }
  for (int i = 0; i < SPACES; i++) free(r.spaces[i].memory);
}
