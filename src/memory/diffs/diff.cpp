// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diffs/diff.hpp"

#include <bit>
#include <cstring>
#include <iterator>
#include <optional>

#include "memory/diffs/diff_masks.hpp"
#include "memory/diffs/diff_pack.hpp"

namespace weft {
namespace {

enum class Form : std::uint8_t { kRuns = 1, kMasks = 2 };

// Room for either form of any diff: at most half of the page's bytes begin a run, with four bytes
// ahead of each; or all the masks and all the bytes.
constexpr std::size_t kLongestDiff = 3 * kPageBytes + 64 + kPackSlack;

class DiffWriter {
 public:
  void u8(std::uint8_t value) { *at_++ = static_cast<std::byte>(value); }
  void u64(std::uint64_t value) {
    std::memcpy(at_, &value, sizeof value);
    at_ += sizeof value;
  }
  void varint(std::size_t value) {
    for (; value >= 0x80; value >>= 7) u8(static_cast<std::uint8_t>(value | 0x80));
    u8(static_cast<std::uint8_t>(value));
  }
  void run(const std::byte* from, std::size_t length) {
    copy_run(at_, from, length);
    at_ += length;
  }
  void packed(const std::byte* page, const DifferenceMasks& masks) {
    at_ = masked_copies().pack(page, masks, at_);
  }
  void append_to(Bytes& out) const {
    out.insert(out.end(), static_cast<const std::byte*>(buffer_),
               static_cast<const std::byte*>(at_));
  }

 private:
  std::byte buffer_[kLongestDiff];
  std::byte* at_ = buffer_;
};

// True if the masks form is the shorter one, give or take the second bytes of long lengths.
bool masks_are_shorter(const DifferenceMasks& masks) {
  std::size_t runs = 0;
  std::size_t blocks = 0;
  std::uint64_t last_bit = 0;
  for (const std::uint64_t mask : masks) {
    if (mask != 0) {
      runs += static_cast<std::size_t>(std::popcount(mask & ~(mask << 1 | last_bit)));
      ++blocks;
    }
    last_bit = mask >> 63;
  }
  return sizeof(std::uint64_t) * (blocks + 1) < 2 * runs;
}

void write_runs(const DifferenceMasks& masks, const std::byte* contents, Bytes& diffs) {
  DiffWriter out;
  out.u8(static_cast<std::uint8_t>(Form::kRuns));
  std::size_t last_end = 0;
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    out.varint(begin - last_end);
    out.varint(end - begin);
    out.run(contents + begin, end - begin);
    last_end = end;
  });
  out.append_to(diffs);
}

void write_masks(const DifferenceMasks& masks, const std::byte* contents, Bytes& diffs) {
  DiffWriter out;
  out.u8(static_cast<std::uint8_t>(Form::kMasks));
  std::uint64_t blocks = 0;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if (masks[m] != 0) blocks |= std::uint64_t{1} << m;
  }
  out.u64(blocks);
  for (const std::uint64_t mask : masks) {
    if (mask != 0) out.u64(mask);
  }
  out.packed(contents, masks);
  out.append_to(diffs);
}

// Calls visit(begin, bytes) for what is surely inside the page, and returns whether the whole diff
// was well-formed.
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

// The bytes that the masks name; nothing if it is not a diff.
std::optional<ByteView> read_masks(ByteReader& in, DifferenceMasks& masks) {
  const std::uint64_t blocks = in.u64();
  std::size_t count = 0;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    masks[m] = 0;
    if ((blocks >> m & 1) == 0) continue;
    masks[m] = in.u64();
    if (masks[m] == 0) return std::nullopt;
    count += static_cast<std::size_t>(std::popcount(masks[m]));
  }
  if (!in.good() || in.remaining() != count) return std::nullopt;
  return in.raw(count);
}

bool apply_runs(ByteView runs, std::byte* page) {
  ByteReader in(runs);
  if (!read_runs(in, [](std::size_t, ByteView) {})) return false;  // nothing is to be written then
  in = ByteReader(runs);
  return read_runs(in, [page](std::size_t at, ByteView bytes) {
    copy_run(page + at, bytes.data(), bytes.size());
  });
}

bool apply_masks(ByteView rest, std::byte* page) {
  ByteReader in(rest);
  DifferenceMasks masks;
  const std::optional<ByteView> bytes = read_masks(in, masks);
  if (bytes) masked_copies().unpack(bytes->data(), masks, page);
  return bytes.has_value();
}

}  // namespace

bool append_diff(const std::byte* twin, const std::byte* contents, Bytes& out) {
  DifferenceMasks masks;
  find_differences()(twin, contents, masks);
  std::uint64_t any = 0;
  for (const std::uint64_t mask : masks) any |= mask;
  if (any == 0) return false;
  if (masks_are_shorter(masks)) {
    write_masks(masks, contents, out);
  } else {
    write_runs(masks, contents, out);
  }
  return true;
}

void append_whole(const std::byte* contents, Bytes& out) {
  constexpr std::byte kHead[] = {std::byte{static_cast<std::uint8_t>(Form::kRuns)}, std::byte{0},
                                 std::byte{(kPageBytes & 0x7f) | 0x80}, std::byte{kPageBytes >> 7}};
  static_assert(kPageBytes >> 7 < 0x80, "the length takes two bytes");
  out.insert(out.end(), std::begin(kHead), std::end(kHead));
  out.insert(out.end(), contents, contents + kPageBytes);
}

Bytes encode_diff(const std::byte* twin, const std::byte* contents) {
  Bytes diff;
  (void)append_diff(twin, contents, diff);
  return diff;
}

bool apply_diff(ByteView diff, std::byte* page) {
  if (diff.empty()) return true;
  switch (static_cast<Form>(diff.front())) {
    case Form::kRuns:
      return apply_runs(diff.subspan(1), page);
    case Form::kMasks:
      return apply_masks(diff.subspan(1), page);
  }
  return false;
}

std::size_t changed_bytes(ByteView diff) {
  if (diff.empty()) return 0;
  ByteReader in(diff.subspan(1));
  std::size_t count = 0;
  switch (static_cast<Form>(diff.front())) {
    case Form::kRuns:
      return read_runs(in, [&](std::size_t, ByteView bytes) { count += bytes.size(); }) ? count : 0;
    case Form::kMasks: {
      DifferenceMasks masks;
      return read_masks(in, masks).value_or(ByteView()).size();
    }
  }
  return 0;
}

}  // namespace weft
