/* Makes calls of MPI fail. Private: functions of the library are wrapped in which such calls must not
 * fail. */
#include "faults.h"

#include "comm_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The linker's names. NOLINTBEGIN(bugprone-reserved-identifier) */

static struct {
  int64_t count, failing;
  int agreements, reductions, barriers; /* how many of these this process is in */
  int polls;
} calls;

const char *const mpi_failures_names[] = {DAP_TEST_MPI_NAMES, NULL};
const char *mpi_failures_spared;

enum { PENDING = 8, WORDS = 64 };
static struct {
  MPI_Request request;
  int64_t words[WORDS];
} pending[PENDING];
static int pending_count;

static void start(int64_t number)
{
  calls.polls = 0;
  calls.failing = number > 0 ? calls.count + number : 0;
}

static int64_t get_count(void)
{
  return calls.count;
}

const fault failing_calls = {"call of MPI", start, get_count};

void mpi_failures_end(void)
{
  for (int i = 0; i < pending_count; i++) (void)PMPI_Wait(&pending[i].request, MPI_STATUS_IGNORE);
  pending_count = 0;
}

int64_t *mpi_failures_times(const char *name)
{
  static int64_t times[sizeof mpi_failures_names / sizeof mpi_failures_names[0]];
  int i = 0;
  while (mpi_failures_names[i] && strcmp(mpi_failures_names[i], name) != 0) i++;
  if (!mpi_failures_names[i]) abort();
  return &times[i];
}

/* ---- calls -------------------------------------------------------------------------------------------- */

static bool fails(const char *name)
{
  if ((calls.agreements > 0 && calls.reductions > 0) || calls.barriers > 0) return false;
  if (mpi_failures_spared && strcmp(mpi_failures_spared, name) == 0) return false;
  const bool now = ++calls.count == calls.failing;
  if (calls.count <= calls.failing) ++*mpi_failures_times(name);
  if (now && getenv("DAP_TEST_LOUD"))
    (void)fprintf(stderr, "call %" PRId64 ", %s, fails\n", calls.count, name);
  return now;
}

/* ---- agreements --------------------------------------------------------------------------------------- */

/* In an agreement, MPI_Comm_rank, reductions and broadcasts do not fail. If waits have a limit, their
 * messages do not fail either. The reason is that a process without the result could not tell the others
 * (dapbridge/comm.h). Other calls can fail in an agreement, and these calls can fail anywhere else. */
#define INSIDE(depth, name, declared, given)                                                                 \
  __typeof__(name) __real_##name, __wrap_##name;                                                             \
  dap_status __wrap_##name declared                                                                          \
  {                                                                                                          \
    calls.depth++;                                                                                           \
    const dap_status agreed = __real_##name given;                                                           \
    calls.depth--;                                                                                           \
    return agreed;                                                                                           \
  }
INSIDE(agreements, dap_agree_all, (MPI_Comm comm, dap_agreement *a, dap_error *err), (comm, a, err))
INSIDE(agreements, dap_context_agree, (dap_context * c, dap_agreement *a, dap_error *err), (c, a, err))
INSIDE(agreements, dap_agree, (MPI_Comm comm, dap_status s, dap_error *err), (comm, s, err))
INSIDE(agreements, dap_agree_words,
       (MPI_Comm comm, const uint64_t words[], const char *const of[], int n, dap_error *err),
       (comm, words, of, n, err))
/* This function also gathers. Only its reduction does not fail. */
INSIDE(agreements, dap_reduce_and_gather,
       (dap_context * c, dap_status *s, int64_t words[], int n, int64_t gathered[], dap_error *err),
       (c, s, words, n, gathered, err))
/* This function finds out whether two groups can agree. */
INSIDE(agreements, dap_groups_merge, (MPI_Comm inter, MPI_Comm *both, dap_error *err), (inter, both, err))
/* This comes before calls of MPI that wait without end. */
INSIDE(barriers, dap_barrier, (MPI_Comm comm, dap_error *err), (comm, err))
INSIDE(reductions, dap_reduce_by_mpi,
       (MPI_Comm comm, dap_context *c, const char *function, dap_reduction how, int64_t words[], int n,
        dap_error *err),
       (comm, c, function, how, words, n, err))
INSIDE(reductions, dap_allreduce,
       (MPI_Comm comm, void *words, int n, MPI_Datatype type, MPI_Op op, dap_error *err),
       (comm, words, n, type, op, err))
INSIDE(reductions, dap_bcast, (MPI_Comm comm, void *at, int n, MPI_Datatype type, int root, dap_error *err),
       (comm, at, n, type, root, err))

/* ---- on this process ---------------------------------------------------------------------------------- */

/* Defines a call that can fail. If it fails, it does what `instead` says. */
#define REPLACED(name, declared, given, does_fail, instead)                                                  \
  __typeof__(name) __real_##name, __wrap_##name;                                                             \
  int __wrap_##name declared                                                                                 \
  {                                                                                                          \
    if (!(does_fail)) return __real_##name given;                                                            \
    instead;                                                                                                 \
    return MPI_ERR_OTHER;                                                                                    \
  }
#define ALONE(name, declared, given) REPLACED(name, declared, given, fails(#name), (void)0)

/* How often a process asks whether something is over depends on the others. So only the first times count. */
enum { POLLS = 6 };
#define ASKING(name, declared, given)                                                                        \
  REPLACED(name, declared, given, calls.polls++ < POLLS && fails(#name), (void)0)

ALONE(MPI_Cancel, (MPI_Request * request), (request))
ALONE(MPI_Comm_create_keyval,
      (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *end, int *key, void *extra),
      (copy, end, key, extra))
ALONE(MPI_Comm_delete_attr, (MPI_Comm comm, int key), (comm, key))
ALONE(MPI_Comm_free_keyval, (int *key), (key))
ALONE(MPI_Comm_get_attr, (MPI_Comm comm, int key, void *value, int *found), (comm, key, value, found))
ALONE(MPI_Comm_get_parent, (MPI_Comm * parent), (parent))
ALONE(MPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
ALONE(MPI_Comm_remote_size, (MPI_Comm comm, int *size), (comm, size))
ALONE(MPI_Comm_set_attr, (MPI_Comm comm, int key, void *value), (comm, key, value))
ALONE(MPI_Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (comm, handler))
ALONE(MPI_Comm_size, (MPI_Comm comm, int *size), (comm, size))
ALONE(MPI_Get_count, (const MPI_Status *status, MPI_Datatype type, int *count), (status, type, count))
ALONE(MPI_Get_library_version, (char *version, int *length), (version, length))
ALONE(MPI_Get_processor_name, (char *name, int *length), (name, length))
ALONE(MPI_Group_free, (MPI_Group * group), (group))
ALONE(MPI_Group_translate_ranks, (MPI_Group from, int n, const int a[], MPI_Group to, int b[]),
      (from, n, a, to, b))
ASKING(MPI_Iprobe, (int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status),
       (source, tag, comm, flag, status))
ALONE(MPI_Irecv, (void *at, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
      (at, n, type, from, tag, comm, request))
ALONE(MPI_Isend,
      (const void *at, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
      (at, n, type, to, tag, comm, request))
ALONE(MPI_Recv, (void *at, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
      (at, n, type, from, tag, comm, status))
ALONE(MPI_Request_free, (MPI_Request * request), (request))
ASKING(MPI_Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status))
ASKING(MPI_Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
       (n, requests, flag, statuses))
ALONE(MPI_Type_commit, (MPI_Datatype * type), (type))
ALONE(MPI_Type_create_hindexed,
      (int n, const int lengths[], const MPI_Aint at[], MPI_Datatype of, MPI_Datatype *type),
      (n, lengths, at, of, type))
ALONE(MPI_Type_free, (MPI_Datatype * type), (type))
ALONE(MPI_Wait, (MPI_Request * request, MPI_Status *status), (request, status))

REPLACED(MPI_Comm_rank, (MPI_Comm comm, int *rank), (comm, rank), !calls.agreements && fails("MPI_Comm_rank"),
         (void)0)

/* ---- collective ---------------------------------------------------------------------------------------- */

/* Defines a collective call. If it fails, it takes part first, and `lose` then destroys the result. */
#define TOGETHER(name, declared, given, lose) TOGETHER_IF(name, declared, given, fails(#name), lose)
#define TOGETHER_IF(name, declared, given, does_fail, lose)                                                  \
  REPLACED(name, declared, given, does_fail, (void)__real_##name given; lose)

/* Frees a communicator that the call does not return. */
static void lose_comm(MPI_Comm *comm)
{
  if (*comm != MPI_COMM_NULL) (void)PMPI_Comm_free(comm);
  *comm = MPI_COMM_NULL;
}

static size_t size_of(MPI_Datatype type)
{
  int size = 0;
  (void)PMPI_Type_size(type, &size);
  return (size_t)size;
}

static void lose_bytes(void *at, int count, MPI_Datatype type)
{
  memset(at, 0x5a, (size_t)count * size_of(type));
}

/* Returns from how many processes a process receives. */
static int senders(MPI_Comm comm)
{
  int is_inter = 0, size = 0;
  (void)PMPI_Comm_test_inter(comm, &is_inter);
  (void)(is_inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &size);
  return size;
}

static void lose_parts(void *at, const int counts[], const int there[], MPI_Datatype type, MPI_Comm comm)
{
  for (int p = 0; p < senders(comm); p++)
    lose_bytes((char *)at + (size_t)there[p] * size_of(type), counts[p], type);
}

static bool is_root(int root, MPI_Comm comm)
{
  int rank = -1;
  (void)PMPI_Comm_rank(comm, &rank);
  return rank == root;
}

TOGETHER(MPI_Allgather,
         (const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype all, MPI_Comm comm),
         (from, n, type, to, m, all, comm), lose_bytes(to, senders(comm) * m, all))
TOGETHER(MPI_Alltoall,
         (const void *from, int n, MPI_Datatype type, void *to, int m, MPI_Datatype all, MPI_Comm comm),
         (from, n, type, to, m, all, comm), lose_bytes(to, senders(comm) * m, all))
TOGETHER(MPI_Alltoallv,
         (const void *from, const int n[], const int at[], MPI_Datatype type, void *to, const int m[],
          const int there[], MPI_Datatype all, MPI_Comm comm),
         (from, n, at, type, to, m, there, all, comm), lose_parts(to, m, there, all, comm))
TOGETHER(MPI_Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made), (comm, info, made),
         lose_comm(made))
TOGETHER(MPI_Comm_free, (MPI_Comm * comm), (comm), (void)0)
TOGETHER(MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made), (comm, color, key, made),
         lose_comm(made))
TOGETHER(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
         (comm, type, key, info, made), lose_comm(made))
TOGETHER(MPI_Gatherv,
         (const void *from, int n, MPI_Datatype type, void *to, const int m[], const int there[],
          MPI_Datatype all, int root, MPI_Comm comm),
         (from, n, type, to, m, there, all, root, comm),
         if (is_root(root, comm)) lose_parts(to, m, there, all, comm))

TOGETHER_IF(MPI_Bcast, (void *at, int n, MPI_Datatype type, int root, MPI_Comm comm),
            (at, n, type, root, comm), !calls.agreements && fails("MPI_Bcast"), lose_bytes(at, n, type))
TOGETHER_IF(MPI_Allreduce, (const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
            (from, to, n, type, op, comm), !calls.agreements && fails("MPI_Allreduce"),
            lose_bytes(to, n, type))

/* If this fails, the reduction goes on with a copy of the words. */
__typeof__(MPI_Iallreduce) __real_MPI_Iallreduce, __wrap_MPI_Iallreduce;
int __wrap_MPI_Iallreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                          MPI_Request *request)
{
  if (!fails("MPI_Iallreduce")) return __real_MPI_Iallreduce(from, to, n, type, op, comm, request);
  if (pending_count == PENDING || n > WORDS || type != MPI_INT64_T || from != MPI_IN_PLACE) abort();
  const int i = pending_count++;
  memcpy(pending[i].words, to, (size_t)n * sizeof(int64_t));
  (void)__real_MPI_Iallreduce(from, pending[i].words, n, type, op, comm, &pending[i].request);
  return MPI_ERR_OTHER;
}
/* NOLINTEND(bugprone-reserved-identifier) */
