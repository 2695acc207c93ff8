/* Keeps the data of this process until MPI_Finalize: its number, contexts, and arrays in shared memory. */
#define _DEFAULT_SOURCE 1 /* getentropy(); NOLINT(bugprone-reserved-identifier) */
#include "comm_impl.h"

#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Plans find the data without asking MPI, so the library remembers where it is while it is an attribute of
 * MPI_COMM_SELF. The flag is for threads that make or release arrays of different communicators. */
static struct {
  atomic_flag busy;
  dap_self *self;
} here = {.busy = ATOMIC_FLAG_INIT};

static void lock(void)
{
  while (atomic_flag_test_and_set_explicit(&here.busy, memory_order_acquire)) continue;
}

void dap_self_unlock(void)
{
  atomic_flag_clear_explicit(&here.busy, memory_order_release);
}

void dap_self_leave(dap_left *memory)
{
  static dap_left *all;
  lock();
  memory->next = all;
  all = memory;
  dap_self_unlock();
}

/* Compares all nodes of a tree as equal, so that a search finds the first one. */
static int find_any(const void *key, const void *node)
{
  (void)key, (void)node;
  return 0;
}

/* Is called by MPI_Finalize. Arrays that are not released keep their memory; only the lists of them end. */
static int forget(MPI_Comm comm, int key, void *attribute, void *extra)
{
  (void)comm, (void)key, (void)extra;
  dap_self *self = attribute;
  if (self->end_contexts) self->end_contexts();
  lock();
  here.self = NULL;
  dap_self_unlock();
  for (int i = 0; i < DAP_KEYS; i++)
    if (self->keys[i] != MPI_KEYVAL_INVALID) (void)MPI_Comm_free_keyval(&self->keys[i]);
  while (self->by_address) (void)tdelete(self, &self->by_address, find_any);
  while (self->by_id) (void)tdelete(self, &self->by_id, find_any);
  free(self);
  return MPI_SUCCESS;
}

/* No source is enough by itself. Process numbers can be equal in two containers, clocks can be equal where
 * processes start together, and some systems have no random bits. The address of a variable is random on most
 * systems. */
uint64_t dap_process_draw(void)
{
  struct timespec now = {0};
  uint64_t random = 0;
  (void)timespec_get(&now, TIME_UTC);
  if (getentropy(&random, sizeof random)) random = 0;
  const uint64_t words[] = {(uint64_t)getpid(), (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, random,
                            (uint64_t)(uintptr_t)&now};
  const uint64_t drawn = dap_hash(0, words, sizeof words);
  return drawn ? drawn : 1;
}

/* MPI frees the key itself when the attribute ends. */
static bool attach(dap_self *self)
{
  int key = MPI_KEYVAL_INVALID;
  if (MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL) != MPI_SUCCESS) return false;
  const bool hangs = MPI_Comm_set_attr(MPI_COMM_SELF, key, self) == MPI_SUCCESS;
  (void)MPI_Comm_free_keyval(&key);
  return hangs;
}

static dap_self *start(void)
{
  dap_self *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->id = dap_process_draw();
  for (int i = 0; i < DAP_KEYS; i++) self->keys[i] = MPI_KEYVAL_INVALID;
  if (attach(self)) return self;
  free(self);
  return NULL;
}

dap_self *dap_self_lock(bool make)
{
  lock();
  if (!here.self && make) here.self = start();
  return here.self;
}

int dap_self_key(dap_key key)
{
  const dap_self *self = dap_self_lock(false);
  const int found = self ? self->keys[key] : MPI_KEYVAL_INVALID;
  dap_self_unlock();
  return found;
}

int dap_self_make_key(dap_key key, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *end)
{
  dap_self *self = dap_self_lock(true);
  int *made = self ? &self->keys[key] : NULL;
  if (made && *made == MPI_KEYVAL_INVALID && MPI_Comm_create_keyval(copy, end, made, NULL) != MPI_SUCCESS)
    *made = MPI_KEYVAL_INVALID;
  dap_self_unlock();
  return dap_self_key(key);
}

uint64_t dap_process_id(void)
{
  const dap_self *self = dap_self_lock(true);
  const uint64_t id = self ? self->id : 0;
  dap_self_unlock();
  return id;
}

/* The program's name may have brackets, so its end is the last one: "4368 (name) S 4367 ...". */
char dap_process_state(int64_t process, int64_t *parent)
{
  char path[64], line[512] = "";
  *parent = 0;
  (void)snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", process);
  FILE *file = fopen(path, "re");
  if (!file) return errno == ENOENT ? '\0' : '?';
  const bool is_read = fgets(line, sizeof line, file) != NULL;
  (void)fclose(file);
  const char *after = strrchr(line, ')');
  if (!is_read) return '\0';
  if (!after || strlen(after) < 4) return '?';
  *parent = strtoll(after + 4, NULL, 10);
  return after[2];
}
