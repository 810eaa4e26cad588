// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/doctor/host_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

HostReport healthy(const std::string& name, const std::string& address) {
  HostReport host;
  host.name = name;
  host.hello.version = "1.0";
  host.hello.host = name;
  host.hello.processors = {{0, 0, 0, 0}, {1, 1, 1, 0}};
  host.found.kernel = "6.18";
  host.found.memory_bytes = std::uint64_t{8} << 30;
  host.found.free_memory_bytes = std::uint64_t{4} << 30;
  host.found.free_shared_bytes = 1;
  host.found.watching = {{"uffd-async", true}, {"mprotect", true}};
  host.found.fixes_addresses = host.found.has_memfd = true;
  host.found.layout = {"libc.so.6 0x1000"};
  host.network.interface = "eth0";
  host.network.address = address;
  return host;
}

Findings two_hosts() {
  Findings findings;
  findings.version = "1.0";
  findings.hosts = {healthy("a", "10.0.0.1"), healthy("b", "10.0.0.2")};
  findings.pairs = {{0, 1, {"", 30000, 1250000000}}, {1, 0, {"", 31400, 1250000000}}};
  return findings;
}

// Of the only fault.
std::string fault(const Findings& findings) {
  const std::vector<Fault> faults = faults_of(findings);
  EXPECT_EQ(faults.size(), 1U);
  return faults.empty() ? "" : faults[0].where + ": " + faults[0].what + " | " + faults[0].remedy;
}

TEST(HostReport, OfHealthyHostsHasNoFault) {
  const Findings findings = two_hosts();
  EXPECT_THAT(faults_of(findings), IsEmpty());
  EXPECT_EQ(
      as_text(findings),
      "host  name  Weft  kernel  processors  GiB  free  network        clock    pages watched by\n"
      "a     a     1.0   6.18    2           8.0  4.0   eth0 10.0.0.1  +0.0 ms  uffd-async, "
      "mprotect\n"
      "b     b     1.0   6.18    2           8.0  4.0   eth0 10.0.0.2  +0.0 ms  uffd-async, "
      "mprotect\n"
      "\n"
      "from \\ to  a                b\n"
      "a                           30 us 1250 MB/s\n"
      "b          31 us 1250 MB/s\n"
      "\n"
      "Jobs can run on these 2 hosts.\n");
}

TEST(HostReport, NamesWhatIsWrongWithAHost) {
  Findings findings = two_hosts();
  findings.hosts[1].hello.version = "1.1";
  EXPECT_THAT(fault(findings), HasSubstr("b: it has Weft 1.1, and this host has 1.0 | Install"));
  findings = two_hosts();
  findings.hosts[1].found.free_shared_bytes = 0;
  EXPECT_THAT(fault(findings), HasSubstr("b: /dev/shm has no room | Remove"));
  findings = two_hosts();
  findings.hosts[1].found.fixes_addresses = false;
  EXPECT_THAT(fault(findings), HasSubstr("b: address randomisation cannot be switched off | In"));
  findings = two_hosts();
  findings.hosts[0].found.has_memfd = false;
  EXPECT_THAT(fault(findings), HasSubstr("a: memfd_create does not work"));
  findings = two_hosts();
  findings.hosts[0].found.watching = {{"mprotect", false}};
  EXPECT_THAT(fault(findings), HasSubstr("a: no way to watch pages works"));
  findings = two_hosts();
  findings.hosts[1].found.layout = {"libc.so.6 0x2000"};
  EXPECT_THAT(fault(findings), HasSubstr("than on a: libc.so.6 0x1000 there, libc.so.6 0x2000"));
  findings.hosts[1].found.layout = {};
  EXPECT_THAT(fault(findings), HasSubstr("libc.so.6 0x1000 there, nothing here"));
}

TEST(HostReport, SaysWhatHelpsToReachAHost) {
  for (const auto& [failure, remedy] :
       {std::pair("ssh: Could not resolve hostname b: Name or service not known",
                  "Correct the name"),
        std::pair("me@b: Permission denied (publickey)", "ssh-copy-id b"),
        std::pair("ssh: connect to host b port 22: Connection refused", "Start sshd"),
        std::pair("ssh: connect to host b port 22: Connection timed out", "switched on"),
        std::pair("sh: weft: not found; is Weft installed there, in the same place?",
                  "Install Weft"),
        std::pair("its agent is of another version", "same Weft"),
        std::pair("something else", "ssh -oBatchMode=yes b true")}) {
    Findings findings = two_hosts();
    findings.hosts[1].failure = failure;
    findings.pairs.clear();
    EXPECT_THAT(fault(findings), HasSubstr(remedy)) << failure;
    EXPECT_THAT(as_text(findings), HasSubstr("\nb     not reached\n"));
  }
}

TEST(HostReport, NamesPairsThatAreNotConnected) {
  Findings findings = two_hosts();
  findings.pairs[1].result = {"no answer within 3 s", 0, 0};
  EXPECT_THAT(fault(findings),
              HasSubstr("b to a: no TCP connection to 10.0.0.1: no answer within 3 s | "
                        "Let the firewall on a pass TCP"));
  EXPECT_THAT(as_text(findings), HasSubstr("b          no connection\n"));
  findings = two_hosts();
  findings.pairs.clear();
  findings.no_network = "no network reaches all hosts";
  EXPECT_THAT(fault(findings), HasSubstr("network: no network reaches all hosts | Give"));
}

TEST(HostReport, IsJsonToo) {
  Findings findings = two_hosts();
  findings.hosts[1].failure = "\"b\"\n is\\ gone";
  findings.pairs.pop_back();
  const std::string text = as_json(findings);
  EXPECT_THAT(text, HasSubstr("\"healthy\": false"));
  EXPECT_THAT(text, HasSubstr("{\"from\": \"a\", \"to\": \"b\", \"round_trip_us\": 30.0, "
                              "\"bytes_per_second\": 1250000000}"));
  EXPECT_THAT(text, HasSubstr("\"what\": \"\\\"b\\\"\\u000a is\\\\ gone\""));
  EXPECT_THAT(text, HasSubstr("\"processors\": 2, \"numa_domains\": 2"));
}

}  // namespace
}  // namespace weft
