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

// Copies a run. Most are shorter than a word, where a call of memcpy would cost more than it
// copies. Writes nothing behind the run: other threads may be writing there.
void copy_run(std::byte* to, const std::byte* from, std::size_t length) {
  if (length > 16) {
    std::memcpy(to, from, length);
  } else if (length >= 8) {  // twice half of it, which may overlap
    std::memcpy(to, from, 8);
    std::memcpy(to + length - 8, from + length - 8, 8);
  } else if (length >= 4) {
    std::memcpy(to, from, 4);
    std::memcpy(to + length - 4, from + length - 4, 4);
  } else if (length >= 2) {
    std::memcpy(to, from, 2);
    std::memcpy(to + length - 2, from + length - 2, 2);
  } else {
    *to = *from;
  }
}

// Room for either form of any diff: at most half of the page's bytes begin a run, with four bytes
// ahead of each; or all the masks and all the bytes.
constexpr std::size_t kLongestDiff = 3 * kPageBytes + 64;

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
  [[nodiscard]] Bytes finish() const {
    return Bytes(static_cast<const std::byte*>(buffer_), static_cast<const std::byte*>(at_));
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

Bytes write_runs(const DifferenceMasks& masks, const std::byte* contents) {
  DiffWriter out;
  out.u8(static_cast<std::uint8_t>(Form::kRuns));
  std::size_t last_end = 0;
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    out.varint(begin - last_end);
    out.varint(end - begin);
    out.run(contents + begin, end - begin);
    last_end = end;
  });
  return out.finish();
}

Bytes write_masks(const DifferenceMasks& masks, const std::byte* contents) {
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
  for_each_run(masks,
               [&](std::size_t begin, std::size_t end) { out.run(contents + begin, end - begin); });
  return out.finish();
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
  std::size_t count = 0;
  for (std::size_t m = 0; m < kMasksPerPage; ++m) {
    if ((blocks >> m & 1) == 0) continue;
    masks[m] = in.u64();
    if (masks[m] == 0) return false;
    count += static_cast<std::size_t>(std::popcount(masks[m]));
  }
  if (!in.good() || in.remaining() != count) return false;
  const std::byte* from = in.raw(count).data();
  for_each_run(masks, [&](std::size_t begin, std::size_t end) {
    visit(begin, ByteView(from, end - begin));
    from += end - begin;
  });
  return true;
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

bool is_diff(ByteView diff) {
  return read_diff(diff, [](std::size_t, ByteView) {});
}

}  // namespace

Bytes encode_diff(const std::byte* base, const std::byte* contents) {
  DifferenceMasks masks;
  find_differences()(base, contents, masks);
  std::uint64_t any = 0;
  for (const std::uint64_t mask : masks) any |= mask;
  if (any == 0) return {};
  return masks_are_shorter(masks) ? write_masks(masks, contents) : write_runs(masks, contents);
}

bool apply_diff(ByteView diff, std::byte* page) {
  if (!is_diff(diff)) return false;
  return read_diff(diff, [page](std::size_t at, ByteView bytes) {
    copy_run(page + at, bytes.data(), bytes.size());
  });
}

std::size_t changed_bytes(ByteView diff) {
  std::size_t count = 0;
  const bool good = read_diff(diff, [&](std::size_t, ByteView bytes) { count += bytes.size(); });
  return good ? count : 0;
}

}  // namespace weft
