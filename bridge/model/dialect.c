/* The versions of the protocol. A row that is not read yet is refused as unsupported; its translation
 * to the canonical form will be the row's, so that no other file asks for a version. */
#include "model_impl.h"

#include <ctype.h>
#include <string.h>

typedef struct dialect {
  const char *prefix; /* of the version */
  bool is_read;
} dialect;

static const dialect dialects[] = {
    {"0.10.", true},
    {"0.9.", false},
    {"0.0.1", false},
};

static bool is_of(const dialect *row, const char *version)
{
  const size_t length = strlen(row->prefix);
  if (strncmp(version, row->prefix, length) != 0) return false;
  return row->prefix[length - 1] == '.' ? isdigit((unsigned char)version[length]) != 0
                                        : version[length] == '\0';
}

dap_status dap_version_check(const char version[DAP_VERSION_TEXT], dap_error *err)
{
  DAP_REQUIRE(memchr(version, '\0', DAP_VERSION_TEXT), err, DAP_ERR_VERSION,
              "__version__ is not closed with NUL within %d bytes", DAP_VERSION_TEXT);
  for (size_t i = 0; i < sizeof dialects / sizeof dialects[0]; i++) {
    if (!is_of(&dialects[i], version)) continue;
    DAP_REQUIRE(dialects[i].is_read, err, DAP_ERR_UNSUPPORTED,
                "__version__ '%s': this release reads protocol 0.10.* only", version);
    return DAP_OK;
  }
  return dap_fail(err, DAP_ERR_VERSION, "__version__ '%s' is no known version of the protocol", version);
}
