#include "core/formats/signet_wire/wire_cursor.h"

#include <algorithm>
#include <utility>

#include <simdjson.h>

namespace signet::wire {
namespace {

constexpr uint32_t kLongestVarint = 10;  // bytes
// No message of Signet uses groups, but a reader must be able to skip them.
constexpr size_t kMostGroups = 64;

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

}  // namespace

WireSource::WireSource(const Message& message, const Limits& limits)
    : message_(message), allowance_(limits) {
  for (auto piece : message.pieces) size_ += piece.size();
  status_ = allowance_.CheckMessage(size_);
}

StatusOr<Buffer> WireSource::Take(const Extent& extent, size_t alignment) {
  if (extent.size == 0) return Buffer();
  SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(extent.size));
  auto whole = piece(extent.piece);
  bool in_one_piece = extent.size <= whole.size() - extent.offset;
  auto address = reinterpret_cast<uintptr_t>(whole.data() + extent.offset);
  if (in_one_piece && address % alignment == 0 && message_.owner != nullptr) {
    if (borrowed_.empty()) borrowed_.resize(message_.pieces.size());
    Buffer& borrowed = borrowed_[extent.piece];
    if (borrowed.empty()) borrowed = Buffer::Borrow(whole, message_.owner);
    return borrowed.Slice(extent.offset, extent.size);
  }
  SIGNET_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(extent.size));
  Copy(extent, copy.mutable_data());
  return copy;
}

void WireSource::Copy(const Extent& extent, std::byte* out) const {
  size_t piece_index = extent.piece;
  size_t offset = extent.offset;
  for (size_t left = extent.size; left > 0; ++piece_index) {
    auto from = piece(piece_index).subspan(offset);
    size_t n = std::min(left, from.size());
    if (n > 0) std::memcpy(out, from.data(), n);
    out += n;
    left -= n;
    offset = 0;
  }
}

WireCursor::WireCursor(WireSource& source) : source_(&source), later_(source.size()) {
  if (source.message_.pieces.empty()) return;
  auto first = source.piece(0);
  at_ = first.data();
  end_ = at_ + first.size();
  later_ -= first.size();
}

size_t WireCursor::position() const {
  if (at_ == nullptr) return before_;
  return before_ + static_cast<size_t>(at_ - source_->piece(piece_).data());
}

void WireCursor::Fault(size_t position, std::string_view text) {
  Stop(InvalidArgument("byte ", position, " of the message: ", text));
}

void WireCursor::Stop(Status status) {
  source_->Fault(std::move(status));
  at_ = end_;
  later_ = 0;
}

bool WireCursor::NextPiece() {
  while (at_ == end_) {
    if (later_ == 0) return false;
    before_ += source_->piece(piece_).size();
    auto next = source_->piece(++piece_);
    size_t size = std::min(next.size(), later_);
    at_ = next.data();
    end_ = at_ + size;
    later_ -= size;
  }
  return true;
}

std::byte WireCursor::NextByte() {
  if (at_ == end_ && !NextPiece()) {
    Fault(position(), "ends within a field");
    return {};
  }
  return *at_++;
}

uint64_t WireCursor::LongVarint() {
  size_t start = position();
  uint64_t value = 0;
  for (uint32_t i = 0; i < kLongestVarint; ++i) {
    auto byte = static_cast<uint64_t>(NextByte());
    value |= (byte & 0x7f) << (7 * i);
    if ((byte & 0x80) == 0) return source_->ok() ? value : 0;
  }
  Fault(start, "a number of more than 10 bytes");
  return 0;
}

uint32_t WireCursor::NextTag() {
  if (!source_->ok() || AtEnd()) return 0;
  size_t start = position();
  uint64_t tag = Varint();
  if (!source_->ok()) return 0;
  if (tag > UINT32_MAX || tag >> 3 == 0 || (tag & 7) > 5) {
    Fault(start, Cat("unknown tag ", tag));
    return 0;
  }
  return static_cast<uint32_t>(tag);
}

uint32_t WireCursor::Fixed32() {
  uint32_t value = 0;
  if (end_ - at_ >= 4) {
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  for (int i = 0; i < 4; ++i) value |= static_cast<uint32_t>(NextByte()) << (8 * i);
  return value;
}

uint64_t WireCursor::Fixed64() {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(NextByte()) << (8 * i);
  return value;
}

Extent WireCursor::Advance(size_t size) {
  if (size > 0) NextPiece();
  Extent extent = {piece_, 0, size};
  if (size == 0) return extent;
  extent.offset = static_cast<size_t>(at_ - source_->piece(piece_).data());
  for (size_t left = size;;) {
    size_t n = std::min(left, static_cast<size_t>(end_ - at_));
    at_ += n;
    left -= n;
    if (left == 0) return extent;
    NextPiece();
  }
}

size_t WireCursor::FieldSize() {
  size_t start = position();
  uint64_t size = Varint();
  if (size <= remaining()) return static_cast<size_t>(size);
  Fault(start, Cat("expected a field of ", size, " bytes, found ", remaining()));
  return 0;
}

std::string WireCursor::Text(size_t longest) {
  size_t start = position();
  Extent extent = Bytes();
  if (extent.size > longest) {
    Fault(start, Cat("expected text of at most ", longest, " bytes, found ", extent.size));
    return {};
  }
  std::string text(extent.size, '\0');
  source_->Copy(extent, reinterpret_cast<std::byte*>(text.data()));
  if (!IsAscii(text) && !simdjson::validate_utf8(text.data(), text.size())) {
    Fault(start, "text that is not UTF-8");
    return {};
  }
  return text;
}

std::string WireCursor::String() {
  Extent extent = Bytes();
  if (Status status = source_->allowance().TakeBytes(extent.size); !status.ok()) {
    Stop(std::move(status));
    return {};
  }
  std::string bytes(extent.size, '\0');
  source_->Copy(extent, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

WireCursor WireCursor::Enter() {
  size_t size = FieldSize();
  WireCursor inner = *this;
  auto here = static_cast<size_t>(end_ - at_);
  if (size <= here) {
    inner.end_ = inner.at_ + size;
    inner.later_ = 0;
  } else {
    inner.later_ = size - here;
  }
  Advance(size);
  return inner;
}

void WireCursor::Skip(uint32_t tag) {
  absl::InlinedVector<uint32_t, 4> groups;  // numbers of the open groups
  do {
    size_t start = position();
    switch (static_cast<WireType>(tag & 7)) {
      case WireType::kVarint:
        Varint();
        break;
      case WireType::kFixed64:
        if (remaining() < 8) return Fault(start, "ends within a field");
        Advance(8);
        break;
      case WireType::kBytes:
        Bytes();
        break;
      case WireType::kFixed32:
        if (remaining() < 4) return Fault(start, "ends within a field");
        Advance(4);
        break;
      case WireType::kGroup:
        if (groups.size() == kMostGroups) {
          return Fault(start, Cat("groups nested deeper than ", kMostGroups));
        }
        groups.push_back(tag >> 3);
        break;
      case WireType::kEndGroup:
        if (groups.empty() || groups.back() != tag >> 3) {
          return Fault(start, "the end of a group that is not open");
        }
        groups.pop_back();
        break;
    }
    if (groups.empty()) return;
    if (source_->ok() && AtEnd()) return Fault(position(), "ends within a group");
    tag = NextTag();
  } while (tag != 0);
}

}  // namespace signet::wire
