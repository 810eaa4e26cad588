// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The node whose bytes a thread is reading, and the end of the job when these cannot be read. It is
// noted where bytes come in, so that the decoders, many calls further down, need not be told.
//
// Rejected: an error value from every decoder. None of its callers can go on without the message.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/ids.hpp"

namespace weft {

inline constexpr NodeId kNoSender{0xffff};

// Notes whose bytes the calling thread reads from now on; returns whose it was, or kNoSender.
NodeId note_sender(NodeId from);

// The same for the time of a handler.
class ReadingFrom {
 public:
  explicit ReadingFrom(NodeId from) : before_(note_sender(from)) {}
  ~ReadingFrom() { note_sender(before_); }
  ReadingFrom(const ReadingFrom&) = delete;
  ReadingFrom& operator=(const ReadingFrom&) = delete;

 private:
  NodeId before_;
};

// Must not return. `what` is for people: "LockGrant of 25 bytes".
using UnreadableHandler = void (*)(NodeId from, std::string_view what);

// Replaces the handler (the default prints to standard error and aborts); returns the old one.
UnreadableHandler set_unreadable_handler(UnreadableHandler handler);

// The bytes that the noted sender has sent are not what they have to be.
[[noreturn]] void fail_unreadable(std::string_view what);
[[noreturn]] void fail_unreadable(std::string_view what, std::size_t bytes);

// "LoadRequest" for weft::LoadRequest.
template <typename Value>
[[nodiscard]] constexpr std::string_view type_name() {
  constexpr std::string_view kFunction = __PRETTY_FUNCTION__, kMark = "Value = ";
  constexpr std::string_view kOurs = "weft::";
  constexpr std::size_t kBegin = kFunction.find(kMark) + kMark.size();
  std::string_view name = kFunction.substr(kBegin, kFunction.find_first_of(";]", kBegin) - kBegin);
  if (name.starts_with(kOurs)) name.remove_prefix(kOurs.size());
  return name;
}

}  // namespace weft
