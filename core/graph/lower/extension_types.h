// ExtensionTypes: the types that a model, and the program around it, define: what their values must
// be, what ops mean on them, and what becomes one of them.
//
//   mul(m, 2)   m: masked.MaskedTensor(values: float32[3], mask: bool[3])
//     =>  the override of `mul`, or of binary elementwise ops, that masked.MaskedTensor has
//
// Dispatch of an op on extension values:
//   1. All inputs take part, in order; attributes never do.
//   2. The types among them are asked from left to right, but a type before any of its parents.
//   3. A type is asked first, then its parents in turn, which see the value as one of theirs: with
//      the components and static attributes that they declare.
//   4. The first that does not decline gives the result; a refusal of it is the call's.
//   5. When all decline, an op that goes by leaf (core/ops/build/leaves.h) is called component by
//      component, where all inputs are of the one type, and that batches; the results are checked.
//   6. Else the op is UNIMPLEMENTED, and the refusal says who was asked.
// Sources: RFC extension types, "Precedence". A type that nobody declared is opaque: it passes
// through, and no op takes it. Immutable once a model has it; then thread-safe.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/lower/call_expander.h"
#include "core/types/registry/type_registry.h"

namespace signet {

// What the name of an extension type means. A program that embeds core implements it; a model's own
// types are DeclaredExtensions (declared_extension.h). Immutable; thread-safe.
class ExtensionProtocol {
 public:
  explicit ExtensionProtocol(ExtensionDeclaration declaration)
      : declaration_(std::move(declaration)) {}
  virtual ~ExtensionProtocol() = default;

  const ExtensionDeclaration& declaration() const { return declaration_; }

  // Calls check_true for what must hold of `value`, which is as the declaration says. `where`
  // begins the messages: "argument `x`: `app.Masked`".
  virtual Status CheckValue(CallExpander& build, const GraphValue& value,
                            std::string_view where) const;
  // The outputs of `call`, or nothing to decline it. `inputs` are as they came, plain values among
  // them; call.attributes are complete. `declined` takes a line for each thing that was tried.
  virtual StatusOr<std::optional<std::vector<GraphValue>>> Override(
      CallExpander& build, const OpCall& call, std::span<const GraphValue> inputs,
      std::vector<std::string>& declined) const;
  // A value of this type, nearer to `wanted`, that `from` (of whatever type) converts to, and by
  // what; or nothing.
  virtual StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& from,
                                                     const TypeSpec& wanted) const;

 private:
  const ExtensionDeclaration declaration_;
};

// Parents before their children.
using ExtensionProtocols = std::vector<std::shared_ptr<const ExtensionProtocol>>;

class ExtensionTypes {
 public:
  // Refuses what TypeRegistry does.
  Status Add(std::shared_ptr<const ExtensionProtocol> type);

  bool empty() const { return by_name_.empty(); }
  const TypeRegistry& registry() const { return registry_; }
  const ExtensionProtocol* Lookup(std::string_view name) const;  // null when unknown

  // An extension value of the type `name`, or of one below it, as `name` declares it; as it is when
  // it lacks something of that.
  StatusOr<GraphValue> ShownAs(std::string_view name, const GraphValue& value) const;
  // Refuses a value that anywhere in it has one of these types otherwise than declared, and calls
  // check_true for what must hold of it besides.
  Status CheckValue(CallExpander& build, const GraphValue& value, std::string_view where) const;
  StatusOr<std::vector<GraphValue>> Dispatch(CallExpander& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) const;
  // `value` made into what is below `wanted`, an extension type: of a child, what the type wanted
  // declares of it, and by at most 16 conversions one after another; nothing when there are none.
  StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& value,
                                             const TypeSpec& wanted) const;

 private:
  // Whether `call` is one of an op that goes by leaf on inputs of one type, in `names`, that
  // batches.
  bool GoesByComponent(const OpCall& call, std::span<const GraphValue> inputs,
                       std::span<const std::string> names) const;

  TypeRegistry registry_;
  std::map<std::string, std::shared_ptr<const ExtensionProtocol>, std::less<>> by_name_;
};

}  // namespace signet
