// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ProtocolCheck is told by the driver.
#include <fmt/format.h>

#include <utility>

#include "runtime/driver/driver.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "runtime/libraries/symbols.hpp"

namespace weft {
namespace {

// A program object without a path of its own.
const std::string kExecutable = "/proc/self/exe";

}  // namespace

ProtocolCheck::Host Driver::check_host() {
  ProtocolCheck::Host host;
  host.self = parts_.engine.self;
  host.node_count = parts_.engine.node_count;
  host.locked = [this](const std::function<void()>& action) {
    const std::lock_guard guard(lock_);
    action();
  };
  host.send = [this](NodeId to, Bytes message) {
    message.insert(message.begin(), static_cast<std::byte>(ServiceKind::kCheck));
    transmit(to, Channel::kControl, std::move(message));
  };
  host.wait_while = [this](const std::atomic<std::uint32_t>& word, std::uint32_t value) {
    wait_while(word, value, std::nullopt);
  };
  host.state = [this] {
    return ProtocolCheck::State{.sent = protocol_sent_,
                                .received = protocol_received_,
                                .epoch = engine_.epoch().value(),
                                .others_here = rest_.has_outside_threads()};
  };
  host.home_of = [this](PageIndex page) { return engine_.home_of(page); };
  host.place_name = [this](PageIndex page, std::size_t byte) { return place_name(page, byte); };
  host.fail = [this](const std::string& sentence) { fail(sentence); };
  return host;
}

std::string Driver::place_name(PageIndex page, std::size_t byte) const {
  const GlobalOffset where(page.value() * kPageBytes + byte);
  const std::uintptr_t address = parts_.memory->region().program_address(where).value();
  const auto* const pointer = reinterpret_cast<const void*>(address);
  for (const ProgramObject& object : program_objects()) {
    if (pointer < object.data.begin || pointer >= object.data.end) continue;
    const std::string name = variable_at(object.path.empty() ? kExecutable : object.path, address);
    return fmt::format("{} at {}", name.empty() ? "a static variable" : name, pointer);
  }
  return fmt::format("memory of the heap or of a stack at {}", pointer);
}

}  // namespace weft
