// TraceLibrary: the functions, captures, and extension types that a traced function refers to, and
// the model that they make.
//
//   TraceLibrary library;
//   library.AddFunction(score);            // score uses a capture `weights`
//   library.AddCapture("weights", other);  // => "weights_2", because it is another value
//   auto model = library.MakeModel({.doc = "Scores"});
//
// Not thread-safe.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph/lower/extension_types.h"
#include "core/model/model_def.h"
#include "signet/extension_type.h"

namespace signet {

// A function that was traced, with the values of the captures that its graph names. Immutable.
struct TracedFunction {
  FunctionDef def;
  std::vector<std::string> batch = {};  // the parameters that contain rows
  Captures captures = {};
  // The names of large defaults as captures of a model, by parameter.
  std::map<std::string, std::string> default_names = {};
};

// The texts of a model.
struct ModelTexts {
  std::string doc = {};
  std::map<std::string, std::string> metadata = {};
};

class TraceLibrary final : public FunctionLibrary {
 public:
  // Adds a function. Its large defaults become captures. If another value has the name of one of
  // its captures, this capture gets another name. Returns ALREADY_EXISTS if another function has
  // the name. Adding the same function twice has no effect.
  Status AddFunction(std::shared_ptr<const TracedFunction> function);
  // Adds an extension type, whose parent was added before. Its functions may be added later.
  Status AddType(const ExtensionType& type);
  // Returns the name under which functions refer to the value: `name`, or `name_2` if another value
  // has this name. Equal values have one name.
  std::string AddCapture(std::string_view name, Value value);

  const OpRegistry& ops() const override;
  const FunctionDef* Lookup(std::string_view name) const override;
  const Captures& captures() const override { return captures_; }
  const ExtensionTypes* types() const override { return types_.empty() ? nullptr : &types_; }
  const TypeRegistry& registry() const { return types_.registry(); }
  bool HasType(std::string_view name) const { return types_.Lookup(name) != nullptr; }

  // Returns the model of all functions, in the order in which they were added. Checks what loading
  // checks, except for the bodies of functions.
  StatusOr<ModelDef> MakeModel(ModelTexts texts) const;

 private:
  struct Entry {
    std::shared_ptr<const TracedFunction> source;
    FunctionDef def;  // with the names of captures in this library
  };

  std::vector<std::unique_ptr<Entry>> functions_;
  std::map<std::string, const Entry*, std::less<>> by_name_;
  std::vector<ExtensionTypeDef> type_defs_;
  ExtensionTypes types_;
  Captures captures_;
};

}  // namespace signet
