#include "server/transport/compression.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <zlib.h>

#include <absl/strings/match.h>

namespace signet {
namespace {

// The largest window, in zlib's notation of formats.
constexpr int kGzipWindow = 15 + 16;
constexpr int kZlibWindow = 15;
constexpr int kBareWindow = -15;
constexpr int kMemoryLevel = 8;
constexpr size_t kChunkBytes = size_t{64} << 10;

Bytef* BytesOf(const void* data) { return static_cast<Bytef*>(const_cast<void*>(data)); }

// Returns the format of a text. The first two bytes of the zlib format state its method and are a
// multiple of 31.
int WindowOf(Compression compression, std::string_view text) {
  if (compression == Compression::kGzip) return kGzipWindow;
  constexpr unsigned kMethodBits = 15;
  constexpr unsigned kMethod = 8;
  constexpr unsigned kDivisor = 31;
  if (text.size() < 2) return kZlibWindow;
  const unsigned first = static_cast<unsigned char>(text[0]);
  const unsigned second = static_cast<unsigned char>(text[1]);
  const bool has_header =
      (first & kMethodBits) == kMethod && ((first << 8) + second) % kDivisor == 0;
  return has_header ? kZlibWindow : kBareWindow;
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Returns the weight of an item of Accept-Encoding, such as `gzip;q=0.5`.
double WeightOf(std::string_view item) {
  const size_t at = item.find("q=");
  if (at == item.npos) return 1;
  double weight = 0;  // of a malformed number, too
  std::from_chars(item.data() + at + 2, item.data() + item.size(), weight);
  return weight;
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};
struct EndDeflate {
  void operator()(z_stream* stream) const { deflateEnd(stream); }
};

}  // namespace

std::string_view NameOf(Compression compression) {
  return compression == Compression::kGzip ? "gzip" : "deflate";
}

std::optional<Compression> LookupCompression(std::string_view name) {
  const absl::string_view text(name.data(), name.size());
  if (absl::EqualsIgnoreCase(text, "gzip") || absl::EqualsIgnoreCase(text, "x-gzip")) {
    return Compression::kGzip;
  }
  if (absl::EqualsIgnoreCase(text, "deflate")) return Compression::kDeflate;
  return std::nullopt;
}

std::optional<Compression> AcceptedCompression(std::string_view accepted) {
  std::optional<Compression> best;
  double best_weight = 0;
  while (!accepted.empty()) {
    const size_t comma = std::min(accepted.find(','), accepted.size());
    const std::string_view item = Trimmed(accepted.substr(0, comma));
    accepted.remove_prefix(std::min(comma + 1, accepted.size()));
    const std::string_view name = item.substr(0, item.find_first_of("; \t"));
    const auto found = LookupCompression(name);
    const double weight = WeightOf(item);
    if ((!found && name != "identity") || weight <= best_weight) continue;
    best = found;
    best_weight = weight;
  }
  return best;
}

StatusOr<Buffer> Expand(Compression compression, std::string_view text, size_t limit) {
  const std::string_view name = NameOf(compression);
  z_stream stream = {};
  if (inflateInit2(&stream, WindowOf(compression, text)) != Z_OK)
    return ResourceExhausted("out of memory");
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
      return ResourceExhausted("the expanded ", name, " text exceeds the limit of ", limit,
                               " bytes");
    }
    const bool is_stuck =
        state == Z_BUF_ERROR || (state == Z_OK && stream.avail_in == 0 && stream.avail_out > 0);
    if (is_stuck) return InvalidArgument("the ", name, " text is truncated");
    if (state != Z_OK && state != Z_STREAM_END) {
      return InvalidArgument("expected ", name, ", as the request states, found other bytes");
    }
    // A gzip text may have several members (RFC 1952, section 2.2).
    if (state == Z_STREAM_END && stream.avail_in > 0 && compression == Compression::kGzip) {
      inflateReset(&stream);
      state = Z_OK;
    }
  }
  if (stream.avail_in != 0) return InvalidArgument("found bytes after the ", name, " text");
  return Buffer::Borrow(std::as_bytes(std::span(*out)), out);
}

std::string Compress(Compression compression, std::span<const Buffer> pieces) {
  const int window = compression == Compression::kGzip ? kGzipWindow : kZlibWindow;
  z_stream stream = {};
  std::string out;
  if (deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, window, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
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

Buffer CompressOnce::Get(Compression compression, std::span<const Buffer> pieces) {
  std::lock_guard lock(mu_);
  std::optional<Buffer>& known = compressed_[static_cast<size_t>(compression)];
  if (!known) known = Buffer::Copy(Compress(compression, pieces));
  return *known;
}

}  // namespace signet
