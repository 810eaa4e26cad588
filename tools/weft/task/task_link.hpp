// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task's connection to the first task of its host, which serves the job's socket there
// (jobs/job_state.hpp): that may look at this task's node, and have signals sent to it. It is no
// part of the job: without it the job runs, but not all of it is seen. Nothing here blocks.
#pragma once

#include <memory>
#include <string>

#include "weft/agent/frame_link.hpp"
#include "weft/jobs/runtime_folder.hpp"
#include "weft/nodes/local_nodes.hpp"

namespace weft {

class TaskLink {
 public:
  // `path`: of the socket. Nothing if it cannot be reached.
  static std::unique_ptr<TaskLink> connect(const std::string& path, const char* version,
                                           unsigned node);

  // -1 once the first task is gone.
  [[nodiscard]] int descriptor() const { return link_.is_open() ? link_.in() : -1; }
  // For poll(): what handle() waits for.
  [[nodiscard]] short events() const;
  void handle(LocalNodes& node);
  // The job ends by force, and the first task may be killed before it can do that.
  void remove_socket() { folder_.remove(name_); }

 private:
  TaskLink(RuntimeFolder folder, std::string name, int connection, unsigned node);
  void handle(const StreamFrame& frame, LocalNodes& node);

  RuntimeFolder folder_;
  std::string name_;
  FrameLink link_;
  const unsigned node_;
};

}  // namespace weft
