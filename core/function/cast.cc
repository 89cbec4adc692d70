#include "core/function/cast.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "core/base/checked_math.h"
#include "core/function/plain_tensor.h"
#include "core/types/child_path.h"
#include "core/types/type_mismatch.h"
#include "signet/literal_spec.h"
#include "signet/ragged_spec.h"
#include "signet/sequence_spec.h"
#include "signet/sparse_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

// A type may be as long as its value, so only the beginning is shown.
std::string Shown(const TypeSpec& spec) { return Cat("`", Printable(spec.ToString()), "`"); }

Status Mismatch(std::string_view reason, const TypeSpec& found, const TypeSpec& wanted) {
  return WithTypes(
      wanted, found,
      InvalidWithReason(reason, "expected `", BriefOf(wanted), "`, found ", Shown(found)));
}

// Lists the names that one record lacks, and the names that only it has.
Status NamesMismatch(const TypeSpec& found, const TypeSpec& wanted) {
  auto names = ChildNames(found);
  auto expected = ChildNames(wanted);
  std::vector<std::string> missing;
  std::vector<std::string> unknown;
  std::set_difference(expected.begin(), expected.end(), names.begin(), names.end(),
                      std::back_inserter(missing));
  std::set_difference(names.begin(), names.end(), expected.begin(), expected.end(),
                      std::back_inserter(unknown));
  std::string_view what = found.is(TypeKind::kDict) ? "key " : "field ";
  std::string text;
  if (!missing.empty()) text = Cat("no ", what, ListNames(missing));
  if (!unknown.empty()) {
    text += Cat(text.empty() ? "" : ", and ", what, ListNames(unknown), ", which the type lacks");
  }
  return InvalidWithReason("STRUCTURE_MISMATCH", text);
}

std::optional<DType> DTypeIn(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return tensor->dtype();
  if (const auto* ragged = spec.As<RaggedSpec>()) return ragged->dtype();
  if (const auto* sparse = spec.As<SparseSpec>()) return sparse->dtype();
  return std::nullopt;
}

// Returns the error that states why `found` is not a subtype of `wanted`.
Status NotBelow(const TypeSpec& found, const TypeSpec& wanted) {
  if (found.kind() != wanted.kind()) return Mismatch("STRUCTURE_MISMATCH", found, wanted);
  if (DTypeIn(found) != DTypeIn(wanted)) return Mismatch("DTYPE_MISMATCH", found, wanted);
  // Fields and keys are sorted by name.
  bool has_fields = found.is(TypeKind::kStructured) || found.is(TypeKind::kDict);
  if (has_fields && !found.rep().EqualFixed(wanted.rep())) return NamesMismatch(found, wanted);
  if (!found.rep().FixedBelow(wanted.rep()) ||
      found.children().size() != wanted.children().size()) {
    return Mismatch(found.is(TypeKind::kTensor) ? "TYPE_MISMATCH" : "STRUCTURE_MISMATCH", found,
                    wanted);
  }
  if (found.shape() != nullptr && !found.shape()->IsSubtypeOf(*wanted.shape())) {
    if (found.is(TypeKind::kStructured)) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected structures of shape `", *wanted.shape(),
                               "`, found `", *found.shape(), "`");
    }
    return Mismatch("SHAPE_MISMATCH", found, wanted);
  }
  for (size_t i = 0; i < found.children().size(); ++i) {
    if (IsSubtype(found.children()[i], wanted.children()[i])) continue;
    return WithField(ChildStep(wanted, i), NotBelow(found.children()[i], wanted.children()[i]));
  }
  return Mismatch("TYPE_MISMATCH", found, wanted);
}

StatusOr<Value> Cast(const Value& value, const TypeSpec& constraint, const Converter* converter);

// Checks a value whose type must be a subtype of the constraint, possibly after its sizes are
// filled in.
StatusOr<Value> CheckBelow(const Value& value, const TypeSpec& constraint) {
  if (!value.is_placeholder() && value.components().size() == value.spec().num_components()) {
    TypeSpec exact = ExactSpecOf(value);
    if (IsSubtype(exact, constraint)) {
      return Value::Trusted(std::move(exact),
                            Components(value.components().begin(), value.components().end()));
    }
  }
  return NotBelow(value.spec(), constraint);
}

bool IsPlain(const Value& value) {
  return !value.is_placeholder() &&
         (value.spec().is(TypeKind::kLiteral) || IsSequence(value.spec()));
}

bool IsNest(const TypeSpec& spec) {
  return spec.is(TypeKind::kDict) || spec.is(TypeKind::kNamedTuple) || IsSequence(spec);
}

StatusOr<Value> CastToTensor(const Value& value, const TypeSpec& constraint) {
  if (IsPlain(value)) {
    SIGNET_ASSIGN_OR_RETURN(Tensor tensor,
                            PlainTensor(value.spec(), constraint.As<TensorSpec>()->dtype()));
    TypeSpec made = tensor.spec();
    if (!IsSubtype(made, constraint)) return NotBelow(made, constraint);
    return Value(std::move(tensor));
  }
  if (IsNest(value.spec()) && !value.is_placeholder()) {
    return InvalidWithReason("NOT_CONVERTIBLE", "expected `", constraint, "`, found ",
                             Shown(value.spec()), ", which has no tensor form");
  }
  return CheckBelow(value, constraint);
}

// Returns the row splits of `rows` rows of `length` values each.
Tensor UniformSplits(int64_t rows, int64_t length, DType dtype) {
  if (dtype == DType::kInt32) {
    std::vector<int32_t> splits;
    for (int64_t i = 0; i <= rows; ++i) splits.push_back(static_cast<int32_t>(i * length));
    return Tensor::Of<int32_t>({rows + 1}, splits);
  }
  std::vector<int64_t> splits;
  for (int64_t i = 0; i <= rows; ++i) splits.push_back(i * length);
  return Tensor::Of<int64_t>({rows + 1}, splits);
}

// Converts a tensor to the ragged value with the same rows; shares its elements.
StatusOr<Value> CastToRagged(const Value& value, const TypeSpec& constraint) {
  const auto& wanted = *constraint.As<RaggedSpec>();
  const auto* given = value.spec().As<TensorSpec>();
  bool suits = given != nullptr && given->dtype() == wanted.dtype() && given->shape().has_rank() &&
               given->shape().rank() > wanted.ragged_rank();
  if (!suits) return CheckBelow(value, constraint);
  SIGNET_ASSIGN_OR_RETURN(
      TypeSpec ragged,
      MakeRaggedType(wanted.dtype(), given->shape(), wanted.ragged_rank(), wanted.splits_dtype()));
  if (!IsSubtype(ragged, constraint)) return NotBelow(ragged, constraint);
  if (value.is_placeholder()) return Value::OfType(constraint);
  const Tensor& tensor = value.tensor();
  if (wanted.splits_dtype() == DType::kInt32 && tensor.num_elements() > INT32_MAX) {
    return InvalidWithReason("OUT_OF_RANGE", tensor.num_elements(),
                             " values exceed the limit of int32 row splits, ", INT32_MAX);
  }
  // Rows are counted before memory is allocated: inner sizes of 0 do not limit how many rows there
  // are.
  constexpr int64_t kMostRows = int64_t{1} << 31;
  std::vector<Tensor> splits;
  int64_t rows = tensor.shape().dim(0);
  for (int i = 1; i <= wanted.ragged_rank(); ++i) {
    int64_t length = tensor.shape().dim(i);
    auto values = CheckedMultiply(rows, length);
    if (rows >= kMostRows || !values) {
      return InvalidWithReason("OUT_OF_RANGE", "expected fewer than ", kMostRows, " rows, found ",
                               rows);
    }
    if (tensor.num_elements() == 0 && rows > 65536) {
      return InvalidWithReason("OUT_OF_RANGE",
                               "expected at most 65536 rows without a value, found ", rows);
    }
    splits.push_back(UniformSplits(rows, length, wanted.splits_dtype()));
    rows = *values;
  }
  Dims flat = {rows};
  for (int i = wanted.ragged_rank() + 1; i < tensor.rank(); ++i) {
    flat.push_back(tensor.shape().dim(i));
  }
  Shape shape{std::span<const int64_t>(flat.data(), flat.size())};
  Components components = {tensor.Reshaped(std::move(shape))};
  for (Tensor& part : splits) components.push_back(std::move(part));
  return Value::Trusted(std::move(ragged), std::move(components));
}

// Casts the children of containers and extension values.
StatusOr<Value> CastChildren(const Value& value, const TypeSpec& constraint,
                             const Converter* converter) {
  const TypeSpec& spec = value.spec();
  if (spec.kind() != constraint.kind() || !spec.rep().EqualFixed(constraint.rep()) ||
      spec.children().size() != constraint.children().size()) {
    return Mismatch("STRUCTURE_MISMATCH", spec, constraint);
  }
  std::vector<Value> children = ChildrenOf(value);
  for (size_t i = 0; i < children.size(); ++i) {
    auto child = Cast(children[i], constraint.children()[i], converter);
    if (!child.ok()) return WithField(ChildStep(constraint, i), child.status());
    children[i] = *std::move(child);
  }
  return WithChildren(spec, children);
}

// Returns `cast`, or if that is an error, the result of the converter.
StatusOr<Value> OrConverted(StatusOr<Value> cast, const Value& value, const TypeSpec& constraint,
                            const Converter* converter) {
  if (cast.ok() || converter == nullptr) return cast;
  SIGNET_ASSIGN_OR_RETURN(auto converted, converter->Convert(value, constraint));
  if (converted) return std::move(converted->value);
  return cast;
}

StatusOr<Value> Cast(const Value& value, const TypeSpec& constraint, const Converter* converter) {
  if (IsSubtype(value.spec(), constraint)) {
    return value.is_placeholder() ? Value::OfType(constraint) : value;
  }
  switch (constraint.kind()) {
    case TypeKind::kTensor:
      return CastToTensor(value, constraint);
    case TypeKind::kLiteral:
      return Mismatch("LITERAL_MISMATCH", value.spec(), constraint);
    case TypeKind::kList:
    case TypeKind::kTuple:
    case TypeKind::kDict:
    case TypeKind::kNamedTuple:
      return CastChildren(value, constraint, converter);
    case TypeKind::kExtension:
      return OrConverted(CastChildren(value, constraint, converter), value, constraint, converter);
    case TypeKind::kRagged:
      return OrConverted(CastToRagged(value, constraint), value, constraint, converter);
    case TypeKind::kAny:
      if (constraint.children().empty()) return value;
      return Cast(value, constraint.children()[0], converter);
    case TypeKind::kSparse:
    case TypeKind::kStructured:
      return CheckBelow(value, constraint);
  }
  __builtin_unreachable();
}

}  // namespace

bool Satisfies(const TypeSpec& spec, const TypeSpec& constraint) {
  if (IsSubtype(spec, constraint)) return true;
  if (constraint.is(TypeKind::kAny)) {
    return constraint.children().empty() || Satisfies(spec, constraint.children()[0]);
  }
  if (spec.kind() != constraint.kind() || constraint.shape() != nullptr ||
      spec.children().size() != constraint.children().size() ||
      !spec.rep().EqualFixed(constraint.rep())) {
    return false;
  }
  for (size_t i = 0; i < spec.children().size(); ++i) {
    if (!Satisfies(spec.children()[i], constraint.children()[i])) return false;
  }
  return !spec.children().empty();
}

bool ContainsAny(const TypeSpec& spec) {
  return spec.is(TypeKind::kAny) ||
         std::any_of(spec.children().begin(), spec.children().end(), ContainsAny);
}

StatusOr<Value> CastTo(Value value, const TypeSpec& constraint, std::string_view path,
                       const Converter* converter) {
  if (!value.is_placeholder() && IsSubtype(value.spec(), constraint)) return value;
  auto cast = Cast(value, constraint, converter);
  if (cast.ok()) return cast;
  Status status = cast.status();
  if (!path.empty()) status = WithField(path, std::move(status));
  std::string field = FieldOf(status);
  if (field.empty()) return status;
  return At(Cat(path.empty() ? "`" : "argument `", Printable(field), "`"), std::move(status));
}

}  // namespace signet
