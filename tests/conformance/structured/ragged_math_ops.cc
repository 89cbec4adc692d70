// Arithmetic of ragged values, reductions, broadcasting.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

// Which dimensions stretch is known beforehand: one of size 1 must not be forgotten.
Sizes NeededFor(std::span<const Value> operands) {
  for (const Value& operand : operands) {
    const PartialShape& shape = *operand.spec().shape();
    if (shape.rank() > 0 && shape.dim(0) == 1) return Sizes::kNeeded;
  }
  return Sizes::kForgotten;
}

template <const char* kOp>
StatusOr<Answer> Beside(const Case& one) {
  std::vector<Value> operands = {one.value("x"), one.value("y")};
  return RunThreeWays(kOp, operands, {}, NeededFor(operands));
}

template <const char* kOp>
StatusOr<Answer> Reduce(const Case& one) {
  return RunThreeWays(
      kOp, {one.value("value")},
      Attributes({{"axes", one.attribute("axis")}, {"keepdims", one.attribute("keepdims")}}));
}

// A list of sizes and row lengths, as a literal.
Value SizesOf(const Json& json) { return Value::Trusted(ToAttribute(json), {}); }

StatusOr<Answer> BroadcastShape(const Case& one) {
  return RunThreeWays("broadcast_sizes",
                      {SizesOf(one.inputs().at("x")), SizesOf(one.inputs().at("y"))});
}

StatusOr<Answer> BroadcastDimension(const Case& one) {
  return RunThreeWays("broadcast_dimension",
                      {SizesOf(one.inputs().at("shape")), SizesOf(one.arg("row_lengths"))},
                      Attributes({{"axis", one.attribute("axis")}}));
}

StatusOr<Answer> BroadcastTo(const Case& one) {
  std::vector<Value> inputs = {one.value("value"), SizesOf(one.arg("shape"))};
  return RunThreeWays("broadcast_to", inputs, {}, NeededFor(std::span(inputs).first(1)));
}

constexpr char kAdd[] = "add";
constexpr char kEqual[] = "equal";
constexpr char kLess[] = "less";
constexpr char kAll[] = "reduce_all";
constexpr char kAny[] = "reduce_any";
constexpr char kMax[] = "reduce_max";
constexpr char kMean[] = "reduce_mean";
constexpr char kMin[] = "reduce_min";
constexpr char kProd[] = "reduce_prod";
constexpr char kSum[] = "reduce_sum";

constexpr OpRow kOps[] = {
    {"ragged.add", Beside<kAdd>},
    {"ragged.broadcast_dimension", BroadcastDimension},
    {"ragged.broadcast_shape", BroadcastShape},
    {"ragged.broadcast_to", BroadcastTo},
    {"ragged.equal", Beside<kEqual>},
    {"ragged.less", Beside<kLess>},
    {"ragged.reduce_all", Reduce<kAll>},
    {"ragged.reduce_any", Reduce<kAny>},
    {"ragged.reduce_max", Reduce<kMax>},
    {"ragged.reduce_mean", Reduce<kMean>},
    {"ragged.reduce_min", Reduce<kMin>},
    {"ragged.reduce_prod", Reduce<kProd>},
    {"ragged.reduce_sum", Reduce<kSum>},
};

}  // namespace

std::span<const OpRow> RaggedMathOps() { return kOps; }

}  // namespace signet::structured_vectors
