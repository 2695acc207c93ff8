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

/* Each says more than the one before. */
typedef enum level { NOT_READ, OFF, USUAL, INFO, PROGRESS } level;

static level read_level(void)
{
  static const struct {
    const char *word;
    level level;
  } words[] = {{"off", OFF}, {"info", INFO}, {"progress", PROGRESS}};
  const char *text = getenv("DAPBRIDGE_LOG");
  for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
    if (!strcmp(text, words[i].word)) return words[i].level;
  if (text && text[0])
    (void)fprintf(stderr, "dapbridge: DAPBRIDGE_LOG is '%.40s', not one of off, info, progress\n", text);
  return USUAL;
}

/* Returns the level of the environment at the first call. Later changes of the variable have no effect. */
static level current(void)
{
  static _Atomic int known = NOT_READ;
  int found = atomic_load_explicit(&known, memory_order_relaxed);
  if (found != NOT_READ) return (level)found;
  found = (int)read_level();
  atomic_store_explicit(&known, found, memory_order_relaxed);
  return (level)found;
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

/* One process of a job prints. */
static bool prints(void)
{
  int rank = -1;
  return current() >= INFO && dap_mpi_is_running() && MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS &&
         rank == 0;
}

bool dap_log_is_on(void)
{
  return listener || current() >= INFO;
}

void dap_log(const char *format, ...)
{
  char line[1024];
  if (!listener && !prints()) return;
  va_list arguments;
  va_start(arguments, format);
  if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
  va_end(arguments);
  if (listener)
    listener(listener_context, line);
  else
    (void)fprintf(stderr, "dapbridge: %s\n", line);
}
