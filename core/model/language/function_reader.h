// FunctionReader: reads the functions of a source file: signatures, decorators, and bodies.
//
//   @batch("x")                            =>  a FunctionDef with a graph, and the batches of a
//   model def f(x: float32[?]): return x * 2.0
//
// Not thread-safe.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/function/signature.h"
#include "core/model/language/function_names.h"
#include "core/model/language/node_builder.h"
#include "core/model/language/syntax/source_file.h"
#include "core/model/model_def.h"
#include "core/model/native/stated_function.h"
#include "core/types/notation/notation.h"

namespace signet {

// A function of the file, nested ones included.
struct FunctionWork {
  FunctionSyntax* syntax;
  std::string name;  // in the model
  std::unique_ptr<FunctionNames> names;
  FunctionWork* outer = nullptr;  // the function around it
  std::optional<Signature> signature = {};
  FunctionDef def = {};
  NodePositions positions = {};
  bool has_head = false;
};

using FunctionWorks = std::vector<std::unique_ptr<FunctionWork>>;

class FunctionReader {
 public:
  // Reads with the captures and the types of `model`. `types` are accepted as types by their names.
  // Adds to `batches`, ModelDef::batches. All arguments outlive the reader.
  FunctionReader(const SourceFile& file, const ModelScope& model, const TypesByName& types,
                 decltype(ModelDef::batches)& batches)
      : file_(file), model_(model), types_(types), batches_(batches) {}

  // Sets `def` and `positions` of each function that has no errors. An outer function is before
  // its nested functions.
  void Read(FunctionWorks& functions);

 private:
  void ReadSignature(FunctionWork& work);
  // Adds the values that nested functions take from the functions around them to their parameters.
  Closures ReadClosures(FunctionWorks& functions);
  void ReadHead(FunctionWork& work);
  void ReadDecorator(const Declaration& decorator, StatedFunction& out);
  void ReadBatch(const Declaration& decorator, const StatedFunction& function);
  void ReadDefault(std::string_view name, size_t position, const Expression& value,
                   StatedFunction& out);
  // Calls `visit` with each keyword argument, and with each entry of dicts, for names that cannot
  // be keywords.
  template <class Visit>
  void ForEachNamed(const Declaration& decorator, Visit visit);
  // Reads the types `type(...)` in an expression.
  void ReadTypes(Expression& expression);

  const SourceFile& file_;
  const ModelScope& model_;
  const TypesByName& types_;
  decltype(ModelDef::batches)& batches_;
};

}  // namespace signet
