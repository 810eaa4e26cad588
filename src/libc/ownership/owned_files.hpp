// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose a FILE or a file descriptor is. Both are private to the process that opened them; but a
// program opens a file on its main thread and goes on to use it on threads that are on other nodes.
// So what the program opens lies where its number tells the node:
//
//   FILE         kStreams + node * kStreamBytes ...   (the C library's own objects, placed there)
//   descriptor   node 0: 512 to 1023; node k: 256 numbers from 1024 + (k-1) * 256 on
//
// A call that names another node's is done there (forwarding.hpp). Numbers beyond what a node's
// range holds are as the kernel gives them, and good on that node alone; so are sockets and pipes.
// Standard input is node 0's; standard output and error are each node's own.
//
// Rejected: a table of handles in place of FILEs, as inlined functions and libraries look into
// them; and to remember which numbers are the program's, as there are too many ways to get one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/ids.hpp"

namespace weft::libc {

// No descriptor below or above is another node's.
constexpr int kFirstOwnedDescriptor = 512, kLastOwnedDescriptor = 1023 + 63 * 256;

// The node that opened it, if that is another one.
[[nodiscard]] std::optional<NodeId> other_owner(const FILE* stream);
[[nodiscard]] std::optional<NodeId> owner_of_input();
[[nodiscard]] std::optional<NodeId> other_owner(int descriptor);
// The node in whose place for FILEs an address is.
[[nodiscard]] std::optional<NodeId> node_of_stream_address(const void* address);

// Whether a descriptor of this node is a regular file's. errno stays.
[[nodiscard]] bool is_regular_file(int descriptor);

// Moves a descriptor that was just opened to its place. Anything below 3, and -1, stays.
[[nodiscard]] int place_own_descriptor(int descriptor);
// The same for the program's, which goes to the place of a closed standard stream if there is one.
[[nodiscard]] int place_descriptor(int descriptor);

// Standard streams that the program has closed on this node (process/descriptors/closing.cpp), a
// bit each; and what is called when a descriptor of its has been put in the place of one.
inline constinit std::atomic<unsigned> closed_descriptors = 0;
inline constinit std::atomic<void (*)(int)> use_as_standard = nullptr;
// The same for the descriptor of a stream.
FILE* place_descriptor_of(FILE* stream);

// While it lives, a FILE that the C library makes on this thread goes to its place.
class OpeningStream {
 public:
  OpeningStream();
  ~OpeningStream();
  OpeningStream(const OpeningStream&) = delete;
  OpeningStream& operator=(const OpeningStream&) = delete;

 private:
  bool outer_;
};

// For malloc and free: room for a FILE, or null if the block is none; whether a block was one.
[[nodiscard]] void* allocate_stream(std::size_t bytes);
[[nodiscard]] bool release_stream(void* block);

}  // namespace weft::libc
