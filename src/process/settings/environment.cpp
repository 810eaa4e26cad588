// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The environment. Its strings are in shared memory, so what getenv gives may be handed to any
// node, and getenv itself is the C library's. The array of pointers to them (environ) is each
// node's own; all of them are changed alike.
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/requests/topics.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft::process {
namespace {

bool is_name(const char* name) {
  return name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr;
}

bool is_time_zone(const char* variable) { return std::strncmp(variable, "TZ=", 3) == 0; }

// What the program has not made depend on a call of tzset; elsewhere it cannot know which thread's.
void follow_time_zone() {
  if (this_node()->self() != NodeId(0)) tzset();
}

bool is_set(const char* variable) {
  const std::size_t length = static_cast<std::size_t>(std::strchr(variable, '=') - variable);
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    if (std::strncmp(*each, variable, length + 1) == 0) return true;
  }
  return false;
}

Answer put(const Request& request) {
  auto* const variable = reinterpret_cast<char*>(request.a);
  if (request.b == 0 && is_set(variable)) return {};
  const int result = WEFT_REAL(putenv)(variable);
  if (is_time_zone(variable)) follow_time_zone();
  return answer_of(result == 0 ? 0 : -1);
}

Answer remove(const Request& request) {
  const Answer answer = answer_of(WEFT_REAL(unsetenv)(text_of(request)));
  if (std::strcmp(text_of(request), "TZ") == 0) follow_time_zone();
  return answer;
}

Answer clear(const Request&) { return answer_of(WEFT_REAL(clearenv)()); }

// "name=value" in shared memory; never freed, like the C library's: somebody may have a pointer.
char* make_variable(const char* name, const char* value) {
  const std::size_t name_bytes = std::strlen(name), value_bytes = std::strlen(value);
  auto* const made = static_cast<char*>(libc::program_allocate(name_bytes + value_bytes + 2));
  if (made == nullptr) return nullptr;
  std::memcpy(made, name, name_bytes);
  made[name_bytes] = '=';
  std::memcpy(made + name_bytes + 1, value, value_bytes + 1);
  return made;
}

int put_everywhere(Node& node, char* variable, bool overwrite) {
  if (variable == nullptr) return -1;
  return static_cast<int>(
      result_of(everywhere(node, {.call = Call::kPutVariable,
                                  .a = reinterpret_cast<std::intptr_t>(variable),
                                  .b = overwrite ? 1 : 0})));
}

int remove_everywhere(Node& node, const char* name) {
  return static_cast<int>(
      result_of(everywhere(node, {.call = Call::kRemoveVariable, .bytes = bytes_of_text(name)})));
}

}  // namespace

void perform_environment() {
  perform(Call::kPutVariable, put);
  perform(Call::kRemoveVariable, remove);
  perform(Call::kClearVariables, clear);
}

WEFT_ENTRY(int, setenv, const char* name, const char* value, int overwrite) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setenv)(name, value, overwrite);
  if (!is_name(name)) return errno = EINVAL, -1;
  return put_everywhere(*node, make_variable(name, value), overwrite != 0);
}

// The string itself becomes a part of the environment, if it is the same on all nodes.
WEFT_ENTRY(int, putenv, char* variable) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(putenv)(variable);
  const char* const value = std::strchr(variable, '=');
  if (value == nullptr) return remove_everywhere(*node, variable);
  if (node->is_shared(variable) || is_in_program(variable))
    return put_everywhere(*node, variable, true);
  char* const copy = static_cast<char*>(libc::program_allocate(std::strlen(variable) + 1));
  if (copy != nullptr) std::strcpy(copy, variable);
  return put_everywhere(*node, copy, true);
}

WEFT_ENTRY(int, unsetenv, const char* name) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(unsetenv)(name);
  if (!is_name(name)) return errno = EINVAL, -1;
  return remove_everywhere(*node, name);
}

WEFT_ENTRY(int, clearenv, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(clearenv)();
  return static_cast<int>(result_of(everywhere(*node, {.call = Call::kClearVariables})));
}

}  // namespace weft::process
