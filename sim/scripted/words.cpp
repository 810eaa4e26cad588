// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scripted/words.hpp"

#include <span>
#include <sstream>

namespace weft::sim {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

std::uint64_t number(const std::string& word) { return std::stoull(word); }

FlushKind flush_kind(const std::string& word) {
  if (word == "confirms") return FlushKind::kConfirms;
  return word == "polled" ? FlushKind::kPolled : FlushKind::kAsks;
}

PageIndex page_of(const std::string& word) { return PageIndex(number(word)); }

HomePolicy policy_of(const std::string& word) {
  if (word == "follow") return HomePolicy::kFollow;
  return word == "stay" ? HomePolicy::kStay : HomePolicy::kSettle;
}

LockPolicy lock_policy_of(const std::string& word) {
  if (word == "plain") return LockPolicy::kPlain;
  if (word == "write-vector") return LockPolicy::kWriteVector;
  if (word == "rmp") return LockPolicy::kRmp;
  if (word == "rmp-lm") return LockPolicy::kRmpLm;
  return word == "rmp-mh" ? LockPolicy::kRmpMh : LockPolicy::kWeft;
}

PhaseKey key_of(const std::vector<std::string>& words, std::size_t index) {
  const bool is_there = words.size() > index && words[index] != "others";
  return is_there ? PhaseKey(number(words[index])) : PhaseKey();
}

BarrierInput barrier_input(const std::vector<std::string>& words) {
  BarrierInput input;
  input.precedes_publication = words.back() == "before-publication";
  input.others_here = words.back() == "others";
  if (words.size() > 2 && words[2].starts_with("phase=")) {
    input.next = PhaseKey(number(words[2].substr(6)));
  } else if (words.size() > 2 && !input.precedes_publication && !input.others_here) {
    const auto text = std::as_bytes(std::span(words[2]));
    input.contribution.assign(text.begin(), text.end());
    input.release_to_parent = words.size() > 3;
  }
  return input;
}

}  // namespace weft::sim
