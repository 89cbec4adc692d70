#include "core/model/tracing/imported_functions.h"

#include <utility>

#include "core/model/rename_functions.h"

namespace signet {

StatusOr<std::vector<std::shared_ptr<const TracedFunction>>> ImportFunctions(
    ModelDef model, std::string_view prefix) {
  SIGNET_RETURN_IF_ERROR(AddPrefix(model, prefix, ""));
  std::vector<std::shared_ptr<const TracedFunction>> out;
  for (FunctionDef& def : model.functions) {
    auto function = std::make_shared<TracedFunction>();
    function->def = std::move(def);
    for (const std::string& capture : function->def.graph.captures) {
      function->captures.emplace(capture, model.captures.at(capture));
    }
    out.push_back(std::move(function));
  }
  return out;
}

}  // namespace signet
