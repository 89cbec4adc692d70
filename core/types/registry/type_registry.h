// TypeRegistry: the extension types that exist, by name and by class.
//
// A class is whatever defines the type: a model's declaration, or C++ code that embeds core. One
// name a class and one class a name; repeating the very same registration is refused too. Checks,
// in order: INVALID_NAME, CLASS_ALREADY_REGISTERED, NAME_TAKEN; look-ups of the unknown are
// NOT_REGISTERED. Rules: docs/reference/types.md, extension types. Thread-safe; guarded by one
// mutex.

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

// What the name of an extension type stands for.
struct ExtensionDeclaration {
  std::string name;                     // `project.Type`
  std::string class_name;               // empty: the name is its own class
  std::vector<std::string> attributes;  // names of the static attributes
  NamedTypes components;                // in declared order; a constraint, or no type for any
  std::string parent;                   // the extension type that it specialises; may be empty
  bool batches = true;                  // component by component; else not at all
  // The constraints that mention static attributes, by component, which has no type above.
  std::vector<std::pair<std::string, TypeTemplate>> templates = {};
  // The types that values of this name had in earlier versions. Such values may enter, may be made,
  // and are converted; overrides and invariants do not see them.
  std::vector<TypeSpec> older = {};

  const std::string& class_or_name() const { return class_name.empty() ? name : class_name; }
};

// Checks that `spec`, a type of the declaration's name, has the static attributes and the
// components that the current version declares.
Status CheckCurrentForm(const ExtensionSpec& spec, const ExtensionDeclaration& declaration);

class TypeRegistry {
 public:
  using Declaration = std::shared_ptr<const ExtensionDeclaration>;

  // Also refuses a parent that is not registered, and parts that are no identifiers or appear
  // twice.
  Status Register(ExtensionDeclaration declaration);

  // The declaration under `name`; the refusal lists the names.
  StatusOr<Declaration> Find(std::string_view name) const;
  StatusOr<std::string> FindName(std::string_view class_name) const;
  std::vector<std::string> Names() const;  // sorted

  // Whether a type may be called by its name: refuses one that is not registered, whose attributes
  // or components are called otherwise, or whose components are outside their constraints. One that
  // is below an older type of its name passes; with `known_only`, so does an unknown name.
  Status CheckType(const TypeSpec& spec, bool known_only = false) const;
  // Whether `name` is `ancestor` or has it among its parents.
  bool IsA(std::string_view name, std::string_view ancestor) const;

 private:
  Declaration Lookup(std::string_view name) const;  // null when unknown; takes the lock

  mutable std::mutex mu_;
  std::map<std::string, Declaration, std::less<>> by_name_;   // guarded by mu_
  std::map<std::string, std::string, std::less<>> by_class_;  // class => name; guarded by mu_
};

// The constraint of component `i` of a type with these static attributes; null: anything.
StatusOr<TypeSpec> ConstraintOf(const ExtensionDeclaration& declaration, size_t i,
                                const NamedTypes& statics);

}  // namespace signet
