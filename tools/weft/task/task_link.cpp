// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_link.hpp"

#include <poll.h>

#include <utility>

#include "weft/jobs/job_state.hpp"

namespace weft {

std::unique_ptr<TaskLink> TaskLink::connect(const std::string& path, const char* version,
                                            unsigned node) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return nullptr;
  auto folder = RuntimeFolder::open(path.substr(0, slash));
  if (!folder) return nullptr;
  std::string name = path.substr(slash + 1);
  const int connection = folder.value().connect(name);
  if (connection < 0) return nullptr;
  std::unique_ptr<TaskLink> link(
      new TaskLink(std::move(folder.value()), std::move(name), connection, node));
  link->link_.send(static_cast<std::uint8_t>(JobMessage::kJoin),
                   to_bytes(JobJoin{.version = version, .node = node}));
  return link;
}

TaskLink::TaskLink(RuntimeFolder folder, std::string name, int connection, unsigned node)
    : folder_(std::move(folder)),
      name_(std::move(name)),
      link_(connection, connection),
      node_(node) {}

short TaskLink::events() const {
  return link_.queued_bytes() > 0 ? short{POLLIN | POLLOUT} : short{POLLIN};
}

void TaskLink::handle(LocalNodes& node) {
  link_.write_some();
  link_.read_some();
  while (const auto frame = link_.next()) handle(*frame, node);
  if (link_.is_open()) return;
  link_.close();
  folder_.sweep();  // if the first task was killed, its socket is still there
}

void TaskLink::handle(const StreamFrame& frame, LocalNodes& node) {
  switch (static_cast<JobMessage>(frame.kind)) {
    case JobMessage::kLook:
      if (const auto question = from_bytes<ViewQuestion>(frame.body)) {
        link_.send(static_cast<std::uint8_t>(JobMessage::kViews), to_bytes(node.views(*question)));
      }
      return;
    case JobMessage::kSignal:
      if (const auto number = from_bytes<int>(frame.body)) node.signal(node_, *number);
      return;
    case JobMessage::kAskState:
    case JobMessage::kAskSignal:
    case JobMessage::kState:
    case JobMessage::kDone:
    case JobMessage::kRefused:
    case JobMessage::kJoin:
    case JobMessage::kViews:
      return;
  }
}

}  // namespace weft
