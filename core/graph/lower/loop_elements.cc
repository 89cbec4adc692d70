#include "core/graph/lower/loop_elements.h"

#include <algorithm>

#include "core/graph/body/graph.h"
#include "core/graph/lower/coerce.h"
#include "core/graph/lower/extension_types.h"
#include "core/graph/lower/flat_builder.h"
#include "core/graph/lower/inliner.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_rows.h"
#include "signet/extension_spec.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

Status CheckBatches(const CallExpander& build, const TypeSpec& spec) {
  const ExtensionTypes* types = build.library().types();
  const ExtensionProtocol* type =
      types == nullptr ? nullptr : types->Lookup(spec.As<ExtensionSpec>()->name());
  if (type != nullptr && type->declaration().batches) return absl::OkStatus();
  return WithConstraint(
      "C1", Unimplemented("expected values of an extension type that stacks, found `", spec, "`; ",
                          type == nullptr ? "the model does not declare this type"
                                          : "its declaration sets `batching` to `NEVER`"));
}

// Returns `value` with extension values replaced by tuples of their components, and `change`
// applied to other leaves.
StatusOr<GraphValue> InParts(CallExpander& build, const GraphValue& value, ChangeLeaf change) {
  return MapLeaves(value, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
    if (!leaf.spec.is(TypeKind::kExtension)) return change(leaf);
    SIGNET_RETURN_IF_ERROR(CheckBatches(build, leaf.spec));
    std::vector<GraphValue> parts;
    for (size_t i = 0; i < leaf.spec.children().size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue part, InParts(build, ChildOf(leaf, i), change));
      parts.push_back(std::move(part));
    }
    return TupleOfValues(parts);
  });
}

// The inverse of InParts: `make` builds a leaf, whose type has the kind of `like`, from its parts.
// Extension values are checked; errors begin with `where`.
using MakeLeaf = absl::FunctionRef<StatusOr<GraphValue>(const GraphValue& parts,
                                                        const TypeSpec& like, bool in_extension)>;

StatusOr<GraphValue> OfParts(CallExpander& build, const GraphValue& parts, const TypeSpec& like,
                             std::string_view where, MakeLeaf make, bool in_extension = false) {
  if (IsStatic(like)) return parts;
  const bool is_extension = like.is(TypeKind::kExtension);
  if (!is_extension && !IsNest(like)) return make(parts, like, in_extension);
  std::vector<GraphValue> children;
  std::vector<TypeSpec> types;
  for (size_t i = 0; i < like.children().size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue child, OfParts(build, ChildOf(parts, i), like.children()[i],
                                                      where, make, in_extension || is_extension));
    types.push_back(child.spec);
    children.push_back(std::move(child));
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, like.rep().Rebuild(PartialShape(), std::move(types)));
  GraphValue made = Joined(std::move(type), children);
  if (is_extension) {
    SIGNET_RETURN_IF_ERROR(build.CheckExtensions(made, where));
  }
  return made;
}

// Returns `tensor` declared as ragged, although it has no row partitions.
StatusOr<GraphValue> AsDeclaredRagged(const GraphValue& tensor) {
  const auto& spec = *tensor.spec.As<TensorSpec>();
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                          MakeRaggedType(spec.dtype(), spec.shape(), 0, DType::kInt64));
  return GraphValue{std::move(type), tensor.components};
}

StatusOr<GraphValue> PartsOfStack(CallExpander& build, const GraphValue& leaf) {
  const PartialShape& shape = *leaf.spec.shape();
  if (!shape.has_rank() || shape.rank() == 0) {
    return WithConstraint(
        "C1",
        InvalidArgument("elements: expected values of rank at least 1, found `", leaf.spec, "`"));
  }
  if (!leaf.spec.is(TypeKind::kSparse)) return leaf;
  SIGNET_ASSIGN_OR_RETURN(SparseParts sparse, SparsePartsOf(build, leaf, "unstack"));
  SIGNET_ASSIGN_OR_RETURN(SparseRows rows, OpenSparseRows(build, sparse));
  // All elements have one shape.
  SIGNET_ASSIGN_OR_RETURN(GraphValue count,
                          build.ExpandDims(SizeAt(build, sparse, 0), {.axis = 0}));
  const int64_t others[] = {sparse.rank() - 1};
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue shapes,
      build.BroadcastTo(rows.row.dense_shape, build.Concat({count, Int64Vector(build, others)})));
  return TupleOfValues(std::vector<GraphValue>{rows.indices, rows.values, shapes});
}

// Records that the rows of ragged values and columns, which are tensors in `element` of `stack`,
// vary from iteration to iteration.
void NoteRows(CallExpander& build, const GraphValue& element, const TypeSpec& stack) {
  FlatBuilder* builder = build.AsBuilder();
  if (builder == nullptr) return;
  if (const auto* structure = element.spec.As<StructuredSpec>()) {
    const auto& stacks = *stack.As<StructuredSpec>();
    for (const std::string& name : structure->field_names()) {
      NoteRows(build, *FieldValue(element, name), stacks.LookupField(name));
    }
    return;
  }
  const auto* ragged = stack.As<RaggedSpec>();
  bool is_row = ragged != nullptr && ragged->ragged_rank() == 1;
  if (is_row && element.components.size() == 1) builder->dimensions().SetVarying(element);
}

// Declares a tensor, or the columns of a record, as ragged if its first dimension varies from
// iteration to iteration, so that the results of all iterations are stacked into rows.
StatusOr<GraphValue> WithDeclaredRows(CallExpander& build, const GraphValue& value) {
  const FlatBuilder* builder = build.AsBuilder();
  if (value.spec.is(TypeKind::kTensor)) {
    bool varies = builder != nullptr && builder->dimensions().Varies(value);
    return varies ? AsDeclaredRagged(value) : value;
  }
  const auto* structure = value.spec.As<StructuredSpec>();
  if (structure == nullptr || structure->rank() > 0) return value;
  StructureParts parts = StructurePartsOf(value);
  for (FieldPart& field : parts.fields) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue declared, WithDeclaredRows(build, field.value));
    field.value = std::move(declared);
  }
  return MakeStructureValue(build, std::move(parts));
}

// Builds an element from its parts. A component that is declared ragged remains ragged, although
// one element has no row partitions.
StatusOr<GraphValue> ElementLeaf(OpBuilder& build, const GraphValue& parts, const TypeSpec& stack,
                                 bool in_extension) {
  if (const auto* sparse = stack.As<SparseSpec>()) {
    const PartialShape& shape = sparse->shape();
    return MakeSparseValue(build, {ChildOf(parts, 0), ChildOf(parts, 1), ChildOf(parts, 2),
                                   shape.Slice(1, shape.rank())});
  }
  bool declared = in_extension && stack.is(TypeKind::kRagged) && parts.spec.is(TypeKind::kTensor) &&
                  stack.As<RaggedSpec>()->ragged_rank() == 1;
  return declared ? AsDeclaredRagged(parts) : parts;
}

// Returns `value` with row partitions between its first `depth` dimensions, which are the
// dimensions of its structure, or the dimension of the iterations. The partitions differ from
// iteration to iteration. With `ragged`, the later dimensions have row partitions, too.
StatusOr<GraphValue> WithOpenRows(OpBuilder& build, const GraphValue& value, int depth,
                                  bool ragged) {
  if (value.spec.is(TypeKind::kStructured)) {
    StructureParts parts = StructurePartsOf(value);
    for (FieldPart& field : parts.fields) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue open,
                              WithOpenRows(build, field.value, parts.shape.rank(), ragged));
      field.fits = open.components == field.value.components;
      field.value = std::move(open);
    }
    return MakeStructureValue(build, std::move(parts));
  }
  const auto* has = value.spec.As<RaggedSpec>();
  int wanted = std::min(value.spec.shape()->rank() - 1, ragged ? depth : depth - 1);
  if (wanted <= (has == nullptr ? 0 : has->ragged_rank())) return value;
  return AsRagged(build, value, wanted);
}

StatusOr<GraphValue> StackOfOne(OpBuilder& build, const GraphValue& leaf, bool ragged) {
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, leaf, 0));
  return WithOpenRows(build, opened.elements, 1, ragged);
}

StatusOr<GraphValue> LeafOfOne(OpBuilder& build, const GraphValue& leaf, bool ragged) {
  if (const PartialShape* shape = leaf.spec.shape(); shape != nullptr && !shape->has_rank()) {
    return Unimplemented("the results of iterations: expected one known rank, found `", leaf.spec,
                         "`; results of different ranks cannot be stacked");
  }
  if (!leaf.spec.is(TypeKind::kSparse)) return StackOfOne(build, leaf, ragged);
  SIGNET_ASSIGN_OR_RETURN(SparseParts sparse, SparsePartsOf(build, leaf, "stack"));
  std::vector<GraphValue> parts;
  for (const GraphValue& entries : {sparse.indices, sparse.values}) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue open, AsDeclaredRagged(entries));
    SIGNET_ASSIGN_OR_RETURN(open, StackOfOne(build, open, false));
    parts.push_back(std::move(open));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, StackOfOne(build, sparse.dense_shape, false));
  parts.push_back(std::move(shape));
  return TupleOfValues(parts);
}

// Builds a stack of sparse values, with the maximum of their sizes.
StatusOr<GraphValue> SparseStack(OpBuilder& build, const GraphValue& parts,
                                 const TypeSpec& element) {
  SparseRows rows{ChildOf(parts, 0), ChildOf(parts, 1), {}};
  rows.row.shape = element.As<SparseSpec>()->shape();
  if (rows.row.shape.IsFullyDefined()) {
    rows.row.dense_shape = Int64Vector(build, rows.row.shape.dims());
  } else {
    // Without iterations, the sizes are 0.
    const auto rank = static_cast<size_t>(rows.row.shape.rank());
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue none,
        build.ExpandDims(Int64Vector(build, std::vector<int64_t>(rank)), {.axis = 0}));
    SIGNET_ASSIGN_OR_RETURN(rows.row.dense_shape,
                            build.ReduceMax(build.Concat({none, ChildOf(parts, 2)}), {.axes = 0}));
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts stack, CloseSparseRows(build, rows));
  return MakeSparseValue(build, stack);
}

}  // namespace

StatusOr<std::vector<GraphValue>> PartsOfStacks(CallExpander& build,
                                                std::span<const GraphValue> stacks) {
  std::vector<GraphValue> out;
  for (const GraphValue& stack : stacks) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue parts, InParts(build, stack, [&](const GraphValue& leaf) {
                              return PartsOfStack(build, leaf);
                            }));
    out.push_back(std::move(parts));
  }
  return out;
}

StatusOr<GraphValue> CountElements(OpBuilder& build, std::span<const GraphValue> parts) {
  GraphValue count;
  for (const GraphValue& each : parts) {
    auto counted = MapLeaves(each, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
      SIGNET_ASSIGN_OR_RETURN(GraphValue rows, CountRows(build, leaf));
      if (!count.spec) {
        count = std::move(rows);
      } else if (count.components != rows.components) {
        SIGNET_ASSIGN_OR_RETURN(count, build.CheckSameSize(count, rows));
      }
      return leaf;
    });
    SIGNET_RETURN_IF_ERROR(counted.status());
  }
  if (!count.spec)
    return WithConstraint(
        "C1", InvalidArgument("expected at least one tensor with elements, found none"));
  return count;
}

StatusOr<std::vector<GraphValue>> ElementsAt(CallExpander& build,
                                             std::span<const GraphValue> stacks,
                                             std::span<const GraphValue> parts,
                                             const GraphValue& round) {
  std::vector<GraphValue> found;
  for (size_t i = 0; i < stacks.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue own, MapLeaves(parts[i], [&](const GraphValue& leaf) {
                              return build.Gather(leaf, round);
                            }));
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue element,
        OfParts(build, own, stacks[i].spec, "",
                [&](const GraphValue& leaf, const TypeSpec& stack, bool in_extension) {
                  if (!stack.is(TypeKind::kSparse)) NoteRows(build, leaf, stack);
                  return ElementLeaf(build, leaf, stack, in_extension);
                }));
    found.push_back(std::move(element));
  }
  return found;
}

StatusOr<GraphValue> WithRowsDeclared(CallExpander& build, const GraphValue& result) {
  return MapLeaves(result, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
    return WithDeclaredRows(build, leaf);
  });
}

void NoteNumberOfElements(CallExpander& build, std::span<const GraphValue> inputs,
                          const GraphValue& stack) {
  FlatBuilder* builder = build.AsBuilder();
  if (builder == nullptr || builder->dimensions().is_empty()) return;
  auto visit_tensors = [](const GraphValue& value, auto visit) {
    MapLeaves(value, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
      if (leaf.spec.is(TypeKind::kTensor)) visit(leaf);
      return leaf;
    }).IgnoreError();
  };
  DimensionIds& dimensions = builder->dimensions();
  bool varies = false;
  for (const GraphValue& input : inputs) {
    visit_tensors(input, [&](const GraphValue& leaf) { varies |= dimensions.Varies(leaf); });
  }
  if (varies) {
    visit_tensors(stack, [&](const GraphValue& leaf) { dimensions.SetVarying(leaf); });
    return;
  }
  // The rows that all inputs share, if known.
  DimensionId rows = kUnidentified;
  bool is_one = true;
  auto visit = [&](const GraphValue& value, auto use) {
    MapLeaves(value, [&](const GraphValue& leaf) -> StatusOr<GraphValue> {
      use(leaf);
      return leaf;
    }).IgnoreError();
  };
  for (const GraphValue& input : inputs) {
    visit(input, [&](const GraphValue& leaf) {
      DimensionId own = dimensions.RowsOf(leaf);
      if (own == kUnidentified || dimensions.registry()->IsUnnamed(own)) return;
      is_one = is_one && (rows == kUnidentified || rows == own);
      rows = own;
    });
  }
  if (!is_one) return;
  visit(stack, [&](const GraphValue& leaf) { dimensions.SetRows(leaf, rows); });
}

StatusOr<GraphValue> PartsOfOne(CallExpander& build, const GraphValue& element, bool ragged) {
  return InParts(build, element,
                 [&](const GraphValue& leaf) { return LeafOfOne(build, leaf, ragged); });
}

StatusOr<GraphValue> StackOfParts(CallExpander& build, const GraphValue& parts,
                                  const TypeSpec& element) {
  return OfParts(build, parts, element, "the stacked results",
                 [&](const GraphValue& leaf, const TypeSpec& like, bool) -> StatusOr<GraphValue> {
                   if (!like.is(TypeKind::kSparse)) return leaf;
                   return SparseStack(build, leaf, like);
                 });
}

StatusOr<GraphValue> StackElements(CallExpander& build, std::span<const GraphValue> elements,
                                   bool ragged) {
  std::vector<TypeSpec> types;
  for (const GraphValue& element : elements) types.push_back(element.spec);
  auto type = JoinValueTypes(build.library(), types);
  if (!type.ok()) return At("the results of iterations", type.status());
  std::vector<GraphValue> parts;
  for (const GraphValue& element : elements) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue value, CoerceTo(build, element, *type));
    SIGNET_ASSIGN_OR_RETURN(value, PartsOfOne(build, value, ragged));
    parts.push_back(std::move(value));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, build.Concat(parts, {.axis = 0}));
  return StackOfParts(build, joined, *type);
}

}  // namespace signet
