// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_kinds.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace weft {
namespace {

constexpr std::uint8_t kRemembered = 8;
// Who reads a page that is written now and again is its consumer; of one that has not been written
// for so many epochs, for each in which it was, who reads it has a replica.
constexpr std::uint32_t kQuietEpochs = 8;

constexpr std::uint8_t saturated(std::size_t count) {
  return static_cast<std::uint8_t>(
      std::min<std::size_t>(count, std::numeric_limits<std::uint8_t>::max()));
}

template <typename History>
void push(History& history, bool bit) {
  history = static_cast<History>((history << 1) | (bit ? 1 : 0));
}

}  // namespace

void PageUse::note_written(const HomeFacts& before, const std::vector<NodeId>& writers) {
  const bool several = writers.size() > 1;
  const bool is_known = before.last_writer != kNoNode;
  written_ = std::min<std::uint8_t>(kRemembered, static_cast<std::uint8_t>(written_ + 1));
  push(by_several_, several);
  push(by_another_, !several && is_known && before.last_writer != writers.front());
  push(read_, false);
  // One that wrote alone keeps its copy, or becomes the home; of several only the home does.
  const bool with_home = std::ranges::binary_search(writers, before.home);
  rewriters_ = several ? saturated(writers.size() - (with_home ? 1 : 0)) : 0;
  given_ = 0;
}

void PageUse::note_given() {
  given_ = saturated(given_ + std::size_t{1});
  if (given_ > rewriters_) read_ |= 1;
}

bool PageUse::in_most(History history) const { return 2 * std::popcount(history) > written_; }

PageKind PageUse::kind(bool with_lock, std::uint32_t quiet_epochs) const {
  if (with_lock) return PageKind::kMigratory;
  if (in_most(by_several_)) {
    return in_most(read_) ? PageKind::kWriteShared : PageKind::kMultipleWriter;
  }
  if (in_most(by_another_)) return PageKind::kMigratory;
  if (read_ == 0) return PageKind::kSingleWriter;
  if (quiet_epochs > kQuietEpochs * written_) return PageKind::kReadMostly;
  return written_ > 1 && in_most(read_) ? PageKind::kProducerConsumer : PageKind::kSingleWriter;
}

}  // namespace weft
