// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's calls that map memory, or say something about mapped memory. weftcc renames them by
// --wrap, as it does malloc, so libraries that weftcc did not link, libomp and UCX go to the C
// library as ever. On one node, and in a forked child, so does the program.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>

#include <cstring>

#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/ownership/owned_files.hpp"
#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "maps/protection.hpp"
#include "maps/shares.hpp"
#include "maps/start.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

namespace weft::maps {
namespace {

// The node, if the memory is the job's.
Node* owner_of(const void* address) {
  Node* const node = this_node();
  return node != nullptr && node->is_shared(address) ? node : nullptr;
}

int answer(bool done) { return done ? 0 : -1; }

// An object of shm_open: who maps one wants to share it with other processes.
bool is_shared_object(int file) {
  struct stat of_file, of_objects;
  return fstat(file, &of_file) == 0 && stat("/dev/shm", &of_objects) == 0 &&
         of_file.st_dev == of_objects.st_dev;
}

void* map_by(void* address, std::size_t bytes, int protection, int flags, int file,
             std::int64_t place) {
  Node* const node = this_node();
  if (node == nullptr) {
    const bool is_shared = (flags & MAP_TYPE) != MAP_PRIVATE && (flags & MAP_ANONYMOUS) == 0;
    if (is_shared && is_shared_object(file)) warn_of_sharing_in_child("mmap of what shm_open gave");
    return WEFT_REAL(mmap)(address, bytes, protection, flags, file, place);
  }
  return on_runtime_stack([&] {
    return map(*node, {.address = reinterpret_cast<std::uintptr_t>(address),
                       .bytes = bytes,
                       .protection = protection,
                       .flags = flags,
                       .file = file,
                       .place = place});
  });
}

// What MADV_DONTNEED leaves: an object's own contents, a file's, or zeros.
void renew(Node& node, AddressRange range) {
  std::vector<MapRecord> parts;
  if (the_table().count() > 0) {
    parts = with_table(node, [&](MapTable& table) { return table.parts_in(range); });
  }
  PageSet cleared{{PageIndex(range.begin / kPageBytes), range.pages()}};
  for (const MapRecord& part : parts) {
    const bool is_changed = !part.is_shared() && part.may_write;
    if (!is_changed) cleared.erase({PageIndex(part.where.begin / kPageBytes), part.where.pages()});
  }
  for (const PageRange& pages : cleared.ranges()) {
    make_zero(node, {pages.first.value() * kPageBytes, pages.end().value() * kPageBytes});
  }
  for (const MapRecord& part : parts) {
    if (part.is_shared() || !part.may_write) continue;
    if (!fill_from_file(part.where, part.file, part.place)) {
      node.fail("madvise with MADV_DONTNEED: the file behind the memory cannot be read any more");
    }
  }
}

int advise(Node& node, AddressRange range, int advice) {
  switch (advice) {
    case MADV_DONTNEED:
      renew(node, range);
      return 0;
    case MADV_REMOVE:
      make_zero(node, range);
      return 0;
    case MADV_WIPEONFORK:
    case MADV_HWPOISON:
      errno = EINVAL;
      return -1;
    default:  // hints
      return 0;
  }
}

bool is_whole(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) % kPageBytes == 0) return true;
  errno = EINVAL;
  return false;
}

AddressRange range_of(const void* address, std::size_t bytes) {
  return pages_with(reinterpret_cast<std::uintptr_t>(address), bytes);
}

}  // namespace

void warn_of_sharing_in_child(const char* call) {
  static std::atomic<bool> is_said = false;
  if (!libc::in_forked_child.load(std::memory_order_relaxed) || is_said.exchange(true)) return;
  std::fprintf(stderr,
               "weft: %s in a process that the program has forked: the job's nodes do not see what "
               "it writes there, nor it what they write; use threads, which run on all nodes\n",
               call);
}

void check_fork() {
  if (the_table().count() == 0) return;
  Node& node = *this_node();
  const bool has_shared = with_table(node, [](MapTable& table) {
    for (const MapRecord& record : table.all()) {
      if (record.is_shared()) return true;
    }
    return false;
  });
  if (has_shared) {
    node.fail(
        "fork with memory that is mapped MAP_SHARED: in a job of several nodes parent and "
        "child cannot share it; use threads, which run on all nodes, or unmap it first, or start "
        "programs by posix_spawn");
  }
}

}  // namespace weft::maps

using namespace weft;
using namespace weft::maps;

WEFT_EXPORT void* __wrap_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                              off_t place) {
  return map_by(address, bytes, protection, flags, file, place);
}
WEFT_EXPORT void* __wrap_mmap64(void* address, std::size_t bytes, int protection, int flags,
                                int file, off64_t place) {
  return map_by(address, bytes, protection, flags, file, place);
}

WEFT_EXPORT int __wrap_munmap(void* address, std::size_t bytes) {
  Node* const node = owner_of(address);
  if (node == nullptr) return WEFT_REAL(munmap)(address, bytes);
  return on_runtime_stack(
      [&] { return answer(unmap(*node, reinterpret_cast<std::uintptr_t>(address), bytes)); });
}

WEFT_EXPORT void* __wrap_mremap(void* address, std::size_t old_bytes, std::size_t new_bytes,
                                int flags, void* new_address) {
  Node* const node = owner_of(address);
  if (node == nullptr) {
    return WEFT_REAL(mremap)(address, old_bytes, new_bytes, flags, new_address);
  }
  return on_runtime_stack([&] {
    return remap(*node, {.address = reinterpret_cast<std::uintptr_t>(address),
                         .old_bytes = old_bytes,
                         .new_bytes = new_bytes,
                         .flags = flags,
                         .new_address = reinterpret_cast<std::uintptr_t>(new_address)});
  });
}

WEFT_EXPORT int __wrap_msync(void* address, std::size_t bytes, int flags) {
  Node* const node = owner_of(address);
  if (node == nullptr) return WEFT_REAL(msync)(address, bytes, flags);
  if (!is_whole(address)) return -1;
  return on_runtime_stack([&] { return answer(write_back_maps(*node, range_of(address, bytes))); });
}

WEFT_EXPORT int __wrap_mprotect(void* address, std::size_t bytes, int protection) {
  Node* const node = is_untouchable(address) ? this_node() : owner_of(address);
  if (node == nullptr) return WEFT_REAL(mprotect)(address, bytes, protection);
  if (!is_whole(address)) return -1;
  return on_runtime_stack([&] {
    check_protection(*node, address, protection);
    const bool gives = (protection & PROT_WRITE) != 0 && bytes > 0;
    return answer(!gives || give_access(*node, range_of(address, bytes)));
  });
}

WEFT_EXPORT int __wrap_pkey_mprotect(void* address, std::size_t bytes, int protection, int key) {
  Node* const node = owner_of(address);
  if (node == nullptr) return WEFT_REAL(pkey_mprotect)(address, bytes, protection, key);
  errno = EINVAL;  // as where the processor has no keys
  return -1;
}

WEFT_EXPORT int __wrap_madvise(void* address, std::size_t bytes, int advice) {
  Node* const node = owner_of(address);
  if (node == nullptr) return WEFT_REAL(madvise)(address, bytes, advice);
  if (!is_whole(address)) return -1;
  if (bytes == 0) return 0;
  return on_runtime_stack([&] { return advise(*node, range_of(address, bytes), advice); });
}

// Its POSIX_MADV_DONTNEED never destroys contents.
WEFT_EXPORT int __wrap_posix_madvise(void* address, std::size_t bytes, int advice) {
  if (owner_of(address) == nullptr) return WEFT_REAL(posix_madvise)(address, bytes, advice);
  return advice < 0 || advice > POSIX_MADV_DONTNEED ? EINVAL : 0;
}

// Where shared pages are is the protocol's business: they come and go whatever the program says.
WEFT_EXPORT int __wrap_mlock(const void* address, std::size_t bytes) {
  return owner_of(address) != nullptr ? 0 : WEFT_REAL(mlock)(address, bytes);
}
WEFT_EXPORT int __wrap_mlock2(const void* address, std::size_t bytes, unsigned flags) {
  return owner_of(address) != nullptr ? 0 : WEFT_REAL(mlock2)(address, bytes, flags);
}
WEFT_EXPORT int __wrap_munlock(const void* address, std::size_t bytes) {
  return owner_of(address) != nullptr ? 0 : WEFT_REAL(munlock)(address, bytes);
}

WEFT_EXPORT int __wrap_mincore(void* address, std::size_t bytes, unsigned char* pages) {
  if (owner_of(address) == nullptr) return WEFT_REAL(mincore)(address, bytes, pages);
  if (!is_whole(address)) return -1;
  std::memset(pages, 1, range_of(address, bytes).pages());
  return 0;
}

WEFT_EXPORT int __wrap_remap_file_pages(void* address, std::size_t bytes, int protection,
                                        std::size_t page, int flags) {
  if (Node* const node = owner_of(address)) {
    on_runtime_stack([&] {
      node->fail(
          "remap_file_pages is not possible in a job of several nodes; use mmap with "
          "MAP_FIXED");
    });
  }
  return WEFT_REAL(remap_file_pages)(address, bytes, protection, page, flags);
}

// Objects of shared memory are files; what other nodes are to use lies where its number tells.
WEFT_EXPORT int __wrap_shm_open(const char* name, int flags, mode_t mode) {
  const auto open_here = [=] {
    return libc::place_descriptor(WEFT_REAL(shm_open)(name, flags, mode));
  };
  return this_node() == nullptr ? open_here() : on_runtime_stack(open_here);
}

WEFT_EXPORT int __wrap_memfd_create(const char* name, unsigned flags) {
  const auto make_here = [=] {
    return libc::place_descriptor(WEFT_REAL(memfd_create)(name, flags));
  };
  return this_node() == nullptr ? make_here() : on_runtime_stack(make_here);
}
