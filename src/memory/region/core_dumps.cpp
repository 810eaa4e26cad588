// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region/core_dumps.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft {
namespace {

// Each run that is shown by itself splits mappings, of which a process may have 65,530.
constexpr off_t kNear = off_t{1} << 20;

// The system's own call: the program's may be taken over.
off_t seek(int file, off_t from, int what) { return syscall(SYS_lseek, file, from, what); }

void show(const Region& region, off_t begin, off_t end) {
  const PageIndex first(static_cast<std::uint64_t>(begin) / kPageBytes);
  const std::uint64_t count = static_cast<std::uint64_t>(end - begin) / kPageBytes;
  region.for_each_piece({first, count}, [](ProgramAddress address, PageRange pages) {
    syscall(SYS_madvise, address.value(), pages.count * kPageBytes, MADV_DODUMP);
  });
}

}  // namespace

void hide_from_dumps(void* memory, std::uint64_t bytes) {
  syscall(SYS_madvise, memory, bytes, MADV_DONTDUMP);
}

void show_in_dumps(const Region& region) {
  const int file = region.descriptor();
  off_t begin = seek(file, 0, SEEK_DATA);
  while (begin >= 0) {
    off_t end = seek(file, begin, SEEK_HOLE);
    off_t next = seek(file, end, SEEK_DATA);
    while (next >= 0 && next - end <= kNear) {
      end = seek(file, next, SEEK_HOLE);
      next = seek(file, end, SEEK_DATA);
    }
    show(region, begin, end);
    begin = next;
  }
}

}  // namespace weft
