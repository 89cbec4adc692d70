// The kernel of `reshape`.

#include "core/base/checked_math.h"
#include "core/kernels/def/request.h"
#include "core/kernels/shape/set_view.h"
#include "core/kernels/shape/shape_kernels.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Replaces the -1 in `dims`, if any, by the size that results in `count` elements.
Status FillFreeDim(std::vector<int64_t>& dims, int64_t count) {
  int64_t* free = nullptr;
  int64_t product = 1;
  for (int64_t& dim : dims) {
    if (dim == -1 && free == nullptr) {
      free = &dim;
      continue;
    }
    auto next = dim < 0 ? std::nullopt : CheckedMultiply(product, dim);
    if (!next) {
      return WithConstraint(
          "C2",
          InvalidArgument("expected a shape with sizes of at least 0, and -1 once, for ", count,
                          " elements, found `", PartialShape(std::span<const int64_t>(dims)), "`"));
    }
    product = *next;
  }
  if (free == nullptr) return absl::OkStatus();
  if (product == 0 || count % product != 0) {
    return WithConstraint("C3",
                          InvalidArgument("expected a shape with ", count, " elements, found `",
                                          PartialShape(std::span<const int64_t>(dims)), "`"));
  }
  *free = count / product;
  return absl::OkStatus();
}

MadeKernel MakeReshape(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(IntList list, FindIntList(request.call, "shape", 1));
  const PartialShape& inferred = *request.outputs[0].shape();
  if (list.known && inferred.num_elements()) {
    return MakeKernel([shape = inferred.ToShape()](KernelContext& context) -> Status {
      return SetView(context, shape.dims());
    });
  }
  return MakeKernel([known = list.known](KernelContext& context) -> Status {
    std::vector<int64_t> dims;
    if (known) {
      dims = *known;
    } else {
      SIGNET_ASSIGN_OR_RETURN(dims, WithConstraint("C2", IntsPerDimension(context, 1)));
    }
    SIGNET_RETURN_IF_ERROR(FillFreeDim(dims, context.input(0).num_elements()));
    return SetView(context, dims);
  });
}

constexpr KernelDef kReshapeKernels[] = {{"reshape", MakeReshape}};

}  // namespace

std::span<const KernelDef> ReshapeKernels() { return kReshapeKernels; }

}  // namespace signet
