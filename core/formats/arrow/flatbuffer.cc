#include "core/formats/arrow/flatbuffer.h"

namespace signet {

// A table starts with the distance back to its vtable. The vtable has two sizes in bytes, its own
// and that of the table, then the position of each field in the table, which is 0 for a missing
// field.
size_t FlatTable::Find(int field) const {
  if (at_ == 0) return 0;
  int64_t vtable = static_cast<int64_t>(at_) - source_->Load<int32_t>(at_);
  if (vtable < 0) source_->ok_ = false;
  if (!source_->ok_) return 0;
  auto start = static_cast<size_t>(vtable);
  size_t entry = 4 + 2 * static_cast<size_t>(field);
  if (entry + 2 > source_->Load<uint16_t>(start)) return 0;
  size_t place = source_->Load<uint16_t>(start + entry);
  return place == 0 || !source_->ok_ ? 0 : at_ + place;
}

FlatTable FlatTable::Table(int field) const {
  size_t at = Find(field);
  if (at == 0) return {};
  return {source_, source_->Follow(at)};
}

std::string_view FlatTable::Text(int field) const {
  FlatVector text = Vector(field, 1);
  if (text.size() == 0) return {};
  return {reinterpret_cast<const char*>(source_->bytes_.data()) + text.at_, text.size()};
}

FlatVector FlatTable::Vector(int field, size_t element_size) const {
  FlatVector out;
  size_t at = Find(field);
  if (at == 0) return out;
  size_t start = source_->Follow(at);
  if (start == 0) return out;
  size_t size = source_->Load<uint32_t>(start);
  if (!source_->Has(start + sizeof(uint32_t), size * element_size)) return out;
  out.source_ = source_;
  out.at_ = start + sizeof(uint32_t);
  out.size_ = size;
  out.element_size_ = element_size;
  return out;
}

FlatTable FlatVector::Table(size_t i) const {
  if (i >= size_) return {};
  return {source_, source_->Follow(at_ + i * element_size_)};
}

}  // namespace signet
