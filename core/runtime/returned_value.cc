#include "core/runtime/returned_value.h"

#include <algorithm>
#include <vector>

#include "core/base/checked_math.h"
#include "core/ops/build/leaves.h"
#include "core/ops/build/optional_value.h"
#include "core/ops/build/rows/open_list.h"
#include "core/ops/def/inference.h"
#include "signet/any_spec.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxReturnedElements = 65536;  // of a list

// Returns `nest` with each child replaced by the result of `convert`.
template <class Convert>
TypeSpec ConvertChildren(const TypeSpec& nest, Convert convert) {
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : nest.children()) children.push_back(convert(child));
  auto made = nest.rep().Rebuild(PartialShape(), std::move(children));
  return made.ok() ? *std::move(made) : nest;
}

// Returns elements [begin, end) of a vector.
StatusOr<Tensor> SliceOf(const Tensor& vector, int64_t begin, int64_t end, Shape shape) {
  if (vector.is_string()) {
    std::vector<std::string_view> elements;
    for (int64_t i = begin; i < end; ++i) elements.push_back(vector.string_at(i));
    return Tensor::Strings(std::move(shape), elements);
  }
  const size_t size = SizeOf(vector.dtype());
  return Tensor::Make(vector.dtype(), std::move(shape),
                      vector.data().Slice(static_cast<size_t>(begin) * size,
                                          static_cast<size_t>(end - begin) * size));
}

// Converts the components of a mixed list: the number of elements, flat values and their row
// splits, flat shapes and their row splits.
StatusOr<Value> ListOfElements(std::span<const Tensor> components) {
  const Tensor& values = components[1];
  const Tensor& shapes = components[3];
  auto value_splits = components[2].elements<int64_t>();
  auto shape_splits = components[4].elements<int64_t>();
  const size_t count = value_splits.size() - 1;
  if (count > kMaxReturnedElements) {
    return ResourceExhausted("result: expected a list of at most ", kMaxReturnedElements,
                             " elements, found ", count);
  }
  std::vector<Value> elements;
  for (size_t i = 0; i < count; ++i) {
    auto dims = shapes.elements<int64_t>().subspan(
        static_cast<size_t>(shape_splits[i]),
        static_cast<size_t>(shape_splits[i + 1] - shape_splits[i]));
    const int64_t size = value_splits[i + 1] - value_splits[i];
    const bool is_valid =
        dims.size() <= kMaxOutputRank && CheckShape(dims, SizeOf(values.dtype())).ok();
    if (!is_valid || CheckedProduct(dims) != size) {
      return InvalidArgument("result: element ", i, " of a list: expected a shape of ", size,
                             " elements, found `", Join(dims, ", "), "`");
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor element,
                            SliceOf(values, value_splits[i], value_splits[i + 1], Shape(dims)));
    elements.emplace_back(std::move(element));
  }
  return ListOf(elements);
}

}  // namespace

bool HasReturnMark(const TypeSpec& spec) {
  if (IsOptionalValue(spec) || IsReturnedList(spec)) return true;
  return IsNest(spec) && std::any_of(spec.children().begin(), spec.children().end(), HasReturnMark);
}

TypeSpec WithoutStaticMarks(const TypeSpec& spec) {
  if (!HasReturnMark(spec)) return spec;
  if (IsReturnedList(spec)) {
    const TypeSpec& elements = spec.children()[0];
    return IsMixedList(elements) ? spec : elements;
  }
  if (IsOptionalValue(spec)) {
    const TypeSpec& present = spec.children()[0];
    const TypeSpec value = WithoutStaticMarks(spec.children()[1]);
    // A value that is never present is None (JoinOptionals), so it has no components.
    return present.is(TypeKind::kLiteral) ? value : OptionalType(present, value);
  }
  return ConvertChildren(spec, WithoutStaticMarks);
}

TypeSpec StatedType(const TypeSpec& spec) {
  if (!HasReturnMark(spec)) return spec;
  return IsNest(spec) ? ConvertChildren(spec, StatedType) : AnyType();
}

StatusOr<Value> ConvertReturned(const Value& value) {
  const TypeSpec& spec = value.spec();
  if (!HasReturnMark(spec)) return value;
  if (IsReturnedList(spec)) return ListOfElements(value.components());
  std::vector<Value> children = ChildrenOf(value);
  if (IsOptionalValue(spec)) {
    return children[0].tensor().scalar<bool>() ? ConvertReturned(children[1]) : Value::None();
  }
  for (Value& child : children) {
    SIGNET_ASSIGN_OR_RETURN(child, ConvertReturned(child));
  }
  return WithChildren(spec, children);
}

}  // namespace signet
