// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mmap, munmap, mremap and what rests on them, in the program's shared memory. All on the runtime
// stack. Errors are as the system calls have them: errno, and null or false.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/locks/lock_ids.hpp"
#include "maps/map_table.hpp"
#include "runtime/interface/node.hpp"

namespace weft::maps {

struct MapCall {
  std::uintptr_t address;
  std::size_t bytes;
  int protection, flags, file;
  std::int64_t place;
};
[[nodiscard]] void* map(Node& node, const MapCall& call);
[[nodiscard]] bool unmap(Node& node, std::uintptr_t address, std::size_t bytes);

struct RemapCall {
  std::uintptr_t address;
  std::size_t old_bytes, new_bytes;
  int flags;
  std::uintptr_t new_address;
};
[[nodiscard]] void* remap(Node& node, const RemapCall& call);

// Under OwnLock::kMaps; f gets the table.
template <typename F>
auto with_table(Node& node, F&& f);
[[nodiscard]] MapTable the_table();
// Whether all of it is in the nodes' shares, where mmap takes from.
[[nodiscard]] bool is_in_maps(AddressRange range);

// In the child of a fork: it is outside the job's memory, and may not expect that. Says so once, on
// standard error. Elsewhere nothing.
void warn_of_sharing_in_child(const char* call);

// The pages that have these bytes; their begin is whole already.
[[nodiscard]] AddressRange pages_with(std::uintptr_t address, std::size_t bytes);
// Removes what is known of maps there, after writing it back; returns the parts that no other map
// of the same object holds.
[[nodiscard]] std::vector<AddressRange> forget_maps(Node& node, AddressRange range);
// Writes shared files back that are mapped there. False with errno.
[[nodiscard]] bool write_back_maps(Node& node, AddressRange range);

template <typename F>
auto with_table(Node& node, F&& f) {
  node.acquire(lock_of(OwnLock::kMaps));
  MapTable table = the_table();
  if constexpr (std::is_void_v<decltype(f(table))>) {
    f(table);
    node.release(lock_of(OwnLock::kMaps));
  } else {
    auto result = f(table);
    const int call_errno = errno;
    node.release(lock_of(OwnLock::kMaps));
    errno = call_errno;
    return result;
  }
}

}  // namespace weft::maps
