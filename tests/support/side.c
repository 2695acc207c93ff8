#include "side.h"

#include "mpi_test.h"

/* ---- made --------------------------------------------------------------------------------------- */

const int *random_part(test_random *random, int nprocs, int ranks[])
{
  int all[BRUTE_PROCS];
  const bool given = test_random_one_in(random, 2);
  random_ranks(random, test_nprocs(), all);
  memcpy(ranks, all, (size_t)nprocs * sizeof *ranks);
  return given ? ranks : NULL;
}

/* Assembles the layout again, on its own processes only and in its order. */
static dap_layout *assemble_part(const test_side *s)
{
  MPI_Comm members = MPI_COMM_NULL;
  test_random types = test_random_init(500 + (uint64_t)test_rank());
  dap_layout *assembled = NULL;
  MPI_Comm_split(MPI_COMM_WORLD, s->process < 0 ? MPI_UNDEFINED : 0, s->process, &members);
  if (s->process < 0) return NULL;
  assembled = assemble_again(members, s->layout, NULL, &types);
  EXPECT_MSG(is_as_read(assembled, s->layout), "assembled, it is another layout");
  MPI_Comm_free(&members);
  return assembled;
}

test_side side_make(const random_array *array, side_origin origin, const int ranks[], int64_t itemsize,
                    test_form form, test_random *random)
{
  test_side s = {.array = array, .process = -1, .itemsize = itemsize};
  for (int i = 0; i < array->nprocs; i++) {
    s.ranks[i] = ranks ? ranks[i] : i;
    if (s.ranks[i] == test_rank()) s.process = i;
  }
  s.layout = random_array_layout(array);
  s.buffer = test_buffer_make(s.layout, s.process < 0 ? 0 : s.process, itemsize, form, random);
  if (origin == CREATED || !random_array_can_assemble(array)) return s;
  dap_layout *assembled = assemble_part(&s);
  const bool takes = assembled && (origin == ASSEMBLED || test_rank() % 2);
  dap_layout_destroy(takes ? &s.layout : &assembled);
  if (takes) s.layout = assembled;
  return s;
}

test_side side_draw(test_random *random, int ndim, const int64_t size[], int64_t itemsize, bool reorders,
                    random_array *array)
{
  int ranks[BRUTE_PROCS], nprocs = ndim > 0 ? test_nprocs() : 1;
  if (test_random_one_in(random, 3)) nprocs = (int)test_random_int(random, 1, nprocs);
  random_array_draw(random, nprocs, ndim, size, array);
  const int *given = reorders ? random_part(random, nprocs, ranks) : NULL;
  const side_origin origin = (side_origin)test_random_int(random, CREATED, MIXED);
  return side_make(array, origin, given, itemsize, (test_form)test_random_int(random, 0, FORM_COUNT - 1),
                   random);
}

void side_free(test_side *s)
{
  dap_layout_destroy(&s->layout);
  test_buffer_free(&s->buffer);
}

dap_side side_of(const test_side *s)
{
  return (dap_side){.layout = s->layout, .ranks = s->ranks, .strides = s->buffer.strides};
}

void *side_data(const test_side *s)
{
  return s->process < 0 ? NULL : s->buffer.data;
}

/* ---- filled and checked -------------------------------------------------------------------------- */

enum { WRONG = 101 /* a shift by this number changes even elements of one byte */ };

unsigned char *side_place(const test_side *s, const brute_walk *w)
{
  unsigned char *place = s->buffer.data;
  for (int k = 0; k < s->array->ndim; k++) place += w->local[k] * s->buffer.strides[k];
  return place;
}

static void value_at(const test_side *s, const brute_walk *w, int64_t shift, side_copies copies,
                     test_padding padding, unsigned char *value)
{
  if (w->part == BRUTE_PADDING && padding != PADDING_FILLED)
    memset(value, TEST_POISON, (size_t)s->itemsize);
  else if (w->part == BRUTE_COPY && copies == COPIES_WRONG && !w->alike)
    bytes_of(s->itemsize, w->flat + shift + WRONG, value);
  else
    bytes_of(s->itemsize, w->flat + shift, value);
}

void side_fill(const test_side *s, int64_t shift, side_copies copies)
{
  if (s->process < 0) return;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w))
    value_at(s, &w, shift, copies, PADDING_POISON, side_place(s, &w));
}

void side_poison(const test_side *s)
{
  memset(s->buffer.memory, TEST_POISON, (size_t)s->buffer.bytes);
}

bool side_check(const test_side *s, int64_t shift, side_copies copies, test_padding padding)
{
  static const char *const parts[] = {"owned element", "copy of an element", "padding"};
  unsigned char want[SIDE_ITEM];
  if (s->process < 0 || !EXPECT(s->itemsize <= (int64_t)sizeof want)) return true;
  for (brute_walk w = brute_walk_start(&s->array->model, s->process); !w.done; brute_walk_next(&w)) {
    value_at(s, &w, shift, copies, padding, want);
    if (!expect_bytes(side_place(s, &w), want, s->itemsize, parts[w.part], s->array->ndim, w.local, w.global))
      return false;
  }
  return check_gaps(&s->buffer);
}

/* ---- the whole array ------------------------------------------------------------------------------ */

bool whole_check(const random_array *array, int64_t itemsize, int64_t shift, const unsigned char *whole)
{
  unsigned char want[SIDE_ITEM];
  for (int64_t i = 0; i < array->model.count; i++) {
    bytes_of(itemsize, i + shift, want);
    if (!expect_bytes(whole + i * itemsize, want, itemsize, "element of the whole array", 1, &i, &i))
      return false;
  }
  return true;
}
