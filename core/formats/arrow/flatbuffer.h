// FlatBuffer: reads a flatbuffer, the form of Arrow's metadata, where it lies.
//
//   FlatSource source(bytes);
//   FlatTable message = source.Root();
//   auto length = message.Number<int64_t>(3, 0);  // field 3; 0 where it is left out
//   if (!source.ok()) ...                         // ask once, at the end
//
// Every offset and count is checked against the bytes. A fault is kept in the source; what is out
// of bounds reads as 0, as no table, or as an empty text or vector. Tables may share parts, so a
// walk that follows all of them needs a bound of its own. One thread.
// Source of the layout: FlatBuffers, "Internals".

#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace signet {

class FlatSource;

// A vector of numbers, structs (whose parts are read by their place) or tables.
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
  size_t at_ = 0;  // of the first element
  size_t size_ = 0;
  size_t element_size_ = 0;
};

class FlatTable {
 public:
  FlatTable() = default;  // no table: all fields are left out
  explicit operator bool() const { return at_ != 0; }
  // Fields by their number in the schema; a union is two, its type and its table.
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
  size_t Find(int field) const;  // where the field stands; 0: left out

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
  // Where the offset at `at` leads, at least 1 byte on; 0 when it leads nowhere.
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
