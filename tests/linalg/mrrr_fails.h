/* LAPACK's stemr, made to fail. Programs are linked with --wrap of its names. */
#ifndef DAP_TEST_MRRR_FAILS_H
#define DAP_TEST_MRRR_FAILS_H

typedef enum mrrr_fault {
  MRRR_NO_FAULT,
  MRRR_GIVES_UP,    /* info = 22, and no vectors */
  MRRR_FINDS_FEWER, /* one less than asked for */
  MRRR_REPEATS,     /* the last vector is that before, or zeros */
  MRRR_EXCHANGES,   /* the first vector is the last one, and no other changes */
  MRRR_GIVES_NAN    /* in the last vector */
} mrrr_fault;

/* What stemr does from now on, on this process. */
void mrrr_fail(mrrr_fault fault);

#endif
