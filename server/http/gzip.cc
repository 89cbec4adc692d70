#include "server/http/gzip.h"

#include <algorithm>
#include <memory>
#include <zlib.h>

namespace signet {
namespace {

constexpr int kGzipWindow = 15 + 16;  // zlib's notation: the largest window, in the gzip format
constexpr int kMemoryLevel = 8;
constexpr size_t kChunkBytes = size_t{64} << 10;

Bytef* BytesOf(const void* data) { return static_cast<Bytef*>(const_cast<void*>(data)); }

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};
struct EndDeflate {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

}  // namespace

StatusOr<Buffer> Gunzip(std::string_view text, size_t limit) {
  z_stream stream = {};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return ResourceExhausted("out of memory");
  std::unique_ptr<z_stream, EndInflate> end(&stream);
  auto out = std::make_shared<std::string>();
  stream.next_in = BytesOf(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    const size_t before = out->size();
    const size_t room = std::min(limit + 1 - before, std::max(kChunkBytes, before));
    out->resize(before + room);
    stream.next_out = BytesOf(out->data() + before);
    stream.avail_out = static_cast<uInt>(room);
    state = inflate(&stream, Z_NO_FLUSH);
    out->resize(before + room - stream.avail_out);
    if (out->size() > limit) {
      return ResourceExhausted("the expanded body exceeds the limit of ", limit, " bytes");
    }
    const bool is_stuck =
        state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0);
    if (is_stuck) return InvalidArgument("body: the gzip text is truncated");
    if (state != Z_OK && state != Z_STREAM_END) {
      return InvalidArgument("body: expected gzip, as Content-Encoding states, found other bytes");
    }
  }
  if (stream.avail_in != 0) return InvalidArgument("body: found bytes after the gzip text");
  return Buffer::Borrow(std::as_bytes(std::span(*out)), out);
}

std::string Gzip(std::span<const Buffer> pieces) {
  z_stream stream = {};
  std::string out;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    return out;
  }
  std::unique_ptr<z_stream, EndDeflate> end(&stream);
  auto write = [&](int flush) {
    do {
      const size_t before = out.size();
      out.resize(before + kChunkBytes);
      stream.next_out = BytesOf(out.data() + before);
      stream.avail_out = static_cast<uInt>(kChunkBytes);
      deflate(&stream, flush);
      out.resize(before + kChunkBytes - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  for (const Buffer& piece : pieces) {
    stream.next_in = BytesOf(piece.data());
    stream.avail_in = static_cast<uInt>(piece.size());
    write(Z_NO_FLUSH);
  }
  write(Z_FINISH);
  return out;
}

}  // namespace signet
