/* Ignores memory that MPI allocates when it starts and ends, and does not free. cmake/lsan.supp names the
 * libraries whose threads lose memory. So libraries must stay loaded until the sanitizer has reported. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier): RTLD_NEXT */

#include "sanitizer.h"

#if UNDER_SANITIZER
#include <dlfcn.h>
#include <pthread.h>
#include <sanitizer/lsan_interface.h>
#include <stdlib.h>
#include <string.h>

int dlclose(void *library);
int dlclose(void *library)
{
  (void)library;
  return 0;
}

static bool ignoring;
#endif

void test_ignore_leaks(bool ignore)
{
#if UNDER_SANITIZER
  ignoring = ignore;
  if (ignore) __lsan_disable();
  if (!ignore) __lsan_enable();
#endif
  (void)ignore;
}

/* Also ignores memory of the threads that MPI starts meanwhile. lsan.supp names their leaks, but after a
 * single leak every process reads the debug information of all its libraries. That takes longer than most
 * tests. */
#if UNDER_SANITIZER && !defined(__clang__)
typedef struct start_of_thread {
  void *(*routine)(void *);
  void *argument;
} start_of_thread;

static void *run_ignored(void *given)
{
  const start_of_thread s = *(start_of_thread *)given;
  free(given);
  __lsan_disable();
  return s.routine(s.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
                   void *argument)
{
  int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) = NULL;
  void *const found = dlsym(RTLD_NEXT, "pthread_create"); /* the function of the sanitizer */
  memcpy(&next, &found, sizeof next);
  start_of_thread *s = ignoring ? malloc(sizeof *s) : NULL;
  if (!s) return next(thread, attributes, routine, argument);
  *s = (start_of_thread){routine, argument};
  const int code = next(thread, attributes, run_ignored, s);
  if (code) free(s);
  return code;
}
#endif
