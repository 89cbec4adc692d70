// ArrowColumns: reads the elements of lists and row splits; see arrow_columns.h.

#include <algorithm>
#include <optional>

#include "core/formats/arrow/arrow_columns.h"
#include "signet/ragged_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

using Kind = ArrowField::Kind;

int ColumnRaggedRank(const TypeSpec& spec) {
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged != nullptr ? ragged->ragged_rank() : 0;
}

DType ColumnDType(const TypeSpec& spec) {
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged != nullptr ? ragged->dtype() : spec.As<TensorSpec>()->dtype();
}

int64_t ColumnDim(const TypeSpec& spec, int axis) {
  return spec.shape()->has_rank() ? spec.shape()->dim(axis) : kUnknownDim;
}

Status CheckNoNulls(const ArrowRuns& runs, const TypeSpec& spec) {
  int64_t nulls = runs.CountNulls();
  if (nulls == 0) return absl::OkStatus();
  return InvalidWithReason(
      "NULLS", "expected `", spec, "` without nulls, found ", nulls,
      nulls == 1 ? " null" : " nulls",
      "; nulls require a default (`x: float32[] = nan`), an additional dimension with ",
      "rows of 0 or 1, or an optional field (`x?: float32[]`)");
}

Status ArrowColumns::ReadElements(const ArrowField& field, const ArrowRuns& runs,
                                  const TypeSpec& spec, const Place& place, Components& out) {
  if (place.is_needed) SIGNET_RETURN_IF_ERROR(CheckNoNulls(runs, spec));
  int ragged_rank = ColumnRaggedRank(spec);
  if (ragged_rank >= std::max(place.rank(), 1)) {
    return InvalidWithReason("SHAPE_MISMATCH", "expected lists of depth ", ragged_rank, " for `",
                             spec, "`, found depth ", place.rank() - 1);
  }
  Shape shape;
  for (int i = ragged_rank; i < place.rank(); ++i) {
    const Axis& axis = place.axes[static_cast<size_t>(i)];
    if (i > ragged_rank && !axis.is_uniform) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected lists of equal length for `", spec,
                               "`, found several lengths");
    }
    int64_t size = axis.length;
    if (size == kUnknownDim) size = std::max(ColumnDim(spec, i), int64_t{0});
    shape.push_back(i == ragged_rank ? axis.count : size);
  }
  DType dtype = ColumnDType(spec);
  StatusOr<Tensor> values;
  bool is_passed_over = !place.is_needed && runs.single() == nullptr;
  if (is_passed_over || field.kind == Kind::kNull) {  // each null is a row of length 0
    values = MakeZeros(dtype, std::move(shape));
  } else if (dtype == DType::kString) {
    values = ReadText(field, runs, std::move(shape));
  } else if (dtype == DType::kBool) {
    values = ReadBools(runs, std::move(shape));
  } else {
    values = ReadNumbers(field, runs, std::move(shape));
  }
  SIGNET_RETURN_IF_ERROR(values.status());
  out.push_back(*std::move(values));
  for (int axis = std::max(place.shared, 1); axis <= ragged_rank; ++axis) {
    out.push_back(place.axes[static_cast<size_t>(axis)].splits);
  }
  return absl::OkStatus();
}

StatusOr<Tensor> ArrowColumns::MakeZeros(DType dtype, Shape shape) {
  SIGNET_ASSIGN_OR_RETURN(size_t size, SizeOfTensor(dtype, shape));
  if (size > zeros_.size()) {
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(size));
    SIGNET_ASSIGN_OR_RETURN(zeros_, Buffer::Allocate(size));
    std::memset(zeros_.mutable_data(), 0, size);
  }
  return Tensor::Trusted(dtype, std::move(shape), zeros_.Slice(0, size));
}

StatusOr<Tensor> ArrowColumns::ReadNumbers(const ArrowField& field, const ArrowRuns& runs,
                                           Shape shape) {
  size_t width = SizeOf(field.dtype);
  auto bytes_of = [&](const ArrowRun& run) {
    return run.array->data.Slice(static_cast<size_t>(run.begin) * width,
                                 static_cast<size_t>(run.size()) * width);
  };
  if (const ArrowRun* run = runs.single()) {
    Buffer bytes = bytes_of(*run);
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(bytes.size()));
    return Tensor::Make(field.dtype, std::move(shape), std::move(bytes));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Allocate(field.dtype, std::move(shape)));
  std::byte* at = out.data().mutable_data();
  for (const ArrowRun& run : runs) {
    Buffer bytes = bytes_of(run);
    if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
    at += bytes.size();
  }
  return out;
}

StatusOr<Tensor> ArrowColumns::ReadBools(const ArrowRuns& runs, Shape shape) {
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Allocate(DType::kBool, std::move(shape)));
  bool* at = out.mutable_elements<bool>();
  for (const ArrowRun& run : runs) {
    for (int64_t i = run.begin; i < run.end; ++i) *at++ = BitAt(run.array->data, i);
  }
  return out;
}

StatusOr<Tensor> ArrowColumns::ReadText(const ArrowField& field, const ArrowRuns& runs,
                                        Shape shape) {
  auto visit = [&](const ArrowRun& run, auto use) {
    if (field.width > 0) return VisitOffsets(*run.array, use);
    return use([&](int64_t i) { return i * field.size; });
  };
  int64_t bytes = 0;
  for (const ArrowRun& run : runs) {
    auto size = static_cast<int64_t>(run.array->data.size());
    auto extent = visit(run, [&](auto offset) -> std::optional<int64_t> {
      int64_t begin = offset(run.begin);
      int64_t end = offset(run.end);
      bool in_order = begin >= 0 && begin <= end && end <= size;
      for (int64_t i = run.begin; field.width > 0 && i < run.end; ++i) {
        in_order &= offset(i) <= offset(i + 1);
      }
      return in_order ? std::optional(end - begin) : std::nullopt;
    });
    if (!extent) {
      return InvalidArgument("offsets decrease or exceed the ", size, " bytes of text");
    }
    SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(static_cast<size_t>(*extent)));
    bytes += *extent;
  }
  const ArrowRun* single = runs.single();
  auto slice = [&](const ArrowRun& run) {
    auto [begin, end] =
        visit(run, [&](auto offset) { return std::pair(offset(run.begin), offset(run.end)); });
    return run.array->data.Slice(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
  };
  Buffer text;
  if (single != nullptr) {
    text = slice(*single);
    SIGNET_ASSIGN_OR_RETURN(Tensor offsets, BorrowSplits(field, runs, DType::kInt64));
    if (offsets.has_value()) {
      return Tensor::MakeString(std::move(shape), offsets.data(), std::move(text));
    }
  } else {
    SIGNET_ASSIGN_OR_RETURN(text, Buffer::Allocate(static_cast<size_t>(bytes)));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor out, Allocate(DType::kString, std::move(shape)));
  int64_t* at = out.mutable_elements<int64_t>();
  int64_t filled = 0;
  *at++ = 0;
  for (const ArrowRun& run : runs) {
    if (single == nullptr) {
      Buffer part = slice(run);
      if (!part.empty()) std::memcpy(text.mutable_data() + filled, part.data(), part.size());
    }
    visit(run, [&](auto offset) {
      int64_t before = offset(run.begin);
      for (int64_t i = run.begin; i < run.end; ++i) *at++ = filled + offset(i + 1) - before;
      filled += offset(run.end) - before;
    });
  }
  return Tensor::Trusted(DType::kString, out.shape(), out.data(), std::move(text));
}

StatusOr<Tensor> ArrowColumns::BorrowSplits(const ArrowField& field, const ArrowRuns& runs,
                                            DType dtype) {
  const ArrowRun* run = runs.single();
  if (run == nullptr || field.width != SizeOf(dtype)) return Tensor();
  size_t width = field.width;
  Buffer splits = run->array->offsets.Slice(static_cast<size_t>(run->begin) * width,
                                            static_cast<size_t>(run->size() + 1) * width);
  bool starts_at_0 =
      VisitOffsets(*run->array, [&](auto offset) { return offset(run->begin) == 0; });
  if (!starts_at_0 || !splits.IsAligned(width)) return Tensor();
  SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(splits.size()));
  return Tensor::Make(dtype, {run->size() + 1}, std::move(splits));
}

StatusOr<Tensor> ArrowColumns::Allocate(DType dtype, Shape shape) {
  SIGNET_ASSIGN_OR_RETURN(size_t size, SizeOfTensor(dtype, shape));
  SIGNET_RETURN_IF_ERROR(allowance_.TakeBytes(size));
  return Tensor::Allocate(dtype, std::move(shape));
}

StatusOr<size_t> ArrowColumns::SizeOfTensor(DType dtype, const Shape& shape) const {
  bool is_text = dtype == DType::kString;
  size_t width = is_text ? sizeof(int64_t) : SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(CheckShape(shape.dims(), width));
  SIGNET_RETURN_IF_ERROR(allowance_.CheckElements(shape.num_elements()));
  return (static_cast<size_t>(shape.num_elements()) + (is_text ? 1 : 0)) * width;
}

}  // namespace signet
