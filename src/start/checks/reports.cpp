// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/checks/reports.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/numbers/mixed.hpp"

namespace weft::checks {
namespace {

std::atomic<bool> has_failed = false;

// Of two places it is the same if they are inlined copies of one.
std::uint64_t digest_of(const weft_place& place, Report what) {
  std::uint64_t digest = static_cast<std::uint64_t>(what) + 1;
  const auto add = [&](std::uint64_t value) { digest = (digest ^ value) * 0x100000001b3U; };
  for (const char* c = place.file; *c != 0; ++c) add(static_cast<unsigned char>(*c));
  for (const char* c = place.line == 0 ? place.function : ""; *c != 0; ++c)
    add(static_cast<unsigned char>(*c));
  add(place.line);
  add(place.column);
  return digest;
}

// What has been said already. What does not fit is not said.
class Said {
 public:
  // False if it was there, or there is no room.
  bool add(std::uint64_t digest) {
    const std::size_t begin = mixed(digest) >> 52U;
    for (std::size_t turn = 0; turn < entries_.size(); ++turn) {
      std::atomic<std::uint64_t>& entry = entries_[(begin + turn) % entries_.size()];
      std::uint64_t found = entry.load(std::memory_order_relaxed);
      if (found == 0 && entry.compare_exchange_strong(found, digest, std::memory_order_relaxed))
        return true;
      if (found == digest) return false;
    }
    return false;
  }

 private:
  std::array<std::atomic<std::uint64_t>, 4096> entries_{};
};
constinit Said said_already;

// One line, written at once.
class Line {
 public:
  void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const std::size_t room = text_.size() - length_ - 1;
    const int more = vsnprintf(&text_[length_], room, format, arguments);
    va_end(arguments);
    length_ += std::min(static_cast<std::size_t>(std::max(more, 0)), room - 1);
  }
  void add(const weft_place& place) {
    if (place.line != 0) {
      add("%s:%u:%u", place.file, place.line, place.column);
    } else {
      add("%s, in %s", place.file, place.function);
    }
  }
  void add(const Strided& said, const char* variable) {
    if (said.bytes == 0) return add("nothing, as its numbers make no sense");
    add("%lu bytes at %#lx", said.bytes, said.first);
    for (const auto& [stride, count] : said.dimensions())
      add(", %lu times %lu bytes apart", count, stride);
    if (variable != nullptr) add(" (%s)", variable);
  }
  void write() {
    text_[length_++] = '\n';
    (void)!::write(STDERR_FILENO, text_.data(), length_);
  }

 private:
  std::array<char, 1024> text_;
  std::size_t length_ = 0;
};

bool is_error(Report what) {
  return what == Report::kLoadedBefore || what == Report::kNotOverwritten;
}

const char* sentence_of(Report what) {
  switch (what) {
    case Report::kLoadedBefore:
      return "loads %lu bytes at %#lx before they are overwritten, as was said";
    case Report::kNotOverwritten:
      return "does not store to %lu bytes at %#lx of the range that it was said to overwrite";
    case Report::kOutside:
      return "uses %lu bytes at %#lx that are not in the memory said";
    case Report::kNotLedTo:
      return "uses %lu bytes at %#lx, to which none of the values lead that were said";
    case Report::kNotStored:
      return "does not store to %lu bytes at %#lx of the memory that it was said to store to";
  }
  __builtin_unreachable();
}

// For tests of guesses that must be right.
bool do_misses_count() {
  const char* value = getenv("WEFT_MISSES");
  return value != nullptr && strcmp(value, "fail") == 0;
}

// The program's destructors have run. What is left, such as to write what streams hold, is done
// with the new status.
[[gnu::destructor]] void end_with_status() {
  if (has_failed.exchange(false, std::memory_order_relaxed)) exit(WEFT_STATUS_OF_WRONG_RANGES);
}

}  // namespace

void report(Report what, const weft_place& where, std::uintptr_t at, std::uint64_t bytes,
            const weft_place& said_at, const Strided& said) {
  if (is_error(what)) has_failed.store(true, std::memory_order_relaxed);
  if (!said_already.add(digest_of(where, what))) return;
  Line line;
  line.add("weft: ");
  line.add(where);
  line.add(is_error(what) ? ": error: " : ": miss: ");
  line.add(sentence_of(what), bytes, at);
  if (&where != &said_at) {
    line.add(" before the loop of ");
    line.add(said_at);
  }
  line.add(": ");
  line.add(said, said_at.variable);
  line.write();
  if (is_error(what) && __weft_spans_nodes != 0) _exit(WEFT_STATUS_OF_WRONG_RANGES);
  if (do_misses_count()) has_failed.store(true, std::memory_order_relaxed);
}

}  // namespace weft::checks
