// ArrowRuns: elements of Arrow arrays that belong together, as runs of neighbours.
//
// What a column holds, over all batches, with its nulls and what its indices lead to: elements
// [begin, end) of an array, or as many nulls. Internal to ArrowColumns. One thread.

#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "core/formats/arrow/arrow_stream.h"

namespace signet {

struct ArrowRun {
  const ArrowArray* array = nullptr;  // null: nulls
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size() const { return end - begin; }
};

// Runs, of which those that touch are one.
class ArrowRuns {
 public:
  // `bytes_left` is counted down while the runs are kept.
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
  // The only run when there is no more than one, and it is of no nulls; else null.
  const ArrowRun* single() const {
    return runs_.size() == 1 && runs_[0].array != nullptr ? runs_.data() : nullptr;
  }
  auto begin() const { return runs_.begin(); }
  auto end() const { return runs_.end(); }
  int64_t CountElements() const;
  int64_t CountNulls() const;
  // Nulls as runs of nulls, indices into dictionaries as runs of what they lead to.
  StatusOr<ArrowRuns> Resolve() const;

 private:
  StatusOr<ArrowRuns> MarkNulls() const;
  StatusOr<ArrowRuns> LookUp() const;

  int64_t* bytes_left_;
  std::vector<ArrowRun> runs_;
};

// Number `i` of a buffer, which need not be aligned.
template <class T>
T NumberAt(const Buffer& buffer, int64_t i) {
  T number;
  std::memcpy(&number, buffer.data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return number;
}

// Calls visit(i -> offset) for the offsets of a list or text, of 4 or 8 bytes.
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
