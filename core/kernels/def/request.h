// KernelRequest: questions about a request that many kernel factories ask.

#pragma once

#include <vector>

#include "core/kernels/def/kernel.h"
#include "core/ops/def/inference.h"
#include "signet/tensor_spec.h"

namespace signet {

inline const PartialShape& ShapeOf(const TypeSpec& spec) { return *spec.shape(); }
inline DType DTypeIn(const TypeSpec& spec) { return spec.As<TensorSpec>()->dtype(); }

// Returns run(double{}) for float64 and run(float{}) for all other dtypes.
template <class Run>
Status VisitFloatOrDouble(DType dtype, Run run) {
  return dtype == DType::kFloat64 ? run(double{}) : run(float{});
}

// Returns the number of elements of a value of `shape`. Each unknown size, and an unknown rank,
// counts as 64.
inline double GuessElements(const PartialShape& shape) {
  if (!shape.has_rank()) return 64;
  double elements = 1;
  for (int64_t dim : shape.dims()) elements *= dim == kUnknownDim ? 64 : static_cast<double>(dim);
  return elements;
}
inline double GuessElements(const TypeSpec& spec) { return GuessElements(ShapeOf(spec)); }

// Returns the integers of input `i`, which has at most one per dimension of a tensor.
inline StatusOr<std::vector<int64_t>> IntsPerDimension(const KernelContext& context, size_t i) {
  const Tensor& given = context.input(i);
  if (given.num_elements() <= kMaxOutputRank) return IntsOf(given);
  return InvalidArgument("input ", i, ": expected at most ", kMaxOutputRank,
                         " elements, one per dimension, found ", given.num_elements());
}

// Returns the factory `make` for a kernel that only moves elements to its outputs.
template <KernelFactory make>
StatusOr<std::unique_ptr<Kernel>> Moving(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto kernel, make(request));
  double elements = 0;
  for (const TypeSpec& output : request.outputs) elements += GuessElements(output);
  kernel->set_cost(100 + 0.3 * elements);
  return kernel;
}

}  // namespace signet
