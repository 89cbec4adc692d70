#include "signet/ops/ragged.h"

#include "signet/literal_spec.h"
#include "signet/ops/run_op.h"

namespace signet {
namespace {

Value OrNone(const std::optional<Value>& value) {
  return value ? *value : Value::Trusted(LiteralType(Literal()), {});
}

}  // namespace

StatusOr<Value> RaggedFromDense(const Value& tensor, const FromDenseOptions& options) {
  NamedTypes attributes;
  if (options.ragged_rank) {
    attributes.emplace_back("ragged_rank", AttributeOf(*options.ragged_rank));
  }
  return RunOp1("ragged_from_dense", {tensor, OrNone(options.lengths), OrNone(options.padding)},
                Attributes(std::move(attributes)));
}

StatusOr<Value> RaggedToDense(const Value& ragged, const ToDenseOptions& options) {
  Attributes attributes;
  if (options.shape) {
    std::vector<int64_t> sizes;
    for (const auto& size : *options.shape) sizes.push_back(size.value_or(kUnknownDim));
    attributes = Attributes({{"shape", AttributeOf(std::span<const int64_t>(sizes))}});
  }
  return RunOp1("ragged_to_dense", {ragged, OrNone(options.missing)}, attributes);
}

StatusOr<Value> RaggedFromSparse(const Value& sparse) {
  return RunOp1("ragged_from_sparse", {sparse});
}

StatusOr<Value> RaggedToSparse(const Value& ragged) { return RunOp1("ragged_to_sparse", {ragged}); }

}  // namespace signet
