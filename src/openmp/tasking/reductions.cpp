// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/tasking/reductions.hpp"

#include <cstring>
#include <vector>

#include "base/compiler_abi.h"
#include "openmp/tasking/entry.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp::tasks {
namespace {

// What clang passes for each variable; and flang's, and older clang's, which has no `original`.
struct ReductionInput {
  void* shared;
  void* original;
  std::size_t bytes;
  void* init;     // void(void* copy, void* original); null: zeros
  void* destroy;  // void(void* copy); may be null
  void* combine;  // void(void* into, void* from)
  std::uint32_t flags;
};
struct PlainReductionInput {
  void* shared;
  std::size_t bytes;
  void *init, *destroy, *combine;
  std::uint32_t flags;
};

// In the shared heap.
struct Descriptor {
  Number group;
  Descriptor* outer;  // of the next group outwards that has one, if it is known here
  std::uint64_t count;
  ReductionInput items[1];
};

// Before each copy, so that a copy's address can be recognized on every node: a task inside the
// task names the variable by the copy.
struct alignas(64) CopyHeader {
  std::uint64_t magic;
  Descriptor* descriptor;
  std::uint64_t item;
  void* self;
};
constexpr std::uint64_t kMagic = 0x7765667472656431;

struct Place {
  Descriptor* descriptor = nullptr;
  std::uint32_t item = 0;
};

Descriptor* descriptor_of(const GroupName& group) {
  return reinterpret_cast<Descriptor*>(group.reductions);
}

// The descriptors that the present task sees, innermost first.
std::vector<Descriptor*> visible_descriptors(Member& member) {
  const std::vector<GroupName> groups = task_runtime()->with_scheduler(
      [&](Scheduler&) { return names_from(member.task->open_group); });
  std::vector<Descriptor*> result;
  for (const GroupName& group : groups) {
    if (group.reductions != 0) result.push_back(descriptor_of(group));
  }
  return result;
}

Descriptor* make_descriptor(Member& member, std::vector<ReductionInput> items) {
  TaskRuntime& runtime = *task_runtime();
  const std::vector<Descriptor*> outer = visible_descriptors(member);
  const std::size_t bytes = sizeof(Descriptor) + items.size() * sizeof(ReductionInput);
  auto* descriptor =
      static_cast<Descriptor*>(__wrap_aligned_alloc(64, (bytes + 63) & ~std::size_t{63}));
  if (descriptor == nullptr) runtime.node().fail("OpenMP: no memory for a task reduction");
  descriptor->group = runtime.with_scheduler([&](Scheduler&) {
    GroupName& name = member.task->open_group->name;
    name.reductions = reinterpret_cast<std::uintptr_t>(descriptor);
    return name.number;
  });
  descriptor->outer = outer.empty() ? nullptr : outer.front();
  descriptor->count = items.size();
  std::memcpy(static_cast<void*>(descriptor->items), items.data(),
              items.size() * sizeof(ReductionInput));
  return descriptor;
}

// Which variable the program means by an address: the original, or a copy of it.
Place find_item(Member& member, Descriptor* first, void* variable) {
  std::vector<Descriptor*> candidates;
  for (Descriptor* d = first; d != nullptr; d = d->outer) candidates.push_back(d);
  if (first == nullptr) candidates = visible_descriptors(member);
  for (Descriptor* descriptor : candidates) {
    for (std::uint32_t i = 0; i < descriptor->count; ++i) {
      const ReductionInput& item = descriptor->items[i];
      if (variable == item.shared || variable == item.original) return {descriptor, i};
    }
  }
  const auto* header = static_cast<const CopyHeader*>(variable) - 1;
  if (task_runtime()->node().is_shared(header) && header->magic == kMagic &&
      header->self == variable) {
    return {header->descriptor, static_cast<std::uint32_t>(header->item)};
  }
  return {};
}

struct Call {
  void *function, *first, *second;
};

// void(void*, void*); one of one argument does not look at the second.
void call_on_program(void* function, void* first, void* second) {
  if (function == nullptr) return;
  Call call{function, first, second};
  call_on_program_stack(
      [](void* argument) {
        const Call c = *static_cast<const Call*>(argument);
        reinterpret_cast<CombineFunction>(c.function)(c.first, c.second);
      },
      &call);
}

void* make_copy(Node& node, const Place& place) {
  const ReductionInput& item = place.descriptor->items[place.item];
  const std::size_t bytes = sizeof(CopyHeader) + item.bytes;
  auto* header =
      static_cast<CopyHeader*>(__wrap_aligned_alloc(64, (bytes + 63) & ~std::size_t{63}));
  if (header == nullptr) node.fail("OpenMP: no memory for a copy of a task reduction's variable");
  void* const copy = header + 1;
  *header = {.magic = kMagic, .descriptor = place.descriptor, .item = place.item, .self = copy};
  if (item.init == nullptr) {
    std::memset(copy, 0, item.bytes);
  } else {
    call_on_program(item.init, copy, item.original != nullptr ? item.original : item.shared);
  }
  return copy;
}

void* copy_of(Member& member, Descriptor* descriptor, void* variable) {
  TaskRuntime& runtime = *task_runtime();
  const Place place = find_item(member, descriptor, variable);
  if (place.descriptor == nullptr) {
    runtime.node().fail("OpenMP: in_reduction names a variable that no task group reduces");
  }
  const Number group = place.descriptor->group;
  const std::uintptr_t known = runtime.with_scheduler([&](Scheduler& scheduler) {
    return scheduler.find_copy(*member.task, group, member.local_number, place.item);
  });
  if (known != 0) return reinterpret_cast<void*>(known);
  void* const copy = make_copy(runtime.node(), place);
  runtime.with_scheduler([&](Scheduler& scheduler) {
    scheduler.add_copy(*member.task, group, member.local_number,
                       {place.item, reinterpret_cast<std::uintptr_t>(copy)});
  });
  return copy;
}

void* begin_reductions(Member& member, std::vector<ReductionInput> items) {
  return make_descriptor(member, std::move(items));
}

std::vector<ReductionInput> read(const ReductionInput* list, std::int32_t count) {
  return {list, list + count};
}

std::vector<ReductionInput> read(const PlainReductionInput* list, std::int32_t count) {
  std::vector<ReductionInput> items;
  for (const PlainReductionInput* input = list; input != list + count; ++input) {
    items.push_back({.shared = input->shared,
                     .original = input->shared,
                     .bytes = input->bytes,
                     .init = input->init,
                     .destroy = input->destroy,
                     .combine = input->combine,
                     .flags = input->flags});
  }
  return items;
}

template <typename Input>
void* init(Member& member, std::int32_t count, void* list, bool opens_group) {
  return on_runtime_stack([&]() -> void* {
    std::vector<ReductionInput> items = read(static_cast<const Input*>(list), count);
    if (opens_group) begin_group(member);
    return begin_reductions(member, std::move(items));
  });
}

}  // namespace

void combine_copies(Member& member) {
  TaskRuntime& runtime = *task_runtime();
  std::vector<ReductionCopy> copies;
  const GroupName name = runtime.with_scheduler([&](Scheduler& scheduler) {
    const GroupName group = member.task->open_group->name;
    if (group.reductions != 0) copies = scheduler.take_copies(group.number);
    return group;
  });
  if (name.reductions == 0) return;
  Descriptor* const descriptor = descriptor_of(name);
  for (const ReductionCopy& copy : copies) {
    const ReductionInput& item = descriptor->items[copy.item];
    void* const contents = reinterpret_cast<void*>(copy.address);
    call_on_program(item.combine, item.shared, contents);
    call_on_program(item.destroy, contents, nullptr);
    __wrap_free(static_cast<CopyHeader*>(contents) - 1);
  }
  __wrap_free(descriptor);
}

}  // namespace weft::openmp::tasks

using namespace weft;
using namespace weft::openmp;
using namespace weft::openmp::tasks;

WEFT_ENTRY void* __kmpc_taskred_init(std::int32_t gtid, std::int32_t count, void* list) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_taskred_init(gtid, count, list);
  return init<ReductionInput>(*member, count, list, false);
}

WEFT_ENTRY void* __kmpc_task_reduction_init(std::int32_t gtid, std::int32_t count, void* list) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_task_reduction_init(gtid, count, list);
  return init<PlainReductionInput>(*member, count, list, false);
}

// reduction(task, ...): each thread has a group of its own, which ends before the threads combine.
WEFT_ENTRY void* __kmpc_taskred_modifier_init(Ident* loc, std::int32_t gtid, std::int32_t in_loop,
                                              std::int32_t count, void* list) {
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_taskred_modifier_init(loc, gtid, in_loop, count, list);
  }
  return init<ReductionInput>(*member, count, list, true);
}

WEFT_ENTRY void* __kmpc_task_reduction_modifier_init(Ident* loc, std::int32_t gtid,
                                                     std::int32_t in_loop, std::int32_t count,
                                                     void* list) {
  Member* member = current_member();
  if (member == nullptr) {
    return real().__kmpc_task_reduction_modifier_init(loc, gtid, in_loop, count, list);
  }
  return init<PlainReductionInput>(*member, count, list, true);
}

WEFT_ENTRY void __kmpc_task_reduction_modifier_fini(Ident* loc, std::int32_t gtid,
                                                    std::int32_t in_loop) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_task_reduction_modifier_fini(loc, gtid, in_loop);
  on_runtime_stack([&] { end_group(*member); });
}

WEFT_ENTRY void* __kmpc_task_reduction_get_th_data(std::int32_t gtid, void* group, void* variable) {
  Member* member = current_member();
  if (member == nullptr) return real().__kmpc_task_reduction_get_th_data(gtid, group, variable);
  return on_runtime_stack(
      [&] { return copy_of(*member, static_cast<Descriptor*>(group), variable); });
}
