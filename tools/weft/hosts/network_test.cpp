// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/hosts/network.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

HostAddress address(const char* interface, const char* text, unsigned bits) {
  return {.interface = interface, .address = text, .prefix_bits = bits};
}
HostAddress loopback() {
  return {.interface = "lo", .address = "127.0.0.1", .prefix_bits = 8, .is_loopback = true};
}
HostAddress docker() {
  return {.interface = "docker0", .address = "172.17.0.1", .prefix_bits = 16, .is_bridge = true};
}

// Two hosts with a management network and a fast one, whose interfaces have different names.
std::vector<HostView> two_hosts(const char* reached_a, const char* reached_b) {
  return {{.name = "a",
           .addresses = {loopback(), docker(), address("eth0", "10.0.0.1", 24),
                         address("ib0", "10.1.0.1", 16), address("ib0", "fd00::1", 64)},
           .reached_at = reached_a},
          {.name = "b",
           .addresses = {loopback(), docker(), address("eno1", "10.0.0.2", 24),
                         address("ib1", "10.1.0.2", 16), address("ib1", "fd00::2", 64)},
           .reached_at = reached_b}};
}

Result<std::vector<std::string>> chosen_interfaces(const std::vector<HostView>& hosts,
                                                   const std::string& wish) {
  const auto chosen = choose_addresses(hosts, wish);
  if (!chosen) return Failure{chosen.error()};
  std::vector<std::string> interfaces;
  for (const HostAddress& each : chosen.value()) interfaces.push_back(each.interface);
  return interfaces;
}

TEST(NetworkTest, TheOneByWhichHostsWereReached) {
  EXPECT_THAT(chosen_interfaces(two_hosts("10.1.0.1", "10.1.0.2"), "").value(),
              ElementsAre("ib0", "ib1"));
}

TEST(NetworkTest, ElseOneInCommonButNeverLoopbackOrABridge) {
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "").value(), ElementsAre("eth0", "eno1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("127.0.0.1", "127.0.0.1"), "").value(),
              ElementsAre("eth0", "eno1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("172.17.0.1", "172.17.0.1"), "").value(),
              ElementsAre("eth0", "eno1"));
}

TEST(NetworkTest, TheAddressIsOfTheNetworkThatIsWished) {
  const auto chosen = choose_addresses(two_hosts("", ""), "fd00::/64").value();
  EXPECT_EQ(chosen[0].address, "fd00::1");
  EXPECT_EQ(chosen[1].address, "fd00::2");
}

TEST(NetworkTest, TheUsersWish) {
  EXPECT_THAT(chosen_interfaces(two_hosts("10.0.0.1", "10.0.0.2"), "10.1.0.0/16").value(),
              ElementsAre("ib0", "ib1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "fd00::/64").value(), ElementsAre("ib0", "ib1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "ib0").error(),
              AllOf(HasSubstr("--net ib0: host b has lo"), HasSubstr("ib1 10.1.0.2/16")));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "192.168.0.0/24").error(),
              HasSubstr("--net 192.168.0.0/24: host a has"));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "10.1.0.0/99").error(),
              HasSubstr("that is no network"));
}

TEST(NetworkTest, TheFirstOfAListThatAllHostsHave) {
  EXPECT_THAT(chosen_interfaces(two_hosts("10.0.0.1", "10.0.0.2"), "ib0,10.1.0.0/16").value(),
              ElementsAre("ib0", "ib1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "10.0.0.0/24,10.1.0.0/16").value(),
              ElementsAre("eth0", "eno1"));
  EXPECT_THAT(chosen_interfaces(two_hosts("", ""), "ib0,ib1").error(),
              AllOf(HasSubstr("--net ib0: host b has"), HasSubstr("; --net ib1: host a has")));
}

TEST(NetworkTest, AddressesThatEachInterfaceGivesItselfAreNotInCommon) {
  std::vector<HostView> hosts = two_hosts("", "");
  hosts[0].addresses = {address("eth0", "fe80::1", 64), address("eth1", "169.254.3.1", 16),
                        address("eth2", "10.0.0.1", 24)};
  hosts[1].addresses = {address("eth0", "fe80::2", 64), address("eth1", "169.254.3.2", 16),
                        address("eth2", "10.0.0.2", 24)};
  EXPECT_THAT(chosen_interfaces(hosts, "").value(), ElementsAre("eth2", "eth2"));
  EXPECT_THAT(chosen_interfaces(hosts, "eth0").error(), HasSubstr("--net eth0: host a has"));
}

TEST(NetworkTest, NoneInWhichHostsHaveTheSameAddress) {
  std::vector<HostView> hosts = two_hosts("", "");
  hosts[0].addresses.insert(hosts[0].addresses.begin(), address("vmnet8", "172.16.0.1", 24));
  hosts[1].addresses.insert(hosts[1].addresses.begin(), address("vmnet8", "172.16.0.1", 24));
  EXPECT_THAT(chosen_interfaces(hosts, "").value(), ElementsAre("eth0", "eno1"));
}

TEST(NetworkTest, NoNetworkInCommonIsSaidWithWhatThereIs) {
  std::vector<HostView> hosts = two_hosts("", "");
  hosts[1].addresses = {loopback(), docker(), address("eth0", "192.168.7.2", 24)};
  EXPECT_THAT(chosen_interfaces(hosts, "").error(),
              AllOf(HasSubstr("no network reaches all hosts"), HasSubstr("192.168.7.2/24"),
                    HasSubstr("--net")));
}

}  // namespace
}  // namespace weft
