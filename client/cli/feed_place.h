// RowParameters: the parameters of a function that receive the rows of an input file.
//
//   call M score @taste.json --in recipes.ndjson   one parameter, of a structured type
//   call M main --in X=samples.ndjson              one parameter, by its name
//   call M main --in passengers.ndjson             several parameters: each row is a record with
//                                                  one field per parameter: {"age": 22}
//
// Parameters of imported models are also found by their names in the file of the model, as are the
// fields of rows: `petal.width` is the parameter `petal_width`.
//
// The server decodes the rows of one parameter under its type. The rows of several parameters are
// decoded here. Immutable.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/cli/field_names.h"
#include "client/lib/service_client.h"
#include "signet/function_type.h"

namespace signet {

class RowParameters {
 public:
  using SourceNames = std::map<std::string, std::string>;

  // Returns the parameter `name`. If `name` is empty, returns the first parameter of a structured
  // type without a keyword argument in `call`. If there is none, returns the required parameters
  // without an argument in `call`. Returns NOT_FOUND, with the names of the parameters, if there is
  // none. `sources` has the names of parameters in the format of the model, where they differ.
  static StatusOr<RowParameters> Find(const FunctionType& type, const CallSpec& call,
                                      const std::string& name, const SourceNames& sources = {});

  // The type of all rows together, such as `[{age: float32[]}]`; null if any value is accepted.
  const TypeSpec& rows_type() const { return rows_; }
  // The fields of `rows_type` by other names that rows may have for them.
  const FieldNames& field_names() const { return field_names_; }
  // Adds the rows in `chunk` to the arguments of `call`.
  Status AddRows(v1::Encoded chunk, CallSpec& call) const;

 private:
  // A parameter that receives one field of each row.
  struct Column {
    std::string name;
    std::string field;  // in the rows; a name such as `_0` is not valid for a field
    bool is_by_position;
    bool has_one_column;  // the type has the shape [?, 1], and the field is a number
  };

  static StatusOr<RowParameters> FromColumns(const std::vector<Parameter>& parameters,
                                             const SourceNames& sources);
  // Adds to an error of rows which fields have other names than their parameters.
  Status WithColumnNames(Status status) const;

  // One parameter: the index at which its argument is inserted, or its keyword.
  std::optional<size_t> position_;
  std::string keyword_;
  // Several parameters.
  std::vector<Column> columns_;
  FieldNames field_names_;
  TypeSpec rows_;  // the type of the one parameter, or the structured type of the columns
};

}  // namespace signet
