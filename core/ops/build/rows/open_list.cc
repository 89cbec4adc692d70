#include "core/ops/build/rows/open_list.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

constexpr char kField[] = "element";
constexpr char kShapes[] = "shape";  // only in a mixed list
constexpr char kReturnedName[] = "onnx.Sequence";

// The common form of elements of one or more types.
struct ElementForm {
  DType dtype;
  Dims sizes = {};        // kUnknownDim: not known, or not equal
  int ragged_rank = 0;    // the ragged rank of the column
  bool is_mixed = false;  // the ranks differ or are not known, and `sizes` is not used
};

int RaggedRankOf(const TypeSpec& column) {
  const auto* ragged = column.As<RaggedSpec>();
  return ragged == nullptr ? 0 : ragged->ragged_rank();
}

bool IsColumnOfElements(const TypeSpec& spec) {
  return (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged)) && spec.shape()->has_rank() &&
         spec.shape()->rank() > 0;
}

DType DTypeOfColumn(const TypeSpec& column) {
  const auto* ragged = column.As<RaggedSpec>();
  return ragged != nullptr ? ragged->dtype() : column.As<TensorSpec>()->dtype();
}

// Returns the form of one element, or of the elements of a column.
std::optional<ElementForm> FormOf(const TypeSpec& spec, bool is_column) {
  if (!spec.is(TypeKind::kTensor) && !(is_column && spec.is(TypeKind::kRagged))) {
    return std::nullopt;
  }
  const DType dtype = DTypeOfColumn(spec);
  if (!spec.shape()->has_rank()) return ElementForm{.dtype = dtype, .is_mixed = true};
  auto dims = spec.shape()->dims().subspan(is_column ? 1 : 0);
  return ElementForm{dtype, Dims(dims.begin(), dims.end()), is_column ? RaggedRankOf(spec) : 0};
}

StatusOr<TypeSpec> MixedListType(DType dtype) {
  const PartialShape rows = {kUnknownDim, kUnknownDim};
  SIGNET_ASSIGN_OR_RETURN(TypeSpec values, MakeRaggedType(dtype, rows, 1, DType::kInt64));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec shapes, MakeRaggedType(DType::kInt64, rows, 1, DType::kInt64));
  return MakeStructuredType(PartialShape{kUnknownDim},
                            {{kField, std::move(values)}, {kShapes, std::move(shapes)}});
}

// Returns `column`, which has rank 2, with int64 row splits.
StatusOr<GraphValue> AsRaggedRows(OpBuilder& build, const GraphValue& column) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue ragged, AsRagged(build, column, 1));
  RaggedParts parts = RaggedPartsOf(ragged);
  SIGNET_ASSIGN_OR_RETURN(parts.splits[0], Int64Splits(build, parts.splits[0]));
  return MakeRaggedValue(parts, *column.spec.shape());
}

// Makes a mixed list of `count` elements.
StatusOr<GraphValue> MakeMixedList(OpBuilder& build, const GraphValue& count,
                                   const GraphValue& values, const GraphValue& shapes) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue value_rows, AsRaggedRows(build, values));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape_rows, AsRaggedRows(build, shapes));
  SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                          MakeStructureValue(build, {PartialShape{kUnknownDim},
                                                     count,
                                                     {},
                                                     {{kField, std::move(value_rows), true},
                                                      {kShapes, std::move(shape_rows), true}}}));
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, MixedListType(DTypeOfColumn(values.spec)));
  if (!IsSubtype(made.spec, type)) return Internal("`", made.spec, "` is not a mixed list");
  return GraphValue{std::move(type), std::move(made.components)};
}

StatusOr<GraphValue> AsOneRow(OpBuilder& build, const GraphValue& x) {
  return build.ExpandDims(x, {.axis = 0});
}

// Makes a mixed list of one tensor.
StatusOr<GraphValue> MixedListOfOne(OpBuilder& build, const GraphValue& element) {
  const int64_t all = -1;
  SIGNET_ASSIGN_OR_RETURN(GraphValue values,
                          build.Reshape(element, {.shape = std::span<const int64_t>(&all, 1)}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, build.Shape(element));
  SIGNET_ASSIGN_OR_RETURN(values, AsOneRow(build, values));
  SIGNET_ASSIGN_OR_RETURN(shape, AsOneRow(build, shape));
  return MakeMixedList(build, Int64Constant(build, 1), values, shape);
}

// Returns the size of dimension `dim` of each of `count` elements, int64[count]. In an element that
// is known to be dense, the length of the longest row is the size.
StatusOr<GraphValue> SizesOfElements(OpBuilder& build, const Rows& rows, int dim,
                                     const GraphValue& count) {
  const RowDim& own = rows.dims[static_cast<size_t>(dim)];
  if (own.is_uniform()) {
    return build.Fill(own.length, AsOneRow(build, count));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue lengths, build.RowLengths(own.splits));
  if (dim == 1) return lengths;
  return build.Maximum(build.SegmentMax(lengths, Compose(build, rows, 0, dim - 1)),
                       Int64Constant(build, 0));  // the size if an element has no rows
}

// Converts a column whose elements have the same rank to a mixed list.
StatusOr<GraphValue> MixedListOfColumn(OpBuilder& build, const GraphValue& column) {
  const int rank = column.spec.shape()->rank() - 1;
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, column));
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenToTensor(build, column, rank + 1));
  std::vector<GraphValue> sizes;
  for (int dim = 1; dim <= rank; ++dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue each, SizesOfElements(build, opened.rows, dim, count));
    sizes.push_back(std::move(each));
  }
  GraphValue shapes;
  if (sizes.empty()) {
    GraphValue no_sizes = build.Constant(Tensor::Of<int64_t>({1, 0}, {}));
    SIGNET_ASSIGN_OR_RETURN(
        shapes, build.BroadcastTo(no_sizes, build.Stack({count, Int64Constant(build, 0)})));
    opened.rows.dims.push_back(UniformDim(build, 1));
  } else {
    SIGNET_ASSIGN_OR_RETURN(shapes, build.Stack(sizes, {.axis = 1}));
    SIGNET_ASSIGN_OR_RETURN(opened.rows, JoinDims(build, opened.rows, 1, rank));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue values, CloseRows(build, opened.rows, opened.elements));
  return MakeMixedList(build, count, values, shapes);
}

// Merges `form` into `all`. Returns false if they have no common form.
bool Join(const std::optional<ElementForm>& form, std::optional<ElementForm>& all) {
  if (!form) return false;
  if (!all) {
    all = form;
    return true;
  }
  if (form->dtype != all->dtype) return false;
  all->is_mixed = all->is_mixed || form->is_mixed || form->sizes.size() != all->sizes.size();
  if (all->is_mixed) return true;
  all->ragged_rank = std::max(all->ragged_rank, form->ragged_rank);
  for (size_t i = 0; i < all->sizes.size(); ++i) {
    if (form->sizes[i] != all->sizes[i]) all->sizes[i] = kUnknownDim;
  }
  return true;
}

bool JoinList(const TypeSpec& list, std::optional<ElementForm>& all) {
  if (IsMixedList(list)) {
    return Join(ElementForm{.dtype = DTypeOfColumn(list.children()[0]), .is_mixed = true}, all);
  }
  if (IsOpenList(list)) return Join(FormOf(list.children()[0], true), all);
  if (!list.is(TypeKind::kList)) return false;
  return std::all_of(list.children().begin(), list.children().end(),
                     [&](const TypeSpec& element) { return Join(FormOf(element, false), all); });
}

// Makes a column of type `column` without rows.
StatusOr<GraphValue> EmptyColumn(OpBuilder& build, const TypeSpec& column) {
  int ragged_rank = RaggedRankOf(column);
  auto form = *FormOf(column, true);
  Dims dims = {0};
  for (size_t i = static_cast<size_t>(ragged_rank); i < form.sizes.size(); ++i) {
    dims.push_back(std::max<int64_t>(form.sizes[i], 0));
  }
  Shape shape{std::span<const int64_t>(dims)};
  SIGNET_ASSIGN_OR_RETURN(Tensor values, form.dtype == DType::kString
                                             ? Tensor::Strings(shape, {})
                                             : Tensor::Allocate(form.dtype, shape));
  GraphValue made{column, build.Constant(std::move(values)).components};
  GraphValue splits = build.Constant(Tensor::Of<int64_t>({1}, {0}));
  for (int i = 0; i < ragged_rank; ++i) made.components.push_back(splits.components[0]);
  return made;
}

}  // namespace

bool IsMixedList(const TypeSpec& spec) {
  const auto* structure = spec.As<StructuredSpec>();
  if (structure == nullptr || structure->rank() != 1 || structure->field_names().size() != 2 ||
      structure->field_names()[0] != kField || structure->field_names()[1] != kShapes) {
    return false;
  }
  auto is_rows = [](const TypeSpec& column) {
    return column.is(TypeKind::kRagged) && column.shape()->has_rank() &&
           column.shape()->rank() == 2 && RaggedRankOf(column) == 1 &&
           column.As<RaggedSpec>()->splits_dtype() == DType::kInt64;
  };
  const TypeSpec& shapes = spec.children()[1];
  return is_rows(spec.children()[0]) && is_rows(shapes) && DTypeOfColumn(shapes) == DType::kInt64;
}

bool IsOpenList(const TypeSpec& spec) {
  const auto* structure = spec.As<StructuredSpec>();
  bool is_plain = structure != nullptr && structure->rank() == 1 &&
                  structure->field_names().size() == 1 && structure->field_names()[0] == kField;
  return is_plain || IsMixedList(spec);
}

TypeSpec OpenListType(const TypeSpec& a, const TypeSpec& b) {
  std::optional<ElementForm> form;
  if (!JoinList(a, form) || !JoinList(b, form) || !form) return {};
  if (form->is_mixed) {
    auto mixed = MixedListType(form->dtype);
    return mixed.ok() ? *std::move(mixed) : TypeSpec();
  }
  Dims dims = {kUnknownDim};
  for (size_t i = 0; i < form->sizes.size(); ++i) {
    dims.push_back(form->sizes[i]);
    if (form->sizes[i] == kUnknownDim) {
      form->ragged_rank = std::max(form->ragged_rank, static_cast<int>(i) + 1);
    }
  }
  PartialShape shape{std::span<const int64_t>(dims)};
  auto column =
      form->ragged_rank == 0
          ? StatusOr<TypeSpec>(TensorType(form->dtype, std::move(shape)))
          : MakeRaggedType(form->dtype, std::move(shape), form->ragged_rank, DType::kInt64);
  if (!column.ok()) return {};
  auto made = MakeStructuredType(PartialShape{kUnknownDim}, {{kField, *std::move(column)}});
  return made.ok() ? *std::move(made) : TypeSpec();
}

StatusOr<GraphValue> MixedList(OpBuilder& build, const GraphValue& list, DType dtype) {
  if (IsMixedList(list.spec)) return list;
  if (IsOpenList(list.spec)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(list));
    if (IsColumnOfElements(column.spec)) return MixedListOfColumn(build, column);
    return Unimplemented("`", list.spec, "`: expected elements of known rank");
  }
  SIGNET_ASSIGN_OR_RETURN(TypeSpec type, MixedListType(dtype));
  std::vector<GraphValue> rows;
  for (size_t i = 0; i < list.spec.children().size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, MixedListOfOne(build, ChildOf(list, i)));
    rows.push_back(std::move(row));
  }
  if (rows.empty()) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue values, EmptyColumn(build, type.children()[0]));
    SIGNET_ASSIGN_OR_RETURN(GraphValue shapes, EmptyColumn(build, type.children()[1]));
    return MakeMixedList(build, Int64Constant(build, 0), values, shapes);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, JoinRows(build, rows));
  return GraphValue{std::move(type), std::move(joined.components)};
}

StatusOr<GraphValue> OpenList(OpBuilder& build, const GraphValue& list, const TypeSpec& type) {
  const TypeSpec& column = type.children()[0];
  if (IsMixedList(type)) return MixedList(build, list, DTypeOfColumn(column));
  std::vector<GraphValue> rows;
  for (size_t i = 0; i < list.spec.children().size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue row, build.ExpandDims(ChildOf(list, i), {.axis = 0}));
    SIGNET_ASSIGN_OR_RETURN(row, AsRagged(build, row, RaggedRankOf(column)));
    rows.push_back(std::move(row));
  }
  GraphValue joined;
  if (rows.empty()) {
    SIGNET_ASSIGN_OR_RETURN(joined, EmptyColumn(build, column));
  } else {
    SIGNET_ASSIGN_OR_RETURN(joined, JoinRows(build, rows));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue made, OpenListOf(build, joined));
  return GraphValue{type, made.components};
}

StatusOr<GraphValue> OpenListOf(OpBuilder& build, const GraphValue& column) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(build, column));
  PartialShape shape{column.spec.shape()->dim(0)};
  return MakeStructureValue(build, {std::move(shape), count, {}, {{kField, column, true}}});
}

StatusOr<GraphValue> ColumnOf(const GraphValue& list) { return FieldValue(list, kField); }

StatusOr<GraphValue> ShapesOf(const GraphValue& mixed) { return FieldValue(mixed, kShapes); }

TypeSpec ReturnedListType(const TypeSpec& elements) {
  auto type = MakeExtensionType(kReturnedName, {}, {{"elements", elements}});
  SIGNET_CHECK(type.ok());
  return *std::move(type);
}

bool IsReturnedList(const TypeSpec& spec) {
  const auto* extension = spec.As<ExtensionSpec>();
  return extension != nullptr && extension->name() == kReturnedName &&
         spec.children().size() == 1 && extension->statics().empty() &&
         extension->component_names()[0] == "elements";
}

}  // namespace signet
