// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/thread_local_block.hpp"

#include <link.h>

#include <algorithm>

#include "runtime/interface/node.hpp"
#include "runtime/libraries/program_objects.hpp"

namespace weft::openmp {
namespace {

struct Blocks {
  std::vector<std::span<std::byte>> found;
  bool any = false;    // an object of the program has such data, whether this thread has it or not
  bool follow = true;  // code of all objects finds those of the thread for which it runs
  // A library that was loaded late may have no block yet on this thread.
  bool complete = false;
  std::uint64_t loads = 0;  // when it was looked
};

// The blocks are asked for with every pointer that a region gets, so they are kept.
const Blocks& blocks_of_this_thread() {
  thread_local Blocks blocks;
  const std::uint64_t loads = program_objects().size();
  if (blocks.complete && blocks.loads == loads) return blocks;
  blocks = {.found = {}, .any = false, .follow = true, .complete = true, .loads = loads};
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* result) {
        auto& out = *static_cast<Blocks*>(result);
        if (!is_in_program(object->dlpi_phdr)) return 0;
        out.follow = out.follow && thread_locals_follow(*object);
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          if (object->dlpi_phdr[i].p_type != PT_TLS) continue;
          auto* const begin = static_cast<std::byte*>(object->dlpi_tls_data);
          out.any = out.any || object->dlpi_phdr[i].p_memsz > 0;
          if (begin == nullptr) out.complete = false;
          if (begin != nullptr) out.found.emplace_back(begin, object->dlpi_phdr[i].p_memsz);
        }
        return 0;
      },
      &blocks);
  return blocks;
}

}  // namespace

bool has_thread_local_data() { return blocks_of_this_thread().any; }

std::string_view why_thread_locals_stay() {
  const Blocks& blocks = blocks_of_this_thread();
  const auto is_shared = [](std::span<std::byte> block) {
    return this_node()->is_shared(block.data());
  };
  if (!blocks.any) return {};
  if (!blocks.complete || !std::ranges::all_of(blocks.found, is_shared)) {
    return "the program has thread-local data that is private to its node";
  }
  if (!blocks.follow) {
    return "the program has thread-local data and objects that weftcc did not compile";
  }
  return {};
}

std::span<std::byte> thread_local_block(const void* pointer) {
  if (this_node() != nullptr && this_node()->is_shared(pointer)) return {};
  const auto* byte = static_cast<const std::byte*>(pointer);
  for (const std::span<std::byte> block : blocks_of_this_thread().found) {
    if (byte >= block.data() && byte < block.data() + block.size()) return block;
  }
  return {};
}

std::vector<ThreadLocalImage> thread_local_images(std::span<void* const> pointers) {
  std::vector<ThreadLocalImage> images;
  for (void* pointer : pointers) {
    const std::span<std::byte> block = thread_local_block(pointer);
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data());
    const auto is_there = [begin](const ThreadLocalImage& image) { return image.begin == begin; };
    if (block.empty() || std::ranges::any_of(images, is_there)) continue;
    images.push_back({begin, Bytes(block.begin(), block.end())});
  }
  return images;
}

}  // namespace weft::openmp
