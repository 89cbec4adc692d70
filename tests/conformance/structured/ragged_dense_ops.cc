// Ragged values to and from tensors, and to and from sparse ones.

#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

// A literal, or a list of such.
Value Plain(const Json& json) { return Value::Trusted(ToAttribute(json), {}); }

StatusOr<Answer> ToTensor(const Case& one) {
  return RunThreeWays("ragged_to_dense", {one.value("value"), Plain(one.arg("default_value"))},
                      Attributes({{"shape", one.attribute("shape")}}));
}

StatusOr<Answer> FromTensor(const Case& one) {
  return RunThreeWays("ragged_from_dense",
                      {one.value("value"), Plain(one.arg("lengths")), Plain(one.arg("padding"))},
                      Attributes({{"ragged_rank", one.attribute("ragged_rank")}}));
}

StatusOr<Answer> ToSparse(const Case& one) {
  return RunThreeWays("ragged_to_sparse", {one.value("value")});
}

StatusOr<Answer> FromSparse(const Case& one) {
  return RunThreeWays("ragged_from_sparse", {one.value("value")});
}

constexpr OpRow kOps[] = {
    {"ragged.from_sparse", FromSparse},
    {"ragged.from_tensor", FromTensor},
    {"ragged.to_sparse", ToSparse},
    {"ragged.to_tensor", ToTensor},
};

}  // namespace

std::span<const OpRow> RaggedDenseOps() { return kOps; }

}  // namespace signet::structured_vectors
