// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// libpng: each thread writes rows of a picture that main has begun, in turn; another thread than
// wrote it reads it.
// links: -lpng -lz
#include <omp.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum { kWidth = 200, kHeight = 90, kMostBytes = 1 << 20 };

static unsigned char file[kMostBytes];
static size_t written, taken;

static void put(png_structp png, png_bytep bytes, size_t count) {
  memcpy(file + written, bytes, count);
  written += count;
}
static void flush(png_structp png) {}
static void get(png_structp png, png_bytep bytes, size_t count) {
  memcpy(bytes, file + taken, count);
  taken += count;
}
static unsigned char pixel(int row, int at) { return (unsigned char)(row * 3 + at * 7); }

static int read_back(void) {
  int differences = 0;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_set_read_fn(png, NULL, get);
  png_read_info(png, info);
  if (png_get_image_width(png, info) != kWidth || png_get_image_height(png, info) != kHeight)
    return 1;
  unsigned char row[kWidth];
  for (int r = 0; r < kHeight; ++r) {
    png_read_row(png, row, NULL);
    for (int at = 0; at < kWidth; ++at) differences += row[at] != pixel(r, at);
  }
  png_destroy_read_struct(&png, &info, NULL);
  return differences;
}

int main(void) {
  int differences = -1;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(png, NULL, put, flush);
  png_set_IHDR(png, info, kWidth, kHeight, 8, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
#pragma omp parallel for ordered schedule(static, 5)
  for (int r = 0; r < kHeight; ++r) {
    unsigned char row[kWidth];
    for (int at = 0; at < kWidth; ++at) row[at] = pixel(r, at);
#pragma omp ordered
    png_write_row(png, row);
  }
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) differences = read_back();
  printf("%d differences\n", differences);
  if (differences == 0) puts("ok");
  return 0;
}
