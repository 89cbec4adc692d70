#include "core/frontends/savedmodel/import/graph_tensor.h"

#include <algorithm>
#include <cstring>

#include "core/base/checked_math.h"

namespace signet {
namespace {

using Proto = tensorflow::TensorProto;

constexpr int kFirstReference = 100;  // greater numbers are references

// Fills `count` elements with the values of a field, each converted to a T.
template <class T, class Field>
StatusOr<Tensor> FromField(DType dtype, const Shape& shape, const Field& field) {
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (tensor.num_elements() == 0) return tensor;
  auto* out = reinterpret_cast<T*>(tensor.data().mutable_data());
  const auto count = static_cast<size_t>(tensor.num_elements());
  const size_t given = std::min(count, static_cast<size_t>(field.size()));
  for (size_t i = 0; i < given; ++i) out[i] = static_cast<T>(field.Get(static_cast<int>(i)));
  std::fill(out + given, out + count, given == 0 ? T{} : out[given - 1]);
  return tensor;
}

// Numbers with a real and an imaginary part.
template <class T, class Field>
StatusOr<Tensor> FromPairs(DType dtype, const Shape& shape, const Field& field) {
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(dtype, shape));
  if (tensor.num_elements() == 0) return tensor;
  auto* out = reinterpret_cast<T*>(tensor.data().mutable_data());
  const auto count = static_cast<size_t>(tensor.num_elements());
  const size_t given = std::min(count, static_cast<size_t>(field.size()) / 2);
  for (size_t i = 0; i < count; ++i) {
    for (size_t part = 0; part < 2; ++part) {
      const size_t from = given == 0 ? 0 : 2 * std::min(i, given - 1) + part;
      out[2 * i + part] = given == 0 ? T{} : field.Get(static_cast<int>(from));
    }
  }
  return tensor;
}

StatusOr<Tensor> FromStrings(const Shape& shape, const Proto& proto) {
  std::vector<std::string_view> elements;
  const auto count = static_cast<size_t>(shape.num_elements());
  elements.reserve(count);
  size_t num_bytes = 0;
  if (!proto.tensor_content().empty()) {
    std::string_view rest = proto.tensor_content();
    std::vector<uint64_t> lengths;
    for (size_t i = 0; i < count; ++i) {
      uint64_t length = 0;
      int shift = 0;
      for (;; shift += 7) {
        if (rest.empty() || shift > 63) return InvalidArgument("truncated lengths of strings");
        const auto byte = static_cast<uint8_t>(rest.front());
        rest.remove_prefix(1);
        length |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) break;
      }
      lengths.push_back(length);
    }
    for (uint64_t length : lengths) {
      if (length > rest.size()) return InvalidArgument("truncated strings");
      elements.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    if (!rest.empty()) return InvalidArgument(rest.size(), " bytes follow the last string");
    return Tensor::Strings(shape, elements);
  }
  for (size_t i = 0; i < count; ++i) {
    const int given = proto.string_val_size();
    if (given == 0) {
      elements.emplace_back();
    } else {
      elements.push_back(proto.string_val(std::min(static_cast<int>(i), given - 1)));
    }
    num_bytes += elements.back().size();
    if (num_bytes > kMaxConstantBytes) {
      return ResourceExhausted("strings exceed the limit of ", kMaxConstantBytes, " bytes");
    }
  }
  return Tensor::Strings(shape, elements);
}

}  // namespace

std::optional<DType> LookupDType(int data_type) {
  if (data_type > kFirstReference) data_type -= kFirstReference;
  switch (data_type) {
    case tensorflow::DT_FLOAT:
      return DType::kFloat32;
    case tensorflow::DT_DOUBLE:
      return DType::kFloat64;
    case tensorflow::DT_INT32:
    case tensorflow::DT_QINT32:
      return DType::kInt32;
    case tensorflow::DT_UINT8:
    case tensorflow::DT_QUINT8:
      return DType::kUInt8;
    case tensorflow::DT_INT16:
    case tensorflow::DT_QINT16:
      return DType::kInt16;
    case tensorflow::DT_INT8:
    case tensorflow::DT_QINT8:
      return DType::kInt8;
    case tensorflow::DT_STRING:
      return DType::kString;
    case tensorflow::DT_COMPLEX64:
      return DType::kComplex64;
    case tensorflow::DT_INT64:
      return DType::kInt64;
    case tensorflow::DT_BOOL:
      return DType::kBool;
    case tensorflow::DT_BFLOAT16:
      return DType::kBFloat16;
    case tensorflow::DT_QUINT16:
    case tensorflow::DT_UINT16:
      return DType::kUInt16;
    case tensorflow::DT_COMPLEX128:
      return DType::kComplex128;
    case tensorflow::DT_HALF:
      return DType::kFloat16;
    case tensorflow::DT_UINT32:
      return DType::kUInt32;
    case tensorflow::DT_UINT64:
      return DType::kUInt64;
    default:
      return std::nullopt;
  }
}

std::string NameOfDataType(int data_type) {
  if (!tensorflow::DataType_IsValid(data_type)) return Cat("type ", data_type);
  return tensorflow::DataType_Name(data_type);
}

StatusOr<DType> DTypeFromGraph(int data_type) {
  if (auto dtype = LookupDType(data_type)) return *dtype;
  return Unimplemented("unsupported type `", NameOfDataType(data_type), "`");
}

StatusOr<Shape> ShapeFromGraph(const tensorflow::TensorShapeProto& shape, DType dtype) {
  if (shape.unknown_rank()) return InvalidArgument("expected a known rank");
  if (shape.dim_size() > kMaxTensorRank) {
    return InvalidArgument("rank ", shape.dim_size(), " exceeds the limit of ", kMaxTensorRank);
  }
  Shape out;
  for (const auto& dim : shape.dim()) {
    if (dim.size() < 0) return InvalidArgument("expected sizes of at least 0, found ", dim.size());
    out.push_back(dim.size());
  }
  const size_t size = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(CheckShape(out.dims(), size));
  return out;
}

StatusOr<PartialShape> PartialShapeFromGraph(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return PartialShape();
  if (shape.dim_size() > kMaxTensorRank) {
    return InvalidArgument("rank ", shape.dim_size(), " exceeds the limit of ", kMaxTensorRank);
  }
  Dims dims;
  for (const auto& dim : shape.dim()) {
    if (dim.size() < kUnknownDim) {
      return InvalidArgument("expected sizes of at least -1, found ", dim.size());
    }
    dims.push_back(dim.size());
  }
  return PartialShape(std::span<const int64_t>(dims));
}

StatusOr<Tensor> TensorFromGraph(const Proto& proto) {
  SIGNET_ASSIGN_OR_RETURN(DType dtype, DTypeFromGraph(proto.dtype()));
  SIGNET_ASSIGN_OR_RETURN(Shape shape, ShapeFromGraph(proto.tensor_shape(), dtype));
  const size_t element = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
  const auto num_bytes = static_cast<size_t>(shape.num_elements()) * element;
  if (num_bytes > kMaxConstantBytes) {
    return ResourceExhausted("a constant of ", num_bytes, " bytes exceeds the limit of ",
                             kMaxConstantBytes);
  }
  if (dtype == DType::kString) return FromStrings(shape, proto);
  if (!proto.tensor_content().empty()) {
    if (proto.tensor_content().size() != num_bytes) {
      return InvalidArgument("expected ", num_bytes, " bytes for shape `", shape, "`, found ",
                             proto.tensor_content().size());
    }
    return Tensor::Make(dtype, shape, Buffer::Copy(proto.tensor_content()));
  }
  switch (dtype) {
    case DType::kFloat32:
      return FromField<float>(dtype, shape, proto.float_val());
    case DType::kFloat64:
      return FromField<double>(dtype, shape, proto.double_val());
    case DType::kInt8:
      return FromField<int8_t>(dtype, shape, proto.int_val());
    case DType::kInt16:
      return FromField<int16_t>(dtype, shape, proto.int_val());
    case DType::kInt32:
      return FromField<int32_t>(dtype, shape, proto.int_val());
    case DType::kInt64:
      return FromField<int64_t>(dtype, shape, proto.int64_val());
    case DType::kUInt8:
      return FromField<uint8_t>(dtype, shape, proto.int_val());
    case DType::kUInt16:
      return FromField<uint16_t>(dtype, shape, proto.int_val());
    case DType::kUInt32:
      return FromField<uint32_t>(dtype, shape, proto.uint32_val());
    case DType::kUInt64:
      return FromField<uint64_t>(dtype, shape, proto.uint64_val());
    case DType::kBool:
      return FromField<bool>(dtype, shape, proto.bool_val());
    case DType::kFloat16:
    case DType::kBFloat16:
      return FromField<uint16_t>(dtype, shape, proto.half_val());
    case DType::kComplex64:
      return FromPairs<float>(dtype, shape, proto.scomplex_val());
    case DType::kComplex128:
      return FromPairs<double>(dtype, shape, proto.dcomplex_val());
    case DType::kString:
      break;
  }
  return FromStrings(shape, proto);
}

}  // namespace signet
