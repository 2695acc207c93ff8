/* Keeps HDF5 from printing its errors, and puts their innermost message in dap_error. */
#include "hdf5_impl.h"

#include <stdio.h>
#include <string.h>

dap_hdf5_printing dap_hdf5_silence(void)
{
  dap_hdf5_printing printing = {0};
  printing.is_known = H5Eget_auto2(H5E_DEFAULT, &printing.function, &printing.data) >= 0;
  if (printing.is_known) (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return printing;
}

void dap_hdf5_restore(const dap_hdf5_printing *printing)
{
  (void)H5Eclear2(H5E_DEFAULT);
  if (printing->is_known) (void)H5Eset_auto2(H5E_DEFAULT, printing->function, printing->data);
}

static herr_t keep_first(unsigned number, const H5E_error2_t *error, void *text)
{
  if (number == 0 && error->desc) (void)snprintf(text, DAP_ERROR_TEXT, "%s", error->desc);
  return 0;
}

dap_status dap_hdf5_fail(const dap_file_name *name, const char *what, dap_error *err)
{
  char text[DAP_ERROR_TEXT] = "it does not say why";
  (void)H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, text);
  const bool is_locked = strstr(text, "lock") != NULL;
  return dap_fail(err, DAP_ERR_FILE, "%.300s: %s%s (HDF5: %s)", name->shown, what,
                  is_locked ? ", because another program has the file open" : "", text);
}

dap_status dap_hdf5_fail_errno(const dap_file_name *name, const char *what, int error, dap_error *err)
{
  return dap_fail(err, DAP_ERR_FILE, "%.300s: %s: %s", name->shown, what, strerror(error));
}
