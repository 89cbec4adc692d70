// Sparse operations.

#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"
#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Validate(const Case& one) {
  SIGNET_RETURN_IF_ERROR(MakeTypedValue(one.inputs().at("value")).status());
  Answer answer;
  answer.data["value"] = true;
  return answer;
}

Value Plain(const TypeSpec& attribute) { return Value::Trusted(attribute, {}); }

StatusOr<Answer> ComponentsOfValue(const Case& one) {
  return RunThreeWays("sparse_components", {one.value("value")});
}

// The one input, called `value`, or two, `x` and `y`.
std::vector<Value> InputsOf(const Case& one) {
  if (one.has_input("values")) return one.values("values");
  std::vector<Value> inputs;
  for (const char* name : {"value", "x", "y", "keep"}) {
    if (one.has_input(name)) inputs.push_back(one.value(name));
  }
  return inputs;
}

// Runs the op whose name follows `prefix` in the operation, with the arguments as attributes.
StatusOr<Answer> Run(const Case& one, std::string_view prefix,
                     std::initializer_list<std::pair<const char*, const char*>> args = {},
                     Sizes sizes = Sizes::kForgotten) {
  NamedTypes attributes;
  for (const auto& [arg, attribute] : args) {
    if (one.args().contains(arg)) attributes.emplace_back(attribute, one.attribute(arg));
  }
  std::string op = Cat(prefix, one.op().substr(std::string_view("sparse.").size()));
  return RunThreeWays(op, InputsOf(one), Attributes(std::move(attributes)), sizes);
}

// An ordinary op.
StatusOr<Answer> RunOrdinary(const Case& one) {
  return Run(one, "",
             {{"axis", "axis"},
              {"start", "starts"},
              {"size", "sizes"},
              {"shape", "shape"},
              {"perm", "perm"}});
}

StatusOr<Answer> Reduce(const Case& one) {
  return Run(one, "", {{"axis", "axes"}, {"keepdims", "keepdims"}});
}

StatusOr<Answer> Split(const Case& one) {
  return Run(one, "", {{"axis", "axis"}, {"num_split", "num"}});
}

StatusOr<Answer> RunOwn(const Case& one) { return Run(one, "sparse_", {{"shape", "shape"}}); }

StatusOr<Answer> WithDefault(const Case& one) {
  std::vector<Value> inputs = InputsOf(one);
  if (one.args().contains("default_value")) inputs.push_back(Plain(one.attribute("default_value")));
  return RunThreeWays(Cat("sparse_", one.op().substr(std::string_view("sparse.").size())),
                      std::move(inputs));
}

StatusOr<Answer> DenseMatmul(const Case& one) {
  return RunThreeWays(
      "matmul", {one.value("x"), one.value("y")},
      Attributes({{"transpose_a", AttributeOf(one.args().value("adjoint_a", false))},
                  {"transpose_b", AttributeOf(one.args().value("adjoint_b", false))}}));
}

// Unordered entries are not a valid value, so they are passed as three tensors.
StatusOr<Answer> Reorder(const Case& one) {
  const Json& value = one.inputs().at("value").at("value");
  TypeSpec type = ToType(one.inputs().at("value").at("type"));
  if (!type.is(TypeKind::kSparse)) return InvalidArgument("expected a sparse value");
  DType dtype = type.As<SparseSpec>()->dtype();
  auto rank = static_cast<int64_t>(value.at("dense_shape").size());
  auto component = [&](const char* name, DType of, PartialShape shape) {
    return Must(MakeValueOf(TensorType(of, std::move(shape)), value.at(name)));
  };
  return RunThreeWays(
      "sparse_from_entries",
      {component("indices", DType::kInt64, {kUnknownDim, rank}),
       component("values", dtype, {kUnknownDim}), component("dense_shape", DType::kInt64, {rank})},
      {}, Sizes::kNeeded);
}

constexpr OpRow kOps[] = {
    {"sparse.add", RunOrdinary},
    {"sparse.components", ComponentsOfValue},
    {"sparse.concat", RunOrdinary},
    {"sparse.dense_matmul", DenseMatmul},
    {"sparse.expand_dims", RunOrdinary},
    {"sparse.fill_empty_rows", WithDefault},
    {"sparse.from_dense", RunOwn},
    {"sparse.reduce_max", Reduce},
    {"sparse.reduce_sum", Reduce},
    {"sparse.reorder", Reorder},
    {"sparse.reset_shape", RunOwn},
    {"sparse.reshape", RunOrdinary},
    {"sparse.retain", RunOwn},
    {"sparse.slice", RunOrdinary},
    {"sparse.split", Split},
    {"sparse.to_dense", WithDefault},
    {"sparse.transpose", RunOrdinary},
    {"sparse.validate", Validate},
};

}  // namespace

std::span<const OpRow> SparseOps() { return kOps; }

}  // namespace signet::structured_vectors
