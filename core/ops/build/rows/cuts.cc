#include "core/ops/build/rows/cuts.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// A range of rows: `count` rows from `start` on, both int64[].
struct RowRange {
  GraphValue start;
  GraphValue count;
};

bool AreEqualParts(std::span<const int64_t> sizes) { return sizes[0] == kUnknownDim; }

// Returns the range of each part in `rows`. C4: the parts make up the dimension.
StatusOr<std::vector<RowRange>> RangesOf(OpBuilder& build, const GraphValue& rows,
                                         std::span<const int64_t> sizes) {
  const auto num = static_cast<int64_t>(sizes.size());
  std::vector<RowRange> ranges;
  if (AreEqualParts(sizes)) {
    GraphValue parts = Int64Constant(build, num);
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, build.Floordiv(rows, parts));
    SIGNET_ASSIGN_OR_RETURN(GraphValue total, build.Mul(size, parts));
    SIGNET_RETURN_IF_ERROR(CheckSizes(
        build, total, rows,
        WithConstraint("C4",
                       InvalidArgument("the dimension cannot be cut into ", num, " equal parts"))));
    for (int64_t i = 0; i < num; ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue start, build.Mul(size, Int64Constant(build, i)));
      ranges.push_back({std::move(start), size});
    }
    return ranges;
  }
  int64_t end = 0;
  for (int64_t size : sizes) {
    ranges.push_back({Int64Constant(build, end), Int64Constant(build, size)});
    end += size;
  }
  SIGNET_RETURN_IF_ERROR(CheckSizes(
      build, rows, Int64Constant(build, end),
      WithConstraint(
          "C4",
          InvalidArgument("expected parts with the total size of the dimension, found ", end))));
  return ranges;
}

StatusOr<std::vector<GraphValue>> CutOuter(OpBuilder& build, const GraphValue& value,
                                           std::span<const int64_t> sizes, bool drop) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountRows(build, value));
  SIGNET_ASSIGN_OR_RETURN(auto ranges, RangesOf(build, rows, sizes));
  std::vector<GraphValue> parts;
  for (size_t i = 0; i < ranges.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue part,
                            CutRows(build, value, ranges[i].start, ranges[i].count));
    if (drop) {
      SIGNET_ASSIGN_OR_RETURN(part, WithoutOuter(build, part));
    } else if (sizes[i] != kUnknownDim) {
      SIGNET_ASSIGN_OR_RETURN(part.spec, WithRows(part.spec, sizes[i]));
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

// Cuts a dimension after all row partitions with one op.
StatusOr<std::vector<GraphValue>> CutDense(OpBuilder& build, const GraphValue& tensor, int axis,
                                           std::span<const int64_t> sizes, bool drop) {
  auto num = static_cast<int64_t>(sizes.size());
  NamedTypes attributes = {{"axis", AttributeOf(axis)}};
  if (drop || AreEqualParts(sizes)) {
    attributes.emplace_back("num", AttributeOf(num));
  } else {
    attributes.emplace_back("sizes", AttributeOf(sizes));
  }
  return build.Call(drop ? OpName("unstack") : "split", std::span(&tensor, 1),
                    Attributes(std::move(attributes)));
}

bool IsDense(const GraphValue& value, int axis) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  return ragged != nullptr && ragged->ragged_rank() < axis;
}

}  // namespace

StatusOr<WantedParts> WantedPartsOf(const OpCall& call) {
  WantedParts out;
  SIGNET_ASSIGN_OR_RETURN(auto num, WithConstraint("C3", call.attributes.OptionalInt("num")));
  SIGNET_ASSIGN_OR_RETURN(out.sizes, WithConstraint("C3", OptionalInts(call.attributes, "sizes")));
  if (!num && !out.sizes)
    return WithConstraint("C3", InvalidArgument("missing `num` or `sizes`; pass one of them"));
  out.count = out.sizes ? static_cast<int64_t>(out.sizes->size()) : *num;
  if (num && *num != out.count) {
    return WithConstraint(
        "C3", InvalidArgument("`sizes`: expected ", *num, " elements, the value of `num`, found ",
                              out.count));
  }
  if (out.count < 1 || out.count > kMaxParts) {
    return WithConstraint(
        "C3", InvalidArgument("expected 1 to ", kMaxParts, " parts, found ", out.count));
  }
  if (!out.sizes) return out;
  for (int64_t part : *out.sizes) {
    auto sum = part < 0 ? std::nullopt : CheckedAdd(out.total, part);
    if (!sum)
      return WithConstraint("C4", InvalidArgument("`sizes`: expected at least 0, found ", part));
    out.total = *sum;
  }
  return out;
}

StatusOr<int> CuttableAxis(const OpCall& call, const TypeSpec& spec) {
  if (!spec) return WithConstraint("C1", InvalidArgument("missing input 0; expected a value"));
  const PartialShape* shape = spec.shape();
  if (shape != nullptr && !shape->has_rank()) {
    return WithConstraint(
        "C1", Unimplemented("input 0: expected a value of known rank, found `", spec, "`"));
  }
  if (shape == nullptr || shape->rank() == 0) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a rank of at least 1, found `", spec, "`"));
  }
  return AxisAttribute(call, "axis", shape->rank(), "C2");
}

StatusOr<std::vector<GraphValue>> CutAlong(OpBuilder& build, const GraphValue& given, int axis,
                                           std::span<const int64_t> sizes, bool drop) {
  const GraphValue value = axis > 0 ? DenseForm(given) : given;
  if (value.spec.is(TypeKind::kTensor)) return CutDense(build, value, axis, sizes, drop);
  if (axis == 0) return CutOuter(build, value, sizes, drop);
  bool dense = IsDense(value, axis);
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, value, dense ? axis : axis + 1));
  std::vector<GraphValue> parts;
  if (dense) {
    SIGNET_ASSIGN_OR_RETURN(parts, CutDense(build, opened.elements, 1, sizes, drop));
    for (GraphValue& part : parts) {
      SIGNET_ASSIGN_OR_RETURN(part, CloseRows(build, opened.rows, part, value.spec));
    }
    return parts;
  }
  const RowDim dim = opened.rows.dims.back();
  // C2: a ragged dimension cannot be cut.
  if (!dim.is_uniform()) {
    return WithConstraint(
        "C2", InvalidArgument("dimension ", axis, " of `", value.spec,
                              "`: expected a uniform dimension, found a ragged dimension"));
  }
  if (dim.known_length == kUnknownDim) {
    return WithConstraint("C2", Unimplemented("dimension ", axis,
                                              ": expected a known size, found `", value.spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, opened.rows, axis));
  int64_t start = 0;
  for (int64_t size : sizes) {
    SIGNET_ASSIGN_OR_RETURN(auto cut,
                            build.SliceRows(splits, {.start = start, .limit = start + size}));
    start += size;
    SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, opened.elements, cut[1]));
    Rows rows = opened.rows;
    rows.dims.pop_back();
    if (!drop) {
      RowDim own = UniformDim(build, size);
      if (dim.splits.spec) own.splits = cut[0];
      rows.dims.push_back(std::move(own));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue part, CloseRows(build, rows, elements, value.spec));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace signet
