#include "core/values/builders/builder_node.h"

#include <algorithm>
#include <numeric>

#include "core/types/default_value.h"
#include "signet/extension_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

BuilderAxis MakeAxis(int64_t declared, bool has_splits) {
  BuilderAxis axis;
  axis.declared = declared;
  axis.is_uniform = !has_splits;
  axis.has_splits = has_splits;
  return axis;
}

std::vector<std::string> NamesOf(std::span<const std::string> names) {
  return {names.begin(), names.end()};
}

// Returns the row splits of a finished axis.
StatusOr<Tensor> TakeSplits(BuilderAxis& axis, DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(Buffer ends, std::move(axis.splits).FinishBehindZero());
  auto size = static_cast<int64_t>(ends.size() / sizeof(int64_t));
  if (dtype == DType::kInt64) return Tensor::Make(dtype, {size}, std::move(ends));
  if (axis.count > INT32_MAX) {
    return WithReason(
        "OUT_OF_RANGE",
        OutOfRange(axis.count, " values exceed the limit of int32 row splits, ", INT32_MAX));
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor splits, Tensor::Allocate(dtype, {size}));
  const auto* end = reinterpret_cast<const int64_t*>(ends.data());
  std::transform(end, end + size, splits.mutable_elements<int32_t>(),
                 [](int64_t each) { return static_cast<int32_t>(each); });
  return splits;
}

StatusOr<Tensor> TakeStrings(BuilderNode& node, Shape shape) {
  SIGNET_ASSIGN_OR_RETURN(Buffer offsets, std::move(node.data).FinishBehindZero());
  return Tensor::MakeString(std::move(shape), std::move(offsets), std::move(node.text).Finish());
}

}  // namespace

int BuilderNode::Lookup(std::string_view name) {
  size_t index = Expected();
  if (index >= names.size() || names[index] != name) {
    int found = IndexOf(name);
    if (found < 0) return -1;
    index = static_cast<size_t>(found);
    if (position < order.size()) order[position] = index;
  }
  ++position;
  return static_cast<int>(index);
}

void BuilderNode::AllowScalarAt(int axis) {
  const auto first = axes.begin() + std::min<std::ptrdiff_t>(axis, std::ssize(axes));
  const bool has_ones =
      std::all_of(first, axes.end(), [](const BuilderAxis& one) { return one.declared == 1; });
  if (kind == Kind::kColumn && !is_open && has_ones && first != axes.end()) scalar_axis = axis;
}

int BuilderNode::IndexOf(std::string_view name) const {
  auto found = is_sorted ? std::lower_bound(names.begin(), names.end(), name)
                         : std::find(names.begin(), names.end(), name);
  if (found == names.end() || *found != name) return -1;
  return static_cast<int>(found - names.begin());
}

Status BuilderTree::Compile(const TypeSpec& spec) {
  SIGNET_ASSIGN_OR_RETURN(root_, CompileNode(spec, {}));
  return absl::OkStatus();
}

Status BuilderTree::CompileColumns(const TypeSpec& structured) {
  const auto& spec = *structured.As<StructuredSpec>();
  NamedTypes items;
  for (size_t i = 0; i < spec.children().size(); ++i) {
    items.emplace_back(spec.field_names()[i], spec.children()[i]);
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec dict, MakeDictType(std::move(items)));
  SIGNET_RETURN_IF_ERROR(Compile(dict));
  root_->has_columns = true;
  for (size_t i = 0; i < spec.children().size(); ++i) {
    BuilderNode& column = *root_->children[i];
    if (spec.IsOptionalChild(i)) column.presence_axis = 1;
    column.AllowScalarAt(spec.IsOptionalChild(i) ? 2 : 1);
    column.default_axis = 1;
    column.default_value = DefaultOfWhole(spec.children()[i], 1);
  }
  return absl::OkStatus();
}

BuilderNode* BuilderTree::Add(BuilderNode::Kind kind, const TypeSpec& spec) {
  BuilderNode& node = nodes_.emplace_back();
  node.kind = kind;
  node.spec = spec;
  return &node;
}

Status BuilderTree::CompileChildren(BuilderNode& node, std::span<const TypeSpec> types,
                                    const Axes& outer) {
  for (const TypeSpec& type : types) {
    SIGNET_ASSIGN_OR_RETURN(BuilderNode * child, CompileNode(type, outer));
    bool is_optional = node.spec.is(TypeKind::kStructured) &&
                       node.spec.rep().IsOptionalChild(node.children.size());
    if (is_optional) child->presence_axis = 0;
    if (node.spec.is(TypeKind::kStructured)) child->AllowScalarAt(is_optional ? 1 : 0);
    node.children.push_back(child);
  }
  node.seen.assign(types.size(), 0);
  node.order.resize(types.size());
  std::iota(node.order.begin(), node.order.end(), size_t{0});
  node.is_sorted = std::is_sorted(node.names.begin(), node.names.end());
  return absl::OkStatus();
}

StatusOr<BuilderNode*> BuilderTree::CompileNode(const TypeSpec& spec, const Axes& outer) {
  using Kind = BuilderNode::Kind;
  auto record = [&](std::vector<std::string> names,
                    std::span<const TypeSpec> types) -> StatusOr<BuilderNode*> {
    BuilderNode* node = Add(Kind::kRecord, spec);
    node->names = std::move(names);
    SIGNET_RETURN_IF_ERROR(CompileChildren(*node, types, {}));
    return node;
  };
  switch (spec.kind()) {
    case TypeKind::kTensor:
      return CompileColumn(spec, spec.As<TensorSpec>()->dtype(), 0, outer);
    case TypeKind::kRagged:
      return CompileColumn(spec, spec.As<RaggedSpec>()->dtype(),
                           spec.As<RaggedSpec>()->ragged_rank(), outer);
    case TypeKind::kStructured:
      return CompileStructure(spec, outer);
    case TypeKind::kSparse: {
      std::vector<TypeSpec> types;
      for (auto& component : ComponentsOf(spec)) types.push_back(std::move(component.spec));
      return record({"indices", "values", "dense_shape"}, types);
    }
    case TypeKind::kDict:
      return record(NamesOf(spec.As<DictSpec>()->keys()), spec.children());
    case TypeKind::kNamedTuple:
      return record(NamesOf(spec.As<NamedTupleSpec>()->field_names()), spec.children());
    case TypeKind::kExtension:
      return record(NamesOf(spec.As<ExtensionSpec>()->component_names()), spec.children());
    case TypeKind::kList:
    case TypeKind::kTuple: {
      BuilderNode* node = Add(Kind::kSequence, spec);
      SIGNET_RETURN_IF_ERROR(CompileChildren(*node, spec.children(), {}));
      return node;
    }
    case TypeKind::kLiteral:
      return Add(Kind::kLiteral, spec);
    case TypeKind::kAny:
      return InvalidWithReason("STRUCTURE_MISMATCH",
                               "expected a type that values can have, found `", spec, "`");
  }
  __builtin_unreachable();
}

StatusOr<BuilderNode*> BuilderTree::CompileColumn(const TypeSpec& spec, DType dtype,
                                                  int ragged_rank, const Axes& outer) {
  BuilderNode* node = Add(BuilderNode::Kind::kColumn, spec);
  node->dtype = dtype;
  node->ragged_rank = ragged_rank;
  if (const auto* ragged = spec.As<RaggedSpec>()) node->splits_dtype = ragged->splits_dtype();
  const PartialShape& shape = *spec.shape();
  node->is_open = !shape.has_rank();
  int rank = shape.has_rank() ? shape.rank() : (ragged_rank > 0 ? ragged_rank + 1 : 0);
  auto shared = static_cast<int>(outer.size());
  node->default_value = DefaultOfWhole(spec, shared);
  node->default_element = DefaultOfElement(spec);
  // If the surrounding structure has more axes than this column has partitions, the column is dense
  // there.
  for (int axis = ragged_rank + 1; axis < shared; ++axis) {
    outer[static_cast<size_t>(axis)]->is_uniform = true;
  }
  for (int axis = shared; axis < rank; ++axis) {
    bool has_splits = axis > 0 && axis <= ragged_rank;
    node->axes.push_back(MakeAxis(shape.has_rank() ? shape.dim(axis) : kUnknownDim, has_splits));
  }
  if (IsComplex(dtype) && !node->is_open) {
    node->has_pairs = true;
    node->axes.push_back(MakeAxis(2, false));
  }
  return node;
}

StatusOr<BuilderNode*> BuilderTree::CompileStructure(const TypeSpec& spec, Axes outer) {
  const auto& structured = *spec.As<StructuredSpec>();
  BuilderNode* node = Add(BuilderNode::Kind::kStructure, spec);
  node->names = NamesOf(structured.field_names());
  for (auto axis = static_cast<int>(outer.size()); axis < structured.rank(); ++axis) {
    node->axes.push_back(MakeAxis(structured.shape().dim(axis), axis > 0));
  }
  for (BuilderAxis& axis : node->axes) outer.push_back(&axis);
  SIGNET_RETURN_IF_ERROR(CompileChildren(*node, spec.children(), outer));
  return node;
}

StatusOr<Value> BuilderTree::TakeValue() {
  SIGNET_ASSIGN_OR_RETURN(Components components, TakeComponents());
  // Only sparse values and sizes of unknown rank need these checks.
  SIGNET_ASSIGN_OR_RETURN(Value value, MakeValue(root_->spec, std::move(components)));
  TypeSpec exact = ExactSpecOf(value);
  return Value::Trusted(std::move(exact), {value.components().begin(), value.components().end()});
}

StatusOr<Components> BuilderTree::TakeComponents() {
  Components components;
  components.reserve(root_->spec.num_components());
  SIGNET_RETURN_IF_ERROR(Take(*root_, {}, components));
  return components;
}

Status BuilderTree::Take(BuilderNode& node, Axes outer, Components& out) {
  switch (node.kind) {
    case BuilderNode::Kind::kColumn:
      return TakeColumn(node, outer, out);
    case BuilderNode::Kind::kStructure:
      return TakeStructure(node, std::move(outer), out);
    case BuilderNode::Kind::kSequence:
    case BuilderNode::Kind::kRecord:
      for (BuilderNode* child : node.children) SIGNET_RETURN_IF_ERROR(Take(*child, {}, out));
      break;
    case BuilderNode::Kind::kLiteral:
      break;
  }
  if (node.spec.is(TypeKind::kSparse)) {
    // `indices: []` does not state its width, which is the rank.
    Tensor& indices = out[out.size() - 3];
    if (indices.shape().dim(0) == 0) {
      indices = indices.Reshaped({0, out.back().num_elements()});
    }
  }
  return absl::OkStatus();
}

Status BuilderTree::TakeColumn(BuilderNode& node, const Axes& outer, Components& out) {
  Axes axes = outer;
  for (BuilderAxis& axis : node.axes) axes.push_back(&axis);
  if (node.has_pairs) axes.pop_back();
  auto first = static_cast<size_t>(node.ragged_rank);  // the first axis of the flat values
  Shape shape;
  for (size_t i = first; i < axes.size(); ++i) {
    shape.push_back(i == first ? axes[i]->count : axes[i]->size());
  }
  auto values = node.dtype == DType::kString
                    ? TakeStrings(node, std::move(shape))
                    : Tensor::Make(node.dtype, std::move(shape), std::move(node.data).Finish());
  if (!values.ok()) return WithReason("SHAPE_MISMATCH", values.status());
  out.push_back(*std::move(values));
  for (size_t i = std::max<size_t>(outer.size(), 1); i <= first; ++i) {
    SIGNET_ASSIGN_OR_RETURN(Tensor splits, TakeSplits(*axes[i], node.splits_dtype));
    out.push_back(std::move(splits));
  }
  return absl::OkStatus();
}

Status BuilderTree::TakeStructure(BuilderNode& node, Axes outer, Components& out) {
  size_t shared = outer.size();
  for (BuilderAxis& axis : node.axes) outer.push_back(&axis);
  if (shared == 0 && !outer.empty()) out.push_back(Tensor::Scalar(outer[0]->count));
  for (size_t i = std::max<size_t>(shared, 1); i < outer.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(Tensor splits, TakeSplits(*outer[i], DType::kInt64));
    out.push_back(std::move(splits));
  }
  for (BuilderNode* field : node.children) SIGNET_RETURN_IF_ERROR(Take(*field, outer, out));
  return absl::OkStatus();
}

}  // namespace signet
