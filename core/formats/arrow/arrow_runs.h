// ArrowRuns: the elements of a column in all batches, as runs of adjacent elements.
//
// A run is elements [begin, end) of an array, or a number of nulls. Runs include nulls and the
// values that indices refer to. Internal to ArrowColumns. Not thread-safe.

#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "core/formats/arrow/arrow_stream.h"

namespace signet {

struct ArrowRun {
  const ArrowArray* array = nullptr;  // null: a run of nulls
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

// A list of runs. Adjacent runs are merged.
class ArrowRuns {
 public:
  // Decreases `bytes_left` while the runs exist.
  explicit ArrowRuns(int64_t& bytes_left) : bytes_left_(&bytes_left) {}
  ~ArrowRuns() { *bytes_left_ += static_cast<int64_t>(runs_.size() * sizeof(ArrowRun)); }
  ArrowRuns(ArrowRuns&& other) noexcept
      : bytes_left_(other.bytes_left_), runs_(std::exchange(other.runs_, {})) {}
  ArrowRuns& operator=(ArrowRuns&& other) noexcept {
    std::swap(bytes_left_, other.bytes_left_);
    std::swap(runs_, other.runs_);
    return *this;
  }

  Status Add(ArrowRun run);
  // Returns the only run if there is exactly one and it is not a run of nulls, and null otherwise.
  const ArrowRun* single() const {
    return runs_.size() == 1 && runs_[0].array != nullptr ? runs_.data() : nullptr;
  }
  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }
  int64_t CountElements() const;
  int64_t CountNulls() const;
  // Returns the runs with nulls as runs of nulls, and with indices replaced by the values in their
  // dictionary.
  StatusOr<ArrowRuns> Resolve() const;

 private:
  StatusOr<ArrowRuns> MarkNulls() const;
  StatusOr<ArrowRuns> LookUp() const;

  int64_t* bytes_left_;
  std::vector<ArrowRun> runs_;
};

// Returns number `i` of a buffer, which may be unaligned.
template <class T>
T NumberAt(const Buffer& buffer, int64_t i) {
  T number;
  std::memcpy(&number, buffer.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return number;
}

// Calls `visit` with a function from i to the offset of a list or text, of 4 or 8 bytes.
template <class Visitor>
auto VisitOffsets(const ArrowArray& array, Visitor visit) {
  const Buffer& offsets = array.offsets;
  if (array.field->width == 4) {
    return visit([&](int64_t i) { return int64_t{NumberAt<int32_t>(offsets, i)}; });
  }
  return visit([&](int64_t i) { return NumberAt<int64_t>(offsets, i); });
}

inline bool BitAt(const Buffer& bits, int64_t i) {
  return (bits.data()[i / 8] >> (i % 8) & std::byte{1}) != std::byte{0};
}

}  // namespace signet
