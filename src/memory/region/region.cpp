// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "memory/region/core_dumps.hpp"
#include "memory/region/existing_contents.hpp"
#include "memory/region/system_failure.hpp"

namespace weft {
namespace {

alignas(kPageBytes) constexpr std::byte kZeroPage[kPageBytes] = {};

// More than is ever read ahead.
constexpr std::uint64_t kBytesBetweenAttached = 1024 * kPageBytes;

Status check_spec(const SegmentSpec& spec) {
  if (spec.bytes == 0 || spec.bytes % kPageBytes != 0 || spec.address.value() % kPageBytes != 0) {
    return Failure{fmt::format("shared segment {} ({:#x}, {} bytes) is not made of whole pages",
                               spec.name, spec.address.value(), spec.bytes)};
  }
  if (spec.contents == SegmentSpec::Contents::kTakeOver && spec.address.value() == 0) {
    return Failure{fmt::format("shared segment {} is to be taken over from nowhere", spec.name)};
  }
  const bool is_in_pieces = spec.piece_bytes != 0 || spec.stride_bytes != 0;
  if (!is_in_pieces) return {};
  if (spec.contents == SegmentSpec::Contents::kTakeOver || spec.address.value() == 0 ||
      spec.piece_bytes == 0 || spec.piece_bytes % kPageBytes != 0 ||
      spec.stride_bytes % kPageBytes != 0 || spec.stride_bytes < spec.piece_bytes ||
      spec.bytes % spec.piece_bytes != 0) {
    return Failure{fmt::format("shared segment {} cannot be in pieces of {} bytes, {} apart",
                               spec.name, spec.piece_bytes, spec.stride_bytes)};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Region>> Region::create(const std::vector<SegmentSpec>& specs,
                                               std::uint64_t spare_bytes) {
  std::unique_ptr<Region> region(new Region);
  for (const SegmentSpec& spec : specs) {
    if (const Status status = check_spec(spec); !status) return status.failure();
    region->bytes_ += spec.bytes;
  }
  region->bytes_ += spare_bytes;
  region->segments_.reserve(specs.size() + kMostAttached);
  region->images_.reserve(specs.size() + kMostAttached);
  if (const Status status = region->make_file(); !status) return status.failure();
  for (const SegmentSpec& spec : specs) {
    const GlobalOffset offset = region->next_;
    region->next_ = GlobalOffset(offset.bytes() + spec.bytes);
    if (spec.stage > 0) {
      region->later_.push_back({spec, offset});
    } else if (Status status = region->map_segment(spec, offset); !status) {
      return status.failure();
    }
  }
  return region;
}

Result<Segment> Region::attach(const SegmentSpec& spec) {
  if (const Status status = check_spec(spec); !status) return status.failure();
  const GlobalOffset offset(next_.bytes() + kBytesBetweenAttached);
  if (segments_.size() == segments_.capacity() || offset.bytes() + spec.bytes > bytes_) {
    return Failure{fmt::format("there is no room for {} ({} bytes): {} libraries have been loaded",
                               spec.name, spec.bytes, segments_.size())};
  }
  next_ = GlobalOffset(offset.bytes() + spec.bytes);
  if (Status status = map_segment(spec, offset); !status) return status.failure();
  return segments_.back();
}

Result<std::vector<Segment>> Region::open_stage(unsigned stage) {
  std::vector<Segment> opened;
  const auto is_due = [stage](const Later& later) { return later.spec.stage <= stage; };
  for (const Later& later : later_) {
    if (!is_due(later)) continue;
    if (Status status = map_segment(later.spec, later.offset); !status) return status.failure();
    opened.push_back(segments_.back());
  }
  std::erase_if(later_, is_due);
  std::ranges::sort(runs_, {}, [](const Run& run) { return run.pages.first; });
  return opened;
}

Status Region::make_file() {
  descriptor_ = memfd_create("weft", MFD_CLOEXEC);
  if (descriptor_ < 0)
    return system_failure(errno, "cannot create the shared region's memory file");
  if (ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) {
    return system_failure(errno, fmt::format("cannot size the shared region to {} bytes", bytes_));
  }
  void* view =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor_, 0);
  if (view == MAP_FAILED) {
    return system_failure(
        errno, fmt::format("cannot map {} bytes of shared region (see `ulimit -v`)", bytes_));
  }
  hide_from_dumps(view, bytes_);
  runtime_view_ = static_cast<std::byte*>(view);
  return {};
}

Status Region::map_segment(const SegmentSpec& spec, GlobalOffset offset) {
  const bool takes_over = spec.contents == SegmentSpec::Contents::kTakeOver;
  ReservedMemory image;
  if (takes_over) {
    Result<ReservedMemory> taken = take_over(spec, offset);
    if (!taken) return Failure{taken.error()};
    image = std::move(taken.value());
  }
  const int place = takes_over ? MAP_FIXED : spec.address.value() != 0 ? MAP_FIXED_NOREPLACE : 0;
  Segment segment{.name = spec.name,
                  .address = spec.address,
                  .bytes = spec.bytes,
                  .offset = offset,
                  .piece_bytes = spec.piece_bytes,
                  .stride_bytes = spec.stride_bytes};
  const std::uint64_t piece_bytes = spec.piece_bytes == 0 ? spec.bytes : spec.piece_bytes;
  for (std::uint64_t at = 0; at < spec.bytes; at += piece_bytes) {
    const Run piece{{GlobalOffset(offset.bytes() + at).page(), piece_bytes / kPageBytes},
                    segment.address_at(at)};
    Result<ProgramAddress> got = map_piece(spec, piece, place);
    if (!got) return Failure{got.error()};
    if (at == 0) segment.address = got.value();
  }
  segments_.push_back(std::move(segment));
  images_.push_back(std::move(image));
  segment_count_.store(segments_.size(), std::memory_order_release);
  return {};
}

Result<ProgramAddress> Region::map_piece(const SegmentSpec& spec, Run piece, int place) {
  const std::uint64_t bytes = piece.pages.count * kPageBytes;
  void* wanted = reinterpret_cast<void*>(piece.address.value());
  void* got = mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | place,
                   descriptor_, static_cast<off_t>(piece.pages.first.value() * kPageBytes));
  if (got == MAP_FAILED) {
    return system_failure(errno, fmt::format("cannot map shared segment {} at {:#x} ({} bytes)",
                                             spec.name, piece.address.value(), bytes));
  }
  if (wanted != nullptr && got != wanted) {  // kernels before 4.17 ignore MAP_FIXED_NOREPLACE
    munmap(got, bytes);
    return Failure{fmt::format("shared segment {}'s address {:#x} is taken", spec.name,
                               piece.address.value())};
  }
  hide_from_dumps(got, bytes);
  runs_.push_back({piece.pages, ProgramAddress::of(got)});
  return ProgramAddress::of(got);
}

Result<ReservedMemory> Region::take_over(const SegmentSpec& spec, GlobalOffset offset) {
  Result<ReservedMemory> image = ReservedMemory::create(spec.bytes);
  if (!image) return image;
  const auto* from = reinterpret_cast<const std::byte*>(spec.address.value());
  const ExistingContents existing(spec.address, spec.bytes);
  for (std::uint64_t at = 0; at < spec.bytes; at += kPageBytes) {
    if (!existing.may_differ_from_zero(at / kPageBytes)) continue;
    if (std::memcmp(from + at, kZeroPage, kPageBytes) == 0) continue;
    std::memcpy(image.value().begin() + at, from + at, kPageBytes);
    std::memcpy(runtime_view_ + offset.bytes() + at, from + at, kPageBytes);
  }
  return image;
}

void Region::unmap_segment(std::size_t number) {
  const Segment& segment = segments_[number];
  auto* begin = reinterpret_cast<std::byte*>(segment.address.value());
  if (images_[number].begin() == nullptr) {
    const std::uint64_t piece_bytes =
        segment.piece_bytes == 0 ? segment.bytes : segment.piece_bytes;
    for (std::uint64_t at = 0; at < segment.bytes; at += piece_bytes) {
      munmap(reinterpret_cast<void*>(segment.address_at(at).value()), piece_bytes);
    }
    return;
  }
  const void* const own = mmap(begin, segment.bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0);
  WEFT_ASSERT(own == begin, "mmap: {}", std::strerror(errno));
  std::memcpy(begin, runtime_view_ + segment.offset.bytes(), segment.bytes);
}

Region::~Region() {
  for (std::size_t i = 0; i < segments_.size(); ++i) unmap_segment(i);
  if (runtime_view_ != nullptr) munmap(runtime_view_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

ProgramAddress Region::program_address(GlobalOffset offset) const {
  for (const Segment& segment : segments()) {
    const std::uint64_t distance = offset.bytes() - segment.offset.bytes();
    if (distance < segment.bytes) return segment.address_at(distance);
  }
  WEFT_ASSERT(false, "offset {:#x} is outside the shared region", offset.bytes());
  return {};
}

const std::byte* Region::initial_contents(PageIndex page) const {
  const std::span<const Segment> all = segments();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::uint64_t distance = page.value() * kPageBytes - all[i].offset.bytes();
    if (distance >= all[i].bytes) continue;
    return images_[i].begin() == nullptr ? kZeroPage : images_[i].begin() + distance;
  }
  return kZeroPage;
}

Status Region::guard(PageRange pages) {
  Status result;
  for_each_piece(pages, [&](ProgramAddress begin, PageRange piece) {
    auto* address = reinterpret_cast<void*>(begin.value());
    if (result && mprotect(address, piece.count * kPageBytes, PROT_NONE) != 0) {
      result = system_failure(errno, "cannot guard shared pages");
    }
  });
  std::vector<Run> rest;
  for (const Run& run : runs_) {
    const PageIndex cut_first = std::clamp(pages.first, run.pages.first, run.pages.end());
    const PageIndex cut_end = std::clamp(pages.end(), run.pages.first, run.pages.end());
    const auto keep = [&](PageIndex first, PageIndex end) {
      if (first >= end) return;
      const std::uint64_t skipped = first.value() - run.pages.first.value();
      rest.push_back({{first, end.value() - first.value()},
                      ProgramAddress(run.address.value() + skipped * kPageBytes)});
    };
    keep(run.pages.first, cut_first);
    keep(cut_end, run.pages.end());
  }
  runs_ = std::move(rest);
  return result;
}

Status Region::populate(PageRange pages) {
  while (fallocate(descriptor_, 0, static_cast<off_t>(pages.first.value() * kPageBytes),
                   static_cast<off_t>(pages.count * kPageBytes)) != 0) {
    if (errno == EINTR) continue;
    return system_failure(
        errno, fmt::format("no memory for {} more pages of the shared region, which has {} MiB on "
                           "this node",
                           pages.count, resident_bytes() >> 20));
  }
  return {};
}

Status Region::discard(PageRange pages) {
  if (fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(pages.first.value() * kPageBytes),
                static_cast<off_t>(pages.count * kPageBytes)) != 0) {
    return system_failure(errno, "cannot give memory of the shared region back");
  }
  return {};
}

std::uint64_t Region::resident_bytes() const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_blocks) * 512;
}

}  // namespace weft
