/* Makes and finds HDF5's types of elements, as h5py stores them. */
#include "hdf5_impl.h"

/* Makes numpy's float16. HDF5 has a name for it from 1.14.4 on. */
static hid_t make_half(void)
{
  hid_t type = H5Tcopy(H5T_NATIVE_FLOAT);
  if (type < 0) return type;
  if (H5Tset_fields(type, 15, 10, 5, 0, 10) >= 0 && H5Tset_size(type, 2) >= 0 && H5Tset_ebias(type, 15) >= 0)
    return type;
  (void)H5Tclose(type);
  return H5I_INVALID_HID;
}

static hid_t native(dap_dtype dtype)
{
  switch (dtype) {
  case DAP_BOOL:
  case DAP_I1:
    return H5T_NATIVE_INT8;
  case DAP_U1:
    return H5T_NATIVE_UINT8;
  case DAP_I2:
    return H5T_NATIVE_INT16;
  case DAP_U2:
    return H5T_NATIVE_UINT16;
  case DAP_I4:
    return H5T_NATIVE_INT32;
  case DAP_U4:
    return H5T_NATIVE_UINT32;
  case DAP_I8:
    return H5T_NATIVE_INT64;
  case DAP_U8:
    return H5T_NATIVE_UINT64;
  case DAP_C8:
  case DAP_F4:
    return H5T_NATIVE_FLOAT;
  case DAP_C16:
  case DAP_F8:
    return H5T_NATIVE_DOUBLE;
  case DAP_C32:
  case DAP_F16:
    return sizeof(long double) == 16 ? H5T_NATIVE_LDOUBLE : H5I_INVALID_HID;
  default:
    return H5I_INVALID_HID;
  }
}

/* Makes a number. For bool that is its integer, for a complex type one of its parts. */
static hid_t make_number(dap_dtype dtype, bool swapped)
{
  hid_t type = dtype == DAP_F2 ? make_half() : H5Tcopy(native(dtype));
  if (type < 0 || !swapped) return type;
  const H5T_order_t order = H5Tget_order(type) == H5T_ORDER_LE ? H5T_ORDER_BE : H5T_ORDER_LE;
  if (H5Tset_order(type, order) >= 0) return type;
  (void)H5Tclose(type);
  return H5I_INVALID_HID;
}

static bool is_complex(dap_dtype dtype)
{
  return dtype == DAP_C8 || dtype == DAP_C16 || dtype == DAP_C32;
}

static hid_t make_complex(hid_t part, const char *const names[2])
{
  const size_t size = H5Tget_size(part);
  hid_t type = H5Tcreate(H5T_COMPOUND, 2 * size);
  if (type < 0) return type;
  if (H5Tinsert(type, names[0], 0, part) >= 0 && H5Tinsert(type, names[1], size, part) >= 0) return type;
  (void)H5Tclose(type);
  return H5I_INVALID_HID;
}

static hid_t make_bool(hid_t part)
{
  const signed char values[2] = {0, 1};
  hid_t type = H5Tenum_create(part);
  if (type < 0) return type;
  if (H5Tenum_insert(type, "FALSE", &values[0]) >= 0 && H5Tenum_insert(type, "TRUE", &values[1]) >= 0)
    return type;
  (void)H5Tclose(type);
  return H5I_INVALID_HID;
}

/* The names of a complex number's parts: those of h5py first, then those of other programs. */
static const char *const part_names[][2] = {{"r", "i"}, {"re", "im"}, {"real", "imag"}};
enum { PART_NAMES = sizeof part_names / sizeof part_names[0] };

static hid_t make(dap_dtype dtype, bool swapped, int names)
{
  hid_t part = make_number(dtype, swapped);
  if (part < 0 || (dtype != DAP_BOOL && !is_complex(dtype))) return part;
  hid_t type = dtype == DAP_BOOL ? make_bool(part) : make_complex(part, part_names[names]);
  (void)H5Tclose(part);
  return type;
}

hid_t dap_hdf5_type_make(dap_dtype dtype, bool swapped)
{
  return make(dtype, swapped, 0);
}

static bool is_type(hid_t type, dap_dtype dtype, bool swapped, int names)
{
  hid_t other = make(dtype, swapped, names);
  const bool is_equal = other >= 0 && H5Tequal(type, other) > 0;
  if (other >= 0) (void)H5Tclose(other);
  return is_equal;
}

static const char *type_words(hid_t type)
{
  switch (H5Tget_class(type)) {
  case H5T_INTEGER:
    return "integers of an unusual size";
  case H5T_FLOAT:
    return "floating-point numbers of an unusual format";
  case H5T_STRING:
    return "strings";
  case H5T_COMPOUND:
    return "compounds that are not complex numbers";
  case H5T_REFERENCE:
    return "references";
  case H5T_ENUM:
    return "an enumeration other than h5py's bool";
  case H5T_VLEN:
    return "sequences of variable length";
  case H5T_ARRAY:
    return "arrays as elements";
  case H5T_OPAQUE:
    return "opaque bytes";
  case H5T_BITFIELD:
    return "bit fields";
  default:
    return "elements of an unknown type";
  }
}

dap_status dap_hdf5_type_find(hid_t type, const dap_file_name *name, dap_dtype *dtype, bool *swapped,
                              dap_error *err)
{
  for (dap_dtype t = DAP_BOOL; t <= DAP_C32; t++)
    for (int order = 0; order < 2; order++)
      for (int names = 0; names < (is_complex(t) ? PART_NAMES : 1); names++)
        if (is_type(type, t, order, names)) {
          *dtype = t;
          *swapped = order && dap_dtype_size(t) > 1;
          return DAP_OK;
        }
  return dap_fail(err, DAP_ERR_UNSUPPORTED, "%.300s: the dataset has %s, which dapbridge does not have",
                  name->shown, type_words(type));
}
