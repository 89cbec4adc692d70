// Row elements: implements the functions of rows.h that move elements.

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/outer_dimension.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

// The selection from one level: positions, or a start and a count.
using Selection = std::vector<GraphValue>;

// Selects rows of a value. Calls one op per component.
class Picker {
 public:
  // `inner` is the op that returns, for row splits and a selection of rows, the new row splits and
  // the selection of their values. `leaf` is the op that returns the selected elements of a tensor.
  Picker(OpBuilder& build, std::string_view inner, std::string_view leaf)
      : build_(build), inner_(inner), leaf_(leaf) {}

  // `count` is the number of selected rows.
  StatusOr<GraphValue> Pick(const GraphValue& x, const Selection& rows, GraphValue count) {
    if (x.spec.is(TypeKind::kTensor)) return Leaf(x, rows);
    // The structure has only a number of rows. The selection is checked against rows without
    // values.
    if (x.spec.is(TypeKind::kStructured) && x.components.size() == 1) {
      std::vector<Selection> levels = {rows};
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                              build_.UniformRowSplits(ComponentOf(x, 0), Int64Constant(build_, 0)));
      SIGNET_ASSIGN_OR_RETURN(splits, Inner(splits, levels));
      SIGNET_ASSIGN_OR_RETURN(count, build_.NumRows(splits));
    }
    const Tensor* known = build_.LookupConstant(count.components[0]);
    SIGNET_ASSIGN_OR_RETURN(
        TypeSpec spec, WithRows(x.spec, known == nullptr ? kUnknownDim : known->scalar<int64_t>()));
    std::vector<GraphValue> components;
    std::vector<GraphValue> own;
    for (size_t i = 0; i < x.components.size(); ++i) own.push_back(ComponentOf(x, i));
    std::span<const GraphValue> rest(own);
    if (spec.is(TypeKind::kStructured)) {
      components.push_back(count);
      rest = rest.subspan(1);
    }
    SIGNET_RETURN_IF_ERROR(PickOwn(x.spec, 1, {rows}, rest, components));
    return Joined(std::move(spec), components);
  }

 private:
  StatusOr<GraphValue> Leaf(const GraphValue& tensor, const Selection& rows) {
    std::vector<GraphValue> inputs = {tensor};
    inputs.insert(inputs.end(), rows.begin(), rows.end());
    SIGNET_ASSIGN_OR_RETURN(auto outputs, build_.Call(leaf_, inputs, {}));
    return outputs[0];
  }

  // Goes one partition further in. Returns its new row splits, and appends the selection of its
  // values to `levels`.
  StatusOr<GraphValue> Inner(const GraphValue& splits, std::vector<Selection>& levels) {
    std::vector<GraphValue> inputs = {splits};
    inputs.insert(inputs.end(), levels.back().begin(), levels.back().end());
    SIGNET_ASSIGN_OR_RETURN(auto outputs, build_.Call(inner_, inputs, {}));
    levels.emplace_back(outputs.begin() + 1, outputs.end());
    return outputs[0];
  }

  // Selects the components that a field adds to its structure of rank `outer_rank`. `levels` are
  // the selections from the levels of the structure.
  Status PickOwn(const TypeSpec& spec, int outer_rank, std::vector<Selection> levels,
                 std::span<const GraphValue> own, std::vector<GraphValue>& out) {
    size_t next = 0;
    if (const auto* structured = spec.As<StructuredSpec>()) {
      for (int i = outer_rank; i < structured->rank(); ++i) {
        SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Inner(own[next++], levels));
        out.push_back(std::move(splits));
      }
      for (const TypeSpec& field : structured->children()) {
        std::vector<ComponentSpec> parts;
        field.rep().AppendComponents("", structured->rank(), parts);
        SIGNET_RETURN_IF_ERROR(
            PickOwn(field, structured->rank(), levels, own.subspan(next, parts.size()), out));
        next += parts.size();
      }
      return absl::OkStatus();
    }
    // A field shares the partitions of its structure.
    const auto* ragged = spec.As<RaggedSpec>();
    int partitions = ragged == nullptr ? 0 : ragged->ragged_rank();
    levels.resize(static_cast<size_t>(std::min(partitions, outer_rank - 1)) + 1);
    std::vector<GraphValue> splits;
    for (size_t i = 1; i < own.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue made, Inner(own[i], levels));
      splits.push_back(std::move(made));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue values, Leaf(own[0], levels.back()));
    out.push_back(std::move(values));
    out.insert(out.end(), splits.begin(), splits.end());
    return absl::OkStatus();
  }

  OpBuilder& build_;
  const std::string_view inner_;
  const std::string_view leaf_;
};

// Joining.

bool AnyIs(TypeKind kind, std::span<const GraphValue> values) {
  return std::any_of(values.begin(), values.end(),
                     [kind](const GraphValue& value) { return value.spec.is(kind); });
}

// Calls `op` once on the results of `part` for all values.
template <class Part>
StatusOr<GraphValue> CallOnEach(OpBuilder& build, std::string_view op,
                                std::span<const GraphValue> values, Part part) {
  std::vector<GraphValue> inputs;
  for (const GraphValue& value : values) inputs.push_back(part(value));
  SIGNET_ASSIGN_OR_RETURN(auto outputs, build.Call(op, inputs, {}));
  return outputs[0];
}

// Returns the merged shape of all values, with the total number of rows.
PartialShape JoinedShape(std::span<const GraphValue> values) {
  PartialShape shape = *values[0].spec.shape();
  int64_t rows = shape.dim(0);
  for (const GraphValue& value : values.subspan(1)) {
    const PartialShape& other = *value.spec.shape();
    rows = rows == kUnknownDim || other.dim(0) == kUnknownDim ? kUnknownDim : rows + other.dim(0);
    shape = shape.MostSpecificCommonSupertype(other);
  }
  return shape.WithDim(0, rows);
}

// Returns the innermost dimension, from 1 on, in which sizes differ or are not known to be equal,
// or 1 if there is no such dimension. All values have the same rank, which is at least 2.
int LastOpenDim(std::span<const GraphValue> values) {
  const PartialShape& first = *values[0].spec.shape();
  for (int dim = first.rank() - 1; dim > 1; --dim) {
    bool same = first.dim(dim) != kUnknownDim &&
                std::all_of(values.begin(), values.end(), [&](const GraphValue& value) {
                  return value.spec.shape()->dim(dim) == first.dim(dim);
                });
    if (!same) return dim;
  }
  return 1;
}

StatusOr<GraphValue> JoinRagged(OpBuilder& build, std::span<const GraphValue> values, bool open) {
  for (const GraphValue& value : values) {
    const PartialShape* shape = value.spec.shape();
    bool alike = shape != nullptr && shape->has_rank() && values[0].spec.shape()->has_rank() &&
                 shape->rank() == values[0].spec.shape()->rank() && shape->rank() > 0;
    if (alike) continue;
    return InvalidArgument("expected values of the same rank, which is at least 1, found `",
                           value.spec, "` next to `", values[0].spec, "`");
  }
  int ragged_rank = open && values[0].spec.shape()->rank() > 1 ? LastOpenDim(values) : 0;
  bool narrow = true;  // all splits are int32
  for (const GraphValue& value : values) {
    const auto* ragged = value.spec.As<RaggedSpec>();
    ragged_rank = std::max(ragged_rank, ragged == nullptr ? 0 : ragged->ragged_rank());
    narrow &= ragged != nullptr && ragged->splits_dtype() == DType::kInt32;
  }
  std::vector<GraphValue> alike;
  for (const GraphValue& value : values) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue ragged, AsRagged(build, value, ragged_rank));
    alike.push_back(std::move(ragged));
  }
  RaggedParts joined;
  SIGNET_ASSIGN_OR_RETURN(
      joined.values, CallOnEach(build, "concat", alike,
                                [](const GraphValue& value) { return ComponentOf(value, 0); }));
  for (int i = 1; i <= ragged_rank; ++i) {
    std::vector<GraphValue> splits;
    for (const GraphValue& value : alike) {
      GraphValue own = ComponentOf(value, static_cast<size_t>(i));
      if (!narrow) {
        SIGNET_ASSIGN_OR_RETURN(own, Int64Splits(build, own));
      }
      splits.push_back(std::move(own));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, build.ConcatRowSplits(splits));
    joined.splits.push_back(std::move(made));
  }
  return MakeRaggedValue(joined, JoinedShape(alike));
}

// Returns the total number of rows of all values.
StatusOr<GraphValue> SumOfRows(OpBuilder& build, std::span<const GraphValue> values) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue sum, CountRows(build, values[0]));
  for (const GraphValue& value : values.subspan(1)) {
    SIGNET_ASSIGN_OR_RETURN(sum, build.Add(sum, CountRows(build, value)));
  }
  return sum;
}

// Joins values of which at least one is a structure.
StatusOr<GraphValue> JoinStructures(OpBuilder& build, std::span<const GraphValue> values,
                                    bool open) {
  const GraphValue& model = *std::find_if(values.begin(), values.end(), [](const auto& value) {
    return value.spec.is(TypeKind::kStructured);
  });
  const auto& first = *model.spec.As<StructuredSpec>();
  for (const GraphValue& value : values) {
    const auto* other = value.spec.As<StructuredSpec>();
    bool alike = other != nullptr && other->rank() == first.rank() &&
                 std::equal(first.field_names().begin(), first.field_names().end(),
                            other->field_names().begin(), other->field_names().end());
    if (alike) continue;
    return InvalidArgument("expected structures with the same fields and rank, found `", value.spec,
                           "` next to `", model.spec, "`");
  }
  StructureParts joined{JoinedShape(values), {}, {}, {}};
  for (int i = 1; i < first.rank(); ++i) {
    auto splits = [i](const GraphValue& value) {
      return ComponentOf(value, static_cast<size_t>(i));
    };
    SIGNET_ASSIGN_OR_RETURN(GraphValue made,
                            CallOnEach(build, "concat_row_splits", values, splits));
    joined.splits.push_back(std::move(made));
  }
  for (size_t i = 0; i < first.field_names().size(); ++i) {
    size_t child = first.WrittenChild(i);
    const std::string& name = first.field_names()[child];
    std::vector<GraphValue> columns;
    for (const GraphValue& value : values) columns.push_back(*FieldValue(value, name));
    auto column = JoinRows(build, columns, open);
    if (!column.ok()) return At(Cat("field `", name, "`"), column.status());
    bool are_optional = std::all_of(values.begin(), values.end(), [&](const GraphValue& value) {
      return value.spec.rep().IsOptionalChild(child);  // fields are sorted alike
    });
    joined.fields.push_back({name, *std::move(column), true, are_optional});
  }
  // The rows are counted once, after they are joined.
  if (!joined.splits.empty()) {
    SIGNET_ASSIGN_OR_RETURN(joined.nrows, build.NumRows(joined.splits[0]));
  } else if (!joined.fields.empty()) {
    SIGNET_ASSIGN_OR_RETURN(joined.nrows, CountRows(build, joined.fields[0].value));
  } else {
    SIGNET_ASSIGN_OR_RETURN(joined.nrows, SumOfRows(build, values));
  }
  return MakeStructureValue(build, std::move(joined));
}

}  // namespace

StatusOr<GraphValue> TakeRows(OpBuilder& build, const GraphValue& elements,
                              const GraphValue& positions) {
  GraphValue count;
  if (!elements.spec.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(count, DimSize(build, positions, 0));
  }
  return Picker(build, "gather_row_splits", "gather").Pick(elements, {positions}, count);
}

StatusOr<GraphValue> CutRows(OpBuilder& build, const GraphValue& elements, const GraphValue& start,
                             const GraphValue& count) {
  return Picker(build, "cut_row_splits", "cut_rows").Pick(elements, {start, count}, count);
}

StatusOr<GraphValue> JoinRows(OpBuilder& build, std::span<const GraphValue> values, bool open) {
  if (values.size() == 1) return values[0];
  if (AnyIs(TypeKind::kStructured, values)) return JoinStructures(build, values, open);
  if (open || AnyIs(TypeKind::kRagged, values)) return JoinRagged(build, values, open);
  return CallOnEach(build, "concat", values, [](const GraphValue& value) { return value; });
}

StatusOr<GraphValue> AsRagged(OpBuilder& build, const GraphValue& value, int ragged_rank) {
  const auto* ragged = value.spec.As<RaggedSpec>();
  if (ragged_rank == 0 || (ragged != nullptr && ragged->ragged_rank() >= ragged_rank)) return value;
  DType dtype = ragged == nullptr ? DType::kInt64 : ragged->splits_dtype();
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, value, ragged_rank + 1));
  for (int dim = 1; dim <= ragged_rank; ++dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, opened.rows, dim, dtype));
    opened.rows.dims[static_cast<size_t>(dim)].splits = std::move(splits);
  }
  return CloseRows(build, opened.rows, opened.elements);
}

}  // namespace signet
