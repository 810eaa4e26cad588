// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes say to each other beside the protocol: regions, loops, tasks, libraries that are
// loaded, calls that are made for another node, freed blocks, threads.
#include "base/threads/floating_point.hpp"
#include "fuzz/fuzzed.hpp"
#include "heap/remote_frees.hpp"
#include "openmp/loops/doacross_waits.hpp"
#include "openmp/loops/loop_requests.hpp"
#include "openmp/placement/computed_times.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/schedules/loop_share.hpp"
#include "openmp/scheduling/scheduler_messages.hpp"
#include "openmp/synchronisation/single_count.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "process/requests/calls.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "runtime/driver/service_messages.hpp"
#include "runtime/interface/rest_order.hpp"
#include "runtime/loading/loading_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  fuzzed::check_one_of<openmp::tasks::Ask, openmp::tasks::Give, openmp::tasks::Ended,
                       openmp::ParallelRegion, RestOrder, openmp::LoopShape, openmp::IterationSpan,
                       openmp::SingleCount::Answer, openmp::ThreadLocalImage, LoadRequest,
                       LoadAnswer, ServiceRequest, ServiceReply, process::Request, process::Answer,
                       pthread::ThreadRequest, pthread::ThreadAnswer, heap::FreeMessage,
                       openmp::tasks::SchedulerNotice, openmp::LoopRequest, openmp::DoacrossMessage,
                       openmp::SingleCount::Claim, openmp::TimesReport>(fuzzed::input(data, size));
  return 0;
}
