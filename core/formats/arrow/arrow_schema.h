// ArrowField: the type of an Arrow column, as given by the schema of an IPC stream.
//
// Numbers of tables, fields, and kinds are those of Arrow's Schema.fbs and Message.fbs. Dates,
// times, timestamps, and durations are integers of their width; a map is a list of {key, value}.
// Stateless; thread-safe.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/formats/arrow/flatbuffer.h"
#include "core/formats/common/allowance.h"
#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

struct ArrowField {
  // The contents of arrays of the type, in addition to validity:
  enum class Kind : uint8_t {
    kNull,       // nothing
    kBool,       // bits
    kNumber,     // elements of `dtype`
    kText,       // offsets of `width` bytes and text; width 0: `size` bytes per text
    kList,       // offsets of `width` bytes; one child
    kFixedList,  // `size` elements of the child each
    kStruct,     // its children
    kOther,      // unsupported; skipped by its number of buffers
  };
  // For a column of indices into a dictionary, which contains the values.
  struct Index {
    int64_t id = 0;
    size_t width = 4;  // bytes
    bool is_signed = true;
  };

  std::string name;
  std::string_view type_name;  // the name that Arrow uses: `LargeList`
  Kind kind = Kind::kOther;
  DType dtype{};
  size_t width = 0;
  int64_t size = 0;
  bool nullable = false;
  std::optional<Index> index;
  std::vector<ArrowField> children;
  int num_buffers = 0;               // kOther: the fixed number
  bool has_further_buffers = false;  // kOther: more of them, whose number each batch states

  bool is_list() const { return kind == Kind::kList || kind == Kind::kFixedList; }
  // Returns the number of nested lists down to a scalar or a struct, which have depth 0.
  int depth() const { return is_list() ? 1 + children[0].depth() : 0; }
  const ArrowField& innermost() const { return is_list() ? children[0].innermost() : *this; }
};

// Returns the columns of a Schema table as children of a struct. Returns an error for big-endian
// data.
StatusOr<ArrowField> ReadArrowSchema(const FlatTable& schema, Allowance& allowance);

// Returns the type of `field` after the dimensions of `outer`, the surrounding structure. Lists are
// ragged dimensions (with int32 row splits if the offsets are int32), and fixed-size lists are
// dense dimensions. Returns an error for names that are not field names, and for unsupported types.
StatusOr<TypeSpec> TypeOfArrow(const ArrowField& field, const PartialShape& outer);

// Adds the path of the column at fault, if there is one, to the message.
Status AtColumn(Status status);

}  // namespace signet
