// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No call of the C library by its name: see own_calls.cpp.
#include "base/linking/wrapping_libraries.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/linking/bare_calls.hpp"
#include "base/linking/searched_objects.hpp"

namespace weft {
namespace {

using Kind = SearchedObject::Kind;

template <typename Type>
long word(Type* pointer) {
  return reinterpret_cast<long>(pointer);
}

// Memory that is never given back: the process is about to become another.
char* reserve(std::size_t bytes) {
  const long place = call_system(SYS_mmap, 0, static_cast<long>(bytes), PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  return place < 0 ? nullptr : reinterpret_cast<char*>(place);
}

// Texts with a zero behind each, as the kernel shows arguments and environments.
struct Texts {
  char* begin = nullptr;
  char* end = nullptr;
};

constexpr std::size_t kMostBytes = std::size_t{8} << 20U;  // more than the kernel takes

Texts read_texts(const char* path) {
  const long file = call_system(SYS_openat, AT_FDCWD, word(path), O_RDONLY | O_CLOEXEC);
  Texts texts{reserve(kMostBytes)};
  texts.end = texts.begin;
  if (file < 0 || texts.begin == nullptr) return {};
  for (;;) {
    const long room = texts.begin + kMostBytes - texts.end;
    const long count = call_system(SYS_read, file, word(texts.end), room);
    if (count < 0 || count == room) return {};
    if (count == 0) break;
    texts.end += count;
  }
  call_system(SYS_close, file);
  return texts;
}

// A list of pointers as execve takes it. Texts that begin with one of the names are left out.
class List {
 public:
  explicit List(const Texts& texts, const char* left_out = nullptr)
      : texts_(reinterpret_cast<char**>(reserve(kMostBytes))) {
    if (texts_ == nullptr) return;
    for (char* text = texts.begin; text < texts.end;) {
      if (left_out == nullptr || !begins_with(text, left_out)) add(text);
      while (*text++ != '\0') {
      }
    }
  }
  void add(char* text) { texts_[count_++] = text; }
  [[nodiscard]] char** texts() const { return texts_; }

 private:
  char** texts_;
  std::size_t count_ = 0;
};

// A text that grows.
class Text {
 public:
  Text() : begin_(reserve(kMostBytes)), end_(begin_) {}
  void add(const char* text) {
    while (*text != '\0') *end_++ = *text++;
  }
  [[nodiscard]] char* get() const { return begin_; }

 private:
  char* begin_;
  char* end_;
};

const char* variable(const Texts& environment, const char* name) {
  for (const char* text = environment.begin; text < environment.end;) {
    if (begins_with(text, name)) {
      while (*text++ != '=') {
      }
      return text;
    }
    while (*text++ != '\0') {
    }
  }
  return nullptr;
}

// Whether it defines a function that is the C library's, and that Weft takes over.
bool wraps(const SearchedObjects& objects, const SearchedObject& library) {
  const SymbolTable symbols(library.dynamic);
  const std::size_t end = symbols.end_of_definitions();
  for (std::size_t i = symbols.first_definition(); i < end; ++i) {
    if (!is_function(&symbols.at(i))) continue;
    const char* const text = symbols.name_of(symbols.at(i));
    const HashedName name(text);
    if (objects.defines(Kind::kWeft, name) && objects.defines(Kind::kLibraryOfC, name) &&
        !is_of_allocation(text)) {
      return true;
    }
  }
  return false;
}

// LD_PRELOAD has these between its parts.
bool can_be_preloaded(const char* path) {
  for (; *path != '\0'; ++path) {
    if (*path == ':' || *path == ' ') return false;
  }
  return true;
}

void execute_again(const char* libraries, const Texts& environment) {
  static char program[PATH_MAX];
  constexpr const char* kPreload = "LD_PRELOAD=";
  const Texts arguments = read_texts("/proc/self/cmdline");
  const List argument_list(arguments);
  List variables(environment, kPreload);
  const char* const others = variable(environment, kPreload);
  Text preload, once;
  if (arguments.begin == nullptr || argument_list.texts() == nullptr ||
      variables.texts() == nullptr || preload.get() == nullptr || once.get() == nullptr ||
      call_system(SYS_readlink, word("/proc/self/exe"), word(program), sizeof program - 1) < 0) {
    return;
  }
  preload.add(kPreload);
  preload.add(libraries);
  if (others != nullptr) preload.add(others);
  once.add(kWrappersFirstVariable);
  once.add("=1");
  variables.add(preload.get());
  variables.add(once.get());
  call_system(SYS_execve, word(program), word(argument_list.texts()), word(variables.texts()));
}

}  // namespace

void put_wrapping_libraries_first() {
  const SearchedObjects& objects = find_searched_objects();
  const auto is_wrapping = [&](const SearchedObject& object) {
    return object.kind == Kind::kLibraryOfProgram && can_be_preloaded(object.path) &&
           wraps(objects, object);
  };
  std::size_t first = 0;
  while (first < objects.count && !is_wrapping(objects.all[first])) ++first;
  if (first == objects.count) return;
  const Texts environment = read_texts("/proc/self/environ");
  Text libraries;
  if (environment.begin == nullptr || libraries.get() == nullptr ||
      variable(environment, kWrappersFirstVariable) != nullptr) {
    return;
  }
  for (std::size_t i = first; i < objects.count; ++i) {
    if (!is_wrapping(objects.all[i])) continue;
    libraries.add(objects.all[i].path);
    libraries.add(":");
  }
  execute_again(libraries.get(), environment);
}

}  // namespace weft
