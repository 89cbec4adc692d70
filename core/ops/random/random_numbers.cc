// random_uniform, random_normal, random_categorical, random_gamma, random_poisson: create random
// numbers that depend only on a seed, so that they are the same in every run.
//
//   random_normal(7, shape=[2, 3])  =>  float32[2, 3]

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"
#include "core/ops/random/random_ops.h"

namespace signet {
namespace {

// C1: the seed is an int32 or int64 scalar.
Status CheckSeed(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* seed, TensorInput(call, 0));
  if (IsIndexDType(seed->dtype()) && seed->shape().IsCompatibleWith(Shape{})) {
    return absl::OkStatus();
  }
  return WithConstraint(
      "C1", InvalidArgument("input 0: expected a seed of type `int64[]` or `int32[]`, found `",
                            call.inputs[0], "`"));
}

// Returns the shape of the result. C2: it is either an attribute or a vector of integers. Its sizes
// are at least 0, and it has at most 2^31 elements.
StatusOr<PartialShape> ShapeOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, WithConstraint("C2", RequiredIntList(call, "shape", 1)));
  if (list.known) {
    SIGNET_RETURN_IF_ERROR(WithConstraint("C2", CheckOutputSize(*list.known)));
    return PartialShape(std::span<const int64_t>(*list.known));
  }
  return ShapeOfLength(list.length);
}

StatusOr<std::vector<TypeSpec>> InferUniform(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(CheckSeed(call));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  // C3: `dtype` is float32, float64, int32, or int64.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C3", call.attributes.DTypeNamed("dtype")));
  bool floats = dtype == DType::kFloat32 || dtype == DType::kFloat64;
  if (!floats && !IsIndexDType(dtype)) {
    return WithConstraint(
        "C3",
        InvalidArgument("dtype: expected float32, float64, int32 or int64, found ", NameOf(dtype)));
  }
  // C4: `low` is less than `high`, and both are finite numbers of the dtype.
  if (floats) {
    SIGNET_ASSIGN_OR_RETURN(double low, WithConstraint("C4", call.attributes.Float("low")));
    SIGNET_ASSIGN_OR_RETURN(double high, WithConstraint("C4", call.attributes.Float("high")));
    bool wide = dtype == DType::kFloat64;
    bool fits = wide ? low < high : static_cast<float>(low) < static_cast<float>(high);
    double span = wide ? high - low : static_cast<double>(static_cast<float>(high - low));
    if (!fits || !(span - span == 0)) {
      return WithConstraint(
          "C4", InvalidArgument("low and high: expected finite numbers with low < high, found ",
                                low, " and ", high));
    }
  } else {
    SIGNET_ASSIGN_OR_RETURN(int64_t low, WithConstraint("C4", call.attributes.Int("low")));
    SIGNET_ASSIGN_OR_RETURN(int64_t high, WithConstraint("C4", call.attributes.Int("high")));
    bool narrow = dtype == DType::kInt32 && (low < INT32_MIN || high > int64_t{INT32_MAX} + 1);
    if (low >= high || narrow) {
      return WithConstraint(
          "C4", InvalidArgument("low and high: expected ", NameOf(dtype),
                                " numbers with low < high, found ", low, " and ", high));
    }
  }
  return OneOutput(TensorType(dtype, std::move(shape)));
}

StatusOr<std::vector<TypeSpec>> InferNormal(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(CheckSeed(call));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(call));
  // C3: `dtype` is float32 or float64. C4: `mean` and `stddev` are numbers.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C3", call.attributes.DTypeNamed("dtype")));
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return WithConstraint(
        "C3", InvalidArgument("dtype: expected float32 or float64, found ", NameOf(dtype)));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", call.attributes.Float("mean").status()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", call.attributes.Float("stddev").status()));
  return OneOutput(TensorType(dtype, std::move(shape)));
}

StatusOr<std::vector<TypeSpec>> InferCategorical(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(CheckSeed(call));
  // C2: the logits are float32 or float64, and have a rank of at least 1.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* logits, TensorInput(call, 1));
  const PartialShape& shape = logits->shape();
  bool floats = logits->dtype() == DType::kFloat32 || logits->dtype() == DType::kFloat64;
  if (!floats || (shape.has_rank() && shape.rank() == 0)) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected float32 or float64 of rank at least 1, found `",
                              call.inputs[1], "`"));
  }
  // C3: `num_samples` is at least 0. C4: each logit is finite or -inf, and each row has a finite
  // one. The kernel checks C4.
  SIGNET_ASSIGN_OR_RETURN(int64_t n, WithConstraint("C3", call.attributes.Int("num_samples")));
  if (n < 0)
    return WithConstraint("C3", InvalidArgument("num_samples: expected at least 0, found ", n));
  if (!shape.has_rank()) return OneOutput(TensorType(DType::kInt64, {}));
  PartialShape out = shape.WithDim(shape.rank() - 1, n);
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", CheckOutputSize(out)));
  return OneOutput(TensorType(DType::kInt64, std::move(out)));
}

StatusOr<std::vector<TypeSpec>> InferOfParameter(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(CheckSeed(call));
  // C2: the parameter is float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* parameter, TensorInput(call, 1));
  if (parameter->dtype() == DType::kFloat32 || parameter->dtype() == DType::kFloat64) {
    return OneOutput(call.inputs[1]);
  }
  return WithConstraint(
      "C2", InvalidArgument("input 1: expected float32 or float64, found `", call.inputs[1], "`"));
}

// A literal seed or shape is int64. Literal logits and parameters are float32.
StatusOr<std::vector<GraphValue>> ExpandRandom(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  std::vector<GraphValue> tensors(inputs.begin(), inputs.end());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const bool is_shape = call.op.name == "random_uniform" || call.op.name == "random_normal";
    const bool is_float = i == 1 && !is_shape;
    SIGNET_ASSIGN_OR_RETURN(
        tensors[i],
        WithConstraint(i == 0 ? "C1" : "C2",
                       TensorFor(build, tensors[i], is_float ? DType::kFloat32 : DType::kInt64)));
    if (!tensors[i].spec || tensors[i].spec.is(TypeKind::kTensor)) continue;
    return Unimplemented("input ", i, ": expected a tensor, found `", tensors[i].spec, "`");
  }
  return build.Call(call.op.name, tensors, call.attributes);
}

}  // namespace

std::vector<OpDef> RandomNumberOps() {
  return {
      {.name = "random_uniform",
       .summary = "Creates uniformly distributed random numbers",
       .description =
           "Creates random numbers from `low` (inclusive) to `high` (exclusive). The numbers are "
           "computed from the seed with Philox4x32-10: element i uses half of block i / 2, and "
           "each op has a stream of its own. The same seed has the same result on every machine "
           "and in every version. A float is one of 2^53 steps between the bounds. The "
           "probabilities of two integers differ by at most 2^-64 of the range. `shape` is an "
           "attribute or a vector.",
       .inputs = {"seed", "shape?"},
       .attributes = {{"shape", NoneAttribute()},
                      {"low", AttributeOf(0)},
                      {"high", AttributeOf(1)},
                      {"dtype", AttributeOf(DType::kFloat32)}},
       .result = "A tensor of `dtype` with the given shape.",
       .constraints = {"The seed is an `int64[]` or `int32[]`.",
                       "The sizes are at least 0, and the result has at most 2^31 elements "
                       "(RESOURCE_EXHAUSTED).",
                       "`dtype` is float32, float64, int32, or int64.",
                       "`low` is less than `high`, and both are numbers of the dtype."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferUniform,
       .expand = ExpandRandom,
       .literals_as_tensors = false},
      {.name = "random_normal",
       .summary = "Creates normally distributed random numbers",
       .description = "Creates random numbers by the Box-Muller formula in float64, from the "
                      "numbers that `random_uniform` describes. The last digit depends on the "
                      "functions log and cos of the C library.",
       .inputs = {"seed", "shape?"},
       .attributes = {{"shape", NoneAttribute()},
                      {"mean", AttributeOf(0)},
                      {"stddev", AttributeOf(1)},
                      {"dtype", AttributeOf(DType::kFloat32)}},
       .result = "A tensor of `dtype` with the given shape.",
       .constraints = {"The seed is an `int64[]` or `int32[]`.",
                       "The sizes are at least 0, and the result has at most 2^31 elements "
                       "(RESOURCE_EXHAUSTED).",
                       "`dtype` is float32 or float64.", "`mean` and `stddev` are numbers."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferNormal,
       .expand = ExpandRandom,
       .literals_as_tensors = false},
      {.name = "random_categorical",
       .summary = "Selects random positions with probabilities that logits define",
       .description = "Selects positions along the last axis of the logits. The probability of a "
                      "position is proportional to exp(logit). The random numbers are those that "
                      "`random_uniform` describes.",
       .inputs = {"seed", "logits"},
       .attributes = {{"num_samples", AttributeOf(1)}},
       .result = "An int64 tensor with the shape of the logits, in which the last dimension has "
                 "the size `num_samples`.",
       .constraints = {"The seed is an `int64[]` or `int32[]`.",
                       "The logits are float32 or float64 of rank at least 1.",
                       "`num_samples` is at least 0.",
                       "Each logit is finite or -inf, and each row has a finite one."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferCategorical,
       .expand = ExpandRandom,
       .literals_as_tensors = false},
      {.name = "random_gamma",
       .summary = "Creates random numbers with a gamma distribution",
       .description = "Creates a number for each element of `alpha`, the shape parameter of its "
                      "distribution. The scale is 1. The number is NaN if the parameter is not a "
                      "finite number greater than 0. The numbers are computed in float64 by the "
                      "rejection method of Marsaglia and Tsang. The last digit depends on "
                      "functions of the C library.",
       .inputs = {"seed", "alpha"},
       .result = "A tensor with the type of alpha.",
       .constraints = {"The seed is an `int64[]` or `int32[]`.", "alpha is float32 or float64."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferOfParameter,
       .expand = ExpandRandom,
       .literals_as_tensors = false},
      {.name = "random_poisson",
       .summary = "Creates random numbers with a Poisson distribution",
       .description = "Creates a whole number for each element of `rate`, the mean of its "
                      "distribution. The number is NaN if the rate is not a finite number of at "
                      "least 0. For rates of less than 10, uniform numbers are multiplied; for "
                      "others, the transformed rejection method of Hoermann is used. The results "
                      "may depend on functions of the C library.",
       .inputs = {"seed", "rate"},
       .result = "A tensor with the type of rate.",
       .constraints = {"The seed is an `int64[]` or `int32[]`.", "rate is float32 or float64."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferOfParameter,
       .expand = ExpandRandom,
       .literals_as_tensors = false},
  };
}

}  // namespace signet
