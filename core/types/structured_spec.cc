#include "signet/structured_spec.h"

#include <algorithm>

#include "core/base/nearest_name.h"
#include "core/types/default_value.h"
#include "core/types/identifier.h"
#include "core/types/record_parts.h"
#include "signet/ragged_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

bool CanBeField(const TypeSpec& type) {
  return type.is(TypeKind::kTensor) || type.is(TypeKind::kRagged) || type.is(TypeKind::kStructured);
}

// Returns `type` with its first dimensions replaced by those of `shape`, and with int64 row splits
// if it shares any.
StatusOr<TypeSpec> WithLeadingDims(const TypeSpec& type, const PartialShape& shape,
                                   bool has_wide_splits) {
  PartialShape whole = shape.Concatenate(type.shape()->Slice(shape.rank(), type.shape()->rank()));
  if (const auto* ragged = type.As<RaggedSpec>()) {
    DType splits = has_wide_splits ? DType::kInt64 : ragged->splits_dtype();
    SIGNET_ASSIGN_OR_RETURN(TypeSpec made, MakeRaggedType(ragged->dtype(), std::move(whole),
                                                          ragged->ragged_rank(), splits));
    return ragged->notes().empty() ? made : made.rep().WithNotes({}, ragged->notes());
  }
  if (whole == *type.shape()) return type;
  return type.rep().Rebuild(std::move(whole), {type.children().begin(), type.children().end()});
}

bool HasWideSplits(const TypeSpec& type) {
  const auto* ragged = type.As<RaggedSpec>();
  return ragged != nullptr && ragged->splits_dtype() == DType::kInt64;
}

// Returns true if a field without ragged dimensions of its own is ragged because its structure is.
bool RaggedByDefault(const PartialShape& shape) {
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape.dim(axis) == kUnknownDim) return true;
  }
  return false;
}

void AppendDim(std::string& out, int64_t dim) {
  if (dim == kUnknownDim) {
    out.push_back('?');
  } else {
    AppendPart(out, dim);
  }
}

void AppendStructure(std::string& out, const StructuredSpec& spec, int outer_rank);

// Appends `type` without the dimensions of its structure and without the dimension of an optional
// field.
void AppendRelative(std::string& out, const TypeSpec& type, const PartialShape& outer,
                    bool is_optional) {
  const int first_own = outer.rank() + (is_optional ? 1 : 0);
  if (const auto* structured = type.As<StructuredSpec>()) {
    AppendStructure(out, *structured, first_own);
    return;
  }
  if (first_own == 0) {
    type.plain().rep().AppendTo(out);
    return;
  }
  const PartialShape& shape = *type.shape();
  int first_ragged = outer.rank();
  int last_ragged = -1;
  DType dtype;
  if (const auto* ragged = type.As<RaggedSpec>()) {
    dtype = ragged->dtype();
    last_ragged = ragged->ragged_rank();
    if (last_ragged < outer.rank() - 1) {
      out.append(Cat("ragged<rank=", last_ragged, "> "));
    } else if (ragged->splits_dtype() != DType::kInt64) {
      out.append("ragged<splits=int32> ");
    } else if (!is_optional && last_ragged < first_ragged && !RaggedByDefault(outer)) {
      out.append("ragged ");
    }
  } else {
    dtype = type.As<TensorSpec>()->dtype();
    if (RaggedByDefault(outer)) out.append("dense ");
  }
  out.append(NameOf(dtype)).append("[");
  for (int axis = first_own; axis < shape.rank(); ++axis) {
    if (axis > first_own) out.append(", ");
    bool is_ragged = axis >= first_ragged && axis <= last_ragged;
    if (is_ragged) out.push_back('(');
    AppendDim(out, shape.dim(axis));
    if (is_ragged) out.push_back(')');
  }
  out.append("]");
}

void AppendField(std::string& out, const StructuredSpec& spec, size_t i) {
  const bool is_optional = spec.IsOptionalChild(i);
  const TypeSpec& field = spec.children()[i];
  out.append(spec.field_names()[i]).append(is_optional ? "?: " : ": ");
  AppendRelative(out, field, spec.shape(), is_optional);
  const TypeSpec& default_value = field.rep().notes().default_value;
  if (default_value) AppendDefaultValue(default_value, out);
}

void AppendStructure(std::string& out, const StructuredSpec& spec, int outer_rank) {
  PartialShape own = spec.shape().Slice(outer_rank, spec.rank());
  bool all_unknown = std::all_of(own.dims().begin(), own.dims().end(),
                                 [](int64_t dim) { return dim == kUnknownDim; });
  if (all_unknown) out.append(static_cast<size_t>(own.rank()), '[');
  out.append("{");
  for (size_t i = 0; i < spec.field_names().size(); ++i) {
    if (i > 0) out.append(", ");
    AppendField(out, spec, spec.WrittenChild(i));
  }
  out.append("}");
  out.append(all_unknown ? std::string(static_cast<size_t>(own.rank()), ']') : own.ToString());
}

}  // namespace

Status CheckField(std::string_view name, const TypeSpec& type, const PartialShape& shape) {
  if (!IsFieldName(name)) {
    return InvalidArgument(
        "name of a field: expected a letter, then letters, digits, or underscores, found `",
        Printable(name), "`");
  }
  if (!CanBeField(type)) {
    return InvalidArgument("field `", name,
                           "`: expected a tensor, ragged, or structured type, found `", type, "`");
  }
  if (!type.shape()->has_rank() || type.shape()->rank() < shape.rank()) {
    return InvalidArgument("field `", name,
                           "`: expected at least the dimensions of its structure, `", shape,
                           "`, found `", *type.shape(), "`");
  }
  return absl::OkStatus();
}

bool CanBeOptional(const TypeSpec& field, int outer_rank) {
  bool has_dimension =
      field.shape() != nullptr && field.shape()->has_rank() && field.shape()->rank() > outer_rank;
  if (!has_dimension || outer_rank == 0) return has_dimension;
  const auto* ragged = field.As<RaggedSpec>();
  return field.is(TypeKind::kStructured) ||
         (ragged != nullptr && ragged->ragged_rank() >= outer_rank);
}

StatusOr<TypeSpec> MakeStructuredType(PartialShape shape, NamedTypes fields,
                                      std::vector<bool> optional) {
  if (!shape.has_rank()) {
    return InvalidArgument("expected a structure of known rank, found an unknown rank");
  }
  SIGNET_ASSIGN_OR_RETURN(RecordParts parts, SplitSorted("field", std::move(fields)));
  TypeNotes notes;
  if (std::find(optional.begin(), optional.end(), true) != optional.end()) {
    notes.optional.resize(optional.size());
    for (size_t i = 0; i < optional.size(); ++i) {
      notes.optional[parts.order.empty() ? i : parts.order[i]] = optional[i];
    }
  }
  notes.order = std::move(parts.order);
  for (size_t i = 0; i < parts.names.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(CheckField(parts.names[i], parts.types[i], shape));
    PartialShape leading = parts.types[i].shape()->Slice(0, shape.rank());
    auto merged = shape.MergeWith(leading);
    if (!merged.ok()) {
      return InvalidArgument("field `", parts.names[i],
                             "`: expected the leading dimensions of its structure, `", shape,
                             "`, found `", leading, "`");
    }
    shape = *std::move(merged);
    if (!notes.optional.empty() && notes.optional[i]) {
      if (!CanBeOptional(parts.types[i], shape.rank())) {
        return InvalidArgument("optional field `", parts.names[i],
                               "`: expected a type with rows of length 0 or 1, found `",
                               parts.types[i], "`");
      }
      if (parts.types[i].rep().notes().default_value) {
        return InvalidArgument("field `", parts.names[i],
                               "`: expected an optional field or one with a default, found both");
      }
    }
    Status fits = CheckDefaultValue(parts.types[i], shape.rank());
    if (!fits.ok()) return At(Cat("field `", parts.names[i], "`"), std::move(fits));
  }
  // The row splits of the structure are int64. If one ragged field has int64 row splits, all ragged
  // fields have them, as in values.
  bool has_wide_splits =
      shape.rank() > 1 || std::any_of(parts.types.begin(), parts.types.end(), HasWideSplits);
  for (TypeSpec& type : parts.types) {
    SIGNET_ASSIGN_OR_RETURN(type, WithLeadingDims(type, shape, has_wide_splits));
  }
  return Intern(StructuredSpec(std::move(shape), std::move(parts.names), std::move(parts.types),
                               std::move(notes)));
}

TypeSpec OrderedLike(const TypeSpec& structured, const TypeSpec& like) {
  const auto* spec = structured.As<StructuredSpec>();
  const auto* other = like.As<StructuredSpec>();
  if (spec == nullptr || other == nullptr || spec == other) return structured;
  std::vector<uint32_t> order;
  std::vector<bool> is_placed(spec->field_names().size());
  auto place = [&](size_t child) {
    if (child < is_placed.size() && !is_placed[child])
      order.push_back(static_cast<uint32_t>(child));
    if (child < is_placed.size()) is_placed[child] = true;
  };
  auto names = spec->field_names();
  for (size_t i = 0; i < other->field_names().size(); ++i) {
    const std::string& name = other->field_names()[other->WrittenChild(i)];
    auto found = std::lower_bound(names.begin(), names.end(), name);
    if (found != names.end() && *found == name) place(static_cast<size_t>(found - names.begin()));
  }
  for (size_t i = 0; i < names.size(); ++i) place(spec->WrittenChild(i));
  if (std::is_sorted(order.begin(), order.end())) order.clear();
  if (order == spec->notes().order) return structured;
  return spec->WithNotes({structured.children().begin(), structured.children().end()},
                         {std::move(order), spec->notes().optional, {}});
}

TypeSpec StructuredSpec::LookupField(std::string_view name) const {
  auto found = std::lower_bound(field_names_.begin(), field_names_.end(), name);
  if (found == field_names_.end() || *found != name) return {};
  return children()[static_cast<size_t>(found - field_names_.begin())];
}

StatusOr<TypeSpec> StructuredSpec::FindField(std::string_view name) const {
  TypeSpec field = LookupField(name);
  if (field) return field;
  std::string hint = NearestHint(name, field_names_);
  for (size_t i = 0; i < field_names_.size(); ++i) {
    const auto* inner = children()[i].As<StructuredSpec>();
    if (inner == nullptr || !inner->LookupField(name)) continue;
    hint = Cat("; did you mean `", field_names_[i], ".", Printable(name), "`?");
    break;
  }
  return NotFound("no field `", Printable(name), "`; fields: ", ListNames(field_names_), hint);
}

uint64_t StructuredSpec::HashFixed() const { return HashNames(field_names_); }

StatusOr<TypeSpec> StructuredSpec::Rebuild(PartialShape shape,
                                           std::vector<TypeSpec> children) const {
  // Optional fields stay optional if they still have rows.
  std::vector<bool> optional;
  for (size_t i = 0; i < children.size() && !notes().optional.empty(); ++i) {
    size_t child = WrittenChild(i);
    optional.push_back(IsOptionalChild(child) && shape.has_rank() &&
                       CanBeOptional(children[child], shape.rank()));
  }
  return MakeStructuredType(std::move(shape), ZipWritten(*this, field_names_, std::move(children)),
                            std::move(optional));
}

TypeSpec StructuredSpec::WithNotes(std::vector<TypeSpec> children, TypeNotes notes) const {
  for (size_t i = 0; i < notes.optional.size(); ++i) {
    notes.optional[i] = notes.optional[i] && CanBeOptional(children[i], rank());
  }
  if (std::find(notes.optional.begin(), notes.optional.end(), true) == notes.optional.end()) {
    notes.optional.clear();
  }
  return Intern(StructuredSpec(shape(), field_names_, std::move(children),
                               {std::move(notes.order), std::move(notes.optional), {}}));
}

void StructuredSpec::AppendComponents(std::string_view path, int shared_rank,
                                      std::vector<ComponentSpec>& out) const {
  if (rank() > 0 && shared_rank == 0) {
    out.push_back({JoinPath(path, "nrows"), TensorType(DType::kInt64, Shape{})});
  }
  AppendSplitsComponents(path, shape(), std::max(shared_rank - 1, 0), rank() - 1, splits_dtype(),
                         out);
  for (size_t i = 0; i < field_names_.size(); ++i) {
    children()[i].rep().AppendComponents(JoinPath(path, field_names_[i]), rank(), out);
  }
}

std::string StructuredSpec::FieldToString(size_t i) const {
  std::string out;
  AppendField(out, *this, i);
  return out;
}

void StructuredSpec::AppendTo(std::string& out) const { AppendStructure(out, *this, 0); }

std::optional<std::vector<int>> FieldComponents(const TypeSpec& structured,
                                                std::string_view field) {
  const auto& spec = *structured.As<StructuredSpec>();
  int rank = spec.rank();
  int next = rank > 0 ? rank : 0;  // after nrows and rank - 1 row splits
  for (size_t i = 0; i < spec.field_names().size(); ++i) {
    const TypeSpec& type = spec.children()[i];
    std::vector<ComponentSpec> own;  // the components that the field adds
    type.rep().AppendComponents("", rank, own);
    if (spec.field_names()[i] != field) {
      next += static_cast<int>(own.size());
      continue;
    }
    std::vector<int> out;
    auto take = [&](int count) {
      for (int k = 0; k < count; ++k) out.push_back(next++);
    };
    // A standalone value lists its splits from dimension 0 on; the splits of the structure come
    // first.
    auto splits = [&](int total) {
      int shared = std::min(std::max(rank - 1, 0), total);
      for (int k = 0; k < shared; ++k) out.push_back(1 + k);
      take(total - shared);
    };
    size_t whole = type.num_components();
    if (const auto* ragged = type.As<RaggedSpec>()) {
      take(1);
      splits(ragged->ragged_rank());
    } else if (const auto* nested = type.As<StructuredSpec>(); nested != nullptr && rank > 0) {
      out.push_back(0);  // nrows
      splits(nested->rank() - 1);
      take(static_cast<int>(whole - out.size()));
    } else {
      take(static_cast<int>(whole));
    }
    return out;
  }
  return std::nullopt;
}

}  // namespace signet
