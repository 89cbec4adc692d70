// RowParameters: the parameters of a function that receive the rows of an input file.
//
//   call M score @taste.json --in recipes.ndjson   one parameter, of a structured type
//   call M main --in X=samples.ndjson              one parameter, by its name
//   call M main --in passengers.ndjson             several parameters: each row is a record with
//                                                  one field per parameter: {"age": 22}
//
// The server decodes the rows of one parameter under its type. The rows of several parameters are
// decoded here. Immutable.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/lib/service_client.h"
#include "signet/function_type.h"

namespace signet {

class RowParameters {
 public:
  // Returns the parameter `name`. If `name` is empty, returns the first parameter of a structured
  // type without a keyword argument in `call`. If there is none, returns the required parameters
  // without an argument in `call`. Returns NOT_FOUND, with the names of the parameters, if there is
  // none.
  static StatusOr<RowParameters> Find(const FunctionType& type, const CallSpec& call,
                                      const std::string& name);

  // The type of all rows together, such as `[{age: float32[]}]`; null if any value is accepted.
  const TypeSpec& rows_type() const { return rows_; }
  // Adds the rows in `chunk` to the arguments of `call`.
  Status AddRows(v1::Encoded chunk, CallSpec& call) const;

 private:
  // A parameter that receives one field of each row.
  struct Column {
    std::string name;
    bool is_by_position;
    bool has_one_column;  // the type has the shape [?, 1], and the field is a number
  };

  static StatusOr<RowParameters> FromColumns(const std::vector<Parameter>& parameters);

  // One parameter: the index at which its argument is inserted, or its keyword.
  std::optional<size_t> position_;
  std::string keyword_;
  // Several parameters.
  std::vector<Column> columns_;
  TypeSpec rows_;  // the type of the one parameter, or the structured type of the columns
};

}  // namespace signet
