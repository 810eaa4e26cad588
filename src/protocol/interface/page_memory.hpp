// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the protocol asks of a node's memory. The real one (src/memory) watches pages with
// userfaultfd or mprotect; the simulator's (sim) keeps arrays. Every call is made by the engine,
// takes effect before it returns, and never calls back into the engine.
//
// A page of the shared region has contents (always there for the runtime; a page that nobody has
// written holds its initial contents: zero, or the executable's image) and, for the program, one of
// three kinds of access:
//   absent     the program's next touch is a fault, handed to Engine::handle_fault
//   tracked    readable and writable; writes are noticed, and a diff can be made if a twin is kept
//   untracked  readable and writable, and nobody watches
//
// The twin of a tracked page is what it held when its writer and its home last agreed. Where the
// kernel finds written pages by itself (asynchronous write protection) the twin is copied when
// tracking starts; where a first write traps, then. That is this interface's secret: the engine
// sees neither twins nor write faults.
#pragma once

#include <cstdint>
#include <span>

#include "base/addresses.hpp"
#include "base/atomic_operation.hpp"
#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft {

enum class Twin : std::uint8_t {
  kNone,     // no diff will be asked for: this node is the page's home
  kPresent,  // the contents at the time of the call
  kInitial,  // the initial contents (which the page may have left already, by tracked writes)
  kUnlike,   // nothing is known of it: the next diff has all of the page (map_written alone)
};

// One atomic operation on naturally aligned memory within a page.
struct AtomicRequest {
  GlobalOffset where;
  std::uint8_t size = 0;  // bytes: 1, 2, 4, 8 or 16
  AtomicOperation operation = AtomicOperation::kLoad;
  AtomicType type = AtomicType::kInteger;
  std::byte operand[16] =
      {};  // also the desired value of a compare-exchange, and that seen by a patient load
  std::byte expected[16] = {};  // compare-exchange alone
};

// What the memory held before, and what it holds now (equal when a compare-exchange failed).
struct AtomicResult {
  std::byte before[16] = {};
  std::byte after[16] = {};
};

class PageMemory {
 public:
  virtual ~PageMemory() = default;

  // --- access ---
  // Gives the program access to absent pages and starts tracking their writes.
  virtual void map_tracked(PageRange pages, Twin twin) = 0;
  // Gives the program access to pages, absent or tracked, which count as written from now on, and
  // tracks them. Nobody uses what they hold: it may be anything if the twin is kUnlike. Not
  // kPresent.
  virtual void map_written(PageRange pages, Twin twin) = 0;
  // A thread is about to write most of these pages. Those that are tracked may count as written
  // from now on, and the others as soon as they are, if that is before the next collection at rest:
  // so their first writes cost no fault. Their twins stay. Returns for how many of the tracked ones
  // that is new.
  virtual std::uint64_t expect_writes(PageRange /*pages*/) { return 0; }
  // Gives the program access to pages, absent or tracked, and stops tracking; twins are dropped.
  virtual void map_untracked(PageRange pages) = 0;
  // Starts tracking writes to untracked pages. Writes from before the call are not found later;
  // the page's contents, read after the call, have them.
  virtual void start_tracking(PageRange pages, Twin twin) = 0;
  // Takes pages away from the program. No thread of the node can write them once this returns.
  // Twins and the record of written pages stay until `make_diff` or `drop`.
  virtual void unmap(PageRange pages) = 0;
  // Forgets twin, written record and (where memory is short) contents of absent pages.
  virtual void drop(PageRange pages) = 0;
  // Between these two calls no thread of the program touches memory, and none has since the last
  // collect_written, which was of all tracked pages. So a page that is unmapped and mapped again
  // meanwhile, with other contents, need never have been away.
  virtual void begin_pause() = 0;
  virtual void end_pause() = 0;
  // Adds to `written` the tracked pages within `pages` that were written since tracking began or
  // since the last call, and forgets that they were. A write that runs meanwhile is found now or
  // by the next call, never lost.
  virtual void collect_written(PageRange pages, PageSet& written) = 0;
  // The same for all tracked pages, which are in these stretches, while no thread of the program
  // runs. `phase` names what has run since the last time: where it wrote before is where to look
  // first. Of absent pages no writes are expected any more.
  virtual void collect_at_rest(std::span<const PageRange> stretches,
                               [[maybe_unused]] PhaseKey phase, PageSet& written) {
    for (const PageRange& stretch : stretches) collect_written(stretch, written);
  }

  // --- contents ---
  // Where the runtime reads a page; kPageBytes of it. Valid while the node runs.
  [[nodiscard]] virtual ByteView contents(PageIndex page) const = 0;
  // The twin of a page that has one: what the next diff will be made against; the contents if it is
  // kUnlike. Valid until the next call.
  [[nodiscard]] virtual ByteView twin(PageIndex page) const = 0;
  // Overwrites an absent page.
  virtual void install(PageIndex page, ByteView contents) = 0;
  // Where the caller may overwrite absent pages itself, until its next call: of the first of these
  // pages, and of as many more as lie beside it. Empty where there is no such place.
  [[nodiscard]] virtual std::span<std::byte> room(PageRange /*absent*/) { return {}; }
  // The bytes that differ from the twin, encoded; empty if none. The twin becomes what was sent; of
  // an absent page, of which that is the contents, it may stay as it was.
  // Bytes that a thread writes meanwhile are in this diff or in the next one.
  [[nodiscard]] virtual Bytes make_diff(PageIndex page) = 0;
  // The same, added to `out`; false if there are none.
  virtual bool append_diff(PageIndex page, Bytes& out) {
    const Bytes diff = make_diff(page);
    out.insert(out.end(), diff.begin(), diff.end());
    return !diff.empty();
  }
  // Writes exactly the bytes of a diff, of any page and access. The bytes come from another node's
  // make_diff.
  virtual void apply_diff(PageIndex page, ByteView diff) = 0;
  // The same in the twin, too, so that it is no difference. Of mapped pages that have a twin.
  virtual void patch_diff(PageIndex page, ByteView diff) = 0;
  // Performs an operation on this node's contents, atomically with all others made here and with
  // the processor's own atomic instructions of the program.
  virtual AtomicResult perform(const AtomicRequest& request) = 0;
  // Performs an operation on the contents and on the twin, so that it is no difference.
  virtual void merge(const AtomicRequest& request) = 0;
  // Writes bytes into the contents and into the twin, so that they are no difference, if the
  // contents hold the expected ones; or else changes nothing and says false, as a thread of the
  // program has written there. 1, 2, 4, 8 or 16 bytes, naturally aligned.
  [[nodiscard]] virtual bool patch(GlobalOffset where, ByteView expected, ByteView bytes) = 0;
};

}  // namespace weft
