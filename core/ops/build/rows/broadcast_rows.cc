#include "core/ops/build/rows/broadcast_rows.h"

#include <algorithm>
#include <climits>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "signet/ragged_spec.h"

namespace signet {
namespace {

class Broadcaster {
 public:
  Broadcaster(OpBuilder& build, std::span<const RowOperand> operands, std::string_view label)
      : build_(build), operands_(operands), label_(label) {
    common_.indices.resize(operands.size());
  }

  StatusOr<CommonRows> Run() && {
    int depth = 0;
    for (const RowOperand& operand : operands_) depth = std::max(depth, operand.rows.depth());
    for (int dim = 0; dim < depth; ++dim) SIGNET_RETURN_IF_ERROR(AddDim(dim, depth));
    return std::move(common_);
  }

 private:
  Status AddDim(int dim, int depth) {
    std::vector<size_t> stretched;
    Rows& rows = common_.rows;
    for (size_t i = 0; i < operands_.size(); ++i) {
      const RowOperand& operand = operands_[i];
      int own = dim - (depth - operand.rows.depth());
      bool stretches = own < 0 || (!operand.fixed &&
                                   operand.rows.dims[static_cast<size_t>(own)].known_length == 1);
      if (stretches) {
        stretched.push_back(i);
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(RowDim mapped, Map(i, own, dim - 1));
      if (rows.depth() == dim) {
        rows.dims.push_back(std::move(mapped));
      } else {
        SIGNET_RETURN_IF_ERROR(Merge(std::move(mapped)));
      }
    }
    if (rows.depth() == dim) rows.dims.push_back(UniformDim(build_, 1));
    for (size_t i : stretched) SIGNET_RETURN_IF_ERROR(Stretch(i, dim));
    return absl::OkStatus();
  }

  // Returns dimension `own` of an operand with one row per element of `level` of the common rows.
  // The index of the operand then refers to the elements of this dimension.
  StatusOr<RowDim> Map(size_t i, int own, int level) {
    const Rows& rows = operands_[i].rows;
    RowDim found = rows.dims[static_cast<size_t>(own)];
    RowIndex& index = common_.indices[i];
    if (index.first) {
      SIGNET_ASSIGN_OR_RETURN(index.positions, RowIdsOf(build_, common_.rows, -1, level));
      index.first = false;
    }
    SIGNET_RETURN_IF_ERROR(MakePositions(index));
    if (!index.positions.spec) return found;
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build_, rows, own));
    SIGNET_ASSIGN_OR_RETURN(auto picked, build_.GatherRowSplits(splits, index.positions));
    if (found.splits.spec) found.splits = picked[0];
    index.positions = picked[1];
    return found;
  }

  // Merges `dim` of another operand with the last dimension of the common rows.
  Status Merge(RowDim dim) {
    Rows other = common_.rows;
    other.dims.back() = std::move(dim);
    SIGNET_ASSIGN_OR_RETURN(Rows merged,
                            MergeRows(build_, common_.rows, other, common_.rows.depth(), label_));
    const RowDim& before = common_.rows.dims.back();
    const RowDim& after = merged.dims.back();
    auto is_changed = [](const GraphValue& x, const GraphValue& y) {
      return y.spec && (!x.spec || x.components[0] != y.components[0]);
    };
    common_.compared |= is_changed(before.splits, after.splits) ||
                        (before.is_uniform() && is_changed(before.length, after.length));
    common_.rows = std::move(merged);
    return absl::OkStatus();
  }

  Status MakePositions(RowIndex& index) {
    if (!index.repeats.spec) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(index.positions, build_.SegmentIds(index.repeats));
    index.repeats = {};
    return absl::OkStatus();
  }

  // Repeats the element of an operand for all elements of each row of dimension `dim`.
  Status Stretch(size_t i, int dim) {
    RowIndex& index = common_.indices[i];
    const std::vector<RowDim>& dims = common_.rows.dims;
    auto is_one = [](const RowDim& one) { return one.known_length == 1; };
    if (index.first || is_one(dims.back())) return absl::OkStatus();
    SIGNET_RETURN_IF_ERROR(MakePositions(index));
    if (index.positions.spec) {
      SIGNET_ASSIGN_OR_RETURN(
          index.positions, build_.RepeatRows(index.positions, SplitsOf(build_, common_.rows, dim)));
    } else if (std::all_of(dims.begin(), dims.end() - 1, is_one)) {
      index.first = true;
    } else {
      SIGNET_ASSIGN_OR_RETURN(index.repeats, SplitsOf(build_, common_.rows, dim));
    }
    return absl::OkStatus();
  }

  OpBuilder& build_;
  const std::span<const RowOperand> operands_;
  const std::string_view label_;
  CommonRows common_;
};

}  // namespace

StatusOr<CommonRows> BroadcastRows(OpBuilder& build, std::span<const RowOperand> operands,
                                   std::string_view label) {
  return Broadcaster(build, operands, label).Run();
}

StatusOr<GraphValue> TakeCommon(OpBuilder& build, const GraphValue& elements,
                                const RowIndex& index) {
  if (index.repeats.spec) return build.RepeatRows(elements, index.repeats);
  if (!index.positions.spec) return elements;
  return TakeRows(build, elements, index.positions);
}

StatusOr<CommonValues> BroadcastValues(OpBuilder& build, std::span<const GraphValue> values,
                                       std::string_view label, int fixed) {
  int rank = 0;
  int trailing = INT_MAX;  // number of dimensions after the last ragged one
  for (const GraphValue& value : values) {
    if (!value.spec) continue;
    if (!value.spec.shape()->has_rank()) {
      return Unimplemented("expected values of known rank, found `", value.spec, "`");
    }
    int own = value.spec.shape()->rank();
    rank = std::max(rank, own);
    const auto* ragged = value.spec.As<RaggedSpec>();
    if (ragged != nullptr && ragged->ragged_rank() > 0) {
      trailing = std::min(trailing, own - ragged->ragged_rank() - 1);
    }
  }
  GraphValue still = fixed < 0 ? GraphValue() : values[static_cast<size_t>(fixed)];
  if (still.spec && still.spec.shape()->rank() < rank) {
    return WithConstraint(label,
                          InvalidArgument("input ", fixed, ": expected a rank of at least ", rank,
                                          ", the rank of another input, found `", still.spec, "`"));
  }
  CommonValues common;
  common.elements.assign(values.begin(), values.end());
  std::vector<RowOperand> operands;
  std::vector<size_t> opened;  // the index of the value of each operand
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].spec) continue;
    int depth = values[i].spec.shape()->rank() - trailing;
    if (depth > 0) {
      SIGNET_ASSIGN_OR_RETURN(Opened x, OpenToTensor(build, values[i], depth));
      operands.push_back({std::move(x.rows), static_cast<int>(i) == fixed});
      common.elements[i] = std::move(x.elements);
      opened.push_back(i);
    } else if (values[i].spec.is(TypeKind::kRagged)) {
      common.elements[i] = ComponentOf(values[i], 0);
    }
  }
  if (operands.empty()) return common;
  SIGNET_ASSIGN_OR_RETURN(CommonRows rows, BroadcastRows(build, operands, label));
  bool is_tied = !rows.compared;
  for (size_t k = 0; k < opened.size(); ++k) {
    GraphValue& elements = common.elements[opened[k]];
    SIGNET_ASSIGN_OR_RETURN(elements, TakeCommon(build, elements, rows.indices[k]));
    if (is_tied || rows.indices[k].first) continue;
    // An op that reads only the elements must also wait for the comparison. Otherwise, one element
    // could be repeated next to several.
    SIGNET_ASSIGN_OR_RETURN(
        elements,
        build.CheckNumValues(elements, SplitsOf(build, rows.rows, rows.rows.depth() - 1)));
    is_tied = true;
  }
  common.rows = std::move(rows.rows);
  return common;
}

}  // namespace signet
