// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared region of one node: segments (the program's data, the heap, the stacks) laid out one
// after another in GlobalOffset space, all in one memfd that is mapped twice. At the end there may
// be spare offsets, for the data of libraries that the program loads later.
//
//   GlobalOffset     0 ........ a ................... b ......... c ....... page_count
//   memfd            [ data     | heap                | stacks    | spare  ]
//   program views    at the segments' fixed addresses, the same on every node; access is watched
//   runtime view     anywhere, contiguous, always readable and writable
//
// A segment may be in pieces with other memory between them: of each thread's own stack, the part
// with the program's thread-local variables.
//
// The memfd is sparse: a page that nobody touched takes no memory, and a region of 64 GiB is set up
// in microseconds. Rejected: System V shared memory and /dev/shm files (they outlive a killed job,
// and userfaultfd's minor faults would need the same double mapping anyway); one memfd for each
// segment (a page's runtime address would need a table).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/addresses.hpp"
#include "base/bytes.hpp"
#include "base/page_range.hpp"
#include "base/result.hpp"
#include "memory/region/reserved_memory.hpp"

namespace weft {

struct SegmentSpec {
  enum class Contents : std::uint8_t {
    kZero,      // nothing may be mapped there yet
    kTakeOver,  // what is mapped there now, which the region replaces
  };
  std::string name;         // for messages
  ProgramAddress address;   // whole pages; 0 (kZero alone) lets the kernel choose
  std::uint64_t bytes = 0;  // of all pieces
  Contents contents = Contents::kZero;
  // Not 0 (kZero alone): the segment is in pieces of so many bytes, whose addresses are so far
  // apart. What lies between them is not the region's.
  std::uint64_t piece_bytes = 0, stride_bytes = 0;
  // Not 0 (kZero alone): it has its offsets, but is not there before this stage is opened.
  unsigned stage = 0;
};

struct Segment {
  std::string name;
  ProgramAddress address;
  std::uint64_t bytes = 0;
  GlobalOffset offset;
  std::uint64_t piece_bytes = 0, stride_bytes = 0;  // 0: it is in one piece

  // How far from the segment's begin an address of it is, in offsets.
  [[nodiscard]] std::optional<std::uint64_t> position_of(ProgramAddress wanted) const {
    const std::uint64_t distance = wanted.value() - address.value();
    if (piece_bytes == 0) return distance < bytes ? std::optional(distance) : std::nullopt;
    const std::uint64_t piece = distance / stride_bytes, within = distance % stride_bytes;
    if (piece >= bytes / piece_bytes || within >= piece_bytes) return std::nullopt;
    return piece * piece_bytes + within;
  }
  [[nodiscard]] ProgramAddress address_at(std::uint64_t position) const {
    if (piece_bytes == 0) return ProgramAddress(address.value() + position);
    return ProgramAddress(address.value() + position / piece_bytes * stride_bytes +
                          position % piece_bytes);
  }
};

class Region {
 public:
  // Maps everything, with access for all. No other thread may touch a segment that is taken over.
  [[nodiscard]] static Result<std::unique_ptr<Region>> create(const std::vector<SegmentSpec>& specs,
                                                              std::uint64_t spare_bytes = 0);
  // Unmaps. Taken-over segments stay mapped, as private memory with their last contents.
  ~Region();
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

  // Of the file with all contents, page n at n * kPageBytes. It stays the region's.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::uint64_t page_count() const { return bytes_ / kPageBytes; }
  [[nodiscard]] std::span<const Segment> segments() const {
    return {segments_.data(), segment_count_.load(std::memory_order_acquire)};
  }

  // --- translation; callable from a signal handler ---
  [[nodiscard]] bool contains(ProgramAddress address) const {
    return offset_of(address).has_value();
  }
  [[nodiscard]] std::optional<GlobalOffset> offset_of(ProgramAddress address) const {
    for (const Segment& segment : segments()) {
      const std::optional<std::uint64_t> position = segment.position_of(address);
      if (position) return GlobalOffset(segment.offset.bytes() + *position);
    }
    return std::nullopt;
  }
  // Offsets are below page_count() * kPageBytes.
  [[nodiscard]] RuntimeAddress runtime_address(GlobalOffset offset) const {
    return RuntimeAddress(runtime_view_ + offset.bytes());
  }
  [[nodiscard]] ProgramAddress program_address(GlobalOffset offset) const;

  // Calls visit(program address, piece) for each part of `pages` that is contiguous for the program
  // and not guarded.
  template <typename Visit>
  void for_each_piece(PageRange pages, Visit visit) const {
    auto run = std::upper_bound(
        runs_.begin(), runs_.end(), pages.first,
        [](PageIndex page, const Run& candidate) { return page < candidate.pages.end(); });
    for (; run != runs_.end() && run->pages.first < pages.end(); ++run) {
      const PageIndex first = std::max(pages.first, run->pages.first);
      const PageIndex end = std::min(pages.end(), run->pages.end());
      if (first >= end) continue;
      const std::uint64_t skipped = first.value() - run->pages.first.value();
      visit(ProgramAddress(run->address.value() + skipped * kPageBytes),
            PageRange{first, end.value() - first.value()});
    }
  }

  // The program may never touch these pages, and nobody will give it access: what lies below a
  // stack. A touch is a SIGSEGV with every back end. They keep their place among the offsets.
  Status guard(PageRange pages);

  // One more segment, taken over as at creation, whose pages are the next spare ones: equal calls
  // in equal order give equal offsets on all nodes. Between two of them some pages are left out, so
  // that who reads ahead of the one does not come to the other. At most kMostAttached segments.
  [[nodiscard]] Result<Segment> attach(const SegmentSpec& spec);
  static constexpr std::size_t kMostAttached = 512;

  // Makes the segments of all stages up to this one; returns those that were not there yet.
  [[nodiscard]] Result<std::vector<Segment>> open_stage(unsigned stage);

  // --- contents ---
  [[nodiscard]] std::byte* page_pointer(PageIndex page) const {
    return runtime_view_ + page.value() * kPageBytes;
  }
  // What the page held when the region was made, or its segment was attached.
  [[nodiscard]] const std::byte* initial_contents(PageIndex page) const;
  // Gives pages memory (zero where they had none), so that touching them cannot fail.
  [[nodiscard]] Status populate(PageRange pages);
  // Gives the pages' memory back; they read as zero. They must be absent for the program.
  [[nodiscard]] Status discard(PageRange pages);
  // In the child of a fork: puts private memory with the present contents in the region's place.
  // There is no runtime view any more.
  [[nodiscard]] Status become_private();
  // Memory that the region's pages take on this node.
  [[nodiscard]] std::uint64_t resident_bytes() const;

 private:
  struct Run {  // pages side by side for the program, without guards
    PageRange pages;
    ProgramAddress address;
  };

  Region() = default;
  Status make_file();
  Status map_segment(const SegmentSpec& spec, GlobalOffset offset);
  Result<ProgramAddress> map_piece(const SegmentSpec& spec, Run piece, int place);
  Result<ReservedMemory> take_over(const SegmentSpec& spec, GlobalOffset offset);
  void unmap_segment(std::size_t number);
  Status make_private(const Run& run);

  // Grow, but never move: a signal handler may look while a segment is attached.
  std::vector<Segment> segments_;
  std::vector<ReservedMemory> images_;  // their initial contents; none where they were zero
  std::atomic<std::size_t> segment_count_{0};
  std::vector<Run> runs_;  // ascending
  GlobalOffset next_;      // the first offset that no segment has
  struct Later {
    SegmentSpec spec;
    GlobalOffset offset;
  };
  std::vector<Later> later_;
  std::byte* runtime_view_ = nullptr;
  std::uint64_t bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace weft
