// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of pages homed here that other nodes of the host load by atomic operations: which of them
// this node shows them, and whom it tells of a store before it is asked (protocol/shown_words.md,
// 35). Pure bookkeeping, but for hiding a word.
//
// It keeps one word for each place.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "protocol/interface/exposed_memory.hpp"

namespace weft {

class ShownWords {
 public:
  explicit ShownWords(ExposedMemory& exposed) : exposed_(exposed) {}

  // An operation of that node's is about to be done here. If it may write, nobody loads the word by
  // himself until it is shown again.
  void note_operation(NodeId by, const AtomicRequest& request);

  // That node's load is answered with that value. `at_once`: words are shown when they are loaded
  // first.
  enum class Answer : std::uint8_t {
    kOwn,      // its own store: there is nothing to tell it
    kUnshown,  // the word is not loaded often
    kShown,    // it is, and is to be shown
  };
  [[nodiscard]] Answer note_answered(NodeId by, const AtomicRequest& load, ByteView value,
                                     bool at_once);

  // Words that an operation has changed since this was called last, and which others will load.
  struct Telling {
    GlobalOffset where;
    std::uint8_t size = 0;
    std::vector<NodeId> to;  // those that have not asked since
  };
  [[nodiscard]] bool has_changed() const { return !changed_.empty(); }
  [[nodiscard]] std::vector<Telling> take_changed();

 private:
  // Another node, and what it has to do with a word.
  struct Loader {
    unsigned asked = 0;     // so often for a value that was new to it, since it was told in vain
    unsigned in_vain = 0;   // told so often, one after the other, without a load
    bool has_seen = false;  // the present value
    bool was_told = false;  // when the word was changed last
  };
  struct Word {
    GlobalOffset where;
    std::uint8_t size = 0;  // 0: none
    unsigned answered = 0;
    std::uint64_t loads = 0;  // as shown, when somebody was told
    bool is_changed = false;
    std::optional<NodeId> stored_by = {};  // by the last operation, and this
    std::array<std::byte, 8> stored = {};
    std::map<NodeId, Loader> loaders = {};
  };

  void note_loads(Word& word);

  ExposedMemory& exposed_;
  std::array<Word, ShownWord::kPlaces> words_;
  bool is_empty_ = true;
  std::vector<std::uint64_t> changed_;  // places
};

}  // namespace weft
