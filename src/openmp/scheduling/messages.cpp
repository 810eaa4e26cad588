// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/messages.hpp"

namespace weft::openmp::tasks {
namespace {

enum Flag : std::uint8_t {
  kTied = 1,
  kFinal = 2,
  kDestructors = 4,
  kCancelled = 8,
  kRange = 16,
  kToolData = 32,
};

Bytes begin(MessageKind kind) { return Bytes{static_cast<std::byte>(kind)}; }

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

void put(ByteWriter& writer, const TaskloopShape& shape) {
  writer.u64(shape.pattern);
  for (const std::uint64_t value :
       {std::uint64_t{shape.block_bytes}, std::uint64_t{shape.lower_offset},
        std::uint64_t{shape.upper_offset}, shape.lower, shape.iterations, zigzag(shape.step),
        shape.chunks, shape.grain, shape.longer_chunks, std::uint64_t{shape.duplicate}}) {
    writer.varint(value);
  }
}

TaskloopShape get_shape(ByteReader& reader) {
  TaskloopShape shape;
  shape.pattern = reader.u64();
  shape.block_bytes = static_cast<std::uint32_t>(reader.varint());
  shape.lower_offset = static_cast<std::uint32_t>(reader.varint());
  shape.upper_offset = static_cast<std::uint32_t>(reader.varint());
  shape.lower = reader.varint();
  shape.iterations = reader.varint();
  shape.step = unzigzag(reader.varint());
  shape.chunks = reader.varint();
  shape.grain = reader.varint();
  shape.longer_chunks = reader.varint();
  shape.duplicate = reader.varint();
  return shape;
}

void put(ByteWriter& writer, const GivenTask& task) {
  writer.u64(task.number);
  writer.varint(task.level);
  writer.varint(task.ancestors.size());
  for (const Number ancestor : task.ancestors) writer.u64(ancestor);
  writer.varint(task.groups.size());
  for (const GroupName& group : task.groups) {
    writer.u64(group.number);
    writer.varint(group.reductions);
  }
  writer.u8(static_cast<std::uint8_t>(
      (task.tied ? kTied : 0) | (task.is_final ? kFinal : 0) |
      (task.has_destructors ? kDestructors : 0) | (task.cancelled ? kCancelled : 0) |
      (task.is_range ? kRange : 0) | (task.has_tool_data ? kToolData : 0)));
  writer.varint(static_cast<std::uint32_t>(task.priority));
  writer.varint(task.block);
  writer.varint(task.routine);
  if (task.has_tool_data) {
    writer.varint(task.tool_data);
    writer.varint(task.tool_flags);
    writer.varint(task.block_bytes);
  }
  if (!task.is_range) return;
  put(writer, task.shape);
  writer.varint(task.first);
  writer.varint(task.count);
}

GivenTask get_task(ByteReader& reader) {
  GivenTask task;
  task.number = reader.u64();
  task.level = static_cast<std::uint32_t>(reader.varint());
  for (std::uint64_t left = reader.varint(); left > 0 && reader.good(); --left) {
    task.ancestors.push_back(reader.u64());
  }
  for (std::uint64_t left = reader.varint(); left > 0 && reader.good(); --left) {
    GroupName& group = task.groups.emplace_back();
    group.number = reader.u64();
    group.reductions = reader.varint();
  }
  const std::uint8_t flags = reader.u8();
  task.tied = (flags & kTied) != 0;
  task.is_final = (flags & kFinal) != 0;
  task.has_destructors = (flags & kDestructors) != 0;
  task.cancelled = (flags & kCancelled) != 0;
  task.is_range = (flags & kRange) != 0;
  task.has_tool_data = (flags & kToolData) != 0;
  task.priority = static_cast<std::int32_t>(reader.varint());
  task.block = reader.varint();
  task.routine = reader.varint();
  if (task.has_tool_data) {
    task.tool_data = reader.varint();
    task.tool_flags = static_cast<std::uint32_t>(reader.varint());
    task.block_bytes = static_cast<std::uint32_t>(reader.varint());
  }
  if (!task.is_range) return task;
  task.shape = get_shape(reader);
  task.first = reader.varint();
  task.count = reader.varint();
  return task;
}

template <typename T>
std::optional<T> if_finished(const ByteReader& reader, T value) {
  if (!reader.finished()) return std::nullopt;
  return value;
}

}  // namespace

Bytes encode(const Ask& ask) {
  Bytes out = begin(MessageKind::kAsk);
  ByteWriter writer(out);
  writer.u64(ask.interval);
  writer.varint(ask.asker);
  writer.u64(ask.descendants_of);
  return out;
}

std::optional<Ask> decode_ask(ByteView body) {
  ByteReader reader(body);
  Ask ask;
  ask.interval = reader.u64();
  ask.asker = static_cast<std::uint32_t>(reader.varint());
  ask.descendants_of = reader.u64();
  return if_finished(reader, ask);
}

Bytes encode(const Give& give) {
  Bytes out = begin(MessageKind::kGive);
  ByteWriter writer(out);
  writer.u64(give.interval);
  writer.varint(give.asker);
  writer.varint(give.tasks.size());
  for (const GivenTask& task : give.tasks) put(writer, task);
  return out;
}

std::optional<Give> decode_give(ByteView body) {
  ByteReader reader(body);
  Give give;
  give.interval = reader.u64();
  give.asker = static_cast<std::uint32_t>(reader.varint());
  for (std::uint64_t left = reader.varint(); left > 0 && reader.good(); --left) {
    give.tasks.push_back(get_task(reader));
  }
  return if_finished(reader, std::move(give));
}

Bytes encode(const Ended& ended) {
  Bytes out = begin(MessageKind::kEnded);
  ByteWriter writer(out);
  writer.u64(ended.number);
  writer.u8(static_cast<std::uint8_t>((ended.body ? 1 : 0) | (ended.subtree ? 2 : 0)));
  writer.varint(ended.copies.size());
  for (const GroupCopies& group : ended.copies) {
    writer.u64(group.group);
    writer.varint(group.copies.size());
    for (const ReductionCopy& copy : group.copies) {
      writer.varint(copy.item);
      writer.varint(copy.address);
    }
  }
  return out;
}

std::optional<Ended> decode_ended(ByteView body) {
  ByteReader reader(body);
  Ended ended;
  ended.number = reader.u64();
  const std::uint8_t flags = reader.u8();
  ended.body = (flags & 1) != 0;
  ended.subtree = (flags & 2) != 0;
  for (std::uint64_t groups = reader.varint(); groups > 0 && reader.good(); --groups) {
    GroupCopies& group = ended.copies.emplace_back();
    group.group = reader.u64();
    for (std::uint64_t left = reader.varint(); left > 0 && reader.good(); --left) {
      ReductionCopy& copy = group.copies.emplace_back();
      copy.item = static_cast<std::uint32_t>(reader.varint());
      copy.address = reader.varint();
    }
  }
  return if_finished(reader, std::move(ended));
}

Bytes encode(MessageKind kind, const Notice& notice) {
  Bytes out = begin(kind);
  ByteWriter writer(out);
  writer.u64(notice.number);
  writer.u8(notice.flag ? 1 : 0);
  return out;
}

std::optional<Notice> decode_notice(ByteView body) {
  ByteReader reader(body);
  Notice notice;
  notice.number = reader.u64();
  notice.flag = reader.u8() != 0;
  return if_finished(reader, notice);
}

}  // namespace weft::openmp::tasks
