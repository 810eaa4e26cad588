// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The UCX library as Weft needs it: one context and one worker, with settings chosen here and not
// through the environment. UCX_* variables that the user sets still win.
//
// - No memory hooks: the process maps and unmaps huge regions itself, and patches of mmap() that
//   look at each of them would only cost.
// - No signal handlers: a SIGSEGV may be an ordinary page fault of the mprotect back end.
// - Shared memory comes from memfds, never from files in /dev/shm (see interposed.cpp).
// - Messages are always eager. Frames are small (see flow.hpp), and rendezvous over shared memory
//   would need the permission to read another process's memory.
#pragma once

#include <ucp/api/ucp.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/result.hpp"

namespace weft {

enum class UcxNetwork {
  kAutomatic,     // whatever connects the nodes best
  kSharedMemory,  // nodes on one machine only
  kTcp,
};

struct UcxLibraryOptions {
  UcxNetwork network = UcxNetwork::kAutomatic;
  std::string net_devices;  // UCX's names separated by commas, as in UCX_NET_DEVICES; empty: all
  bool by_version_six = false;  // of those devices' addresses, those of version 6 if there are any
  bool small = false;           // with less room for what arrives, as it is little
  // Over shared memory nothing tells of a peer's death but a look at whether it is there. A peer
  // that has gone is noticed within so long, at most; 0: it is not looked for.
  std::chrono::seconds silence_limit{10};
};

class UcxLibrary {
 public:
  static Result<std::unique_ptr<UcxLibrary>> create(const UcxLibraryOptions& options);
  ~UcxLibrary();
  UcxLibrary(const UcxLibrary&) = delete;
  UcxLibrary& operator=(const UcxLibrary&) = delete;

  [[nodiscard]] ucp_worker_h worker() const { return worker_; }
  // Readable when the worker, once armed, has something to do.
  [[nodiscard]] int event_descriptor() const { return event_descriptor_; }

 private:
  UcxLibrary() = default;
  std::string open(const UcxLibraryOptions& options);  // a sentence if it failed

  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  int event_descriptor_ = -1;  // owned by the worker
};

}  // namespace weft
