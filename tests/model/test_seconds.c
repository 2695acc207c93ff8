/* Tests how times are written, on both sides of each value at which the unit or the digits change. Private:
 * no public call writes a time that a test can choose. */
#include "mpi_test.h"
#include "seconds.h"

static void times_have_units(void **state)
{
  (void)state;
  static const struct {
    double seconds;
    const char *text, *why;
  } rows[] = {
      {0, "0.0 us", "no time"},
      {4e-8, "0.0 us", "less than the last digit"},
      {6e-8, "0.1 us", "rounded up to the last digit"},
      {9.94e-6, "9.9 us", "the last with a decimal"},
      {9.96e-6, "10 us", "not 10.0 us"},
      {12.4e-6, "12 us", "rounded down"},
      {12.6e-6, "13 us", "rounded up"},
      {999.4e-6, "999 us", "the last in us"},
      {999.5e-6, "1.0 ms", "not 1000 us"},
      {999.6e-6, "1.0 ms", "not 1000 us"},
      {1e-3, "1.0 ms", "one"},
      {1.04e-3, "1.0 ms", "rounded down"},
      {3.4e-3, "3.4 ms", "a decimal"},
      {9.94e-3, "9.9 ms", "the last with a decimal"},
      {9.96e-3, "10 ms", "not 10.0 ms"},
      {999.4e-3, "999 ms", "the last in ms"},
      {999.5e-3, "1.0 s", "not 1000 ms"},
      {999.6e-3, "1.0 s", "not 1000 ms"},
      {1, "1.0 s", "one"},
      {9.94, "9.9 s", "the last with a decimal"},
      {9.96, "10 s", "not 10.0 s"},
      {999.6, "1000 s", "there is no larger unit"},
      {1e9, "1000000000 s", "no exponent"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const dap_seconds_text said = dap_say_seconds(rows[i].seconds);
    TEST_CASE("%g s: %s", rows[i].seconds, rows[i].why);
    EXPECT_MSG(!strcmp(said.text, rows[i].text), "'%s' instead of '%s'", said.text, rows[i].text);
  }
  SETTLE();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(times_have_units),
};

MPI_TEST_MAIN(tests)
