/* One process has a wrong or different argument while a plan is made. All processes must get the same error
 * text. */
#include "mpi_test.h"

#include <dapbridge/context.h>

/* All arguments of a plan of doubles. */
typedef struct request {
  dap_side from, to;
  int64_t from_strides[2], to_strides[2], from_start[2], to_start[2], from_shape[2], to_shape[2], itemsize;
  int axes[2];
  double alpha[2], beta[2];
  dap_plan_options options;
} request;

/* Defines what one process does to its request. */
#define MISTAKE(name, ...)                                                                                   \
  static void name(request *r)                                                                               \
  {                                                                                                          \
    __VA_ARGS__;                                                                                             \
  }

MISTAKE(other_axes, r->axes[0] = 0, r->axes[1] = 1, r->from_shape[0] = 20, r->from_shape[1] = 9)
MISTAKE(no_axes, other_axes(r), r->from.part.axes = NULL, r->from.part.naxes = 0)
MISTAKE(axes_forgotten, r->from.part.axes = NULL)
MISTAKE(axis_twice, r->axes[1] = r->axes[0])
MISTAKE(axis_outside, r->axes[0] = 2)
MISTAKE(other_shape, r->to_shape[1]--, r->from_shape[0]--)
MISTAKE(no_shape, r->from.part.shape = r->to.part.shape = NULL)
MISTAKE(one_shape, r->to_shape[1]--)
MISTAKE(imaginary_alpha, r->alpha[1] = 1)
MISTAKE(imaginary_beta, r->beta[1] = -1)
MISTAKE(opaque_swapped, r->from.dtype = r->to.dtype = DAP_NONE, r->options = (dap_plan_options){0},
        r->itemsize = 8, r->from.swapped = true)
MISTAKE(other_from_start, r->from_start[1]--)
MISTAKE(other_to_start, r->to_start[0]++)
MISTAKE(start_outside, r->to_start[1] = 1000)
MISTAKE(negative_start, r->from_start[0] = -1)
MISTAKE(other_type, r->to.dtype = DAP_C16, r->to_strides[0] *= 2, r->to_strides[1] *= 2)
MISTAKE(no_type, r->from.dtype = DAP_NONE)
MISTAKE(bad_type, r->from.dtype = (dap_dtype)99)
MISTAKE(lossy_type, r->to.dtype = DAP_F4)
MISTAKE(bad_itemsize, r->itemsize = 4)
MISTAKE(conjugated, r->options.conjugate = true)
MISTAKE(other_alpha, r->alpha[0] = 3)
MISTAKE(other_beta, r->beta[0] = 3)
MISTAKE(other_memory, r->options.memory_bytes = 1 << 20)
MISTAKE(negative_memory, r->options.memory_bytes = -1)
MISTAKE(other_transports, r->options.transports = DAP_TRANSPORT_MESSAGES)

typedef struct mistake {
  const char *why;
  void (*make)(request *r);
  dap_status status;
  const char *parts; /* parts of the text, separated by '|' */
  int least;         /* fewest processes */
} mistake;

static const mistake mistakes[] = {
    {"axes say where each element goes", other_axes, DAP_ERR_ARG, "parts|not the same", 2},
    {"none are others than these", no_axes, DAP_ERR_ARG, "parts|not the same", 2},
    {"axes that are counted are named", axes_forgotten, DAP_ERR_ARG, "from|naxes|2, and axes is NULL", 1},
    {"each axis goes to one", axis_twice, DAP_ERR_ARG, "axes[1]|twice", 1},
    {"and is there", axis_outside, DAP_ERR_ARG, "axes[0] = 2|outside", 1},
    {"the part is as large everywhere", other_shape, DAP_ERR_ARG, "parts|not the same", 2},
    {"no shape: to the ends of both, which differ", no_shape, DAP_ERR_ARG, "axis 0", 1},
    {"both parts have one shape", one_shape, DAP_ERR_ARG, "axis 1: from has size 9|to has 8", 1},
    {"real elements have no imaginary part", imaginary_alpha, DAP_ERR_ARG, "alpha|imaginary part, 1", 1},
    {"nor anything that one is added to", imaginary_beta, DAP_ERR_ARG, "beta|imaginary part, -1", 1},
    {"only numbers have a byte order", opaque_swapped, DAP_ERR_ARG, "swapped|dtypes", 1},
    {"it begins at the same element of the source", other_from_start, DAP_ERR_ARG, "parts|not the same", 2},
    {"and of the destination", other_to_start, DAP_ERR_ARG, "parts|not the same", 2},
    {"which is there", start_outside, DAP_ERR_ARG, "to|axis 1|1000", 1},
    {"and not before the first", negative_start, DAP_ERR_ARG, "from|-1", 1},
    {"elements become the same everywhere", other_type, DAP_ERR_ARG, "dtypes|not the same", 2},
    {"both sides have types or neither", no_type, DAP_ERR_ARG, "from has none|to has a dtype", 1},
    {"a type that there is", bad_type, DAP_ERR_ARG, "dtypes|99", 1},
    {"a cast that one process alone may not make", lossy_type, DAP_ERR_ARG, "float64|float32|lossy|rule 20",
     1},
    {"an itemsize that is not the type's", bad_itemsize, DAP_ERR_ARG, "itemsize 4|8", 1},
    {"what is done to elements is the same: conjugate", conjugated, DAP_ERR_ARG, "conjugate|not the same", 2},
    {"alpha", other_alpha, DAP_ERR_ARG, "alpha|not the same", 2},
    {"beta", other_beta, DAP_ERR_ARG, "beta|not the same", 2},
    {"memory decides how moves are cut", other_memory, DAP_ERR_ARG, "memory_bytes|not the same", 2},
    {"there is no less than none", negative_memory, DAP_ERR_ARG, "memory_bytes -1", 1},
    {"both ends take the same way", other_transports, DAP_ERR_ARG, "transports|not the same", 2},
};

/* A part of 20 x 9 elements, whose axes are exchanged, is added to what is there. */
static void make_request(request *r, const dap_layout *from, const dap_layout *to)
{
  *r = (request){.from = {.layout = from, .dtype = DAP_F8},
                 .to = {.layout = to, .dtype = DAP_F8},
                 .from_start = {1, 2},
                 .to_start = {2, 1},
                 .from_shape = {9, 20},
                 .to_shape = {20, 9},
                 .axes = {1, 0},
                 .alpha = {2, 0},
                 .beta = {1, 0},
                 .from_strides = {8 * 30, 8},
                 .to_strides = {8 * 30, 8}};
  r->from.part = (dap_part){.naxes = 2, .axes = r->axes, .start = r->from_start, .shape = r->from_shape};
  r->to.part = (dap_part){.start = r->to_start, .shape = r->to_shape};
  r->from.strides = r->from_strides;
  r->to.strides = r->to_strides;
  r->options = (dap_plan_options){.alpha = r->alpha, .beta = r->beta};
}

static void arguments_of_one_process(void **state)
{
  (void)state;
  const int n = test_nprocs();
  const dap_dist from_dists[] = {dap_dist_even(24, 1), dap_dist_even(30, n)};
  const dap_dist to_dists[] = {dap_dist_cyclic(26, n, 2), dap_dist_even(25, 1)};
  dap_layout *from = NULL, *to = NULL;
  dap_error err = {0};
  EXPECT_OK(dap_layout_create(2, from_dists, &from, &err), &err);
  EXPECT_OK(dap_layout_create(2, to_dists, &to, &err), &err);
  dap_context *context; /* which is made now, and stays with MPI_COMM_WORLD */
  EXPECT_OK(dap_context_get(MPI_COMM_WORLD, NULL, &context, &err), &err);
  dap_context_release(&context);
  const int64_t files = open_files(), maps = mapped_files();
  for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
    const mistake *m = &mistakes[i];
    request r;
    dap_plan *plan = NULL;
    TEST_CASE("%s", m->why);
    make_request(&r, from, to);
    if (test_rank() == n - 1 && n >= m->least) m->make(&r);
    const dap_status s = dap_plan_create(MPI_COMM_WORLD, &r.from, &r.to, r.itemsize, &r.options, &plan, &err);
    if (n < m->least)
      EXPECT_OK(s, &err);
    else
      expect_same_error(MPI_COMM_WORLD, s, &err, m->status, m->parts);
    EXPECT((plan == NULL) == (n >= m->least));
    dap_plan_destroy(&plan);
    SETTLE();
  }
  EXPECT(test_same_files(files, open_files()));
  EXPECT_INT(mapped_files(), maps);
  dap_layout_destroy(&from);
  dap_layout_destroy(&to);
  SETTLE();
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(arguments_of_one_process)};

MPI_TEST_MAIN(tests)
