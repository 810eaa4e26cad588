// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes of one host show each other in memory, so that a page is read at its home without
// the home's help (protocol/exposure.md). The words are MPI's: a home exposes pages, and withdraws
// them again; whoever reads does so one-sidedly. They also meet there at barriers at which nobody
// has anything to tell (protocol/empty_barriers.md).
//
// Each function of the second part takes effect at one moment, between any two of the home's in the
// first part. `copy` alone takes time: the home may do anything meanwhile. No call blocks. This
// class is for nodes that share memory with nobody.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "base/ids.hpp"
#include "base/meeting.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft {

// Where a node is.
struct ShownEpoch {
  Epoch epoch;
  bool has_ended = false;  // pages are getting the states of the next one

  bool operator==(const ShownEpoch&) const = default;
};

// A word of a home's memory that others may load there (protocol/shown_words.md, 35).
struct ShownWord {
  GlobalOffset where;
  std::uint8_t size = 0;                // bytes, 8 at most
  std::array<std::byte, 8> value = {};  // the bytes behind these are zero
  bool current = false;                 // what was seen before it was stored is in records

  // A few can be shown: words have one of so many places, by the unit of memory they begin in.
  static constexpr std::uint64_t kPlaces = 64, kUnitBytes = 4;
  static constexpr std::uint64_t place_of(GlobalOffset where) {
    return where.bytes() / kUnitBytes % kPlaces;
  }

  bool operator==(const ShownWord&) const = default;
};

class ExposedMemory {
 public:
  virtual ~ExposedMemory() = default;
  // Without state, so that all engines may share it.
  static ExposedMemory& nobody() {
    static ExposedMemory shared;
    return shared;
  }

  // --- this node, as a home ---
  // All that the epoch begins with is in this node's pages.
  virtual void begin_epoch(Epoch /*epoch*/) {}
  // Pages are about to get the states of the next epoch. No word is shown any more.
  virtual void end_epoch() {}
  // All updates of this writer up to this one are in this node's pages.
  virtual void note_applied(NodeId /*writer*/, UpdateSequence /*sequence*/) {}
  virtual void expose(PageRange /*pages*/) {}
  virtual void withdraw(PageRange /*pages*/) {}
  // Others may do atomic operations on the page here; and may not any more: none is under way when
  // `close` or `end_epoch` returns, and none begins.
  virtual void open(PageIndex /*page*/) {}
  virtual void close(PageRange /*pages*/) {}
  // Whether others have done such operations since this was called last.
  [[nodiscard]] virtual bool take_operated() { return false; }
  // The word has this value, and this node knows by records what it was stored behind. It takes the
  // place of any other one.
  virtual void show_word(const ShownWord& /*word*/) {}
  virtual void hide_word(GlobalOffset /*where*/) {}
  // How often others have loaded a word that is shown.
  [[nodiscard]] virtual std::uint64_t loads_of(GlobalOffset /*where*/) const { return 0; }
  // This node has this writer's records up to this one; and has dropped all records, as its epoch
  // has ended.
  virtual void note_known(NodeId /*writer*/, IntervalNumber /*number*/) {}
  virtual void forget_known() {}

  // --- other nodes, as they show themselves now ---
  [[nodiscard]] virtual bool reaches(NodeId /*home*/) const { return false; }
  // The last epoch that it has begun; none before the first. Of nodes that it reaches; so are the
  // others.
  [[nodiscard]] virtual std::optional<ShownEpoch> epoch_of(NodeId /*home*/) const { return {}; }
  [[nodiscard]] virtual UpdateSequence applied_at(NodeId /*home*/, NodeId /*writer*/) const {
    return {};
  }
  [[nodiscard]] virtual bool is_exposed(NodeId /*home*/, PageIndex /*page*/) const { return false; }
  // Of this page and those behind it, as many as there is room for. False: they could not be read.
  [[nodiscard]] virtual bool copy(NodeId /*home*/, PageIndex /*first*/,
                                  std::span<std::byte> /*contents*/) {
    return false;
  }

  [[nodiscard]] virtual bool is_open(NodeId /*home*/, PageIndex /*page*/) const { return false; }
  // Does the operation on the home's contents if `may` says so. Until it is done, the home waits
  // where it would close a page or end its epoch. Nothing: it is not done.
  [[nodiscard]] virtual std::optional<AtomicResult> operate(NodeId /*home*/,
                                                            const AtomicRequest& /*request*/,
                                                            const std::function<bool()>& /*may*/) {
    return std::nullopt;
  }

  // The word, if it is shown and still has the value that is shown.
  [[nodiscard]] virtual std::optional<ShownWord> load_word(NodeId /*home*/, GlobalOffset /*where*/,
                                                           std::uint8_t /*size*/) {
    return std::nullopt;
  }
  // Whoever has this clock has all records that the home has.
  [[nodiscard]] virtual bool knows_no_more(NodeId /*home*/,
                                           std::span<const IntervalNumber> /*clock*/) const {
    return false;
  }

  // Where all nodes of the job meet; null if they do not share memory.
  [[nodiscard]] virtual Meeting* meeting() { return nullptr; }
};

}  // namespace weft
