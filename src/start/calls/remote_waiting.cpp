// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program learns that remote memory operations are over: requests, fences, and words in
// registered memory.
#include "base/remote/remote_abi.hpp"
#include "start/calls/remote_patience.hpp"
#include "start/visibility.hpp"

using namespace weft::remote;

extern "C" {

WEFT_EXPORT int weft_test(weft_request* request) {
  return request->state == nullptr ? request->error : __weft_remote_test(request);
}

WEFT_EXPORT int weft_wait(weft_request* request) {
  return request->state == nullptr ? request->error : __weft_remote_wait(request);
}

WEFT_EXPORT int weft_wait_all(weft_request* requests, size_t count) {
  int first = WEFT_OK;
  for (size_t i = 0; i < count; ++i) {
    const int error = weft_wait(&requests[i]);
    if (first == WEFT_OK) first = error;
  }
  return first;
}

WEFT_EXPORT int weft_fence(size_t at_most) { return __weft_remote_fence(at_most); }

WEFT_EXPORT int weft_wait_for(const uint64_t* word, uint64_t at_least) {
  const auto has_come = [=] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) >= at_least; };
  Table* const table = __weft_remote_own_table(0);
  const bool is_aligned = reinterpret_cast<uintptr_t>(word) % sizeof *word == 0;
  if (table == nullptr || !is_aligned) return WEFT_ERROR_RANGE;
  Piece* const piece = table->piece_with(word, sizeof *word);
  if (piece == nullptr) return WEFT_ERROR_RANGE;
  if (looks_until(has_come)) return WEFT_OK;
  if (__weft_remote_is_in_handler() != 0) return WEFT_ERROR_HANDLER;
  const uint64_t generation = piece->generation;
  const Bell::Waiting waiting(piece->bell);
  for (;;) {
    const uint32_t seen = piece->bell.rung().load();
    if (piece->memory.load() == nullptr || piece->generation != generation) return WEFT_ERROR_RANGE;
    if (has_come()) return WEFT_OK;
    __weft_remote_await(&piece->bell, seen);
  }
}

}  // extern "C"
