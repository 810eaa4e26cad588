// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/private_memory.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <vector>

#include "base/codec.hpp"
#include "base/signal_safe_mutex.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/real_allocation.hpp"
#include "runtime/addresses/address_space.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft {
namespace {

struct Windows {
  std::uintptr_t end = 0;    // of node 0's; the others follow downwards
  std::uintptr_t bytes = 0;  // of each
  unsigned count = 0;
};
Windows windows;

// Of a thread, and what of it belongs to which library.
struct ThreadLocals {
  std::string library;  // empty: the program
  std::uintptr_t begin, end;
};
struct ThreadMemory {
  std::uintptr_t begin = 0, end = 0;
  std::vector<ThreadLocals> locals;
  bool has_program_stack = true;
};
SignalSafeMutex threads_lock;
std::vector<ThreadMemory>& threads() {
  static auto* const all = new std::vector<ThreadMemory>;
  return *all;
}

// Below the runtime's view of the region, or below that where stacks are unlimited.
Windows choose_windows(unsigned node_count) {
  constexpr std::uintptr_t kMost = std::uintptr_t{1} << 40;
  constexpr std::uintptr_t kAlignment = std::uintptr_t{1} << 21;
  rlimit limit = {};
  const bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  if (is_limited) return {};  // the gaps alone would take it all
  void* const probe = mmap(nullptr, kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (probe == MAP_FAILED) return {};
  munmap(probe, kPageBytes);
  const auto here = reinterpret_cast<std::uintptr_t>(probe);
  std::uintptr_t end = 0x7000'0000'0000, room = 0x1000'0000'0000;
  if (here < end) end = 0x1300'0000'0000, room = 0x0300'0000'0000;
  if (here < end || !kernel_maps_downwards()) return {};
  const std::uintptr_t bytes = std::min(kMost, room / node_count) & ~(kAlignment - 1);
  return {end, bytes, node_count};
}

// The heap below the break is at the same place on all nodes. With a page in the way it cannot
// grow, and the C library maps its memory; what it still has there is taken here, for good.
void leave_break() {
  const auto end = static_cast<std::uintptr_t>(syscall(SYS_brk, 0));
  const std::uintptr_t next_page = (end + kPageBytes - 1) & ~(kPageBytes - 1);
  void* const guard = mmap(reinterpret_cast<void*>(next_page), kPageBytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (guard == MAP_FAILED) return;
  const auto below_break = [end](void* block) {
    constexpr std::uintptr_t kFarthest = std::uintptr_t{1} << 30;
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    return address < end && end - address < kFarthest;
  };
  std::size_t bytes = std::size_t{1} << 20;
  while (bytes >= 16) {
    void* const block = libc::real_malloc(bytes);
    if (block != nullptr && below_break(block)) continue;
    libc::real_free(block);
    bytes = bytes > 2048 ? bytes / 2 : bytes - 16;
  }
}

std::vector<ThreadLocals> locals_of_this_thread() {
  std::vector<ThreadLocals> locals;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* out) {
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr) & header = object->dlpi_phdr[i];
          if (header.p_type != PT_TLS || object->dlpi_tls_data == nullptr) continue;
          const auto begin = reinterpret_cast<std::uintptr_t>(object->dlpi_tls_data);
          static_cast<std::vector<ThreadLocals>*>(out)->push_back(
              {object->dlpi_name, begin, begin + header.p_memsz});
        }
        return 0;
      },
      &locals);
  return locals;
}

// The name of the file that is mapped there; empty if it is none.
std::string file_mapped_at(std::uintptr_t address) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return {};
  char line[8192], name[4096];
  std::string found;
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t begin = 0, end = 0;
    name[0] = '\0';
    std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %*s %4095[^\n]", &begin, &end, name);
    if (address >= begin && address < end) found = name;
  }
  std::fclose(maps);
  return found;
}

std::string describe_in_thread(const ThreadMemory& thread, std::uintptr_t address) {
  for (const ThreadLocals& locals : thread.locals) {
    if (address < locals.begin || address >= locals.end) continue;
    return fmt::format(
        "a thread-local variable of {}. Pass on the address of an ordinary variable, or of a copy",
        locals.library.empty() ? "the program" : locals.library);
  }
  if (!thread.has_program_stack) {
    return "on the stack of one of its threads, which found no shared one: the node has them for "
           "so "
           "many threads at a time (docs/reference/openmp.md). Use more nodes, or weft run "
           "--threads-on here";
  }
  return "on the own stack of one of its threads, where libraries of the system keep what they "
         "return: copy it before it is passed on";
}

std::string describe(std::uintptr_t address) {
  {
    const std::lock_guard guard(threads_lock);
    for (const ThreadMemory& thread : threads()) {
      if (address >= thread.begin && address < thread.end)
        return describe_in_thread(thread, address);
    }
  }
  const std::string file = file_mapped_at(address);
  if (!file.empty()) return fmt::format("mapped from {} there. Read the file into memory", file);
  return "allocated or mapped there by the C library or another library. Let the node that made it "
         "use it, or copy what is needed; docs/reference/libraries.md says what libraries share";
}

// "file.c:12" of an address in an object, by addr2line; empty if there is no such tool or line. The
// program's environment is in shared memory, which must not be needed here.
std::string source_line(const std::string& file, std::uintptr_t offset) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string tool = "addr2line", object = "--exe=" + file, at = fmt::format("{:#x}", offset);
  char* arguments[] = {tool.data(), object.data(), at.data(), nullptr};
  char* environment[] = {nullptr};
  const int error = WEFT_REAL(posix_spawn)(nullptr, "/usr/bin/addr2line", &actions, nullptr,
                                           arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  syscall(SYS_close, ends[1]);
  char text[4096];
  const long count = error == 0 ? syscall(SYS_read, ends[0], text, sizeof text) : 0;
  syscall(SYS_close, ends[0]);
  const std::string line(text, count > 0 ? static_cast<std::size_t>(count) : 0);
  return line.starts_with("?") ? "" : line.substr(0, line.find_first_of(" \n"));
}

// The program's code that has led to the one that faulted, which may be a library's.
const void* programs_code(const void* code) {
  struct Walk {
    const void* code;
    bool is_behind_fault = false;
    const void* found = nullptr;
  } walk{code};
  if (is_in_program(code)) return code;
  (void)_Unwind_Backtrace(
      [](_Unwind_Context* context, void* argument) {
        auto& w = *static_cast<Walk*>(argument);
        const auto* at = reinterpret_cast<const std::byte*>(_Unwind_GetIP(context));
        if (w.is_behind_fault && is_in_program(at)) w.found = at - 1;  // within the call
        if (at == w.code) w.is_behind_fault = true;
        return w.found == nullptr ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &walk);
  return walk.found == nullptr ? code : walk.found;
}

// Whose code it is, and its line.
std::string place_of(const void* code) {
  Dl_info info;
  if (dladdr(code, &info) == 0 || info.dli_fname == nullptr) return fmt::format("{}", code);
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const auto* const header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  const bool is_where_linked = header->e_type == ET_EXEC;
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(code) - (is_where_linked ? 0 : base);
  const std::string line = source_line(info.dli_fname, offset);
  const std::string function = info.dli_sname == nullptr ? "" : fmt::format("{}, ", info.dli_sname);
  return fmt::format("{}{}", function,
                     line.empty() ? fmt::format("{} + {:#x}", info.dli_fname, offset) : line);
}

}  // namespace

void confine_private_memory(NodeId self, unsigned node_count) {
  windows = choose_windows(node_count);
  if (windows.count == 0) return;
  static auto* const fillers = new std::vector<Filler>;  // for as long as the process lives
  fill_gaps_down_to(windows.end - self.value() * windows.bytes, *fillers);
  leave_break();
}

std::optional<NodeId> owner_of_private_memory(const void* address) {
  if (const std::optional<NodeId> owner = owner_of_place(address)) return owner;
  const std::uintptr_t distance = windows.end - 1 - reinterpret_cast<std::uintptr_t>(address);
  if (windows.count == 0 || distance >= windows.count * windows.bytes) return std::nullopt;
  return NodeId(static_cast<std::uint16_t>(distance / windows.bytes));
}

void note_thread_memory(bool has_program_stack) {
  thread_local bool is_noted = false;
  if (std::exchange(is_noted, true)) return;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  void* begin = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  ThreadMemory memory{first, first + bytes, locals_of_this_thread(), has_program_stack};
  const std::lock_guard guard(threads_lock);
  // Of a thread that is gone and whose stack this one has got.
  std::erase_if(threads(), [&](const ThreadMemory& other) { return other.begin == memory.begin; });
  threads().push_back(std::move(memory));
}

void serve_private_memory(Node& node) {
  node.serve(Service::kTouched, [](NodeId, ByteView request) {
    const std::string text = describe(value_of<std::uintptr_t>(request));
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    return Bytes(bytes, bytes + text.size());
  });
}

std::string explain_private_access(Node& node, const void* address, const void* code) {
  const std::optional<NodeId> owner = owner_of_private_memory(address);
  if (!owner || *owner == node.self()) return {};
  const Bytes answer =
      node.call(*owner, Service::kTouched, to_bytes(reinterpret_cast<std::uintptr_t>(address)));
  return fmt::format(
      "the program has touched {}, which is private memory of node {}: {}. It did so at {}",
      address, owner->value(),
      std::string(reinterpret_cast<const char*>(answer.data()), answer.size()),
      place_of(programs_code(code)));
}

}  // namespace weft
