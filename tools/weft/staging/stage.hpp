// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job takes along to hosts that lack it (`--stage`): the program, Weft, and every library
// that is not the distribution's. All hosts, this one too, have them below the same fresh folder,
// under the path that they have here: nodes compare the paths of what they have loaded, and a
// library path relative to the program ($ORIGIN) stays right.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "weft/staging/stage_stream.hpp"

namespace weft {

struct Stage {
  std::string folder;                         // on every host; it does not exist yet
  std::shared_ptr<const StageStream> stream;  // the files
  std::size_t file_count = 0;
  std::string program, node_library;   // as they are going to be, absolute
  std::string library_path;            // for LD_LIBRARY_PATH of nodes and agents
  std::vector<std::string> libraries;  // that every host must have itself, absolute paths
  std::vector<std::string> arguments;  // the program's words, a staged script by its path there
  std::string python_path;             // for PYTHONPATH; empty: as it is

  // The command that makes the folder on a host and runs an agent from it.
  [[nodiscard]] std::vector<std::string> command() const;
  std::string weft;  // the command, below the folder
};

// A library as the dynamic linker has found it.
struct LoadedLibrary {
  std::string name;  // by which it was needed; empty: by its path
  std::string path;
};
// From what the dynamic linker prints for LD_TRACE_LOADED_OBJECTS (as ldd does). Fails with a
// sentence about `file` if it needs a library that was not found.
[[nodiscard]] Result<std::vector<LoadedLibrary>> parse_loaded(std::string_view printed,
                                                              const std::string& file);
// True if the distribution puts its libraries there, and no user should.
[[nodiscard]] bool is_of_distribution(const std::string& path);

struct ToStage {
  std::string parent;        // of the folder, absolute
  std::string program;       // the executable
  std::string node_library;  // absolute path of libweft-node.so
  std::string weft;          // absolute path of the command
  // The program's words. If it joins by itself it is an interpreter, which every host has; then the
  // script is staged (script_files.hpp), and node_library is libweft-binding.so.
  std::vector<std::string> arguments{};
  bool joins_itself = false;
};
// Blocks while the dynamic linker looks for the libraries. Nothing is sent or written yet.
[[nodiscard]] Result<Stage> plan_stage(const ToStage& wanted);

}  // namespace weft
