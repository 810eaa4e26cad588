// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "memory/existing_contents.hpp"
#include "memory/system_failure.hpp"

namespace weft {
namespace {

alignas(kPageBytes) constexpr std::byte kZeroPage[kPageBytes] = {};

Status check_spec(const SegmentSpec& spec) {
  if (spec.bytes == 0 || spec.bytes % kPageBytes != 0 || spec.address.value() % kPageBytes != 0) {
    return Failure{fmt::format("shared segment {} ({:#x}, {} bytes) is not made of whole pages",
                               spec.name, spec.address.value(), spec.bytes)};
  }
  if (spec.contents == SegmentSpec::Contents::kTakeOver && spec.address.value() == 0) {
    return Failure{fmt::format("shared segment {} is to be taken over from nowhere", spec.name)};
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Region>> Region::create(std::vector<SegmentSpec> specs) {
  std::unique_ptr<Region> region(new Region);
  for (const SegmentSpec& spec : specs) {
    if (const Status status = check_spec(spec); !status) return status.failure();
    region->bytes_ += spec.bytes;
  }
  if (const Status status = region->make_file(); !status) return status.failure();
  for (const SegmentSpec& spec : specs) {
    if (const Status status = region->map_segment(spec); !status) return status.failure();
  }
  return region;
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
  runtime_view_ = static_cast<std::byte*>(view);
  return {};
}

Status Region::map_segment(const SegmentSpec& spec) {
  const GlobalOffset offset =
      segments_.empty() ? GlobalOffset()
                        : GlobalOffset(segments_.back().offset.bytes() + segments_.back().bytes);
  const bool takes_over = spec.contents == SegmentSpec::Contents::kTakeOver;
  if (takes_over) {
    if (Status status = take_over(spec, offset); !status) return status;
  }
  int flags = MAP_SHARED | MAP_NORESERVE;
  if (takes_over) {
    flags |= MAP_FIXED;
  } else if (spec.address.value() != 0) {
    flags |= MAP_FIXED_NOREPLACE;
  }
  void* wanted = reinterpret_cast<void*>(spec.address.value());
  void* got = mmap(wanted, spec.bytes, PROT_READ | PROT_WRITE, flags, descriptor_,
                   static_cast<off_t>(offset.bytes()));
  if (got == MAP_FAILED) {
    if (takes_over) images_.pop_back();
    return system_failure(errno, fmt::format("cannot map shared segment {} at {:#x} ({} bytes)",
                                             spec.name, spec.address.value(), spec.bytes));
  }
  segments_.push_back(Segment{spec.name, ProgramAddress::of(got), spec.bytes, offset});
  runs_.push_back({{offset.page(), spec.bytes / kPageBytes}, ProgramAddress::of(got)});
  if (wanted != nullptr && got != wanted) {  // kernels before 4.17 ignore MAP_FIXED_NOREPLACE
    return Failure{
        fmt::format("shared segment {}'s address {:#x} is taken", spec.name, spec.address.value())};
  }
  return {};
}

Status Region::take_over(const SegmentSpec& spec, GlobalOffset offset) {
  Result<ReservedMemory> image = ReservedMemory::create(spec.bytes);
  if (!image.ok()) return Failure{image.error()};
  const auto* from = reinterpret_cast<const std::byte*>(spec.address.value());
  const ExistingContents existing(spec.address, spec.bytes);
  for (std::uint64_t at = 0; at < spec.bytes; at += kPageBytes) {
    if (!existing.may_differ_from_zero(at / kPageBytes)) continue;
    if (std::memcmp(from + at, kZeroPage, kPageBytes) == 0) continue;
    std::memcpy(image.value().begin() + at, from + at, kPageBytes);
    std::memcpy(runtime_view_ + offset.bytes() + at, from + at, kPageBytes);
  }
  images_.push_back(
      Image{PageRange{offset.page(), spec.bytes / kPageBytes}, std::move(image.value())});
  return {};
}

bool Region::is_taken_over(const Segment& segment) const {
  return std::any_of(images_.begin(), images_.end(), [&](const Image& image) {
    return image.pages.first == segment.offset.page();
  });
}

void Region::unmap_segment(const Segment& segment) {
  auto* begin = reinterpret_cast<std::byte*>(segment.address.value());
  if (!is_taken_over(segment)) {
    munmap(begin, segment.bytes);
    return;
  }
  mmap(begin, segment.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1,
       0);
  std::memcpy(begin, runtime_view_ + segment.offset.bytes(), segment.bytes);
}

Region::~Region() {
  for (const Segment& segment : segments_) unmap_segment(segment);
  if (runtime_view_ != nullptr) munmap(runtime_view_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

ProgramAddress Region::program_address(GlobalOffset offset) const {
  for (const Segment& segment : segments_) {
    const std::uint64_t distance = offset.bytes() - segment.offset.bytes();
    if (distance < segment.bytes) return ProgramAddress(segment.address.value() + distance);
  }
  WEFT_ASSERT(false, "offset {:#x} is outside the shared region", offset.bytes());
  return {};
}

const std::byte* Region::initial_contents(PageIndex page) const {
  for (const Image& image : images_) {
    if (image.pages.contains(page)) {
      return image.contents.begin() + (page.value() - image.pages.first.value()) * kPageBytes;
    }
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
