// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/shown_words.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// A word that was answered so often is shown; a node that asked so often for new values is told of
// the next ones, until it has not loaded so many of them.
constexpr unsigned kOften = 2, kInVain = 2;

bool overlap(const AtomicRequest& request, GlobalOffset where, std::uint8_t size) {
  return request.where.bytes() < where.bytes() + size &&
         where.bytes() < request.where.bytes() + request.size;
}

}  // namespace

// A word of 8 bytes may begin in the place before.
void ShownWords::note_operation(NodeId by, const AtomicRequest& request) {
  if (is_empty_ || request.operation == AtomicOperation::kLoad) return;
  constexpr std::uint64_t kUnit = ShownWord::kUnitBytes;
  const std::uint64_t first = request.where.bytes() / kUnit;
  const std::uint64_t last = (request.where.bytes() + request.size - 1) / kUnit;
  for (std::uint64_t unit = first == 0 ? 0 : first - 1; unit <= last; ++unit) {
    const std::uint64_t place = ShownWord::place_of(GlobalOffset(unit * kUnit));
    Word& word = words_[place];
    if (word.size == 0 || !overlap(request, word.where, word.size)) continue;
    exposed_.hide_word(word.where);
    for (auto& [node, loader] : word.loaders) loader.has_seen = node == by;
    const bool is_store = request.operation == AtomicOperation::kStore &&
                          request.where == word.where && request.size == word.size;
    word.stored_by = is_store ? std::optional(by) : std::nullopt;
    if (is_store) std::ranges::copy_n(request.operand, word.size, word.stored.begin());
    if (std::exchange(word.is_changed, true)) continue;
    changed_.push_back(place);
  }
}

ShownWords::Answer ShownWords::note_answered(NodeId by, const AtomicRequest& load, ByteView value,
                                             bool at_once) {
  is_empty_ = false;
  Word& word = words_[ShownWord::place_of(load.where)];
  if (word.size != load.size || word.where != load.where) {
    if (word.size != 0) exposed_.hide_word(word.where);
    word = Word{.where = load.where, .size = load.size};
  }
  const bool is_own =
      word.stored_by == by && std::ranges::equal(value, ByteView(word.stored).first(word.size));
  if (is_own || WEFT_BUG(kAnswerAsOwn)) return Answer::kOwn;
  ++word.answered;
  const auto [place, is_first] = word.loaders.try_emplace(by);
  Loader& loader = place->second;
  if (is_first || !loader.has_seen) ++loader.asked;
  loader.has_seen = true;
  return at_once || word.answered >= kOften ? Answer::kShown : Answer::kUnshown;
}

// Who loads is not known where several do.
void ShownWords::note_loads(Word& word) {
  const std::uint64_t loads = exposed_.loads_of(word.where);
  const bool in_vain = std::exchange(word.loads, loads) == loads;
  for (auto& [node, loader] : word.loaders) {
    if (!std::exchange(loader.was_told, false)) continue;
    loader.in_vain = in_vain ? loader.in_vain + 1 : 0;
    if (loader.in_vain < kInVain) continue;
    loader = Loader{};
  }
}

std::vector<ShownWords::Telling> ShownWords::take_changed() {
  std::vector<Telling> tellings;
  for (const std::uint64_t place : std::exchange(changed_, {})) {
    Word& word = words_[place];
    if (!std::exchange(word.is_changed, false)) continue;
    note_loads(word);
    Telling telling{word.where, word.size, {}};
    for (auto& [node, loader] : word.loaders) {
      if (loader.has_seen || loader.asked < kOften) continue;
      loader.was_told = true;
      telling.to.push_back(node);
    }
    if (!telling.to.empty()) tellings.push_back(std::move(telling));
  }
  return tellings;
}

}  // namespace weft
