// CallRequest: a call as a client sends it, in terms that do not depend on the protocol.
//
// An argument in a data format stays encoded here: it is decoded under the type of its parameter,
// once the function is known. Parsers of protocols make requests, and core/serving/call binds them.
// Not thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/function/canonicalize.h"
#include "signet/buffer.h"
#include "signet/value.h"

namespace signet {

// kExample is a format of arguments only: serialized tensorflow.Example messages.
enum class DataFormat : uint8_t { kJson, kJsonLines, kProtobuf, kArrow, kExample };

// An argument in a data format.
struct EncodedArgument {
  bool is_keyword = false;
  size_t index = 0;  // among the positional arguments, or among the keyword arguments
  DataFormat format = DataFormat::kJson;
  Buffer data = {};               // JSON and Arrow; examples: the features that all rows share
  std::vector<Buffer> rows = {};  // protobuf, examples: one message per row
  std::string message_type = {};  // of `rows`
  bool reject_unknown_fields = false;
};

// The form in which a client wants the result.
struct ResultFormat {
  std::optional<DataFormat> format;  // empty: a value
  bool columns = false;              // JSON: one list per column
  std::string message_type = {};     // of the messages for protobuf rows
  // Returns an error for a type that values of the protocol cannot have. A null pointer accepts all
  // types.
  Status (*check_value)(const TypeSpec& type) = nullptr;
};

// A tensor that belongs to a parameter or a result by its name, in protocols that have only dense
// tensors (core/serving/flat).
struct NamedTensor {
  std::string name = {};
  Tensor tensor = {};
  bool is_json = false;  // a string tensor with JSON
  bool is_raw = false;   // a string with the bytes of the only input, whose name is not known
};

struct CallRequest {
  std::string model;
  std::optional<int64_t> version;
  std::string label;
  std::string function;
  CallArguments arguments;               // with an empty Value for each encoded argument
  std::vector<EncodedArgument> encoded;  // in the order of the client
  ResultFormat result_format;
  // The arguments of a protocol that has only dense tensors, in place of `arguments`. They are
  // assigned to the parameters when the function is known. An empty `function` is then the default
  // function of the model.
  std::optional<std::vector<NamedTensor>> tensors = {};
  // What the request itself states, in protocols in which it does: the time for the call, and its
  // priority, `high`, `normal`, or `low`; empty if it states none.
  std::optional<std::chrono::microseconds> timeout = {};
  std::string_view priority = {};
};

// A result in a data format. `data` is the concatenation of its pieces.
struct EncodedResult {
  DataFormat format = DataFormat::kJson;
  std::vector<Buffer> data = {};
  std::vector<Buffer> rows = {};  // protobuf
  std::string message_type = {};
};
using CallResult = std::variant<Value, EncodedResult>;

}  // namespace signet
