// Law: a text in the model language is rejected with a position, or it is read as a model that can
// be printed, and the text of which is read as a model with equal functions. Formatting keeps the
// meaning of a text and is done after once. Nothing crashes, and nothing takes long.
//
// An input is the text of a model.signet. There is one tensor, `weights`, in captures.safetensors.

#include <cstdint>
#include <string>

#include "core/model/language/equal_graphs.h"
#include "core/model/language/format.h"
#include "core/model/language/model_printer.h"
#include "core/model/language/model_reader.h"
#include "core/model/loaded_model.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto formatted = FormatSource(text);
  if (formatted.ok()) {
    const auto again = FormatSource(*formatted);
    SIGNET_CHECK(again.ok() && *again == *formatted);
  } else {
    SIGNET_CHECK(formatted.status().code() != absl::StatusCode::kInternal);
  }
  Captures captures;
  captures.emplace("weights", Tensor::Of<float>({2}, {0.5F, -1.0F}));
  auto def = ModelDefFromLanguage(text, {captures, ""});
  if (!def.ok()) {
    (void)WithSourcePosition(text, InvalidArgument("function `f`: node `y`: wrong"));
    return 0;
  }
  auto printed = PrintModel(*def);
  if (printed.ok()) {
    auto read = ModelDefFromLanguage(printed->text, {printed->tensors, ""});
    SIGNET_CHECK(read.ok() && read->functions.size() == def->functions.size());
    for (const FunctionDef& function : def->functions) {
      bool is_equal = false;
      for (const FunctionDef& other : read->functions) {
        is_equal =
            is_equal || (other.name == function.name && EqualFunctions(function, other).ok());
      }
      SIGNET_CHECK(is_equal);
    }
  }
  LoadedModel model("m", 1, *std::move(def), ModelOptions());
  for (const auto& function : model.functions()) (void)function->CheckBody();
  return 0;
}
