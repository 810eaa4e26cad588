// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/watch/places.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/locks/lock_ids.hpp"

namespace weft {
// Looked for by name.
int variable_of_places_test[4];

namespace {

TEST(PlaceText, IsTheCompilersOrNothing) {
  EXPECT_EQ(place_in(";heat.c;relax;41;3;;"), "heat.c:41");
  for (const char* const none : {"", ";", ";;;;", ";unknown;unknown;0;0;;", ";weft;lock;0;0;;",
                                 "heat.c;relax;41;3;;", ";heat.c;relax", ";heat.c;relax;41"}) {
    EXPECT_FALSE(place_in(none).has_value()) << none;
  }
}

board::NodeSnapshot one_thread(board::WaitKind kind, std::uint64_t object, const void* place,
                               const void* address) {
  board::ThreadSnapshot thread;
  thread.thread = 1;
  thread.is_waiting = true;
  thread.kind = kind;
  thread.object = object;
  thread.place = reinterpret_cast<std::uintptr_t>(place);
  thread.address = reinterpret_cast<std::uintptr_t>(address);
  board::NodeSnapshot shown;
  shown.threads = {thread};
  return shown;
}

// This process, which can read itself.
std::string text_of(const board::NodeSnapshot& shown, std::uint64_t address) {
  for (const AddressText& each : texts_of(getpid(), shown)) {
    if (each.address == address) return each.text;
  }
  return {};
}

[[gnu::noinline]] const void* here() { return __builtin_return_address(0); }

TEST(Texts, FindsTheFunctionOfAnAddress) {
  const void* const address = here();
  const std::string text = text_of(one_thread(board::WaitKind::kBarrier, 0, nullptr, address),
                                   reinterpret_cast<std::uintptr_t>(address));
  // A line where this test has debugging information, else the function.
  const bool is_line = text.find("places_test.cpp:") != std::string::npos;
  EXPECT_TRUE(is_line || text.find("FindsTheFunctionOfAnAddress") != std::string::npos) << text;
}

TEST(CallPlaces, AreInTheOrderOfTheAddresses) {
  const auto address = reinterpret_cast<std::uintptr_t>(here());
  const std::uint64_t addresses[] = {0x20, address, 0x10};
  const std::vector<std::string> texts = places_of_calls(getpid(), addresses);
  ASSERT_EQ(texts.size(), 3U);
  EXPECT_EQ(texts[0], "");
  const bool is_line = texts[1].find("places_test.cpp:") != std::string::npos;
  EXPECT_TRUE(is_line || texts[1].find("AreInTheOrder") != std::string::npos) << texts[1];
  EXPECT_EQ(texts[2], "");
  EXPECT_EQ(places_of_calls(-1, addresses), std::vector<std::string>(3));
}

TEST(Texts, PrefersTheCompilersPlace) {
  static const char place[] = ";heat.c;relax;41;3;;";
  const auto shown = one_thread(board::WaitKind::kBarrier, 0, place, here());
  EXPECT_EQ(text_of(shown, reinterpret_cast<std::uintptr_t>(place)), "heat.c:41");
  EXPECT_EQ(text_of(shown, shown.threads[0].address), "");
}

TEST(Texts, NamesVariables) {
  const auto address = reinterpret_cast<std::uintptr_t>(&variable_of_places_test[0]);
  EXPECT_EQ(text_of(one_thread(board::WaitKind::kSemaphore, address, nullptr, nullptr), address),
            "weft::variable_of_places_test");
  const std::uint64_t lock = lock_of(LockKind::kMutex, &variable_of_places_test[1]).value();
  EXPECT_EQ(text_of(one_thread(board::WaitKind::kLock, lock, nullptr, nullptr), address + 4),
            "weft::variable_of_places_test+0x4");
}

TEST(Texts, AnAddressWithoutAnythingHasNoText) {
  const auto shown =
      one_thread(board::WaitKind::kSemaphore, 0x10, reinterpret_cast<const void*>(0x20),
                 reinterpret_cast<const void*>(0x30));
  for (const AddressText& each : texts_of(getpid(), shown)) {
    ADD_FAILURE() << each.address << ": " << each.text;
  }
  EXPECT_TRUE(texts_of(-1, shown).empty());
}

}  // namespace
}  // namespace weft
