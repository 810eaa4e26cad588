// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace weft::sim::explore {
namespace {

constexpr std::size_t kGranule = 16;
constexpr std::size_t kBytes = std::size_t{16} << 20;
constexpr std::size_t kGranules = kBytes / kGranule;
constexpr std::size_t kBitsAWord = 64;
// Free blocks of up to so many granules are kept by their exact size.
constexpr std::size_t kExactSizes = 600;

// Stands before each block, and keeps the end of one apart from the beginning of the next.
struct alignas(kGranule) Header {
  std::size_t bytes;  // of the block, a multiple of kGranule
  Header* next_free;
};

struct Books {
  std::byte* top;
  Header* free[kExactSizes + 1];  // the last one: of all that are larger
};

struct Blocks {
  std::byte* begin = nullptr;  // Books, then blocks
  std::uint64_t
      starts[kGranules / kBitsAWord];  // a bit for each granule at which a live block begins
  std::uint64_t numbers[kGranules];    // of blocks: walk << 32 | number
  std::uint64_t walk = 0;

  [[nodiscard]] Books& books() const { return *reinterpret_cast<Books*>(begin); }
  [[nodiscard]] bool contains(const void* place) const {
    const auto* at = static_cast<const std::byte*>(place);
    return begin && at >= begin && at < begin + kBytes;
  }
  [[nodiscard]] std::size_t granule(const void* place) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(place) - begin) / kGranule;
  }
};

Blocks region;
thread_local bool in_use = false;

[[noreturn]] void give_up(const char* sentence) {
  std::fprintf(stderr, "weft-check: %s\n", sentence);
  std::abort();
}

Header*& free_list(std::size_t bytes) {
  return region.books().free[std::min(bytes / kGranule, kExactSizes)];
}

bool is_aligned(const void* block, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(block) % alignment == 0;
}

Header* take_free(std::size_t bytes, std::size_t alignment) {
  Header** place = &free_list(bytes);
  while (*place && ((*place)->bytes != bytes || !is_aligned(*place + 1, alignment))) {
    place = &(*place)->next_free;
  }
  Header* const found = *place;
  if (found) *place = found->next_free;
  return found;
}

Header* take_new(std::size_t bytes, std::size_t alignment) {
  Books& books = region.books();
  while (!is_aligned(books.top + sizeof(Header), alignment)) books.top += kGranule;
  if (books.top + sizeof(Header) + bytes > region.begin + kBytes) {
    give_up("the world does not fit into its arena: use fewer pages, or raise kBytes in arena.cpp");
  }
  auto* header = reinterpret_cast<Header*>(books.top);
  books.top += sizeof(Header) + bytes;
  header->bytes = bytes;
  return header;
}

void mark_start(const void* block, bool is_live) {
  const std::size_t granule = region.granule(block);
  const std::uint64_t bit = std::uint64_t{1} << granule % kBitsAWord;
  std::uint64_t& word = region.starts[granule / kBitsAWord];
  word = is_live ? word | bit : word & ~bit;
}

void* allocate(std::size_t wanted, std::size_t alignment) {
  const std::size_t bytes = std::max((wanted + kGranule - 1) / kGranule * kGranule, kGranule);
  Header* header = take_free(bytes, alignment);
  if (!header) header = take_new(bytes, alignment);
  header->next_free = nullptr;
  std::memset(header + 1, 0, bytes);
  mark_start(header + 1, true);
  return header + 1;
}

void release(void* block) {
  Header* header = static_cast<Header*>(block) - 1;
  mark_start(block, false);
  Header*& list = free_list(header->bytes);
  header->next_free = list;
  list = header;
}

// The live block in which this is; null if there is none.
Header* block_of(const std::byte* place) {
  const std::size_t granule = region.granule(place);
  std::size_t word = granule / kBitsAWord;
  const std::uint64_t below = ~std::uint64_t{0} >> (kBitsAWord - 1 - granule % kBitsAWord);
  std::uint64_t bits = region.starts[word] & below;
  while (bits == 0) {
    if (word == 0) return nullptr;
    bits = region.starts[--word];
  }
  const std::size_t start =
      word * kBitsAWord + kBitsAWord - 1 - static_cast<std::size_t>(std::countl_zero(bits));
  auto* header = reinterpret_cast<Header*>(region.begin + start * kGranule) - 1;
  // One byte beyond the end is still "at the end of" this block.
  const auto* end = reinterpret_cast<std::byte*>(header + 1) + header->bytes;
  return place <= end ? header : nullptr;
}

bool is_in(const Header* block, const std::byte* place) {
  const auto* begin = reinterpret_cast<const std::byte*>(block + 1);
  return place >= begin && place <= begin + block->bytes;
}

class Walk {
 public:
  std::uint64_t run(const void* root) {
    ++region.walk;
    (void)number_of(block_of(static_cast<const std::byte*>(root)));
    for (std::size_t next = 0; next < found_.size(); ++next) {
      present_ = found_[next];
      add_block(present_);
    }
    return hash_;
  }

 private:
  // In lanes, as each word's hash waits for the one before it.
  void add_block(const Header* block) {
    std::uint64_t first = 1, second = 2, third = 3, fourth = 4;
    const auto* word = reinterpret_cast<const std::uint64_t*>(block + 1);
    const std::size_t words = block->bytes / sizeof *word;
    const auto* const end = word + words;
    for (; word + 4 <= end; word += 4) {
      mix(first, named(word[0]));
      mix(second, named(word[1]));
      mix(third, named(word[2]));
      mix(fourth, named(word[3]));
    }
    for (; word < end; ++word) mix(first, named(*word));
    mix(hash_, block->bytes);
    for (const std::uint64_t lane : {first, second, third, fourth}) mix(hash_, lane);
  }

  // A word as it is but, if it is a pointer into the arena, by the block's number.
  std::uint64_t named(std::uint64_t word) {
    const auto twin = reinterpret_cast<std::uintptr_t>(region.begin);
    if (word - twin >= kBytes) [[likely]]
      return word;
    const auto* place = reinterpret_cast<const std::byte*>(word);
    // Most pointers are to elsewhere in the same block, which may be large.
    const Header* block = is_in(present_, place) ? present_ : block_of(place);
    if (!block) return kDangling;
    const auto offset =
        static_cast<std::uint64_t>(place - reinterpret_cast<const std::byte*>(block));
    return number_of(block) << 32 | offset;
  }

  std::uint64_t number_of(const Header* block) {
    std::uint64_t& known = region.numbers[region.granule(block)];
    if (known >> 32 != region.walk) {
      known = region.walk << 32 | found_.size();
      found_.push_back(block);
    }
    return known & 0xffffffffU;
  }

  static void mix(std::uint64_t& hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9fb21c651e98df25U;
    hash ^= hash >> 32;
  }

  static constexpr std::uint64_t kDangling = 0xdead;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
  const Header* present_ = nullptr;
  std::vector<const Header*> found_;
};

std::size_t words_in_use() { return region.granule(region.books().top) / kBitsAWord + 1; }

}  // namespace

void Arena::reset() {
  if (!region.begin) {
    void* const place =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) give_up("no memory for the arena");
    region.begin = static_cast<std::byte*>(place);
  }
  region.books() = Books{};
  region.books().top = region.begin + (sizeof(Books) + kGranule - 1) / kGranule * kGranule;
  std::ranges::fill(region.starts, 0);
}

std::size_t Arena::bytes_used() {
  return static_cast<std::size_t>(region.books().top - region.begin);
}

Arena::Snapshot Arena::save() {
  const std::size_t marks = words_in_use() * sizeof(std::uint64_t);
  Snapshot snapshot(bytes_used() + marks);
  std::memcpy(snapshot.data(), region.begin, bytes_used());
  std::memcpy(snapshot.data() + bytes_used(), region.starts, marks);
  return snapshot;
}

void Arena::restore(const Snapshot& snapshot) {
  // What is marked beyond the snapshot's end goes too.
  std::memset(region.starts, 0, words_in_use() * sizeof(std::uint64_t));
  std::memcpy(region.begin, snapshot.data(), sizeof(Books));
  std::memcpy(region.begin, snapshot.data(), bytes_used());
  std::memcpy(region.starts, snapshot.data() + bytes_used(),
              words_in_use() * sizeof(std::uint64_t));
}

std::uint64_t Arena::fingerprint(const void* root) {
  const Use outside(false);
  return Walk().run(root);
}

bool Arena::is_in_use() { return in_use; }

Arena::Use::Use(bool on) : before_(std::exchange(in_use, on)) {}
Arena::Use::~Use() { in_use = before_; }

namespace {

void* allocate_anywhere(std::size_t bytes, std::size_t alignment) {
  if (in_use) return allocate(bytes, alignment);
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + alignment - 1) & -alignment;
  if (void* block = std::aligned_alloc(alignment, whole)) return block;
  throw std::bad_alloc();
}

void release_anywhere(void* block) {
  if (region.contains(block)) return release(block);
  std::free(block);
}

}  // namespace
}  // namespace weft::sim::explore

// The other forms are defined in terms of these by the standard library.
void* operator new(std::size_t bytes) {
  return weft::sim::explore::allocate_anywhere(bytes, weft::sim::explore::kGranule);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return weft::sim::explore::allocate_anywhere(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* block) noexcept { weft::sim::explore::release_anywhere(block); }
void operator delete(void* block, std::size_t) noexcept {
  weft::sim::explore::release_anywhere(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  weft::sim::explore::release_anywhere(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  weft::sim::explore::release_anywhere(block);
}
