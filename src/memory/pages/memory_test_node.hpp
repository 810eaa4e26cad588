// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node without a protocol, for the tests and benchmarks of page watching: a region with one back
// end, faults served as the runtime would (a thread that reads the descriptor, or the faulting
// thread in its signal handler), and a policy in place of the engine.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "memory/pages/watched_memory.hpp"
#include "memory/watching/back_end.hpp"

namespace weft {

struct NamedBackEnd {
  std::string name;
  BackEnd back_end;

  friend void PrintTo(const NamedBackEnd& named, std::ostream* out) { *out << named.name; }
};
// Every variant that works on this host.
[[nodiscard]] std::vector<NamedBackEnd> testable_back_ends();

class TestNode {
 public:
  TestNode(const BackEnd& back_end, std::uint64_t pages, MemoryOptions options = {});
  ~TestNode();

  // The node's lock. Not to be held while touching the program view.
  std::mutex lock;
  // Called under the lock for a touch of an absent page; maps it tracked, with what it holds as
  // twin, unless replaced.
  std::function<void(PageIndex page)> bring_page;
  std::atomic<int> faults = 0;         // all that were reported
  std::atomic<int> absent_faults = 0;  // those of absent pages

  [[nodiscard]] WatchedMemory& memory() { return *memory_; }
  [[nodiscard]] Region& region() { return *region_; }
  [[nodiscard]] std::byte* program(PageIndex page) const;
  // What the program does: through its view, faulting as need be.
  void write(PageIndex page, std::size_t at, std::uint8_t value);
  [[nodiscard]] std::uint8_t read(PageIndex page, std::size_t at);
  // Made under the lock.
  [[nodiscard]] Bytes diff(PageIndex page);

 private:
  static bool on_signal(ProgramAddress address, bool is_write, void* context);
  void serve(PageIndex page, bool is_write);
  void read_descriptor();

  std::unique_ptr<Region> region_;
  std::unique_ptr<WatchedMemory> memory_;
  int stop_event_ = -1;
  std::thread service_;
};

}  // namespace weft
