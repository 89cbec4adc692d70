#include "core/ops/build/slice_ranges.h"

#include <algorithm>
#include <limits>

#include "core/ops/def/inference.h"

namespace signet {

StatusOr<SliceRequest> ReadSlice(const OpCall& call) {
  SliceRequest request;
  // C2: `starts` is given with `limits`, `sizes`, or neither. All lists have the same length.
  SIGNET_ASSIGN_OR_RETURN(request.starts, WithConstraint("C2", RequiredIntList(call, "starts", 1)));
  SIGNET_ASSIGN_OR_RETURN(request.limits, WithConstraint("C2", FindIntList(call, "limits", 2)));
  SIGNET_ASSIGN_OR_RETURN(request.sizes,
                          WithConstraint("C2", OptionalInts(call.attributes, "sizes")));
  SIGNET_ASSIGN_OR_RETURN(IntList axes, WithConstraint("C2", FindIntList(call, "axes", 3)));
  SIGNET_ASSIGN_OR_RETURN(IntList steps, WithConstraint("C2", FindIntList(call, "steps", 4)));
  request.computes_axes = axes.given && !axes.known;
  request.computes_steps = steps.given && !steps.known;
  request.axes = std::move(axes.known);
  request.steps = std::move(steps.known);
  if (request.limits.given && request.sizes) {
    return WithConstraint("C2", InvalidArgument("`limits` and `sizes` are mutually exclusive"));
  }
  return request;
}

SliceRange ClippedSlice(int64_t start, int64_t limit, int64_t step, int64_t size) {
  int64_t low = step > 0 ? 0 : -1;
  int64_t high = step > 0 ? size : size - 1;
  auto clip = [&](int64_t index) {
    return std::clamp(index < 0 ? index + size : index, low, high);
  };
  start = clip(start);
  limit = clip(limit);
  // Distances and steps are unsigned, because a step of -2^63 has no positive counterpart in int64.
  uint64_t distance = 0;
  if (step > 0 && limit > start) distance = static_cast<uint64_t>(limit - start);
  if (step < 0 && limit < start) distance = static_cast<uint64_t>(start - limit);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  auto count = static_cast<int64_t>(distance / stride + (distance % stride != 0 ? 1 : 0));
  return {start, count > 1 ? step : 1, count};
}

namespace {

Status CheckLength(std::string_view name, size_t length, size_t expected) {
  if (length == expected) return absl::OkStatus();
  return WithConstraint("C2", InvalidArgument("`", name, "`: expected ", expected,
                                              " elements, one per start, found ", length));
}

}  // namespace

StatusOr<std::vector<SliceRange>> SliceRanges(const SliceRequest& request,
                                              std::span<const int64_t> dims,
                                              std::span<const int64_t> starts,
                                              std::span<const int64_t> limits) {
  if (request.limits.given)
    SIGNET_RETURN_IF_ERROR(CheckLength("limits", limits.size(), starts.size()));
  if (request.sizes)
    SIGNET_RETURN_IF_ERROR(CheckLength("sizes", request.sizes->size(), starts.size()));
  if (request.steps)
    SIGNET_RETURN_IF_ERROR(CheckLength("steps", request.steps->size(), starts.size()));
  if (request.axes)
    SIGNET_RETURN_IF_ERROR(CheckLength("axes", request.axes->size(), starts.size()));
  if (starts.size() > dims.size()) {
    return WithConstraint(
        "C3", InvalidArgument("`starts`: expected at most ", dims.size(),
                              " elements, the rank of the value, found ", starts.size()));
  }
  std::vector<SliceRange> ranges;
  for (int64_t dim : dims) ranges.push_back({0, 1, dim});
  std::vector<bool> seen(dims.size(), false);
  for (size_t i = 0; i < starts.size(); ++i) {
    // C3: each axis is a dimension, and no axis occurs twice.
    int64_t given = request.axes ? (*request.axes)[i] : static_cast<int64_t>(i);
    SIGNET_ASSIGN_OR_RETURN(
        int axis, WithConstraint("C3", NormalizeAxis(given, static_cast<int>(dims.size()))));
    auto at = static_cast<size_t>(axis);
    if (seen[at]) return WithConstraint("C3", InvalidArgument("`axes`: duplicate axis ", axis));
    seen[at] = true;
    // C4: no step is 0, and with sizes, all steps are 1.
    int64_t step = request.steps ? (*request.steps)[i] : 1;
    if (step == 0 || (request.sizes && step != 1)) {
      return WithConstraint("C4", InvalidArgument("step of axis ", axis, ": expected ",
                                                  request.sizes ? "1 in a slice with `sizes`"
                                                                : "a number other than 0",
                                                  ", found ", step));
    }
    int64_t size = dims[at];
    if (size == kUnknownDim) {
      ranges[at].count = kUnknownDim;
      if (request.sizes && (*request.sizes)[i] >= 0) ranges[at].count = (*request.sizes)[i];
      continue;
    }
    if (!request.sizes) {
      int64_t end =
          step > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
      ranges[at] = ClippedSlice(starts[i], request.limits.given ? limits[i] : end, step, size);
      continue;
    }
    // C5: a size is -1, which means all remaining elements, or the number of elements that exist.
    int64_t start = starts[i] < 0 ? starts[i] + size : starts[i];
    int64_t length = (*request.sizes)[i];
    if (start >= 0 && start <= size && length == -1) length = size - start;
    if (start < 0 || start > size || length < 0 || length > size - start) {
      return WithConstraint(
          "C5", OutOfRange("axis ", axis, ": expected a range within the size ", size, ", found ",
                           length, " elements from index ", starts[i]));
    }
    ranges[at] = {start, 1, length};
  }
  return ranges;
}

}  // namespace signet
