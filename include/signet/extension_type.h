// ExtensionType: a type that a model defines, and what ops mean on it.
//
//   builder.AddFunction("add_amounts", "(a, b)")
//       .Node("sum", "add", {"a.amount", "b.amount"})
//       .Node("total", "make_extension", {"sum"},
//             {{"type", "shop.Money"}, {"names", signet::Strings{"amount"}}})
//       .Result("total");
//   builder.AddExtensionType(
//       {.name = "shop.Money",
//        .components = {{"amount", "int64[...]"}},
//        .overrides = {{.op = "add", .function = "add_amounts", .inputs = {"shop.Money"}}}});
//
// The functions are functions of the model. docs/reference/extension-types.md has the rules. Plain
// data; ModelBuilder::Build checks it.

#pragma once

#include <string>
#include <utility>
#include <vector>

namespace signet {

// A function that computes an op, or all ops of a family, on values of the type.
struct ExtensionOverride {
  std::string op = {};      // such as `add`; or
  std::string family = {};  // UNARY_ELEMENTWISE, BINARY_ELEMENTWISE, or REDUCTION
  std::string function;
  // The kind of each input: `tensor`, `ragged`, `sparse`, `structured`, `literal`, `any`, or the
  // name of an extension type. The last one applies to all further inputs. Empty: this type or a
  // tensor.
  std::vector<std::string> inputs = {};
};

// A function that converts values of the type `from` to the extension type.
struct ExtensionConversion {
  std::string from;
  std::string function;
};

struct ExtensionType {
  std::string name;  // `project.Type`
  std::string doc = {};
  std::vector<std::string> statics = {};  // names of static attributes
  // Names and types, in declared order. A type may contain static attributes, such as
  // `float32[?, $width]`. An empty type accepts any value.
  std::vector<std::pair<std::string, std::string>> components = {};
  std::string parent = {};                   // a more general extension type
  bool batches = true;                       // whether concat, stack, and split accept values
  std::vector<std::string> invariants = {};  // functions (value) -> bool[] that are true of values
  std::vector<ExtensionOverride> overrides = {};  // tried in this order
  std::vector<ExtensionConversion> conversions = {};
  std::vector<std::string> older = {};  // the types that values of this name had earlier
};

}  // namespace signet
