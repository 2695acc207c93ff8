/* One document of all processes of an array: read, assembled, and put to all tests. */
#include "vectors.h"

#include <dapbridge/dialect.h>
#include <stdio.h>
#include <string.h>

/* ---- the same on all processes ----------------------------------------------------------------- */

typedef struct answer {
  dap_status status;
  dap_error err;
} answer;

/* The same status and text on all processes, byte for byte. */
static bool is_same(MPI_Comm comm, const answer *one)
{
  struct {
    int status, rank, rule;
    char text[DAP_ERROR_TEXT];
  } mine = {.status = (int)one->status}, first;
  if (one->status) {
    mine.rank = one->err.rank;
    mine.rule = one->err.rule;
    snprintf(mine.text, sizeof mine.text, "%s", one->err.text);
  }
  first = mine;
  MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, comm);
  int same = mine.status == first.status && mine.rank == first.rank && mine.rule == first.rule &&
             !strcmp(mine.text, first.text);
  int all = 0;
  MPI_Allreduce(&same, &all, 1, MPI_INT, MPI_LAND, comm);
  return all;
}

/* ---- one document, several ways ---------------------------------------------------------------- */

typedef struct trial {
  const json_t *vector;
  document doc;
  MPI_Comm comm;
  int rank;
  dap_array mine;       /* this process's part */
  document_parts parts; /* everybody's */
  dap_layout *assembled, *joined;
} trial;

/* With the other processes. */
static answer assemble(trial *t)
{
  answer a = {0};
  a.status = dap_agree(t->comm, document_read(&t->doc, t->rank, NULL, &t->mine, &a.err), &a.err);
  if (!a.status && t->doc.rules)
    a.status = dap_layout_assemble_as(t->comm, t->doc.rules, &t->mine, &t->assembled, &a.err);
  else if (!a.status)
    a.status = dap_layout_assemble(t->comm, &t->mine, &t->assembled, &a.err);
  return a;
}

/* Alone. */
static answer join(trial *t)
{
  answer a = {0};
  a.status = document_parts_init(&t->parts, &t->doc, NULL, &a.err);
  if (!a.status) a.status = document_parts_join(&t->parts, NULL, &t->joined, &a.err);
  return a;
}

/* Rule 18, both ways. */
static answer compare_copies(trial *t, bool *agrees)
{
  answer a = {0}, alone = {0};
  a.status = dap_replicas_check(t->comm, (dap_darray){t->assembled, &t->mine}, &a.err);
  alone.status = document_parts_compare(&t->parts, t->joined, NULL, &alone.err);
  *agrees = (a.status == DAP_OK) == (alone.status == DAP_OK);
  return a;
}

static bool is_one_layout(const trial *t)
{
  return dap_layout_is_equal(t->assembled, t->joined) && dap_layout_is_equal(t->joined, t->assembled) &&
         dap_layout_hash(t->assembled) == dap_layout_hash(t->joined);
}

/* All that must hold of a document that conforms. Collective. */
static answer compare(trial *t)
{
  answer a = {0};
  a.status = map_compare(t->vector, t->assembled, t->rank, &a.err);
  for (int rank = 0; rank < t->doc.nprocs && !a.status; rank++)
    a.status = map_compare(t->vector, t->joined, rank, &a.err);
  if (!a.status && !is_one_layout(t))
    a.status = dap_fail(&a.err, DAP_ERR_LAYOUT, "the joined layout is not the assembled one");
  if (!a.status) a.status = export_compare(t->joined, t->doc.rules, t->parts.arrays, &a.err);
  a.status = dap_agree(t->comm, a.status, &a.err);
  if (!a.status) a.status = find_all(t->vector, t->comm, t->assembled, t->joined, &a.err);
  if (!a.status) a.status = moves_compare(t->vector, t->comm, t->assembled, &t->mine, &a.err);
  return a;
}

/* ---- the verdict ------------------------------------------------------------------------------- */

static outcome failed(const char *why, const answer *a)
{
  outcome result = {.verdict = VERDICT_FAILED};
  snprintf(result.text, sizeof result.text, "%s (%s, rule %d): %s", why, dap_status_name(a->status),
           a->err.rule, a->err.text);
  return result;
}

/* What is no answer to what a document says. */
static bool is_accident(dap_status status)
{
  return status == DAP_ERR_LIBRARY || status == DAP_ERR_NOMEM || status == DAP_ERR_UNSUPPORTED ||
         status == DAP_ERR_ARG || status == DAP_ERR_REMOTE;
}

static outcome judge_refusal(bool conforming, const answer *a, bool is_same_text)
{
  outcome result = {.verdict = VERDICT_PASSED, .in_two_wordings = !is_same_text};
  if (conforming) return failed("refused", a);
  if (is_accident(a->status)) return failed("fails for another reason", a);
  if (a->err.rule == 0 && a->status != DAP_ERR_RANGE) return failed("no rule is named", a);
  snprintf(result.text, sizeof result.text, "rightly refused: %s", a->err.text);
  return result;
}

static outcome differ(const answer *one, const answer *other)
{
  outcome result = failed("assembled", one);
  const size_t used = strlen(result.text);
  snprintf(result.text + used, sizeof result.text - used, "; but joined (%s, rule %d): %s",
           dap_status_name(other->status), other->err.rule, other->err.text);
  return result;
}

static outcome judge(trial *t, bool conforming)
{
  const answer one = assemble(t), other = join(t);
  if (!is_same(t->comm, &one)) return failed("status or text is not the same on all ranks; here", &one);
  if (!is_same(t->comm, &other)) return failed("joined, it is not the same on all ranks; here", &other);
  if (one.status != other.status || one.err.rule != other.err.rule) return differ(&one, &other);
  if (one.status) return judge_refusal(conforming, &one, strcmp(one.err.text, other.err.text) == 0);
  bool agrees;
  const answer copies = compare_copies(t, &agrees);
  if (!is_same(t->comm, &copies) || !agrees) return failed("the copies are not judged alike; here", &copies);
  if (copies.status) return judge_refusal(conforming, &copies, true);
  if (!conforming) {
    const char *notes = json_string_value(json_object_get(t->vector, "notes"));
    const answer none = {0};
    outcome result = failed("accepted", &none);
    snprintf(result.text, sizeof result.text, "accepted, but: %s", notes ? notes : "it does not conform");
    return result;
  }
  const answer all = compare(t);
  return all.status ? failed("it differs", &all) : (outcome){.verdict = VERDICT_PASSED};
}

/* ---- one document ------------------------------------------------------------------------------ */

/* On the document's own processes. */
static outcome run(const json_t *vector, const document *doc, MPI_Comm comm)
{
  trial t = {.vector = vector, .doc = *doc, .comm = comm};
  MPI_Comm_rank(comm, &t.rank);
  const outcome result = judge(&t, json_is_true(json_object_get(vector, "conforming")));
  dap_layout_destroy(&t.assembled);
  dap_layout_destroy(&t.joined);
  document_parts_release(&t.parts);
  dap_array_release(&t.mine);
  return result;
}

/* A version that nobody knows is read by the rules that the document names, if it conforms (rule 2). */
static const char *rules_of(const json_t *vector)
{
  const json_t *first = json_array_get(json_object_get(vector, "ranks"), 0);
  const char *version = json_string_value(json_object_get(first, "__version__"));
  const bool conforming = json_is_true(json_object_get(vector, "conforming"));
  const bool is_unknown = conforming && version && !dap_dialect_find(version);
  return is_unknown ? json_string_value(json_object_get(vector, "rules")) : NULL;
}

static bool open(const json_t *vector, document *doc, outcome *result)
{
  dap_error err = {0};
  const json_int_t wanted = json_integer_value(json_object_get(vector, "nprocs"));
  if (document_open(doc, vector, rules_of(vector), &err)) {
    snprintf(result->text, sizeof result->text, "the document is broken: %s", err.text);
    return false;
  }
  return json_is_boolean(json_object_get(vector, "conforming")) && wanted == doc->nprocs;
}

outcome array_run(const json_t *vector, MPI_Comm world)
{
  outcome result = {.verdict = VERDICT_FAILED, .text = "the document is broken: nprocs, ranks or conforming"};
  document doc;
  int rank = 0, size = 0;
  if (!open(vector, &doc, &result)) return result;
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  if (doc.nprocs > size) {
    result.verdict = VERDICT_SKIPPED;
    snprintf(result.text, sizeof result.text, "nprocs > %d", size);
    return result;
  }
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(world, rank < doc.nprocs ? 0 : MPI_UNDEFINED, rank, &part);
  if (part != MPI_COMM_NULL) {
    result = run(vector, &doc, part);
    MPI_Comm_free(&part);
  }
  MPI_Bcast(&result, (int)sizeof result, MPI_BYTE, 0, world);
  return result;
}
