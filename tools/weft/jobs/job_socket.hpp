// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher's end of the job's socket, by which `weft ps`, `status`, `top` and `kill` reach it.
// Nothing here blocks. The socket is removed with this.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "weft/agent/frame_link.hpp"
#include "weft/jobs/job_state.hpp"
#include "weft/jobs/runtime_folder.hpp"

namespace weft {

class JobRequests {
 public:
  virtual ~JobRequests() = default;
  // JobSocket::answer() is to follow, be it later. `texts`: with words for addresses.
  virtual void on_state_wanted(bool texts) = 0;
  virtual void on_signal_wanted(int signal) = 0;
};

class JobSocket {
 public:
  // The job's name is the number of this process, wherever that is not taken.
  static Result<std::unique_ptr<JobSocket>> open(const char* version);
  ~JobSocket();
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;

  // Readable when handle() has something to do.
  [[nodiscard]] int descriptor() const { return epoll_; }
  void handle(JobRequests& requests);
  // To all that wait for one.
  void answer(const JobState& state);

 private:
  struct Connection {
    explicit Connection(int descriptor) : link(descriptor, descriptor) {}
    FrameLink link;
    bool waits = false;  // for the state
    bool waits_for_room = false;
  };

  JobSocket(RuntimeFolder::Socket socket, const char* version);
  void take_connection();
  void handle(Connection& connection, const StreamFrame& frame, JobRequests& requests) const;
  void watch_for_room(Connection& connection) const;

  RuntimeFolder::Socket socket_;
  std::string version_;
  int epoll_;
  std::map<int, std::unique_ptr<Connection>> connections_;  // by their descriptors
};

}  // namespace weft
