// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where threads run: libomp binds and reports them, node by node. In what is reported, threads have
// their numbers in the whole team, and the process's line says which node it is.
#include "openmp/queries/affinity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/signal_safe_mutex.hpp"
#include "openmp/libomp/real.hpp"
#include "openmp/queries/environment.hpp"
#include "stacks/stacks.hpp"

// Defined in queries.cpp.
WEFT_ENTRY int omp_get_thread_num(void);
WEFT_ENTRY int omp_get_num_threads(void);
WEFT_ENTRY int omp_get_ancestor_thread_num(int level);

namespace weft::openmp {
namespace {

constexpr std::size_t kLongestFormat = 4096;

SignalSafeMutex new_format_lock;
std::string new_format;

// A field of an affinity format: %[[[0].]size]type, where the type is a letter or {name}.
struct Field {
  std::size_t length = 0;  // of its text, 0 if there is none here
  bool zeros = false, right = false;
  int width = 0;
  std::string_view type;
};

Field field_at(std::string_view text) {
  Field field;
  std::size_t at = 1;
  const auto is = [&](auto test) { return at < text.size() && test(text[at]); };
  if (is([](char c) { return c == '0'; })) field.zeros = true, ++at;
  if (is([](char c) { return c == '.'; })) field.right = true, ++at;
  for (; is([](char c) { return c >= '0' && c <= '9'; }); ++at) {
    field.width = field.width * 10 + (text[at] - '0');
  }
  if (at >= text.size()) return field;
  const std::size_t end = text[at] == '{' ? text.find('}', at) : at;
  if (end == std::string_view::npos) return field;
  field.type = text.substr(at, end + 1 - at);
  field.length = end + 1;
  return field;
}

std::string number_in(const Field& field, int number) {
  if (field.width == 0) return fmt::format("{}", number);
  if (!field.right) return fmt::format("{:<{}}", number, field.width);
  return field.zeros ? fmt::format("{:0{}}", number, field.width)
                     : fmt::format("{:>{}}", number, field.width);
}

// What libomp does not know: the thread's place in teams that span nodes, or lie inside one.
std::optional<int> value_of(std::string_view type) {
  if (type == "n" || type == "{thread_num}") return omp_get_thread_num();
  if (type == "N" || type == "{num_threads}") return omp_get_num_threads();
  if (type == "a" || type == "{ancestor_tnum}") {
    return omp_get_ancestor_thread_num(real().omp_get_level() - 1);
  }
  return std::nullopt;
}

// The format with the fields filled in whose values libomp does not know.
std::string filled_in(std::string_view format) {
  std::string out;
  while (!format.empty()) {
    const std::size_t percent = format.find('%');
    out += format.substr(0, percent);
    if (percent == std::string_view::npos) break;
    format.remove_prefix(percent);
    const Field field = field_at(format);
    const std::size_t length = field.length == 0 ? 1 : field.length;
    if (const std::optional<int> value = value_of(field.type)) {
      out += number_in(field, *value);
    } else {
      out += format.substr(0, length);
    }
    format.remove_prefix(length);
  }
  return out;
}

std::string format_for(const char* format) {
  if (format != nullptr && *format != '\0') return filled_in(format);
  std::string own(kLongestFormat, '\0');
  real().ompc_get_affinity_format(own.data(), own.size());
  return filled_in(own.c_str());
}

// Whether each thread is to be described when it begins a region that is new to it
// (OMP_DISPLAY_AFFINITY). libomp knows the parts of a team alone, so it is not told.
bool displays = false;

}  // namespace

void describe_node_in_affinity(const Node& node) {
  if (node.self() != NodeId(0)) {
    // Once for the job is enough.
    unsetenv("OMP_DISPLAY_ENV");
    unsetenv("KMP_SETTINGS");
  }
  const std::string format = fmt::format(
      "OMP: node {} pid %P tid %i thread %n bound to OS proc set {{%A}}", node.self().value());
  setenv("OMP_AFFINITY_FORMAT", format.c_str(), 0);
  displays = logical_variable("OMP_DISPLAY_AFFINITY", false);
  if (displays) unsetenv("OMP_DISPLAY_AFFINITY");
}

void display_affinity_in_region(int proc_bind) {
  if (!displays) return;
  struct Place {
    int threads = 0, level = 0, proc_bind = 0, number = 0;
    bool operator==(const Place&) const = default;
  };
  thread_local Place last;
  const Place here{.threads = omp_get_num_threads(),
                   .level = real().omp_get_level(),
                   .proc_bind = proc_bind,
                   .number = real().omp_get_place_num()};
  if (std::exchange(last, here) == here) return;
  real().ompc_display_affinity(format_for(nullptr).c_str());
}

std::string take_new_affinity_format() {
  const std::scoped_lock guard(new_format_lock);
  return std::exchange(new_format, {});
}

void adopt_affinity_format(const std::string& format) {
  if (!format.empty()) real().ompc_set_affinity_format(format.c_str());
}

}  // namespace weft::openmp

using namespace weft::openmp;

WEFT_ENTRY void ompc_set_affinity_format(const char* format) {
  const std::string own(format);
  weft::on_runtime_stack([&] {
    real().ompc_set_affinity_format(own.c_str());
    const std::scoped_lock guard(new_format_lock);
    new_format = own;
  });
}

// C's; the names in omp.h stand for these.
WEFT_ENTRY std::size_t ompc_capture_affinity(char* buffer, std::size_t size, const char* format) {
  return weft::on_runtime_stack([&] {
    const std::string own = format_for(format);
    return real().ompc_capture_affinity(buffer, size, own.c_str());
  });
}

WEFT_ENTRY void ompc_display_affinity(const char* format) {
  weft::on_runtime_stack([&] {
    const std::string own = format_for(format);
    real().ompc_display_affinity(own.c_str());
  });
}

// Fortran's: the lengths of the strings come last, and what is left of the buffer is blank.
#define WEFT_FORTRAN_AFFINITY(suffix)                                                            \
  WEFT_ENTRY std::size_t omp_capture_affinity##suffix(char* buffer, const char* format,          \
                                                      std::size_t size, std::size_t length) {    \
    return weft::on_runtime_stack([&] {                                                          \
      std::string text(kLongestFormat, '\0');                                                    \
      const std::string own(format, length);                                                     \
      const std::size_t needed = ompc_capture_affinity(text.data(), text.size(), own.c_str());   \
      std::memset(buffer, ' ', size);                                                            \
      std::memcpy(buffer, text.data(), std::min(size, std::min(needed, text.size() - 1)));       \
      return needed;                                                                             \
    });                                                                                          \
  }                                                                                              \
  WEFT_ENTRY void omp_set_affinity_format##suffix(const char* format, std::size_t length) {      \
    ompc_set_affinity_format(std::string(format, length).c_str());                               \
  }                                                                                              \
  WEFT_ENTRY void omp_display_affinity##suffix(const char* format, std::size_t length) {         \
    weft::on_runtime_stack([&] { ompc_display_affinity(std::string(format, length).c_str()); }); \
  }
WEFT_FORTRAN_AFFINITY()
WEFT_FORTRAN_AFFINITY(_)
