/* The factors alpha and beta of products. */
#include "system_impl.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 2 }; /* factors of a function */

dap_linalg_number dap_linalg_number_of(const char *name, const double given[2], double otherwise)
{
  return (dap_linalg_number){name, {given ? given[0] : otherwise, given ? given[1] : 0}};
}

dap_status dap_linalg_check_numbers(dap_linalg_call *call, const dap_linalg_number numbers[], int count)
{
  char texts[2 * MOST][16];
  const char *names[2 * MOST] = {NULL};
  uint64_t words[2 * MOST] = {0};
  for (int i = 0; i < 2 * count; i++) {
    (void)snprintf(texts[i], sizeof texts[i], "%s[%d]", numbers[i / 2].name, i % 2);
    names[i] = texts[i];
    memcpy(&words[i], &numbers[i / 2].parts[i % 2], sizeof words[i]);
  }
  DAP_TRY(dap_agree_words(call->comm, words, names, 2 * count, call->err));
  for (int i = 0; i < count && !dap_linalg_is_complex(call); i++) {
    DAP_REQUIRE(numbers[i].parts[1] == 0, call->err, DAP_ERR_ARG,
                "%s[1] is %g, with real matrices it must be 0", numbers[i].name, numbers[i].parts[1]);
  }
  return DAP_OK;
}

dap_linalg_scalar dap_linalg_scalar_of(const dap_linalg_call *call, const double parts[2])
{
  dap_linalg_scalar s = {.doubles = {parts[0], parts[1]}};
  if (call->lib->real == DAP_F4) s = (dap_linalg_scalar){.singles = {(float)parts[0], (float)parts[1]}};
  return s;
}
