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

#include "libc/io_bounce.hpp"
#include "process/calls.hpp"
#include "process/refusal.hpp"
#include "process/shared_results.hpp"
#include "runtime/stacks.hpp"

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

}  // namespace

#define WEFT_LIST(...) __VA_ARGS__
// `arguments` are those of libc::call.
#define WEFT_RECORD(type, name, place, attach, parameters, names, arguments)                      \
  WEFT_ENTRY(type*, name, WEFT_LIST parameters) {                                                 \
    if (WEFT_JOB_OF_CALLER() == nullptr) return libc::call(WEFT_REAL(name) WEFT_LIST arguments);  \
    return on_runtime_stack([&] {                                                                 \
      return share_record(Place::place, libc::call(WEFT_REAL(name) WEFT_LIST arguments), attach); \
    });                                                                                           \
  }
#define WEFT_BY_NAME(type, name, place, attach) \
  WEFT_RECORD(type, name, place, attach, (const char* key), (key), (, text(key)))
#define WEFT_BY_NUMBER(type, name, number, place, attach) \
  WEFT_RECORD(type, name, place, attach, (number key), (key), (, key))
// Of lists that are read one by one, the C library knows how far: node 0 alone reads them.
#define WEFT_NEXT(type, name, place, attach)                                             \
  WEFT_ENTRY(type*, name, void) {                                                        \
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
WEFT_NEXT(passwd, getpwent, kUserEntry, attach_user)
WEFT_FROM_FILE(passwd, fgetpwent, kUserFromFile, attach_user)
WEFT_BY_NAME(group, getgrnam, kGroupByName, attach_group)
WEFT_BY_NUMBER(group, getgrgid, gid_t, kGroupByNumber, attach_group)
WEFT_NEXT(group, getgrent, kGroupEntry, attach_group)
WEFT_FROM_FILE(group, fgetgrent, kGroupFromFile, attach_group)
WEFT_BY_NAME(spwd, getspnam, kShadowByName, attach_shadow)
WEFT_NEXT(spwd, getspent, kShadowEntry, attach_shadow)

WEFT_BY_NAME(hostent, gethostbyname, kHostByName, attach_host)
WEFT_RECORD(hostent, gethostbyname2, kHostByNameAndFamily, attach_host,
            (const char* key, int family), (key, family), (, text(key), family))
WEFT_RECORD(hostent, gethostbyaddr, kHostByAddress, attach_host,
            (const void* address, socklen_t bytes, int family), (address, bytes, family),
            (, libc::memory(address, bytes), bytes, family))
WEFT_NEXT(hostent, gethostent, kHostEntry, attach_host)
WEFT_RECORD(servent, getservbyname, kServiceByName, attach_service,
            (const char* key, const char* protocol), (key, protocol), (, text(key), text(protocol)))
WEFT_RECORD(servent, getservbyport, kServiceByPort, attach_service,
            (int port, const char* protocol), (port, protocol), (, port, text(protocol)))
WEFT_NEXT(servent, getservent, kServiceEntry, attach_service)
WEFT_BY_NAME(protoent, getprotobyname, kProtocolByName, attach_protocol)
WEFT_BY_NUMBER(protoent, getprotobynumber, int, kProtocolByNumber, attach_protocol)
WEFT_NEXT(protoent, getprotoent, kProtocolEntry, attach_protocol)
WEFT_BY_NAME(netent, getnetbyname, kNetworkByName, attach_network)
WEFT_RECORD(netent, getnetbyaddr, kNetworkByAddress, attach_network,
            (std::uint32_t key, int family), (key, family), (, key, family))
WEFT_NEXT(netent, getnetent, kNetworkEntry, attach_network)

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
