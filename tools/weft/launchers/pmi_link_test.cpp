// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks' ends of PMI, with this test as the launcher.
#include "weft/launchers/pmi_link.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <string>
#include <thread>

#include "weft/launchers/pmi_wire.hpp"

namespace weft {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;
using Answer = std::function<std::string(PmiFields)>;

// A launcher of one task, which gives it what it has put itself.
class Launcher {
 public:
  explicit Launcher(PmiVersion version) : version_(version) {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets_), 0);
    setenv("PMI_FD", std::to_string(sockets_[1]).c_str(), 1);
    setenv("PMI_RANK", "0", 1);
    setenv("PMI_SIZE", "1", 1);
    setenv("PMI_JOBID", "7.0", 1);
    thread_ = std::thread([this] { serve(); });
  }
  ~Launcher() {
    shutdown(sockets_[0], SHUT_RDWR);
    thread_.join();
    close(sockets_[0]);
    for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE", "PMI_JOBID"}) unsetenv(name);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  // Said in place of the answer to that command.
  void say_instead(const std::string& command, const std::string& text) {
    instead_[command] = text;
  }
  [[nodiscard]] std::size_t longest_value() const { return longest_value_; }

 private:
  void serve() {
    PmiReader reader;
    char buffer[512];
    for (ssize_t count = 0; (count = read(sockets_[0], buffer, sizeof buffer)) > 0;) {
      reader.append({buffer, static_cast<std::size_t>(count)});
      while (const auto message = reader.next()) {
        const std::string command = message->at("cmd");
        const std::string answer =
            instead_.contains(command) ? instead_[command] : answer_to(*message);
        if (command == "init") reader.speak(version_);
        (void)!write(sockets_[0], answer.data(), answer.size());
      }
    }
  }

  std::string answer_to(const PmiFields& message) {
    const std::string command = message.at("cmd");
    if (command == "init") return "cmd=response_to_init rc=0\n";
    if (command == "put" || command == "kvs-put") {
      values_[message.at("key")] = message.at("value");
      longest_value_ = std::max(longest_value_, message.at("value").size());
    }
    Fields fields = {
        {"cmd", version_ == PmiVersion::k2 ? command + "-response" : names_.at(command)}};
    if (command == "get_maxes") fields.emplace_back("vallen_max", "64");
    if (command == "get_my_kvsname") fields.emplace_back("kvsname", "space");
    if (command == "get" || command == "kvs-get") {
      fields.emplace_back("value", values_[message.at("key")]);
    }
    fields.emplace_back("rc", "0");
    return pmi_message(version_, fields);
  }

  PmiVersion version_;
  int sockets_[2] = {-1, -1};
  std::map<std::string, std::string> names_ = {
      {"get_maxes", "maxes"}, {"get_my_kvsname", "my_kvsname"},
      {"put", "put_result"},  {"barrier_in", "barrier_out"},
      {"get", "get_result"},  {"finalize", "finalize_ack"}};
  std::map<std::string, std::string> values_, instead_;
  std::size_t longest_value_ = 0;
  std::thread thread_;
};

TEST(PmiLinkTest, ExchangesByBothVersions) {
  for (const PmiVersion version : {PmiVersion::k1, PmiVersion::k2}) {
    Launcher launcher(version);
    auto link = version == PmiVersion::k1 ? connect_by_pmi1() : connect_by_pmi2();
    ASSERT_TRUE(link.ok()) << link.error();
    for (const std::size_t count : {5000, 0}) {
      const auto all = link.value()->exchange(Bytes(count, std::byte{200}));
      ASSERT_TRUE(all.ok()) << all.error();
      EXPECT_EQ(all.value(), std::vector<Bytes>{Bytes(count, std::byte{200})});
    }
    link.value()->leave();
    EXPECT_LT(launcher.longest_value(), version == PmiVersion::k1 ? 64U : 1024U);
  }
}

TEST(PmiLinkTest, SaysWhatALauncherDoesWrong) {
  struct Case {
    const char *command, *answer, *sentence;
  };
  for (const Case& each : {Case{"init", "cmd=response_to_init rc=-1\n", "rc=-1"},
                           Case{"init", "\n", "answers PMI's init"},
                           Case{"get_maxes", "cmd=maxes vallen_max=3\n", "takes no values"},
                           Case{"get_maxes", "cmd=maxes vallen_max=-1\n", "takes no values"},
                           Case{"get_my_kvsname", "cmd=put_result\n", "with put_result"}}) {
    Launcher launcher(PmiVersion::k1);
    launcher.say_instead(each.command, each.answer);
    const auto link = connect_by_pmi1();
    ASSERT_FALSE(link.ok());
    EXPECT_NE(link.error().find(each.sentence), std::string::npos) << link.error();
  }
}

TEST(PmiLinkTest, SaysWhatATaskDoesWrong) {
  Launcher launcher(PmiVersion::k2);
  launcher.say_instead(
      "kvs-get",
      pmi_message(PmiVersion::k2, {{"cmd", "kvs-get-response"}, {"rc", "0"}, {"value", "1.??"}}));
  auto link = connect_by_pmi2();
  ASSERT_TRUE(link.ok()) << link.error();
  const auto all = link.value()->exchange(Bytes(3));
  ASSERT_FALSE(all.ok());
  EXPECT_EQ(all.error(), "task 0 says what no task of Weft says");
}

TEST(PmiLinkTest, NeedsASensiblePlace) {
  setenv("PMI_FD", "9999", 1);
  setenv("PMI_SIZE", "2", 1);
  for (const char* rank : {"2", "-1", "one", ""}) {
    setenv("PMI_RANK", rank, 1);
    EXPECT_EQ(connect_by_pmi1().error(),
              "PMI_FD, PMI_RANK and PMI_SIZE do not make sense together");
  }
  setenv("PMI_RANK", "1", 1);
  EXPECT_EQ(connect_by_pmi2().error(),
            "the launcher's PMI_FD=9999 is not open: Bad file descriptor");
  for (const char* name : {"PMI_FD", "PMI_RANK", "PMI_SIZE"}) unsetenv(name);
}

}  // namespace
}  // namespace weft
