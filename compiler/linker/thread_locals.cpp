// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/linker/thread_locals.hpp"

#include <algorithm>

#include "compiler/linker/object_file.hpp"
#include "compiler/linker/taken_objects.hpp"

namespace weft::linker {
namespace {

bool uses_other_threads(const ObjectFile& object) {
  return object.kind == ObjectFile::Kind::kRelocatable && object.uses_thread_locals &&
         !object.adds_shift;
}

bool needs_variables(const ObjectFile& object) {
  return object.kind == ObjectFile::Kind::kRelocatable && !object.needed_thread_locals.empty();
}

// Nearly always nothing is suspect, and nothing more has to be found out.
bool is_suspect(const InputFile& file) {
  const std::vector<Input> inputs = inputs_of(file);
  return std::any_of(inputs.begin(), inputs.end(), [](const Input& input) {
    const ObjectFile object = read_object(input.contents);
    return object.kind == ObjectFile::Kind::kBitcode || uses_other_threads(object) ||
           needs_variables(object);
  });
}

}  // namespace

bool thread_locals_follow(const LinkCommand& command) {
  if (std::none_of(command.files.begin(), command.files.end(), is_suspect)) return true;
  const TakenObjects taken(command);
  const auto names_outside = [&taken](const ObjectFile& object) {
    return needs_variables(object) &&
           std::any_of(object.needed_thread_locals.begin(), object.needed_thread_locals.end(),
                       [&taken](std::string_view name) {
                         const ObjectFile* const definer = taken.definer_of(name);
                         return definer == nullptr ||
                                definer->kind != ObjectFile::Kind::kRelocatable;
                       });
  };
  return !taken.symbols_are_unknown() && taken.find(uses_other_threads).object == nullptr &&
         taken.find(names_outside).object == nullptr;
}

}  // namespace weft::linker
