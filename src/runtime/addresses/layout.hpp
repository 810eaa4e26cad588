// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where everything of the shared region is, in the program's view; equal on every node.
//
//   0x0000'00......  data     the executable's .data and .bss, where it was linked, and those of
//                             the program's libraries, where they are loaded
//   0x2000'0000'0000 heap     shared out among the nodes (heap/pages/heap_layout.hpp)
//   0x3000'0000'0000 maps     what the program maps, shared out too (addresses/maps_layout.hpp)
//   0x5000'0000'0000 control  blocks of Weft's own layers (runtime/interface/shared_memory.hpp)
//   0x5800'0000'0000 stacks   one slot a thread that a node may have, node by node: of threads that
//                             the program makes, and from 0x5900'0000'0000 on of OpenMP's
//   0x5c00'0000'0000 places   of each thread's own stack (addresses/thread_places.hpp) the part
//                             with the program's thread-local variables; the rest is not the
//                             region's
//   anywhere         spare    the data of libraries that the program loads later
//
// A slot is a guard below the stack: 64 MiB, of which the upper part up to the stack size is stack.
// OpenMP's threads have larger ones where their stacks are to be larger, up to a TiB for all.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/page_range.hpp"
#include "heap/pages/heap_layout.hpp"
#include "memory/region/region.hpp"
#include "protocol/engine.hpp"
#include "runtime/addresses/maps_layout.hpp"
#include "runtime/libraries/executable.hpp"

namespace weft {

// Thread-local variables of one of the program's objects, as each thread has them in its place.
struct ThreadLocalBlock {
  std::size_t below_top = 0;  // from its begin to the end of the thread's place
  std::size_t bytes = 0;
};

class Layout {
 public:
  struct Sizes {
    unsigned node_count = 1;
    unsigned threads_per_node = 1;
    std::size_t heap_bytes = 0;
    std::size_t maps_bytes = 0;
    std::size_t stack_bytes = 0;  // of each thread; at most what its slot holds
    std::vector<ThreadLocalBlock> thread_locals = {};
    bool has_stacks = true;  // no: threads stay on the private stacks that they are born with
  };
  Layout(std::vector<DataSegment> data, const Sizes& sizes);

  [[nodiscard]] std::vector<SegmentSpec> segments() const;
  [[nodiscard]] std::vector<InitialHome> initial_homes() const;
  [[nodiscard]] std::uint64_t page_count() const;
  [[nodiscard]] const heap::HeapLayout& heap() const { return heap_; }
  [[nodiscard]] const MapsLayout& maps() const { return maps_; }

  struct Stack {
    std::byte* guard;  // the slot's begin; no access up to `bottom`
    std::byte* bottom;
    std::byte* top;
  };
  [[nodiscard]] Stack stack(NodeId node, unsigned thread) const;
  // Slots of each node, if it has any: more than it has threads, as a program may ask for more.
  [[nodiscard]] unsigned slots_per_node() const;
  // The stacks of threads that the program makes itself, 0 up to own_slots_per_node() - 1.
  [[nodiscard]] Stack own_stack(NodeId node, unsigned thread) const;
  [[nodiscard]] unsigned own_slots_per_node() const;
  // The bytes of the stack in whose guard the address is, or that lies above the address and all
  // other stacks above that; 0: it is nowhere like that.
  [[nodiscard]] std::size_t stack_above(const void* address) const;
  [[nodiscard]] bool is_guard(const void* address) const { return stack_above(address) > 0; }
  [[nodiscard]] std::byte* control() const;

  // Where threads are born: with what they have of the program's thread-local variables.
  struct Place {
    std::byte* begin;
    std::byte* top;
  };
  [[nodiscard]] Place place(NodeId node, unsigned thread) const;
  // As many as threads may have program stacks. The first of them is for the node's main thread.
  [[nodiscard]] unsigned places_per_node() const { return slots_per_node() + own_slots_per_node(); }
  // When it is there (SegmentSpec::stage): a piece of memory of each, on all nodes, takes its time.
  [[nodiscard]] unsigned stage_of_place(unsigned thread) const;
  // The place that has the address: its node, and its number there.
  struct PlaceNumber {
    NodeId node;
    unsigned thread;
  };
  [[nodiscard]] std::optional<PlaceNumber> place_of(const void* address) const;
  [[nodiscard]] std::span<const ThreadLocalBlock> thread_locals() const {
    return sizes_.thread_locals;
  }
  static constexpr std::size_t kPlaceBytes = std::size_t{1} << 26;
  static constexpr unsigned kSlotsOfNode = 64, kSlotsOfJob = 4096;
  static constexpr unsigned kOwnSlotsOfNode = 512, kOwnSlotsOfJob = 2048;
  static constexpr unsigned kUsualOwnThreads = 32;  // of a node; more are of the last stage
  static constexpr std::size_t kControlBytes = std::size_t{1} << 20;
  static constexpr std::size_t kSpareBytes = std::size_t{1} << 34;

 private:
  // The slots of one kind of threads.
  struct Slots {
    std::uintptr_t begin;
    unsigned of_node;
    std::size_t bytes;        // of each
    std::size_t stack_bytes;  // in it
    std::size_t all_bytes;    // of all nodes' slots
  };
  // Of the program's own threads, and of OpenMP's.
  [[nodiscard]] std::array<Slots, 2> make_slots() const;
  [[nodiscard]] static Stack in_slot(const Slots& slots, NodeId node, unsigned thread);
  // The places of a stage stand before those of the next, and each group node by node.
  struct PlaceGroup {
    unsigned first, count;  // of each node's
    std::uintptr_t begin;
  };
  static constexpr std::size_t kStages = 3;
  [[nodiscard]] std::array<PlaceGroup, kStages> place_groups() const;

  std::vector<DataSegment> data_;  // none of them empty
  Sizes sizes_;
  heap::HeapLayout heap_;
  MapsLayout maps_;
  std::array<Slots, 2> slots_;  // made once: each fault asks whether it is in a guard
};

}  // namespace weft
