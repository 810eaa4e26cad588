// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// std::fstream on a file that is mapped MAP_SHARED, opened before and after: it reads what is in
// memory, and memory has what it writes.

#include <fcntl.h>
#include <omp.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "check.h"

namespace {

constexpr int kInts = 10000;
constexpr std::size_t kBytes = kInts * sizeof(int);
int* map;

void fill(int from) {
#pragma omp parallel for
  for (int i = 0; i < kInts; ++i) map[i] = from + i;
}

int read_at(std::fstream& stream, int place) {
  int found = -1;
  stream.seekg(place * static_cast<std::streamoff>(sizeof(int)));
  stream.read(reinterpret_cast<char*>(&found), sizeof found);
  return found;
}

void use(std::fstream& stream, int from) {
  fill(from);
  for (const int place : {0, 5000, kInts - 1}) {
    const int found = read_at(stream, place);
    EXPECT(found == from + place, "%d is %d", place, found);
  }
  stream.seekp(2000 * sizeof(int));
  for (int i = 0; i < 3000; ++i) {
    const int value = 50000 + i;
    stream.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  stream.flush();
#pragma omp parallel
  for (int i = 0; i < kInts; ++i) {
    const int wanted = i >= 2000 && i < 5000 ? 50000 + i - 2000 : from + i;
    EXPECT(map[i] == wanted, "thread %d: %d is %d", omp_get_thread_num(), i, map[i]);
  }
}

}  // namespace

int main() {
  char name[] = "/tmp/weft-streams-XXXXXX";
  const int file = mkstemp(name);
  EXPECT(ftruncate(file, kBytes) == 0, "ftruncate");
  std::fstream before(name, std::ios::in | std::ios::out | std::ios::binary);
  map = static_cast<int*>(mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  EXPECT(map != MAP_FAILED, "mmap");
  use(before, 100);
  std::fstream after(name, std::ios::in | std::ios::out | std::ios::binary);
  use(after, 200);
  munmap(map, kBytes);
  unlink(name);
  return ok();
}
