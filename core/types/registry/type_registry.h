// TypeRegistry: stores the declarations of extension types, by name and by class.
//
// A class is the definition of a type: the declaration of a model, or C++ code in a program that
// embeds Signet. Each class has one name, and each name one class. Registering the same type again
// is an error, too. Errors, in the order of the checks: INVALID_NAME, CLASS_ALREADY_REGISTERED,
// NAME_TAKEN. A lookup of an unknown name returns NOT_REGISTERED. Rules: docs/reference/types.md,
// extension types. Thread-safe; guarded by one mutex.

#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/types/registry/type_template.h"
#include "signet/extension_spec.h"
#include "signet/record_spec.h"

namespace signet {

// The definition of the name of an extension type.
struct ExtensionDeclaration {
  std::string name;                     // `project.Type`
  std::string class_name;               // empty: the name is its own class
  std::vector<std::string> attributes;  // names of the static attributes
  NamedTypes components;                // in declared order; a null type accepts any type
  std::string parent;                   // the extension type that it specializes; may be empty
  bool batches = true;                  // false: values cannot be batched
  // The constraints that mention static attributes, by component. Such a component has a null type
  // above.
  std::vector<std::pair<std::string, TypeTemplate>> templates = {};
  // The types of this name in earlier versions. Their values are accepted, can be built, and are
  // converted. Overrides and invariants only receive the current version.
  std::vector<TypeSpec> older = {};

  const std::string& class_or_name() const { return class_name.empty() ? name : class_name; }
};

// Checks that `spec`, a type of the declared name, has the static attributes and components of the
// current version.
Status CheckCurrentForm(const ExtensionSpec& spec, const ExtensionDeclaration& declaration);

class TypeRegistry {
 public:
  using Declaration = std::shared_ptr<const ExtensionDeclaration>;

  // Also returns an error for a parent that is not registered, and for parts that are not
  // identifiers or appear twice.
  Status Register(ExtensionDeclaration declaration);

  // Returns the declaration of `name`. The error lists the known names.
  StatusOr<Declaration> Find(std::string_view name) const;
  StatusOr<std::string> FindName(std::string_view class_name) const;
  std::vector<std::string> Names() const;  // sorted

  // Checks that the name of a type is registered, that its attributes and components have the
  // declared names, and that its components satisfy their constraints. A subtype of an older type
  // of its name is accepted, and so is an unknown name if `known_only` is true.
  Status CheckType(const TypeSpec& spec, bool known_only = false) const;
  // Returns true if `name` is `ancestor` or has it among its parents.
  bool IsA(std::string_view name, std::string_view ancestor) const;

 private:
  Declaration Lookup(std::string_view name) const;  // null if unknown; takes the lock

  mutable std::mutex mu_;
  std::map<std::string, Declaration, std::less<>> by_name_;   // guarded by mu_
  std::map<std::string, std::string, std::less<>> by_class_;  // class => name; guarded by mu_
};

// Returns the constraint of component `i` of a type with these static attributes; null means any
// type.
StatusOr<TypeSpec> ConstraintOf(const ExtensionDeclaration& declaration, size_t i,
                                const NamedTypes& statics);

}  // namespace signet
