/* The comm layer: the only place where processes agree and where layouts are assembled. */
#ifndef DAP_COMM_IMPL_H
#define DAP_COMM_IMPL_H

#include "node_impl.h" /* what the processes of a node share */
#include <dapbridge/comm.h>
#include <dapbridge/context.h>
#include <dapbridge/log.h>
#include <dapbridge/shared.h>

/* mpi.c */
/* DAP_ERR_LIBRARY before MPI_Init and after MPI_Finalize. */
dap_status dap_mpi_check_running(dap_error *err);
/* Refuses communicators on which no collective can agree: none, or an intercommunicator. */
dap_status dap_comm_check(MPI_Comm comm, dap_error *err);
/* The same for functions that take intercommunicators, too. */
dap_status dap_comm_is_inter(MPI_Comm comm, bool *is_inter, dap_error *err);
/* The status of an MPI call: DAP_OK, or DAP_ERR_LIBRARY with `what` and MPI's own text. */
dap_status dap_mpi_check(int code, const char *what, dap_error *err);
/* A private duplicate of `comm` that returns its errors instead of aborting, and to which hints and
 * assertions of `comm` do not apply. Collective; not agreed. */
dap_status dap_comm_private(MPI_Comm comm, MPI_Comm *own, dap_error *err);
/* Whether rank 0 of `comm` is in (the local group of) `other`, too. Not collective. */
dap_status dap_comm_has_first(MPI_Comm comm, MPI_Comm other, bool *has, dap_error *err);

/* wait.c: waits for other processes */
typedef struct dap_wait {
  const struct dap_node *node; /* whose messages MPI moves on meanwhile; NULL: MPI is not called */
  _Atomic bool *is_away;       /* is true while this process gives its core to others; NULL: nobody looks */
  double seconds;              /* that it may take; 0: any time */
  double since; /* when dap_wait_is_over() or dap_wait_is_long() was called first; 0: not yet */
  int spins;
  bool is_told; /* dap_wait_report() has been called */
} dap_wait;
/* One step of a wait: a pause, or from step DAP_PATIENCE on the core is given to others. True now and then,
 * where the wait is long. */
enum { DAP_PATIENCE = 20 };
bool dap_wait_step(dap_wait *wait);
/* Whether the wait has taken longer than it may. */
bool dap_wait_is_over(dap_wait *wait);
/* Whether the user is to be told of the wait. The clock is read: ask only after dap_wait_step() was true. */
bool dap_wait_is_long(dap_wait *wait);

/* report.c: the line on standard error about a long wait */
double dap_report_delay(void); /* seconds after which a wait is long; 0: none is */
/* Says once that this process, `self`, waits in `function`, or where dap_call_site_set()'s function says.
 * `who` says which process is missing: "rank 2 has not come". Names are those of dap_groups_rank(). */
void dap_wait_report(dap_wait *wait, const char *function, const char *self, const char *who);
/* Seconds in an environment variable; `otherwise` where there is none. DAP_ERR_ARG: it is not a number. */
dap_status dap_environment_seconds(const char *name, double otherwise, double *seconds, dap_error *err);

/* limit_set.c */
/* Sets the limit, for `function`. Collective; agreed. */
dap_status dap_limit_set(MPI_Comm comm, const char *function, double seconds, dap_error *err);
/* Gives a communicator that has neither context nor limit the one that DAPBRIDGE_WAIT_LIMIT names. Collective
 * where the variable is set; agreed. */
dap_status dap_limit_by_environment(MPI_Comm comm, dap_error *err);

/* limit.c: how long collective calls wait; see dap_wait_limit() */
typedef struct dap_limit {
  MPI_Comm owner;   /* the caller's communicator */
  MPI_Comm comm;    /* its duplicate, for the collective calls on it and for roll calls */
  int rank, nprocs; /* of it */
  int users;        /* attributes that it is: of the owner, and of the context's communicators */
  double seconds;
  bool is_expired;                 /* a wait was given up: nothing more is done on these communicators */
  int missing;                     /* the rank that had not answered then; -1: not known */
  const struct dap_groups *groups; /* of the owner, by which the error names that rank; NULL: it has none */
} dap_limit;
/* Returns the limit of `comm`; NULL: it has none. None of these functions is collective. All take NULL for no
 * limit. */
dap_limit *dap_limit_of(MPI_Comm comm);
/* Finds the limit of a communicator, also one of 0 seconds, which means none. */
dap_limit *dap_limit_find(MPI_Comm comm);
void dap_limit_release(dap_limit *limit); /* once no communicator has it */
/* Gives `comm` the same limit. */
dap_status dap_limit_share(dap_limit *limit, MPI_Comm comm, dap_error *err);
dap_status dap_limit_check(const dap_limit *limit, dap_error *err); /* DAP_ERR_LIBRARY: it has expired */
/* Does dap_wait_step() for a wait that ends at the limit. *is_long is what dap_wait_step() returned.
 * DAP_ERR_LIBRARY: a process has given up, and the text names the missing process. */
dap_status dap_limit_step(dap_limit *limit, dap_wait *wait, bool *is_long, dap_error *err);
/* Frees a communicator that the limit was shared with; one that is over stays. */
void dap_limit_free_comm(MPI_Comm *comm);

/* collective.c: MPI's collective calls, which give up where the communicator has a limit. Collective; not
 * agreed. On error nothing has been received. */
dap_status dap_allreduce(MPI_Comm comm, void *words, int count, MPI_Datatype type, MPI_Op op, dap_error *err);
dap_status dap_bcast(MPI_Comm comm, void *at, int count, MPI_Datatype type, int root, dap_error *err);
/* Gathers mine [count] of each process in all [nprocs][count]. mine NULL: it is in its place in `all`. */
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
/* Words to or from process p: count[p] of them, from at[first[p]] on. */
typedef struct dap_words {
  int64_t *at;
  const int *count, *first; /* [nprocs] */
} dap_words;
dap_status dap_alltoall_words(MPI_Comm comm, const dap_words *out, const dap_words *in, dap_error *err);
/* With a limit, returns once all processes have come. Without one, does nothing. It comes before calls of MPI
 * that make communicators, because a process cannot give those up. If a process dies in such a call, the
 * others wait for ever. */
dap_status dap_barrier(MPI_Comm comm, dap_error *err);

/* agree.c */
/* An agreement that is more than a status: of a function's name, words that are equal on all processes, the
 * least of some numbers, and common bits. One reduction; one more where bits differ. */
enum { DAP_AGREE_MOST = 64, DAP_AGREE_LEAST = 6, DAP_AGREE_BITS = 2 };
typedef struct dap_agreement {
  const char *function;           /* whose first agreement this is; NULL: a later one */
  dap_status status;              /* of this process; if it is not DAP_OK, the rest is not read */
  const uint64_t *words;          /* [count] equal on all processes, or DAP_ERR_ARG; if all bring some */
  const char *const *names;       /* [count] for the error */
  int count;                      /* at most DAP_AGREE_MOST */
  bool without_context;           /* agrees by MPI, because only some processes may have a context */
  int64_t least[DAP_AGREE_LEAST]; /* in: this process's numbers, out: the least of all */
  uint64_t bits[DAP_AGREE_BITS];  /* in: this process's, out: those that all set */
} dap_agreement;
dap_status dap_agree_all(MPI_Comm comm, dap_agreement *agreement, dap_error *err);
/* agree_first.c: the first agreement of a function, which may be the first on `comm` */
dap_status dap_agree_first(MPI_Comm comm, dap_agreement *agreement, dap_error *err);
/* agree.c: the same where the context is known, so that MPI is not asked for it. */
dap_status dap_context_agree(dap_context *context, dap_agreement *agreement, dap_error *err);
/* Names `rank` in err, which may be NULL, as an agreement does. Later agreements keep it. */
void dap_agree_name_rank(int rank, dap_error *err);

/* log.c */
void dap_log_say(const char *line); /* to the callback, or on standard error unless DAPBRIDGE_LOG is off */
bool dap_log_has_progress(void);    /* DAPBRIDGE_LOG is progress */

/* launch.c */
/* Says on standard error, once, that this process is alone in MPI_COMM_WORLD although another MPI's launcher
 * started several. Only the first process of the job says it. Not collective. */
void dap_launch_check(void);

/* cache.c */
/* Returns the size of the second-level cache of a core: 256 KiB to 4 MiB; 1 MiB where it is not known. */
int64_t dap_cache_bytes(void);

/* counts.c */
/* `value` as the int that MPI takes; DAP_ERR_RANGE naming `what` when it does not fit. */
dap_status dap_to_int(int64_t value, const char *what, int *result, dap_error *err);

/* query.c: questions to other processes */
enum { DAP_QUERY_WORDS = 7 };
typedef struct dap_query {
  int64_t count;      /* this process's questions */
  int question_words; /* int64_t in a question, at most DAP_QUERY_WORDS */
  int answer_words;   /* in an answer, at most DAP_QUERY_WORDS; 0: nothing comes back */
  void *context;      /* given to all functions */
  /* Writes question i < count and returns the rank that answers it. It is called several times for each. */
  int (*question)(void *context, int64_t i, int64_t question[]);
  /* On the process asked, by rank `from`, whose questions come in the order of their i. */
  void (*answer)(void *context, int from, const int64_t question[], int64_t answer[]);
  /* Back on the process that asked, in the order of i. May be NULL. */
  void (*take)(void *context, int64_t i, const int64_t answer[]);
} dap_query;
/* Puts all questions of all processes, in rounds of bounded memory. Collective on `comm`; agreed. */
dap_status dap_query_all(MPI_Comm comm, const dap_query *query, dap_error *err);

/* assemble_lists.c */
/* The lists of indices along a 'u' axis, as one process knows them. */
typedef struct dap_held_lists {
  int ndim, axis;
  const dap_dim *dims;  /* [ndim] of this process */
  const int *ranks;     /* [processes] rank at each grid index; NULL: the index itself */
  const int64_t *held;  /* [processes along the axis] length of each coordinate's list */
  const bool *is_owned; /* flags of this process's indices; NULL: the lowest coordinate owns an index */
} dap_held_lists;
/* Makes the axis's map. Collective on `comm`. */
dap_status dap_lists_assemble(MPI_Comm comm, const dap_held_lists *lists, dap_map *map, dap_error *err);

/* lookup.c */
/* Asks the processes that keep the directory who owns indices of a 'u' axis, and where. For each i < count,
 * global(context, i) returns the index, and found(context, i, coord, local) takes the answer. Collective on
 * `comm`; ranks[r] is the rank there of the layout's process r (NULL: r), `process` this one's number in the
 * layout or -1. */
typedef struct dap_lookup {
  const dap_layout *layout;
  int axis, process;
  const int *ranks;
  int64_t count;
  void *context;
  int64_t (*global)(void *context, int64_t i);
  void (*found)(void *context, int64_t i, int coord, int64_t local);
} dap_lookup;
/* Checks that all processes of `comm` have the same layout, and that it is for them. Collective. */
dap_status dap_layout_agree(MPI_Comm comm, const char *function, const dap_layout *layout, dap_error *err);
dap_status dap_lookup_run(MPI_Comm comm, const dap_lookup *lookup, dap_error *err);

/* groups.c: the two groups of an intercommunicator, in one communicator of both */
typedef struct dap_groups {
  int own;       /* the group of this process, 0 or 1. Group 0 has rank 0 of both */
  int size[2];   /* processes of each */
  int *ranks[2]; /* [size] ranks of a group in the communicator of both; NULL: no groups */
} dap_groups;
/* The format of all data between two groups, which may be programs of different releases. It is raised by one
 * whenever agreements, packed layouts, answers, chunks or other such data change. */
enum { DAP_WIRE_FORMAT = 8 };
/* Compares the formats of all processes. If they differ, all get DAP_ERR_UNSUPPORTED, which names two.
 * Collective. It always sends the same data: two numbers, reduced to their minimum. */
dap_status dap_groups_compare(MPI_Comm both, int format, dap_error *err);
/* A private communicator of both groups, in which each keeps its order, once they have been compared.
 * Collective; not agreed. On error *both is MPI_COMM_NULL, unless the others have it and are told by it. */
dap_status dap_groups_merge(MPI_Comm inter, MPI_Comm *both, dap_error *err);
/* Collective on `both`; agreed. */
dap_status dap_groups_create(MPI_Comm inter, MPI_Comm both, dap_groups *groups, dap_error *err);
void dap_groups_release(dap_groups *groups);

/* group_names.c */
/* Writes the name of a rank for errors and descriptions: "rank 2"; over two groups "rank 1 of the sending
 * group", or if `sender` is -1 "rank 1 of this group" or "rank 1 of the other group". `groups` may be
 * NULL. */
enum { DAP_RANK_TEXT = 48 };
void dap_groups_rank(const dap_groups *groups, int sender, int rank, char text[DAP_RANK_TEXT]);
/* An agreement has named a process in err, which may be NULL, by its rank in both: names it by its rank in
 * its group. `sender` is the group that sends, -1: that is not known. Nothing where there are no groups. */
void dap_groups_name(const dap_groups *groups, int sender, dap_error *err);

/* find.c, context.c: see context.h */
typedef struct dap_tags {
  MPI_Comm comm;
  int first;
} dap_tags;
enum { DAP_FIRST_TAG = 16 /* those before are free */, DAP_LEAST_TAG_UB = 32767 /* of any MPI */ };
struct dap_context {
  MPI_Comm owner;        /* which has it as an attribute; MPI_COMM_NULL: was freed, or MPI has ended */
  MPI_Comm comm;         /* its duplicate, or both groups of an intercommunicator in one; it returns errors;
                        MPI_COMM_NULL: MPI has ended */
  int rank, nprocs;      /* of that */
  dap_limit *limit;      /* of the owner and of `comm`; NULL: none */
  dap_groups groups;     /* of the owner, if it is an intercommunicator */
  dap_node node;         /* of `comm` */
  dap_pool pool;         /* on the node; segment 0 begins with a dap_board */
  uint64_t round;        /* reductions through the boards so far */
  int64_t *gathered;     /* [node.size] for dap_reduce_and_gather() */
  int *hosts;            /* [nprocs] see dap_context_hosts(); NULL: nobody has asked yet */
  int users;             /* plans, views, arrays */
  int next_tag;          /* not given yet */
  int most_tag;          /* MPI_TAG_UB */
  MPI_Comm *old;         /* [old_count] duplicates; only the last one has tags that are not given yet */
  int old_count;         /* 0: comm's are */
  bool mpi_ends;         /* that is why it ends */
  bool is_broken;        /* this process knows of a failed run, so its communicators stay until MPI ends */
  int64_t failure_sent;  /* the number that messages of a failed run are sent from, see failures.c */
  int64_t cache_bytes;   /* dap_cache_bytes(), the least of all its processes */
  int64_t number;        /* the same on all its processes, that of no other context */
  struct dap_kept *kept; /* a list, the newest first */
  struct dap_context *next; /* of this process */
};
/* find.c. The attribute that contexts are; MPI_KEYVAL_INVALID: there was none yet. */
int dap_context_key(void);
/* As dap_context_get(), but for intercommunicators, too: the context's communicator is of both groups. */
dap_status dap_context_get_any(MPI_Comm comm, const char *function, dap_context **context, dap_error *err);
/* NULL: `comm` has none. Not collective. */
dap_context *dap_context_find(MPI_Comm comm);
/* Tags [first, first + count) of messages on tags->comm, no one else's. Collective, in the same order
 * everywhere; agreed. */
dap_status dap_context_tags(dap_context *context, int count, dap_tags *tags, dap_error *err);
/* hosts.c */
/* Sets *hosts to numbers [nprocs] that are equal for processes of one node; the context's. Collective on its
 * communicator the first time, where it is agreed; all must ask. */
dap_status dap_context_hosts(dap_context *context, const int **hosts, dap_error *err);

/* reduce_mpi.c */
/* The context's processes are on one node, and so few that reading all boards is fast. */
bool dap_reduce_has_node(const dap_context *context);
dap_status dap_reduce_by_mpi(MPI_Comm comm, dap_context *context, const char *function,
                             dap_reduction reduction, int64_t words[], int count, dap_error *err);
/* Its two parts. Until a reduction is complete its words are MPI's. */
dap_status dap_reduce_start(MPI_Comm comm, dap_reduction reduction, int64_t words[], int count,
                            MPI_Request *request, dap_error *err);
dap_status dap_reduce_complete(MPI_Comm comm, const dap_context *context, uint64_t round,
                               const char *function, MPI_Request *request, dap_error *err);

/* reduce.c */
enum { DAP_BOARD_WORDS = 24 };
typedef struct dap_round {
  int64_t count, gathered, words[DAP_BOARD_WORDS];
} dap_round;
/* Words of a process of the node in reductions. */
typedef struct dap_board {
  _Alignas(64) _Atomic uint64_t round; /* the last one whose words are there, or that MPI makes */
  dap_round rounds[2];                 /* by the round's parity */
  char gap[64 - (2 * sizeof(dap_round) + sizeof(uint64_t)) % 64];
} dap_board;
/* Collective on `comm`, or where context is not NULL on its communicator, which is as good. `function` is
 * named where a process comes late; NULL: nothing is said. */
dap_status dap_reduce(MPI_Comm comm, dap_context *context, const char *function, dap_reduction reduction,
                      int64_t words[], int count, dap_error *err);
/* dap_context_reduce() in two parts, between which words[] must not be touched; `end` whatever `start` came
 * to. */
dap_status dap_context_reduce_start(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                    MPI_Request *request, dap_error *err);
dap_status dap_context_reduce_end(dap_context *context, dap_reduction reduction, int64_t words[], int count,
                                  MPI_Request *request, dap_error *err);
/* The least of words [count] over all; and gathered[node_rank] of each process of the node, on each of
 * them. words[0] is set to whether all is well, on all processes: with *s, which becomes the gathering's
 * failure. */
dap_status dap_reduce_and_gather(dap_context *context, dap_status *s, int64_t words[], int count,
                                 int64_t gathered[], dap_error *err);

/* late.c */
dap_board *dap_board_of(const dap_context *context, int node_rank);
/* Reports a wait for the others in a reduction for `function` once it is long; NULL: never. Boards of the
 * context's node name those that have not come to `round`. 0, or a context that is NULL: there are none. */
void dap_late_report(MPI_Comm comm, const dap_context *context, uint64_t round, const char *function,
                     dap_wait *wait);

#endif
