#include "core/graph/lower/known_elements.h"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "core/graph/flat/run_kernel.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int64_t kMaxElements = 64;

// Which inputs an op copies elements from. All other inputs must be known.
enum class Copies : uint8_t { kFirst, kAllButFirst, kAll };

std::optional<Copies> CopiesOf(const OpDef& op) {
  static const auto* const ops = new absl::flat_hash_map<std::string_view, Copies>{
      {"broadcast_to", Copies::kFirst}, {"cast", Copies::kFirst},    {"concat", Copies::kAll},
      {"expand_dims", Copies::kFirst},  {"flatten", Copies::kFirst}, {"gather", Copies::kFirst},
      {"identity", Copies::kFirst},     {"reshape", Copies::kFirst}, {"reverse", Copies::kFirst},
      {"select", Copies::kAllButFirst}, {"slice", Copies::kFirst},   {"split", Copies::kFirst},
      {"squeeze", Copies::kFirst},      {"stack", Copies::kAll},     {"transpose", Copies::kFirst},
      {"unstack", Copies::kFirst},
  };
  auto found = ops->find(op.name);
  return found == ops->end() ? std::nullopt : std::optional(found->second);
}

// Returns the number of elements of a small tensor of integers, or -1 for other types.
int64_t SmallSize(const TypeSpec& spec) {
  const auto* tensor = spec ? spec.As<TensorSpec>() : nullptr;
  if (tensor == nullptr) return -1;
  const DType dtype = tensor->dtype();
  if (dtype != DType::kInt32 && dtype != DType::kInt64 && dtype != DType::kBool) return -1;
  const int64_t size = tensor->shape().num_elements().value_or(-1);
  return size <= kMaxElements ? size : -1;
}

// Returns a tensor of the small type `spec` whose elements are all `number`.
Tensor Filled(const TypeSpec& spec, int64_t number) {
  const auto& tensor = *spec.As<TensorSpec>();
  const auto size = static_cast<size_t>(*tensor.shape().num_elements());
  return VisitDType(tensor.dtype(), [&](auto tag) -> Tensor {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      auto made = Tensor::Allocate(tensor.dtype(), Shape(tensor.shape().dims()));
      SIGNET_CHECK(made.ok());
      std::fill_n(made->template mutable_elements<T>(), size, static_cast<T>(number));
      return *std::move(made);
    } else {
      __builtin_unreachable();  // SmallSize accepts integers only
    }
  });
}

// Returns the sizes that the type of the input states.
std::optional<std::vector<KnownElements>> KnownSizes(const OpCall& call) {
  const PartialShape& shape = *call.inputs[0].shape();
  if (!shape.has_rank() || shape.rank() > kMaxElements) return std::nullopt;
  std::vector<int64_t> values, is_known;
  for (int64_t dim : shape.dims()) {
    values.push_back(dim == kUnknownDim ? 1 : dim);
    is_known.push_back(dim == kUnknownDim ? 0 : 1);
  }
  if (std::count(is_known.begin(), is_known.end(), 1) == 0) return std::nullopt;
  return std::vector<KnownElements>{
      {Tensor::Of<int64_t>({shape.rank()}, values), Tensor::Of<int64_t>({shape.rank()}, is_known)}};
}

}  // namespace

bool KnownElements::IsComplete() const {
  return VisitDType(is_known.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      auto elements = is_known.elements<T>();
      return std::all_of(elements.begin(), elements.end(), [](T known) { return known != T{0}; });
    } else {
      return false;
    }
  });
}

std::optional<std::vector<KnownElements>> DeriveKnownElements(
    const OpCall& call, std::span<const TypeSpec> outputs,
    std::span<const KnownElements* const> inputs) {
  if (call.op.name == "dynamic_shape") return KnownSizes(call);
  const std::optional<Copies> copies = CopiesOf(call.op);
  if (!copies) return std::nullopt;
  for (const TypeSpec& type : outputs) {
    if (SmallSize(type) < 0) return std::nullopt;
  }
  std::vector<Tensor> values(inputs.size());
  std::vector<Tensor> is_known(inputs.size());
  bool knows_some = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!call.inputs[i]) continue;
    const bool is_copied = *copies == Copies::kAll || (i == 0) == (*copies == Copies::kFirst);
    if (!is_copied) {
      if (call.constant(i) == nullptr) return std::nullopt;
      values[i] = is_known[i] = *call.constant(i);
      continue;
    }
    if (SmallSize(call.inputs[i]) < 0) return std::nullopt;
    if (const Tensor* constant = call.constant(i)) {
      knows_some = true;
      values[i] = *constant;
      is_known[i] = Filled(call.inputs[i], 1);
    } else if (const KnownElements* elements = inputs[i]) {
      knows_some = true;
      values[i] = elements->values;
      is_known[i] = elements->is_known;
    } else {
      values[i] = Filled(call.inputs[i], 1);
      is_known[i] = Filled(call.inputs[i], 0);
    }
  }
  if (!knows_some) return std::nullopt;
  auto run = [&](std::span<const Tensor> tensors) {
    std::vector<const Tensor*> pointers;
    for (const Tensor& tensor : tensors) {
      pointers.push_back(tensor.has_value() ? &tensor : nullptr);
    }
    return RunKernelOnce({call.op, call.inputs, call.attributes, pointers}, outputs);
  };
  auto made = run(values);
  auto known = run(is_known);
  // An error is reported when the call runs.
  if (!made.ok() || !known.ok()) return std::nullopt;
  std::vector<KnownElements> out;
  for (size_t i = 0; i < made->size(); ++i) out.push_back({(*made)[i], (*known)[i]});
  return out;
}

}  // namespace signet
