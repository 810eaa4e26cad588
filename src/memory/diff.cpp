// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diff.hpp"

#include <bit>
#include <cstring>

#include "memory/diff_masks.hpp"

namespace weft {
namespace {

enum class Form : std::uint8_t { kRuns = 1, kMasks = 2 };

// Calls visit(begin, end) for each run of set bits, runs joined across masks.
template <typename Visit>
void for_each_run(const DifferenceMasks& masks, Visit visit) {
  std::size_t run_begin = 0;
  bool in_run = false;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    // Bits below `bit` are done. A run ends where the complement has its next bit, and vice versa.
    std::size_t bit = 0;
    while (bit < kMaskBytes) {
      const std::uint64_t wanted = (in_run ? ~masks[m] : masks[m]) >> bit;
      if (wanted == 0) break;
      bit += static_cast<std::size_t>(std::countr_zero(wanted));
      const std::size_t at = m * kMaskBytes + bit;
      if (in_run) {
        visit(run_begin, at);
      } else {
        run_begin = at;
      }
      in_run = !in_run;
    }
  }
  if (in_run) visit(run_begin, kPageBytes);
}

std::size_t varint_bytes(std::size_t value) { return value < 0x80 ? 1 : 2; }  // up to kPageBytes

struct Sizes {
  std::size_t runs = 1;
  std::size_t masks = 1 + sizeof(std::uint64_t);
};

Sizes measure(const DifferenceMasks& masks) {
  Sizes sizes;
  std::size_t last_end = 0;
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    sizes.runs += varint_bytes(begin - last_end) + varint_bytes(end - begin) + (end - begin);
    sizes.masks += end - begin;
    last_end = end;
  });
  for (const std::uint64_t mask : masks) sizes.masks += mask != 0 ? sizeof mask : 0;
  return sizes;
}

void write_runs(const DifferenceMasks& masks, const std::byte* contents, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(Form::kRuns));
  std::size_t last_end = 0;
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    out.varint(begin - last_end);
    out.varint(end - begin);
    out.raw({contents + begin, end - begin});
    last_end = end;
  });
}

void write_masks(const DifferenceMasks& masks, const std::byte* contents, ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(Form::kMasks));
  std::uint64_t blocks = 0;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] != 0) blocks |= std::uint64_t{1} << m;
  }
  out.u64(blocks);
  for (const std::uint64_t mask : masks) {
    if (mask != 0) out.u64(mask);
  }
  for_each_run(
      masks, [&](std::size_t begin, std::size_t end) { out.raw({contents + begin, end - begin}); });
}

// Both decoders call visit(begin, bytes) for what is surely inside the page, and return whether the
// whole diff was well-formed.
template <typename Visit>
bool read_runs(ByteReader& in, Visit visit) {
  std::size_t at = 0;
  while (in.remaining() > 0) {
    const std::uint64_t gap = in.varint();
    const std::uint64_t length = in.varint();
    if (gap > kPageBytes - at || length == 0 || length > kPageBytes - at - gap) return false;
    const ByteView bytes = in.raw(length);
    if (!in.good()) return false;
    visit(at + gap, bytes);
    at += gap + length;
  }
  return in.finished();
}

template <typename Visit>
bool read_masks(ByteReader& in, Visit visit) {
  DifferenceMasks masks = {};
  const std::uint64_t blocks = in.u64();
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if ((blocks >> m & 1) == 0) continue;
    masks[m] = in.u64();
    if (masks[m] == 0) return false;
  }
  if (!in.good()) return false;
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    const ByteView bytes = in.raw(end - begin);
    if (in.good()) visit(begin, bytes);
  });
  return in.finished();
}

template <typename Visit>
bool read_diff(ByteView diff, Visit visit) {
  if (diff.empty()) return true;
  ByteReader in(diff);
  switch (static_cast<Form>(in.u8())) {
    case Form::kRuns:
      return read_runs(in, visit);
    case Form::kMasks:
      return read_masks(in, visit);
  }
  return false;
}

}  // namespace

Bytes encode_diff(const std::byte* base, const std::byte* contents) {
  DifferenceMasks masks;
  find_differences()(base, contents, masks);
  std::uint64_t any = 0;
  for (const std::uint64_t mask : masks) any |= mask;
  if (any == 0) return {};
  const Sizes sizes = measure(masks);
  Bytes diff;
  ByteWriter out(diff);
  if (sizes.runs <= sizes.masks) {
    diff.reserve(sizes.runs);
    write_runs(masks, contents, out);
  } else {
    diff.reserve(sizes.masks);
    write_masks(masks, contents, out);
  }
  return diff;
}

bool apply_diff(ByteView diff, std::byte* page) {
  if (!read_diff(diff, [](std::size_t, ByteView) {})) return false;
  return read_diff(diff, [page](std::size_t at, ByteView bytes) {
    std::memcpy(page + at, bytes.data(), bytes.size());
  });
}

std::size_t changed_bytes(ByteView diff) {
  std::size_t count = 0;
  const bool good = read_diff(diff, [&](std::size_t, ByteView bytes) { count += bytes.size(); });
  return good ? count : 0;
}

}  // namespace weft
