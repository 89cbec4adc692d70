#include "core/serving/batching/row_layout.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/types/child_path.h"
#include "core/values/row_algebra.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// A smaller part of a result is copied, so that a slow client does not hold the memory of a batch.
constexpr size_t kSmallPartBytes = size_t{4} << 10;

Status WithoutRows(const std::string& path, const TypeSpec& type) {
  std::string where = path.empty() ? "" : Cat("`", path, "`: ");
  return InvalidArgument(where, "expected a type with rows, found `", type,
                         "`; its first dimension must be the rows");
}

Status DifferentSizes() {
  return InvalidArgument("the values differ in more than their number of rows");
}

// Returns the number of elements per row.
int64_t ElementsPerRow(const Shape& shape) {
  int64_t elements = 1;
  for (int64_t size : shape.dims().subspan(1)) elements *= size;
  return elements;
}

Shape WithRows(Shape shape, int64_t rows) {
  shape.set_dim(0, rows);
  return shape;
}

StatusOr<Tensor> JoinStrings(std::span<const Tensor* const> tensors, Shape shape) {
  size_t bytes = 0;
  for (const Tensor* tensor : tensors) {
    bytes += static_cast<size_t>(tensor->offsets().back() - tensor->offsets().front());
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(DType::kString, shape));
  SIGNET_ASSIGN_OR_RETURN(Buffer text, Buffer::Allocate(bytes));
  auto* out = reinterpret_cast<int64_t*>(joined.data().mutable_data());
  int64_t end = 0;
  *out++ = 0;
  for (const Tensor* tensor : tensors) {
    std::span<const int64_t> offsets = tensor->offsets();
    const int64_t first = offsets.front();
    const auto size = static_cast<size_t>(offsets.back() - first);
    if (size > 0) std::memcpy(text.mutable_data() + end, tensor->bytes().data() + first, size);
    for (int64_t offset : offsets.subspan(1)) *out++ = offset - first + end;
    end += static_cast<int64_t>(size);
  }
  return Tensor::Trusted(DType::kString, std::move(shape), joined.data(), std::move(text));
}

StatusOr<Tensor> JoinData(std::span<const Tensor* const> tensors) {
  const Tensor& first = *tensors[0];
  int64_t rows = 0;
  for (const Tensor* tensor : tensors) {
    std::span<const int64_t> dims = tensor->shape().dims();
    const bool fits = tensor->dtype() == first.dtype() && !dims.empty() &&
                      std::equal(dims.begin() + 1, dims.end(), first.shape().dims().begin() + 1,
                                 first.shape().dims().end());
    if (!fits) return DifferentSizes();
    rows += dims[0];
  }
  Shape shape = WithRows(first.shape(), rows);
  if (first.dtype() == DType::kString) return JoinStrings(tensors, std::move(shape));
  SIGNET_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(first.dtype(), std::move(shape)));
  std::byte* out = joined.data().mutable_data();
  for (const Tensor* tensor : tensors) {
    const size_t size = tensor->num_bytes();
    if (size > 0) std::memcpy(out, tensor->data().data(), size);
    out += size;
  }
  return joined;
}

template <class T>
StatusOr<Tensor> JoinSplitsOf(std::span<const Tensor* const> tensors) {
  int64_t entries = 1;
  for (const Tensor* tensor : tensors) entries += tensor->num_elements() - 1;
  SIGNET_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(DTypeOf<T>::value, {entries}));
  T* out = joined.mutable_elements<T>();
  int64_t base = 0;
  *out++ = 0;
  for (const Tensor* tensor : tensors) {
    std::span<const T> splits = tensor->elements<T>();
    if (base + static_cast<int64_t>(splits.back()) > std::numeric_limits<T>::max()) {
      return OutOfRange("the rows of the batch exceed int32 row splits");
    }
    for (T split : splits.subspan(1)) *out++ = static_cast<T>(split + base);
    base += static_cast<int64_t>(splits.back());
  }
  return joined;
}

StatusOr<Tensor> JoinSplits(std::span<const Tensor* const> tensors) {
  const DType dtype = tensors[0]->dtype();
  for (const Tensor* tensor : tensors) {
    if (tensor->dtype() != dtype) return DifferentSizes();
  }
  return dtype == DType::kInt32 ? JoinSplitsOf<int32_t>(tensors) : JoinSplitsOf<int64_t>(tensors);
}

// Adds `first` to the first index of each entry of `indices`, an int64 matrix.
void ShiftIndices(int64_t* indices, int64_t entries, int64_t rank, int64_t first) {
  for (int64_t i = 0; i < entries; ++i) indices[i * rank] += first;
}

// Returns rows [begin, end) of `tensor`.
StatusOr<Tensor> RowsOf(const Tensor& tensor, int64_t begin, int64_t end) {
  const int64_t per_row = ElementsPerRow(tensor.shape());
  const auto from = static_cast<size_t>(begin * per_row);
  const auto count = static_cast<size_t>((end - begin) * per_row);
  Shape shape = WithRows(tensor.shape(), end - begin);
  if (tensor.dtype() == DType::kString) {
    std::span<const int64_t> offsets = tensor.offsets().subspan(from, count + 1);
    SIGNET_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(DType::kString, shape));
    auto* out = reinterpret_cast<int64_t*>(part.data().mutable_data());
    for (int64_t offset : offsets) *out++ = offset - offsets.front();
    const auto size = static_cast<size_t>(offsets.back() - offsets.front());
    Buffer text = tensor.bytes().Slice(static_cast<size_t>(offsets.front()), size);
    if (size <= kSmallPartBytes) text = Buffer::Copy(text.bytes());
    return Tensor::Trusted(DType::kString, std::move(shape), part.data(), std::move(text));
  }
  const size_t element = SizeOf(tensor.dtype());
  Buffer data = tensor.data().Slice(from * element, count * element);
  if (data.size() <= kSmallPartBytes || !tensor.data().is_owned()) {
    SIGNET_ASSIGN_OR_RETURN(Buffer own, Buffer::Allocate(data.size()));
    if (!data.empty()) std::memcpy(own.mutable_data(), data.data(), data.size());
    data = std::move(own);
  }
  return Tensor::Trusted(tensor.dtype(), std::move(shape), std::move(data));
}

template <class T>
StatusOr<Tensor> SplitsOf(const Tensor& tensor, int64_t begin, int64_t end) {
  SIGNET_ASSIGN_OR_RETURN(Tensor part, Tensor::Allocate(DTypeOf<T>::value, {end - begin + 1}));
  const T* splits = tensor.elements<T>().data() + begin;
  T* out = part.mutable_elements<T>();
  for (int64_t i = 0; i <= end - begin; ++i) out[i] = splits[i] - splits[0];
  return part;
}

// Returns the number of entries of `indices`, which are sorted, in rows before `row`.
int64_t EntriesBefore(const Tensor& indices, int64_t row) {
  const int64_t rank = indices.shape().dim(1);
  const int64_t* rows = indices.elements<int64_t>().data();
  int64_t first = 0;
  int64_t last = indices.shape().dim(0);
  while (first < last) {
    const int64_t middle = first + (last - first) / 2;
    if (rows[middle * rank] < row) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  return first;
}

StatusOr<TypeSpec> OpenChildren(const TypeSpec& type, PartialShape shape) {
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : type.children()) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec open, RowLayout::WithOpenRows(child));
    children.push_back(std::move(open));
  }
  return type.rep().Rebuild(std::move(shape), std::move(children));
}

}  // namespace

StatusOr<RowLayout> RowLayout::Make(const TypeSpec& type, const ExtensionTypes* types) {
  RowLayout layout;
  SIGNET_RETURN_IF_ERROR(layout.Add(type, "", {0}, /*is_field=*/false, types));
  if (!layout.has_rows()) return WithoutRows("", type);
  return layout;
}

StatusOr<TypeSpec> RowLayout::WithOpenRows(const TypeSpec& type) {
  const PartialShape* shape = type.shape();
  if (shape == nullptr) return type.is(TypeKind::kLiteral) ? type : OpenChildren(type, {});
  if (!shape->has_rank() || shape->rank() == 0) return WithoutRows("", type);
  return OpenChildren(type, shape->WithDim(0, kUnknownDim));
}

void RowLayout::AddSplits(int first, int last, std::vector<int>& levels) {
  for (int i = first; i < last; ++i) {
    const int next = num_levels_++;
    parts_.push_back({Kind::kSplits, levels[static_cast<size_t>(i)], next});
    levels.push_back(next);
  }
}

// `levels` are the levels of the dimensions that the value shares with the structure that contains
// it.
Status RowLayout::Add(const TypeSpec& type, const std::string& path, std::vector<int> levels,
                      bool is_field, const ExtensionTypes* types) {
  const PartialShape* shape = type.shape();
  if (shape != nullptr && shape->has_rank() && shape->rank() == 0) return WithoutRows(path, type);
  const int shared = static_cast<int>(levels.size());
  switch (type.kind()) {
    case TypeKind::kTensor:
      parts_.push_back({Kind::kData});
      return absl::OkStatus();
    case TypeKind::kRagged: {
      const int ragged_rank = type.As<RaggedSpec>()->ragged_rank();
      const size_t values = parts_.size();
      parts_.push_back({Kind::kData});
      AddSplits(shared - 1, ragged_rank, levels);
      parts_[values].level = levels[static_cast<size_t>(ragged_rank)];
      return absl::OkStatus();
    }
    case TypeKind::kSparse: {
      const int entries = num_levels_++;
      parts_.push_back({Kind::kIndices, 0, entries});
      parts_.push_back({Kind::kData, entries});
      parts_.push_back({Kind::kSizes});
      return absl::OkStatus();
    }
    case TypeKind::kStructured: {
      const auto& structured = *type.As<StructuredSpec>();
      if (!is_field) parts_.push_back({Kind::kCount});
      AddSplits(shared - 1, structured.rank() - 1, levels);
      for (size_t i = 0; i < type.children().size(); ++i) {
        SIGNET_RETURN_IF_ERROR(
            Add(type.children()[i], ChildPath(path, type, i), levels, /*is_field=*/true, types));
      }
      return absl::OkStatus();
    }
    case TypeKind::kLiteral:
      return absl::OkStatus();
    case TypeKind::kExtension: {
      const std::string& name = type.As<ExtensionSpec>()->name();
      const ExtensionProtocol* known = types == nullptr ? nullptr : types->Lookup(name);
      if (known != nullptr && !known->declaration().batches) {
        return InvalidArgument("values of `", name,
                               "` cannot be batched, according to the declaration of the type");
      }
      [[fallthrough]];
    }
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      for (size_t i = 0; i < type.children().size(); ++i) {
        SIGNET_RETURN_IF_ERROR(
            Add(type.children()[i], ChildPath(path, type, i), {0}, /*is_field=*/false, types));
      }
      return absl::OkStatus();
    case TypeKind::kAny:
      return WithoutRows(path, type);
  }
  __builtin_unreachable();
}

std::optional<int64_t> RowLayout::CountRows(Parts value, const std::vector<bool>& needs) const {
  if (value.size() != parts_.size()) return std::nullopt;
  std::optional<int64_t> rows;
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    const Tensor& tensor = value[i];
    if (part.level != 0 || (!needs.empty() && !needs[i])) continue;
    int64_t count = 0;
    switch (part.kind) {
      case Kind::kCount:
        count = tensor.scalar<int64_t>();
        break;
      case Kind::kData:
        if (tensor.shape().rank() == 0) return std::nullopt;
        count = tensor.shape().dim(0);
        break;
      case Kind::kSplits:
        count = tensor.num_elements() - 1;
        break;
      case Kind::kIndices:
        continue;
      case Kind::kSizes:
        if (tensor.num_elements() == 0) return std::nullopt;
        count = tensor.elements<int64_t>()[0];
        break;
    }
    if (rows && *rows != count) return std::nullopt;
    rows = count;
  }
  return rows;
}

StatusOr<Components> RowLayout::Join(std::span<const Parts> values,
                                     const std::vector<bool>& needs) const {
  Components joined;
  absl::InlinedVector<const Tensor*, 64> tensors(values.size());
  for (size_t i = 0; i < parts_.size(); ++i) {
    if (!needs.empty() && !needs[i]) {
      joined.push_back(values[0][i]);
      continue;
    }
    for (size_t k = 0; k < values.size(); ++k) tensors[k] = &values[k][i];
    const std::span<const Tensor* const> all(tensors.data(), tensors.size());
    switch (parts_[i].kind) {
      case Kind::kCount: {
        int64_t rows = 0;
        for (const Tensor* tensor : all) rows += tensor->scalar<int64_t>();
        joined.push_back(Tensor::Scalar(rows));
        break;
      }
      case Kind::kData: {
        SIGNET_ASSIGN_OR_RETURN(Tensor data, JoinData(all));
        joined.push_back(std::move(data));
        break;
      }
      case Kind::kSplits: {
        SIGNET_ASSIGN_OR_RETURN(Tensor splits, JoinSplits(all));
        joined.push_back(std::move(splits));
        break;
      }
      case Kind::kIndices: {
        if (!needs.empty() && !needs[i + 2]) return DifferentSizes();
        SIGNET_ASSIGN_OR_RETURN(Tensor indices, JoinData(all));
        int64_t* out = indices.mutable_elements<int64_t>();
        const int64_t rank = indices.shape().dim(1);
        int64_t first = 0;
        for (size_t k = 0; k < values.size(); ++k) {
          const int64_t entries = all[k]->shape().dim(0);
          ShiftIndices(out, entries, rank, first);
          out += entries * rank;
          first += values[k][i + 2].elements<int64_t>()[0];  // its dense shape
        }
        joined.push_back(std::move(indices));
        break;
      }
      case Kind::kSizes: {
        std::vector<int64_t> sizes(all[0]->elements<int64_t>().begin(),
                                   all[0]->elements<int64_t>().end());
        for (const Tensor* tensor : all.subspan(1)) {
          std::span<const int64_t> other = tensor->elements<int64_t>();
          if (!std::equal(other.begin() + 1, other.end(), sizes.begin() + 1, sizes.end())) {
            return DifferentSizes();
          }
          sizes[0] += other[0];
        }
        joined.push_back(Tensor::Of<int64_t>(all[0]->shape(), sizes));
        break;
      }
    }
  }
  return joined;
}

StatusOr<std::vector<Components>> RowLayout::Split(Parts value,
                                                   std::span<const int64_t> rows) const {
  // For each level, the first row of each value, and the number of rows at the end.
  std::vector<std::vector<int64_t>> bounds(static_cast<size_t>(num_levels_));
  bounds[0].push_back(0);
  for (int64_t count : rows) bounds[0].push_back(bounds[0].back() + count);
  for (size_t i = 0; i < parts_.size(); ++i) {
    const Part& part = parts_[i];
    std::vector<int64_t>& next = bounds[static_cast<size_t>(part.next)];
    for (int64_t row : bounds[static_cast<size_t>(part.level)]) {
      if (part.kind == Kind::kSplits) {
        next.push_back(VisitInts(value[i], [row](auto splits) {
          return static_cast<int64_t>(splits[static_cast<size_t>(row)]);
        }));
      } else if (part.kind == Kind::kIndices) {
        next.push_back(EntriesBefore(value[i], row));
      } else {
        break;
      }
    }
  }
  std::vector<Components> out(rows.size());
  for (size_t k = 0; k < rows.size(); ++k) {
    out[k].reserve(parts_.size());
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const Tensor& tensor = value[i];
      const int64_t begin = bounds[static_cast<size_t>(part.level)][k];
      const int64_t end = bounds[static_cast<size_t>(part.level)][k + 1];
      switch (part.kind) {
        case Kind::kCount:
          out[k].push_back(Tensor::Scalar(rows[k]));
          break;
        case Kind::kData: {
          SIGNET_ASSIGN_OR_RETURN(Tensor data, RowsOf(tensor, begin, end));
          out[k].push_back(std::move(data));
          break;
        }
        case Kind::kSplits: {
          auto splits = tensor.dtype() == DType::kInt32 ? SplitsOf<int32_t>(tensor, begin, end)
                                                        : SplitsOf<int64_t>(tensor, begin, end);
          SIGNET_RETURN_IF_ERROR(splits.status());
          out[k].push_back(*std::move(splits));
          break;
        }
        case Kind::kIndices: {
          const std::vector<int64_t>& entries = bounds[static_cast<size_t>(part.next)];
          const int64_t rank = tensor.shape().dim(1);
          const int64_t count = entries[k + 1] - entries[k];
          const int64_t* from = tensor.elements<int64_t>().data() + entries[k] * rank;
          Tensor indices = Tensor::Of<int64_t>({count, rank},
                                               std::span(from, static_cast<size_t>(count * rank)));
          ShiftIndices(indices.mutable_elements<int64_t>(), count, rank, -begin);
          out[k].push_back(std::move(indices));
          break;
        }
        case Kind::kSizes: {
          std::vector<int64_t> sizes(tensor.elements<int64_t>().begin(),
                                     tensor.elements<int64_t>().end());
          sizes[0] = rows[k];
          out[k].push_back(Tensor::Of<int64_t>(tensor.shape(), sizes));
          break;
        }
      }
    }
  }
  return out;
}

}  // namespace signet
