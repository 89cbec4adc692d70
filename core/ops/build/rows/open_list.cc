#include "core/ops/build/rows/open_list.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"

namespace signet {
namespace {

constexpr char kField[] = "element";

// What elements of one or more types have in common.
struct ElementForm {
  DType dtype;
  Dims sizes;       // kUnknownDim: not known, or not the same
  int ragged_rank;  // of the column
};

int RaggedRankOf(const TypeSpec& column) {
  const auto* ragged = column.As<RaggedSpec>();
  return ragged == nullptr ? 0 : ragged->ragged_rank();
}

// Of one element, or of a column of them.
std::optional<ElementForm> FormOf(const TypeSpec& spec, bool is_column) {
  std::optional<DType> dtype;
  if (const auto* tensor = spec.As<TensorSpec>()) dtype = tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>(); ragged != nullptr && is_column) {
    dtype = ragged->dtype();
  }
  if (!dtype || !spec.shape()->has_rank()) return std::nullopt;
  auto dims = spec.shape()->dims().subspan(is_column ? 1 : 0);
  return ElementForm{*dtype, Dims(dims.begin(), dims.end()), is_column ? RaggedRankOf(spec) : 0};
}

// Takes `form` into `all`; false where they have nothing in common.
bool Join(const std::optional<ElementForm>& form, std::optional<ElementForm>& all) {
  if (!form) return false;
  if (!all) {
    all = form;
    return true;
  }
  if (form->dtype != all->dtype || form->sizes.size() != all->sizes.size()) return false;
  all->ragged_rank = std::max(all->ragged_rank, form->ragged_rank);
  for (size_t i = 0; i < all->sizes.size(); ++i) {
    if (form->sizes[i] != all->sizes[i]) all->sizes[i] = kUnknownDim;
  }
  return true;
}

bool JoinList(const TypeSpec& list, std::optional<ElementForm>& all) {
  if (IsOpenList(list)) return Join(FormOf(list.children()[0], true), all);
  if (!list.is(TypeKind::kList)) return false;
  return std::all_of(list.children().begin(), list.children().end(),
                     [&](const TypeSpec& element) { return Join(FormOf(element, false), all); });
}

// No rows of `column`.
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

bool IsOpenList(const TypeSpec& spec) {
  const auto* structure = spec.As<StructuredSpec>();
  return structure != nullptr && structure->rank() == 1 && structure->field_names().size() == 1 &&
         structure->field_names()[0] == kField;
}

TypeSpec OpenListType(const TypeSpec& a, const TypeSpec& b) {
  std::optional<ElementForm> form;
  if (!JoinList(a, form) || !JoinList(b, form) || !form) return {};
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

StatusOr<GraphValue> OpenList(OpBuilder& build, const GraphValue& list, const TypeSpec& type) {
  const TypeSpec& column = type.children()[0];
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

}  // namespace signet
