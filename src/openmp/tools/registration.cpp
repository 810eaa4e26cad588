// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How Weft comes between libomp and a tool. libomp calls ompt_start_tool when it starts: the
// executable's, if there is one, which stands before everything else in symbol search, also before
// what is preloaded. So it is the call that is redirected, in libomp's own table of what it calls
// from elsewhere. If that is not there, the tool is libomp's alone, and hears of its part.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>

#include "openmp/libomp/real.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/libraries/library_of.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft::openmp::tools {

namespace detail {
bool is_watching = false;
}

namespace {

using StartTool = ompt_start_tool_result_t* (*)(unsigned, const char*);

constexpr const char* kStartTool = "ompt_start_tool";
constexpr std::size_t kEvents = ompt_callback_error + 1;
// Weft follows these for itself, too.
constexpr std::array kFollowed = {ompt_callback_thread_begin, ompt_callback_parallel_begin,
                                  ompt_callback_parallel_end, ompt_callback_implicit_task};

StartTool original_start_tool = nullptr;
bool may_start = false;
ompt_start_tool_result_t* tool = nullptr;
ompt_function_lookup_t real_lookup = nullptr;
RealTools functions;
std::array<std::atomic<ompt_callback_t>, kEvents> callbacks;
bool job_has_one_tool = false, is_node_0 = true;
// Ids are what this counts, with the node in the last place.
std::atomic<std::uint64_t> id_count{0};
std::uint64_t node_number = 0, node_count = 1;

template <typename T>
void find(T& function, const char* name) {
  function = reinterpret_cast<T>(real_lookup(name));
}

ompt_interface_fn_t look_up(const char* name) {
  const ompt_interface_fn_t own = query_named(name);
  return own != nullptr ? own : real_lookup(name);
}

int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
  real_lookup = lookup;
  find(functions.set_callback, "ompt_set_callback");
  find(functions.get_callback, "ompt_get_callback");
  find(functions.get_state, "ompt_get_state");
  find(functions.get_task_info, "ompt_get_task_info");
  find(functions.get_task_memory, "ompt_get_task_memory");
  find(functions.get_parallel_info, "ompt_get_parallel_info");
  find(functions.get_thread_data, "ompt_get_thread_data");
  job_has_one_tool = is_in_program(reinterpret_cast<const void*>(tool->initialize));
  const int result = tool->initialize(look_up, device, &tool->tool_data);
  (void)data;
  detail::is_watching = result != 0;
  for (const ompt_callbacks_t event : kFollowed) {
    if (result != 0) functions.set_callback(event, filter_of(event, nullptr));
  }
  return result;
}

void finalize(ompt_data_t* data) {
  (void)data;
  tool->finalize(&tool->tool_data);
}

// Tools that OMP_TOOL_LIBRARIES names: the first that wants to watch. libomp would look for them
// itself, but only if there is none in the program.
ompt_start_tool_result_t* start_from_libraries(unsigned version, const char* runtime) {
  const char* const names = getenv("OMP_TOOL_LIBRARIES");
  if (names == nullptr) return nullptr;
  const std::string list = names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    void* const library = name.empty() ? nullptr : dlopen(name.c_str(), RTLD_LAZY);
    if (library == nullptr) continue;
    const auto start = reinterpret_cast<StartTool>(dlsym(library, kStartTool));
    ompt_start_tool_result_t* const result = start != nullptr ? start(version, runtime) : nullptr;
    if (result != nullptr) return result;
    dlclose(library);
  }
  return nullptr;
}

ompt_start_tool_result_t* start_tool(unsigned version, const char* runtime) {
  static ompt_start_tool_result_t own = {initialize, finalize, {0}};
  tool = original_start_tool(version, runtime);
  if (tool == nullptr) tool = start_from_libraries(version, runtime);
  return tool != nullptr ? &own : nullptr;
}

// The words through which a library calls a function of that name.
class ImportedCalls {
 public:
  explicit ImportedCalls(const link_map& library) : base_(library.l_addr) {
    for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
      // glibc has made these absolute.
      const auto address = entry->d_un.d_ptr;
      if (entry->d_tag == DT_STRTAB) strings_ = reinterpret_cast<const char*>(address);
      if (entry->d_tag == DT_SYMTAB) symbols_ = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_JMPREL) tables_[0] = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_RELA) tables_[1] = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) bytes_[0] = entry->d_un.d_val;
      if (entry->d_tag == DT_RELASZ) bytes_[1] = entry->d_un.d_val;
    }
  }

  template <typename F>
  void redirect(const char* name, F to) const {
    for (int table = 0; table < 2; ++table) {
      if (tables_[table] == nullptr || symbols_ == nullptr || strings_ == nullptr) continue;
      for (std::size_t i = 0; i < bytes_[table] / sizeof(ElfW(Rela)); ++i) {
        const ElfW(Rela) & relocation = tables_[table][i];
        const std::size_t symbol = ELF64_R_SYM(relocation.r_info);
        if (symbol == 0 || strcmp(strings_ + symbols_[symbol].st_name, name) != 0) continue;
        write(base_ + relocation.r_offset, reinterpret_cast<std::uintptr_t>(to));
      }
    }
  }

 private:
  static void write(ElfW(Addr) where, std::uintptr_t value) {
    const auto page = static_cast<ElfW(Addr)>(getpagesize());
    void* const begin = reinterpret_cast<void*>(where & ~(page - 1));
    // It may be among what the dynamic linker has made read-only; to leave it writable is harmless.
    if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
    *reinterpret_cast<std::uintptr_t*>(where) = value;
  }

  const ElfW(Addr) base_;
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  const ElfW(Rela) * tables_[2] = {};
  std::size_t bytes_[2] = {};
};

}  // namespace

bool prepare(Node& node) {
  is_node_0 = node.self() == NodeId(0);
  node_number = node.self().value();
  node_count = node.node_count();
  const void* const address = reinterpret_cast<const void*>(real().__kmpc_fork_call);
  const link_map* const libomp = library_of(address);
  if (libomp == nullptr) return false;
  original_start_tool = reinterpret_cast<StartTool>(dlsym(RTLD_DEFAULT, kStartTool));
  if (original_start_tool == nullptr) return false;
  ImportedCalls(*libomp).redirect(kStartTool, start_tool);
  // libomp has one itself, which starts nothing.
  const bool is_libomps = library_of(reinterpret_cast<const void*>(original_start_tool)) == libomp;
  may_start = !is_libomps || getenv("OMP_TOOL_LIBRARIES") != nullptr;
  return is_in_program(reinterpret_cast<const void*>(original_start_tool));
}

bool is_expected() { return may_start; }
const RealTools& real_tools() { return functions; }
bool is_of_job() { return job_has_one_tool; }
bool told_by_node_0() { return job_has_one_tool && !is_node_0; }

ompt_callback_t registered(ompt_callbacks_t event) {
  return callbacks[static_cast<std::size_t>(event)].load(std::memory_order_relaxed);
}

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  const ompt_set_result_t result =
      functions.set_callback(event, callback != nullptr ? filter_of(event, callback) : nullptr);
  if (static_cast<std::size_t>(event) >= kEvents) return result;
  if (result != ompt_set_error) callbacks[static_cast<std::size_t>(event)] = callback;
  const bool is_followed = std::ranges::find(kFollowed, event) != kFollowed.end();
  if (callback == nullptr && is_followed) functions.set_callback(event, filter_of(event, nullptr));
  return result;
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  if (static_cast<std::size_t>(event) >= kEvents) return functions.get_callback(event, callback);
  *callback = registered(event);
  return *callback != nullptr ? 1 : 0;
}

std::uint64_t unique_id() {
  return id_count.fetch_add(1, std::memory_order_relaxed) * node_count + node_number + 1;
}

std::uint64_t ids_until_now() { return id_count.load(std::memory_order_relaxed); }

void skip_ids(std::uint64_t until) {
  std::uint64_t count = id_count.load(std::memory_order_relaxed);
  while (count < until && !id_count.compare_exchange_weak(count, until)) {
  }
}

}  // namespace weft::openmp::tools
