// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/peers/sender.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

namespace weft {
namespace {

thread_local constinit NodeId sender = kNoSender;

void print_and_abort(NodeId from, std::string_view what) {
  const std::string whose =
      from == kNoSender ? "another node" : fmt::format("node {}", from.value());
  std::fprintf(stderr, "weft: what %s has sent cannot be read: %.*s\n", whose.c_str(),
               static_cast<int>(what.size()), what.data());
  std::abort();
}

std::atomic<UnreadableHandler> unreadable_handler{&print_and_abort};

}  // namespace

NodeId note_sender(NodeId from) { return std::exchange(sender, from); }

UnreadableHandler set_unreadable_handler(UnreadableHandler handler) {
  return unreadable_handler.exchange(handler);
}

void fail_unreadable(std::string_view what) {
  unreadable_handler.load()(sender, what);
  std::abort();
}

void fail_unreadable(std::string_view what, std::size_t bytes) {
  fail_unreadable(fmt::format("{} of {} bytes", what, bytes));
}

}  // namespace weft
