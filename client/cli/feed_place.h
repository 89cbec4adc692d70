// FeedPlace: which arguments of a call the rows of a file are.
//
//   call M score @sweet_tooth.json --in recipes.ndjson
//
// One argument, of a structured type.
//
//   call M main --in X=samples.ndjson
//
// One argument, by the name of its parameter.
//
//   call M main --in passengers.ndjson
//
// Several, from fields of their names: {"age": 22, "fare": 7.25} a row.
//
// One argument is decoded by the server, under its parameter's type. The columns of several are
// decoded here, as records of the parameters' rows. Immutable; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/lib/service_client.h"
#include "signet/function_type.h"

namespace signet {

class FeedPlace {
 public:
  // The parameter called `name`. Where that is empty, the first of a structured type that has no
  // keyword in `call`; if there is none, all that are required and that `call` does not give, of
  // which several take the fields of their names. NOT_FOUND lists the parameters.
  static StatusOr<FeedPlace> Find(const FunctionType& type, const CallSpec& call,
                                  const std::string& name);

  // The type of all rows together, such as `[{age: float32[]}]`; null if any value is accepted.
  const TypeSpec& rows_type() const { return rows_; }
  // Adds the rows in `chunk` to the arguments of `call`.
  Status Put(v1::Encoded chunk, CallSpec& call) const;

 private:
  // A parameter that takes a field of each row.
  struct Column {
    std::string name;
    bool is_by_position;
    bool is_of_ones;  // of a type [?, 1], for a field without that dimension
  };

  static StatusOr<FeedPlace> OfColumns(const std::vector<Parameter>& parameters);

  // One argument: by position, before those of the call that stand there and behind; or by keyword.
  std::optional<size_t> position_;
  std::string keyword_;
  // Several.
  std::vector<Column> columns_;
  TypeSpec rows_;  // of one argument, or the structure of the columns
};

}  // namespace signet
