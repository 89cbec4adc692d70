#include "core/formats/arrow/arrow_runs.h"

#include <algorithm>

namespace signet {
namespace {

using Kind = ArrowField::Kind;

// Returns the first of bits [begin, end) that is not `value`, or `end`.
int64_t SkipBits(const Buffer& bits, int64_t begin, int64_t end, bool value) {
  const std::byte all = value ? std::byte{0xff} : std::byte{0};
  int64_t i = begin;
  while (i < end) {
    if (i % 8 == 0 && end - i >= 8 && bits.data()[i / 8] == all) {
      i += 8;
    } else if (BitAt(bits, i) == value) {
      ++i;
    } else {
      break;
    }
  }
  return i;
}

// Returns an index into a dictionary, or -1 if it does not fit in int64.
int64_t IndexAt(const ArrowArray& array, int64_t i) {
  const ArrowField::Index& index = *array.field->index;
  switch (index.width) {
    case 1:
      return index.is_signed ? int64_t{NumberAt<int8_t>(array.data, i)}
                             : int64_t{NumberAt<uint8_t>(array.data, i)};
    case 2:
      return index.is_signed ? int64_t{NumberAt<int16_t>(array.data, i)}
                             : int64_t{NumberAt<uint16_t>(array.data, i)};
    case 4:
      return index.is_signed ? int64_t{NumberAt<int32_t>(array.data, i)}
                             : int64_t{NumberAt<uint32_t>(array.data, i)};
    default:
      return std::max(NumberAt<int64_t>(array.data, i), int64_t{-1});
  }
}

}  // namespace

Status ArrowRuns::Add(ArrowRun run) {
  if (run.size() == 0) return absl::OkStatus();
  if (!runs_.empty() && runs_.back().array == run.array &&
      (run.array == nullptr || runs_.back().end == run.begin)) {
    runs_.back().end += run.size();
    return absl::OkStatus();
  }
  if (*bytes_left_ < static_cast<int64_t>(sizeof(ArrowRun))) {
    return ResourceExhausted(
        "nulls and indices exceed the rest of the limit (--max_expanded_bytes)");
  }
  *bytes_left_ -= static_cast<int64_t>(sizeof(ArrowRun));
  runs_.push_back(run);
  return absl::OkStatus();
}

int64_t ArrowRuns::CountElements() const {
  int64_t count = 0;
  for (const ArrowRun& run : runs_) count += run.size();
  return count;
}

int64_t ArrowRuns::CountNulls() const {
  int64_t count = 0;
  for (const ArrowRun& run : runs_) count += run.array == nullptr ? run.size() : 0;
  return count;
}

StatusOr<ArrowRuns> ArrowRuns::Resolve() const {
  SIGNET_ASSIGN_OR_RETURN(ArrowRuns marked, MarkNulls());
  bool has_indices = std::any_of(runs_.begin(), runs_.end(), [](const ArrowRun& run) {
    return run.array != nullptr && run.array->dictionary != nullptr;
  });
  if (!has_indices) return marked;
  SIGNET_ASSIGN_OR_RETURN(ArrowRuns found, marked.LookUp());
  return found.MarkNulls();
}

StatusOr<ArrowRuns> ArrowRuns::MarkNulls() const {
  ArrowRuns out(*bytes_left_);
  for (const ArrowRun& run : runs_) {
    const ArrowArray* array = run.array;
    bool is_null = array != nullptr && array->field->kind == Kind::kNull && !array->dictionary;
    if (is_null) array = nullptr;
    if (array == nullptr || !array->has_nulls) {
      SIGNET_RETURN_IF_ERROR(out.Add({array, run.begin, run.end}));
      continue;
    }
    for (int64_t i = run.begin; i < run.end;) {
      int64_t value_end = SkipBits(array->validity, i, run.end, true);
      SIGNET_RETURN_IF_ERROR(out.Add({array, i, value_end}));
      i = SkipBits(array->validity, value_end, run.end, false);
      SIGNET_RETURN_IF_ERROR(out.Add({nullptr, value_end, i}));
    }
  }
  return out;
}

StatusOr<ArrowRuns> ArrowRuns::LookUp() const {
  ArrowRuns out(*bytes_left_);
  for (const ArrowRun& run : runs_) {
    if (run.array == nullptr) {
      SIGNET_RETURN_IF_ERROR(out.Add(run));
      continue;
    }
    const ArrowDictionary& dictionary = *run.array->dictionary;
    const auto& ends = dictionary.ends;
    for (int64_t i = run.begin; i < run.end; ++i) {
      int64_t index = IndexAt(*run.array, i);
      auto part =
          static_cast<size_t>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
      if (index < 0 || part == ends.size()) {
        return InvalidArgument("index ", index, " is out of range for dictionary ",
                               run.array->field->index->id, " with ",
                               ends.empty() ? 0 : ends.back(), " values");
      }
      int64_t at = index - (part == 0 ? 0 : ends[part - 1]);
      SIGNET_RETURN_IF_ERROR(out.Add({&dictionary.parts[part], at, at + 1}));
    }
  }
  return out;
}

}  // namespace signet
