// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weftcc, weftc++ and weftfc: the compiler underneath, with the options of a Weft program.
//
// The options are in configuration files beside the libraries (build/lib/weft-*.cfg), which clang
// and flang read themselves. That keeps this program small, and leaves to the compiler's own
// driver what only it knows: whether a command links, and which option is used by which step.
// Rejected: adding the options to the command line. Which arguments are inputs, and whether
// anything is linked at all, would have to be worked out here for some thousand options.
#include <linux/limits.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/driver/arguments.hpp"

namespace weft::driver {
namespace {

constexpr const char* kVersion = "22";  // the pass is built against exactly this LLVM
constexpr const char* kUsualDirectory = "/usr/lib/llvm-22/bin/";

std::string library_directory() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path().parent_path() / "lib").string();
}

bool is_in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string directory = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
    if (access((directory + "/" + name).c_str(), X_OK) == 0) return true;
  }
  return false;
}

// The user's choice, else clang-22 in PATH, else where Debian puts it.
std::string find_compiler() {
  const char* chosen = std::getenv(WEFT_OVERRIDE);
  if (chosen != nullptr && chosen[0] != '\0') return chosen;
  std::string name = std::string(WEFT_COMPILER) + "-" + kVersion;
  if (is_in_path(name)) return name;
  return std::string(kUsualDirectory) + WEFT_COMPILER;
}

std::vector<std::string> complete(const std::string& compiler, const CommandLine& line) {
  std::vector<std::string> command = {compiler};
  if (!line.internal) {
    const std::string config = "--config=" + library_directory() + "/";
    command.push_back(config + WEFT_CONFIG);
    if (line.stops_early || line.relocatable) {
      // Nothing to be linked with.
    } else {
      command.push_back(config + (line.shared ? "weft-shared.cfg" : "weft-executable.cfg"));
      command.push_back(config + "weft-link.cfg");
      if (line.optimises_at_link && !line.shared) command.push_back(config + "weft-lto.cfg");
    }
  }
  // Reports name lines. The user's own option for them comes later, and counts.
  if (line.checks_ranges && !line.internal) command.push_back("-gline-tables-only");
  command.insert(command.end(), line.arguments.begin(), line.arguments.end());
  return command;
}

int run(const std::vector<std::string>& arguments) {
  const CommandLine line = read_arguments(arguments);
  if (!line.unsupported.empty() && !line.stops_early) {
    std::fprintf(stderr,
                 "weft: error: %s cannot be used: the program needs libweft.so, libomp.so and the "
                 "C library as shared libraries, so that each node has its own\n",
                 line.unsupported.c_str());
    return 1;
  }
  // The compiler has no place for options of a plug-in that both clang and flang read in time.
  if (!line.overwrites) setenv("WEFT_OVERWRITES", "off", /*replace=*/1);
  if (line.prefetches != Prefetches::kOutermost) {
    setenv("WEFT_PREFETCHES", line.prefetches == Prefetches::kNone ? "off" : "innermost", 1);
  }
  if (!line.subscripts) setenv("WEFT_SUBSCRIPTS", "off", 1);
  if (line.checks_ranges) setenv("WEFT_CHECK_RANGES", "on", 1);
  std::vector<std::string> command = complete(find_compiler(), line);
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  std::fprintf(stderr,
               "weft: error: cannot run %s: %s. Install %s-%s, or name the compiler in %s\n",
               pointers[0], std::strerror(errno), WEFT_COMPILER, kVersion, WEFT_OVERRIDE);
  return 1;
}

}  // namespace
}  // namespace weft::driver

int main(int argc, char** argv) {
  return weft::driver::run(std::vector<std::string>(argv + (argc > 0 ? 1 : 0), argv + argc));
}
