/* Updates halos by PETSc, and copies an array into PETSc's vectors and back, as a program without the
 * library does. */
#include "fail.h"
#include "field.h"

#include <string.h>

/* Returns how many elements of a vector are wrong. */
static int64_t count_wrong(const field_job *job, Vec vector)
{
  const PetscScalar *memory;
  int64_t strides[FIELD_NDIM];
  field_strides(job->c->shape, strides);
  require(VecGetArrayRead(vector, &memory));
  const int64_t wrong = vector == job->local ? field_count_wrong(job->c, memory, strides)
                                             : field_count_wrong_points(job->c, memory);
  require(VecRestoreArrayRead(vector, &memory));
  return wrong;
}

static void spoil(const field_job *job, Vec vector)
{
  PetscScalar *memory;
  require(VecGetArrayWrite(vector, &memory));
  field_spoil(memory, vector == job->local ? job->c->count : job->c->points);
  require(VecRestoreArrayWrite(vector, &memory));
}

static void fill_global(const field_job *job)
{
  PetscScalar *memory;
  require(VecGetArrayWrite(job->global, &memory));
  field_fill_points(job->c, memory);
  require(VecRestoreArrayWrite(job->global, &memory));
}

/* ---- halo updates ------------------------------------------------------------------------------------- */

void field_global_fill(field_job *job)
{
  fill_global(job);
  spoil(job, job->local);
}

void field_global_run(field_job *job)
{
  require(DMGlobalToLocalBegin(job->dm, job->global, INSERT_VALUES, job->local));
  require(DMGlobalToLocalEnd(job->dm, job->global, INSERT_VALUES, job->local));
}

void field_local_fill(field_job *job)
{
  PetscScalar *memory;
  int64_t strides[FIELD_NDIM];
  field_strides(job->c->shape, strides);
  require(VecGetArrayWrite(job->local, &memory));
  field_fill(job->c, memory, strides, false);
  require(VecRestoreArrayWrite(job->local, &memory));
}

void field_local_run(field_job *job)
{
  require(DMLocalToLocalBegin(job->dm, job->local, INSERT_VALUES, job->local));
  require(DMLocalToLocalEnd(job->dm, job->local, INSERT_VALUES, job->local));
}

int64_t field_local_wrong(field_job *job)
{
  return count_wrong(job, job->local);
}

/* ---- additions of ghost points to points ------------------------------------------------------------- */

void field_to_global_fill(field_job *job)
{
  PetscScalar *memory;
  int64_t strides[FIELD_NDIM];
  field_strides(job->c->shape, strides);
  require(VecGetArrayWrite(job->local, &memory));
  field_fill(job->c, memory, strides, true);
  require(VecRestoreArrayWrite(job->local, &memory));
  spoil(job, job->global);
}

void field_to_global_run(field_job *job)
{
  require(VecZeroEntries(job->global));
  require(DMLocalToGlobalBegin(job->dm, job->local, ADD_VALUES, job->global));
  require(DMLocalToGlobalEnd(job->dm, job->local, ADD_VALUES, job->global));
}

int64_t field_to_global_wrong(field_job *job)
{
  const PetscScalar *memory;
  require(VecGetArrayRead(job->global, &memory));
  const int64_t wrong = field_count_wrong_sums_points(job->c, memory);
  require(VecRestoreArrayRead(job->global, &memory));
  return wrong;
}

/* ---- copies ------------------------------------------------------------------------------------------ */

/* Copies the points, a row at a time. */
static void copy(const field_job *job, PetscScalar *points, bool in)
{
  const field_case *c = job->c;
  const size_t bytes = (size_t)c->owned[2] * sizeof *points;
  PetscScalar *data =
      (PetscScalar *)job->array.data + c->low[0] * job->strides[0] + c->low[1] * job->strides[1] + c->low[2];
  for (int64_t i = 0; i < c->owned[0]; i++)
    for (int64_t j = 0; j < c->owned[1]; j++, points += c->owned[2]) {
      PetscScalar *row = data + i * job->strides[0] + j * job->strides[1];
      memcpy(in ? points : row, in ? row : points, bytes);
    }
}

void field_copy_in_fill(field_job *job)
{
  field_fill(job->c, job->array.data, job->strides, false);
  spoil(job, job->global);
}

void field_copy_in_run(field_job *job)
{
  PetscScalar *memory;
  require(VecGetArrayWrite(job->global, &memory));
  copy(job, memory, true);
  require(VecRestoreArrayWrite(job->global, &memory));
}

int64_t field_copy_in_wrong(field_job *job)
{
  return count_wrong(job, job->global);
}

/* Spoils the points, but not the padding around them. */
void field_copy_out_fill(field_job *job)
{
  fill_global(job);
  field_fill(job->c, job->array.data, job->strides, true);
  spoil(job, job->local);
  const PetscScalar *nobodys;
  require(VecGetArrayRead(job->local, &nobodys));
  copy(job, (PetscScalar *)nobodys, false);
  require(VecRestoreArrayRead(job->local, &nobodys));
}

void field_copy_out_run(field_job *job)
{
  const PetscScalar *memory;
  require(VecGetArrayRead(job->global, &memory));
  copy(job, (PetscScalar *)memory, false);
  require(VecRestoreArrayRead(job->global, &memory));
}

int64_t field_copy_out_wrong(field_job *job)
{
  return field_count_wrong(job->c, job->array.data, job->strides);
}
