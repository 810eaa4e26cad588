// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/regions/worker.hpp"
#include "openmp/queries/affinity.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "openmp/libomp/real.hpp"
#include "openmp/loops/doacross_waits.hpp"
#include "openmp/loops/loop_requests.hpp"
#include "openmp/placement/region_placement.hpp"
#include "openmp/regions/league_part.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/synchronisation/cancellation.hpp"
#include "openmp/synchronisation/single_claims.hpp"
#include "openmp/tasking/runtime.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/interface/rest_order.hpp"
#include "runtime/interface/spreading.hpp"

namespace weft {

using namespace openmp;

namespace {

// A copy of thread-local data of node 0's, at an address that is aligned like the original.
class ThreadLocalCopy {
 public:
  explicit ThreadLocalCopy(const ThreadLocalImage& image)
      : begin_(image.begin),
        size_(image.contents.size()),
        storage_(std::make_unique<std::byte[]>(size_ + kPageBytes)) {
    const auto first = reinterpret_cast<std::uintptr_t>(storage_.get());
    copy_ = storage_.get() + (begin_ - first) % kPageBytes;
    std::copy(image.contents.begin(), image.contents.end(), copy_);
  }
  // The address that stands for a thread-local one of node 0; any other stays what it is.
  [[nodiscard]] void* translate(void* pointer) const {
    const std::uintptr_t distance = reinterpret_cast<std::uintptr_t>(pointer) - begin_;
    return distance < size_ ? copy_ + distance : pointer;
  }

 private:
  std::uintptr_t begin_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> storage_;
  std::byte* copy_ = nullptr;
};

// The regions of one thread around a region, as libomp has them on node 0: so that levels and what
// hangs on them are the same here.
class EnclosingLevels {
 public:
  explicit EnclosingLevels(unsigned count) : count_(count) {
    const tools::Silence silence;
    if (count_ > 0) gtid_ = real().__kmpc_global_thread_num(&ident_);
    for (unsigned i = 0; i < count_; ++i) real().__kmpc_serialized_parallel(&ident_, gtid_);
  }
  ~EnclosingLevels() {
    const tools::Silence silence;
    for (unsigned i = 0; i < count_; ++i) real().__kmpc_end_serialized_parallel(&ident_, gtid_);
  }
  EnclosingLevels(const EnclosingLevels&) = delete;
  EnclosingLevels& operator=(const EnclosingLevels&) = delete;

 private:
  const unsigned count_;
  Ident ident_ = {.flags = 2, .text = ";weft;serialised region;0;0;;"};
  std::int32_t gtid_ = 0;
};

}  // namespace

void start_openmp(Node& node) {
  // Threads that wait in libomp sleep soon: whoever they wait for may need their processor, as
  // libomp does not know of the other nodes on it.
  if (getenv("OMP_WAIT_POLICY") == nullptr) setenv("KMP_BLOCKTIME", "100us", 0);
  // Nor do they yield at every turn, other than where they are more than processors: beside
  // programs that compute, each time costs the rest of a time slice (runtime/waiting/crowding.hpp).
  setenv("KMP_USE_YIELD", "2", 0);
  // A target region without a wait is a task like any other here. libomp's threads for them are for
  // devices, which there are none of; begun from a nested region, they end the program (LLVM 19),
  // and in a team of one thread, which is a node's part of a larger one, they are waited for in
  // vain. None of them, rather than not to use them: libomp 19 keeps their numbers all the same,
  // and then runs out of numbers for others.
  if (getenv("LIBOMP_USE_HIDDEN_HELPER_TASK") == nullptr) {
    setenv("LIBOMP_NUM_HIDDEN_HELPER_THREADS", "0", 0);
  }
  // Teams of a league share the node's threads, not the machine's processors; the whole job's, if
  // they may all be on one node.
  const bool may_be_on_one = node.is_on_one_host() && spread_policy != SpreadPolicy::kAlways;
  const unsigned nodes = tools::prepare(node) || may_be_on_one ? node.node_count() : 1;
  const unsigned threads = nodes * node.threads_per_node();
  setenv("KMP_TEAMS_THREAD_LIMIT", std::to_string(threads).c_str(), 0);
  describe_node_in_affinity(node);
  become_main_thread();
  serve_loop_requests(node);
  serve_single_claims(node);
  serve_cancellations(node);
  serve_doacross_waits(node);
  tasks::start_tasks(node);
  prepare_copyprivate();
  prepare_threadprivate(node);
  start_placement(node);
  if (real().__kmpc_fork_call != nullptr) {
    if (getenv("OMP_NUM_THREADS") == nullptr) {
      real().omp_set_num_threads(static_cast<int>(node.node_count() * node.threads_per_node()));
    } else if (tools::is_expected()) {
      // libomp starts a tool with its first call. The program's first may be one that libomp does
      // not hear of (a lock's), or the one that begins a region and is to be told.
      static Ident start = {.flags = 2, .text = ";weft;start;0;0;;"};
      (void)real().__kmpc_global_thread_num(&start);
    }
  }
  // Node 0 may ask for iterations as soon as it has published its first loop: by then every node
  // must answer.
  node.barrier();
}

bool in_parallel_region() { return present_team() != nullptr || runs_league_part(); }

void run_worker_node(Node& node) {
  Bytes payload;
  while (node.wait_for_publication(payload)) {
    if (const std::optional<RestOrder> order = rest_order_in(payload)) {
      keep_rest_order(node, *order);
      continue;
    }
    auto region = value_of<ParallelRegion>(payload);
    const std::vector<ThreadLocalCopy> copies(region.thread_local_images.begin(),
                                              region.thread_local_images.end());
    for (void*& argument : region.arguments) {
      void* const original = argument;
      for (const ThreadLocalCopy& copy : copies) {
        if (argument == original) argument = copy.translate(original);
      }
    }
    adopt_region_values(region.values, region.arguments);
    const EnclosingLevels levels(region.outer_levels);
    adopt_control_variables(region.variables);
    adopt_affinity_format(region.affinity_format);
    adopt_floating_point(region.floating_point);
    if (region.teams == 0) begin_counting(region.times);
    run_local_part(node, region);
    report_times(node, region.times);
  }
}

}  // namespace weft
