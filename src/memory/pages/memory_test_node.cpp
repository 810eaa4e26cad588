// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/pages/memory_test_node.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "memory/watching/fault_signal.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kSpareBytes = 4096 * kPageBytes;  // for what tests attach

TestNode* signalled_node = nullptr;

template <typename T>
T value_or_fail(Result<T> result) {
  WEFT_ASSERT(result.ok(), "{}", result.error());
  return std::move(result.value());
}

}  // namespace

std::vector<NamedBackEnd> testable_back_ends() {
  std::vector<NamedBackEnd> result;
  for (const char* name : {"uffd-async", "uffd-sync"}) {
    for (const bool user_mode_only : {false, true}) {
      for (const bool by_signal : {false, true}) {
        const auto chosen = choose_back_end({name, by_signal, user_mode_only});
        if (!chosen.ok() || (chosen.value().uffd.user_mode_only && !user_mode_only)) continue;
        std::string label = name == std::string_view("uffd-async") ? "UffdAsync" : "UffdSync";
        if (user_mode_only) label += "UserMode";
        if (by_signal) label += "Signal";
        result.push_back({label, chosen.value()});
      }
    }
  }
  for (std::size_t i = 0, count = result.size(); i < count; ++i) {
    if (result[i].name != "UffdSync") continue;
    result.push_back({"UffdSyncByCopying", result[i].back_end});
    result.back().back_end.uffd.maps_write_protected = false;
  }
  result.push_back({"Mprotect", BackEnd{}});
  return result;
}

TestNode::TestNode(const BackEnd& back_end, std::uint64_t pages, MemoryOptions options) {
  SegmentSpec whole{.name = "test", .address = {}, .bytes = pages * kPageBytes};
  if (pages < 4) {
    region_ = value_or_fail(Region::create({whole}, kSpareBytes));
  } else {  // two segments, so that ranges that span them are met
    whole.bytes = pages / 2 * kPageBytes;
    const SegmentSpec rest{
        .name = "rest", .address = {}, .bytes = (pages - pages / 2) * kPageBytes};
    region_ = value_or_fail(Region::create({whole, rest}, kSpareBytes));
  }
  memory_ = value_or_fail(WatchedMemory::create(
      *region_, value_or_fail(make_watcher(back_end, *region_)), std::move(options)));
  bring_page = [this](PageIndex page) { memory_->map_tracked({page, 1}, Twin::kPresent); };
  signalled_node = this;
  const Status status = install_fault_signals(*region_, &TestNode::on_signal);
  WEFT_ASSERT(status.ok(), "{}", status.error());
  if (memory_->watcher().fault_descriptor() < 0) return;
  stop_event_ = eventfd(0, EFD_CLOEXEC);
  service_ = std::thread([this] { read_descriptor(); });
}

TestNode::~TestNode() {
  if (service_.joinable()) {
    const std::uint64_t one = 1;
    WEFT_ASSERT(::write(stop_event_, &one, sizeof one) == sizeof one);
    service_.join();
    close(stop_event_);
  }
  remove_fault_signals();
  signalled_node = nullptr;
}

void TestNode::serve(PageIndex page, bool is_write) {
  const std::lock_guard guard(lock);
  ++faults;
  if (memory_->on_fault(page, is_write)) return;
  ++absent_faults;
  bring_page(page);
}

bool TestNode::on_signal(ProgramAddress address, bool is_write, void*) {
  if (signalled_node->memory_->watcher().traits().fault_signal == 0) return false;
  signalled_node->serve(signalled_node->region_->offset_of(address)->page(), is_write);
  return true;
}

void TestNode::read_descriptor() {
  pollfd waiting[] = {{memory_->watcher().fault_descriptor(), POLLIN, 0}, {stop_event_, POLLIN, 0}};
  while (poll(waiting, 2, -1) >= 0 && waiting[1].revents == 0) {
    const Status status = memory_->watcher().read_faults(
        [this](const ReportedFault& fault) { serve(fault.page, fault.is_write); });
    WEFT_ASSERT(status.ok(), "{}", status.error());
  }
}

std::byte* TestNode::program(PageIndex page) const {
  return reinterpret_cast<std::byte*>(
      region_->program_address(GlobalOffset::of_page(page)).value());
}

void TestNode::write(PageIndex page, std::size_t at, std::uint8_t value) {
  reinterpret_cast<volatile std::uint8_t*>(program(page))[at] = value;
}

std::uint8_t TestNode::read(PageIndex page, std::size_t at) {
  return reinterpret_cast<volatile std::uint8_t*>(program(page))[at];
}

Bytes TestNode::diff(PageIndex page) {
  const std::lock_guard guard(lock);
  return memory_->make_diff(page);
}

}  // namespace weft
