// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The launcher's end of the job's socket, by which `weft ps`, `status`, `top` and `kill` reach it.
// Where another launcher has started the job, it is that of a host's first task, and the other
// tasks of the host join there. Nothing here blocks. The socket is removed with this.
#pragma once

#include <map>
#include <memory>
#include <optional>
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
  // Why the job cannot have the signal, for the user; empty if it can.
  [[nodiscard]] virtual std::string why_no_signal(int /*signal*/) const { return {}; }
  virtual void on_signal_wanted(int signal) = 0;
  // Whether a task with that node may join; each does so once.
  [[nodiscard]] virtual bool may_join(unsigned /*node*/) const { return false; }
  // A task that has joined answers look().
  virtual void on_views(const HostViews& /*views*/) {}
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

  // --- the tasks that have joined ---
  [[nodiscard]] bool has_joined(unsigned node) const;
  void look(const ViewQuestion& question);
  // To their nodes.
  void signal(int number);

  // The socket's file.
  [[nodiscard]] std::string path() const { return socket_.folder.path() + "/" + socket_.name; }
  // Removes it: nobody finds the job any more. Connections stay.
  void hide();

 private:
  struct Connection {
    explicit Connection(int descriptor) : link(descriptor, descriptor) {}
    FrameLink link;
    bool waits = false;  // for the state
    bool waits_for_room = false;
    std::optional<unsigned> node;  // of the task that has joined
  };

  JobSocket(RuntimeFolder::Socket socket, const char* version);
  void take_connection();
  void handle(Connection& connection, const StreamFrame& frame, JobRequests& requests) const;
  void handle_request(Connection& connection, const StreamFrame& frame,
                      JobRequests& requests) const;
  void on_join(Connection& connection, const StreamFrame& frame, const JobRequests& requests) const;
  void send_to_joined(JobMessage kind, ByteView body);
  [[nodiscard]] std::size_t count_commands() const;
  void watch_for_room(Connection& connection) const;

  RuntimeFolder::Socket socket_;
  std::string version_;
  int epoll_;
  bool is_hidden_ = false;
  std::map<int, std::unique_ptr<Connection>> connections_;  // by their descriptors
};

}  // namespace weft
