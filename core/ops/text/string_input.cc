#include "core/ops/text/string_input.h"

#include <algorithm>

#include "core/ops/def/inference.h"
#include "signet/ragged_spec.h"

namespace signet {

StatusOr<const TensorSpec*> StringInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, i));
  if (x->dtype() == DType::kString) return x;
  return WithConstraint(
      "C1", InvalidArgument("input ", i, ": expected dtype string, found `", call.inputs[i], "`"));
}

StatusOr<bool> CountsCharacters(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string unit, WithConstraint("C2", call.attributes.String("unit")));
  if (unit == "bytes" || unit == "utf8") return unit == "utf8";
  return WithConstraint(
      "C2", InvalidArgument("unsupported unit `", Printable(unit), "`; supported: bytes, utf8"));
}

Status CheckHashMethod(const Attributes& attributes, std::string_view label,
                       std::initializer_list<std::string_view> methods) {
  SIGNET_ASSIGN_OR_RETURN(std::string method, WithConstraint(label, attributes.String("method")));
  SIGNET_ASSIGN_OR_RETURN(auto key, WithConstraint(label, attributes.Ints("key")));
  std::string list;
  for (std::string_view known : methods) list += Cat(list.empty() ? "" : ", ", known);
  if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
    return WithConstraint(label, InvalidArgument("unsupported method `", Printable(method),
                                                 "`; supported methods: ", list));
  }
  const size_t wanted = method == "siphash" ? 2 : 0;
  if (key.size() == wanted) return absl::OkStatus();
  return WithConstraint(label,
                        InvalidArgument("key: expected ", wanted, " integers, found ", key.size()));
}

StatusOr<int> TextRank(const GraphValue& x) {
  const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
  bool text = false;
  if (shape != nullptr && shape->has_rank()) {
    const auto* tensor = x.spec.As<TensorSpec>();
    const auto* ragged = x.spec.As<RaggedSpec>();
    text = (tensor != nullptr && tensor->dtype() == DType::kString) ||
           (ragged != nullptr && ragged->dtype() == DType::kString);
  }
  if (text) return shape->rank();
  return WithConstraint(
      "C1", InvalidArgument(
                "input 0: expected a tensor or ragged value of strings, of known rank, found `",
                x.spec ? x.spec.ToString() : "None", "`"));
}

}  // namespace signet
