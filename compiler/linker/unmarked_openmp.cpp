// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/linker/unmarked_openmp.hpp"

#include <algorithm>

#include "compiler/linker/object_file.hpp"
#include "compiler/linker/taken_objects.hpp"

namespace weft::linker {
namespace {

bool is_unmarked_openmp(const ObjectFile& object) {
  return !object.marked && !object.openmp_symbol.empty() &&
         object.kind != ObjectFile::Kind::kShared && object.kind != ObjectFile::Kind::kNone;
}

std::string complain(const Input& input, const ObjectFile& object) {
  return input.name + " uses OpenMP (" + object.openmp_symbol +
         ") and was not compiled by weftcc, so its atomic operations would lose updates when the "
         "program runs on several nodes. Compile it with weftcc, weftc++ or weftfc. If it has no "
         "atomic operations, -Wl,--defsym=weft_allow_openmp=1 links it as it is";
}

// Nearly always nothing is suspect, and nothing more has to be read.
bool is_suspect(const InputFile& file) {
  if (!may_use_openmp(file.contents) && !file.contents.starts_with("!<thin>")) return false;
  const std::vector<Input> inputs = inputs_of(file);
  return std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
    return is_unmarked_openmp(read_object(input.contents));
  });
}

}  // namespace

std::string complaint_about(const LinkCommand& command) {
  if (!std::any_of(command.files.begin(), command.files.end(), is_suspect)) return {};
  const TakenObjects taken(command);
  const TakenObjects::Found found = taken.find(is_unmarked_openmp);
  return found.input == nullptr ? std::string() : complain(*found.input, *found.object);
}

}  // namespace weft::linker
