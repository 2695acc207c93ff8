/* Declares what the files of the comm layer share. Processes agree here, and layouts are assembled here. */
#ifndef DAP_COMM_IMPL_H
#define DAP_COMM_IMPL_H

#include "node_impl.h"
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/log.h>
#include <dapbridge/shared.h>

/* mpi.c */
/* Returns DAP_ERR_LIBRARY before MPI_Init and after MPI_Finalize. */
dap_status dap_mpi_check_running(dap_error *err);
/* Refuses MPI_COMM_NULL and intercommunicators, on which no processes can agree. */
dap_status dap_comm_check(MPI_Comm comm, dap_error *err);
/* Refuses MPI_COMM_NULL, and finds whether `comm` is an intercommunicator. */
dap_status dap_comm_is_inter(MPI_Comm comm, bool *is_inter, dap_error *err);
/* Returns the status of an MPI call: DAP_OK, or DAP_ERR_LIBRARY with `what` and MPI's text. */
dap_status dap_mpi_check(int code, const char *what, dap_error *err);
/* Makes a private duplicate of `comm`. It returns errors instead of aborting. Hints and assertions of `comm`
 * do not apply to it. Collective; not agreed. */
dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err);
/* Casts `value` to the int that MPI takes. DAP_ERR_RANGE, which names `what`: it does not fit. */
dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err);

/* wait.c: waits for other processes */
typedef struct dap_wait {
  const struct dap_node *node; /* MPI moves its messages on meanwhile; NULL: MPI is not called */
  _Atomic bool *is_away; /* is true while this process gives its core to others; NULL: nobody reads it */
  double seconds;        /* the limit of the wait; 0: none */
  double since;          /* the first call of dap_wait_is_over() or dap_wait_is_long(); 0: not yet */
  int spins;
  bool is_told; /* dap_wait_report() has been called */
} dap_wait;
/* Does one step of a wait: a pause, or from step DAP_PATIENCE on the process gives its core to others.
 * Returns true now and then if the wait is long. */
enum { DAP_PATIENCE = 20 };
bool dap_wait_step(dap_wait *wait);
/* Returns whether the wait has exceeded its limit. */
bool dap_wait_is_over(dap_wait *wait);
/* Returns whether the user must be told of the wait. It reads the clock: call it only after dap_wait_step()
 * has returned true. */
bool dap_wait_is_long(dap_wait *wait);

/* report.c: the line on standard error about a long wait */
double dap_report_delay(void); /* returns the seconds after which a wait is long; 0: none is */
/* Reports the wait once. `self` is this process, as dap_groups_rank() names it. It waits in `function`, or
 * where the callback of dap_call_site_set() says. `who` says which process is missing: "rank 2 has not
 * come". */
void dap_wait_report(dap_wait *wait, const char *function, const char *self, const char *who);
/* Reads seconds from an environment variable, or gives `otherwise`. DAP_ERR_ARG: it is not a number. */
dap_status dap_environment_seconds(const char *name, double otherwise, double *seconds, dap_error *err);

/* limit_set.c */
/* Sets the limit of waits on `comm`. `function` is the caller's, for errors. Collective; agreed. */
dap_status dap_limit_set(MPI_Comm comm, const char *function, double seconds, dap_error *err);
/* Sets the limit that DAPBRIDGE_WAIT_LIMIT names, unless `comm` has a context or a limit already. Collective
 * if the variable is set; agreed. */
dap_status dap_limit_by_environment(MPI_Comm comm, dap_error *err);

/* limit.c: how long collective calls wait; see dap_wait_limit() */
typedef struct dap_limit {
  MPI_Comm owner;   /* the caller's communicator */
  MPI_Comm comm;    /* its duplicate, for the collective calls on it and for roll calls */
  int rank, nprocs; /* of `comm` */
  int users;        /* communicators with this attribute: the owner, and those of the context */
  double seconds;
  bool is_expired;                 /* a wait was given up: nothing more is done on these communicators */
  int missing;                     /* the rank that had not answered then; -1: not known */
  const struct dap_groups *groups; /* of the owner; errors name `missing` by its group; NULL: no groups */
} dap_limit;
/* Returns the limit of `comm`; NULL: it has none. These functions are not collective, and take NULL for no
 * limit. */
dap_limit *dap_limit_of(MPI_Comm comm);
/* Returns the limit of `comm` even if it has 0 seconds, which means no limit. */
dap_limit *dap_limit_find(MPI_Comm comm);
void dap_limit_release(dap_limit *limit); /* frees a limit that no communicator has any more */
/* Gives `comm` the same limit. */
dap_status dap_limit_share(dap_limit *limit, MPI_Comm comm, dap_error *err);
dap_status dap_limit_check(const dap_limit *limit, dap_error *err); /* DAP_ERR_LIBRARY: it has expired */
/* Does dap_wait_step() for a wait that ends at the limit. *is_long receives its result.
 * DAP_ERR_LIBRARY: a process has given up, and the text names the missing process. */
dap_status dap_limit_step(dap_limit *limit, dap_wait *wait, bool *is_long, dap_error *err);
/* Frees a communicator that has the limit. If the limit has expired, the communicator stays. */
void dap_limit_free_comm(MPI_Comm *comm);

/* collective.c: MPI's collective calls. They give up if the communicator has a limit and it expires.
 * Collective; not agreed. On error nothing has been received. */
dap_status dap_allreduce(MPI_Comm comm, void *words, int count, MPI_Datatype type, MPI_Op op, dap_error *err);
dap_status dap_bcast(MPI_Comm comm, void *at, int count, MPI_Datatype type, int root, dap_error *err);
/* Gathers mine[count] of each process in all[nprocs][count]. `mine` NULL: it is in its place in `all`. */
dap_status dap_allgather(MPI_Comm comm, const void *mine, void *all, int count, MPI_Datatype type,
                         dap_error *err);
/* Gathers bytes of all processes on rank 0. Only rank 0 sets the members after `length`. */
typedef struct dap_gathering {
  const char *mine; /* [length] */
  int length;
  char *all;                  /* [room] */
  const int *lengths, *first; /* [nprocs] */
  int64_t room;
} dap_gathering;
dap_status dap_gather_bytes(MPI_Comm comm, const dap_gathering *g, dap_error *err);
/* Sends one number to each process. */
dap_status dap_alltoall(MPI_Comm comm, const int out[], int in[], dap_error *err);
/* Words that go to the processes, or come from them: count[p] of process p, from at[first[p]] on. */
typedef struct dap_words {
  int64_t *at;
  const int *count, *first; /* [nprocs] */
} dap_words;
dap_status dap_alltoall_words(MPI_Comm comm, const dap_words *out, const dap_words *in, dap_error *err);
/* Waits for all processes if `comm` has a limit. It comes before calls of MPI that make communicators,
 * because a process cannot give those up. If a process dies in such a call, the others wait for ever. */
dap_status dap_barrier(MPI_Comm comm, dap_error *err);

/* agree.c */
/* The data of an agreement besides its status. It takes one reduction, and one more if bits differ. */
enum { DAP_AGREE_MOST = 64, DAP_AGREE_LEAST = 6, DAP_AGREE_BITS = 2 };
typedef struct dap_agreement {
  const char *function;           /* the function that begins with this agreement; NULL: it is a later one */
  dap_status status;              /* of this process; the rest is used if it is DAP_OK on all */
  const uint64_t *words;          /* [count] DAP_ERR_ARG: they differ; compared if all processes have some */
  const char *const *names;       /* [count] names of the words for the error */
  int count;                      /* at most DAP_AGREE_MOST */
  bool without_context;           /* agrees by MPI, because only some processes may have a context */
  int64_t least[DAP_AGREE_LEAST]; /* in: this process's numbers, out: the least of all */
  uint64_t bits[DAP_AGREE_BITS];  /* in: this process's bits, out: those that all processes set */
} dap_agreement;
dap_status dap_agree_all(MPI_Comm comm, dap_agreement *agreement, dap_error *err);
/* agree_first.c: does the first agreement of a function, which may be the first on `comm`. */
dap_status dap_agree_first(MPI_Comm comm, dap_agreement *agreement, dap_error *err);
/* agree.c: agrees on the context's communicator, without asking MPI for the context. */
dap_status dap_context_agree(dap_context *context, dap_agreement *agreement, dap_error *err);
/* Names `rank` in `err`, which may be NULL, as an agreement does. Later agreements keep this name. */
void dap_agree_name_rank(int rank, dap_error *err);

/* log.c */
/* Passes a line to the callback, or prints it on standard error unless DAPBRIDGE_LOG is off. */
void dap_log_say(const char *line);
bool dap_log_has_progress(void); /* whether DAPBRIDGE_LOG is progress */

/* launch.c */
/* Reports once that this process is alone in MPI_COMM_WORLD although another MPI's launcher started several.
 * Only the first process of the job does so. Not collective. */
void dap_launch_check(void);

/* cache.c */
/* Returns the size of the second-level cache of a core: 256 KiB to 4 MiB; 1 MiB where it is not known. */
int64_t dap_cache_bytes(void);

/* query.c: questions to other processes */
enum { DAP_QUERY_WORDS = 7 };
typedef struct dap_query {
  int64_t count;      /* this process's questions */
  int question_words; /* int64_t in a question, at most DAP_QUERY_WORDS */
  int answer_words;   /* in an answer, at most DAP_QUERY_WORDS; 0: there are no answers */
  void *context;      /* passed to all functions */
  /* Writes question i < count and returns the rank that answers it. It is called several times for each. */
  int (*question)(void *context, int64_t i, int64_t question[]);
  /* Answers a question of rank `from`. Questions of one rank come in the order of their i. */
  void (*answer)(void *context, int from, const int64_t question[], int64_t answer[]);
  /* Receives the answer to question i, in the order of i. NULL: nothing is done with answers. */
  void (*take)(void *context, int64_t i, const int64_t answer[]);
} dap_query;
/* Asks all questions of all processes, in rounds of bounded memory. Collective on `comm`; agreed. */
dap_status dap_query_all(MPI_Comm comm, const dap_query *query, dap_error *err);

/* assemble_lists.c */
/* The lists of indices along a 'u' axis, as one process knows them. */
typedef struct dap_held_lists {
  int ndim, axis;
  const dap_dim *dims;  /* [ndim] this process's dictionaries */
  const int *ranks;     /* [processes] rank at each grid index; NULL: the index itself */
  const int64_t *held;  /* [processes along the axis] length of each coordinate's list */
  const bool *is_owned; /* flags of this process's indices; NULL: the lowest coordinate owns an index */
} dap_held_lists;
/* Makes the axis's map. Collective on `comm`. */
dap_status dap_lists_assemble(MPI_Comm comm, const dap_held_lists *lists, dap_map *map, dap_error *err);

/* lookup.c */
/* Checks that all processes of `comm` have the same layout, and that it is for them. Collective. */
dap_status dap_layout_agree(MPI_Comm comm, const char *function, const dap_layout *layout, dap_error *err);
/* A search for the owners of indices of a 'u' axis. */
typedef struct dap_lookup {
  const dap_layout *layout;
  int axis;
  int process;      /* this process's number in the layout; -1: it is not in it */
  const int *ranks; /* [processes of the layout] their ranks in the communicator; NULL: the numbers */
  int64_t count;    /* indices */
  void *context;    /* passed to both functions */
  int64_t (*global)(void *context, int64_t i);                       /* returns index i < count */
  void (*found)(void *context, int64_t i, int coord, int64_t local); /* receives the owner of index i */
} dap_lookup;
/* Asks the processes that keep the directory. Collective on `comm`. */
dap_status dap_lookup_run(MPI_Comm comm, const dap_lookup *lookup, dap_error *err);

/* groups.c: the two groups of an intercommunicator, in one communicator of both */
typedef struct dap_groups {
  int own;     /* the group of this process, 0 or 1 */
  int size[2]; /* processes of each, 0: no groups; group 0 has the first ranks of both, group 1 the others */
} dap_groups;
/* The format of all data between two groups, which may be programs of different releases. Raise it by one
 * whenever agreements, packed layouts, answers, chunks or other such data change. */
enum { DAP_WIRE_FORMAT = 10 };
/* Compares the formats of all processes. If they differ, all get DAP_ERR_UNSUPPORTED, which names two.
 * Collective. All releases must reduce the same data here: two numbers, to their minimum. */
dap_status dap_groups_compare(MPI_Comm both, int format, dap_error *err);
/* Makes a private communicator of both groups, which keep their orders, and compares their formats.
 * Collective; not agreed. On error *both is MPI_COMM_NULL, unless the others have it and must be told. */
dap_status dap_groups_merge(MPI_Comm inter, MPI_Comm *both, dap_error *err);
/* Finds the processes of each group in `both`. Not collective. */
dap_status dap_groups_find(MPI_Comm inter, MPI_Comm both, dap_groups *groups, dap_error *err);

/* group_names.c */
/* Writes the name of a rank for errors and descriptions, such as "rank 2". With two groups that is "rank 1 of
 * the sending group", or if `sender` is -1 "rank 1 of this group". `groups` may be NULL. */
enum { DAP_RANK_TEXT = 48 };
void dap_groups_rank(const dap_groups *groups, int sender, int rank, char text[DAP_RANK_TEXT]);
/* Replaces the rank in both groups, by which an agreement has named a process in `err`, with the rank in its
 * group. `sender` is the sending group; -1: it is not known. Without groups, or with `err` NULL, it does
 * nothing. */
void dap_groups_name(const dap_groups *groups, int sender, dap_error *err);

/* find.c, context.c: see context.h */
/* Tags [first, first + count) of messages on `comm`, which nobody else uses. */
typedef struct dap_tags {
  MPI_Comm comm;
  int first;
} dap_tags;
enum { DAP_FIRST_TAG = 16 /* smaller tags are not given */, DAP_LEAST_TAG_UB = 32767 /* of any MPI */ };
struct dap_context {
  dap_left left;         /* if MPI still sends failure_sent */
  MPI_Comm owner;        /* has the context as an attribute; MPI_COMM_NULL: was freed, or MPI has ended */
  MPI_Comm comm;         /* its duplicate, or both groups of an intercommunicator in one; it returns errors;
                        MPI_COMM_NULL: MPI has ended */
  int rank, nprocs;      /* of `comm` */
  dap_limit *limit;      /* of the owner and of `comm`; NULL: none */
  dap_groups groups;     /* of the owner, if it is an intercommunicator */
  dap_node node;         /* of `comm` */
  dap_pool pool;         /* on the node; segment 0 begins with a dap_board */
  uint64_t round;        /* reductions through the boards so far */
  int64_t *gathered;     /* [node.size] for dap_reduce_and_gather() */
  int *hosts;            /* [nprocs] see dap_context_hosts(); NULL: not found yet */
  int users;             /* plans, views, arrays */
  int next_tag;          /* the first tag that is not given yet */
  int most_tag;          /* MPI_TAG_UB */
  MPI_Comm *old;         /* [old_count] duplicates for more tags; tags of the last one are given now */
  int old_count;         /* 0: tags of `comm` are given */
  bool mpi_ends;         /* the context ends because MPI does */
  bool is_broken;        /* this process knows of a failed run, so its communicators stay until MPI ends */
  int64_t failure_sent;  /* MPI sends this number in announcements of a failed run, see failures.c; 0: none */
  int64_t cache_bytes;   /* dap_cache_bytes(), the least of all its processes */
  int64_t number;        /* the same on all its processes; no other context has it */
  struct dap_kept *kept; /* a list, the newest first */
  struct dap_context *next; /* in the list of this process */
};
/* Gets the context of `comm` as dap_context_get() does, also of an intercommunicator. Then the context's
 * communicator has both groups. */
dap_status dap_context_get_any(MPI_Comm comm, const char *function, dap_context **context, dap_error *err);
/* Returns the context of `comm`; NULL: it has none. Not collective. */
dap_context *dap_context_find(MPI_Comm comm);
/* Gives `count` tags. Collective, in the same order everywhere; agreed. */
dap_status dap_context_tags(dap_context *context, int count, dap_tags *tags, dap_error *err);
/* Sets *hosts to the context's numbers [nprocs], which are equal for processes of one node. The first call is
 * collective on its communicator, and agreed. */
dap_status dap_context_hosts(dap_context *context, const int **hosts, dap_error *err);

/* reduce_mpi.c */
/* Returns whether the context's processes are on one node, and few enough to read all boards quickly. */
bool dap_reduce_has_node(const dap_context *context);
/* Reduces words by MPI. */
dap_status dap_reduce_by_mpi(MPI_Comm comm, dap_context *context, const char *function,
                             dap_reduction reduction, int64_t words[], int count, dap_error *err);
/* Start and complete a reduction by MPI. In between, words[] must not be touched. */
dap_status dap_reduce_start(MPI_Comm comm, dap_reduction reduction, int64_t words[], int count,
                            MPI_Request *request, dap_error *err);
dap_status dap_reduce_complete(MPI_Comm comm, const dap_context *context, uint64_t round,
                               const char *function, MPI_Request *request, dap_error *err);

/* reduce.c */
enum { DAP_BOARD_WORDS = 24 };
typedef struct dap_round {
  int64_t count, gathered, words[DAP_BOARD_WORDS];
} dap_round;
/* A process of the node writes its words of reductions here. */
typedef struct dap_board {
  _Alignas(64) _Atomic uint64_t round; /* the last round whose words are here, or that goes by MPI */
  dap_round rounds[2];                 /* by the round's parity */
} dap_board;
/* Reduces words over all processes. Collective on the context's communicator, or on `comm` if `context` is
 * NULL. `function` is for the report of a process that is late; NULL: there is no report. */
dap_status dap_reduce(MPI_Comm comm, dap_context *context, const char *function, dap_reduction reduction,
                      int64_t words[], int count, dap_error *err);
/* Start and complete what dap_context_reduce() does. In between, words[] must not be touched. The end must
 * be called even if the start failed. */
dap_status dap_context_reduce_start(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                    MPI_Request *request, dap_error *err);
dap_status dap_context_reduce_end(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                  MPI_Request *request, dap_error *err);
/* Reduces words[count] to the least over all processes, and gathers gathered[node_rank] on the node.
 * words[0] receives whether all processes came with *s DAP_OK and gathered without a failure, which *s
 * receives. */
dap_status dap_reduce_and_gather(dap_context *context, dap_status *s, int64_t words[], int count,
                                 int64_t gathered[], dap_error *err);

/* late.c */
dap_board *dap_board_of(const dap_context *context, int node_rank);
/* Reports a long wait in a reduction for `function`; NULL: there is no report. Boards of the context's node
 * tell which processes have not come to `round`. 0, or a context that is NULL: there are no boards. */
void dap_late_report(MPI_Comm comm, const dap_context *context, uint64_t round, const char *function,
                     dap_wait *wait);

#endif
