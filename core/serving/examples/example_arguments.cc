#include "core/serving/examples/example_arguments.h"

#include <utility>
#include <variant>

#include "core/formats/json/json.h"
#include "core/serving/examples/argument_words.h"
#include "core/serving/examples/example_files.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Returns the type under which JSON is decoded; null for `any`.
TypeSpec DecodedType(TypeSpec type) {
  while (type && type.is(TypeKind::kAny)) {
    type = type.children().empty() ? TypeSpec() : type.children()[0];
  }
  return type;
}

}  // namespace

StatusOr<CallArguments> ParseExampleArguments(std::string_view example, const FunctionType& type,
                                              const fs::path& folder, const Limits& limits) {
  const ReadText read = [&](const std::string& path) {
    return ReadFileIn(folder, path, static_cast<uintmax_t>(limits.message_bytes));
  };
  SIGNET_ASSIGN_OR_RETURN(const std::vector<std::string> words, SplitWords(std::string(example)));
  SIGNET_ASSIGN_OR_RETURN(std::vector<ArgumentWord> arguments, ParseArgumentWords(words, read));
  CallArguments out;
  for (ArgumentWord& argument : arguments) {
    const Parameter* parameter = nullptr;
    if (argument.name) {
      parameter = type.LookupParameter(*argument.name);
    } else if (out.positional.size() < type.parameters().size()) {
      parameter = &type.parameters()[out.positional.size()];
    }
    const auto* json = std::get_if<JsonWord>(&argument.value);
    StatusOr<Value> value = json == nullptr ? std::get<Value>(argument.value) : Value();
    if (json != nullptr) {
      const TypeSpec wanted = parameter == nullptr ? TypeSpec() : DecodedType(parameter->type);
      value = ValueFromJson(json->text, wanted, limits);
    }
    if (!value.ok()) {
      const std::string name = parameter == nullptr ? "" : parameter->name;
      return At(Cat("parameter `", Printable(name), "`"), value.status());
    }
    if (argument.name) {
      out.keyword.emplace_back(*argument.name, *std::move(value));
    } else {
      out.positional.push_back(*std::move(value));
    }
  }
  return out;
}

}  // namespace signet
