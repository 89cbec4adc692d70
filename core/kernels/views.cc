// Kernels that share their input's elements under another shape, and those that read shapes.

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/request.h"
#include "core/ops/inference.h"
#include "core/ops/int_list.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Output 0 is input 0 under `shape`; refuses a shape of another number of elements.
Status SetView(KernelContext& context, std::span<const int64_t> dims) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(Labelled("C3", CheckOutputSize(dims)));
  Shape shape(dims);
  if (shape.num_elements() != x.num_elements()) {
    return InvalidArgument("C3 shape `", shape, "` for ", x.num_elements(),
                           " elements; takes as many");
  }
  context.Set(0, x.Reshaped(std::move(shape)));
  return absl::OkStatus();
}

// Makes the -1 of `dims`, if any, the size that holds `count` elements.
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
      return InvalidArgument("C2 shape `", PartialShape(std::span<const int64_t>(dims)), "` for ",
                             count, " elements; takes sizes of at least 0, and -1 once");
    }
    product = *next;
  }
  if (free == nullptr) return absl::OkStatus();
  if (product == 0 || count % product != 0) {
    return InvalidArgument("C3 shape `", PartialShape(std::span<const int64_t>(dims)), "` for ",
                           count, " elements; takes as many");
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
      SIGNET_ASSIGN_OR_RETURN(dims, Labelled("C2", IntsPerDimension(context, 1)));
    }
    SIGNET_RETURN_IF_ERROR(FillFreeDim(dims, context.input(0).num_elements()));
    return SetView(context, dims);
  });
}

MadeKernel MakeExpandDims(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t given, request.call.attributes.Int("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x.rank() + 1)));
    Dims dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.insert(dims.begin() + axis, 1);
    return SetView(context, {dims.data(), dims.size()});
  });
}

MadeKernel MakeSqueeze(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(request.call.attributes, "axes"));
  return MakeKernel([axes](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    std::vector<bool> dropped(static_cast<size_t>(x.rank()), false);
    for (int axis = 0; !axes && axis < x.rank(); ++axis) {
      dropped[static_cast<size_t>(axis)] = x.shape().dim(axis) == 1;
    }
    for (size_t i = 0; axes && i < axes->size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis((*axes)[i], x.rank())));
      if (x.shape().dim(axis) != 1) {
        return InvalidArgument("C2 dimension ", axis, " of `", x.spec(), "`; takes one of size 1");
      }
      dropped[static_cast<size_t>(axis)] = true;
    }
    Dims dims;
    for (int axis = 0; axis < x.rank(); ++axis) {
      if (!dropped[static_cast<size_t>(axis)]) dims.push_back(x.shape().dim(axis));
    }
    return SetView(context, {dims.data(), dims.size()});
  });
}

MadeKernel MakeFlatten(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(int64_t first_given, request.call.attributes.Int("first"));
  SIGNET_ASSIGN_OR_RETURN(int64_t last_given, request.call.attributes.Int("last"));
  return MakeKernel([first_given, last_given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    Dims dims;
    if (x.rank() == 0) {
      dims.push_back(1);
      return SetView(context, {dims.data(), dims.size()});
    }
    SIGNET_ASSIGN_OR_RETURN(int first, Labelled("C2", NormalizeAxis(first_given, x.rank())));
    SIGNET_ASSIGN_OR_RETURN(int last, Labelled("C2", NormalizeAxis(last_given, x.rank())));
    if (first > last) return InvalidArgument("C2 first axis ", first, " behind the last, ", last);
    int64_t merged = 1;
    for (int axis = 0; axis < x.rank(); ++axis) {
      bool inside = axis >= first && axis <= last;
      if (inside) merged *= x.shape().dim(axis);
      if (!inside || axis == last) dims.push_back(inside ? merged : x.shape().dim(axis));
    }
    return SetView(context, {dims.data(), dims.size()});
  });
}

MadeKernel MakeIdentity(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) {
    context.Set(0, context.input(0));
    return absl::OkStatus();
  });
}

MadeKernel MakeDynamicShape(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto dims = context.input(0).shape().dims();
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, {static_cast<int64_t>(dims.size())}));
    std::copy(dims.begin(), dims.end(), out->mutable_elements<int64_t>());
    return absl::OkStatus();
  });
}

MadeKernel MakeDynamicSize(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto given, request.call.attributes.OptionalInt("axis"));
  return MakeKernel([given](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    int64_t size = x.num_elements();
    if (given) {
      SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(*given, x.rank())));
      size = x.shape().dim(axis);
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, Shape{}));
    *out->mutable_elements<int64_t>() = size;
    return absl::OkStatus();
  });
}

constexpr KernelDef kKernels[] = {
    {"dynamic_shape", MakeDynamicShape},
    {"dynamic_size", MakeDynamicSize},
    {"expand_dims", MakeExpandDims},
    {"flatten", MakeFlatten},
    {"identity", MakeIdentity},
    {"reshape", MakeReshape},
    {"squeeze", MakeSqueeze},
};

}  // namespace

std::span<const KernelDef> ViewKernels() { return kKernels; }

}  // namespace signet
