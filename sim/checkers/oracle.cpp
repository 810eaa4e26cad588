// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/oracle.hpp"

#include <algorithm>
#include <cstring>

#include "sim/checkers/failure.hpp"

namespace weft::sim {
namespace {

std::string hex(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

}  // namespace

void join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size());
  for (std::size_t thread = 0; thread < from.size(); ++thread) {
    into[thread] = std::max(into[thread], from[thread]);
  }
}

Oracle::Oracle(const Plan& plan, const InitialContents& initial)
    : plan_(plan),
      cells_(plan.cells.size()),
      clocks_(plan.thread_count(), Clock(plan.thread_count())) {
  for (std::size_t index = 0; index < cells_.size(); ++index) {
    const Cell& cell = plan.cells[index];
    const ByteView bytes =
        initial.of(cell.where.page()).subspan(cell.where.within_page(), cell.size);
    cells_[index].contents.assign(bytes.begin(), bytes.end());
  }
}

void Oracle::check_ordered(ThreadIndex thread, CellIndex cell, ThreadIndex other,
                           std::uint32_t step, const char* what) const {
  SIM_CHECK(clocks_[thread][other] >= step,
            "the generated program has a race: thread {} and cell {}, {} by thread {}", thread,
            cell, what, other);
}

void Oracle::check_all_ordered(ThreadIndex thread, CellIndex cell,
                               const std::map<ThreadIndex, std::uint32_t>& steps,
                               const char* what) const {
  for (const auto& [other, step] : steps) check_ordered(thread, cell, other, step, what);
}

void Oracle::check_read(ThreadIndex thread, CellIndex index, ByteView seen) {
  CellState& cell = cells_[index];
  check_ordered(thread, index, cell.writer, cell.written_at, "written");
  check_all_ordered(thread, index, cell.atomics, "atomically accessed");
  cell.reads[thread] = tick(thread);
  SIM_CHECK(std::ranges::equal(seen, cell.contents),
            "thread {} read {} in cell {} (page {}, byte {}), last written is {} by thread {}",
            thread, hex(seen), index, plan_.cells[index].where.page().value(),
            plan_.cells[index].where.within_page(), hex(cell.contents), cell.writer);
}

void Oracle::note_write(ThreadIndex thread, CellIndex index, ByteView bytes) {
  CellState& cell = cells_[index];
  check_ordered(thread, index, cell.writer, cell.written_at, "written");
  check_all_ordered(thread, index, cell.reads, "read");
  check_all_ordered(thread, index, cell.atomics, "atomically written");
  check_all_ordered(thread, index, cell.atomic_loads, "atomically read");
  cell.reads.clear();
  cell.atomics.clear();
  cell.atomic_loads.clear();
  cell.writer = thread;
  cell.written_at = tick(thread);
  cell.contents.assign(bytes.begin(), bytes.end());
}

void Oracle::note_atomic(ThreadIndex thread, CellIndex index, bool may_write) {
  CellState& cell = cells_[index];
  check_ordered(thread, index, cell.writer, cell.written_at, "written");
  if (!may_write) {
    cell.atomic_loads[thread] = tick(thread);
    return;
  }
  check_all_ordered(thread, index, cell.reads, "read");
  cell.atomics[thread] = tick(thread);
}

std::uint64_t Oracle::value(CellIndex cell) const {
  std::uint64_t value = 0;
  std::memcpy(&value, cells_[cell].contents.data(), cells_[cell].contents.size());
  return value;
}

void Oracle::set_contents(CellIndex cell, ByteView bytes) {
  cells_[cell].contents.assign(bytes.begin(), bytes.end());
}

void Oracle::set_value(CellIndex cell, std::uint64_t value) {
  std::memcpy(cells_[cell].contents.data(), &value, cells_[cell].contents.size());
}

Clock Oracle::release(ThreadIndex thread) {
  Clock clock = clocks_[thread];
  tick(thread);
  return clock;
}

}  // namespace weft::sim
