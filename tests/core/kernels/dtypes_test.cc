// Every dtype that inference accepts has its arithmetic, at every instruction-set level.

#include <cstdio>

#include <gtest/gtest.h>

#include "core/kernels/simd/vector/isa_level.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

// Elements that are 1, True or text of it.
Tensor Ones(DType dtype, const Shape& shape) {
  return VisitDType(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::same_as<T, std::string_view>) {
      std::vector<std::string_view> text(static_cast<size_t>(shape.num_elements()), "1");
      return Tensor::Strings(shape, text);
    } else {
      Tensor tensor = *Tensor::Allocate(dtype, shape);
      for (int64_t i = 0; i < tensor.num_elements(); ++i) {
        T& one = tensor.mutable_elements<T>()[i];
        if constexpr (std::same_as<T, Float16>) {
          one = ToFloat16(1);
        } else if constexpr (std::same_as<T, BFloat16>) {
          one = ToBFloat16(1);
        } else {
          one = T(1);
        }
      }
      return tensor;
    }
  });
}

TEST(DTypesTest, WhatInferenceAcceptsRuns) {
  IsaLevel active = ActiveIsaLevel();
  int runs = 0;
  for (const OpDef* op : BuiltinOps().All()) {
    if (op->infer == nullptr) continue;
    NamedTypes given;
    for (const AttributeDef& attribute : op->attributes) {
      if (attribute.default_value) continue;
      given.emplace_back(attribute.name,
                         attribute.name == "dtype" ? AttributeOf("float32") : AttributeOf(0));
    }
    Attributes attributes = *CompleteAttributes(*op, Attributes(given));
    for (const DTypeInfo& info : AllDTypes()) {
      std::vector<Tensor> inputs;
      std::vector<TypeSpec> types;
      for (size_t i = 0; i < op->inputs.size(); ++i) {
        DType dtype = op->inputs[i] == "condition" ? DType::kBool : info.dtype;
        inputs.push_back(Ones(dtype, Shape{2, 2}));
        types.push_back(inputs.back().spec());
      }
      OpCall call{.op = *op, .inputs = types, .attributes = attributes};
      if (!op->infer(call).ok()) continue;
      for (IsaLevel level : AvailableIsaLevels()) {
        SetIsaLevel(level);
        SCOPED_TRACE(Cat(op->name, " of ", info.name, " at ", NameOf(level)));
        auto outputs = RunOp(*op, attributes, inputs, types, {}, 2);
        if (!outputs.ok()) {
          EXPECT_EQ(outputs.status().code(), absl::StatusCode::kInvalidArgument)
              << outputs.status();
        }
        ++runs;
      }
    }
  }
  SetIsaLevel(active);
  std::printf("runs: %d\n", runs);
  EXPECT_GT(runs, 300);
}

}  // namespace
}  // namespace signet
