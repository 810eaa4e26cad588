// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What finding, encoding and applying a diff costs a page, beside copying the page.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/numbers/random.hpp"
#include "memory/diffs/diff.hpp"
#include "memory/diffs/diff_masks.hpp"
#include "memory/diffs/diff_pack.hpp"

namespace weft {
namespace {

constexpr std::size_t kPages = 64;  // 2 x 256 KiB: from the second-level cache, as after a copy

struct Pages {
  Bytes twin = Bytes(kPages * kPageBytes);
  Bytes contents;

  // `kind`: 0 equal, 1 one word a page, 2 the low half of every double, 3 everything, 4 the low
  // half of every int, 5 all of a double but its highest byte or two, and some by chance not.
  explicit Pages(long kind) {
    Random random(5);
    for (std::byte& byte : twin) byte = static_cast<std::byte>(random.next());
    contents = twin;
    std::size_t low = 0;
    for (std::size_t at = 0; at < contents.size(); ++at) {
      if (at % 8 == 0) low = 6 + random.below(2);
      const bool change = kind == 3 || (kind == 2 && at % 8 < 4) || (kind == 4 && at % 4 < 2) ||
                          (kind == 5 && at % 8 < low && random.below(256) != 0) ||
                          (kind == 1 && at % kPageBytes >= 1024 && at % kPageBytes < 1032);
      if (change) contents[at] ^= std::byte{0x55};
    }
  }
};

void set_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<long>(state.iterations() * kPages * kPageBytes));
}

void bench_copy(benchmark::State& state) {
  Pages pages(3);
  for (auto _ : state) {
    for (std::size_t p = 0; p < kPages; ++p) {
      std::memcpy(pages.twin.data() + p * kPageBytes, pages.contents.data() + p * kPageBytes,
                  kPageBytes);
    }
    benchmark::ClobberMemory();
  }
  set_bytes(state);
}
BENCHMARK(bench_copy)->Name("memcpy");

void bench_find(benchmark::State& state, FindDifferences find) {
  const Pages pages(1);
  DifferenceMasks masks;
  for (auto _ : state) {
    for (std::size_t p = 0; p < kPages; ++p) {
      find(pages.twin.data() + p * kPageBytes, pages.contents.data() + p * kPageBytes, masks);
      benchmark::DoNotOptimize(masks);
    }
  }
  set_bytes(state);
}

// Of every int the low half: runs of two bytes.
void bench_gather(benchmark::State& state, const MaskedCopies& way, bool scatter) {
  Pages pages(4);
  DifferenceMasks masks;
  find_differences_plain(pages.twin.data(), pages.contents.data(), masks);
  Bytes packed(kPageBytes + kPackSlack);
  for (auto _ : state) {
    for (std::size_t p = 0; p < kPages; ++p) {
      std::byte* const page = pages.contents.data() + p * kPageBytes;
      if (scatter) {
        way.unpack(packed.data(), masks, page);
      } else {
        benchmark::DoNotOptimize(way.pack(page, masks, packed.data()));
      }
      benchmark::ClobberMemory();
    }
  }
  set_bytes(state);
}

constexpr const char* kKinds[] = {"equal", "one-word",     "half-of-doubles",
                                  "all",   "half-of-ints", "near-doubles"};

void bench_encode(benchmark::State& state) {
  const Pages pages(state.range(0));
  state.SetLabel(kKinds[state.range(0)]);
  std::size_t encoded = 0;
  for (auto _ : state) {
    encoded = 0;
    for (std::size_t p = 0; p < kPages; ++p) {
      encoded +=
          encode_diff(pages.twin.data() + p * kPageBytes, pages.contents.data() + p * kPageBytes)
              .size();
    }
  }
  state.counters["bytes/page"] = static_cast<double>(encoded) / kPages;
  set_bytes(state);
}
BENCHMARK(bench_encode)->Name("encode")->DenseRange(0, 5);

void bench_apply(benchmark::State& state) {
  Pages pages(state.range(0));
  state.SetLabel(kKinds[state.range(0)]);
  std::vector<Bytes> diffs;
  for (std::size_t p = 0; p < kPages; ++p) {
    diffs.push_back(
        encode_diff(pages.twin.data() + p * kPageBytes, pages.contents.data() + p * kPageBytes));
  }
  for (auto _ : state) {
    for (std::size_t p = 0; p < kPages; ++p) {
      benchmark::DoNotOptimize(apply_diff(diffs[p], pages.twin.data() + p * kPageBytes));
    }
  }
  set_bytes(state);
}
BENCHMARK(bench_apply)->Name("apply")->DenseRange(1, 5);

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  for (const weft::NamedFindDifferences& each : weft::available_find_differences()) {
    if (each.function == nullptr) continue;
    benchmark::RegisterBenchmark(
        (std::string("find/") + each.name).c_str(),
        [function = each.function](benchmark::State& state) { weft::bench_find(state, function); });
  }
  for (const weft::MaskedCopies& way : weft::available_masked_copies()) {
    if (way.name == nullptr) break;
    for (const bool scatter : {false, true}) {
      benchmark::RegisterBenchmark(
          (std::string(scatter ? "scatter/" : "gather/") + way.name).c_str(),
          [way, scatter](benchmark::State& state) { weft::bench_gather(state, way, scatter); });
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
