#include "core/values/builders/value_builder.h"

#include "core/values/builders/typed_builder.h"
#include "core/values/builders/untyped_builder.h"

namespace signet {
namespace {

Status MoreThan(int64_t limit, std::string_view what, std::string_view flag) {
  return ResourceExhausted("more than ", limit, " ", what, ", which is the limit",
                           flag.empty() ? "" : Cat(" (", flag, ")"));
}

}  // namespace

Status BuilderLimits::TooManyElements() const {
  return MoreThan(max_elements, "elements", elements_flag);
}

Status BuilderLimits::TooManyBytes() const {
  return MoreThan(max_bytes, "bytes of data", bytes_flag);
}

Status BuilderLimits::TooDeep() const {
  return MoreThan(max_depth, "lists and objects within others", "");
}

ValueBuilder::ValueBuilder() = default;
ValueBuilder::~ValueBuilder() = default;
ValueBuilder::ValueBuilder(ValueBuilder&&) noexcept = default;
ValueBuilder& ValueBuilder::operator=(ValueBuilder&&) noexcept = default;

StatusOr<ValueBuilder> ValueBuilder::Make(TypeSpec spec, BuilderLimits limits) {
  ValueBuilder builder;
  if (!spec) {
    builder.untyped_ = std::make_unique<Untyped>(limits);
    return builder;
  }
  builder.typed_ = std::make_unique<Typed>(limits);
  SIGNET_RETURN_IF_ERROR(builder.typed_->Compile(spec));
  return builder;
}

StatusOr<ValueBuilder> ValueBuilder::MakeForColumns(const TypeSpec& structured,
                                                    BuilderLimits limits) {
  ValueBuilder builder;
  builder.typed_ = std::make_unique<Typed>(limits);
  SIGNET_RETURN_IF_ERROR(builder.typed_->CompileColumns(structured));
  return builder;
}

Status ValueBuilder::BeginList() { return typed_ ? typed_->BeginList() : untyped_->Begin(false); }
Status ValueBuilder::EndList() { return typed_ ? typed_->EndList() : untyped_->End(false); }
Status ValueBuilder::BeginObject() {
  return typed_ ? typed_->BeginObject() : untyped_->Begin(true);
}
Status ValueBuilder::EndObject() { return typed_ ? typed_->EndObject() : untyped_->End(true); }

Status ValueBuilder::Key(std::string_view name) {
  return typed_ ? typed_->Key(name) : untyped_->Key(name);
}

Status ValueBuilder::Null() { return typed_ ? typed_->Null() : untyped_->Scalar(Literal()); }

Status ValueBuilder::Bool(bool value) {
  return typed_ ? typed_->Bool(value) : untyped_->Scalar(Literal::Bool(value));
}

Status ValueBuilder::Int(absl::int128 value) {
  return typed_ ? typed_->Int(value) : untyped_->Int(value);
}

Status ValueBuilder::Float(double value) {
  return typed_ ? typed_->Float(value) : untyped_->Scalar(Literal::Float(value));
}

Status ValueBuilder::String(std::string_view bytes) {
  return typed_ ? typed_->String(bytes) : untyped_->Scalar(Literal::String(std::string(bytes)));
}

bool ValueBuilder::TakesObject() const { return typed_ ? typed_->TakesObject() : true; }

bool ValueBuilder::TakesKey(std::string_view name) const {
  return typed_ ? typed_->TakesKey(name) : true;
}

bool ValueBuilder::IsTypePart(std::string_view key) const {
  return typed_ && typed_->IsTypePart(key);
}

std::optional<DType> ValueBuilder::ScalarDType() const {
  return typed_ ? typed_->ScalarDType() : std::nullopt;
}

std::string ValueBuilder::Path() const { return typed_ ? typed_->Path() : untyped_->Path(); }

StatusOr<Value> ValueBuilder::Finish() { return typed_ ? typed_->Finish() : untyped_->Finish(); }

}  // namespace signet
