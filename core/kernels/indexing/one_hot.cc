// The kernel of `one_hot`.

#include <type_traits>

#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/from_double.h"
#include "core/kernels/loops/row_access.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

MadeKernel MakeOneHot(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t depth, attributes.Int("depth"));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(double on, attributes.Float("on"));
  SIGNET_ASSIGN_OR_RETURN(double off, attributes.Float("off"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, attributes.DTypeNamed("dtype"));
  return MakeKernel([=](KernelContext& context) -> Status {
    const Tensor& indices = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int axis,
                            WithConstraint("C3", NormalizeAxis(given, indices.rank() + 1)));
    Dims dims(indices.shape().dims().begin(), indices.shape().dims().end());
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis); i < dims.size(); ++i) inner *= dims[i];
    dims.insert(dims.begin() + axis, depth);
    Shape shape{std::span<const int64_t>(dims.data(), dims.size())};
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        return Internal("inference accepted a dtype that `one_hot` does not support");
      } else {
        T* out = made->template mutable_elements<T>();
        SIGNET_RETURN_IF_ERROR(
            FillElements(context, out, made->num_elements(), FromDouble<T>(off)));
        return context.ForInOrder(indices.num_elements(), 4, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            int64_t index = IntAt(indices, i);
            if (index < 0 || index >= depth) continue;
            out[(i / inner * depth + index) * inner + i % inner] = FromDouble<T>(on);
          }
        });
      }
    });
  });
}

constexpr KernelDef kOneHotKernels[] = {{"one_hot", MakeOneHot}};

}  // namespace

std::span<const KernelDef> OneHotKernels() { return kOneHotKernels; }

}  // namespace signet
