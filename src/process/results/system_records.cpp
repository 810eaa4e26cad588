// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C library knows of users, groups, hosts, services, mounts and logins, and returns in
// static variables (shared_results.hpp).
#include <fstab.h>
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <shadow.h>
#include <utmp.h>
#include <utmpx.h>

#include "base/threads/guard_words.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "process/requests/calls.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/topics.hpp"
#include "process/results/shared_results.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

using libc::text;

constexpr auto kNothing = [](const auto&, Attachments&) {};

void attach_user(passwd& user, Attachments& to) {
  for (char** each : {&user.pw_name, &user.pw_passwd, &user.pw_gecos, &user.pw_dir, &user.pw_shell})
    to.text(*each);
}
void attach_group(group& one, Attachments& to) {
  to.text(one.gr_name);
  to.text(one.gr_passwd);
  to.texts(one.gr_mem);
}
void attach_shadow(spwd& one, Attachments& to) {
  to.text(one.sp_namp);
  to.text(one.sp_pwdp);
}
void attach_host(hostent& host, Attachments& to) {
  to.text(host.h_name);
  to.texts(host.h_aliases);
  to.blocks(host.h_addr_list, static_cast<std::size_t>(host.h_length));
}
void attach_service(servent& service, Attachments& to) {
  to.text(service.s_name);
  to.texts(service.s_aliases);
  to.text(service.s_proto);
}
void attach_protocol(protoent& protocol, Attachments& to) {
  to.text(protocol.p_name);
  to.texts(protocol.p_aliases);
}
void attach_network(netent& network, Attachments& to) {
  to.text(network.n_name);
  to.texts(network.n_aliases);
}
void attach_mount(mntent& mount, Attachments& to) {
  for (char** each : {&mount.mnt_fsname, &mount.mnt_dir, &mount.mnt_type, &mount.mnt_opts})
    to.text(*each);
}
void attach_file_system(fstab& one, Attachments& to) {
  to.text(one.fs_spec);
  to.text(one.fs_file);
  to.text(one.fs_vfstype);
  to.text(one.fs_mntops);
}

// How many records of each list have been read: by the job, in shared memory, and by this node's C
// library.
constexpr std::size_t kPlaces = static_cast<std::size_t>(Place::kCount);
std::uint64_t* read_by_job = nullptr;
std::uint64_t read_here[kPlaces] = {};

void begin_list(Place list) {
  read_by_job[static_cast<std::size_t>(list)] = read_here[static_cast<std::size_t>(list)] = 0;
}

// On the runtime stack. `rewind` is the list's end: who reads on begins anew.
template <typename Next, typename Rewind>
auto next_of_list(Place list, Next next, Rewind rewind) {
  std::uint64_t& of_job = read_by_job[static_cast<std::size_t>(list)];
  std::uint64_t& here = read_here[static_cast<std::size_t>(list)];
  if (here > of_job) {
    rewind();
    here = 0;
  }
  while (here < of_job && next() != nullptr) ++here;
  auto* const record = next();
  if (record != nullptr) of_job = ++here;
  return record;
}

}  // namespace

void prepare_lists() {
  read_by_job = reinterpret_cast<std::uint64_t*>(control_block(kPlaces * sizeof(std::uint64_t)));
}

#define WEFT_LIST(...) __VA_ARGS__
// `arguments` are those of libc::call. Name services are modules, which the C library calls by
// addresses that it has hidden.
#define WEFT_RECORD(type, name, place, attach, parameters, names, arguments)                      \
  WEFT_ENTRY(type*, name, WEFT_LIST parameters) {                                                 \
    const WithProcessPointerGuard guard;                                                          \
    if (WEFT_JOB_OF_CALLER() == nullptr) return libc::call(WEFT_REAL(name) WEFT_LIST arguments);  \
    return on_runtime_stack([&] {                                                                 \
      return share_record(Place::place, libc::call(WEFT_REAL(name) WEFT_LIST arguments), attach); \
    });                                                                                           \
  }
#define WEFT_BY_NAME(type, name, place, attach) \
  WEFT_RECORD(type, name, place, attach, (const char* key), (key), (, text(key)))
#define WEFT_BY_NUMBER(type, name, number, place, attach) \
  WEFT_RECORD(type, name, place, attach, (number key), (key), (, key))
// How far a list has been read that the C library reads one by one, is the job's: a node that goes
// on from there first reads as far.
#define WEFT_LISTED(type, get, set, end, stay, names, place, attach)                         \
  WEFT_ENTRY(type*, get, void) {                                                             \
    const WithProcessPointerGuard guard;                                                     \
    if (WEFT_JOB_OF_CALLER() == nullptr) return libc::call(WEFT_REAL(get));                  \
    return on_runtime_stack([] {                                                             \
      const auto next = [] { return WEFT_REAL(get)(); };                                     \
      const auto* const record = next_of_list(Place::place, next, [] { WEFT_REAL(end)(); }); \
      return share_record(Place::place, record, attach);                                     \
    });                                                                                      \
  }                                                                                          \
  WEFT_ENTRY(void, set, WEFT_LIST stay) {                                                    \
    const WithProcessPointerGuard guard;                                                     \
    if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(set)(WEFT_LIST names);             \
    begin_list(Place::place);                                                                \
    on_runtime_stack([=] { WEFT_REAL(set)(WEFT_LIST names); });                              \
  }                                                                                          \
  WEFT_ENTRY(void, end, void) {                                                              \
    const WithProcessPointerGuard guard;                                                     \
    if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(end)();                            \
    begin_list(Place::place);                                                                \
    on_runtime_stack([] { WEFT_REAL(end)(); });                                              \
  }
// Those that other calls move, too: node 0 alone reads them.
#define WEFT_NEXT(type, name, place, attach)                                             \
  WEFT_ENTRY(type*, name, void) {                                                        \
    const WithProcessPointerGuard guard;                                                 \
    Node* const node = WEFT_JOB_OF_CALLER();                                             \
    if (node == nullptr) return libc::call(WEFT_REAL(name));                             \
    if (node->self() != NodeId(0)) refuse(*node, #name " on another node than 0");       \
    return on_runtime_stack(                                                             \
        [] { return share_record(Place::place, libc::call(WEFT_REAL(name)), attach); }); \
  }
#define WEFT_FROM_FILE(type, name, place, attach) \
  WEFT_RECORD(type, name, place, attach, (FILE * file), (file), (, file))

WEFT_BY_NAME(passwd, getpwnam, kUserByName, attach_user)
WEFT_BY_NUMBER(passwd, getpwuid, uid_t, kUserByNumber, attach_user)
WEFT_LISTED(passwd, getpwent, setpwent, endpwent, (void), (), kUserEntry, attach_user)
WEFT_FROM_FILE(passwd, fgetpwent, kUserFromFile, attach_user)
WEFT_BY_NAME(group, getgrnam, kGroupByName, attach_group)
WEFT_BY_NUMBER(group, getgrgid, gid_t, kGroupByNumber, attach_group)
WEFT_LISTED(group, getgrent, setgrent, endgrent, (void), (), kGroupEntry, attach_group)
WEFT_FROM_FILE(group, fgetgrent, kGroupFromFile, attach_group)
WEFT_BY_NAME(spwd, getspnam, kShadowByName, attach_shadow)
WEFT_LISTED(spwd, getspent, setspent, endspent, (void), (), kShadowEntry, attach_shadow)

WEFT_BY_NAME(hostent, gethostbyname, kHostByName, attach_host)
WEFT_RECORD(hostent, gethostbyname2, kHostByNameAndFamily, attach_host,
            (const char* key, int family), (key, family), (, text(key), family))
WEFT_RECORD(hostent, gethostbyaddr, kHostByAddress, attach_host,
            (const void* address, socklen_t bytes, int family), (address, bytes, family),
            (, libc::memory(address, bytes), bytes, family))
WEFT_LISTED(hostent, gethostent, sethostent, endhostent, (int stay), (stay), kHostEntry,
            attach_host)
WEFT_RECORD(servent, getservbyname, kServiceByName, attach_service,
            (const char* key, const char* protocol), (key, protocol), (, text(key), text(protocol)))
WEFT_RECORD(servent, getservbyport, kServiceByPort, attach_service,
            (int port, const char* protocol), (port, protocol), (, port, text(protocol)))
WEFT_LISTED(servent, getservent, setservent, endservent, (int stay), (stay), kServiceEntry,
            attach_service)
WEFT_BY_NAME(protoent, getprotobyname, kProtocolByName, attach_protocol)
WEFT_BY_NUMBER(protoent, getprotobynumber, int, kProtocolByNumber, attach_protocol)
WEFT_LISTED(protoent, getprotoent, setprotoent, endprotoent, (int stay), (stay), kProtocolEntry,
            attach_protocol)
WEFT_BY_NAME(netent, getnetbyname, kNetworkByName, attach_network)
WEFT_RECORD(netent, getnetbyaddr, kNetworkByAddress, attach_network,
            (std::uint32_t key, int family), (key, family), (, key, family))
WEFT_LISTED(netent, getnetent, setnetent, endnetent, (int stay), (stay), kNetworkEntry,
            attach_network)

WEFT_FROM_FILE(mntent, getmntent, kMount, attach_mount)
WEFT_NEXT(fstab, getfsent, kFileSystem, attach_file_system)
WEFT_BY_NAME(fstab, getfsspec, kFileSystem, attach_file_system)
WEFT_BY_NAME(fstab, getfsfile, kFileSystem, attach_file_system)
WEFT_NEXT(utmpx, getutxent, kLoginEntry, kNothing)
WEFT_BY_NUMBER(utmpx, getutxid, const utmpx*, kLoginById, kNothing)
WEFT_BY_NUMBER(utmpx, getutxline, const utmpx*, kLoginByLine, kNothing)
WEFT_BY_NUMBER(utmpx, pututxline, const utmpx*, kLoginWritten, kNothing)
WEFT_NEXT(utmp, getutent, kLoginEntry, kNothing)
WEFT_BY_NUMBER(utmp, getutid, const utmp*, kLoginById, kNothing)
WEFT_BY_NUMBER(utmp, getutline, const utmp*, kLoginByLine, kNothing)
WEFT_BY_NUMBER(utmp, pututline, const utmp*, kLoginWritten, kNothing)
WEFT_BY_NUMBER(ether_addr, ether_aton, const char*, kEthernet, kNothing)

}  // namespace weft::process
