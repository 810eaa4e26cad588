// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Weft tells a tool (OMPT) of what it does itself: barriers, waits, locks, shared-out work,
// cancellation and flushes. Everything here does nothing if nobody watches.
#pragma once

#include <span>

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/tools/tool.hpp"

namespace weft::openmp {
struct Member;
}

namespace weft::openmp::tools {

// The place that an event of the present task names.
[[nodiscard]] ompt_data_t* task_data(const Member& member);

// --- barriers, taskwait, taskgroup ---

[[nodiscard]] ompt_sync_region_t barrier_kind(const Ident* loc);

void begin_sync(Member& member, ompt_sync_region_t kind);
void begin_wait(Member& member, ompt_sync_region_t kind);
void end_wait(Member& member, ompt_sync_region_t kind);
void end_sync(Member& member, ompt_sync_region_t kind);

// The wait, or the region and the wait in it, for as long as it lives.
class Waiting {
 public:
  enum class Whole : bool { kNo, kYes };
  Waiting(Member& member, ompt_sync_region_t kind, Whole whole = Whole::kYes)
      : member_(member), kind_(kind), whole_(whole), is_watched_(watched()) {
    if (is_watched_) begin();
  }
  ~Waiting() {
    if (is_watched_) end();
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  void begin();
  void end();

  Member& member_;
  const ompt_sync_region_t kind_;
  const Whole whole_;
  const bool is_watched_;
  void* outer_frame_ = nullptr;
};

// The region's last barrier. A reduction beside it may be what the thread really waits in.
void begin_join(Member& member);
void end_join(Member& member);

void tell_reduction(Member& member, ompt_scope_endpoint_t endpoint);

// --- locks, critical, atomic, ordered: by any thread ---

class Locking {
 public:
  Locking(ompt_mutex_t kind, const void* mutex, unsigned hint = 0)
      : kind_(kind), mutex_(mutex), is_watched_(watched()) {
    if (is_watched_) begin(hint);
  }
  // It was got; without it the thread has gone on without.
  void got() {
    if (is_watched_) tell_got();
  }
  ~Locking() {
    if (is_watched_) end();
  }
  Locking(const Locking&) = delete;
  Locking& operator=(const Locking&) = delete;

 private:
  void begin(unsigned hint);
  void tell_got();
  void end();

  const ompt_mutex_t kind_;
  const void* const mutex_;
  const bool is_watched_;
  int outer_state_ = 0;
};

void tell_released(ompt_mutex_t kind, const void* mutex);
void tell_lock_init(ompt_mutex_t kind, const void* mutex, unsigned hint);
void tell_lock_destroy(ompt_mutex_t kind, const void* mutex);
void tell_nested(ompt_scope_endpoint_t endpoint, const void* mutex);

// --- work that is shared out ---

void tell_work(Member& member, ompt_work_t type, ompt_scope_endpoint_t endpoint,
               std::uint64_t count);
// A static loop or sections, by what the compiler says at the call.
[[nodiscard]] ompt_work_t static_work(const Ident* loc);
void tell_chunk(Member& member, ompt_dispatch_t kind, std::uint64_t start,
                std::uint64_t iterations);
void tell_section(Member& member);

// What an iteration of a doacross loop waits for (sink), or lets go on (source).
void tell_doacross(Member& member, ompt_dependence_type_t type,
                   std::span<const std::int64_t> indices);

void tell_cancel(Member& member, std::int32_t kind, ompt_cancel_flag_t what);
void tell_flush();

}  // namespace weft::openmp::tools
