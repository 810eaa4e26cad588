// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kind of page one is, by the use that has been made of it (protocol/pages.md, 18): the kinds
// that Munin and the adaptive systems after it name. A record to look at; no rule depends on it.
//
// A page's home sees all of its use: who wrote it comes with notices, and every copy is given away
// here. Taken down are the last eight epochs in which the page was written, a bit for each, so that
// what a page was used for long ago, or once at the end, does not count for long.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/home_facts.hpp"

namespace weft {

enum class PageKind : std::uint8_t {
  kSingleWriter,      // one node writes it, and hardly anybody else reads it
  kMultipleWriter,    // several write it between two barriers, and those alone read it
  kMigratory,         // one after the other reads and writes it, or it travels with a lock
  kProducerConsumer,  // one writes it, and others read what it wrote, most times
  kReadMostly,        // others have copies, and nobody has written it for a while
  kWriteShared,       // several write it between two barriers, and others read it
};
inline constexpr std::array<std::string_view, 6> kPageKindNames = {
    "single-writer",     "multiple-writer", "migratory",
    "producer-consumer", "read-mostly",     "write-shared"};
using PagesByKind = std::array<std::uint64_t, kPageKindNames.size()>;

class PageUse {
 public:
  // In the epoch that ends these nodes, ascending, wrote the page. `before`: as it was until then.
  void note_written(const HomeFacts& before, const std::vector<NodeId>& writers);
  // The home has given a copy away.
  void note_given();

  [[nodiscard]] bool is_any() const { return written_ > 0 || given_ > 0; }
  // `with_lock`: the page is known to travel with one. `quiet_epochs`: for so many it has not been
  // written.
  [[nodiscard]] PageKind kind(bool with_lock, std::uint32_t quiet_epochs) const;

 private:
  // Of the last eight epochs in which it was written, the last in the lowest bit.
  using History = std::uint8_t;
  [[nodiscard]] bool in_most(History history) const;

  std::uint8_t written_ = 0;  // so many are in the histories
  History by_several_ = 0;
  History by_another_ = 0;  // by one node alone, and by another one alone the time before
  History read_ = 0;        // what was written went to more nodes than those that wrote it
  // Since it was written last: nodes that have to have it again because they wrote it beside
  // others; copies that were given away.
  std::uint8_t rewriters_ = 0, given_ = 0;
};

}  // namespace weft
