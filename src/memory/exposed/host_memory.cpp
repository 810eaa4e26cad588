// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/exposed/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "memory/exposed/host_files.hpp"
#include "memory/pages/atomic_perform.hpp"
#include "memory/region/core_dumps.hpp"
#include "memory/region/system_failure.hpp"

namespace weft {
namespace {

constexpr std::uint64_t kBits = 64;
// Words of the file: the place where nodes meet is before them.
constexpr std::size_t kEpoch = sizeof(Meeting) / sizeof(std::uint64_t), kApplied = kEpoch + 1;
// So much of another's region is mapped at once. Pages of it have memory when they are touched.
constexpr std::uint64_t kWindowBytes = std::uint64_t{64} << 20;

// Visits each word of bits that these pages have some of: its first page of them, and their bits.
template <typename Visit>
void for_each_word(PageRange pages, Visit visit) {
  while (pages.count > 0) {
    const std::uint64_t first = pages.first.value() % kBits;
    const std::uint64_t count = std::min(pages.count, kBits - first);
    visit(pages.first, ~std::uint64_t{0} >> (kBits - count) << first);
    pages = {pages.first.plus(static_cast<std::int64_t>(count)), pages.count - count};
  }
}

std::uint64_t bit_of(PageIndex page) { return std::uint64_t{1} << page.value() % kBits; }

}  // namespace

HostMemory::HostMemory(NodeId self, std::uint16_t node_count, std::uint64_t page_count)
    : self_(self),
      node_count_(node_count),
      page_count_(page_count),
      others_(node_count),
      operations_(node_count) {}

HostMemory::~HostMemory() {
  for (const Other& other : others_) {
    if (other.facts) munmap(static_cast<void*>(other.facts), bytes());
    if (other.region >= 0) ::close(other.region);
    for (const auto& [index, window] : other.windows) {
      if (window) munmap(window, window_bytes(index));
    }
  }
  if (facts_) munmap(static_cast<void*>(facts_), bytes());
  if (place_.facts >= 0) ::close(place_.facts);
}

Result<std::unique_ptr<HostMemory>> HostMemory::create(NodeId self, std::uint16_t node_count,
                                                       std::uint64_t page_count, int region) {
  std::unique_ptr<HostMemory> made(new HostMemory(self, node_count, page_count));
  if (Status status = made->make_facts(region); !status) return status.failure();
  return made;
}

std::uint64_t HostMemory::words_of_bits() const { return (page_count_ + kBits - 1) / kBits; }

std::size_t HostMemory::bytes() const {
  return (first_place() + ShownWord::kPlaces * kLineWords + node_count_) * sizeof(Word);
}

std::uint64_t HostMemory::first_operator() const {
  const std::uint64_t words = kApplied + node_count_ + 2 * words_of_bits();
  return (words + kLineWords - 1) / kLineWords * kLineWords;
}

std::uint64_t HostMemory::first_place() const {
  return first_operator() + std::uint64_t{node_count_} * kLineWords;
}

Status HostMemory::make_facts(int region) {
  place_.facts = memfd_create("weft-exposed", MFD_CLOEXEC);
  if (place_.facts < 0) return system_failure(errno, "cannot create the file of exposed pages");
  if (ftruncate(place_.facts, static_cast<off_t>(bytes())) != 0) {
    return system_failure(errno, "cannot size the file of exposed pages");
  }
  facts_ = map(place_.facts);
  if (!facts_) return system_failure(errno, "cannot map the file of exposed pages");
  place_.host = boot_number();
  place_.process = number_of_this_process();
  place_.region = region;
  place_.region_file = file_number(region);
  place_.facts_file = file_number(place_.facts);
  return {};
}

HostMemory::Word* HostMemory::map(int file) const {
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  void* const mapped = mmap(nullptr, bytes(), kAccess, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (mapped == MAP_FAILED) return nullptr;
  hide_from_dumps(mapped, bytes());
  return static_cast<Word*>(mapped);
}

void HostMemory::meet(const std::vector<HostMemoryPlace>& places) {
  for (std::size_t node = 0; node < places.size(); ++node) {
    if (node == self_.value() || places[node].host != place_.host) continue;
    others_[node] = reach(places[node]);
  }
  const auto is_reached = [this](const Other& other) {
    return other.facts != nullptr || &other == &others_[self_.value()];
  };
  if (!std::ranges::all_of(others_, is_reached)) return;
  meeting_ = reinterpret_cast<Meeting*>(self_ == NodeId(0) ? facts_ : others_[0].facts);
}

HostMemory::Other HostMemory::reach(const HostMemoryPlace& place) const {
  Other other;
  other.region = open_of_process(place.process, place.region, place.region_file, O_RDWR);
  if (other.region < 0) return {};
  const int facts = open_of_process(place.process, place.facts, place.facts_file, O_RDWR);
  if (facts >= 0) {
    other.facts = map(facts);
    ::close(facts);
  }
  if (other.facts) return other;
  ::close(other.region);
  return {};
}

HostMemory::Word& HostMemory::word_of(Word* facts, PageIndex page) const {
  return facts[kApplied + node_count_ + page.value() / kBits];
}

HostMemory::Word& HostMemory::open_word_of(Word* facts, PageIndex page) const {
  return facts[kApplied + node_count_ + words_of_bits() + page.value() / kBits];
}

HostMemory::Word& HostMemory::operator_word(Word* facts, NodeId node) const {
  return facts[first_operator() + node.value() * kLineWords];
}

void HostMemory::begin_epoch(Epoch epoch) {
  facts_[kEpoch].store(2 * (std::uint64_t{epoch.value()} + 1), std::memory_order_release);
}

// Nobody may see a page in a state of the next epoch and this epoch's number.
void HostMemory::end_epoch() {
  facts_[kEpoch].fetch_or(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (has_opened_) await_operators();
  if (has_shown_) hide_words();
}

void HostMemory::note_applied(NodeId writer, UpdateSequence sequence) {
  facts_[kApplied + writer.value()].store(sequence.value(), std::memory_order_release);
}

void HostMemory::expose(PageRange pages) {
  for_each_word(pages, [this](PageIndex page, std::uint64_t bits) {
    word_of(facts_, page).fetch_or(bits, std::memory_order_release);
  });
}

void HostMemory::withdraw(PageRange pages) {
  for_each_word(pages, [this](PageIndex page, std::uint64_t bits) {
    word_of(facts_, page).fetch_and(~bits);
  });
}

void HostMemory::open(PageIndex page) {
  has_opened_ = true;
  open_word_of(facts_, page).fetch_or(bit_of(page), std::memory_order_release);
}

void HostMemory::close(PageRange pages) {
  for_each_word(pages, [this](PageIndex page, std::uint64_t bits) {
    open_word_of(facts_, page).fetch_and(~bits, std::memory_order_relaxed);
  });
  std::atomic_thread_fence(std::memory_order_seq_cst);
  await_operators();
}

// Who begins behind the fence sees what was changed before it. Of those that have begun, each needs
// as long as an instruction, unless it has lost its processor.
void HostMemory::await_operators() const {
  for (NodeId node; node.value() < node_count_; ++node) {
    const Word& word = operator_word(facts_, node);
    const std::uint64_t seen = word.load(std::memory_order_acquire);
    if (seen % 2 == 0) continue;
    while (word.load(std::memory_order_acquire) == seen) syscall(SYS_sched_yield);
  }
}

bool HostMemory::take_operated() {
  if (!has_opened_) return false;
  bool has_changed = false;
  for (NodeId node; node.value() < node_count_; ++node) {
    const std::uint64_t now = operator_word(facts_, node).load(std::memory_order_acquire);
    has_changed |= std::exchange(operations_[node.value()], now) != now;
  }
  return has_changed;
}

// A second look (OneSidedReads) is not to be done before the contents are read.
std::optional<ShownEpoch> HostMemory::epoch_of(NodeId home) const {
  std::atomic_thread_fence(std::memory_order_acquire);
  const std::uint64_t word = others_[home.value()].facts[kEpoch].load(std::memory_order_acquire);
  if (word < 2) return {};
  return ShownEpoch{Epoch(static_cast<std::uint32_t>(word / 2 - 1)), word % 2 != 0};
}

UpdateSequence HostMemory::applied_at(NodeId home, NodeId writer) const {
  const Word& word = others_[home.value()].facts[kApplied + writer.value()];
  return UpdateSequence(word.load(std::memory_order_acquire));
}

bool HostMemory::is_exposed(NodeId home, PageIndex page) const {
  const std::uint64_t word =
      word_of(others_[home.value()].facts, page).load(std::memory_order_acquire);
  return (word & bit_of(page)) != 0;
}

bool HostMemory::is_open(NodeId home, PageIndex page) const {
  const std::uint64_t word =
      open_word_of(others_[home.value()].facts, page).load(std::memory_order_acquire);
  return (word & bit_of(page)) != 0;
}

std::optional<AtomicResult> HostMemory::operate(NodeId home, const AtomicRequest& request,
                                                const std::function<bool()>& may) {
  Other& other = others_[home.value()];
  std::byte* const where = address_at(other, request.where);
  if (!where) return std::nullopt;
  Word& word = operator_word(other.facts, self_);
  word.store(++other.operations, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  std::optional<AtomicResult> result;
  if (may()) result = perform_atomic(request, where);
  word.store(++other.operations, std::memory_order_release);
  return result;
}

std::byte* HostMemory::address_at(Other& other, GlobalOffset where) const {
  const std::uint64_t index = where.bytes() / kWindowBytes;
  const auto [place, is_new] = other.windows.try_emplace(index, nullptr);
  if (is_new) {
    const auto first = static_cast<off_t>(index * kWindowBytes);
    constexpr int kAccess = PROT_READ | PROT_WRITE;
    void* const mapped = mmap(nullptr, window_bytes(index), kAccess, MAP_SHARED | MAP_NORESERVE,
                              other.region, first);
    if (mapped != MAP_FAILED) {
      hide_from_dumps(mapped, window_bytes(index));
      place->second = static_cast<std::byte*>(mapped);
    }
  }
  return place->second ? place->second + where.bytes() % kWindowBytes : nullptr;
}

std::uint64_t HostMemory::window_bytes(std::uint64_t index) const {
  return std::min(kWindowBytes, page_count_ * kPageBytes - index * kWindowBytes);
}

// Not through a mapping: a page that nobody has written would become one of the home's memory, and
// each page read would have an entry in this node's page tables.
bool HostMemory::copy(NodeId home, PageIndex first, std::span<std::byte> contents) {
  const std::uint64_t offset = first.value() * kPageBytes;
  const long got =
      syscall(SYS_pread64, others_[home.value()].region, contents.data(), contents.size(), offset);
  return got == static_cast<long>(contents.size());
}

}  // namespace weft
