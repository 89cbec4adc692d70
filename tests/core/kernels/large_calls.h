// MakeLargeCalls: makes calls with large inputs from a case of an op.
//
//   softmax  float32[2, 3] [[1, 2, 3], [4, 5, 6]]   =>   float32[2, 1000000], float32[1000000, 3],
//   ...
//
// A size of the case is replaced by a large one, wherever it occurs or in one dimension only; the
// elements repeat. Row splits, sizes, and counts grow by the same factor. Some of the calls are not
// legal: the op rejects them.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"
#include "signet/tensor.h"
#include "tests/support/case_file.h"

namespace signet {

struct LargeOpCall {
  std::string text;  // what was enlarged
  Attributes attributes;
  std::vector<Tensor> inputs;
};

namespace large_calls_internal {

// Returns a tensor of `shape` whose elements are those of `from`, over and over.
inline StatusOr<Tensor> RepeatElements(const Tensor& from, const Shape& shape) {
  if (from.num_elements() == 0) return InvalidArgument("no element to repeat");
  SIGNET_ASSIGN_OR_RETURN(Tensor made, Tensor::Allocate(from.dtype(), shape));
  const int64_t count = made.num_elements();
  if (from.is_string()) {
    std::vector<std::string_view> texts(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      texts[static_cast<size_t>(i)] = from.string_at(i % from.num_elements());
    }
    return Tensor::Strings(shape, texts);
  }
  const size_t bytes = static_cast<size_t>(count) * SizeOf(from.dtype());
  const size_t period = from.data().size();
  std::byte* to = made.data().mutable_data();
  for (size_t at = 0; at < bytes; at += period) {
    std::memcpy(to + at, from.data().data(), std::min(period, bytes - at));
  }
  return made;
}

inline bool IsIndexTensor(const Tensor& x) {
  return x.has_value() && (x.dtype() == DType::kInt64 || x.dtype() == DType::kInt32) &&
         x.rank() <= 1;
}

// Returns `x` with each element multiplied by `factor`. A product that overflows wraps around.
inline Tensor MultiplyElements(const Tensor& x, int64_t factor) {
  Tensor made = *Tensor::Allocate(x.dtype(), x.shape());
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (x.dtype() == DType::kInt64) {
      made.mutable_elements<int64_t>()[i] = static_cast<int64_t>(
          static_cast<uint64_t>(x.elements<int64_t>()[at]) * static_cast<uint64_t>(factor));
    } else {
      made.mutable_elements<int32_t>()[i] =
          static_cast<int32_t>(x.elements<int32_t>()[at] * factor);
    }
  }
  return made;
}

// Returns `x` with each text repeated `factor` times.
inline Tensor RepeatTexts(const Tensor& x, int64_t factor) {
  std::vector<std::string> texts;
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    std::string& text = texts.emplace_back();
    for (int64_t j = 0; j < factor; ++j) text += x.string_at(i);
  }
  std::vector<std::string_view> views(texts.begin(), texts.end());
  return Tensor::Strings(x.shape(), views);
}

inline TypeSpec MultiplyInts(const TypeSpec& attribute, int64_t factor) {
  if (const auto* literal = attribute.As<LiteralSpec>()) {
    const std::optional<int64_t> value = literal->literal().AsInt64();
    return value ? AttributeOf(*value * factor) : attribute;
  }
  if (!IsSequence(attribute)) return attribute;
  std::vector<TypeSpec> multiplied;
  for (const TypeSpec& child : attribute.children()) {
    multiplied.push_back(MultiplyInts(child, factor));
  }
  return attribute.is(TypeKind::kList) ? ListType(std::move(multiplied))
                                       : TupleType(std::move(multiplied));
}

}  // namespace large_calls_internal

// Returns calls whose largest input has about `elements` elements.
inline std::vector<LargeOpCall> MakeLargeCalls(const OpCase& op_case, int64_t elements) {
  using namespace large_calls_internal;
  std::vector<Tensor> inputs;
  for (const Value& input : op_case.inputs) {
    inputs.push_back(input.components().empty() ? Tensor() : input.tensor());
  }
  std::vector<LargeOpCall> made;

  // Replaces the size `size` by `large` where chosen(input, axis); returns whether all could be.
  auto enlarge = [&](const std::string& text, int64_t size, int64_t large, auto chosen,
                     bool multiplies) {
    LargeOpCall call{text, op_case.attributes, inputs};
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!inputs[i].has_value()) continue;
      Shape shape = inputs[i].shape();
      bool changed = false;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (shape.dim(axis) != size || !chosen(i, axis)) continue;
        shape.set_dim(axis, large);
        changed = true;
      }
      if (changed) {
        double count = 1;
        for (int64_t dim : shape.dims()) count *= static_cast<double>(dim);
        if (count > 4.0 * static_cast<double>(elements)) return;
        auto repeated = RepeatElements(inputs[i], shape);
        if (!repeated.ok()) return;
        call.inputs[i] = *std::move(repeated);
      } else if (multiplies && IsIndexTensor(inputs[i])) {
        call.inputs[i] =
            MultiplyElements(inputs[i], std::max<int64_t>(large / std::max<int64_t>(size, 1), 1));
      }
    }
    made.push_back(std::move(call));
  };
  std::set<int64_t> sizes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].has_value() || inputs[i].num_elements() == 0) continue;
    for (int axis = 0; axis < inputs[i].rank(); ++axis) {
      const int64_t size = inputs[i].shape().dim(axis);
      sizes.insert(size);
      const int64_t large = std::max<int64_t>(elements / inputs[i].num_elements() * size, size);
      for (bool multiplies : {false, true}) {
        enlarge(
            Cat("dimension ", axis, " of input ", i, multiplies ? ", with sizes" : ""), size, large,
            [&](size_t input, int at) { return input == i && at == axis; }, multiplies);
      }
    }
  }
  for (int64_t size : sizes) {
    int64_t most = 1;  // elements of an input per power of the size
    int power = 1;
    for (const Tensor& input : inputs) {
      if (!input.has_value()) continue;
      int64_t rest = 1;
      int times = 0;
      for (int64_t dim : input.shape().dims()) {
        if (dim == size) {
          ++times;
        } else {
          rest *= dim;
        }
      }
      if (times > 0) most = std::max(most, rest);
      power = std::max(power, times);
    }
    auto large = static_cast<int64_t>(
        std::pow(static_cast<double>(elements) / static_cast<double>(most), 1.0 / power));
    if (large <= size) continue;
    large = large / std::max<int64_t>(size, 1) * std::max<int64_t>(size, 1);
    for (bool multiplies : {false, true}) {
      enlarge(
          Cat("every dimension of size ", size, multiplies ? ", with sizes" : ""), size, large,
          [](size_t, int) { return true; }, multiplies);
    }
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].has_value() || inputs[i].num_elements() == 0) continue;
    LargeOpCall call{"", op_case.attributes, inputs};
    if (inputs[i].is_string()) {
      const auto bytes = static_cast<int64_t>(inputs[i].bytes().size());
      if (bytes == 0) continue;
      call.text = Cat("texts of input ", i);
      call.inputs[i] = RepeatTexts(inputs[i], elements / bytes);
      made.push_back(call);
    } else if (IsIndexTensor(inputs[i])) {
      for (int64_t factor : {int64_t{1000}, elements / 4}) {
        call.text = Cat("elements of input ", i, " times ", factor);
        call.inputs[i] = MultiplyElements(inputs[i], factor);
        made.push_back(call);
      }
    }
  }
  for (const auto& [name, value] : op_case.attributes.entries()) {
    for (int64_t factor : {int64_t{1000}, elements / 4}) {
      TypeSpec multiplied = MultiplyInts(value, factor);
      if (multiplied == value) continue;
      made.push_back({Cat("attribute ", name, " times ", factor),
                      op_case.attributes.With(name, multiplied), inputs});
    }
  }
  return made;
}

}  // namespace signet
