// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/thread_places.hpp"

#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <mutex>

#include "base/assert.hpp"
#include "base/signal_safe_mutex.hpp"
#include "base/threads/guard_words.hpp"
#include "libc/interposition/interpose.hpp"
#include "runtime/addresses/later_memory.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

// Of each place, below its shared blocks: what a stack may grow into is left free.
constexpr std::size_t kMostStackBytes = Layout::kPlaceBytes / 2;
// On these stacks Weft itself runs, with the thread-local variables of all libraries; the program's
// functions have others (pthread/threads/running.cpp), however small a stack it asks for.
constexpr std::size_t kLeastStackBytes = std::size_t{256} << 10;
constexpr std::size_t kMostThreadLocalBytes = Layout::kPlaceBytes / 4;

struct Place {
  bool is_taken = false;
  bool is_detached = false;
  pid_t thread = 0;       // the kernel's number of it, when it runs
  std::size_t bytes = 0;  // mapped, downwards from the top
};

struct Places {
  const Layout* layout = nullptr;
  NodeId self;
  SignalSafeMutex lock;
  std::vector<Place> places;
  std::map<std::byte*, std::size_t> mapped_elsewhere;  // by tops of other nodes' places
  std::atomic<unsigned> stage{0};                      // all up to this one are there
};
Places* all = nullptr;

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

// Where the thread-local blocks of the objects end for the calling thread.
std::uintptr_t thread_pointer() {
  return reinterpret_cast<std::uintptr_t>(__builtin_thread_pointer());
}

struct StaticBlocks {
  std::vector<ThreadLocalBlock> shareable;  // as distances below the thread pointer
  bool has_others = false;                  // of the program's
  std::size_t alignment = 64;               // of the thread pointer
  std::size_t bytes = 0;                    // of all, below it
};

void add_block(StaticBlocks& out, const dl_phdr_info& object, const ElfW(Phdr) & header) {
  const std::size_t below =
      thread_pointer() - reinterpret_cast<std::uintptr_t>(object.dlpi_tls_data);
  if (object.dlpi_tls_data == nullptr || below > Layout::kPlaceBytes) return;
  out.alignment = std::max<std::size_t>(out.alignment, header.p_align);
  out.bytes = std::max(out.bytes, below);
  const bool is_whole_pages = header.p_memsz > 0 && header.p_memsz % kPageBytes == 0 &&
                              header.p_vaddr % kPageBytes == 0 && header.p_align >= kPageBytes;
  if (!is_in_program(object.dlpi_phdr)) return;
  if (is_whole_pages) {
    out.shareable.push_back({.below_top = below, .bytes = header.p_memsz});
  } else {
    out.has_others = out.has_others || header.p_memsz > 0;
  }
}

StaticBlocks static_blocks() {
  StaticBlocks blocks;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr) & header = object->dlpi_phdr[i];
          if (header.p_type == PT_TLS) add_block(*static_cast<StaticBlocks*>(out), *object, header);
        }
        return 0;
      },
      &blocks);
  return blocks;
}

bool has_ended(pid_t thread) {
  return syscall(SYS_tgkill, getpid(), thread, 0) != 0 && errno == ESRCH;
}

// Under the lock.
std::optional<unsigned> take_free_place(bool detached) {
  for (unsigned number = 0; number < all->places.size(); ++number) {
    Place& place = all->places[number];
    const bool is_over = place.is_detached && place.thread != 0 && has_ended(place.thread);
    if (place.is_taken && !is_over) continue;
    place = {.is_taken = true, .is_detached = detached, .thread = 0, .bytes = place.bytes};
    return number;
  }
  return std::nullopt;
}

bool map_private(std::byte* begin, std::byte* end) {
  if (begin >= end) return true;
  return mmap(begin, static_cast<std::size_t>(end - begin), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1,
              0) == begin;
}

// Private memory at a place of the layout, from `bytes` below the top up to `mapped` below it, but
// for the blocks.
bool map_around_blocks(std::byte* top, std::size_t bytes, std::size_t mapped) {
  std::byte* at = top - bytes;
  std::byte* const end = top - mapped;
  std::vector<ThreadLocalBlock> blocks(all->layout->thread_locals().begin(),
                                       all->layout->thread_locals().end());
  std::ranges::sort(blocks, std::ranges::greater(), &ThreadLocalBlock::below_top);
  for (const ThreadLocalBlock& block : blocks) {
    if (block.below_top > bytes || block.below_top <= mapped) continue;
    std::byte* const begin = top - block.below_top;
    if (!map_private(at, begin)) return false;
    at = begin + block.bytes;
  }
  return map_private(at, end);
}

bool ensure_mapped(unsigned number, std::size_t bytes) {
  Place& place = all->places[number];
  if (place.bytes >= bytes) return true;
  std::byte* const top = all->layout->place(all->self, number).top;
  if (!map_around_blocks(top, bytes, place.bytes)) return false;
  place.bytes = bytes;
  return true;
}

// The C library writes the first contents while it holds a lock of the dynamic linker's. The pages
// are made ready before, so that nothing has to be done for them then.
void touch_blocks(std::byte* top) {
  for (const ThreadLocalBlock& block : all->layout->thread_locals()) {
    for (std::size_t at = 0; at < block.bytes; at += kPageBytes) {
      auto* const byte = reinterpret_cast<volatile std::byte*>(top - block.below_top + at);
      *byte = *byte;
    }
  }
}

std::size_t wanted_stack_bytes(const pthread_attr_t* attributes) {
  std::size_t bytes = 0;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &bytes);
  } else {
    pthread_attr_t standard;
    if (pthread_getattr_default_np(&standard) != 0) return 0;
    pthread_attr_getstacksize(&standard, &bytes);
    pthread_attr_destroy(&standard);
  }
  return std::clamp(bytes, kLeastStackBytes, kMostStackBytes);
}

bool is_to_be_detached(const pthread_attr_t* attributes) {
  int state = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) pthread_attr_getdetachstate(attributes, &state);
  return state == PTHREAD_CREATE_DETACHED;
}

std::optional<TakenPlace> prepare_place(std::size_t stack_bytes, bool detached) {
  static const std::size_t blocks_bytes = static_blocks().bytes;
  const std::lock_guard guard(all->lock);
  const std::optional<unsigned> number = take_free_place(detached);
  if (!number) return std::nullopt;
  const std::size_t bytes = whole_pages(stack_bytes + blocks_bytes) + kPageBytes;
  if (ensure_mapped(*number, bytes)) return TakenPlace{*number, all->places[*number].bytes};
  all->places[*number].is_taken = false;
  return std::nullopt;
}

// Of a thread that is born here, whoever makes it.
GuardWords own_words() {
  return process_guard_words.canary != 0 ? process_guard_words : present_guard_words();
}

void open_if_later(unsigned number) {
  const unsigned stage = all->layout->stage_of_place(number);
  if (stage <= all->stage) return;
  open_later_memory(stage);
  unsigned before = all->stage;
  while (before < stage && !all->stage.compare_exchange_weak(before, stage)) continue;
}

[[gnu::no_stack_protector]] int create_with_words(const GuardWords& words, pthread_t* id,
                                                  const pthread_attr_t* attributes,
                                                  void* (*function)(void*), void* argument) {
  const WithGuardWords with_words(words);
  return WEFT_REAL(pthread_create)(id, attributes, function, argument);
}

// The caller's attributes, with another stack. What they point to stays the caller's.
int create_with_stack(const GuardWords& words, std::byte* top, std::size_t bytes, pthread_t* id,
                      const pthread_attr_t* wanted, void* (*function)(void*), void* argument) {
  if (this_node() != nullptr) touch_blocks(top);
  pthread_attr_t attributes;
  if (wanted != nullptr) {
    attributes = *wanted;
  } else {
    pthread_attr_init(&attributes);
  }
  pthread_attr_setstack(&attributes, top - bytes, bytes);
  const int error = create_with_words(words, id, &attributes, function, argument);
  if (wanted == nullptr) pthread_attr_destroy(&attributes);
  return error;
}

// The place of a thread of this node.
Place* place_with(const void* address) {
  if (all == nullptr || this_node() == nullptr) return nullptr;
  const auto number = all->layout->place_of(address);
  return number && number->node == all->self ? &all->places[number->thread] : nullptr;
}

}  // namespace

std::vector<ThreadLocalBlock> shareable_thread_locals() {
  StaticBlocks blocks = static_blocks();
  // The descriptor is above the thread pointer, and takes less than a page.
  if (blocks.alignment < kPageBytes || blocks.bytes > kMostThreadLocalBytes) return {};
  for (ThreadLocalBlock& block : blocks.shareable) block.below_top += blocks.alignment;
  return std::move(blocks.shareable);
}

void open_thread_places(const Layout& layout, NodeId self) {
  if (layout.thread_locals().empty() && !threads_may_move) return;
  all = new Places;
  all->layout = &layout;
  all->self = self;
  all->places.resize(layout.places_per_node());
}

int create_at_place(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                    void* argument) {
  const std::optional<TakenPlace> place = take_place(attributes);
  if (!place) return create_without_place(id, attributes, function, argument);
  return create_at_place(*place, id, attributes, function, argument);
}

int create_without_place(pthread_t* id, const pthread_attr_t* attributes, void* (*function)(void*),
                         void* argument) {
  std::size_t bytes = 0;
  if (attributes != nullptr) pthread_attr_getstacksize(attributes, &bytes);
  if (bytes == 0 || bytes >= kLeastStackBytes)
    return WEFT_REAL(pthread_create)(id, attributes, function, argument);
  pthread_attr_t larger = *attributes;  // what it points to stays the caller's
  pthread_attr_setstacksize(&larger, kLeastStackBytes);
  return WEFT_REAL(pthread_create)(id, &larger, function, argument);
}

std::optional<TakenPlace> take_place(const pthread_attr_t* attributes) {
  if (all == nullptr) return std::nullopt;
  const auto place = prepare_place(wanted_stack_bytes(attributes), is_to_be_detached(attributes));
  if (place) open_if_later(place->number);
  return place;
}

void give_back_place(const TakenPlace& place) {
  const std::lock_guard guard(all->lock);
  all->places[place.number].is_taken = false;
}

int create_at_place(const TakenPlace& place, pthread_t* id, const pthread_attr_t* attributes,
                    void* (*function)(void*), void* argument) {
  std::byte* const top = all->layout->place(all->self, place.number).top;
  const int error =
      create_with_stack(own_words(), top, place.bytes, id, attributes, function, argument);
  if (error != 0) give_back_place(place);
  return error;
}

// Its memory is there from its first carrier on, and stays.
int create_carrier(NodeId home, const TakenPlace& place, const GuardWords& words, pthread_t* id,
                   void* (*function)(void*), void* argument) {
  open_if_later(place.number);
  std::byte* const top = all->layout->place(home, place.number).top;
  {
    const std::lock_guard guard(all->lock);
    std::size_t& mapped = all->mapped_elsewhere[top];
    if (mapped < place.bytes && !map_around_blocks(top, place.bytes, mapped)) return EAGAIN;
    mapped = std::max(mapped, place.bytes);
  }
  return create_with_stack(words, top, place.bytes, id, nullptr, function, argument);
}

bool are_all_thread_locals_shared() {
  return all != nullptr && !static_blocks().has_others &&
         (all->layout->thread_locals().size() == static_blocks().shareable.size());
}

void joined_at_place(pthread_t id) {
  Place* const place = place_with(reinterpret_cast<const void*>(id));
  if (place == nullptr) return;
  const std::lock_guard guard(all->lock);
  place->is_taken = false;
}

void detached_at_place(pthread_t id) {
  Place* const place = place_with(reinterpret_cast<const void*>(id));
  if (place == nullptr) return;
  const std::lock_guard guard(all->lock);
  place->is_detached = true;
}

void running_at_place() {
  Place* const place = place_with(__builtin_thread_pointer());
  if (place == nullptr) return;
  const std::lock_guard guard(all->lock);
  place->thread = static_cast<pid_t>(::syscall(SYS_gettid));
}

ThreadLocalContents::ThreadLocalContents() {
  if (all == nullptr) return;
  const auto number = all->layout->place_of(__builtin_thread_pointer());
  if (!number || all->layout->thread_locals().empty()) return;
  std::byte* const top = all->layout->place(number->node, number->thread).top;
  const auto above = reinterpret_cast<std::uintptr_t>(top) - thread_pointer();
  WEFT_ASSERT(above == static_blocks().alignment, "the C library has put a thread {} below", above);
  for (const ThreadLocalBlock& block : all->layout->thread_locals()) {
    std::byte* const begin = top - block.below_top;
    blocks_.push_back({begin, {begin, begin + block.bytes}});
  }
}

void ThreadLocalContents::write_back() const {
  for (const auto& [begin, contents] : blocks_) {
    std::memcpy(begin, contents.data(), contents.size());
  }
}

std::optional<NodeId> owner_of_place(const void* address) {
  const auto number = all == nullptr ? std::nullopt : all->layout->place_of(address);
  return number ? std::optional(number->node) : std::nullopt;
}

}  // namespace weft
