#include "tests/conformance/structured/three_ways.h"

#include <algorithm>
#include <stdexcept>

#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/run_op.h"
#include "tests/support/body_maker.h"
#include "tests/support/op_function.h"

namespace signet::structured_vectors {
namespace {

using Results = StatusOr<std::vector<Value>>;

Value WithoutFirstSize(const Value& value) {
  const PartialShape* shape = value.spec().shape();
  if (shape == nullptr || !shape->has_rank() || shape->rank() == 0) {
    return value.components().empty() ? value : Value::OfType(value.spec());
  }
  auto children = value.spec().children();
  std::vector<TypeSpec> fields(children.begin(), children.end());
  if (value.spec().is(TypeKind::kStructured)) {
    for (TypeSpec& field : fields) field = WithoutFirstSize(Value::OfType(field)).spec();
  }
  return Value::OfType(
      Must(value.spec().rep().Rebuild(shape->WithDim(0, kUnknownDim), std::move(fields))));
}

// The function is specialized for `types` in place of the inputs.
Results RunInFunction(std::string_view op, std::span<const Value> inputs, std::vector<Value> types,
                      const Attributes& attributes, size_t num_outputs) {
  SIGNET_ASSIGN_OR_RETURN(FunctionDef function,
                          OpFunction(op, attributes, inputs.size(), num_outputs));
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call,
                          Canonicalize(function.type, {std::move(types), {}}, function.defaults));
  SIGNET_ASSIGN_OR_RETURN(Specialization made,
                          Specialize(function, call.type, TestLibrary(), {.verify = true}));
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(made.graph)));
  std::vector<const Tensor*> tensors;
  for (const Value& input : inputs) {
    for (const Tensor& component : input.components()) tensors.push_back(&component);
  }
  FramePool frames;
  SIGNET_ASSIGN_OR_RETURN(Components results, RunPlan(*plan, frames, tensors, {}));
  // Checks the results against the declared type.
  auto tuple = MakeValue(made.output, std::move(results));
  if (!tuple.ok()) throw std::runtime_error(std::string(MessageOf(tuple.status())));
  return ChildrenOf(*tuple);
}

std::string Shown(const Results& results) {
  if (!results.ok()) return results.status().ToString();
  return ToString(TupleOf(*results), 64);
}

bool Agree(const Results& a, const Results& b) {
  if (!a.ok() || !b.ok()) return a.status().code() == b.status().code();
  return std::equal(a->begin(), a->end(), b->begin(), b->end(), [](const Value& x, const Value& y) {
    return x.spec().structure() == y.spec().structure() &&
           std::equal(x.components().begin(), x.components().end(), y.components().begin(),
                      y.components().end(), SameTensor);
  });
}

}  // namespace

StatusOr<Answer> RunThreeWays(std::string_view op, std::vector<Value> inputs,
                              const Attributes& attributes, Sizes sizes) {
  std::vector<std::pair<std::string_view, Results>> ways;
  ways.emplace_back("at once", RunOp(op, inputs, attributes));
  size_t num_outputs = ways[0].second.ok() ? ways[0].second->size() : 1;
  ways.emplace_back("in a function", RunInFunction(op, inputs, inputs, attributes, num_outputs));
  if (sizes == Sizes::kForgotten) {
    std::vector<Value> types;
    for (const Value& input : inputs) types.push_back(WithoutFirstSize(input));
    ways.emplace_back("without the first sizes",
                      RunInFunction(op, inputs, std::move(types), attributes, num_outputs));
  }
  Answer answer{.sizes_needed = sizes == Sizes::kNeeded};
  for (auto& [name, results] : ways) {
    if (!Agree(ways[0].second, results)) {
      throw std::runtime_error(
          Cat(ways[0].first, ": ", Shown(ways[0].second), "; ", name, ": ", Shown(results)));
    }
  }
  if (!ways[0].second.ok()) return ways[0].second.status();
  for (auto& [name, results] : ways) answer.ways.push_back(*std::move(results));
  return answer;
}

}  // namespace signet::structured_vectors
