// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/ownership/owned_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bitset>
#include <cerrno>
#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "base/threads/own_calls.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

// Between the control blocks and the stacks of runtime/addresses/layout.hpp.
constexpr std::uintptr_t kStreams = 0x5400'0000'0000;
constexpr std::size_t kStreamBytes = std::size_t{4} << 20;  // of each node
constexpr std::size_t kSlotBytes = 1024;
constexpr std::size_t kSlots = kStreamBytes / kSlotBytes;
// Of FILE with what the C library puts behind it, in any of its forms: the least is popen's.
constexpr std::size_t kLeastStream = sizeof(FILE) + 24;

constexpr int kFirstOfNode0 = kFirstOwnedDescriptor, kFirstOfOthers = 1024,
              kDescriptorsOfOthers = 256;

thread_local bool opening = false;

struct Slots {
  SignalSafeMutex lock;
  std::byte* begin = nullptr;  // null until it is needed; MAP_FAILED if it can't be had
  std::bitset<kSlots> used;
  std::size_t next = 0;
};
constinit Slots slots;

std::byte* slots_of(NodeId node) {
  return reinterpret_cast<std::byte*>(kStreams + node.value() * kStreamBytes);
}

const Hooks* job() {
  const Hooks* const node = hooks();
  return node != nullptr && node->node_count > 1 ? node : nullptr;
}

bool map_slots(const Hooks& node) {
  if (slots.begin == nullptr) {
    slots.begin = static_cast<std::byte*>(
        mmap(slots_of(node.self), kStreamBytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0));
  }
  return slots.begin != MAP_FAILED;
}

struct Range {
  int begin, end;
};
Range descriptors_of(NodeId node) {
  if (node == NodeId(0)) return {kFirstOfNode0, kFirstOfOthers};
  const int begin = kFirstOfOthers + (node.value() - 1) * kDescriptorsOfOthers;
  return {begin, begin + kDescriptorsOfOthers};
}

bool allow_descriptors_up_to(int end) {
  rlimit limit = {};
  if (WEFT_REAL(getrlimit)(RLIMIT_NOFILE, &limit) != 0) return false;
  const auto wanted = static_cast<rlim_t>(end);
  if (limit.rlim_cur >= wanted) return true;
  if (limit.rlim_max < wanted) return false;
  limit.rlim_cur = wanted;
  return WEFT_REAL(setrlimit)(RLIMIT_NOFILE, &limit) == 0;
}

// The descriptor at the lowest free number of the range; -1 if there is none.
int move_into(Range range, int descriptor) {
  if (!allow_descriptors_up_to(range.end)) return -1;
  const int flags = WEFT_REAL(fcntl)(descriptor, F_GETFD);
  const int command = (flags & FD_CLOEXEC) != 0 ? F_DUPFD_CLOEXEC : F_DUPFD;
  const int moved = WEFT_REAL(fcntl)(descriptor, command, range.begin);
  if (moved < range.end) return moved;
  WEFT_REAL(close)(moved);
  return -1;
}

}  // namespace

std::optional<NodeId> node_of_stream_address(const void* address) {
  const Hooks* const node = job();
  if (node == nullptr) return std::nullopt;
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(address) - kStreams;
  if (distance >= node->node_count * kStreamBytes) return std::nullopt;
  return NodeId(static_cast<NodeId::representation>(distance / kStreamBytes));
}

std::optional<NodeId> owner_of_input() {
  const Hooks* const node = job();
  if (node == nullptr || node->self == NodeId(0) || in_forked_child) return std::nullopt;
  return NodeId(0);
}

std::optional<NodeId> other_owner(const FILE* stream) {
  if (stream == stdin) return owner_of_input();
  const std::optional<NodeId> owner = node_of_stream_address(stream);
  return owner && *owner != hooks()->self ? owner : std::nullopt;
}

std::optional<NodeId> other_owner(int descriptor) {
  if (descriptor == STDIN_FILENO) return owner_of_input();
  if (descriptor < kFirstOfNode0) return std::nullopt;
  const Hooks* const node = job();
  if (node == nullptr || in_forked_child) return std::nullopt;  // who has no other nodes to ask
  const unsigned number =
      descriptor < kFirstOfOthers
          ? 0
          : static_cast<unsigned>((descriptor - kFirstOfOthers) / kDescriptorsOfOthers) + 1;
  if (number >= node->node_count) return std::nullopt;
  const NodeId owner(static_cast<NodeId::representation>(number));
  if (owner == node->self) return std::nullopt;
  // A node with very many descriptors, or dup2, gets there too.
  const int caller_errno = errno;
  const bool is_open_here = WEFT_REAL(fcntl)(descriptor, F_GETFD) >= 0;
  errno = caller_errno;
  return is_open_here ? std::nullopt : std::optional(owner);
}

bool is_regular_file(int descriptor) {
  const int caller_errno = errno;
  struct stat status = {};
  const int result = call(WEFT_REAL(fstat), descriptor, memory(&status));
  errno = caller_errno;
  return result == 0 && S_ISREG(status.st_mode);
}

int place_own_descriptor(int descriptor) {
  const Hooks* const node = job();
  if (descriptor <= STDERR_FILENO || node == nullptr) return descriptor;
  const int caller_errno = errno;
  const int moved =
      on_runtime_stack([=] { return move_into(descriptors_of(node->self), descriptor); });
  if (moved >= 0) WEFT_REAL(close)(descriptor);
  errno = caller_errno;
  return moved >= 0 ? moved : descriptor;
}

int place_descriptor(int descriptor) {
  const unsigned closed = OwnCalls::here() ? 0 : closed_descriptors.load();
  if (closed == 0 || descriptor <= STDERR_FILENO || in_forked_child) [[likely]]
    return place_own_descriptor(descriptor);
  const int lowest = __builtin_ctz(closed);
  if (WEFT_REAL(dup2)(descriptor, lowest) < 0) return place_own_descriptor(descriptor);
  WEFT_REAL(close)(descriptor);
  closed_descriptors &= ~(1U << lowest);
  use_as_standard.load()(lowest);
  return lowest;
}

FILE* place_descriptor_of(FILE* stream) {
  if (stream != nullptr) stream->_fileno = place_descriptor(stream->_fileno);
  return stream;
}

OpeningStream::OpeningStream() : outer_(opening) { opening = job() != nullptr; }
OpeningStream::~OpeningStream() { opening = outer_; }

void* allocate_stream(std::size_t bytes) {
  if (!opening || bytes < kLeastStream || bytes > kSlotBytes) [[likely]]
    return nullptr;
  const std::lock_guard guard(slots.lock);
  if (!map_slots(*hooks())) return nullptr;
  for (std::size_t tried = 0; tried < kSlots; ++tried) {
    const std::size_t slot = slots.next++ % kSlots;
    if (slots.used[slot]) continue;
    slots.used[slot] = true;
    return slots.begin + slot * kSlotBytes;
  }
  return nullptr;
}

bool release_stream(void* block) {
  const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(block) - kStreams;
  if (hooks() == nullptr || distance >= hooks()->node_count * kStreamBytes) [[likely]]
    return false;
  const std::lock_guard guard(slots.lock);
  slots.used[distance % kStreamBytes / kSlotBytes] = false;
  return true;
}

}  // namespace weft::libc
