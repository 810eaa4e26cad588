// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node as its host sees it at one moment: what it shows of itself (runtime/board), and, where
// that was asked, whether it stands still, and the words for its addresses. NodeHost::look() asks
// for it, NodeEvents::on_views() has the answer, from this host and others alike; agents carry both
// (agent/agent_messages.hpp: kLook, kViews).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "runtime/board/snapshot.hpp"
#include "weft/watch/process_view.hpp"

namespace weft {

enum class ViewAsker : std::uint8_t { kDeadlock, kStatus };
inline constexpr std::size_t kViewAskerCount = 2;

struct ViewQuestion {
  ViewAsker asker = ViewAsker::kStatus;  // comes back with the answer
  std::uint64_t number = 0;              // comes back with the answer
  bool standstill = false;               // also look at the threads in the kernel
  bool texts = false;    // also find the places and names of addresses, which takes longer
  bool process = false;  // also ask the system for memory and processor time
  WEFT_FIELDS(self.asker, self.number, self.standstill, self.texts, self.process)
};

// How the kernel sees a node whose threads all sleep.
struct Standstill {
  // Equal in two looks: no thread has gone on between them.
  std::uint64_t fingerprint = 0;
  // Threads that sleep until another thread wakes them, outside of Weft. Many are libomp's, idle.
  std::vector<std::uint32_t> others;
  // The program has handlers for signals: one that comes could let a thread go on.
  bool handles_signals = false;
  WEFT_FIELDS(self.fingerprint, self.others, self.handles_signals)
};

// "heat.c:41", "relax+0x1c (libheat.so)" or "x" for an address or text of the node's.
struct AddressText {
  std::uint64_t address = 0;
  std::string text;
  WEFT_FIELDS(self.address, self.text)
};

struct NodeView {
  unsigned node = 0;  // its number in the job
  // Nothing if it has died, or has not begun.
  std::optional<board::NodeSnapshot> shown;
  // Nothing if that was not asked, or a thread computes, or waits for something outside the job.
  std::optional<Standstill> standstill;
  std::vector<AddressText> texts;
  // Nothing if that was not asked.
  std::optional<ProcessView> process;
  WEFT_FIELDS(self.node, self.shown, self.standstill, self.texts, self.process)

  // The text of the address; nothing where there is none.
  [[nodiscard]] const std::string* text_of(std::uint64_t address) const {
    for (const AddressText& each : texts) {
      if (each.address == address) return &each.text;
    }
    return nullptr;
  }
  // Where the thread waits in the program: "heat.c:41"; null where there is no text for it.
  [[nodiscard]] const std::string* place_of(const board::ThreadSnapshot& thread) const {
    for (const std::uint64_t each : {thread.place, thread.address}) {
      if (const std::string* const text = each == 0 ? nullptr : text_of(each)) return text;
    }
    return nullptr;
  }
};

// The answer of a host.
struct HostViews {
  ViewAsker asker = ViewAsker::kStatus;
  std::uint64_t number = 0;    // the question's
  std::uint64_t taken_us = 0;  // when, by the host's own clock
  std::vector<NodeView> nodes;
  WEFT_FIELDS(self.asker, self.number, self.taken_us, self.nodes)
};

// Whether it could have been made by an agent with these nodes.
[[nodiscard]] inline bool makes_sense(const HostViews& views, unsigned first, unsigned count) {
  if (static_cast<std::size_t>(views.asker) >= kViewAskerCount) return false;
  for (const NodeView& each : views.nodes) {
    if (each.node < first || each.node - first >= count) return false;
    if (each.shown && (!board::makes_sense(*each.shown) || each.shown->node != each.node)) {
      return false;
    }
    if (each.process && static_cast<std::size_t>(each.process->phase) >= kProcessPhaseCount) {
      return false;
    }
  }
  return true;
}

}  // namespace weft
