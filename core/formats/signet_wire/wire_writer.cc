// WireWriter: writes values as pieces, from the last byte to the first. The content of a
// length-delimited field is written before its length, so nothing is measured or written twice. The
// code therefore writes the fields of a message in reverse order. wire.h states what the pieces
// own.

#include <algorithm>
#include <bit>
#include <cstring>

#include <google/protobuf/io/coded_stream.h>

#include "core/formats/signet_wire/wire.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/v1/service.pb.h"

namespace signet::wire {
namespace {

// Content of fewer bytes is copied into the surrounding piece.
constexpr size_t kSmallestPiece = 1024;

// Pieces that grow at their beginning.
class BackwardWriter {
 public:
  // `expected` is the number of bytes without borrowed buffers.
  explicit BackwardWriter(size_t expected) { NewBlock(expected); }

  size_t size() const { return size_; }  // bytes so far

  void Varint(uint64_t value) {
    std::byte bytes[10];
    size_t n = 0;
    do {
      bytes[n++] = static_cast<std::byte>((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
      value >>= 7;
    } while (value != 0);
    Bytes({bytes, n});
  }
  void Bytes(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;
    if (bytes.size() > free_) {
      FlushBlock();
      NewBlock(std::max(bytes.size(), 2 * block_.size()));
    }
    free_ -= bytes.size();
    std::memcpy(block_.mutable_data() + free_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  // Adds the bytes as a piece of their own, unless they are few or a view whose memory may
  // disappear.
  void Share(const Buffer& buffer) {
    if (buffer.size() < kSmallestPiece || !buffer.is_owned()) return Bytes(buffer.bytes());
    FlushBlock();
    pieces_.push_back(buffer);
    size_ += buffer.size();
  }

  // Fields: the tag is written after the content.
  void VarintField(int field, uint64_t value) {
    Varint(value);
    Tag(field, 0);
  }
  void BytesField(int field, std::string_view bytes) {
    Bytes(std::as_bytes(std::span(bytes)));
    EndField(field, size_ - bytes.size());
  }
  void BufferField(int field, const Buffer& buffer) {
    Share(buffer);
    EndField(field, size_ - buffer.size());
  }
  void Fixed64Field(int field, uint64_t value) {
    Bytes(std::as_bytes(std::span(&value, 1)));
    Tag(field, 1);
  }
  // Ends a field whose content was written since `start`, a former size().
  void EndField(int field, size_t start) {
    Varint(size_ - start);
    Tag(field, 2);
  }

  Pieces Finish() {
    FlushBlock();
    return Pieces(pieces_.rbegin(), pieces_.rend());
  }

 private:
  void Tag(int field, uint32_t wire_type) { Varint(static_cast<uint32_t>(field) << 3 | wire_type); }

  void NewBlock(size_t size) {
    auto block = Buffer::Allocate(size);
    SIGNET_CHECK(block.ok());
    block_ = *std::move(block);
    free_ = filled_from_ = block_.size();
  }
  // Adds the content of the block as a piece. The room before it is still used.
  void FlushBlock() {
    if (free_ < filled_from_) pieces_.push_back(block_.Slice(free_, filled_from_ - free_));
    filled_from_ = free_;
  }

  std::vector<Buffer> pieces_;  // the last piece first
  Buffer block_;
  size_t free_ = 0;         // room at the beginning of the block
  size_t filled_from_ = 0;  // the block from here on is in pieces_
  size_t size_ = 0;
};

// Returns the number of bytes except those that are borrowed.
size_t ExpectedSize(const Value& value) {
  constexpr size_t kPerTensor = 64;
  size_t size = 256;
  for (const Tensor& tensor : value.components()) {
    size += kPerTensor;
    for (const Buffer* buffer : {&tensor.data(), &tensor.bytes()}) {
      if (buffer->size() < kSmallestPiece || !buffer->is_owned()) size += buffer->size();
    }
  }
  return size;
}

class ValueWriter {
 public:
  ValueWriter(BackwardWriter& out, const Value& value)
      : out_(out), value_(value), left_(value.components()) {}

  void Write() {
    if (value_.is_placeholder()) return WriteType(v1::Value::kTypeFieldNumber, value_.spec());
    WriteNode(value_.spec(), 0);
  }

 private:
  const Tensor& TakeLast() {
    const Tensor& last = left_.back();
    left_ = left_.first(left_.size() - 1);
    return last;
  }

  // Writes the fields of a Value message. A field of a structure of rank r passes r.
  void WriteNode(const TypeSpec& spec, int outer_rank) {
    size_t start = out_.size();
    switch (spec.kind()) {
      case TypeKind::kTensor:
        WriteTensor(TakeLast());
        return out_.EndField(v1::Value::kTensorFieldNumber, start);
      case TypeKind::kRagged:
        WriteRagged(*spec.As<RaggedSpec>(), outer_rank);
        return out_.EndField(v1::Value::kRaggedFieldNumber, start);
      case TypeKind::kSparse:
        WriteTensorField(v1::SparseTensor::kDenseShapeFieldNumber);
        WriteTensorField(v1::SparseTensor::kValuesFieldNumber);
        WriteTensorField(v1::SparseTensor::kIndicesFieldNumber);
        return out_.EndField(v1::Value::kSparseFieldNumber, start);
      case TypeKind::kStructured:
        WriteStructured(*spec.As<StructuredSpec>(), outer_rank);
        return out_.EndField(v1::Value::kStructuredFieldNumber, start);
      case TypeKind::kLiteral:
        WriteLiteral(spec.As<LiteralSpec>()->literal());
        return out_.EndField(v1::Value::kLiteralFieldNumber, start);
      case TypeKind::kList:
        WriteElements(spec);
        return out_.EndField(v1::Value::kListFieldNumber, start);
      case TypeKind::kTuple:
        WriteElements(spec);
        return out_.EndField(v1::Value::kTupleFieldNumber, start);
      case TypeKind::kDict:
        WriteOrder(v1::ValueDict::kKeyOrderFieldNumber, spec.As<DictSpec>()->keys(), spec.rep());
        WriteNamed(v1::ValueDict::kItemsFieldNumber, spec.As<DictSpec>()->keys(), spec, 0);
        return out_.EndField(v1::Value::kDictFieldNumber, start);
      case TypeKind::kNamedTuple: {
        const auto& tuple = *spec.As<NamedTupleSpec>();
        if (tuple.style() == NamedTupleSpec::Style::kAttrs) {
          out_.VarintField(v1::NamedTuple::kAttrsFieldNumber, 1);
        }
        WriteNamed(v1::NamedTuple::kFieldsFieldNumber, tuple.field_names(), spec, 0);
        out_.BytesField(v1::NamedTuple::kNameFieldNumber, tuple.name());
        return out_.EndField(v1::Value::kNamedTupleFieldNumber, start);
      }
      case TypeKind::kExtension:
        WriteExtension(*spec.As<ExtensionSpec>(), spec);
        return out_.EndField(v1::Value::kExtensionFieldNumber, start);
      case TypeKind::kAny:
        break;
    }
    SIGNET_CHECK(false);  // no value has this type
  }

  void WriteTensor(const Tensor& tensor) {
    if (tensor.is_string()) {
      out_.BufferField(v1::Tensor::kStringOffsetsFieldNumber, tensor.data());
      out_.BufferField(v1::Tensor::kDataFieldNumber, tensor.bytes());
    } else {
      out_.BufferField(v1::Tensor::kDataFieldNumber, tensor.data());
    }
    WriteDims(v1::Tensor::kShapeFieldNumber, tensor.shape().dims());
    out_.VarintField(v1::Tensor::kDtypeFieldNumber, static_cast<uint64_t>(tensor.dtype()));
  }

  void WriteTensorField(int field) {
    size_t start = out_.size();
    WriteTensor(TakeLast());
    out_.EndField(field, start);
  }

  void WriteDims(int field, std::span<const int64_t> dims) {
    if (dims.empty()) return;
    size_t start = out_.size();
    for (size_t i = dims.size(); i-- > 0;) out_.Varint(static_cast<uint64_t>(dims[i]));
    out_.EndField(field, start);
  }

  void WriteShape(int field, const PartialShape& shape) {
    size_t start = out_.size();
    if (shape.has_rank()) {
      WriteDims(v1::Shape::kDimsFieldNumber, shape.dims());
    } else {
      out_.VarintField(v1::Shape::kUnknownRankFieldNumber, 1);
    }
    out_.EndField(field, start);
  }

  void WriteRagged(const RaggedSpec& spec, int outer_rank) {
    int shared = std::max(outer_rank - 1, 0);
    if (spec.ragged_rank() <= shared && spec.splits_dtype() != DType::kInt64) {
      out_.VarintField(v1::RaggedTensor::kRowSplitsDtypeFieldNumber,
                       static_cast<uint64_t>(spec.splits_dtype()));
    }
    WriteShape(v1::RaggedTensor::kShapeFieldNumber, spec.shape());
    for (int i = shared; i < spec.ragged_rank(); ++i) {
      WriteTensorField(v1::RaggedTensor::kRowSplitsFieldNumber);
    }
    WriteTensorField(v1::RaggedTensor::kValuesFieldNumber);
  }

  void WriteStructured(const StructuredSpec& spec, int outer_rank) {
    auto names = spec.field_names();
    for (size_t i = spec.notes().optional.size(); i-- > 0;) {
      if (!spec.IsOptionalChild(i)) continue;
      out_.BytesField(v1::StructuredTensor::kOptionalFieldsFieldNumber, names[i]);
    }
    WriteOrder(v1::StructuredTensor::kFieldOrderFieldNumber, names, spec);
    for (size_t i = names.size(); i-- > 0;) {
      WriteEntry(v1::StructuredTensor::kFieldsFieldNumber, names[i], spec.children()[i],
                 spec.rank());
    }
    for (int i = std::max(outer_rank - 1, 0); i < spec.rank() - 1; ++i) {
      WriteTensorField(v1::StructuredTensor::kRowSplitsFieldNumber);
    }
    if (spec.rank() == 0) return;
    if (outer_rank == 0) {
      auto nrows = static_cast<uint64_t>(TakeLast().scalar<int64_t>());
      out_.VarintField(v1::StructuredTensor::kNrowsFieldNumber, nrows);
    }
    WriteShape(v1::StructuredTensor::kShapeFieldNumber, spec.shape());
  }

  void WriteLiteral(const Literal& literal) {
    switch (literal.kind()) {
      case Literal::Kind::kNone:
        return;
      case Literal::Kind::kBool:
        return out_.VarintField(v1::Literal::kBoolFieldNumber, literal.bool_value() ? 1 : 0);
      case Literal::Kind::kInt:
        if (auto number = literal.AsInt64()) {
          auto zigzag =
              (static_cast<uint64_t>(*number) << 1) ^ static_cast<uint64_t>(*number >> 63);
          return out_.VarintField(v1::Literal::kIntFieldNumber, zigzag);
        }
        return out_.VarintField(v1::Literal::kUintFieldNumber,
                                static_cast<uint64_t>(literal.int_value()));
      case Literal::Kind::kFloat:
        return out_.Fixed64Field(v1::Literal::kFloatFieldNumber,
                                 std::bit_cast<uint64_t>(literal.float_value()));
      case Literal::Kind::kString:
        return out_.BytesField(v1::Literal::kStringFieldNumber, literal.string_value());
    }
  }

  void WriteElements(const TypeSpec& spec) {
    for (size_t i = spec.children().size(); i-- > 0;) {
      size_t start = out_.size();
      WriteNode(spec.children()[i], 0);
      out_.EndField(v1::ValueList::kElementsFieldNumber, start);
    }
  }

  // Writes a map entry or NamedValue: in both, field 1 is the name and field 2 the value.
  void WriteEntry(int field, std::string_view name, const TypeSpec& type, int outer_rank) {
    size_t start = out_.size();
    WriteNode(type, outer_rank);
    out_.EndField(v1::NamedValue::kValueFieldNumber, start);
    out_.BytesField(v1::NamedValue::kNameFieldNumber, name);
    out_.EndField(field, start);
  }

  // Writes the names in the order in which the type is written, unless it is the byte order.
  void WriteOrder(int field, std::span<const std::string> names, const TypeSpecRep& rep) {
    if (rep.notes().order.empty()) return;
    for (size_t i = names.size(); i-- > 0;) out_.BytesField(field, names[rep.WrittenChild(i)]);
  }

  void WriteNamed(int field, std::span<const std::string> names, const TypeSpec& spec,
                  int outer_rank) {
    for (size_t i = names.size(); i-- > 0;) {
      WriteEntry(field, names[i], spec.children()[i], outer_rank);
    }
  }

  void WriteExtension(const ExtensionSpec& extension, const TypeSpec& spec) {
    WriteNamed(v1::Extension::kComponentsFieldNumber, extension.component_names(), spec, 0);
    for (size_t i = extension.statics().size(); i-- > 0;) {
      const auto& [name, type] = extension.statics()[i];
      size_t start = out_.size();
      WriteType(v1::NamedTypeSpec::kTypeFieldNumber, type);
      out_.BytesField(v1::NamedTypeSpec::kNameFieldNumber, name);
      out_.EndField(v1::Extension::kStaticsFieldNumber, start);
    }
    out_.BytesField(v1::Extension::kNameFieldNumber, extension.name());
  }

  void WriteType(int field, const TypeSpec& spec) {
    out_.BytesField(field, TypeToProto(spec).SerializeAsString());
  }

  BackwardWriter& out_;
  const Value& value_;
  std::span<const Tensor> left_;  // components that are not written yet
};

uint64_t FormatToNumber(DataFormat format) {
  switch (format) {
    case DataFormat::kJson:
      return v1::Encoded::JSON;
    case DataFormat::kJsonLines:
      return v1::Encoded::JSON_LINES;
    case DataFormat::kProtobuf:
      return v1::Encoded::PROTOBUF;
    case DataFormat::kArrow:
      return v1::Encoded::ARROW_IPC;
    case DataFormat::kExample:
      break;  // no result
  }
  __builtin_unreachable();
}

// Writes the fields of a Value message.
void WriteResult(BackwardWriter& out, const CallResult& result) {
  if (const auto* value = std::get_if<Value>(&result)) return ValueWriter(out, *value).Write();
  const auto& encoded = std::get<EncodedResult>(result);
  size_t start = out.size();
  if (!encoded.message_type.empty()) {
    out.BytesField(v1::Encoded::kMessageTypeFieldNumber, encoded.message_type);
  }
  for (size_t i = encoded.rows.size(); i-- > 0;) {
    out.BufferField(v1::Encoded::kRowsFieldNumber, encoded.rows[i]);
  }
  size_t data_start = out.size();
  for (size_t i = encoded.data.size(); i-- > 0;) out.Share(encoded.data[i]);
  if (out.size() > data_start) out.EndField(v1::Encoded::kDataFieldNumber, data_start);
  out.VarintField(v1::Encoded::kFormatFieldNumber, FormatToNumber(encoded.format));
  out.EndField(v1::Value::kEncodedFieldNumber, start);
}

size_t ExpectedSize(const CallResult& result) {
  const auto* value = std::get_if<Value>(&result);
  return value != nullptr ? ExpectedSize(*value) : 4096;
}

void WriteResponse(BackwardWriter& out, const CallResult& result, int64_t model_version) {
  if (model_version != 0) {
    out.VarintField(v1::CallResponse::kModelVersionFieldNumber,
                    static_cast<uint64_t>(model_version));
  }
  size_t start = out.size();
  WriteResult(out, result);
  out.EndField(v1::CallResponse::kResultFieldNumber, start);
}

// Returns the number of nested messages in a TypeSpec message.
int DepthOfType(const v1::TypeSpec& type) {
  switch (type.kind_case()) {
    case v1::TypeSpec::kList:
    case v1::TypeSpec::kTuple: {
      int depth = 0;
      const auto& sequence = type.has_list() ? type.list() : type.tuple();
      for (const v1::TypeSpec& element : sequence.elements()) {
        depth = std::max(depth, 1 + DepthOfType(element));
      }
      return 1 + depth;
    }
    case v1::TypeSpec::kDict: {
      int depth = 0;
      for (const auto& [key, item] : type.dict().items()) {
        depth = std::max(depth, 2 + DepthOfType(item));
      }
      return 1 + depth;
    }
    case v1::TypeSpec::kNamedTuple: {
      int depth = 0;
      for (const v1::NamedTypeSpec& field : type.named_tuple().fields()) {
        depth = std::max(depth, 2 + DepthOfType(field.type()));
      }
      return 1 + depth;
    }
    default:
      return 2;  // a literal, the only other static attribute
  }
}

// Returns the number of nested messages in a Value message.
int DepthOfValue(const TypeSpec& spec) {
  const bool is_sequence = spec.is(TypeKind::kList) || spec.is(TypeKind::kTuple);
  int inner = spec.is(TypeKind::kTensor) || spec.is(TypeKind::kLiteral) ? 0 : 1;
  for (const TypeSpec& child : spec.children()) {
    inner = std::max(inner, (is_sequence ? 1 : 2) + DepthOfValue(child));
  }
  if (const auto* extension = spec.As<ExtensionSpec>()) {
    for (const auto& [name, type] : extension->statics()) {
      inner = std::max(inner, 2 + DepthOfType(TypeToProto(type)));
    }
  }
  return 1 + inner;
}

}  // namespace

Status CheckMessageDepth(const TypeSpec& spec) {
  constexpr int kMaxDepth = 100;
  constexpr int kAround = 2;  // CallResponse and Value, in a CallStreamResponse
  if (spec.is(TypeKind::kTensor)) return absl::OkStatus();
  const int depth = kAround + DepthOfValue(spec);
  if (depth <= kMaxDepth) return absl::OkStatus();
  return InvalidArgument(
      "expected a value of at most ", kMaxDepth,
      " messages within one another, which is what protobuf clients parse, found ", depth,
      "; request the result as JSON");
}

Pieces WriteCallResponse(const CallResult& result, int64_t model_version) {
  BackwardWriter out(ExpectedSize(result));
  WriteResponse(out, result, model_version);
  return out.Finish();
}

Pieces WriteStreamResponse(uint64_t id, const CallResult& result, int64_t model_version) {
  BackwardWriter out(ExpectedSize(result));
  WriteResponse(out, result, model_version);
  out.EndField(v1::CallStreamResponse::kResponseFieldNumber, 0);
  if (id != 0) out.VarintField(v1::CallStreamResponse::kIdFieldNumber, id);
  return out.Finish();
}

Pieces WriteValue(const Value& value) {
  BackwardWriter out(ExpectedSize(value));
  ValueWriter(out, value).Write();
  return out.Finish();
}

v1::Value ValueToProto(const Value& value) {
  std::string bytes;
  for (const Buffer& piece : WriteValue(value)) bytes.append(piece.text());
  google::protobuf::io::CodedInputStream input(reinterpret_cast<const uint8_t*>(bytes.data()),
                                               static_cast<int>(bytes.size()));
  input.SetRecursionLimit(1'000);  // values of any depth that --max_nesting_depth allows
  v1::Value proto;
  SIGNET_CHECK(proto.ParseFromCodedStream(&input));
  return proto;
}

}  // namespace signet::wire
