/* Defines the extents of the patterns, as arrays in C order. They are facts about applications, from
 * DDTBench: T. Schneider, R. Gerstenberger, T. Hoefler, "Micro-applications for communication data access
 * patterns and MPI datatypes", EuroMPI 2012, and the parameters of its program (src_c/ddtbench.c; a copy
 * is in github.com/fredrikbk/libpack). Its FFT2 is the case FFT2 of `bench redistribute`. */
#include "patterns.h"

enum { F4 = 4, F8 = 8 };

/* WRF, single precision, i fastest, then levels: 4 surface fields, 3 fields, and 2 arrays of two scalars,
 * of which the second is sent. The arrays have a[0] x a[1] columns, of which a[4] x a[5] are sent, from
 * column (a[2], a[3]) on. */
static void wrf(pattern_group g[], const int64_t a[])
{
  enum { LEVELS = 65 };
  const int64_t ni = a[0], nj = a[1], i = a[2], j = a[3], ci = a[4], cj = a[5];
  g[0] = (pattern_group){
      .arrays = 4, .ndim = 2, .shape = {nj, ni}, .count = {cj, ci}, .from = {j, i}, .to = {j, i}};
  g[1] = (pattern_group){.arrays = 3,
                         .ndim = 3,
                         .shape = {nj, LEVELS, ni},
                         .count = {cj, LEVELS, ci},
                         .from = {j, 0, i},
                         .to = {j, 0, i}};
  g[2] = (pattern_group){.arrays = 2,
                         .ndim = 4,
                         .shape = {2, nj, LEVELS, ni},
                         .count = {1, cj, LEVELS, ci},
                         .from = {1, j, 0, i},
                         .to = {1, j, 0, i}};
}

/* MILC: vectors of 3 single precision complex numbers on a[0] x a[1] x a[2] x a[3] sites (x, y, z, t), the
 * even ones first. One z is sent. */
static void milc(pattern_group g[], const int64_t a[])
{
  const int64_t plane = 6 * a[0] * a[1] / 2;
  g[0] =
      (pattern_group){.arrays = 1, .ndim = 4, .shape = {2, a[3], a[2], plane}, .count = {2, a[3], 1, plane}};
}

/* NAS LU: 5 doubles at each of n x n points within a frame. They are sent to the frame. */
static void lu_x(pattern_group g[], const int64_t a[])
{
  const int64_t n = a[0];
  g[0] = (pattern_group){.arrays = 1,
                         .ndim = 3,
                         .shape = {n + 2, n + 2, 5},
                         .count = {1, n, 5},
                         .from = {n, 1, 0},
                         .to = {0, 1, 0}};
}

static void lu_y(pattern_group g[], const int64_t a[])
{
  const int64_t n = a[0];
  g[0] = (pattern_group){.arrays = 1,
                         .ndim = 3,
                         .shape = {n + 2, n + 2, 5},
                         .count = {n, 1, 5},
                         .from = {1, n, 0},
                         .to = {1, 0, 0}};
}

/* NAS MG: doubles, a face of a[0] x a[1] x a[2] points (x, y, z), of which the outermost are the frame.
 * They are sent to the frame. */
static pattern_group mg(const int64_t a[])
{
  return (pattern_group){.arrays = 1,
                         .ndim = 3,
                         .shape = {a[2], a[1], a[0]},
                         .count = {a[2] - 2, a[1] - 2, a[0] - 2},
                         .from = {1, 1, 1},
                         .to = {1, 1, 1}};
}

static void mg_face(pattern_group *g, int axis, int64_t from, int64_t to)
{
  g->count[axis] = 1;
  g->from[axis] = from;
  g->to[axis] = to;
}

static void mg_x(pattern_group g[], const int64_t a[])
{
  g[0] = mg(a);
  mg_face(g, 2, a[0] - 2, a[0] - 1);
}

static void mg_y(pattern_group g[], const int64_t a[])
{
  g[0] = mg(a);
  mg_face(g, 1, a[1] - 2, a[1] - 1);
}

static void mg_z(pattern_group g[], const int64_t a[])
{
  g[0] = mg(a);
  mg_face(g, 0, 1, 0);
}

/* LAMMPS: a[1] of a[0] atoms are appended to the receiver's: 3 doubles of each, and a[2] arrays of one. */
static void lammps(pattern_group g[], const int64_t a[])
{
  for (int i = 0; i < 2; i++)
    g[i] = (pattern_group){.arrays = i == 0 ? 1 : (int)a[2],
                           .ndim = 2,
                           .shape = {a[0] + a[1], i == 0 ? 3 : 1},
                           .count = {a[1], i == 0 ? 3 : 1},
                           .to = {a[0], 0},
                           .scattered_from = true,
                           .among = a[0]};
}

/* SPECFEM3D_GLOBE, single precision: `width` numbers at each of `points` points of a mesh. `sent` of them
 * go to points of the receiver. */
static pattern_group mesh(int64_t points, int64_t sent, int64_t width)
{
  return (pattern_group){.arrays = 1,
                         .ndim = 2,
                         .shape = {points, width},
                         .count = {sent, width},
                         .scattered_from = true,
                         .scattered_to = true,
                         .among = points};
}

static void specfem_oc(pattern_group g[], const int64_t a[])
{
  g[0] = mesh(a[0], a[1], 1);
}

static void specfem_cm(pattern_group g[], const int64_t a[])
{
  g[0] = mesh(a[0], a[1], 3);
  g[1] = mesh(a[2], a[3], 3);
}

static const struct {
  const char *name, *about;
  int itemsize;
  void (*make)(pattern_group g[], const int64_t a[]);
  int64_t extents[6];
} rows[] = {
    {"WRF_x_8", "em_b_wave, 8 x 8 processes", F4, wrf, {19, 24, 9, 4, 3, 16}},
    {"WRF_x_2", "em_b_wave, 2 x 2 processes", F4, wrf, {32, 52, 22, 4, 3, 44}},
    {"WRF_y_8", "em_b_wave, 8 x 8 processes", F4, wrf, {19, 24, 4, 7, 11, 3}},
    {"WRF_y_2", "em_b_wave, 2 x 2 processes", F4, wrf, {32, 52, 5, 7, 23, 3}},
    {"MILC_8", "su3 zdown, 8 x 8 x 8 x 8", F4, milc, {8, 8, 8, 8}},
    {"MILC_16", "su3 zdown, 16 x 16 x 16 x 16", F4, milc, {16, 16, 16, 16}},
    {"LU_x_33", "NAS LU", F8, lu_x, {33}},
    {"LU_x_408", "NAS LU", F8, lu_x, {408}},
    {"LU_y_33", "NAS LU", F8, lu_y, {33}},
    {"LU_y_408", "NAS LU", F8, lu_y, {408}},
    {"MG_x_34", "NAS MG, 34 x 18 x 18", F8, mg_x, {34, 18, 18}},
    {"MG_x_258", "NAS MG, 258 x 130 x 130", F8, mg_x, {258, 130, 130}},
    {"MG_y_34", "NAS MG, 34 x 18 x 18", F8, mg_y, {34, 18, 18}},
    {"MG_y_258", "NAS MG, 258 x 130 x 130", F8, mg_y, {258, 130, 130}},
    {"MG_z_34", "NAS MG, 34 x 18 x 18", F8, mg_z, {34, 18, 18}},
    {"MG_z_258", "NAS MG, 258 x 130 x 130", F8, mg_z, {258, 130, 130}},
    {"LAMMPS_full", "peptide, 2 processes", F8, lammps, {3534, 3062, 5}},
    {"LAMMPS_atomic", "crack, 2 processes", F8, lammps, {4084, 243, 3}},
    {"SPECFEM_oc_1", "outer core, 10x10x6, c = 1", F4, specfem_oc, {3697, 493}},
    {"SPECFEM_oc_4", "outer core, 10x10x6, c = 4", F4, specfem_oc, {88881, 3225}},
    {"SPECFEM_cm_1", "crust, mantle, inner core, c = 1", F4, specfem_cm, {39929, 1957, 1225, 245}},
    {"SPECFEM_cm_4", "crust, mantle, inner core, c = 4", F4, specfem_cm, {834917, 11797, 51153, 3009}},
};

const char *pattern_name(int row)
{
  return row < (int)(sizeof rows / sizeof *rows) ? rows[row].name : NULL;
}

pattern pattern_make(int row)
{
  pattern p = {.name = rows[row].name, .about = rows[row].about, .itemsize = rows[row].itemsize};
  rows[row].make(p.groups, rows[row].extents);
  return p;
}

static int64_t product(int itemsize, int ndim, const int64_t extents[])
{
  int64_t all = itemsize;
  for (int k = 0; k < ndim; k++) all *= extents[k];
  return all;
}

int64_t pattern_sent(const pattern *p, const pattern_group *g)
{
  return g->arrays * product(p->itemsize, g->ndim, g->count);
}

int64_t pattern_bytes(const pattern *p, const pattern_group *g)
{
  return product(p->itemsize, g->ndim, g->shape);
}
