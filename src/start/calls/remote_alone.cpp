// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Remote memory operations on one node, where all memory is here. The node library has the
// definitions for several (src/api/remote).
#include <sched.h>
#include <sys/mman.h>

#include <atomic>

#include "base/accesses/shared_calls.hpp"
#include "base/remote/remote_abi.hpp"
#include "start/visibility.hpp"

using namespace weft::remote;

namespace {

std::atomic<Table*> table{nullptr};

void* map(std::size_t bytes) {
  void* const mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

}  // namespace

extern "C" {

WEFT_EXPORT Table* __weft_remote_own_table(int makes) {
  Table* found = table.load(std::memory_order_acquire);
  if (found != nullptr || makes == 0) return found;
  auto* const made = static_cast<Table*>(map(sizeof(Table)));
  if (made != nullptr) made->has_light_fences = agree_to_light_fences();
  if (made == nullptr || table.compare_exchange_strong(found, made)) return made;
  munmap(static_cast<void*>(made), sizeof(Table));
  return found;
}

WEFT_EXPORT std::byte* __weft_remote_map(Piece*, std::size_t bytes) {
  return static_cast<std::byte*>(map(bytes));
}

WEFT_EXPORT void __weft_remote_unmap(Piece* piece, std::byte* memory) {
  munmap(memory, piece->bytes);
}

// There is no other node, and so nothing is sent or under way.
WEFT_EXPORT int __weft_remote_reach(int, const View**) { return WEFT_ERROR_NODE; }
WEFT_EXPORT std::byte* __weft_remote_memory(int, std::uint32_t) { return nullptr; }
WEFT_EXPORT int __weft_remote_send(int, const Operation*, const Notice*, void**) {
  return WEFT_ERROR_NODE;
}
WEFT_EXPORT int __weft_remote_send_all(const Target*, std::size_t, const Operation*, void**) {
  return WEFT_ERROR_NODE;
}
WEFT_EXPORT int __weft_remote_sent(void*, int error, const Notice*, weft_request*) { return error; }
WEFT_EXPORT int __weft_remote_test(weft_request* request) { return request->error; }
WEFT_EXPORT int __weft_remote_wait(weft_request* request) { return request->error; }
WEFT_EXPORT int __weft_remote_fence(std::size_t) { return WEFT_OK; }
WEFT_EXPORT void __weft_remote_made_room(std::uint32_t) {}
WEFT_EXPORT int __weft_remote_check_shared(const void* address, std::size_t bytes) {
  return weft::SharedCall::of(address, bytes, 0, 1).error;
}
WEFT_EXPORT int __weft_remote_is_in_handler(void) { return 0; }

WEFT_EXPORT void __weft_remote_await(Bell* bell, std::uint32_t seen, bool (*)(const void*),
                                     const void*) {
  constexpr int kTurns = 100;  // then the thread that is waited for may need the processor
  for (int turn = 0; turn < kTurns; ++turn) {
    if (bell->rung().load() != seen) return;
    sched_yield();
  }
  bell->sleep(seen);
}

WEFT_EXPORT int __weft_remote_share(std::byte* there, const Operation* operation, void**) {
  switch (operation->kind) {
    case Kind::kPut:
      copy_blocks(there, operation->stride, operation->near, operation->near_stride,
                  operation->bytes, operation->count);
      return WEFT_OK;
    case Kind::kGet:
      copy_blocks(operation->near, operation->near_stride, there, operation->stride,
                  operation->bytes, operation->count);
      return WEFT_OK;
    default:
      return change_there(there, *operation);
  }
}

}  // extern "C"
