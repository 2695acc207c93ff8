/* What the leak sanitizer overlooks where runs of plans fail: messages that nobody receives any more, and
 * communicators that could not be freed, stay with MPI; and so does a plan's memory that such messages are
 * sent from. It reads this from the program itself, so this file is no part of a library. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
  return "leak:mca_allocator_bucket_alloc\nleak:dap_buffers_create\nleak:dap_two_phase_create\nleak:libmpi\n";
}
