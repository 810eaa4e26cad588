// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nodes ask of each other for the program as a process: files, threads, signals, memory,
// system calls; and what they tell each other when they meet, and when they are checked.
#include "api/lending_messages.hpp"
#include "api/remote/messages.hpp"
#include "api/remote/own_file.hpp"
#include "fuzz/fuzzed.hpp"
#include "libc/streams/file_messages.hpp"
#include "maps/shares.hpp"
#include "process/library_state/packed_sequence.hpp"
#include "process/lifetime/start.hpp"
#include "process/requests/kernel_call.hpp"
#include "pthread/balance/admission.hpp"
#include "pthread/gathering/gathering_messages.hpp"
#include "pthread/moving/belongings.hpp"
#include "pthread/threads/birth.hpp"
#include "pthread/threads/carriers.hpp"
#include "pthread/threads/elsewhere.hpp"
#include "pthread/threads/interruptions.hpp"
#include "pthread/threads/keys.hpp"
#include "pthread/threads/placing.hpp"
#include "pthread/threads/processors.hpp"
#include "pthread/threads/thread_exits.hpp"
#include "pthread/waiting/parking.hpp"
#include "runtime/checks/check_messages.hpp"
#include "runtime/interface/held_locks.hpp"
#include "runtime/job/introduction.hpp"
#include "runtime/services/delegation_messages.hpp"
#include "runtime/services/signal_actions.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  fuzzed::check_one_of<
      libc::FileRequest, libc::FileReply, maps::ShareMessage, process::PackedSequence,
      process::Beginning, process::SentKernelCall, pthread::ThreadQuestion, pthread::ThreadBirth,
      pthread::PlacingMessage, pthread::NodeProcessors, pthread::ParkingMessage,
      pthread::Belongings, pthread::MoveMessage, pthread::CarrierWanted, pthread::Interruptions,
      pthread::CarriedValue, pthread::ThreadExit, CarriedLock, check_messages::RoundState,
      check_messages::Copies, check_messages::Detail, Introduction, DelegatedCall, DelegatedAnswer,
      SharedAction, api::LendRequest, api::LendAnswer, remote::Requests, remote::Answers,
      remote::FilePlace, pthread::BalanceMessage, pthread::GatheringMessage, pthread::ParkingMoved>(
      fuzzed::input(data, size));
  return 0;
}
