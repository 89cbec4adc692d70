// FlatSignature: a function as protocols see it whose values are dense tensors with names.
//
//   score(recipes: [{title: string[], stars: int64[(?)]}], top_k = 3) -> {best: string[?]}
//     parameters   recipes: recipes.nrows, recipes.title, recipes.stars.values,
//                           recipes.stars.row_splits_0
//                  top_k (optional)
//     results      best
//
// Rules of names, which are different for all tensors of a function:
//   1. A parameter that is a tensor is one tensor with the name of the parameter. Other parameters
//      are the component tensors of their type (ComponentsOf), by path.
//   2. A result that is one tensor is called `output`, unless the model has a name for it, as ONNX
//      models do. Fields of structures and items of dicts are called by their own names. Parts of
//      other results are called by their path in `output`: `output.values`, `output[0]`.
//   3. Parameters, results, and items of results of imported models have the names of their format:
//      `x:0`, `x:0.values`. Whole ones keep these names exactly.
//   4. If two tensors would have the same name, a field keeps it, and a component such as `nrows`
//      gets a suffix: `nrows_2`.
//
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/loaded_model.h"
#include "signet/dtype.h"
#include "signet/shape.h"

namespace signet {

// The name of a result without a name of its own.
inline constexpr std::string_view kResultName = "output";

struct FlatTensor {
  std::string name;
  std::optional<DType> dtype = {};  // empty for any dtype
  PartialShape shape = {};
};

struct FlatParameter {
  std::string name;  // in the format of the model
  TypeSpec type;     // null for any
  bool is_optional = false;
  bool is_variadic = false;  // *args or **kwargs: any number of further tensors
  // The default value is a tensor with dimensions, or any tensor of an imported model, as the
  // weights of ONNX files that list them as inputs. Clients that fill in every input would replace
  // them.
  bool is_weight = false;
  // Empty if the type does not say what its components are; the argument is then JSON.
  std::vector<FlatTensor> tensors = {};

  // Returns true if the parameter is one tensor.
  bool is_tensor() const { return !type || type.is(TypeKind::kTensor); }
};

struct FlatSignature {
  std::vector<FlatParameter> parameters;
  std::vector<FlatTensor> results;  // empty if the type of the result differs between calls
};

FlatSignature FlatSignatureOf(const PolymorphicFunction& function);

// Returns the function that a client means that names only the model: the only function, or else
// `main`, or else `serving_default`. NOT_FOUND lists the functions.
StatusOr<const PolymorphicFunction*> FindDefaultFunction(const LoadedModel& model);

// Returns the type of the arguments of a parameter: null if the parameter accepts any type.
TypeSpec ArgumentType(const TypeSpec& constraint);

// Returns the name of a parameter in the format of the model. Parameters have different names.
const std::string& SourceNameOf(const FunctionDef& def, const Parameter& parameter);

// Returns the parameter that receives the input `name`, or null. A name in the format of the model
// comes before a name in the signature.
const Parameter* LookupInput(const FunctionDef& def, std::string_view name);

// Returns the name of an item of the result in the format of the model.
const std::string& SourceNameOfResult(const FunctionDef& def, const std::string& key);

// One tensor of a parameter or of a result.
struct FlatPart {
  enum class Role : uint8_t { kData, kRowCount, kSplits };

  std::string name;
  std::string path = {};  // in the terms of the signature: the parameter or `output`, and fields
  TypeSpec type = {};     // a tensor or a literal; null for a parameter of any type
  size_t parameter = 0;   // the index of the parameter
  size_t component = 0;   // of the parameter or result; unused for a literal
  Role role = Role::kData;
  bool is_whole = false;  // a parameter, result, or item of the result that is one tensor
};

// Returns the tensors of the parameters whose types state them. Parameters follow one another; the
// parts of each are in the order in which its type is written.
std::vector<FlatPart> InputPartsOf(const FunctionDef& def);
// Returns the tensors of a result of the type `type`, in the order in which it is written.
std::vector<FlatPart> ResultPartsOf(const FunctionDef& def, const TypeSpec& type);

}  // namespace signet
