// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/linker/taken_objects.hpp"

#include <utility>

namespace weft::linker {

TakenObjects::TakenObjects(const LinkCommand& command) {
  for (const InputFile& file : command.files) {
    for (Input& input : inputs_of(file)) add(std::move(input));
  }
  for (const std::string_view name : command.needed) need(name);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (!inputs_[i].is_optional) take(i);
  }
  while (!open_.empty()) {
    const std::size_t next = open_.back();
    open_.pop_back();
    for (const std::string_view name : objects_[next].needs) need(name);
  }
}

const ObjectFile* TakenObjects::definer_of(std::string_view symbol) const {
  const auto definer = definers_.find(symbol);
  return definer == definers_.end() ? nullptr : &objects_[definer->second];
}

void TakenObjects::add(Input input) {
  ObjectFile object = read_object(input.contents);
  // Nobody knows what bitcode needs.
  symbols_are_unknown_ |= object.kind == ObjectFile::Kind::kBitcode;
  const bool comes_first = !input.is_optional && object.kind == ObjectFile::Kind::kRelocatable;
  for (const std::string_view name : object.defines) {
    if (comes_first) {
      definers_[name] = inputs_.size();
    } else {
      definers_.emplace(name, inputs_.size());
    }
  }
  inputs_.push_back(std::move(input));
  objects_.push_back(std::move(object));
  is_taken_.push_back(false);
}

void TakenObjects::take(std::size_t index) {
  if (is_taken_[index]) return;
  is_taken_[index] = true;
  open_.push_back(index);
}

void TakenObjects::need(std::string_view name) {
  const auto definer = definers_.find(name);
  if (definer != definers_.end()) take(definer->second);
}

}  // namespace weft::linker
