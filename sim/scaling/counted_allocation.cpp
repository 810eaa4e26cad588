// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces operator new of the whole program by one that counts (protocol_memory.hpp). A program
// that has another one goes without.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

#include "sim/scaling/protocol_memory.hpp"

namespace weft::scaling {
namespace {

// Stands before each block.
struct alignas(std::max_align_t) Header {
  MemoryAccount* account;
  std::size_t bytes;
};

void* allocate(std::size_t bytes) {
  auto* header = static_cast<Header*>(std::malloc(sizeof(Header) + bytes));
  if (!header) return nullptr;
  *header = {account_charged(), bytes};
  if (MemoryAccount* account = header->account) {
    account->bytes += static_cast<std::int64_t>(bytes);
    account->most_bytes = std::max(account->most_bytes, account->bytes);
  }
  return header + 1;
}

void release(void* block) {
  if (!block) return;
  Header* header = static_cast<Header*>(block) - 1;
  if (header->account) header->account->bytes -= static_cast<std::int64_t>(header->bytes);
  std::free(header);
}

}  // namespace
}  // namespace weft::scaling

// The other forms, but for over-aligned types, are defined in terms of these by the standard
// library.
void* operator new(std::size_t bytes) {
  if (void* block = weft::scaling::allocate(bytes)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { weft::scaling::release(block); }
void operator delete(void* block, std::size_t) noexcept { weft::scaling::release(block); }
