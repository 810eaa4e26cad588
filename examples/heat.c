// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat flow in a plate, by explicit finite differences.
//
//   heat [SIZE [STEPS]]               a cosine on a uniform plate, compared with the exact decay
//   heat INPUT.ppm STEPS OUTPUT.ppm   a picture as the initial temperature and as the material
//
// With a picture, each pixel's brightness is its temperature, and where the picture has an edge the
// plate conducts badly, so that areas even out while outlines stay. The borders are insulated: no
// heat leaves, which is what the picture run verifies, along with the maximum principle.
//
// Every sum is taken row by row and the rows are added in order, so the result is the same to the
// last bit with any number of threads.

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int rows, columns;
  double *now, *next;             // temperature
  double *conduct_x, *conduct_y;  // conductivity towards the right and the lower neighbour
} Plate;

static const double kTimeStep = 0.24;  // below 1/4: the explicit scheme is stable
static const double kPi = 3.14159265358979323846;

static void die(const char* sentence) {
  fprintf(stderr, "heat: %s\n", sentence);
  exit(1);
}

static double* allocate(size_t count) {
  double* memory = malloc(count * sizeof(double));
  if (!memory) die("There is not enough memory for this plate.");
  return memory;
}

static Plate make_plate(int rows, int columns) {
  const size_t cells = (size_t)rows * columns;
  Plate plate = {rows, columns, allocate(cells), allocate(cells), allocate(cells), allocate(cells)};
  return plate;
}

// One eigenvector of the discrete operator, whose decay is known exactly.
static void fill_with_cosine(Plate* plate) {
  const int rows = plate->rows, columns = plate->columns;
#pragma omp parallel for collapse(2) schedule(static)
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const size_t at = (size_t)i * columns + j;
      plate->now[at] = cos(kPi * (i + 0.5) / rows) * cos(2 * kPi * (j + 0.5) / columns);
      plate->conduct_x[at] = j + 1 < columns ? 1.0 : 0.0;
      plate->conduct_y[at] = i + 1 < rows ? 1.0 : 0.0;
    }
}

static double conductivity_across(double a, double b) {
  const double step = (a - b) / 0.06;
  return 1.0 / (1.0 + step * step);
}

static void fill_with_picture(Plate* plate, const unsigned char* rgb) {
  const int rows = plate->rows, columns = plate->columns;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const size_t at = (size_t)i * columns + j;
        const unsigned char* pixel = rgb + 3 * at;
        plate->now[at] = (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255.0;
      }
#pragma omp for schedule(static)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const size_t at = (size_t)i * columns + j;
        const double* u = plate->now + at;
        plate->conduct_x[at] = j + 1 < columns ? conductivity_across(u[0], u[1]) : 0.0;
        plate->conduct_y[at] = i + 1 < rows ? conductivity_across(u[0], u[columns]) : 0.0;
      }
  }
}

static void advance_row(const Plate* plate, int i) {
  const int rows = plate->rows, columns = plate->columns;
  const size_t row = (size_t)i * columns;
  const double* u = plate->now + row;
  const double* above = i > 0 ? u - columns : u;
  const double* below = i + 1 < rows ? u + columns : u;
  const double* cx = plate->conduct_x + row;
  const double* cy = plate->conduct_y + row;
  const double* cy_above = i > 0 ? cy - columns : cy;
  double* out = plate->next + row;
  out[0] = u[0] + kTimeStep * (cx[0] * (u[1] - u[0]) + cy[0] * (below[0] - u[0]) +
                               cy_above[0] * (above[0] - u[0]));
  for (int j = 1; j < columns - 1; ++j)
    out[j] = u[j] + kTimeStep * (cx[j] * (u[j + 1] - u[j]) + cx[j - 1] * (u[j - 1] - u[j]) +
                                 cy[j] * (below[j] - u[j]) + cy_above[j] * (above[j] - u[j]));
  const int last = columns - 1;
  out[last] = u[last] + kTimeStep * (cx[last - 1] * (u[last - 1] - u[last]) +
                                     cy[last] * (below[last] - u[last]) +
                                     cy_above[last] * (above[last] - u[last]));
}

static void advance(Plate* plate, int steps) {
#pragma omp parallel
  for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
    for (int i = 0; i < plate->rows; ++i) advance_row(plate, i);
#pragma omp single
    {
      double* swap = plate->now;
      plate->now = plate->next;
      plate->next = swap;
    }
  }
}

typedef struct {
  double total, lowest, highest;
} Summary;

static Summary summarise(const Plate* plate) {
  Summary summary = {0.0, INFINITY, -INFINITY};
  double* row_total = allocate(plate->rows);
  double lowest = INFINITY, highest = -INFINITY;
#pragma omp parallel for schedule(dynamic, 16) reduction(min : lowest) reduction(max : highest)
  for (int i = 0; i < plate->rows; ++i) {
    double total = 0.0;
    for (int j = 0; j < plate->columns; ++j) {
      const double u = plate->now[(size_t)i * plate->columns + j];
      total += u;
      lowest = u < lowest ? u : lowest;
      highest = u > highest ? u : highest;
    }
    row_total[i] = total;
  }
  for (int i = 0; i < plate->rows; ++i) summary.total += row_total[i];
  free(row_total);
  summary.lowest = lowest;
  summary.highest = highest;
  return summary;
}

static uint64_t checksum(const Plate* plate) {
  const size_t cells = (size_t)plate->rows * plate->columns;
  uint64_t hash = 14695981039346656037u;
  for (size_t at = 0; at < cells; ++at) {
    uint64_t bits;
    memcpy(&bits, &plate->now[at], sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
  }
  return hash;
}

static void run_cosine(int size, int steps) {
  Plate plate = make_plate(size, size);
  fill_with_cosine(&plate);
  advance(&plate, steps);
  const double sy = sin(kPi / (2.0 * size)), sx = sin(2 * kPi / (2.0 * size));
  const double decay = pow(1.0 - 4.0 * kTimeStep * (sy * sy + sx * sx), steps);
  double error = 0.0;
#pragma omp parallel for collapse(2) schedule(static) reduction(max : error)
  for (int i = 0; i < size; ++i)
    for (int j = 0; j < size; ++j) {
      const double exact = decay * cos(kPi * (i + 0.5) / size) * cos(2 * kPi * (j + 0.5) / size);
      const double difference = fabs(plate.now[(size_t)i * size + j] - exact);
      error = difference > error ? difference : error;
    }
  printf("heat: %d x %d, %d steps, largest error %.3g\n", size, size, steps, error);
  printf("checksum: %016llx\n", (unsigned long long)checksum(&plate));
  if (!(error < 1e-9)) die("The temperature differs from the exact solution.");
}

static unsigned char* read_picture(const char* path, int* rows, int* columns) {
  FILE* file = fopen(path, "rb");
  if (!file) die("The input picture cannot be opened.");
  if (fscanf(file, "P6 %d %d 255", columns, rows) != 2 || fgetc(file) == EOF || *rows < 2 ||
      *columns < 2)
    die("The input is not a binary PPM picture (P6, 255 levels).");
  const size_t size = 3 * (size_t)*rows * *columns;
  unsigned char* rgb = malloc(size);
  if (!rgb || fread(rgb, 1, size, file) != size) die("The input picture is cut short.");
  fclose(file);
  return rgb;
}

// Black, violet, red, orange, yellow, white: the colours of something that glows.
static void glow(double heat, unsigned char* pixel) {
  static const double ramp[6][3] = {{4, 3, 18},     {78, 14, 96},   {181, 36, 66},
                                    {242, 110, 22}, {252, 200, 60}, {255, 253, 225}};
  double place = (heat < 0 ? 0 : heat > 1 ? 1 : heat) * 5;
  const int step = place >= 5 ? 4 : (int)place;
  place -= step;
  for (int c = 0; c < 3; ++c)
    pixel[c] = (unsigned char)(ramp[step][c] * (1 - place) + ramp[step + 1][c] * place + 0.5);
}

static void write_picture(const Plate* plate, const char* path) {
  const size_t row_bytes = 3 * (size_t)plate->columns;
  unsigned char* rgb = malloc(row_bytes * plate->rows);
  if (!rgb) die("There is not enough memory for the picture.");
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < plate->rows; ++i)
    for (int j = 0; j < plate->columns; ++j)
      glow(plate->now[(size_t)i * plate->columns + j], rgb + i * row_bytes + 3 * (size_t)j);
  FILE* file = fopen(path, "wb");
  if (!file) die("The output picture cannot be created.");
  fprintf(file, "P6\n%d %d\n255\n", plate->columns, plate->rows);
  const size_t written = fwrite(rgb, row_bytes, plate->rows, file);
  if (fclose(file) != 0 || written != (size_t)plate->rows) die("Writing the picture failed.");
  free(rgb);
}

static void run_picture(const char* input, int steps, const char* output) {
  int rows, columns;
  unsigned char* rgb = read_picture(input, &rows, &columns);
  Plate plate = make_plate(rows, columns);
  fill_with_picture(&plate, rgb);
  free(rgb);
  const Summary before = summarise(&plate);
  advance(&plate, steps);
  const Summary after = summarise(&plate);
  write_picture(&plate, output);
  printf("heat: %d x %d, %d steps, mean temperature %.12f\n", columns, rows, steps,
         after.total / ((double)rows * columns));
  printf("checksum: %016llx\n", (unsigned long long)checksum(&plate));
  if (fabs(after.total - before.total) > 1e-9 * before.total) die("Heat was lost or made.");
  if (after.lowest < before.lowest - 1e-12 || after.highest > before.highest + 1e-12)
    die("A temperature left the range that it started in.");
}

int main(int argc, char** argv) {
  if (argc == 4) {
    run_picture(argv[1], atoi(argv[2]), argv[3]);
  } else {
    const int size = argc > 1 ? atoi(argv[1]) : 1200;
    const int steps = argc > 2 ? atoi(argv[2]) : 500;
    if (size < 2 || steps < 0 || argc > 3)
      die("Usage: heat [SIZE [STEPS]], or heat INPUT.ppm STEPS OUTPUT.ppm");
    run_cosine(size, steps);
  }
  printf("heat: verified\n");
  return 0;
}
