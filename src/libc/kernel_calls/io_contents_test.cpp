// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of io_test: reading and writing contents.
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>

#include "libc/testing/io_test_cases.hpp"

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string pattern(std::size_t bytes) {
  std::string text(bytes, ' ');
  for (std::size_t i = 0; i < bytes; ++i)
    text[i] = static_cast<char>('a' + (i * 7 + i / 4096) % 26);
  return text;
}

// A file with contents, open for reading and writing; closed and gone at the end.
struct File {
  explicit File(const std::string& contents = "") : stream(tmpfile()), fd(fileno(stream)) {
    for (std::size_t done = 0; done < contents.size();) {
      done += static_cast<std::size_t>(
          pwrite(fd, contents.data() + done, contents.size() - done, static_cast<off_t>(done)));
    }
  }
  ~File() { fclose(stream); }
  [[nodiscard]] std::string contents() const {
    fflush(stream);
    std::string text(static_cast<std::size_t>(lseek(fd, 0, SEEK_END)), ' ');
    return pread(fd, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) ? text : "";
  }
  FILE* stream;
  int fd;
};

struct Sockets {
  explicit Sockets(int type) { good = socketpair(AF_UNIX, type, 0, ends) == 0; }
  ~Sockets() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2];
  bool good;
};

bool holds(const void* memory, const std::string& text) {
  return memcmp(memory, text.data(), text.size()) == 0;
}

template <typename Read>
bool reads(TestRegion& region, std::size_t bytes, Read read_into) {
  const std::string text = pattern(bytes);
  File file(text);
  void* const buffer = region.room(bytes);
  region.hide();
  return read_into(file, buffer, bytes) && holds(buffer, text);
}

template <typename Write>
bool writes(TestRegion& region, std::size_t bytes, Write write_from) {
  const std::string text = pattern(bytes);
  const char* const buffer = region.put_text(text);
  File file;
  region.hide();
  return write_from(file, buffer, bytes) && file.contents() == text;
}

bool counted(ssize_t result, std::size_t bytes) { return result == static_cast<ssize_t>(bytes); }

constexpr IoCase kCases[] = {
    {"read",
     [](TestRegion& r) {
       return reads(r, 10000,
                    [](File& f, void* p, std::size_t n) { return counted(read(f.fd, p, n), n); });
     }},
    {"read_in_pieces",
     [](TestRegion& r) {
       return reads(r, 3 * kMiB + 5, [](File& f, void* p, std::size_t n) {
         return counted(read(f.fd, p, n), n) && read(f.fd, p, 5) == 0;
       });
     }},
    {"pread",
     [](TestRegion& r) {
       return reads(r, 2 * kMiB + 1, [](File& f, void* p, std::size_t n) {
         return counted(pread(f.fd, p, n, 0), n) && counted(pread64(f.fd, p, 9, 0), 9);
       });
     }},
    {"readv",
     [](TestRegion& r) {
       return reads(r, 2 * kMiB, [&r](File& f, void* p, std::size_t n) {
         auto* const bytes = static_cast<char*>(p);
         r.reset();
         (void)r.room(n);
         auto* const v = r.put(std::array<iovec, 3>{{{p, 5000}, {p, 0}, {bytes + 5000, n - 5000}}});
         r.hide();
         return counted(readv(f.fd, v->data(), 3), n);
       });
     }},
    {"readv_of_private_memory",
     [](TestRegion& r) {
       File f("hello");
       char text[5] = {};
       auto* const v = r.put(iovec{text, 5});
       r.hide();
       return readv(f.fd, v, 1) == 5 && holds(text, "hello");
     }},
    {"preadv",
     [](TestRegion& r) {
       return reads(r, 5000, [](File& f, void* p, std::size_t n) {
         const iovec v[] = {{p, 100}, {static_cast<char*>(p) + 100, n - 100}};
         return counted(preadv(f.fd, v, 2, 0), n) && preadv(f.fd, v, 2, -5) == -1;
       });
     }},
    {"a_pipe_is_read_short",
     [](TestRegion& r) {
       int ends[2];
       if (pipe(ends) != 0 || write(ends[1], "abc", 3) != 3) return false;
       void* const p = r.room(3 * kMiB);
       r.hide();
       const bool good = read(ends[0], p, 3 * kMiB) == 3 && holds(p, "abc");
       close(ends[0]);
       close(ends[1]);
       return good;
     }},
    {"write",
     [](TestRegion& r) {
       return writes(r, 10000, [](File& f, const void* p, std::size_t n) {
         return counted(write(f.fd, p, n), n);
       });
     }},
    {"write_in_pieces",
     [](TestRegion& r) {
       return writes(r, 3 * kMiB + 5, [](File& f, const void* p, std::size_t n) {
         return counted(write(f.fd, p, n), n);
       });
     }},
    {"pwrite",
     [](TestRegion& r) {
       return writes(r, kMiB + 7, [](File& f, const void* p, std::size_t n) {
         return counted(pwrite(f.fd, p, n, 0), n);
       });
     }},
    {"writev",
     [](TestRegion& r) {
       return writes(r, kMiB + 7, [](File& f, const void* p, std::size_t n) {
         auto* const bytes = static_cast<char*>(const_cast<void*>(p));
         const iovec v[] = {{bytes, 1}, {bytes + 1, n - 2}, {bytes + n - 1, 1}};
         return counted(writev(f.fd, v, 3), n);
       });
     }},
    {"pwritev",
     [](TestRegion& r) {
       return writes(r, 5000, [](File& f, const void* p, std::size_t n) {
         const iovec v{const_cast<void*>(p), n};
         return counted(pwritev(f.fd, &v, 1, 0), n);
       });
     }},
    {"send_and_recv",
     [](TestRegion& r) {
       const Sockets s(SOCK_STREAM);
       char* const from = r.put_text("through a socket");
       void* const to = r.room(100);
       r.hide();
       return send(s.ends[0], from, 16, 0) == 16 && (r.hide(), true) &&
              recv(s.ends[1], to, 100, 0) == 16 && holds(to, "through a socket");
     }},
    {"a_datagram_stays_whole",
     [](TestRegion& r) {
       const Sockets s(SOCK_DGRAM);
       const std::string text = pattern(60000);
       char* const from = r.put_text(text);
       void* const to = r.room(60000);
       r.hide();
       return send(s.ends[0], from, 60000, 0) == 60000 && send(s.ends[0], "x", 1, 0) == 1 &&
              (r.hide(), true) && recv(s.ends[1], to, 60000, 0) == 60000 && holds(to, text) &&
              recv(s.ends[1], to, 60000, 0) == 1;
     }},
    {"sendmsg_and_recvmsg",
     [](TestRegion& r) {
       const Sockets s(SOCK_STREAM);
       const File passed("passed");
       iovec* const out = r.put(iovec{r.put_text("message"), 7});
       auto* const control = static_cast<cmsghdr*>(r.room(CMSG_SPACE(sizeof(int))));
       *control = cmsghdr{CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
       memcpy(CMSG_DATA(control), &passed.fd, sizeof(int));
       msghdr* const sent = r.put(msghdr{.msg_name = nullptr,
                                         .msg_namelen = 0,
                                         .msg_iov = out,
                                         .msg_iovlen = 1,
                                         .msg_control = control,
                                         .msg_controllen = CMSG_SPACE(sizeof(int)),
                                         .msg_flags = 0});
       r.hide();
       if (sendmsg(s.ends[0], sent, 0) != 7) return false;
       void* const text = r.room(7);
       void* const got_control = r.room(256);
       iovec* const in = r.put(iovec{text, 7});
       msghdr* const got = r.put(msghdr{.msg_name = nullptr,
                                        .msg_namelen = 0,
                                        .msg_iov = in,
                                        .msg_iovlen = 1,
                                        .msg_control = got_control,
                                        .msg_controllen = 256,
                                        .msg_flags = 0});
       r.hide();
       if (recvmsg(s.ends[1], got, 0) != 7 || !holds(text, "message")) return false;
       const cmsghdr* const header = CMSG_FIRSTHDR(got);
       if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return false;
       int descriptor = -1;
       memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
       char contents[6];
       const bool good = pread(descriptor, contents, 6, 0) == 6 && holds(contents, "passed");
       close(descriptor);
       return good;
     }},
    {"getrandom",
     [](TestRegion& r) {
       auto* const p = static_cast<unsigned char*>(r.room(1000));
       r.hide();
       if (getrandom(p, 1000, 0) != 1000) return false;
       int zeros = 0;
       for (int i = 0; i < 1000; ++i) zeros += p[i] == 0;
       return zeros < 100;
     }},
    {"fread",
     [](TestRegion& r) {
       return reads(r, 2 * kMiB + 3, [](File& f, void* p, std::size_t n) {
         return fread(p, 1, n, f.stream) == n && feof(f.stream) == 0;
       });
     }},
    {"fread_counts_whole_items",
     [](TestRegion& r) {
       File f(pattern(20007));
       void* const p = r.room(30000);
       r.hide();
       return fread(p, 10, 3000, f.stream) == 2000 && feof(f.stream) != 0 &&
              holds(p, pattern(20007));
     }},
    {"fread_unlocked",
     [](TestRegion& r) {
       return reads(r, 50000, [](File& f, void* p, std::size_t n) {
         return fread_unlocked(p, n, 1, f.stream) == 1;
       });
     }},
    {"fwrite",
     [](TestRegion& r) {
       return writes(r, 2 * kMiB + 3, [](File& f, const void* p, std::size_t n) {
         return fwrite(p, 1, n, f.stream) == n;
       });
     }},
    {"fwrite_unlocked",
     [](TestRegion& r) {
       return writes(r, 50000, [](File& f, const void* p, std::size_t n) {
         return fwrite_unlocked(p, n, 1, f.stream) == 1;
       });
     }},
    {"fputs",
     [](TestRegion& r) {
       return writes(r, 50000, [](File& f, const void* p, std::size_t) {
         return fputs(static_cast<const char*>(p), f.stream) >= 0;
       });
     },
     IoCase::kWorks},
    {"fprintf",
     [](TestRegion& r) {
       return writes(r, 50000, [](File& f, const void* p, std::size_t n) {
         return fprintf(f.stream, "%s", static_cast<const char*>(p)) == static_cast<int>(n);
       });
     },
     IoCase::kWorks},
    {"dprintf",
     [](TestRegion& r) {
       return writes(r, 50000, [](File& f, const void* p, std::size_t n) {
         return dprintf(f.fd, "%s", static_cast<const char*>(p)) == static_cast<int>(n);
       });
     },
     IoCase::kWorks},
    {"setvbuf",
     [](TestRegion& r) {
       File f(pattern(5000));
       char* const buffer = static_cast<char*>(r.room(4096));
       if (setvbuf(f.stream, buffer, _IOFBF, 4096) != 0) return false;
       r.hide();
       return fgetc(f.stream) == 'a';
     }},
    {"fgets_and_getline",
     [](TestRegion& r) {
       File f("first\nsecond\n");
       char* const line = static_cast<char*>(r.room(100));
       r.hide();
       if (fgets(line, 100, f.stream) == nullptr || strcmp(line, "first\n") != 0) return false;
       char* grown = nullptr;
       std::size_t capacity = 0;
       const bool good = getline(&grown, &capacity, f.stream) == 7;
       free(grown);
       return good;
     },
     IoCase::kWorks},
    {"iostreams",
     [](TestRegion& r) {
       char* const text = r.put_text(pattern(100000));
       char* const back = static_cast<char*>(r.room(100000));
       const std::string path = "/tmp/weft-io-test-" + std::to_string(getpid());
       r.hide();
       std::ofstream(path).write(text, 100000);
       r.hide();
       std::ifstream in(path);
       in.read(back, 100000);
       unlink(path.c_str());
       return in.gcount() == 100000 && holds(back, pattern(100000));
     }},
};

}  // namespace

std::span<const IoCase> contents_cases() { return kCases; }
