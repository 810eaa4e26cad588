// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a program learns that remote memory operations are over: requests, fences, and words in
// registered memory.
#include "base/remote/remote_abi.hpp"
#include "start/calls/remote_patience.hpp"
#include "start/visibility.hpp"

using namespace weft::remote;

namespace {

// A wait for a word of a piece of this node's. The piece may be given back meanwhile, so each look
// holds it.
struct Wanted {
  Piece* piece;
  const uint64_t* word;
  uint64_t at_least;
  uint64_t generation;

  enum Found { kNotYet, kThere, kGone };
  [[nodiscard]] Found look() const {
    piece->fillers.fetch_add(1);
    Found found = kGone;
    if (piece->find(word, sizeof *word) && piece->generation == generation) {
      found = __atomic_load_n(word, __ATOMIC_ACQUIRE) >= at_least ? kThere : kNotYet;
    }
    piece->fillers.fetch_sub(1);
    return found;
  }
  static bool is_over(const void* wanted) {
    return static_cast<const Wanted*>(wanted)->look() != kNotYet;
  }
};

int wait_for(const Wanted& wanted) {
  Bell& bell = wanted.piece->bell;
  const Bell::Waiting waiting(bell);
  for (;;) {
    const uint32_t seen = bell.rung().load();
    const Wanted::Found found = wanted.look();
    if (found == Wanted::kThere) return WEFT_OK;
    if (found == Wanted::kGone) return WEFT_ERROR_RANGE;
    __weft_remote_await(&bell, seen, Wanted::is_over, &wanted);
  }
}

}  // namespace

extern "C" {

WEFT_EXPORT int weft_test(weft_request* request) {
  return request->state == nullptr ? request->error : __weft_remote_test(request);
}

WEFT_EXPORT int weft_wait(weft_request* request) {
  return request->state == nullptr ? request->error : __weft_remote_wait(request);
}

WEFT_EXPORT int weft_wait_all(weft_request* requests, size_t count) {
  int first = WEFT_OK;
  // The last one first: operations are done in order, so it waits for all at once.
  for (size_t i = count; i-- > 0;) {
    const int error = weft_wait(&requests[i]);
    if (error != WEFT_OK) first = error;
  }
  return first;
}

WEFT_EXPORT int weft_fence(size_t at_most) { return __weft_remote_fence(at_most); }

WEFT_EXPORT int weft_wait_for(const uint64_t* word, uint64_t at_least) {
  Table* const table = __weft_remote_own_table(0);
  const bool is_aligned = reinterpret_cast<uintptr_t>(word) % sizeof *word == 0;
  if (table == nullptr || !is_aligned) return WEFT_ERROR_RANGE;
  Piece* const piece = table->piece_with(word, sizeof *word);
  if (piece == nullptr) return WEFT_ERROR_RANGE;
  const Wanted wanted{piece, word, at_least, piece->generation};
  if (looks_until([&] { return Wanted::is_over(&wanted); }) && wanted.look() == Wanted::kThere)
    return WEFT_OK;
  if (__weft_remote_is_in_handler() != 0) return WEFT_ERROR_HANDLER;
  return wait_for(wanted);
}

}  // extern "C"
