// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/protection.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "libc/interposition/hooks.hpp"
#include "maps/contents.hpp"
#include "maps/mapping.hpp"

namespace weft::maps {
namespace {

// Between the maps and the control blocks of runtime/addresses/layout.hpp; a part for each node.
constexpr std::uintptr_t kBegin = 0x4000'0000'0000, kEnd = 0x5000'0000'0000;
constexpr std::size_t kBytesOfNode = std::size_t{1} << 37;

constinit std::atomic<std::size_t> used_bytes = 0;

}  // namespace

bool has_fault_handler() {
  for (const int signal : {SIGSEGV, SIGBUS}) {
    struct sigaction action = {};
    libc::hooks()->fault_action(signal, &action);
    const bool is_default = action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN;
    if ((action.sa_flags & SA_SIGINFO) != 0 || !is_default) return true;
  }
  return false;
}

void* untouchable(const Node& node, std::size_t bytes) {
  const std::size_t at = used_bytes.fetch_add(bytes);
  if (bytes > kBytesOfNode || at > kBytesOfNode - bytes) return nullptr;
  return reinterpret_cast<void*>(kBegin + node.self().value() * kBytesOfNode + at);
}

bool is_untouchable(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - kBegin < kEnd - kBegin;
}

bool give_access(Node& node, AddressRange range) {
  if (the_table().count() == 0) return true;
  return with_table(node, [&](MapTable& table) {
    for (const MapRecord& part : table.parts_in(range)) {
      if (part.kind != MapKind::kSharedFile || access_mode_of(part.file) == O_RDWR) continue;
      errno = EACCES;
      return false;
    }
    table.allow_writes(range);
    return true;
  });
}

void check_protection(Node& node, const void* address, int protection) {
  if ((protection & PROT_EXEC) != 0) {
    node.fail(
        "mprotect with PROT_EXEC: code that the program makes would be on this node alone; run "
        "the program on one node");
  }
  const bool takes_away = (protection & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE);
  if (takes_away && has_fault_handler()) {
    node.fail(
        "mprotect that takes access away, in a program that has a handler for SIGSEGV or "
        "SIGBUS: in a job of several nodes the touch would be no fault; run the program on one "
        "node");
  }
  if (is_untouchable(address)) {
    node.fail(
        "mprotect that gives access to what was mapped with PROT_NONE while the program had a "
        "handler for SIGSEGV or SIGBUS: in a job of several nodes such memory stays without "
        "access; set the handler later, or map the memory with access");
  }
}

}  // namespace weft::maps
