// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/staging/stage.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <utility>

#include "weft/staging/script_files.hpp"
#include "weft/staging/stage_script.hpp"
#include "weft/text/command_output.hpp"

namespace weft {
namespace {

// What the dynamic linker prints of the file's libraries, in the order in which it loads them.
std::string loaded_by(const std::string& file, const std::string& preloaded) {
  return output_of(
      "LD_PRELOAD=\"$WEFT_STAGED_PRELOAD\" LD_TRACE_LOADED_OBJECTS=1 "
      "exec \"$WEFT_STAGED_FILE\" 2>&1",
      {{"WEFT_STAGED_FILE", file}, {"WEFT_STAGED_PRELOAD", preloaded}});
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

std::string random_name() {
  std::random_device random;
  return fmt::format("weft-{:08x}{:08x}", random(), random());
}

// Puts a stage together, file by file.
class Collection {
 public:
  Collection(const ToStage& wanted, std::string folder)
      : own_folder_(std::filesystem::path(wanted.node_library).parent_path()) {
    stage_.folder = std::move(folder);
  }

  // Returns its name below the folder.
  std::string add(const std::string& file) {
    const std::string name = std::filesystem::path(file).lexically_normal().string();
    if (std::ranges::find(files_, name, &StagedFile::name) == files_.end()) {
      files_.push_back({.source = file, .name = name});
    }
    return name;
  }

  // The libraries of a program that is staged; a sentence if they cannot be.
  std::string add_libraries_of(const std::string& program, const std::string& preloaded) {
    const auto loaded = parse_loaded(loaded_by(program, preloaded), program);
    if (!loaded) return loaded.error();
    for (const LoadedLibrary& each : loaded.value()) {
      if (each.path == preloaded) continue;
      if (is_of_distribution(each.path) && !is_own(each.path)) {
        add_to(stage_.libraries, each.path);
      } else if (each.name.find('/') != std::string::npos || each.name.empty()) {
        return fmt::format(
            "{} cannot be staged: it needs {} by its path. Link it with -L and -l in place of that",
            program, each.path);
      } else {
        add_to(folders_, folder_of(add(each.path)));
      }
    }
    return {};
  }

  void add_script(const ScriptFiles& script) {
    for (const std::string& each : script.files) add(each);
    if (script.place != 0) stage_.arguments[script.place] = stage_.folder + script.files.front();
    if (script.package_parent.empty()) return;
    stage_.python_path = stage_.folder + script.package_parent;
    const char* const users = std::getenv("PYTHONPATH");
    if (users != nullptr && *users != '\0') stage_.python_path += fmt::format(":{}", users);
  }

  Result<Stage> finish() {
    auto stream = StageStream::open(files_);
    if (!stream) return Failure{stream.error()};
    stage_.stream = std::move(stream.value());
    stage_.file_count = files_.size();
    std::vector<std::string> path;
    for (const std::string& each : folders_) path.push_back(stage_.folder + each);
    // The user's own folders come behind, for libraries of the program's that it loads itself.
    const char* const users = std::getenv("LD_LIBRARY_PATH");
    if (users != nullptr && *users != '\0') path.emplace_back(users);
    stage_.library_path = fmt::format("{}", fmt::join(path, ":"));
    return std::move(stage_);
  }

  [[nodiscard]] Stage& stage() { return stage_; }

 private:
  static void add_to(std::vector<std::string>& list, const std::string& text) {
    if (std::ranges::find(list, text) == list.end()) list.push_back(text);
  }
  static std::string folder_of(const std::string& file) {
    return std::filesystem::path(file).parent_path().string();
  }
  // Weft's libraries go along even if a package of the distribution's kind has brought them.
  [[nodiscard]] bool is_own(const std::string& path) const {
    const std::filesystem::path library(path);
    return library.parent_path() == own_folder_ &&
           library.filename().string().starts_with("libweft");
  }

  std::filesystem::path own_folder_;
  Stage stage_;
  std::vector<StagedFile> files_;
  std::vector<std::string> folders_;  // of staged libraries
};

}  // namespace

std::vector<std::string> Stage::command() const {
  return command_to_stage(folder, weft, library_path);
}

bool is_of_distribution(const std::string& path) {
  const std::string normal = std::filesystem::path(path).lexically_normal().string();
  return std::ranges::any_of(
      std::array{"/lib/", "/lib32/", "/lib64/", "/usr/lib/", "/usr/lib32/", "/usr/lib64/"},
      [&](const char* folder) { return normal.starts_with(folder); });
}

Result<std::vector<LoadedLibrary>> parse_loaded(std::string_view printed, const std::string& file) {
  std::vector<LoadedLibrary> loaded;
  while (!printed.empty()) {
    const std::size_t end = printed.find('\n');
    const std::string_view line = trimmed(printed.substr(0, end));
    printed.remove_prefix(end == std::string_view::npos ? printed.size() : end + 1);
    constexpr std::string_view kFoundAt = " => ";
    const std::size_t arrow = line.find(kFoundAt);
    std::string name(arrow == std::string_view::npos ? "" : line.substr(0, arrow));
    const std::string_view place =
        arrow == std::string_view::npos ? line : line.substr(arrow + kFoundAt.size());
    if (place.starts_with("not found")) {
      return Failure{fmt::format("{} needs {}, which is not found on this host", file, name)};
    }
    // The kernel's own object has no path, and a warning no address.
    const std::size_t address = place.rfind(" (0x");
    if (!place.starts_with('/') || address == std::string_view::npos) continue;
    loaded.push_back({.name = std::move(name), .path = std::string(place.substr(0, address))});
  }
  if (loaded.empty()) {
    return Failure{fmt::format("the dynamic linker does not say which libraries {} needs", file)};
  }
  return loaded;
}

Result<Stage> plan_stage(const ToStage& wanted) {
  std::error_code error;
  const std::string program = std::filesystem::canonical(wanted.program, error).string();
  if (error) return Failure{fmt::format("{}: {}", wanted.program, error.message())};
  Collection all(wanted, (std::filesystem::path(wanted.parent) / random_name()).string());
  Stage& stage = all.stage();
  stage.arguments = wanted.arguments;
  if (wanted.joins_itself) {
    stage.program = wanted.program;
    all.add_script(files_of_script(wanted.program, wanted.arguments));
  } else {
    stage.program = stage.folder + all.add(program);
  }
  stage.node_library = stage.folder + all.add(wanted.node_library);
  stage.weft = all.add(wanted.weft);
  for (const auto& [file, preloaded] :
       {std::pair(program, wanted.node_library), std::pair(wanted.weft, std::string())}) {
    if (std::string reason = all.add_libraries_of(file, preloaded); !reason.empty()) {
      return Failure{std::move(reason)};
    }
  }
  return all.finish();
}

}  // namespace weft
