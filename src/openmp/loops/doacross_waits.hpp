// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the threads of doacross loops wait for each other, within a node and across.
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp {

struct Member;

struct DoacrossMessage {
  enum class Kind : std::uint8_t { kAsk, kTold };

  Kind kind = {};
  std::uint32_t thread = 0;  // of its node
  std::uint64_t value = 0;   // that is waited for, or posted
  WEFT_FIELDS(self.kind, self.thread, self.value)
};

// Every node calls this at its start.
void serve_doacross_waits(Node& node);

// The calling thread has posted everything up to `value`. A release.
void post_doacross(Member& member, std::uint64_t value);

// Waits until another thread of the team has posted `value`, if it has not. An acquire. That thread
// goes on to `end`, if all is well, before anything waits for the calling one.
void await_doacross(Member& member, unsigned thread, std::uint64_t value, std::uint64_t end);

}  // namespace weft::openmp
