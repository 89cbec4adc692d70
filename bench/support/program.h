// Program: a function that is built in C++ without a model, for benchmarks without a server.
//
//   Program program({TensorType(DType::kFloat32, {4})});
//   program.Return(program.Op("mul", {program.Parameter(0),
//   program.Constant(Tensor::Scalar(2.0f))})); auto function = MakeConcreteFunction(program.def(),
//   .., program);
//
// Its parameters are named x0, x1, .., in order. Not thread-safe while it is built.

#pragma once

#include <string_view>
#include <vector>

#include "core/graph/body/graph.h"
#include "core/ops/catalog.h"

namespace signet {

class Program final : public FunctionLibrary {
 public:
  explicit Program(const std::vector<TypeSpec>& parameters);

  GraphEdge Parameter(int index) const;
  GraphEdge Constant(Value value);
  // Adds a node; `op` is one of docs/reference/ops.md.
  GraphEdge Op(std::string_view op, std::vector<GraphEdge> inputs, Attributes attributes = {});
  void Return(GraphEdge result) { def_.graph.result = result; }

  const FunctionDef& def() const { return def_; }
  const OpRegistry& ops() const override { return BuiltinOps(); }
  const FunctionDef* Lookup(std::string_view) const override { return nullptr; }
  const Captures& captures() const override { return captures_; }

 private:
  FunctionDef def_;
  Captures captures_;  // none
};

}  // namespace signet
