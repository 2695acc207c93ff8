/* Tells the leak sanitizer what to ignore in programs in which runs of plans fail. Messages that no process
 * receives any more stay in MPI, and so do communicators that could not be freed, and the memory of a plan
 * from which such messages are sent. The sanitizer reads this from the program itself, so this file is not
 * part of a library. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\nleak:dap_two_phase_create\nleak:libmpi\n";
}
