/* Tests the findings of the reader of documents for malformed dictionaries, envelopes and documents. */
#include "reader_test.h"

#define DIMS(dims) "{'__version__':'0.10.0','dim_data':" dims "}"
#define DICT(rest) DIMS("[{'dist_type':" rest "}]")
#define BLOCK "'b','size':9,'proc_grid_size':3,'proc_grid_rank':1,"
#define CYCLIC "'c','size':9,'proc_grid_size':3,'proc_grid_rank':1,"
#define INDICES "'u','size':9,'proc_grid_size':3,'proc_grid_rank':1,"

static const reader_row types[] = {
    {"a real", DICT(BLOCK "'start':3.0,'stop':6"), DAP_ERR_DIM, 3, 1,
     "axis 0: start 3.0 is a real, not an integer"},
    {"a bool", DICT(BLOCK "'start':true,'stop':6"), DAP_ERR_DIM, 3, 1, "start true is a bool"},
    {"a string", DICT(BLOCK "'start':'3','stop':6"), DAP_ERR_DIM, 3, 1, "start \"3\" is a string"},
    {"null", DICT(BLOCK "'start':3,'stop':null"), DAP_ERR_DIM, 3, 1, "stop is null"},
    {"a list", DICT(BLOCK "'start':[3],'stop':6"), DAP_ERR_DIM, 3, 1, "start is a list"},
    {"an object", DICT(BLOCK "'start':{},'stop':6"), DAP_ERR_DIM, 3, 1, "start is an object"},
    {"2^63 - 1 is an integer", DICT(BLOCK "'start':3,'stop':9223372036854775807"), DAP_OK, 0, 0, ""},
    {"2^63 is one too", DICT(BLOCK "'start':3,'stop':9223372036854775808"), DAP_ERR_RANGE, 0, 1,
     "stop 9223372036854775808 is an integer of more than 63 bits"},
    {"-2^63 stands for an absent key", DICT(CYCLIC "'start':1,'block_size':-9223372036854775808"),
     DAP_ERR_RANGE, 0, 1, "block_size -9223372036854775808"},
    {"and so do larger ones", DICT(CYCLIC "'start':-99999999999999999999999"), DAP_ERR_RANGE, 0, 1,
     "start -99999999999999999999999"},
    {"a real beyond doubles", DICT(CYCLIC "'start':1e999"), DAP_ERR_DIM, 3, 1, "start 1e999 is a real"},
    {"NaN", DICT(CYCLIC "'start':NaN"), DAP_ERR_DIM, 3, 1, "start NaN is a real"},
    {"every key is told",
     DICT("'b','size':'9','proc_grid_size':3.5,'proc_grid_rank':[],'start':null,'stop':true"), DAP_ERR_DIM, 3,
     5, "size \"9\""},
    {"and every dictionary", DIMS("[{'dist_type':'c','size':1.5},{'dist_type':'c','size':2.5}]"), DAP_ERR_DIM,
     3, 2, "axis 0: size 1.5"},
    {"a long value is cut", DICT(CYCLIC "'start':'0123456789012345678901234567890123456789'"), DAP_ERR_DIM, 3,
     1, "start \"012345678901234567890123456789012345678... is a string"},
    {"control characters are escaped", DICT(CYCLIC "'start':'a\\nb'"), DAP_ERR_DIM, 3, 1,
     "\"a\\nb\" is a string"},
    {"periodic is a bool", DICT(BLOCK "'start':3,'stop':6,'periodic':1"), DAP_ERR_DIM, 3, 1,
     "periodic 1 is an integer, not a bool"},
    {"one_to_one is a bool", DICT(INDICES "'indices':[],'one_to_one':'yes'"), DAP_ERR_DIM, 3, 1,
     "one_to_one \"yes\" is a string, not a bool"},
    {"null is no bool", DICT(BLOCK "'start':3,'stop':6,'periodic':null"), DAP_ERR_DIM, 3, 1,
     "periodic is null"},
};

static const reader_row keys[] = {
    {"an absent integer is left to the library", DICT("'b'"), DAP_OK, 0, 0, ""},
    {"no dist_type", DIMS("[{'size':9}]"), DAP_ERR_DIM, 1, 1, "axis 0: required key dist_type is absent"},
    {"unknown dist_type", DICT("'x'"), DAP_ERR_DIM, 1, 1, "axis 0: dist_type \"x\""},
    {"that of another version", DICT("'n','size':9"), DAP_ERR_DIM, 1, 1, "dist_type \"n\"|0.10.*"},
    {"in capitals", DICT("'B'"), DAP_ERR_DIM, 1, 1, "dist_type \"B\""},
    {"null is none in 0.10", DICT("null"), DAP_ERR_DIM, 1, 1, "dist_type is null"},
    {"a number is none", DICT("3"), DAP_ERR_DIM, 1, 1, "dist_type 3 is an integer"},
    {"nor is a large one", DICT("99999999999999999999"), DAP_ERR_DIM, 1, 1, "dist_type 99999999999999999999"},
    {"unknown keys", DICT(CYCLIC "'start':1,'colour':'red'"), DAP_OK, 0, 0, ""},
    {"keys of 'b' in 'c'", DICT(CYCLIC "'start':1,'stop':null,'padding':5,'periodic':0,'indices':''"), DAP_OK,
     0, 0, ""},
    {"keys of 'c' and 'u' in 'b'", DICT(BLOCK "'start':3,'stop':6,'block_size':'','one_to_one':7"), DAP_OK, 0,
     0, ""},
    {"keys of 'b' in 'u'", DICT(INDICES "'indices':[1],'start':'','stop':[]"), DAP_OK, 0, 0, ""},
    {"padding of one", DICT(BLOCK "'start':3,'stop':6,'padding':[1]"), DAP_ERR_DIM, 10, 1,
     "padding has 1 elements, not 2"},
    {"of three", DICT(BLOCK "'start':3,'stop':6,'padding':[1,1,1]"), DAP_ERR_DIM, 10, 1, "padding has 3"},
    {"that is no list", DICT(BLOCK "'start':3,'stop':6,'padding':1"), DAP_ERR_DIM, 10, 1,
     "padding 1 is an integer"},
    {"null", DICT(BLOCK "'start':3,'stop':6,'padding':null"), DAP_ERR_DIM, 10, 1, "padding is null"},
    {"of texts", DICT(BLOCK "'start':3,'stop':6,'padding':['a','b']"), DAP_ERR_DIM, 10, 1,
     "padding[0] \"a\""},
    {"of a bool", DICT(BLOCK "'start':3,'stop':6,'padding':[0,false]"), DAP_ERR_DIM, 10, 1,
     "padding[1] false"},
    {"no indices", DICT(INDICES "'start':1"), DAP_ERR_DIM, 1, 1, "required key indices is absent"},
    {"indices that are a text", DICT(INDICES "'indices':'123'"), DAP_ERR_DIM, 17, 1,
     "indices \"123\" is a string"},
    {"a number", DICT(INDICES "'indices':3"), DAP_ERR_DIM, 17, 1, "indices 3 is an integer"},
    {"reals", DICT(INDICES "'indices':[1,2.0]"), DAP_ERR_DIM, 17, 1, "indices[1] 2.0 is a real"},
    {"a table", DICT(INDICES "'indices':[[1,2]]"), DAP_ERR_DIM, 17, 1, "indices[0] is a list"},
    {"bools", DICT(INDICES "'indices':[true]"), DAP_ERR_DIM, 17, 1, "indices[0] true is a bool"},
    {"beyond 64 bits", DICT(INDICES "'indices':[18446744073709551616]"), DAP_ERR_RANGE, 0, 1,
     "indices[0] 18446744073709551616"},
    {"none at all", DICT(INDICES "'indices':[]"), DAP_OK, 0, 0, ""},
};

static const reader_row envelopes[] = {
    {"no version", "{'dim_data':[{}]}", DAP_ERR_VERSION, 1, 1, "__version__ is absent"},
    {"null", "{'__version__':null,'dim_data':[{}]}", DAP_ERR_VERSION, 1, 1, "__version__ is null"},
    {"a number", "{'__version__':0.10,'dim_data':[{}]}", DAP_ERR_VERSION, 1, 1, "__version__ 0.1 is a real"},
    {"unknown", "{'__version__':'1.0.0','dim_data':[{}]}", DAP_ERR_VERSION, 2, 1, "'1.0.0'"},
    {"incomplete", "{'__version__':'0.10','dim_data':[{}]}", DAP_ERR_VERSION, 2, 1, "'0.10'"},
    {"long", "{'__version__':'0.10.0123456789abcdef','dim_data':[{}]}", DAP_ERR_RANGE, 0, 1,
     "longer than 15 bytes"},
    {"lines", "{'__version__':'a\\nb','dim_data':[{}]}", DAP_ERR_VERSION, 2, 1, "'a?b'"},
    {"a patch level", "{'__version__':'0.10.7','dim_data':[{}]}", DAP_OK, 0, 0, ""},
    {"a tuple for a text", "{'__version__':[0,10,0],'dim_data':[{}]}", DAP_ERR_VERSION, 1, 1, "'0.10.0'"},
    {"a tuple in 0.0.1", "{'__version__':[0,0,1],'dimdata':[{'disttype':null,'datasize':3}]}", DAP_OK, 0, 0,
     ""},
    {"a text in 0.0.1", "{'__version__':'0.0.1','dimdata':[{'disttype':null,'datasize':3}]}", DAP_OK, 0, 0,
     ""},
    {"its keys in the others' container",
     "{'__version__':[0,0,1],'dim_data':[{'disttype':'bp','datasize':'3'}]}", DAP_ERR_DIM, 3, 1,
     "datasize \"3\""},
    {"padding that only bp has", "{'__version__':[0,0,1],'dimdata':[{'disttype':'b','padding':null}]}",
     DAP_OK, 0, 0, ""},
    {"block_size that only bc has", "{'__version__':[0,0,1],'dimdata':[{'disttype':'c','blocksize':null}]}",
     DAP_OK, 0, 0, ""},
    {"{} is 0.10's", "{'__version__':'0.9.0','dim_data':[{}]}", DAP_ERR_DIM, 1, 1, "dist_type is absent"},
    {"a tuple of reals", "{'__version__':[0,0.0,1],'dim_data':[{}]}", DAP_ERR_VERSION, 1, 1, "0.0 is a real"},
    {"an empty tuple", "{'__version__':[],'dim_data':[{}]}", DAP_ERR_VERSION, 2, 1, "''"},
    {"no dim_data", "{'__version__':'0.10.0'}", DAP_ERR_DIM, 1, 1, "required key dim_data is absent"},
    {"none of 0.0.1", "{'__version__':'0.0.1'}", DAP_ERR_DIM, 1, 1, "required key dimdata is absent"},
    {"a dictionary alone", DIMS("{'dist_type':'c'}"), DAP_ERR_DIM, 3, 1,
     "dim_data is an object, not a sequence"},
    {"null", DIMS("null"), DAP_ERR_DIM, 3, 1, "dim_data is null"},
    {"no dictionaries", DIMS("[3,[],null]"), DAP_ERR_DIM, 3, 3, "axis 0 3 is an integer, not a dictionary"},
    {"eight", DIMS("[{},{},{},{},{},{},{},{}]"), DAP_OK, 0, 0, ""},
    {"nine", DIMS("[{},{},{},{},{},{},{},{},{}]"), DAP_ERR_RANGE, 0, 1, "9 dictionaries, more than 8"},
};

READER_ROWS(types)
READER_ROWS(keys)
READER_ROWS(envelopes)

/* The rules that the caller chooses determine the dialect. The document may then name any version. */
static void rules_decide(void **state)
{
  (void)state;
  static const reader_row rows[] = {
      {"unknown version", "{'__version__':'mine','dim_data':[{'dist_type':'n','size':3}]}", DAP_OK, 0, 0, ""},
      {"a tuple", "{'__version__':[7],'dim_data':[{'dist_type':'n','size':3}]}", DAP_OK, 0, 0, ""},
      {"none", "{'dim_data':[{'dist_type':'n','size':3}]}", DAP_ERR_VERSION, 1, 1, "absent"},
      {"keys of its own", "{'__version__':'0.0.1','dimdata':[{'disttype':null}]}", DAP_ERR_DIM, 1, 1,
       "required key dim_data is absent"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) check_reader_row(&rows[i], "0.9.0");
  document doc;
  dap_error err = {0};
  json_t *json = json_from("{'__version__':'0.10.0','dim_data':[]}");
  assert_int_equal(document_open(&doc, json, "0.8.0", &err), DAP_ERR_VERSION);
  assert_int_equal(err.rule, 2);
  json_decref(json);
}

/* The reader returns the values of a valid dictionary, under the names of each dialect. */
static void values_arrive(void **state)
{
  (void)state;
  dap_array array;
  read_part(
      "{'__version__':'0.10.0','dim_data':["
      "{'dist_type':'b','size':9,'proc_grid_size':3,'proc_grid_rank':1,'start':2,'stop':7,'padding':[1,2],"
      "'periodic':true},"
      "{'dist_type':'c','size':8,'proc_grid_size':4,'proc_grid_rank':2,'start':6,'block_size':3},"
      "{'dist_type':'u','size':7,'proc_grid_size':2,'proc_grid_rank':0,'indices':[5,-1],'one_to_one':true},"
      "{}]}",
      &array);
  const dap_dim *b = &array.dims[0], *c = &array.dims[1], *u = &array.dims[2];
  assert_string_equal(array.version, "0.10.0");
  assert_int_equal(array.dim_count, 4);
  assert_true(b->dist_type == 'b' && b->size == 9 && b->proc_grid_size == 3 && b->proc_grid_rank == 1);
  assert_true(b->start == 2 && b->stop == 7 && b->padding[0] == 1 && b->padding[1] == 2 && b->periodic);
  assert_true(c->dist_type == 'c' && c->start == 6 && c->block_size == 3 && c->stop == DAP_ABSENT);
  assert_true(u->dist_type == 'u' && u->index_count == 2 && u->indices_dtype == DAP_I8 && u->one_to_one);
  assert_int_equal(((const int64_t *)u->indices)[1], -1);
  assert_int_equal(array.dims[3].dist_type, 0);
  dap_array_release(&array);

  read_part(
      "{'__version__':[0,0,1],'dimdata':[{'disttype':'bc','datasize':8,'gridsize':4,'gridrank':2,'start':6,"
      "'blocksize':3,'step':7},{'disttype':null,'datasize':5,'periodic':true}]}",
      &array);
  c = &array.dims[0];
  assert_string_equal(array.version, "0.0.1");
  assert_true(c->dist_type == 'c' && c->size == 8 && c->proc_grid_size == 4 && c->proc_grid_rank == 2);
  assert_true(c->start == 6 && c->block_size == 3);
  assert_true(array.dims[1].dist_type == 'n' && array.dims[1].size == 5 && array.dims[1].periodic);
  dap_array_release(&array);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_types),  cmocka_unit_test(check_keys),    cmocka_unit_test(check_envelopes),
    cmocka_unit_test(rules_decide), cmocka_unit_test(values_arrive),
};

int main(void)
{
  return cmocka_run_group_tests(tests, NULL, NULL);
}
