// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/staging/script_files.hpp"

#include <filesystem>
#include <system_error>

#include "weft/text/command_output.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

void add_modules_in(const fs::path& folder, std::vector<std::string>& files) {
  std::error_code error;
  for (const auto& each : fs::directory_iterator(folder, error)) {
    if (each.is_regular_file(error) && each.path().extension() == ".py") {
      files.push_back(each.path().string());
    }
  }
}

// Not canonical: a script of a virtual environment lies where its links are.
fs::path absolute(const std::string& name) {
  std::error_code error;
  return fs::absolute(name, error).lexically_normal();
}

// Options of the interpreter stand before the script. Those with an argument of their own are few,
// and it is no file, or is -c or -m, behind which there is no script.
std::size_t place_of_script(const std::vector<std::string>& words) {
  std::error_code error;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-c" || words[i] == "-m" || words[i] == "-") return 0;
    if (!words[i].starts_with('-') && fs::is_regular_file(words[i], error)) return i;
  }
  return 0;
}

}  // namespace

ScriptFiles files_of_script(const std::string& interpreter, const std::vector<std::string>& words) {
  ScriptFiles found;
  found.place = place_of_script(words);
  if (found.place != 0) {
    const fs::path script = absolute(words[found.place]);
    found.files.push_back(script.string());
    add_modules_in(script.parent_path(), found.files);
  }
  std::string package = output_of(
      "exec \"$WEFT_STAGED_INTERPRETER\" -c 'import importlib.util as u; "
      "print(u.find_spec(\"weft\").submodule_search_locations[0])' 2>/dev/null",
      {{"WEFT_STAGED_INTERPRETER", interpreter}});
  while (package.ends_with('\n')) package.pop_back();
  std::error_code error;
  if (package.empty() || !fs::is_directory(package, error)) return found;
  const fs::path folder = absolute(package);
  add_modules_in(folder, found.files);
  found.package_parent = folder.parent_path().string();
  return found;
}

}  // namespace weft
