// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Heat flow in a plate, by explicit finite differences.
//
//   heat [SIZE [STEPS]]               a cosine on a uniform plate, compared with the exact decay
//   heat INPUT.ppm STEPS OUTPUT.png   a picture as the initial temperature and as the material
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

// PNG without compression: a zlib stream of stored blocks, which any viewer reads.

static uint32_t crc_of(uint32_t crc, const unsigned char* data, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    crc ^= data[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return crc;
}

static unsigned char* put_word(unsigned char* out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) *out++ = (unsigned char)(value >> shift);
  return out;
}

static void write_chunk(FILE* file, const char* name, const unsigned char* data, size_t size) {
  unsigned char word[4];
  put_word(word, (uint32_t)size);
  fwrite(word, 1, 4, file);
  fwrite(name, 1, 4, file);
  fwrite(data, 1, size, file);
  const uint32_t crc = crc_of(0xffffffffu, (const unsigned char*)name, 4);
  put_word(word, ~crc_of(crc, data, size));
  fwrite(word, 1, 4, file);
}

static size_t store_zlib(const unsigned char* data, size_t size, unsigned char* stream) {
  unsigned char* out = stream;
  uint32_t a = 1, b = 0;  // Adler-32
  *out++ = 0x78;
  *out++ = 0x01;
  for (size_t at = 0; at < size; at += 65535) {
    const unsigned block = size - at < 65535 ? (unsigned)(size - at) : 65535;
    *out++ = at + block == size;
    *out++ = (unsigned char)block;
    *out++ = (unsigned char)(block >> 8);
    *out++ = (unsigned char)~block;
    *out++ = (unsigned char)(~block >> 8);
    memcpy(out, data + at, block);
    out += block;
  }
  for (size_t i = 0; i < size; ++i) {
    a = (a + data[i]) % 65521;
    b = (b + a) % 65521;
  }
  return (size_t)(put_word(out, b << 16 | a) - stream);
}

static void write_picture(const Plate* plate, const char* path) {
  const size_t line_bytes = 1 + 3 * (size_t)plate->columns;  // a filter byte, then the pixels
  const size_t size = line_bytes * plate->rows;
  unsigned char* lines = calloc(plate->rows, line_bytes);
  unsigned char* stream = malloc(size + 5 * (size / 65535 + 1) + 6);
  if (!lines || !stream) die("There is not enough memory for the picture.");
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < plate->rows; ++i)
    for (int j = 0; j < plate->columns; ++j)
      glow(plate->now[(size_t)i * plate->columns + j], lines + i * line_bytes + 1 + 3 * (size_t)j);
  FILE* file = fopen(path, "wb");
  if (!file) die("The output picture cannot be created.");
  unsigned char header[13] = {0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0};
  put_word(put_word(header, (uint32_t)plate->columns), (uint32_t)plate->rows);
  fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
  write_chunk(file, "IHDR", header, sizeof header);
  write_chunk(file, "IDAT", stream, store_zlib(lines, size, stream));
  write_chunk(file, "IEND", header, 0);
  const int failed = ferror(file);
  if (fclose(file) != 0 || failed) die("Writing the picture failed.");
  free(lines);
  free(stream);
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
      die("Usage: heat [SIZE [STEPS]], or heat INPUT.ppm STEPS OUTPUT.png");
    run_cosine(size, steps);
  }
  printf("heat: verified\n");
  return 0;
}
