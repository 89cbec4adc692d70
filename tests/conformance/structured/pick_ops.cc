// Operations that pick rows and elements, of structures and of ragged values.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Gather(const Case& one) {
  return RunThreeWays(
      "gather", {one.value("params"), one.value("indices")},
      Attributes({{"axis", one.attribute("axis")}, {"batch_dims", one.attribute("batch_dims")}}));
}

StatusOr<Answer> BatchGather(const Case& one) {
  return RunThreeWays("batch_gather", {one.value("params"), one.value("indices")});
}

StatusOr<Answer> GatherNd(const Case& one) {
  Value indices = one.value("indices");
  // How many indices a vector has is the rank of what it picks.
  const PartialShape* shape = indices.spec().shape();
  bool one_vector = shape != nullptr && shape->has_rank() && shape->rank() == 1;
  return RunThreeWays("gather_nd", {one.value("params"), indices}, {},
                      one_vector ? Sizes::kNeeded : Sizes::kForgotten);
}

StatusOr<Answer> BooleanMask(const Case& one) {
  return RunThreeWays("boolean_mask",
                      {one.value(one.has_input("data") ? "data" : "value"), one.value("mask")});
}

StatusOr<Answer> Where(const Case& one) {
  std::vector<Value> inputs;
  for (const char* name : {"condition", "x", "y"}) {
    if (one.has_input(name)) inputs.push_back(one.value(name));
  }
  return RunThreeWays("where", std::move(inputs));
}

StatusOr<Answer> RandomShuffle(const Case& one) {
  return RunThreeWays("random_shuffle",
                      {one.value("value"), Tensor::Scalar(one.arg("seed").get<int64_t>())});
}

constexpr OpRow kOps[] = {
    {"batch_gather", BatchGather},
    {"boolean_mask", BooleanMask},
    {"gather", Gather},
    {"gather_nd", GatherNd},
    {"ragged.boolean_mask", BooleanMask},
    {"ragged.gather", Gather},
    {"ragged.gather_nd", GatherNd},
    {"ragged.where", Where},
    {"random_shuffle", RandomShuffle},
    {"where", Where},
};

}  // namespace

std::span<const OpRow> PickOps() { return kOps; }

}  // namespace signet::structured_vectors
