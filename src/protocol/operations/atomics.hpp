// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations, all of them performed at the page's home (protocol/operations.md, 8).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/fetching/flag_needs.hpp"
#include "protocol/fetching/one_sided_reads.hpp"
#include "protocol/homes/home_finder.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pages/open_pages.hpp"
#include "protocol/pages/shown_words.hpp"
#include "protocol/updates/pending_atomics.hpp"

namespace weft {

// Bytes. The processor has instructions for these, which are one moment to all that touch the
// memory; so nodes do them at another's without its help.
inline constexpr std::uint8_t kWidestWithoutHome = 8;
inline constexpr GlobalOffset kNoWord(~std::uint64_t{0});

class Atomics {
 public:
  Atomics(Context& context, PageTable& table, Coherence& coherence, UpdateStreams& streams,
          HomeFinder& homes, WriteVectors& vectors, PendingAtomics& pending, EpochWrites& writes,
          EagerReleases& releases, HomeUpdates& updates, Copies& copies, FlagNeeds& needs,
          OpenPages& open, ShownWords& shown)
      : context_(context),
        table_(table),
        coherence_(coherence),
        streams_(streams),
        homes_(homes),
        vectors_(vectors),
        pending_(pending),
        writes_(writes),
        releases_(releases),
        updates_(updates),
        copies_(copies),
        needs_(needs),
        open_(open),
        shown_(shown),
        one_sided_(context, streams) {}

  void start(const step::StartAtomic& atomic);
  // Further steps of the same: this node is the page's home; another is; and all updates that
  // another node's operation requires are applied here.
  void perform(const step::PerformAtomic& step);
  void ask(const step::AskAtomic& step);
  void answer(const step::AnswerAtomic& step);

  // Of these the records have been acquired.
  void on_ask(NodeId from, Epoch epoch, AtomicAsk message);
  void on_reply(Epoch epoch, const AtomicReply& message);
  void on_retry(const AtomicRetry& message);

  // --- words that are shown (shown_atomics.cpp) ---
  // The word's home shows it to this node now and then, and will soon show it again: what it was
  // stored behind is on its way, or this node's own store has not been taken there.
  void on_told(const AtomicTold& message);
  [[nodiscard]] bool is_to_hear(const step::StartAtomic& load);
  // The only one of which that may be so; none: kNoWord.
  [[nodiscard]] GlobalOffset last_shown() const { return last_shown_; }

  // --- patient loads ---
  // What the home keeps is answered where the value is not the one that was seen any more. Called
  // after all that may have changed it.
  void look_again();
  [[nodiscard]] bool has_kept() const { return !kept_.empty(); }
  void hurry(WaitId wait);
  void on_hurry(NodeId from, const AtomicHurry& message);

 private:
  void perform_here(const step::StartAtomic& atomic);
  void ask_home(NodeId home, const step::StartAtomic& atomic);
  void note_asking();
  // --- without the home (direct_atomics.cpp) ---
  void open_for(const step::AnswerAtomic& step);
  [[nodiscard]] bool may_be_direct(NodeId home, const step::StartAtomic& atomic);
  [[nodiscard]] bool is_ready(NodeId home, PageIndex page) const;
  // False: the home is to be asked.
  [[nodiscard]] bool do_directly(NodeId home, const step::StartAtomic& atomic,
                                 const PendingAtomic& pending);
  // --- words that are shown (shown_atomics.cpp) ---
  // Whether a load could be of that kind, but for what the home shows at the moment.
  [[nodiscard]] bool may_be_shown(NodeId home, const step::StartAtomic& atomic);
  [[nodiscard]] std::optional<ShownWord> shown_at(NodeId home, const step::StartAtomic& atomic);
  // False: the home is to be asked.
  [[nodiscard]] bool load_shown(NodeId home, const step::StartAtomic& atomic,
                                const PendingAtomic& pending);
  void finish_at_home(NodeId home, UpdateSequence done, const step::StartAtomic& atomic,
                      const PendingAtomic& pending, const AtomicResult& result);
  // Of a load that is answered with records: whether there are any for it, and whether the word is
  // shown from then on.
  [[nodiscard]] ShownWords::Answer kind_of(const step::AnswerAtomic& step,
                                           const AtomicResult& result);
  void release_for(const step::AnswerAtomic& step, AtomicReply& reply);
  void note_shown(GlobalOffset where, std::uint8_t size);
  void close_to_show();
  void show(GlobalOffset where, std::uint8_t size);
  void tell_loaders();
  // --- stores that nobody waits for (atomic_stores.cpp) ---
  [[nodiscard]] bool may_go_unanswered(NodeId home, const step::StartAtomic& atomic) const;
  void send_store(NodeId home, const step::StartAtomic& atomic);
  // True: a home is asked first whether it has this node's stores, and `atomic` comes then.
  [[nodiscard]] bool confirm_before(NodeId home, const step::StartAtomic& atomic);
  [[nodiscard]] PendingAtomic prepare(const AtomicRequest& request, Ordering ordering);
  void send_ask(NodeId home, PendingAtomic pending, WaitId wait, bool patient);
  // What the operation releases, into its message to that home.
  template <typename Message>
  void put_released(NodeId home, Message& message) {
    message.current = coherence_.is_current();
    message.records = coherence_.unsent_records(home);
    message.carried = coherence_.carried_with_operation(home, message.records);
  }
  // Performs an operation on this node's contents of a page homed here.
  // `late`: it may not be among its node's notices of this epoch.
  AtomicResult perform_at_home(NodeId by, const AtomicRequest& request, Ordering ordering,
                               bool late);
  [[nodiscard]] static bool changed(const AtomicResult& result);
  // Makes this node's copy of the page agree with what the home did.
  void update_copy(const PendingAtomic& pending, const AtomicResult& result);
  bool patch(const AtomicRequest& request, const PendingAtomic::Contents& held,
             const AtomicResult& result);
  void finish(Ordering ordering, WaitId wait, const AtomicResult& result);
  [[nodiscard]] bool is_to_wait(const step::AnswerAtomic& step);
  void answer_now(const step::AnswerAtomic& step);
  void look_at_kept();
  [[nodiscard]] bool keeps_load_of(PageIndex page) const;

  Context& context_;
  PageTable& table_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  HomeFinder& homes_;
  WriteVectors& vectors_;
  PendingAtomics& pending_;
  EpochWrites& writes_;
  EagerReleases& releases_;
  HomeUpdates& updates_;
  Copies& copies_;
  FlagNeeds& needs_;
  OpenPages& open_;
  ShownWords& shown_;
  OneSidedReads one_sided_;
  GlobalOffset last_shown_ = kNoWord;
  std::uint8_t last_shown_size_ = 0;
  std::vector<step::AnswerAtomic> kept_;  // patient loads, this node's too
};

}  // namespace weft
