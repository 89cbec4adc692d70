#include "core/graph/lower/shape_switch.h"

#include "core/graph/lower/branches.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// The limit of the branches for all open inputs of one call.
constexpr size_t kMaxShapes = 128;

const PartialShape* TensorShape(const GraphValue& input) {
  const auto* tensor = input.spec ? input.spec.As<TensorSpec>() : nullptr;
  return tensor == nullptr ? nullptr : &tensor->shape();
}

bool HasOpenRank(const GraphValue& input) {
  const PartialShape* shape = TensorShape(input);
  return shape != nullptr && !shape->has_rank();
}

// Returns true for a vector of integers, such as sizes or axes, of unknown length.
bool HasOpenLength(const GraphValue& input) {
  const PartialShape* shape = TensorShape(input);
  return shape != nullptr && shape->has_rank() && shape->rank() == 1 &&
         shape->dim(0) == kUnknownDim && IsIndexDType(input.spec.As<TensorSpec>()->dtype());
}

RankSet RanksOf(const FlatBuilder& build, const GraphValue& input) {
  return HasOpenRank(input) ? build.RanksOf(input.components[0]) : RankSet().set();
}

// Returns `x`, which has rank `rank` when this runs, with a type that states the rank.
StatusOr<GraphValue> WithRank(OpBuilder& build, const GraphValue& x, int64_t rank) {
  if (rank == 0) return build.Reshape(x, {.shape = {}});
  Expr sizes = build.DynamicShape(x);
  std::vector<Operand> dims;
  for (int64_t axis = 0; axis < rank; ++axis) {
    dims.push_back(build.Gather(sizes, build.Constant(Tensor::Scalar(axis)), {.axis = 0}));
  }
  return build.Reshape(x, build.Stack(dims));
}

StatusOr<GraphValue> WithShape(OpBuilder& build, const GraphValue& x, int64_t number) {
  if (HasOpenRank(x)) return WithRank(build, x, number);
  return build.Reshape(x, {.shape = {number}});
}

}  // namespace

std::optional<size_t> OpenInput(std::span<const GraphValue> inputs, const Status& error) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (HasOpenRank(inputs[i])) return i;
  }
  if (!absl::IsUnimplemented(error)) return std::nullopt;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (HasOpenLength(inputs[i])) return i;
  }
  return std::nullopt;
}

StatusOr<std::vector<GraphValue>> CallByShape(FlatBuilder& build, const OpDef& op,
                                              std::span<const GraphValue> inputs,
                                              const Attributes& attributes, size_t open,
                                              const Status& error) {
  size_t shapes = 1;
  std::vector<int> seen;
  for (const GraphValue& input : inputs) {
    if (!HasOpenRank(input)) continue;
    const int edge = input.components[0];
    if (std::find(seen.begin(), seen.end(), edge) != seen.end()) continue;
    seen.push_back(edge);
    shapes *= RanksOf(build, input).count();
    if (shapes > kMaxShapes) return error;
  }
  const GraphValue& input = inputs[open];
  const int edge = input.components[0];
  const RankSet ranks = RanksOf(build, input);
  std::vector<SwitchBranch> branches;
  auto call = [&](FlatBuilder& body, std::span<const GraphValue> arguments,
                  int64_t number) -> StatusOr<GraphValue> {
    body.CountWithin(build);
    SIGNET_ASSIGN_OR_RETURN(GraphValue fixed, WithShape(body, arguments[open], number));
    std::vector<GraphValue> own(arguments.begin(), arguments.end());
    for (size_t i = 0; i < own.size(); ++i) {
      if (inputs[i].spec && inputs[i].components.size() == 1 && inputs[i].components[0] == edge)
        own[i] = fixed;
    }
    SIGNET_ASSIGN_OR_RETURN(auto outputs, body.Call(op, own, attributes));
    return TupleOfValues(outputs);
  };
  auto reject = [](FlatBuilder&, std::span<const GraphValue>) -> StatusOr<GraphValue> {
    return Unimplemented("expected at most ", kMaxListedRank, " dimensions");
  };
  size_t first = 0;
  while (!ranks[first]) ++first;
  for (size_t number = first; number < ranks.size(); ++number) {
    const auto count = static_cast<int64_t>(number);
    SwitchBranch branch{Cat(HasOpenRank(input) ? "rank " : "length ", number), reject};
    if (ranks[number]) {
      branch.make = [&call, count](FlatBuilder& body, std::span<const GraphValue> arguments) {
        return call(body, arguments, count);
      };
    }
    branches.push_back(std::move(branch));
  }
  branches.push_back({"other ranks", reject});
  SIGNET_ASSIGN_OR_RETURN(GraphValue index, HasOpenRank(input)
                                                ? build.DynamicSize(build.DynamicShape(input))
                                                : build.DynamicSize(input));
  SIGNET_ASSIGN_OR_RETURN(
      index, build.Sub(index, build.Constant(Tensor::Scalar(static_cast<int64_t>(first)))));
  auto defers = [](const Status& status) { return !absl::IsResourceExhausted(status); };
  auto made = BuildSwitch(build, index, branches, inputs, defers);
  if (!made.ok()) return absl::IsResourceExhausted(made.status()) ? made.status() : error;
  std::vector<GraphValue> outputs;
  for (size_t i = 0; i < made->spec.children().size(); ++i) outputs.push_back(ChildOf(*made, i));
  return outputs;
}

}  // namespace signet
