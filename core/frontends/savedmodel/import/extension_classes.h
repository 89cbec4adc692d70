// ExtensionClasses: the extension types in the signatures of a SavedModel, which the imported model
// declares.
//
//   the type `shop.Masked.Spec` with the fields values: a tensor of floats, unit: "kg"
//   =>  class shop.Masked:
//           unit: static
//           values: float32[...]
//
// Rules:
//   1. The name is the name of the class without `.Spec`. A name without a dot gets `saved_model.`
//      before it.
//   2. A field is a component if it is a type, or a nest that contains a type, anywhere in the
//      model. All other fields are static attributes.
//   3. All types of one name have the same fields in the same order. Of two classes with one name,
//      the first is declared, and functions that use the other one are not available.
//   4. A component is declared with the common supertype of its types, with unknown sizes, because
//      the sizes of results may not be known. If there is none, the component has no constraint.
//
// Not thread-safe.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/model/model_def.h"
#include "signet/status.h"
#include "tensorflow/struct.pb.h"

namespace signet {

// A field of a value of an extension type.
struct ExtensionField {
  std::string name;
  const tensorflow::StructuredValue* value = nullptr;  // its type, or a plain value
  bool is_component = false;
};

// An extension type as the signature of a function states it.
struct ExtensionForm {
  std::string name;
  std::vector<ExtensionField> fields = {};
};

class ExtensionClasses {
 public:
  // Returns true for the extension types of programs. Types of TensorFlow itself have other rules
  // than their fields show.
  static bool IsExtension(const tensorflow::TypeSpecProto& spec);

  // Add the extension types in a type of a signature, which must outlive this object. Types that
  // are not valid are ignored; FormOf returns the error.
  void Add(const tensorflow::StructuredValue& type, int depth = 0);
  void Add(const tensorflow::TypeSpecProto& spec, int depth = 0);

  // Returns the fields of a type that was added and for which IsExtension returns true. Errors name
  // the type.
  StatusOr<ExtensionForm> FormOf(const tensorflow::TypeSpecProto& spec) const;

  // Returns the declarations of the types that the functions use.
  std::vector<ExtensionTypeDef> DeclarationsFor(const std::vector<FunctionDef>& functions) const;

 private:
  struct Class {
    std::vector<ExtensionField> fields = {};                   // without values
    std::vector<const tensorflow::TypeSpecProto*> specs = {};  // with these fields
  };

  ExtensionTypeDef DeclarationOf(const std::string& name, const Class& known) const;

  std::map<std::string, Class, std::less<>> classes_;
};

}  // namespace signet
