// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine does later, as a value. A part that has to wait for something keeps the step;
// Engine::State takes it when the time has come (engine_steps.cpp). Here is all that ever waits
// inside the engine, by what it waits for.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "protocol/interface/effects.hpp"
#include "protocol/messages/message.hpp"

namespace weft {
namespace step {

// --- for the next epoch, or for a departure: operations of threads, as in Engine::handle_* ---
struct Fault {
  PageIndex page;
  std::uint32_t stream;
};
struct AcquireLock {
  LockId lock;
  WaitId wait;
};
struct AcquireAdding {
  LockId lock;
  AddingTargets targets;
  WaitId wait;
};
struct TryLock {
  LockId lock;
  WaitId wait;
};
struct ReleaseLock {
  LockId lock;
};
struct EnterBarrier {
  WaitId wait;
  BarrierInput input;
};
struct Gather {
  WaitId wait;
};
struct EnterPublication {
  Bytes payload;
  PhaseKey next;
  bool others_here;
  WaitId wait;
};
struct AdvanceSequencer {
  SequencerId sequencer;
  std::uint64_t value;
};
struct AwaitSequencer {
  SequencerId sequencer;
  std::uint64_t value;
  WaitId wait;
};
struct PostPayload {
  NodeId to;
  Bytes payload;
};
struct StartFence {
  WaitId wait;
  FlushKind kind;
};
struct StartAtomic {
  AtomicRequest request;
  Ordering ordering;
  WaitId wait;
  bool patient = false;
};

// --- for the home of a page to be known ---
struct FetchPages {
  std::vector<PageIndex> pages;
  bool descending;
};
// From the beginning, as by Engine::handle_atomic: this node may have arrived at a barrier since.
struct RestartAtomic {
  StartAtomic atomic;
};

// --- for releases to be complete: at once, but under eager releases ---
struct ArriveAtBarrier {
  EnterBarrier operation;
};
struct StartPublication {
  EnterPublication operation;
};
struct StartGather {
  WaitId wait;
};
struct GrantLock {
  LockForward to;
};
struct RaiseSequencer {
  SequencerId sequencer;
  std::uint64_t value;
};
struct SendAdvance {
  SequencerId sequencer;
  std::uint64_t value;
};
struct SendPost {
  NodeId to;
  Bytes payload;
};
struct AskFence {
  WaitId wait;
  FlushKind kind;
};
struct AnswerFence {
  NodeId to;
  Epoch epoch;
  FenceAsk ask;
};
struct PerformAtomic {
  StartAtomic atomic;
};
struct AskAtomic {
  NodeId home;
  StartAtomic atomic;
};

// --- for updates to be applied here ---
struct ServeFetch {
  NodeId to;
  Epoch epoch;
  FetchRequest request;
};
struct AnswerAtomic {
  NodeId to;
  Epoch epoch;
  AtomicAsk ask;
};
struct RecallCopies {
  NodeId releaser;
  std::uint64_t release;  // as the releaser counts
  Epoch epoch;
  PageSet pages;
};
// What a thread waits for, or is told; see the same functions of Effects.
struct Complete {
  WaitId wait;
};
struct CompleteTry {
  WaitId wait;
};
struct CompleteAdding {
  WaitId wait;
  std::uint64_t right;
};
struct CompleteAwait {
  WaitId wait;
  std::uint64_t count;
};
struct CompleteAtomic {
  WaitId wait;
  AtomicResult result;
};
struct CompleteGather {
  WaitId wait;
};
struct DeliverPost {
  NodeId from;
  Bytes payload;
};

}  // namespace step

using Step = std::variant<
    step::Fault, step::AcquireLock, step::AcquireAdding, step::TryLock, step::ReleaseLock,
    step::EnterBarrier, step::Gather, step::EnterPublication, step::AdvanceSequencer,
    step::AwaitSequencer, step::PostPayload, step::StartFence, step::StartAtomic, step::FetchPages,
    step::RestartAtomic, step::ArriveAtBarrier, step::StartPublication, step::StartGather,
    step::GrantLock, step::RaiseSequencer, step::SendAdvance, step::SendPost, step::AskFence,
    step::AnswerFence, step::PerformAtomic, step::AskAtomic, step::ServeFetch, step::AnswerAtomic,
    step::RecallCopies, step::Complete, step::CompleteTry, step::CompleteAdding,
    step::CompleteAwait, step::CompleteAtomic, step::CompleteGather, step::DeliverPost>;

}  // namespace weft
