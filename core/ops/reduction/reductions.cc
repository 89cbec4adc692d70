// Reductions: ops that make one element of all along some axes; one row of a table each. The
// constraints are those of docs/reference/ops.md.

#include <algorithm>

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/rows/ragged_expansions.h"
#include "core/ops/def/axis_set.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/reduction/reduction_ops.h"

namespace signet {
namespace {

struct Row {
  std::string_view name;
  std::string_view summary;
  DTypeGroup dtypes;
};

constexpr Row kRows[] = {
    {"reduce_all", "Finds whether all elements are true", DTypeGroup::kBool},
    {"reduce_any", "Finds whether any element is true", DTypeGroup::kBool},
    {"reduce_max", "Takes the greatest element", DTypeGroup::kReal},
    {"reduce_mean", "Takes the mean", DTypeGroup::kFloatOrComplex},
    {"reduce_min", "Takes the least element", DTypeGroup::kReal},
    {"reduce_prod", "Multiplies elements together", DTypeGroup::kNumeric},
    {"reduce_sum", "Adds elements together", DTypeGroup::kNumeric},
};

StatusOr<std::vector<TypeSpec>> InferReduction(const OpCall& call) {
  const Row& row = *std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.name == call.op.name; });
  // C1: the input is a tensor. C2: of a dtype that the op takes.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, row.dtypes));
  // C3: `axes` is None, an axis or a list of different axes, known or computed.
  SIGNET_ASSIGN_OR_RETURN(ReducedAxes axes, Labelled("C3", ReadReducedAxes(call)));
  SIGNET_ASSIGN_OR_RETURN(bool keepdims, call.attributes.Bool("keepdims"));
  // C4: `default` is None or a number.
  SIGNET_RETURN_IF_ERROR(Labelled("C4", DefaultForEmpty(call.attributes, x->dtype())).status());
  if (!x->shape().has_rank() || axes.computed) {
    bool scalar = !axes.computed && !axes.known && !keepdims;
    if (scalar) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(0)));
    if (!x->shape().has_rank()) return OneOutput(TensorType(x->dtype(), {}));
    int rank = x->shape().rank();
    bool all = axes.length == 0 && axes.empty_is_all;
    auto length = all ? rank : axes.length;
    if (keepdims) return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(rank)));
    if (length < 0 || (length == 0 && axes.empty_is_all)) {
      return OneOutput(TensorType(x->dtype(), {}));
    }
    if (length > rank) {
      return InvalidArgument("C3 ", length, " axes of a value of rank ", rank);
    }
    return OneOutput(TensorType(x->dtype(), PartialShape::OfRank(rank - static_cast<int>(length))));
  }
  auto set = AxesOf(axes.known, x->shape().rank());
  if (!set.ok()) return Labelled("C3", set.status());
  return OneOutput(TensorType(x->dtype(), ReducedShape(x->shape(), *set, keepdims)));
}

}  // namespace

std::vector<OpDef> ReductionOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op = {.name = std::string(row.name),
                .summary = std::string(row.summary),
                .inputs = {"x", "axes?"},
                .attributes = {{"axes", NoneAttribute()},
                               {"keepdims", AttributeOf(false)},
                               {"empty_is_all", AttributeOf(false)}},
                .infer = InferReduction,
                .expand = ExpandRaggedReduction,
                .own_dtypes = {"axes"},
                .family = OpFamily::kReduction};
    if (HasDefaultForEmpty(row.name)) op.attributes.push_back({"default", NoneAttribute()});
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
