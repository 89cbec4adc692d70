// Kernels that make tensors of little input: range, one_hot, zeros_like, ones_like; and those that
// say where something is: where_indices, where_rows.

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/kernels/all_kernels.h"
#include "core/kernels/row_access.h"
#include "core/ops/inference.h"
#include "core/ops/range_count.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

template <class T>
using RangeNumber = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

template <class T, class Number>
Status Count(KernelContext& context, Number start, Number limit, Number step) {
  SIGNET_ASSIGN_OR_RETURN(int64_t count, Labelled("C3", RangeCount(start, limit, step)));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
  T* out = made->mutable_elements<T>();
  return context.ForInOrder(count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      out[i] = static_cast<T>(start + static_cast<Number>(i) * step);
    }
  });
}

MadeKernel MakeRange(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  bool from_attributes = request.call.inputs.empty();
  int64_t start = 0, limit = 0, step = 1;
  if (from_attributes) {
    SIGNET_ASSIGN_OR_RETURN(start, attributes.Int("start"));
    SIGNET_ASSIGN_OR_RETURN(limit, attributes.Int("limit"));
    SIGNET_ASSIGN_OR_RETURN(step, attributes.Int("step"));
  }
  return MakeKernel([=](KernelContext& context) {
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t> ||
                    std::is_same_v<T, float> || std::is_same_v<T, double>) {
        if (from_attributes) {
          SIGNET_ASSIGN_OR_RETURN(int64_t count, Labelled("C3", RangeCount(start, limit, step)));
          SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
          T* out = made->template mutable_elements<T>();
          return context.ForInOrder(count, 1, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(start + i * step);
          });
        }
        using Number = RangeNumber<T>;
        size_t n = context.num_inputs();
        for (size_t i = 0; i < n; ++i) {
          if (context.input(i).num_elements() == 1) continue;
          return InvalidArgument("C2 input ", i, " is `", context.input(i).spec(),
                                 "`; takes a scalar");
        }
        auto bound = [&](size_t i) { return static_cast<Number>(context.input(i).scalar<T>()); };
        return Count<T, Number>(context, n > 1 ? bound(0) : Number(0), bound(n > 1 ? 1 : 0),
                                n > 2 ? bound(2) : Number(1));
      } else {
        return Internal("a range that inference lets through");
      }
    });
  });
}

template <class T>
T FromDouble(double value) {
  if constexpr (std::is_same_v<T, Float16>) {
    return ToFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return ToBFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    // Beyond the dtype: its nearest end, and 0 for NaN.
    if (!(value > static_cast<double>(std::numeric_limits<T>::lowest()))) {
      return value != value ? T(0) : std::numeric_limits<T>::lowest();
    }
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
      return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(value);
  } else {
    return T(static_cast<typename T::value_type>(value));
  }
}

MadeKernel MakeOneHot(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(int64_t depth, attributes.Int("depth"));
  SIGNET_ASSIGN_OR_RETURN(int64_t given, attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(double on, attributes.Float("on"));
  SIGNET_ASSIGN_OR_RETURN(double off, attributes.Float("off"));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, attributes.DTypeNamed("dtype"));
  return MakeKernel([=](KernelContext& context) -> Status {
    const Tensor& indices = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C3", NormalizeAxis(given, indices.rank() + 1)));
    Dims dims(indices.shape().dims().begin(), indices.shape().dims().end());
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis); i < dims.size(); ++i) inner *= dims[i];
    dims.insert(dims.begin() + axis, depth);
    Shape shape{std::span<const int64_t>(dims.data(), dims.size())};
    SIGNET_RETURN_IF_ERROR(Labelled("C4", CheckOutputSize(shape.dims())));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
    return VisitDType(dtype, [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view> || std::is_same_v<T, std::complex<float>> ||
                    std::is_same_v<T, std::complex<double>>) {
        return Internal("a one_hot that inference lets through");
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

MadeKernel MakeZerosLike(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, context.input(0).shape()));
    return FillElements(context, out->data().mutable_data(),
                        static_cast<int64_t>(out->data().size()), std::byte{0});
  });
}

MadeKernel MakeOnesLike(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, context.input(0).shape()));
    return VisitDType(made->dtype(), [&](auto tag) -> Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, std::string_view>) {
        return Internal("a ones_like that inference lets through");
      } else {
        return FillElements(context, made->template mutable_elements<T>(), made->num_elements(),
                            FromDouble<T>(1));
      }
    });
  });
}

// Returns how many entries of `mask` are true.
StatusOr<int64_t> CountTrue(KernelContext& context, std::span<const bool> mask) {
  int64_t count = 0;
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(std::ssize(mask), 0.2, [&](int64_t begin, int64_t end) {
    count += std::count(mask.begin() + begin, mask.begin() + end, true);
  }));
  return count;
}

MadeKernel MakeWhereIndices(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    auto all = x.elements<bool>();
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountTrue(context, all));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count, x.rank()}));
    auto* out = made->mutable_elements<int64_t>();
    Dims index(static_cast<size_t>(x.rank()), 0);
    StopPoll poll(context);
    for (bool holds : all) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(4));
      if (holds) out = std::copy(index.begin(), index.end(), out);
      for (size_t axis = index.size(); axis-- > 0;) {
        if (++index[axis] < x.shape().dim(static_cast<int>(axis))) break;
        index[axis] = 0;
      }
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeWhereRows(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    auto mask = context.input(0).elements<bool>();
    SIGNET_ASSIGN_OR_RETURN(int64_t rows, SizeInput(context, 1));
    if (static_cast<int64_t>(mask.size()) != rows) {
      return InvalidArgument("C2 mask of ", mask.size(), " entries; there are ", rows, " rows");
    }
    SIGNET_ASSIGN_OR_RETURN(int64_t count, CountTrue(context, mask));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, {count}));
    auto* out = made->mutable_elements<int64_t>();
    return context.ForInOrder(rows, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if (mask[static_cast<size_t>(i)]) *out++ = i;
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"one_hot", MakeOneHot},       {"ones_like", MakeOnesLike},
    {"range", MakeRange},          {"where_indices", MakeWhereIndices},
    {"where_rows", MakeWhereRows}, {"zeros_like", MakeZerosLike},
};

}  // namespace

std::span<const KernelDef> CountingKernels() { return kKernels; }

}  // namespace signet
