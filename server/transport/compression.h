// Compress, Expand: compress and expand the body of an HTTP message or a message of gRPC.
// Stateless; thread-safe.
//
//   gzip      RFC 1952
//   deflate   the zlib format (RFC 1950), as HTTP and gRPC state; some HTTP clients send the bare
//   form (RFC
//             1951), which is also expanded

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "signet/buffer.h"
#include "signet/status.h"

namespace signet {

enum class Compression : uint8_t { kGzip, kDeflate };

// Returns the name in Content-Encoding and grpc-encoding.
std::string_view NameOf(Compression compression);
// Returns the compression that Content-Encoding names, in any case of letters.
std::optional<Compression> LookupCompression(std::string_view name);
// Returns the compression with the highest weight in Accept-Encoding, or nothing if the client
// accepts none or prefers `identity`. Of equal weights, the first one is selected.
std::optional<Compression> AcceptedCompression(std::string_view accepted);

// Returns the expanded text. RESOURCE_EXHAUSTED if it has more than `limit` bytes, before more are
// expanded; INVALID_ARGUMENT if `text` is not a complete text of this compression.
StatusOr<Buffer> Expand(Compression compression, std::string_view text, size_t limit);

// Returns the compressed concatenation of `pieces`, with the fastest level.
std::string Compress(Compression compression, std::span<const Buffer> pieces);

// The compressed forms of a text that several responses have. Thread-safe.
class CompressOnce {
 public:
  // Returns Compress(compression, pieces). The pieces are the same in each use.
  Buffer Get(Compression compression, std::span<const Buffer> pieces);

 private:
  std::mutex mu_;                                    // held while a text is compressed
  std::array<std::optional<Buffer>, 2> compressed_;  // by Compression; guarded by mu_
};

}  // namespace signet
