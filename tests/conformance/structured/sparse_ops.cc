// Sparse operations, and ragged values to and from sparse ones.

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Validate(const Case& one) {
  SIGNET_RETURN_IF_ERROR(MakeTypedValue(one.inputs().at("value")).status());
  Answer answer;
  answer.data["value"] = true;
  return answer;
}

StatusOr<Answer> ComponentsOfValue(const Case& one) {
  Answer answer{.ways = {{}}};
  Value value = one.value("value");
  for (const Tensor& component : value.components()) {
    answer.ways[0].emplace_back(component);
  }
  return answer;
}

constexpr OpRow kOps[] = {
    {"sparse.components", ComponentsOfValue},
    {"sparse.validate", Validate},
};

}  // namespace

std::span<const OpRow> SparseOps() { return kOps; }

}  // namespace signet::structured_vectors
