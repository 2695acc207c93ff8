/* Passes the decisions of the library to a listener, or prints them. */
#include "comm_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dap_log_function *listener;
static void *listener_context;

void dap_log_set(dap_log_function *function, void *context)
{
  listener = function;
  listener_context = context;
}

/* ---- DAPBRIDGE_LOG ------------------------------------------------------------------------------------ */

/* Each level prints more than the one before. */
typedef enum level { NOT_READ, OFF, USUAL, INFO, PROGRESS } level;

/* Returns whether this is process 0 of MPI_COMM_WORLD. Before MPI runs it returns false. */
static bool is_first(void)
{
  int rank = -1;
  return dap_mpi_is_running() && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && rank == 0;
}

static level read_level(void)
{
  static const struct {
    const char *word;
    level level;
  } words[] = {{"off", OFF}, {"info", INFO}, {"progress", PROGRESS}};
  const char *text = getenv("DAPBRIDGE_LOG");
  for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
    if (!strcmp(text, words[i].word)) return words[i].level;
  if (!text || !text[0]) return USUAL;
  if (is_first())
    (void)fprintf(stderr, "dapbridge: DAPBRIDGE_LOG is '%.40s', not one of off, info, progress\n", text);
  return dap_mpi_is_running() ? USUAL : NOT_READ;
}

/* Returns the level of the environment at the first call. Later changes of the variable have no effect. A
 * wrong value is read anew until MPI runs, because only one process of the job may report it. */
static level current(void)
{
  static _Atomic int known = NOT_READ;
  int found = atomic_load_explicit(&known, memory_order_relaxed);
  if (found != NOT_READ) return (level)found;
  found = (int)read_level();
  atomic_store_explicit(&known, found, memory_order_relaxed);
  return found == NOT_READ ? USUAL : (level)found;
}

bool dap_log_has_progress(void)
{
  return current() == PROGRESS;
}

void dap_log_say(const char *line)
{
  if (listener)
    listener(listener_context, line);
  else if (current() != OFF)
    (void)fprintf(stderr, "%s\n", line);
}

/* ---- lines -------------------------------------------------------------------------------------------- */

bool dap_log_is_on(void)
{
  return listener || current() >= INFO;
}

void dap_log(const char *format, ...)
{
  char line[1024];
  if (!listener && (current() < INFO || !is_first())) return;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
  va_end(arguments);
  if (listener)
    listener(listener_context, line);
  else
    (void)fprintf(stderr, "dapbridge: %s\n", line);
}
