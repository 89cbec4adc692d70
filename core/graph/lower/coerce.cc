#include "core/graph/lower/coerce.h"

#include <algorithm>
#include <optional>

#include "core/function/cast.h"
#include "core/graph/body/graph.h"
#include "core/graph/lower/extension_types.h"
#include "core/graph/lower/flat_builder.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/optional_value.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/open_list.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/literal_dtype.h"
#include "signet/extension_spec.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

// Returns the dtype of a tensor, ragged, or sparse type, or nothing for other types.
std::optional<DType> ElementDType(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  return std::nullopt;
}

int RaggedRank(const TypeSpec& spec) {
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged == nullptr ? 0 : ragged->ragged_rank();
}

TypeSpec ScalarType(DType dtype) { return TensorType(dtype, PartialShape(Shape{})); }

// Returns a number for each group of dtypes. Text, booleans, and numbers do not join.
int GroupOf(DType dtype) { return dtype == DType::kString ? 2 : dtype == DType::kBool ? 1 : 0; }

// Returns the ragged or sparse type to which two values of one dtype and rank, at least one of them
// composite, can be converted without loss. Returns null if there is none: a sparse value does not
// store the lengths of ragged rows.
TypeSpec JoinComposite(const TypeSpec& a, const TypeSpec& b) {
  auto dtype = ElementDType(a);
  if (!dtype || dtype != ElementDType(b)) return {};
  if (!a.shape()->has_rank() || !b.shape()->has_rank() || a.shape()->rank() != b.shape()->rank()) {
    return {};
  }
  PartialShape shape = a.shape()->MostSpecificCommonSupertype(*b.shape());
  if (a.is(TypeKind::kSparse) || b.is(TypeKind::kSparse)) {
    // Two sparse types of one dtype have a common supertype, so the other type is not sparse.
    bool has_tensor = a.is(TypeKind::kTensor) || b.is(TypeKind::kTensor);
    return has_tensor && shape.rank() > 0 ? SparseType(*dtype, std::move(shape)) : TypeSpec();
  }
  if (!a.is(TypeKind::kRagged) && !b.is(TypeKind::kRagged)) return {};
  int ragged_rank = std::max(RaggedRank(a), RaggedRank(b));
  auto made = MakeRaggedType(*dtype, std::move(shape), ragged_rank, DType::kInt64);
  return made.ok() ? *made : TypeSpec();
}

// Returns a hint how to give two values a common type, for the end of an error message.
std::string HintFor(const TypeSpec& a, const TypeSpec& b) {
  auto dtype = ElementDType(a);
  auto other = ElementDType(b);
  if (dtype && other && *dtype != *other) return "; convert one of them with `cast`";
  if (dtype && other && (a.is(TypeKind::kSparse) || b.is(TypeKind::kSparse))) {
    return "; convert one of them with an op such as `sparse_to_dense` or `ragged_from_sparse`";
  }
  if (a.is(TypeKind::kExtension) && b.is(TypeKind::kExtension)) {
    return "; extension types join if they have a common parent or one converts to the other";
  }
  if (IsNest(a) || IsNest(b)) return "; nests join if their keys and lengths are equal";
  return "; values join if they have one kind and one dtype";
}

// Returns `spec` with unknown sizes.
TypeSpec OfAnySize(const TypeSpec& spec) {
  if (spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kSparse)) {
    auto made = spec.rep().Rebuild(PartialShape(), {});
    return made.ok() ? *made : spec;
  }
  if (!IsNest(spec) && !spec.is(TypeKind::kExtension)) return spec;
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : spec.children()) children.push_back(OfAnySize(child));
  auto made = spec.rep().Rebuild(PartialShape(), std::move(children));
  return made.ok() ? *made : spec;
}

// Finds the join of two types; null if there is none.
class Joiner {
 public:
  explicit Joiner(const FunctionLibrary& library) : library_(library), types_(library.types()) {}

  TypeSpec Join(const TypeSpec& a, const TypeSpec& b) const {
    if (TypeSpec joined = MostSpecificCommonSupertype(a, b)) return joined;
    if (TypeSpec joined = JoinForms(a, b)) return joined;
    const bool one_name = HaveOneName(a, b);
    if (!one_name) {
      if (TypeSpec joined = JoinParents(a, b)) return joined;
    }
    if (TypeSpec joined = JoinConverted(a, b)) return joined;
    if (TypeSpec joined = JoinConverted(b, a)) return joined;
    return one_name ? JoinParents(a, b) : TypeSpec();
  }

 private:
  TypeSpec JoinForms(const TypeSpec& a, const TypeSpec& b) const {
    if (IsOptionalValue(a) || IsOptionalValue(b)) {
      return JoinOptionals(AsOptional(a), AsOptional(b));
    }
    const bool a_plain = a.is(TypeKind::kLiteral) && !IsNone(a);
    const bool b_plain = b.is(TypeKind::kLiteral) && !IsNone(b);
    if (a_plain && b_plain) {
      if (GroupOf(DefaultDType(a)) != GroupOf(DefaultDType(b))) return {};
      const TypeSpec both[] = {a, b};
      return ScalarType(JoinedDType(both));
    }
    if (a_plain && b.is(TypeKind::kTensor)) return Join(ScalarType(*ElementDType(b)), b);
    if (b_plain && a.is(TypeKind::kTensor)) return Join(a, ScalarType(*ElementDType(a)));
    if (!IsNest(a) && !a.is(TypeKind::kStructured) && !a.is(TypeKind::kExtension)) {
      return JoinComposite(a, b);
    }
    bool alike = a.kind() == b.kind() && a.rep().EqualFixed(b.rep()) &&
                 a.children().size() == b.children().size();
    TypeSpec joined = alike ? JoinChildren(a, b) : TypeSpec();
    return joined ? joined : OpenListType(a, b);
  }

  // The value that is never present has no type of its own.
  TypeSpec JoinOptionals(const TypeSpec& a, const TypeSpec& b) const {
    TypeSpec present = Join(a.children()[0], b.children()[0]);
    const TypeSpec& x = a.children()[1];
    const TypeSpec& y = b.children()[1];
    TypeSpec value = IsNone(x) ? y : IsNone(y) ? x : Join(x, y);
    if (!present || !value) return {};
    return OptionalType(std::move(present), std::move(value));
  }

  TypeSpec JoinChildren(const TypeSpec& a, const TypeSpec& b) const {
    PartialShape shape;
    if (a.is(TypeKind::kStructured)) {
      if (a.shape()->rank() != b.shape()->rank()) return {};
      shape = a.shape()->MostSpecificCommonSupertype(*b.shape());
    }
    std::vector<TypeSpec> children;
    for (size_t i = 0; i < a.children().size(); ++i) {
      children.push_back(Join(a.children()[i], b.children()[i]));
      if (!children.back()) return {};
    }
    auto joined = a.rep().Rebuild(std::move(shape), std::move(children));
    if (!joined.ok()) return {};
    bool fits = types_ == nullptr || !joined->is(TypeKind::kExtension) ||
                types_->registry().CheckType(*joined, /*known_only=*/true).ok();
    return fits ? *joined : TypeSpec();
  }

  static bool HaveOneName(const TypeSpec& a, const TypeSpec& b) {
    const auto* x = a.As<ExtensionSpec>();
    const auto* y = b.As<ExtensionSpec>();
    return x != nullptr && y != nullptr && x->name() == y->name();
  }

  // Returns the nearest common parent.
  TypeSpec JoinParents(const TypeSpec& a, const TypeSpec& b) const {
    const auto* x = a.As<ExtensionSpec>();
    const auto* y = b.As<ExtensionSpec>();
    if (types_ == nullptr || x == nullptr || y == nullptr) return {};
    for (const ExtensionProtocol* type = types_->Lookup(x->name()); type != nullptr;
         type = types_->Lookup(type->declaration().parent)) {
      const std::string& name = type->declaration().name;
      if (!types_->registry().IsA(y->name(), name)) continue;
      TypeSpec shown_a = ShownAs(name, a);
      TypeSpec shown_b = ShownAs(name, b);
      if (!shown_a || !shown_b) continue;
      if (TypeSpec joined = MostSpecificCommonSupertype(shown_a, shown_b)) return joined;
      if (TypeSpec joined = JoinForms(shown_a, shown_b)) return joined;
    }
    return {};
  }

  TypeSpec ShownAs(const std::string& name, const TypeSpec& spec) const {
    GraphValue value{spec, {}};
    value.components.resize(ComponentsOf(spec).size(), kNoEdge);
    auto shown = types_->ShownAs(name, value);
    return shown.ok() && shown->spec.As<ExtensionSpec>()->name() == name ? shown->spec : TypeSpec();
  }

  // Returns the join after `from` is converted to the extension type of `to`.
  TypeSpec JoinConverted(const TypeSpec& from, const TypeSpec& to) const {
    if (types_ == nullptr || !to.is(TypeKind::kExtension)) return {};
    FlatBuilder scratch(library_, {});
    auto made = scratch.Convert(scratch.AddInput(from), OfAnySize(to));
    if (!made.ok() || !*made) return {};
    const TypeSpec& spec = (*made)->value.spec;
    if (TypeSpec joined = MostSpecificCommonSupertype(spec, to)) return joined;
    return JoinForms(spec, to);
  }

  const FunctionLibrary& library_;
  const ExtensionTypes* const types_;
};

}  // namespace

StatusOr<TypeSpec> JoinValueTypes(const FunctionLibrary& library, std::span<const TypeSpec> types) {
  const Joiner joiner(library);
  TypeSpec joined = types[0];
  for (const TypeSpec& type : types.subspan(1)) {
    TypeSpec both = joiner.Join(joined, type);
    if (!both) {
      return InvalidArgument("expected values with a common type, found `", joined, "` and `", type,
                             "`", HintFor(joined, type));
    }
    joined = std::move(both);
  }
  return joined;
}

StatusOr<GraphValue> CoerceTo(CallExpander& build, const GraphValue& value, const TypeSpec& type) {
  if (IsSubtype(value.spec, type)) return GraphValue{type, value.components};
  if (IsPlain(value.spec) && type.is(TypeKind::kTensor)) {
    const auto& tensor = *type.As<TensorSpec>();
    SIGNET_ASSIGN_OR_RETURN(Value cast, CastTo(Value::Trusted(value.spec, {}),
                                               TensorType(tensor.dtype(), PartialShape())));
    return GraphValue{type, build.Constant(cast).components};
  }
  if (IsOptionalValue(type)) {
    const GraphValue optional = AsOptional(value);
    const GraphValue held = ValueOf(optional);
    SIGNET_ASSIGN_OR_RETURN(GraphValue present,
                            CoerceTo(build, PresentOf(optional), type.children()[0]));
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, IsNone(held.spec)
                                                 ? MakePlaceholder(build, type.children()[1])
                                                 : CoerceTo(build, held, type.children()[1]));
    const GraphValue parts[] = {std::move(present), std::move(made)};
    return Joined(type, parts);
  }
  if (IsMixedList(type) && IsOpenList(value.spec)) return OpenList(build, value, type);
  if (value.spec.is(TypeKind::kStructured) && type.is(TypeKind::kStructured)) {
    StructureParts parts = StructurePartsOf(value);
    for (size_t i = 0; i < parts.fields.size(); ++i) {
      FieldPart& field = parts.fields[i];
      SIGNET_ASSIGN_OR_RETURN(GraphValue made, CoerceTo(build, field.value, type.children()[i]));
      field.fits = made.components == field.value.components;
      field.value = std::move(made);
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, MakeStructureValue(build, std::move(parts)));
    return GraphValue{type, made.components};
  }
  if (value.spec.is(TypeKind::kList) && IsOpenList(type)) return OpenList(build, value, type);
  GraphValue form = value;
  if (const auto* extension = type.As<ExtensionSpec>()) {
    const auto* own = value.spec.As<ExtensionSpec>();
    if (own != nullptr && build.InheritsFrom(own->name(), extension->name()) &&
        own->name() != extension->name()) {
      SIGNET_ASSIGN_OR_RETURN(form, build.library().types()->ShownAs(extension->name(), value));
    }
    bool alike = form.spec.is(TypeKind::kExtension) && form.spec.rep().EqualFixed(type.rep());
    if (!alike) {
      SIGNET_ASSIGN_OR_RETURN(auto made, build.Convert(value, OfAnySize(type)));
      if (made) form = made->value;
    }
    if (IsSubtype(form.spec, type)) return GraphValue{type, form.components};
  }
  if ((IsNest(type) || type.is(TypeKind::kExtension)) && form.spec.kind() == type.kind() &&
      form.spec.children().size() == type.children().size()) {
    std::vector<GraphValue> children;
    for (size_t i = 0; i < type.children().size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue child,
                              CoerceTo(build, ChildOf(form, i), type.children()[i]));
      children.push_back(std::move(child));
    }
    return Joined(type, children);
  }
  if (type.is(TypeKind::kRagged) && ElementDType(value.spec) == ElementDType(type)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue ragged, AsRagged(build, value, RaggedRank(type)));
    for (size_t i = 1; i < ragged.components.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Int64Splits(build, ComponentOf(ragged, i)));
      ragged.components[i] = splits.components[0];
    }
    return GraphValue{type, ragged.components};
  }
  if (type.is(TypeKind::kSparse) && ElementDType(value.spec) == ElementDType(type)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue sparse, build.RaggedToSparse(value));
    return GraphValue{type, sparse.components};
  }
  return Internal("cannot convert `", value.spec, "` to `", type, "`");
}

}  // namespace signet
