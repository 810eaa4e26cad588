// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a tool (OMPT) is told of a region that spans nodes, and how Weft knows libomp's events of
// the node's part of it from those of other regions.
#pragma once

#include <omp-tools.h>

#include <atomic>
#include <cstdint>

#include "base/codec.hpp"

namespace weft::openmp {
struct Member;
struct Team;
}  // namespace weft::openmp

namespace weft::openmp::tools {

// Of a region, as it travels; all zero if nobody watches.
struct RegionNote {
  std::uint64_t data = 0;       // what a tool of the job has given to it
  std::uintptr_t site = 0;      // where the program begins it
  std::uint32_t requested = 0;  // threads
  // What it has given to the task that begins the region, and to the region around that; where the
  // task has left the program.
  std::uint64_t outer_task = 0, outer_region = 0;
  std::uintptr_t outer_frame = 0;
  std::uint64_t ids = 0;  // given on node 0 before it: those of its threads are larger everywhere
  WEFT_FIELDS(self.data, self.site, self.requested, self.outer_task, self.outer_region,
              self.outer_frame, self.ids)
  bool operator==(const RegionNote&) const = default;
};

// On node 0, before it publishes the region: a tool of the job is told that it begins.
[[nodiscard]] RegionNote begin_region(unsigned requested_threads);

// The program has asked for so many threads in the region that libomp forks next on this thread,
// whatever Weft asks for.
void note_request(unsigned threads);

// Around libomp's fork of a node's part.
class RegionPart {
 public:
  RegionPart(const RegionNote& note, const Team& team);
  ~RegionPart();
  RegionPart(const RegionPart&) = delete;
  RegionPart& operator=(const RegionPart&) = delete;

  [[nodiscard]] const RegionNote& note() const { return note_; }
  [[nodiscard]] const Team& team() const { return team_; }

  // libomp's regions on the main thread: how deep they are nested in this part, itself included.
  unsigned depth = 0;
  // The next implicit task that begins on the main thread is the part's.
  bool expects_task = false;
  // What encounters the region, in libomp's eyes: so its other threads know their tasks as the
  // part's.
  std::atomic<const ompt_data_t*> encountering{nullptr};

 private:
  const RegionNote& note_;
  const Team& team_;
  const bool is_watched_;
};

// The part that runs on this node at present; null if there is none, or nobody watches.
[[nodiscard]] RegionPart* present_part();
// The same, if the calling thread is the one that has forked it.
[[nodiscard]] RegionPart* own_part();

// The calling thread is a member of the spanning team from now on: what libomp has for its implicit
// task is what the tool knows.
void begin_member(Member& member);

// Where libomp wants to know the frame from which the present implicit task's code is called; what
// was given if nobody watches.
[[nodiscard]] void** exit_frame_of_task(void** unused);

}  // namespace weft::openmp::tools
