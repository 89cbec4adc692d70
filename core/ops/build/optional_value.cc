#include "core/ops/build/optional_value.h"

#include <algorithm>
#include <vector>

#include "core/ops/build/parts.h"
#include "core/ops/def/literal_dtype.h"
#include "core/values/zero_scalar.h"
#include "signet/extension_spec.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

constexpr char kOptionalName[] = "onnx.Optional";
constexpr size_t kPresentIndex = 0;  // the indices of the components
constexpr size_t kValueIndex = 1;

StatusOr<GraphValue> ZerosOf(OpBuilder& build, DType dtype, std::span<const int64_t> dims) {
  SIGNET_ASSIGN_OR_RETURN(Tensor zero, ZeroScalar(dtype));
  return build.Fill(build.Constant(std::move(zero)), FillAttributes{.shape = dims});
}

Dims WithoutUnknown(std::span<const int64_t> dims) {
  Dims out;
  for (int64_t dim : dims) out.push_back(std::max<int64_t>(dim, 0));
  return out;
}

// Makes a value of `type` with empty rows.
StatusOr<GraphValue> EmptyRows(OpBuilder& build, const TypeSpec& type) {
  const auto& ragged = *type.As<RaggedSpec>();
  const auto ragged_rank = static_cast<size_t>(ragged.ragged_rank());
  Dims dims = WithoutUnknown(type.shape()->dims());
  Dims values = {ragged_rank == 0 ? dims[0] : 0};
  values.insert(values.end(), dims.begin() + static_cast<std::ptrdiff_t>(ragged_rank) + 1,
                dims.end());
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, ZerosOf(build, ragged.dtype(), values));
  made.spec = type;
  for (size_t i = 0; i < ragged_rank; ++i) {
    const int64_t count = i == 0 ? dims[0] + 1 : 1;
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                            ZerosOf(build, ragged.splits_dtype(), std::span(&count, 1)));
    made.components.push_back(splits.components[0]);
  }
  return made;
}

StatusOr<GraphValue> EmptyStructure(OpBuilder& build, const TypeSpec& type) {
  const auto& structure = *type.As<StructuredSpec>();
  StructureParts parts{structure.shape(), {}, {}, {}};
  const int64_t num_rows = std::max<int64_t>(parts.shape.dim(0), 0);
  parts.nrows = Int64Constant(build, num_rows);
  for (size_t i = 0; i < type.children().size(); ++i) {
    const TypeSpec& field = type.children()[i];
    SIGNET_ASSIGN_OR_RETURN(TypeSpec exact,
                            field.rep().Rebuild(field.shape()->WithDim(0, num_rows), {}));
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, MakePlaceholder(build, exact));
    parts.fields.push_back({structure.field_names()[i], std::move(value), true});
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, MakeStructureValue(build, std::move(parts)));
  return GraphValue{type, made.components};
}

bool IsTensorOrRagged(const TypeSpec& spec) {
  return (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged)) && spec.shape()->has_rank();
}

}  // namespace

bool IsOptionalValue(const TypeSpec& spec) {
  const auto* extension = spec.As<ExtensionSpec>();
  if (extension == nullptr || extension->name() != kOptionalName ||
      extension->component_names().size() != 2 || !extension->statics().empty() ||
      extension->component_names()[kPresentIndex] != "present" ||
      extension->component_names()[kValueIndex] != "value") {
    return false;
  }
  const TypeSpec& present = spec.children()[kPresentIndex];
  if (const auto* literal = present.As<LiteralSpec>()) {
    return literal->literal().is(Literal::Kind::kBool);
  }
  return present == TensorType(DType::kBool, Shape{});
}

TypeSpec OptionalType(TypeSpec present, TypeSpec value) {
  auto type = MakeExtensionType(kOptionalName, {},
                                {{"present", std::move(present)}, {"value", std::move(value)}});
  SIGNET_CHECK(type.ok());
  return *std::move(type);
}

TypeSpec AsOptional(const TypeSpec& value) {
  if (IsOptionalValue(value)) return value;
  return OptionalType(LiteralType(Literal::Bool(!IsNone(value))), value);
}

GraphValue AsOptional(const GraphValue& value) {
  return GraphValue{AsOptional(value.spec), value.components};
}

GraphValue PresentOf(const GraphValue& optional) { return ChildOf(optional, kPresentIndex); }
GraphValue ValueOf(const GraphValue& optional) { return ChildOf(optional, kValueIndex); }

StatusOr<GraphValue> MakePlaceholder(OpBuilder& build, const TypeSpec& type) {
  if (const auto* tensor = type.As<TensorSpec>()) {
    Dims dims;
    if (tensor->shape().has_rank()) dims = WithoutUnknown(tensor->shape().dims());
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, ZerosOf(build, tensor->dtype(), dims));
    return GraphValue{type, made.components};
  }
  if (type.is(TypeKind::kRagged) && IsTensorOrRagged(type)) return EmptyRows(build, type);
  if (type.is(TypeKind::kLiteral)) return GraphValue{type, {}};
  const auto* structure = type.As<StructuredSpec>();
  if (structure != nullptr && structure->rank() == 1 && !type.children().empty() &&
      std::all_of(type.children().begin(), type.children().end(), IsTensorOrRagged)) {
    return EmptyStructure(build, type);
  }
  const bool is_nest = type.is(TypeKind::kList) || type.is(TypeKind::kTuple) ||
                       type.is(TypeKind::kDict) || type.is(TypeKind::kNamedTuple);
  if (!is_nest) {
    return Unimplemented("optional value: expected a tensor or a sequence, found `", type, "`");
  }
  std::vector<GraphValue> children;
  for (const TypeSpec& child : type.children()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, MakePlaceholder(build, child));
    children.push_back(std::move(made));
  }
  return Joined(type, children);
}

}  // namespace signet
