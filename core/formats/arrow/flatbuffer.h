// FlatBuffer: reads a flatbuffer, the format of Arrow's metadata, in place.
//
//   FlatSource source(bytes);
//   FlatTable message = source.Root();
//   auto length = message.Number<int64_t>(3, 0);  // field 3; 0 where it is left out
//   if (!source.ok()) ...                         // check once, at the end
//
// Every offset and count is checked against the bytes. The source stores the first fault; anything
// out of bounds reads as 0, as a missing table, or as an empty text or vector. Tables may share
// parts, so a recursive traversal needs its own limit. Not thread-safe. Source of the layout:
// FlatBuffers, "Internals".

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace signet {

class FlatSource;

// A vector of numbers, structs (whose parts are read by position), or tables.
class FlatVector {
 public:
  FlatVector() = default;  // empty
  size_t size() const { return size_; }
  template <class T>
  T Number(size_t i, size_t place = 0) const;
  class FlatTable Table(size_t i) const;

 private:
  friend class FlatTable;
  FlatSource* source_ = nullptr;
  size_t at_ = 0;  // position of the first element
  size_t size_ = 0;
  size_t element_size_ = 0;
};

class FlatTable {
 public:
  FlatTable() = default;  // no table: all fields are missing
  explicit operator bool() const { return at_ != 0; }
  // Read fields by their number in the schema. A union is two fields: its type and its table.
  template <class T>
  T Number(int field, T otherwise) const;
  FlatTable Table(int field) const;
  std::string_view Text(int field) const;
  FlatVector Vector(int field, size_t element_size) const;
  FlatVector Tables(int field) const { return Vector(field, sizeof(uint32_t)); }

 private:
  friend class FlatSource;
  friend class FlatVector;
  FlatTable(FlatSource* source, size_t at) : source_(source), at_(at) {}
  size_t Find(int field) const;  // position of the field; 0 if it is missing

  FlatSource* source_ = nullptr;
  size_t at_ = 0;
};

class FlatSource {
 public:
  // `bytes` must outlive the source.
  explicit FlatSource(std::span<const std::byte> bytes) : bytes_(bytes) {}
  FlatSource(const FlatSource&) = delete;
  FlatSource& operator=(const FlatSource&) = delete;

  FlatTable Root() { return {this, Follow(0)}; }
  bool ok() const { return ok_; }

 private:
  friend class FlatTable;
  friend class FlatVector;

  bool Has(size_t at, size_t size) {
    bool fits = at <= bytes_.size() && size <= bytes_.size() - at;
    ok_ = ok_ && fits;
    return fits;
  }
  template <class T>
  T Load(size_t at) {
    T number{};
    if (Has(at, sizeof(T))) std::memcpy(&number, bytes_.data() + at, sizeof(T));
    return number;
  }
  // Returns the position that the offset at `at` refers to, at least 1 byte later, or 0 if it is
  // invalid.
  size_t Follow(size_t at) {
    size_t to = at + Load<uint32_t>(at);
    if (to == at) ok_ = false;
    return ok_ ? to : 0;
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

template <class T>
T FlatVector::Number(size_t i, size_t place) const {
  return i < size_ ? source_->Load<T>(at_ + i * element_size_ + place) : T{};
}

template <class T>
T FlatTable::Number(int field, T otherwise) const {
  size_t at = Find(field);
  return at == 0 ? otherwise : source_->Load<T>(at);
}

}  // namespace signet
