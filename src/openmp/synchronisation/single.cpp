// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// single, copyprivate, master and masked. A single region behind which all threads wait is executed
// by the first thread of node 0 that comes to it: deciding costs no message, and what it writes is
// found at one place. Any other one by the first of all threads: see single_count.hpp.
#include <cstring>
#include <span>
#include <vector>

#include "openmp/libomp/call_note.hpp"
#include "openmp/synchronisation/single_claims.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "openmp/team/unsupported.hpp"
#include "openmp/tools/events.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

constexpr std::size_t kMostThreadLocalBytes = std::size_t{64} << 10;
constexpr std::size_t kMostImages = 16;
constexpr std::size_t kImageAlignment = 64;

// In shared memory: what the thread that executed a single region hands to the others. It is
// written between two barriers and read between the same two and the next.
struct Broadcast {
  // A copy of thread-local data of that thread's, if the list points into it. It is aligned as the
  // original, for the program's own copy functions.
  struct Image {
    std::uintptr_t original;
    std::size_t size;
    std::byte* copy;
  };

  void* data;
  std::size_t image_count;
  Image images[kMostImages];
  alignas(
      kImageAlignment) std::byte space[kMostThreadLocalBytes + 2 * kMostImages * kImageAlignment];
};

Broadcast* cell_address = nullptr;

Broadcast& broadcast() { return *cell_address; }

// clang's list of addresses; flang passes the variable itself, and no size.
std::span<void*> list_of(void* data, std::size_t bytes) {
  return {static_cast<void**>(data), bytes / sizeof(void*)};
}

void send(void* data, std::size_t bytes, Ident* loc) {
  Broadcast& cell = broadcast();
  cell.data = data;
  const std::vector<ThreadLocalImage> images = thread_local_images(list_of(data, bytes));
  std::byte* next = cell.space;
  std::size_t left = kMostThreadLocalBytes;
  cell.image_count = 0;
  for (const auto& [begin, contents] : images) {
    if (contents.size() > left || cell.image_count == kMostImages) {
      fail_unsupported("copyprivate of more than 64 KiB of threadprivate variables", loc);
    }
    std::byte* const copy = next + begin % kImageAlignment;
    std::memcpy(copy, contents.data(), contents.size());
    cell.images[cell.image_count++] = {begin, contents.size(), copy};
    left -= contents.size();
    const std::size_t used = begin % kImageAlignment + contents.size();
    next += (used + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  }
}

void receive(void* data, std::size_t bytes, CopyFunction copy) {
  Broadcast& cell = broadcast();
  if (cell.image_count == 0) return copy(data, cell.data);
  const std::span<void*> sent = list_of(cell.data, bytes);
  std::vector<void*> list(sent.begin(), sent.end());
  for (void*& variable : list) {
    for (const Broadcast::Image& image : std::span(cell.images, cell.image_count)) {
      const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(variable) - image.original;
      if (distance < image.size) {
        variable = image.copy + distance;
        break;
      }
    }
  }
  copy(data, list.data());
}

// Whether the thread executes the construct; the end of that is told where it is.
void tell_single(Member& member, bool executes) {
  if (executes) return tools::tell_work(member, ompt_work_single_executor, ompt_scope_begin, 1);
  tools::tell_work(member, ompt_work_single_other, ompt_scope_begin, 1);
  tools::tell_work(member, ompt_work_single_other, ompt_scope_end, 1);
}

// Nobody may need what a thread does behind the construct before it has been executed. That holds
// if all wait behind it, unless a thread may still be inside one before it that waits for this one.
bool others_wait(const Member& member, const Ident* loc) {
  const CallNote* note = note_of(loc);
  return note != nullptr && note->has(CallNote::kOthersWait) && !member.may_be_in_single;
}

void note_for_all(const Member& member) {
  member.team->wrote_for_all.store(true, std::memory_order_relaxed);
}

}  // namespace

void prepare_copyprivate() {
  cell_address = static_cast<Broadcast*>(control_block(sizeof(Broadcast)));
}

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY std::int32_t __kmpc_single(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  if (member != nullptr) {
    if (!others_wait(*member, loc)) {
      member->in_claimed_single = on_runtime_stack([&] { return claim_single(*member); });
      if (member->in_claimed_single) note_for_all(*member);
      tell_single(*member, member->in_claimed_single);
      return member->in_claimed_single ? 1 : 0;
    }
    if (member->team->self() != NodeId(0)) {
      tell_single(*member, false);
      return 0;
    }
  }
  return on_runtime_stack([&] { return real().__kmpc_single(loc, gtid); });
}

WEFT_ENTRY void __kmpc_end_single(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  if (Member* member = current_member(); member != nullptr && member->in_claimed_single) {
    member->in_claimed_single = false;
    tools::tell_work(*member, ompt_work_single_executor, ompt_scope_end, 1);
    return;
  }
  on_runtime_stack([&] { real().__kmpc_end_single(loc, gtid); });
}

WEFT_ENTRY void __kmpc_copyprivate(Ident* loc, std::int32_t gtid, std::size_t bytes, void* data,
                                   CopyFunction copy, std::int32_t did_it) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  on_runtime_stack([&] {
    if (member == nullptr) {
      return real().__kmpc_copyprivate(loc, gtid, bytes, data, copy, did_it);
    }
    if (did_it != 0) send(data, bytes, loc);
    team_barrier(*member, loc, gtid);
    if (did_it == 0) {
      struct Receipt {
        void* data;
        std::size_t bytes;
        CopyFunction copy;
      } receipt{data, bytes, copy};
      call_on_program_stack(
          [](void* r) {
            const auto* call = static_cast<Receipt*>(r);
            receive(call->data, call->bytes, call->copy);
          },
          &receipt);
    }
    team_barrier(*member, loc, gtid);
  });
}

// As copyprivate, but the caller copies: gives everybody the address, and a barrier follows.
WEFT_ENTRY void* __kmpc_copyprivate_light(Ident* loc, std::int32_t gtid, void* data) {
  WEFT_NOTE_CALL();
  Member* member = current_member();
  return on_runtime_stack([&]() -> void* {
    if (member == nullptr) return real().__kmpc_copyprivate_light(loc, gtid, data);
    if (data != nullptr) broadcast().data = data;
    team_barrier(*member, loc, gtid);
    return broadcast().data;
  });
}

WEFT_ENTRY std::int32_t __kmpc_master(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  const Member* member = current_member();
  if (member != nullptr && member->team->self() != NodeId(0)) return 0;
  return on_runtime_stack([&] { return real().__kmpc_master(loc, gtid); });
}

WEFT_ENTRY void __kmpc_end_master(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  on_runtime_stack([&] { real().__kmpc_end_master(loc, gtid); });
}

WEFT_ENTRY std::int32_t __kmpc_masked(Ident* loc, std::int32_t gtid, std::int32_t filter) {
  WEFT_NOTE_CALL();
  if (const Member* member = current_member(); member != nullptr) {
    const std::int64_t local = std::int64_t{filter} - member->team->first;
    if (local < 0 || local >= member->team->local_size) return 0;
    filter = static_cast<std::int32_t>(local);
    note_for_all(*member);
  }
  return on_runtime_stack([&] { return real().__kmpc_masked(loc, gtid, filter); });
}

WEFT_ENTRY void __kmpc_end_masked(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  on_runtime_stack([&] { real().__kmpc_end_masked(loc, gtid); });
}
