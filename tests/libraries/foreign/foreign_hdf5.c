// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// HDF5, which is not for several threads at once: under a lock, all nodes write to one file that main
// has opened, by main's handles, and read what others have written.
// links: -L/usr/lib/x86_64-linux-gnu/hdf5/serial -lhdf5
// flags: -I/usr/include/hdf5/serial
#include <hdf5.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kRows = 24, kColumns = 50 };

static void transfer(hid_t set, int row, int* values, int writes) {
  const hsize_t begin[2] = {row, 0}, count[2] = {1, kColumns};
  const hid_t file_space = H5Dget_space(set), memory = H5Screate_simple(1, &count[1], NULL);
  H5Sselect_hyperslab(file_space, H5S_SELECT_SET, begin, NULL, count, NULL);
  if (writes) {
    H5Dwrite(set, H5T_NATIVE_INT, memory, file_space, H5P_DEFAULT, values);
  } else {
    H5Dread(set, H5T_NATIVE_INT, memory, file_space, H5P_DEFAULT, values);
  }
  H5Sclose(memory);
  H5Sclose(file_space);
}

int main(void) {
  char name[] = "/tmp/weft-hdf5-XXXXXX";
  close(mkstemp(name));
  const hsize_t size[2] = {kRows, kColumns};
  const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t space = H5Screate_simple(2, size, NULL);
  const hid_t set =
      H5Dcreate2(file, "rows", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  int differences = 0;
#pragma omp parallel for schedule(static, 1)
  for (int row = 0; row < kRows; ++row) {
    int values[kColumns];
    for (int i = 0; i < kColumns; ++i) values[i] = row * 1000 + i;
#pragma omp critical(hdf5)
    transfer(set, row, values, 1);
  }
#pragma omp parallel for schedule(static, 1) reduction(+ : differences)
  for (int row = 0; row < kRows; ++row) {
    int values[kColumns] = {0};
    const int other = (row + 7) % kRows;
#pragma omp critical(hdf5)
    transfer(set, other, values, 0);
    for (int i = 0; i < kColumns; ++i) differences += values[i] != other * 1000 + i;
  }
  H5Dclose(set);
  H5Sclose(space);
  const int failed = H5Fclose(file) < 0;
  unlink(name);
  printf("%d differences\n", differences);
  if (differences == 0 && !failed) puts("ok");
  return 0;
}
