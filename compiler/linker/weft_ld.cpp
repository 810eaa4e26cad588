// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands before the linker: weft-link.cfg has the compiler look for its linker in
// lib/weft-linker first, where this program lies under the names that linkers have. It looks at
// what is to be linked, and becomes the linker of that name.
//
// Rejected: looking in weftcc. It does not see the links of CMake's targets (Weft::Weft), nor what
// -l finds, nor the objects that a command compiles and links at once.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/arguments.hpp"
#include "compiler/linker/thread_locals.hpp"
#include "compiler/linker/unmarked_openmp.hpp"

namespace weft::linker {
namespace {

// What links such objects all the same. Linkers know it, too: so it may stay, also where it came in
// a response file.
constexpr std::string_view kAllow = "--defsym=weft_allow_openmp=1";

// What links the note that thread-local variables follow (src/start/following_thread_locals.cpp).
constexpr const char* kFollow = "--undefined=weft_thread_locals_follow";

// Joins objects, to be linked with others.
bool is_partial(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& word) {
    return word == "-r" || word == "-i" || word.ends_with("-relocatable");
  });
}

// Where the compiler would have looked: beside itself, then in PATH.
std::vector<std::string> folders() {
  std::vector<std::string> folders;
  std::error_code error;
  const auto compiler =
      std::filesystem::read_symlink("/proc/" + std::to_string(getppid()) + "/exe", error);
  if (!error) folders.push_back(compiler.parent_path());
  const char* const path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    folders.push_back(rest.substr(0, colon));
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  return folders;
}

std::string find_linker(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::string& folder : folders()) {
    const std::filesystem::path candidate = std::filesystem::path(folder) / name;
    if (access(candidate.c_str(), X_OK) == 0 &&
        !std::filesystem::equivalent(candidate, self, error)) {
      return candidate;
    }
  }
  return {};
}

int become(const std::string& linker, std::vector<std::string> arguments) {
  std::vector<char*> pointers;
  for (std::string& word : arguments) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(linker.c_str(), pointers.data());
  std::fprintf(stderr, "weft: error: cannot run the linker %s: %s\n", linker.c_str(),
               std::strerror(errno));
  return 1;
}

int run(std::vector<std::string> arguments) {
  const std::string name = std::filesystem::path(arguments[0]).filename();
  const std::string linker = find_linker(name);
  if (linker.empty()) {
    std::fprintf(stderr, "weft: error: there is no linker %s beside the compiler or in PATH\n",
                 name.c_str());
    return 1;
  }
  arguments[0] = linker;
  const std::vector<std::string> expanded = driver::expand(arguments);
  const LinkCommand command = read_command(expanded);
  if (std::find(expanded.begin(), expanded.end(), kAllow) == expanded.end()) {
    const std::string complaint = complaint_about(command);
    if (!complaint.empty()) {
      std::fprintf(stderr, "weft: error: %s\n", complaint.c_str());
      return 1;
    }
  }
  if (!is_partial(expanded) && thread_locals_follow(command)) arguments.emplace_back(kFollow);
  return become(linker, std::move(arguments));
}

}  // namespace
}  // namespace weft::linker

int main(int argc, char** argv) {
  return weft::linker::run(std::vector<std::string>(argv, argv + argc));
}
