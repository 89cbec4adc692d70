#include "core/formats/common/missing_fields.h"

#include <algorithm>

#include "core/values/builders/value_builder.h"
#include "core/values/builders/value_writer.h"
#include "signet/ragged_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// Passes the content of a value to a builder. Where the builder expects a scalar, a list has 0 or 1
// elements, and represents null or its element.
class BuilderSink final : public ValueSink {
 public:
  explicit BuilderSink(ValueBuilder& builder) : builder_(builder) {}

  const Status& status() const { return status_; }
  bool IsFull() const override { return !status_.ok(); }

  void BeginList() override {
    if (builder_.ScalarDType()) {
      is_in_row_ = true;
      is_empty_ = true;
    } else {
      Add(builder_.BeginList());
    }
  }
  void EndList() override {
    if (!is_in_row_) return Add(builder_.EndList());
    is_in_row_ = false;
    if (is_empty_) Add(builder_.Null());
  }
  void BeginObject() override { Add(builder_.BeginObject()); }
  void Key(std::string_view name) override { Add(builder_.Key(name)); }
  void EndObject() override { Add(builder_.EndObject()); }
  void Null() override { AddElement(builder_.Null()); }
  void Bool(bool value) override { AddElement(builder_.Bool(value)); }
  void Int(absl::int128 value) override { AddElement(builder_.Int(value)); }
  void Float(double value, DType) override { AddElement(builder_.Float(value)); }
  void String(std::string_view bytes) override { AddElement(builder_.String(bytes)); }

 private:
  void Add(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  void AddElement(Status status) {
    is_empty_ = false;
    Add(std::move(status));
  }

  ValueBuilder& builder_;
  Status status_;
  bool is_in_row_ = false;
  bool is_empty_ = true;
};

}  // namespace

StatusOr<TypeSpec> WithRowsForNulls(const TypeSpec& type, int outer_rank) {
  const TypeSpec& default_value = type.rep().notes().default_value;
  if (!default_value || !type.shape()->has_rank()) return type;
  const PartialShape& shape = *type.shape();
  int axis = default_value.is(TypeKind::kLiteral) ? shape.rank() : outer_rank;
  PartialShape rows =
      shape.Slice(0, axis).Concatenate({kUnknownDim}).Concatenate(shape.Slice(axis, shape.rank()));
  const auto* ragged = type.As<RaggedSpec>();
  DType dtype = ragged == nullptr ? type.As<TensorSpec>()->dtype() : ragged->dtype();
  int ragged_rank = axis;
  if (ragged != nullptr && ragged->ragged_rank() >= axis) ragged_rank = ragged->ragged_rank() + 1;
  if (ragged_rank == 0) return TensorType(dtype, std::move(rows));
  return MakeRaggedType(dtype, std::move(rows), ragged_rank);
}

StatusOr<Value> FillMissing(const Value& found, const TypeSpec& declared, const Limits& limits) {
  BuilderLimits builder_limits;
  builder_limits.max_elements = limits.tensor_elements;
  builder_limits.elements_flag = "--max_tensor_elements";
  builder_limits.max_bytes = limits.expanded_bytes;
  builder_limits.bytes_flag = "--max_expanded_bytes";
  builder_limits.max_depth = limits.nesting_depth;
  SIGNET_ASSIGN_OR_RETURN(ValueBuilder builder, ValueBuilder::Make(declared, builder_limits));
  BuilderSink sink(builder);
  WriteValue(found, sink);
  SIGNET_RETURN_IF_ERROR(sink.status());
  return builder.Finish();
}

}  // namespace signet
