// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// zlib: streams that one node has begun go on on the others, and end on the first.
// links: -lz
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { kStreams = 6, kBytes = 60000, kHalf = kBytes / 2 };
static unsigned char text[kStreams][kBytes], packed[kStreams][2 * kBytes], back[kBytes];

static void compress_part(z_stream* stream, int number, unsigned bytes, int flush, int* failures) {
  stream->next_in = text[number] + stream->total_in;
  stream->avail_in = bytes;
  stream->next_out = packed[number] + stream->total_out;
  stream->avail_out = (unsigned)(sizeof packed[number] - stream->total_out);
  const int wanted = flush == Z_FINISH ? Z_STREAM_END : Z_OK;
  if (deflate(stream, flush) != wanted) {
#pragma omp atomic
    ++*failures;
  }
}

int main(void) {
  z_stream streams[kStreams];
  int failures = 0;
  memset(streams, 0, sizeof streams);
  for (int i = 0; i < kStreams; ++i) {
    for (int at = 0; at < kBytes; ++at) text[i][at] = (unsigned char)(at * (i + 7) % 251);
    if (deflateInit(&streams[i], 6) != Z_OK) ++failures;
  }
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kStreams; ++i) compress_part(&streams[i], i, kHalf, Z_NO_FLUSH, &failures);
  // Another thread goes on with each.
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kStreams; ++i) {
    const int other = (i + 1) % kStreams;
    compress_part(&streams[other], other, kBytes - kHalf, Z_FINISH, &failures);
  }
  for (int i = 0; i < kStreams; ++i) {
    uLongf bytes = kBytes;
    if (uncompress(back, &bytes, packed[i], streams[i].total_out) != Z_OK) ++failures;
    if (bytes != kBytes || memcmp(back, text[i], kBytes) != 0) ++failures;
    if (deflateEnd(&streams[i]) != Z_OK) ++failures;
  }
  // Begun on one node, ended on another.
  z_stream* made = NULL;
#pragma omp parallel
  {
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      static z_stream late;
      if (inflateInit(&late) != Z_OK) failures = 100;
      made = &late;
    }
#pragma omp barrier
    if (omp_get_thread_num() == 0 && inflateEnd(made) != Z_OK) failures = 200;
  }
  if (failures == 0) puts("ok");
  return failures;
}
