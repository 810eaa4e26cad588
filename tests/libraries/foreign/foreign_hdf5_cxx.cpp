// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HDF5's C++ library, whose constructors make objects for its types: main opens a file and makes a
// type of records, every thread writes an attribute and its rows, and another node reads them.
// HDF5 is not safe for threads, so they take turns.
//
// flags: -I/usr/include/hdf5/serial
// links: -lhdf5_serial_cpp -lhdf5_serial
#include <H5Cpp.h>
#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

constexpr int kColumns = 5;
constexpr int kRows = 24;

H5::DataSpace select_row(const H5::DataSet& set, hsize_t row) {
  H5::DataSpace space = set.getSpace();
  const hsize_t start[2] = {row, 0};
  const hsize_t count[2] = {1, kColumns};
  space.selectHyperslab(H5S_SELECT_SET, count, start);
  return space;
}

H5::DataSpace memory_of_row() {
  const hsize_t count[1] = {kColumns};
  return H5::DataSpace(1, count);
}

void write_row(const H5::DataSet& set, int row) {
  std::vector<int> values(kColumns);
  for (int i = 0; i < kColumns; ++i) values[i] = 100 * row + i;
  set.write(values.data(), H5::PredType::NATIVE_INT, memory_of_row(), select_row(set, row));
}

int differences_in_row(const H5::DataSet& set, int row) {
  std::vector<int> values(kColumns);
  set.read(values.data(), H5::PredType::NATIVE_INT, memory_of_row(), select_row(set, row));
  int differences = 0;
  for (int i = 0; i < kColumns; ++i) differences += values[i] != 100 * row + i;
  return differences;
}

// What is not there is an exception of the library's, also on other nodes.
int missing_set_is_found(const H5::H5File& file) {
  try {
    H5::Exception::dontPrint();
    (void)file.openDataSet("of nobody");
    return 1;
  } catch (const H5::Exception& failure) {
    return failure.getFuncName().empty();
  }
}

int main() {
  char path[] = "/tmp/foreign_hdf5_cxx_XXXXXX";
  close(mkstemp(path));
  int differences = 0;
  {
    H5::H5File file(path, H5F_ACC_TRUNC);
    const hsize_t sizes[2] = {kRows, kColumns};
    H5::DataSet set = file.createDataSet("rows", H5::PredType::STD_I32BE, H5::DataSpace(2, sizes));
#pragma omp parallel reduction(+ : differences)
    {
      const int me = omp_get_thread_num();
#pragma omp critical
      {
        for (int row = me; row < kRows; row += omp_get_num_threads()) write_row(set, row);
        set.createAttribute("thread " + std::to_string(me), H5::PredType::NATIVE_INT,
                            H5::DataSpace())
            .write(H5::PredType::NATIVE_INT, &me);
      }
#pragma omp barrier
#pragma omp critical
      {
        for (int row = 0; row < kRows; ++row) differences += differences_in_row(set, row);
        const int other = (me + 1) % omp_get_num_threads();
        int value = -1;
        set.openAttribute("thread " + std::to_string(other)).read(H5::PredType::NATIVE_INT, &value);
        differences += (value != other) + missing_set_is_found(file);
      }
    }
  }
  unlink(path);
  std::printf("%d differences\n", differences);
  if (differences == 0) std::puts("ok");
}
