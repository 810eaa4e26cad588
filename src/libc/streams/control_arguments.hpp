// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many bytes the third argument of fcntl and ioctl points to.
#pragma once

#include <fcntl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include <cstddef>
#include <cstdint>

namespace weft::libc {

// Of fcntl. 0: it is a number, or there is none.
[[nodiscard]] inline std::size_t bytes_of_command(int command) {
  switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
      return sizeof(struct flock);
    case F_GETOWN_EX:
    case F_SETOWN_EX:
      return sizeof(f_owner_ex);
    case F_GET_RW_HINT:
    case F_SET_RW_HINT:
    case F_GET_FILE_RW_HINT:
    case F_SET_FILE_RW_HINT:
      return sizeof(std::uint64_t);
    default:
      return 0;
  }
}

// Of ioctl. 0: nobody here knows. Old requests do not have it in their number.
[[nodiscard]] inline std::size_t bytes_of_request(unsigned long request) {
  switch (request) {
    case FIONREAD:
    case FIONBIO:
    case FIOASYNC:
    case FIOSETOWN:
    case FIOGETOWN:
    case SIOCSPGRP:
    case SIOCGPGRP:
    case SIOCATMARK:
    case TIOCOUTQ:
    case TIOCGPGRP:
    case TIOCSPGRP:
    case TIOCGSID:
      return sizeof(int);
    case TIOCGWINSZ:
    case TIOCSWINSZ:
      return sizeof(winsize);
    default:
      return _IOC_SIZE(request);
  }
}

}  // namespace weft::libc
