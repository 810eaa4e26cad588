// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What code calls that was compiled with -fweft-check-ranges: it compares what loops do with what
// was said before them (base/compiler_abi.h). A watch belongs to one thread. Of a loop that is left
// by an exception or longjmp the end is not seen, and its watch is lost.
#include <sched.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <optional>

#include "base/accesses/strided.hpp"
#include "base/compiler_abi.h"
#include "start/checks/bits.hpp"
#include "start/checks/reports.hpp"
#include "start/checks/targets.hpp"
#include "start/visibility.hpp"

using weft::Strided;
using weft::checks::Bits;
using weft::checks::report;
using weft::checks::Report;

struct weft_watch {
  weft_watch* next = nullptr;  // of those that are not used
  const weft_place* place = nullptr;
  // Its numbers may make no sense. Then nothing is in it.
  std::optional<Strided> memory;
  bool is_stored = false;
  Report if_not_stored = Report::kNotStored;
  Bits stored;  // from its first byte on
  // In that memory are values that lead to the memory said.
  bool is_indirect = false;
  weft::checks::Targets targets;

  // Bits of it: of [p, p + bytes), those that are in its extent.
  struct Part {
    std::uint64_t from = 0, to = 0;
  };
  [[nodiscard]] Part part(std::uintptr_t p, std::uint64_t bytes) const {
    const std::uintptr_t end = memory->first + memory->extent();
    if (p >= end || p + bytes <= memory->first) return {};
    return {std::max(p, memory->first) - memory->first, std::min(p + bytes, end) - memory->first};
  }
  [[nodiscard]] Strided said() const { return memory.value_or(Strided{}); }
  [[nodiscard]] bool covers(std::uintptr_t p, std::uint64_t bytes) const {
    return is_indirect ? targets.cover(p, bytes) : memory && memory->covers(p, bytes);
  }
  void note_store(std::uintptr_t p, std::uint64_t bytes) {
    if (!memory || !is_stored) return;
    const Part in = part(p, bytes);
    stored.set(in.from, in.to);
  }
};

namespace {

class Lock {
 public:
  Lock() {
    while (is_locked.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~Lock() { is_locked.clear(std::memory_order_release); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constinit std::atomic_flag is_locked;
};
constinit std::atomic_flag Lock::is_locked;

constinit weft_watch* unused = nullptr;

void add_unused() {
  constexpr std::size_t kWatches = 64;
  void* mapped = mmap(nullptr, kWatches * sizeof(weft_watch), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;
  for (std::size_t index = 0; index < kWatches; ++index) {
    auto* made = new (static_cast<weft_watch*>(mapped) + index) weft_watch;
    made->next = unused;
    unused = made;
  }
}

// Null without memory: then nothing is checked.
weft_watch* begin(const weft_place* place, const std::optional<Strided>& memory, bool is_stored,
                  Report if_not_stored) {
  weft_watch* watch = nullptr;
  {
    const Lock lock;
    if (unused == nullptr) add_unused();
    watch = unused;
    if (watch == nullptr) return nullptr;
    unused = watch->next;
  }
  // More would take too long to look through at the end: it is a guess that was very wrong.
  constexpr std::uint64_t kMostExtent = std::uint64_t{1} << 38;
  watch->place = place;
  watch->is_indirect = false;
  watch->memory = memory;
  watch->if_not_stored = if_not_stored;
  watch->is_stored = is_stored && memory && memory->extent() <= kMostExtent &&
                     watch->stored.begin(memory->extent());
  return watch;
}

// The first bytes in a row that were not stored to. Of what is prefetched, one byte of each part is
// enough: a record of which some parts are stored to is said as a whole.
weft_watch::Part find_not_stored(const weft_watch& watch, std::uint64_t way,
                                 std::span<const Strided::Dimension> inner) {
  if (inner.empty()) {
    const std::uint64_t end = way + watch.memory->bytes;
    const bool is_whole = watch.if_not_stored == Report::kNotOverwritten;
    const std::uint64_t from = is_whole ? watch.stored.first_clear(way, end) : way;
    const std::uint64_t to = watch.stored.first_set(from, end);
    return is_whole || to == end ? weft_watch::Part{from, to} : weft_watch::Part{};
  }
  const auto& [stride, count] = inner.back();
  for (std::uint64_t index = 0; index < count; ++index) {
    const weft_watch::Part found =
        find_not_stored(watch, way + index * stride, inner.first(inner.size() - 1));
    if (found.from < found.to) return found;
  }
  return {};
}

std::uintptr_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

}  // namespace

extern "C" {

WEFT_EXPORT weft_watch* __weft_watch_overwrite(const weft_place* place, const void* first,
                                               uint64_t bytes, uint32_t is_said) {
  if (is_said == 0) return nullptr;
  return begin(place, Strided::of(address(first), bytes, {}), /*is_stored=*/true,
               Report::kNotOverwritten);
}

WEFT_EXPORT weft_watch* __weft_watch_prefetch(const weft_place* place, const void* first,
                                              uint64_t bytes, const weft_stride* strides,
                                              uint32_t stride_count, uint32_t use) {
  return begin(place, Strided::of(address(first), bytes, {strides, stride_count}),
               use == WEFT_USE_STORES, Report::kNotStored);
}

WEFT_EXPORT weft_watch* __weft_watch_indirect(const weft_place* place, const void* first,
                                              uint64_t bytes, const weft_stride* strides,
                                              uint32_t stride_count,
                                              const weft_indirection* indirections,
                                              uint32_t indirection_count) {
  const auto values = Strided::of(address(first), bytes, {strides, stride_count});
  weft_watch* watch = begin(place, values, /*is_stored=*/false, Report::kNotStored);
  if (watch == nullptr) return nullptr;
  watch->is_indirect = true;
  if (!values || watch->targets.begin(*values, {indirections, indirection_count})) return watch;
  __weft_end_watch(watch);
  return nullptr;
}

WEFT_EXPORT void __weft_end_watch(weft_watch* watch) {
  if (watch == nullptr) return;
  if (watch->is_stored) {
    const auto [from, to] = find_not_stored(*watch, 0, watch->memory->dimensions());
    if (from < to) {
      report(watch->if_not_stored, *watch->place, watch->memory->first + from, to - from,
             *watch->place, *watch->memory);
    }
  }
  watch->stored.end();
  watch->targets.end();
  const Lock lock;
  watch->next = unused;
  unused = watch;
}

WEFT_EXPORT void __weft_check_overwrite(weft_watch* watch, const weft_place* place, const void* p,
                                        uint64_t bytes) {
  if (watch == nullptr || bytes == 0) return;
  if (!watch->covers(address(p), bytes)) {
    report(Report::kOutside, *place, address(p), bytes, *watch->place, watch->said());
  }
  watch->note_store(address(p), bytes);
}

WEFT_EXPORT void __weft_check_load(weft_watch* watch, const weft_place* place, const void* p,
                                   uint64_t bytes) {
  if (watch == nullptr || !watch->is_stored) return;
  const weft_watch::Part part = watch->part(address(p), bytes);
  const std::uint64_t from = watch->stored.first_clear(part.from, part.to);
  if (from == part.to) return;
  report(Report::kLoadedBefore, *place, watch->memory->first + from,
         watch->stored.first_set(from, part.to) - from, *watch->place, *watch->memory);
}

WEFT_EXPORT void __weft_check_use(const weft_place* place, const void* p, uint64_t bytes,
                                  uint32_t use, weft_watch* watch, weft_watch* other) {
  bool is_covered = false;
  for (weft_watch* each : {watch, other}) {
    if (each == nullptr || !each->covers(address(p), bytes)) continue;
    is_covered = true;
    if (use == WEFT_USE_STORES) each->note_store(address(p), bytes);
  }
  if (is_covered || watch == nullptr) return;
  const weft_watch& said = other == nullptr ? *watch : *other;
  report(said.is_indirect ? Report::kNotLedTo : Report::kOutside, *place, address(p), bytes,
         *said.place, said.said());
}

WEFT_EXPORT uint64_t __weft_check_hint(const void* p, uint32_t bytes) {
  if (__weft_spans_nodes != 0) return __weft_hint_load(p, bytes);
  // The system says whether it can be read.
  uint64_t value = 0;
  if (bytes > sizeof value) return 0;
  const iovec here{&value, bytes}, there{const_cast<void*>(p), bytes};
  const auto size = static_cast<ssize_t>(bytes);
  return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == size ? value : 0;
}

}  // extern "C"
