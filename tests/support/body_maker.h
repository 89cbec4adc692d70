// BodyMaker: functions for tests, written as a model would write them.
//
//   BodyMaker f("f", "(x: float32[2], /, y = 3)");
//   f.Node("sum", "add", {"x", "y"});
//   FunctionDef def = f.Make("sum");
//
// A reference is a parameter, a node (`node:1` for a second output), `$name` for a capture, or a
// literal. TestLibrary holds the functions and captures of one pretended model.

#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/graph/body/graph.h"
#include "core/ops/catalog.h"

namespace signet {

class BodyMaker {
 public:
  BodyMaker(std::string name, std::string_view signature);
  BodyMaker& Node(std::string name, std::string_view op, std::vector<std::string> inputs,
                  NamedTypes attributes = {},
                  std::vector<std::pair<std::string, std::string>> attribute_refs = {});
  FunctionDef Make(std::string_view result);

 private:
  GraphEdge Resolve(std::string_view reference);

  FunctionDef def_;
  std::map<std::string, int, std::less<>> nodes_;
};

class TestLibrary : public FunctionLibrary {
 public:
  const OpRegistry& ops() const override { return BuiltinOps(); }
  const FunctionDef* Lookup(std::string_view name) const override {
    auto found = functions.find(std::string(name));
    return found == functions.end() ? nullptr : &found->second;
  }
  const Captures& captures() const override { return values; }

  std::map<std::string, FunctionDef> functions;
  Captures values;
};

// The type of a call with arguments of the given types, all positional-only and in order.
FunctionType CallType(const FunctionDef& def, std::vector<Value> arguments);

}  // namespace signet
