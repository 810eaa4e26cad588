// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages by which copies of pages come, asked for or not, and by which homes are found.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/page_range.hpp"
#include "protocol/interface/home_facts.hpp"
#include "protocol/messages/message_type.hpp"
#include "protocol/messages/page_parts.hpp"
#include "protocol/messages/records.hpp"
#include "protocol/messages/rhythm.hpp"
#include "protocol/messages/wire.hpp"

namespace weft {

// Pages of the sender's for the phase that begins with the next epoch, unasked.
struct Push {
  PhaseKey phase;
  std::vector<PageBytes> pages = {};
  PageSet ended = {};                       // not pushed in this phase any more
  std::vector<PagesInRhythm> rhythms = {};  // of pages that do not come at each beginning
  WEFT_MESSAGE(kPush, self.phase, self.pages, self.ended, self.rhythms)
};

// Pages of one home on their way along the barrier's tree, from one that gets them to the next.
struct SharedPush {
  NodeId home;
  std::vector<NodeId> consumers;
  Push push;
  WEFT_MESSAGE(kPush, self.home, self.consumers, self.push)
};

struct FetchRequest {
  std::uint32_t request = 0;
  PageSet pages;
  bool descending = false, reads = false;  // wants the highest first; reads contents at the home
  std::vector<StreamPosition> requirement;
  PhaseKey phase;                     // in which the asker is
  std::vector<PageVersion> versions;  // what the asker still has of some of these pages
  WEFT_MESSAGE(kFetchRequest, self.request, self.pages, self.descending, self.requirement,
               self.phase, self.versions, self.reads)
};

struct FetchReply {
  std::uint32_t request = 0;
  PhaseKey phase;  // in which these pages will be pushed from now on; 0: in none
  Rhythm rhythm;   // and how often
  std::vector<PageIndex> pages = {};
  std::vector<PageBlocks> parts = {};  // with write vectors, in place of pages
  bool lent = false;                   // contents are read later than the reply is made
  bool at_home = false;                // they are not here: the asker reads them at their home
  LentBytes contents = {};             // of all pages, one behind the other
  WEFT_MESSAGE(kFetchReply, self.request, self.phase, self.rhythm, self.pages, self.parts,
               self.lent, self.at_home, self.contents)
};

// The sender does not use these pages in this phase.
struct Unsubscribe {
  PhaseKey phase;
  PageSet pages;
  WEFT_MESSAGE(kUnsubscribe, self.phase, self.pages)
};

// To the directory of the pages in this leaf of the page table, and what it knows of all of them.
struct HomeAsk {
  PageIndex leaf;  // its first page
  WEFT_MESSAGE(kHomeAsk, self.leaf)
};

struct HomeReply {
  PageIndex leaf;
  std::vector<HomeRun> homes;
  WEFT_MESSAGE(kHomeReply, self.leaf, self.homes)
};

}  // namespace weft
