// NamedArguments: arguments that a request passes by name, in any order.
//
//   NamedArguments arguments;
//   arguments.AddJson("y", text);
//   arguments.Add("x", tensor);
//   SIGNET_RETURN_IF_ERROR(arguments.MoveTo(function.def().type, limits, call));
//
// Arguments of the leading parameters are passed by position, because positional-only parameters
// require that, and because the function of such a call is found directly. The others are keyword
// arguments. Not thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "signet/function_type.h"

namespace signet::tf {

class NamedArguments {
 public:
  void Add(std::string name, Value value) {
    items_.push_back({.name = std::move(name), .value = std::move(value)});
  }
  void AddEncoded(std::string name, EncodedArgument encoded) {
    items_.push_back({.name = std::move(name), .encoded = std::move(encoded), .is_encoded = true});
  }
  void AddJson(std::string name, Buffer text) {
    AddEncoded(std::move(name), {.format = DataFormat::kJson, .data = std::move(text)});
  }

  // Adds the arguments to `call`, in the order of `type`. RESOURCE_EXHAUSTED if there are too many;
  // INVALID_ARGUMENT if a positional-only parameter is given and one before it is not.
  Status MoveTo(const FunctionType& type, const Limits& limits, CallRequest& call);

 private:
  struct Item {
    std::string name;
    Value value = {};
    EncodedArgument encoded = {};
    bool is_encoded = false;
    bool is_moved = false;
  };

  void Move(Item& item, bool is_keyword, CallRequest& call);

  std::vector<Item> items_;
};

}  // namespace signet::tf
