// ExtensionTypes: the extension types that a model and the embedding program define, with their
// checks, overrides, and conversions.
//
//   mul(m, 2)   m: masked.MaskedTensor(values: float32[3], mask: bool[3])
//     =>  the override of `mul`, or of binary elementwise ops, that masked.MaskedTensor has
//
// Dispatch of an op on extension values:
//   1. The types of all inputs take part. Attributes do not.
//   2. The types are tried from left to right, but a type before its parents.
//   3. The overrides of a type are tried first, then the overrides of its parents. A parent sees
//      the value with the components and static attributes that the parent declares.
//   4. The first override that does not decline determines the result, or the error, of the call.
//   5. If all decline, an op that works leaf by leaf (core/ops/build/leaves.h) is called component
//      by component, if all inputs have the same type and the type batches. The results are
//      checked.
//   6. Otherwise, the call is UNIMPLEMENTED, and the error lists the types that were tried.
// Source: RFC extension types, "Precedence". A type without declaration is opaque: functions can
// pass its values, and no op accepts them. Thread-safe after a model has it, because it is
// immutable then.

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

// One extension type. A program that embeds Signet implements it. The types of a model are
// DeclaredExtensions (declared_extension.h). Immutable.
class ExtensionProtocol {
 public:
  explicit ExtensionProtocol(ExtensionDeclaration declaration)
      : declaration_(std::move(declaration)) {}
  virtual ~ExtensionProtocol() = default;

  const ExtensionDeclaration& declaration() const { return declaration_; }

  // Calls check_true for each condition of `value`, whose components fit the declaration. Messages
  // begin with `where`: "argument `x`: `app.Masked`".
  virtual Status CheckValue(CallExpander& build, const GraphValue& value,
                            std::string_view where) const;
  // Returns the outputs of `call`, or nothing to decline it. `inputs` are unchanged and may contain
  // plain values; call.attributes are complete. Adds a line to `declined` for each override that
  // was tried.
  virtual StatusOr<std::optional<std::vector<GraphValue>>> Override(
      CallExpander& build, const OpCall& call, std::span<const GraphValue> inputs,
      std::vector<std::string>& declined) const;
  // Converts `from`, of any type, to a value of this type that is nearer to `wanted`. Returns
  // nothing if there is no conversion.
  virtual StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& from,
                                                     const TypeSpec& wanted) const;

 private:
  const ExtensionDeclaration declaration_;
};

// Parents precede their children.
using ExtensionProtocols = std::vector<std::shared_ptr<const ExtensionProtocol>>;

class ExtensionTypes {
 public:
  // Adds a type. Returns the errors of TypeRegistry.
  Status Add(std::shared_ptr<const ExtensionProtocol> type);

  bool empty() const { return by_name_.empty(); }
  const TypeRegistry& registry() const { return registry_; }
  const ExtensionProtocol* Lookup(std::string_view name) const;  // null if it is unknown
  // Returns the first type whose components and static attributes have these names, in any order,
  // or an empty text.
  std::string NameForKeys(std::span<const std::string> keys) const;

  // Returns a value of the type `name` or of a child of it with the components that `name`
  // declares. Returns it unchanged if it lacks one of these components.
  StatusOr<GraphValue> ShownAs(std::string_view name, const GraphValue& value) const;
  // Returns an error if an extension value in `value` does not fit its declaration. Calls
  // check_true for its further conditions.
  Status CheckValue(CallExpander& build, const GraphValue& value, std::string_view where) const;
  StatusOr<std::vector<GraphValue>> Dispatch(CallExpander& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) const;
  // Converts `value` to a subtype of the extension type `wanted`: a value of a child is converted
  // to the components of `wanted`; other values by at most 16 conversions in a row. Returns nothing
  // if there is no conversion.
  StatusOr<std::optional<Converted>> Convert(CallExpander& build, const GraphValue& value,
                                             const TypeSpec& wanted) const;

 private:
  // Returns true if the op of `call` works leaf by leaf and all inputs have one type, in `names`,
  // that batches.
  bool GoesByComponent(const OpCall& call, std::span<const GraphValue> inputs,
                       std::span<const std::string> names) const;

  TypeRegistry registry_;
  std::map<std::string, std::shared_ptr<const ExtensionProtocol>, std::less<>> by_name_;
};

}  // namespace signet
