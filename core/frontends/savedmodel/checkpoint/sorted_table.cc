#include "core/frontends/savedmodel/checkpoint/sorted_table.h"

#include <cstring>
#include <snappy.h>
#include <string_view>

#include "core/base/crc32c.h"

namespace signet {
namespace {

constexpr size_t kFooterSize = 48;
constexpr size_t kTrailerSize = 5;  // of a block: its type and its checksum
constexpr uint64_t kMagic = 0xdb4775248b80fb57;
constexpr size_t kMaxBlockBytes = size_t{64} << 20;   // decompressed
constexpr size_t kMaxTableBytes = size_t{512} << 20;  // of all keys and values
constexpr size_t kMaxEntries = 1'000'000;

using Entries = std::vector<std::pair<std::string, std::string>>;

uint32_t Word(std::string_view bytes, size_t at) {
  uint32_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (bytes.empty()) return false;
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

struct BlockHandle {
  uint64_t offset = 0;
  uint64_t size = 0;
};

bool TakeHandle(std::string_view& bytes, BlockHandle& handle) {
  return TakeVarint(bytes, handle.offset) && TakeVarint(bytes, handle.size);
}

std::string PlaceOf(const BlockHandle& handle) { return Cat("block at ", handle.offset); }

class TableReader {
 public:
  explicit TableReader(std::string_view file) : file_(file) {}

  StatusOr<Entries> Read() {
    if (file_.size() < kFooterSize) {
      return InvalidArgument("expected at least ", kFooterSize, " bytes, found ", file_.size());
    }
    std::string_view footer = file_.substr(file_.size() - kFooterSize);
    uint64_t magic;
    std::memcpy(&magic, footer.data() + kFooterSize - sizeof magic, sizeof magic);
    if (magic != kMagic) {
      return InvalidArgument("expected the magic number of a table in the last 8 bytes");
    }
    BlockHandle metaindex;
    BlockHandle index;
    if (!TakeHandle(footer, metaindex) || !TakeHandle(footer, index)) {
      return InvalidArgument("footer: expected two block handles");
    }
    SIGNET_ASSIGN_OR_RETURN(Entries blocks, ReadBlock(index));
    Entries entries;
    for (const auto& [key, value] : blocks) {
      std::string_view rest = value;
      BlockHandle handle;
      if (!TakeHandle(rest, handle)) {
        return At(PlaceOf(index), InvalidArgument("expected block handles as values"));
      }
      SIGNET_ASSIGN_OR_RETURN(Entries block, ReadBlock(handle));
      for (auto& entry : block) {
        if (!entries.empty() && entries.back().first >= entry.first) {
          return At(PlaceOf(handle), InvalidArgument("expected keys in ascending order, found `",
                                                     Printable(entry.first), "`"));
        }
        entries.push_back(std::move(entry));
      }
    }
    return entries;
  }

 private:
  StatusOr<Entries> ReadBlock(const BlockHandle& handle) {
    auto entries = ReadEntries(handle);
    return entries.ok() ? std::move(entries) : At(PlaceOf(handle), entries.status());
  }

  // Returns the checked and decompressed content of a block.
  StatusOr<std::string_view> ContentOf(const BlockHandle& handle, std::string& decompressed) const {
    const size_t end = file_.size() - kFooterSize;
    if (handle.offset > end || end - handle.offset < kTrailerSize ||
        handle.size > end - handle.offset - kTrailerSize) {
      return InvalidArgument(handle.size, " bytes are not within the file");
    }
    const std::string_view stored = file_.substr(handle.offset, handle.size);
    const uint32_t written = Word(file_, handle.offset + handle.size + 1);
    const uint32_t found =
        MaskCrc32c(Crc32c(std::as_bytes(std::span(stored.data(), stored.size() + 1))));
    if (found != written) {
      return DataLoss("expected crc32c ", Hex(written), ", found ", Hex(found));
    }
    switch (stored.data()[stored.size()]) {
      case 0:
        return stored;
      case 1:
        break;
      default:
        return InvalidArgument("unsupported type of block ",
                               static_cast<int>(static_cast<uint8_t>(stored.data()[stored.size()])),
                               "; supported types: 0 (plain), 1 (Snappy)");
    }
    size_t size;
    if (!snappy::GetUncompressedLength(stored.data(), stored.size(), &size)) {
      return InvalidArgument("expected data in the format of Snappy");
    }
    if (size > kMaxBlockBytes) {
      return ResourceExhausted(size, " bytes exceed the limit of ", kMaxBlockBytes, " per block");
    }
    if (!snappy::IsValidCompressedBuffer(stored.data(), stored.size())) {
      return InvalidArgument("expected data in the format of Snappy");
    }
    decompressed.resize(size);
    if (!snappy::RawUncompress(stored.data(), stored.size(), decompressed.data())) {
      return InvalidArgument("expected data in the format of Snappy");
    }
    return std::string_view(decompressed);
  }

  StatusOr<Entries> ReadEntries(const BlockHandle& handle) {
    std::string decompressed;
    SIGNET_ASSIGN_OR_RETURN(std::string_view content, ContentOf(handle, decompressed));
    if (content.size() < sizeof(uint32_t)) return InvalidArgument("missing restart points");
    const size_t num_restarts = Word(content, content.size() - sizeof(uint32_t));
    if (num_restarts < 1 || num_restarts > content.size() / sizeof(uint32_t) - 1) {
      return InvalidArgument("expected at least 1 restart point, all within the block, found ",
                             num_restarts);
    }
    content.remove_suffix((num_restarts + 1) * sizeof(uint32_t));
    Entries entries;
    std::string key;
    while (!content.empty()) {
      uint64_t shared;
      uint64_t unshared;
      uint64_t length;
      if (!TakeVarint(content, shared) || !TakeVarint(content, unshared) ||
          !TakeVarint(content, length) || shared > key.size() || unshared > content.size() ||
          length > content.size() - unshared) {
        return InvalidArgument("entry ", entries.size(), " is not within the block");
      }
      std::string next = key.substr(0, shared);
      next += content.substr(0, unshared);
      if (!entries.empty() && next <= key) {
        return InvalidArgument("expected keys in ascending order, found `", Printable(next), "`");
      }
      key = std::move(next);
      num_bytes_ += key.size() + length;
      if (++num_entries_ > kMaxEntries || num_bytes_ > kMaxTableBytes) {
        return ResourceExhausted("the table exceeds the limit of ", kMaxEntries, " entries or ",
                                 kMaxTableBytes, " bytes");
      }
      entries.emplace_back(key, content.substr(unshared, length));
      content.remove_prefix(unshared + length);
    }
    return entries;
  }

  static std::string Hex(uint32_t number) {
    std::string out(8, '0');
    for (size_t i = 0; i < 8; ++i) out[7 - i] = "0123456789abcdef"[(number >> (4 * i)) & 15];
    return out;
  }

  const std::string_view file_;
  size_t num_entries_ = 0;
  size_t num_bytes_ = 0;
};

}  // namespace

StatusOr<Entries> ReadSortedTable(std::span<const std::byte> file) {
  return TableReader({reinterpret_cast<const char*>(file.data()), file.size()}).Read();
}

}  // namespace signet
