// dtype_of, is_a: return properties of types, which are known when a function is specialized.

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

std::vector<GraphValue> OneLiteral(TypeSpec literal) {
  return {GraphValue{std::move(literal), {}}};
}

StatusOr<std::vector<GraphValue>> ExpandDTypeOf(OpBuilder&, const OpCall& call,
                                                std::span<const GraphValue>) {
  const TypeSpec& x = call.inputs[0];
  if (const auto* spec = x ? x.As<TensorSpec>() : nullptr) {
    return OneLiteral(AttributeOf(spec->dtype()));
  }
  if (const auto* spec = x ? x.As<RaggedSpec>() : nullptr) {
    return OneLiteral(AttributeOf(spec->dtype()));
  }
  if (const auto* spec = x ? x.As<SparseSpec>() : nullptr) {
    return OneLiteral(AttributeOf(spec->dtype()));
  }
  // C1: the input is a tensor, a ragged value, or a sparse value.
  return WithConstraint(
      "C1",
      InvalidArgument("input 0: expected a tensor, a ragged value, or a sparse value, found `",
                      x ? x.ToString() : "None", "`"));
}

StatusOr<std::vector<GraphValue>> ExpandIsA(OpBuilder& build, const OpCall& call,
                                            std::span<const GraphValue>) {
  // C1: `type` is the name of an extension type.
  SIGNET_ASSIGN_OR_RETURN(std::string type, WithConstraint("C1", call.attributes.String("type")));
  const TypeSpec& x = call.inputs[0];
  const auto* extension = x ? x.As<ExtensionSpec>() : nullptr;
  return OneLiteral(
      AttributeOf(extension != nullptr && build.InheritsFrom(extension->name(), type)));
}

}  // namespace

std::vector<OpDef> TypeQuestionOps() {
  return {
      {.name = "dtype_of",
       .summary = "Returns the name of a dtype",
       .description =
           "Returns the name of the dtype of x as a literal string. Attributes can be set from it.",
       .inputs = {"x"},
       .result = "A literal string.",
       .constraints = {"The input is a tensor, a ragged value, or a sparse value."},
       .composites = "The input is a tensor, a ragged value, or a sparse value.",
       .expand = ExpandDTypeOf,
       .any_type = true},
      {.name = "is_a",
       .summary = "Checks whether a value has an extension type",
       .description = "Returns True if x is a value of the extension type `type`, or of a type "
                      "that has `type` among its parents. Use it as the condition of `cond`.",
       .inputs = {"x"},
       .attributes = {{"type"}},
       .result = "A literal bool.",
       .constraints = {"`type` is a name."},
       .composites = "The input is a value of any type.",
       .expand = ExpandIsA,
       .literals_as_tensors = false,
       .any_type = true},
  };
}

}  // namespace signet
