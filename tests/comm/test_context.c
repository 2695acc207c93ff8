/* Tests contexts. Each communicator has one, which is found again and not inherited, and ends with the
 * communicator, the last user or MPI.
 *
 * Created and freed communicators are counted. Private: no public function keeps objects or gives tags. */
#include "comm_impl.h"
#include "mpi_test.h"

/* ---- MPI, counted ------------------------------------------------------------------------------------ */

static int live;
static int hinted; /* duplicates to which hints and assertions of the original apply */

static int made(int code, const MPI_Comm *comm)
{
  live += code == MPI_SUCCESS && *comm != MPI_COMM_NULL;
  return code;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *own)
{
  hinted++;
  return made(PMPI_Comm_dup(comm, own), own);
}

static struct {
  dap_limit *limit;   /* expires in a function below; NULL: MPI works */
  bool as_duplicated; /* it expires in the first of these functions */
} expiring;

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *own)
{
  if (expiring.limit && expiring.as_duplicated) expiring.limit->is_expired = true;
  hinted += info != MPI_INFO_NULL;
  return made(PMPI_Comm_dup_with_info(comm, info, own), own);
}

/* Fails as a limit expires. */
int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *own)
{
  if (expiring.limit) expiring.limit->is_expired = true;
  if (expiring.limit) return MPI_ERR_OTHER;
  return made(PMPI_Comm_split_type(comm, type, key, info, own), own);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *own)
{
  return made(PMPI_Comm_split(comm, color, key, own), own);
}

int MPI_Comm_free(MPI_Comm *comm)
{
  live--;
  return PMPI_Comm_free(comm);
}

/* ---- kept objects ------------------------------------------------------------------------------------ */

typedef struct thing {
  int number;
  dap_context *context; /* the context that it uses, like a plan that is kept */
  MPI_Comm comm;
} thing;

static struct {
  int count, last;
  bool mpi_ends;
} destroyed;

static void destroy(void *object, bool mpi_ends)
{
  thing *t = object;
  destroyed.mpi_ends = mpi_ends && (destroyed.count == 0 || destroyed.mpi_ends);
  destroyed.count++;
  destroyed.last = t->number;
  if (t->comm != MPI_COMM_NULL) MPI_Barrier(t->comm); /* MPI still works, and all processes are here */
  dap_context_release(&t->context);
}

static const dap_kept_kind kind = {sizeof(thing), destroy}, another = {sizeof(thing), destroy};

static dap_context *get(MPI_Comm comm)
{
  dap_context *context;
  dap_error err = {0};
  EXPECT_OK(dap_context_get(comm, "a test", &context, &err), &err);
  return context;
}

static thing *keep(dap_context *context, const dap_kept_kind *of, int number)
{
  thing *t = dap_context_keep(context, of);
  if (!EXPECT(t && t->number == 0 && !t->context)) return t;
  *t = (thing){.number = number, .comm = dap_context_comm(context)};
  return t;
}

/* ---- life -------------------------------------------------------------------------------------------- */

static void a_communicator_has_one(void **state)
{
  (void)state;
  MPI_Comm comm, copy;
  const int before = live;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  hinted = 0;
  dap_context *first = get(comm);
  const int made_once = live;
  EXPECT_INT(hinted, 0);
  dap_context *again = get(comm), *of_own = get(dap_context_comm(first));
  EXPECT(again == first && of_own == first);
  EXPECT_INT(live, made_once);
  MPI_Comm_dup(comm, &copy);
  dap_context *others = get(copy);
  EXPECT(others != first && dap_context_comm(others) != dap_context_comm(first));
  dap_context_release(&others);
  MPI_Comm_free(&copy);
  EXPECT_INT(live, made_once);
  for (dap_context *each[] = {first, again, of_own}, **c = each; c < each + 3; c++) dap_context_release(c);
  EXPECT_INT(live, made_once); /* the context remains without users */
  dap_context *later = get(comm);
  EXPECT(later == first);
  dap_context_release(&later);
  MPI_Comm_free(&comm);
  EXPECT_INT(live, before);
  SETTLE();
}

static void objects_are_kept_by_kind(void **state)
{
  (void)state;
  MPI_Comm comm;
  const int before = live;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  const thing *first = keep(context, &kind, 1), *second = keep(context, &another, 2);
  EXPECT(first != second);
  EXPECT(dap_context_keep(context, &kind) == first && dap_context_keep(context, &another) == second);
  dap_context_release(&context);
  destroyed.count = 0;
  MPI_Comm_free(&comm);
  EXPECT_INT(destroyed.count, 2);
  EXPECT(destroyed.last == 1 && !destroyed.mpi_ends); /* the newest object is destroyed first */
  EXPECT_INT(live, before);
  SETTLE();
}

/* A kept object may use the context, but must not keep it alive for ever. */
static void kept_users_go_with_the_communicator(void **state)
{
  (void)state;
  MPI_Comm comm;
  const int before = live;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  keep(context, &kind, 1)->context = context;
  keep(context, &another, 2)->context = get(comm);
  destroyed.count = 0;
  MPI_Comm_free(&comm);
  EXPECT_INT(destroyed.count, 2);
  EXPECT_INT(live, before);
  SETTLE();
}

static void users_outlive_the_communicator(void **state)
{
  (void)state;
  MPI_Comm comm;
  const int before = live;
  int64_t word = test_rank();
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm), *again = get(comm);
  MPI_Comm_free(&comm);
  EXPECT(live > before);
  EXPECT_OK(dap_context_reduce(context, DAP_REDUCE_MIN, &word, 1, &err), &err);
  EXPECT_INT(word, 0);
  MPI_Barrier(dap_context_comm(context));
  dap_context_release(&context);
  EXPECT(live > before);
  dap_context_release(&again);
  EXPECT_INT(live, before);
  dap_context_release(&again); /* releases NULL */
  SETTLE();
}

/* ---- functions --------------------------------------------------------------------------------------- */

enum { FUNCTIONS = 5 };
static const char *const named[FUNCTIONS] = {"dap_first", "dap_second", NULL, NULL, "dap_fifth"};

/* Acts like a function of an adapter: the first of its calls does not communicate if the communicator has a
 * context. */
static dap_status call_adapter(MPI_Comm comm, const char *name, dap_error *err)
{
  dap_context *context = NULL;
  dap_status s = dap_context_get(comm, name, &context, err);
  if (!s) s = dap_agree_call(comm, name, DAP_OK, err);
  if (context) dap_context_release(&context);
  return s;
}

static dap_status call_function(int which, MPI_Comm comm, dap_error *err)
{
  static const uint64_t words[20] = {0};
  static const char *const names[20] = {"a"};
  if (which == 0) return dap_agree_call(comm, named[0], DAP_OK, err);
  if (which == 1) return dap_agree_call(comm, named[1], dap_fail(err, DAP_ERR_RANGE, "its own"), err);
  if (which == 2) return dap_agree_words(comm, words, names, 20, err);
  if (which == 4) return call_adapter(comm, named[4], err);
  return dap_agree(comm, DAP_OK, err);
}

static void other_functions_are_named(void **state)
{
  (void)state;
  if (test_nprocs() == 1) return;
  for (int has_context = 0; has_context < 2; has_context++)
    for (int first = 0; first < FUNCTIONS; first++)
      for (int second = 0; second < FUNCTIONS; second++) {
        MPI_Comm comm;
        dap_error err = {0};
        const int odd = test_nprocs() - 1;
        if (first == second || (!named[first] && !named[second]))
          continue; /* without names there is nothing to report */
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        dap_context *context = has_context ? get(comm) : NULL;
        TEST_CASE("%d and %d, context %d", first, second, has_context);
        const dap_status s = call_function(test_rank() == odd ? second : first, comm, &err);
        expect_same_error(comm, s, &err, DAP_ERR_ARG, "this process is in |, rank 0 in ");
        EXPECT_INT(err.rank, odd);
        EXPECT(!named[first] || strstr(err.text, named[first]));
        EXPECT(!named[second] || strstr(err.text, named[second]));
        EXPECT_OK(dap_agree_call(comm, "dap_first", DAP_OK, &err), &err); /* later calls work */
        dap_context_release(&context);
        PMPI_Comm_free(&comm);
        SETTLE();
      }
}

/* On one node, processes in different functions can reduce different numbers of words. */
static void other_counts_are_refused(void **state)
{
  (void)state;
  MPI_Comm comm;
  int64_t words[2] = {1, 2};
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  const bool has_boards = context->pool.segment_count > 0 && dap_reduce_has_node(context);
  if (test_nprocs() > 1 && has_boards) {
    const dap_status s = dap_context_reduce(context, DAP_REDUCE_MIN, words, test_rank() == 0 ? 2 : 1, &err);
    EXPECT_FAIL(s, DAP_ERR_ARG, &err, "in different functions");
    EXPECT_OK(dap_context_reduce(context, DAP_REDUCE_MIN, words, 2, &err), &err); /* later calls work */
  }
  dap_context_release(&context);
  MPI_Comm_free(&comm);
  SETTLE();
}

/* ---- tags -------------------------------------------------------------------------------------------- */

static void tags_are_given_once(void **state)
{
  (void)state;
  const int before = live;
  const int *most_of_all = NULL;
  int found = 0;
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, 0, test_rank(), &part); /* may lack the attribute */
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most_of_all, &found);
  dap_context *of_part = get(part);
  EXPECT(found && of_part->most_tag == *most_of_all);
  dap_context_release(&of_part);
  MPI_Comm_free(&part);
  MPI_Comm comm;
  dap_tags first, second, third, fourth;
  dap_error err = {0};
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  dap_context *context = get(comm);
  EXPECT_OK(dap_context_tags(context, 3, &first, &err), &err);
  EXPECT_OK(dap_context_tags(context, 1, &second, &err), &err);
  EXPECT(first.comm == second.comm && second.first == first.first + 3);
  context->next_tag = context->most_tag - 1;
  EXPECT_OK(dap_context_tags(context, 2, &third, &err), &err);
  EXPECT(third.comm != first.comm && third.first == first.first);
  EXPECT_OK(dap_context_tags(context, 2, &fourth, &err), &err);
  EXPECT(fourth.comm == third.comm && fourth.first == third.first + 2);
  dap_context_release(&context);
  MPI_Comm_free(&comm);
  EXPECT_INT(live, before);
  SETTLE();
}

/* ---- the end ----------------------------------------------------------------------------------------- */

/* The context's communicator cannot be freed when a limit of waits has expired. It stays until MPI ends,
 * though no communicator has the context as an attribute. MPI_Finalize() below checks that it ends then. */
static void one_that_fails_stays(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    MPI_Comm comm;
    dap_context *context;
    dap_error err = {0};
    TEST_CASE("the limit expires %s", i ? "before processes agree on the communicator" : "later");
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    const int before = live;
    EXPECT_OK(dap_wait_limit(comm, 60, &err), &err);
    dap_limit *limit = dap_limit_of(comm);
    expiring.limit = limit;
    expiring.as_duplicated = i;
    EXPECT_FAIL(dap_context_get(comm, "a test", &context, &err), DAP_ERR_LIBRARY, &err, "");
    expiring.limit = NULL;
    EXPECT(!context);
    EXPECT_INT(live, before + 2); /* the limit has a communicator, too */
    limit->is_expired = false;    /* an expired limit never frees its communicator */
    MPI_Comm_free(&comm);
    SETTLE();
  }
}

static dap_context *left; /* in use when MPI ends */

/* Reverses the list, as if threads had made the contexts in another order than on other processes. */
static void reverse_contexts(void)
{
  dap_self *self = dap_self_lock(false);
  dap_context *reversed = NULL;
  for (dap_context *c = self->contexts, *next; c; c = next) {
    next = c->next;
    c->next = reversed;
    reversed = c;
  }
  self->contexts = reversed;
  dap_self_unlock();
}

static void some_are_left(void **state)
{
  (void)state;
  MPI_Comm comm;
  left = get(MPI_COMM_WORLD);
  keep(left, &kind, 7);
  dap_context *self = get(MPI_COMM_SELF), *orphan; /* MPI ends its attributes first, and one by one */
  keep(self, &kind, 9);
  dap_context_release(&self);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  orphan = get(comm);
  MPI_Comm_free(&comm); /* its context stays, because the object below uses it until MPI ends */
  keep(left, &another, 8)->context = orphan;
  test_ignore_leaks(true);
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm); /* the program never frees it */
  test_ignore_leaks(false);
  dap_context *other = get(comm);
  keep(other, &kind, 10);
  dap_context_release(&other);
  if (test_rank() % 2) reverse_contexts();
  destroyed.count = 0;
  SETTLE();
}

int MPI_Finalize(void)
{
  const int code = PMPI_Finalize();
  dap_error err = {0};
  dap_context *none;
  bool ok =
      live == 0 && destroyed.count == 4 && destroyed.mpi_ends && dap_context_comm(left) == MPI_COMM_NULL;
  dap_context_release(&left);
  ok = ok && !dap_mpi_is_running() && dap_agree(MPI_COMM_WORLD, DAP_OK, &err) == DAP_ERR_LIBRARY &&
       strstr(err.text, "MPI has been finalised") &&
       dap_context_get(MPI_COMM_WORLD, NULL, &none, &err) == DAP_ERR_LIBRARY;
  if (ok) return code;
  (void)fprintf(stderr, "after MPI_Finalize: %d communicators, %d objects destroyed\n", live,
                destroyed.count);
  exit(EXIT_FAILURE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_communicator_has_one),
    cmocka_unit_test(objects_are_kept_by_kind),
    cmocka_unit_test(kept_users_go_with_the_communicator),
    cmocka_unit_test(users_outlive_the_communicator),
    cmocka_unit_test(other_functions_are_named),
    cmocka_unit_test(other_counts_are_refused),
    cmocka_unit_test(tags_are_given_once),
    cmocka_unit_test(one_that_fails_stays),
    cmocka_unit_test(some_are_left),
};

int main(int argc, char **argv)
{
  dap_error err = {0};
  if (dap_agree(MPI_COMM_WORLD, DAP_OK, &err) != DAP_ERR_LIBRARY) return EXIT_FAILURE; /* before MPI_Init */
  return mpi_test_main(&argc, &argv, tests, sizeof tests / sizeof tests[0]);
}
