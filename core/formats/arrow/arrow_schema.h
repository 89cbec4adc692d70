// ArrowField: the type of an Arrow column, as the schema of an IPC stream states it.
//
// Numbers of tables, fields and kinds are those of Arrow's Schema.fbs and Message.fbs. Dates,
// times, timestamps and durations are integers of their width; a map is a list of {key, value}.
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
  // What arrays of the type are made of, beside validity:
  enum class Kind : uint8_t {
    kNull,       // nothing
    kBool,       // bits
    kNumber,     // elements of `dtype`
    kText,       // offsets of `width` bytes and text; width 0: texts of `size` bytes each
    kList,       // offsets of `width` bytes; one child
    kFixedList,  // `size` elements of the child each
    kStruct,     // its children
    kOther,      // what is not read, passed over by its buffers
  };
  // Of a column of indices into a dictionary, which has the values.
  struct Index {
    int64_t id = 0;
    size_t width = 4;  // bytes
    bool is_signed = true;
  };

  std::string name;
  std::string_view type_name;  // as Arrow calls it: `LargeList`
  Kind kind = Kind::kOther;
  DType dtype{};
  size_t width = 0;
  int64_t size = 0;
  bool nullable = false;
  std::optional<Index> index;
  std::vector<ArrowField> children;
  int num_buffers = 0;               // kOther: of fixed number
  bool has_further_buffers = false;  // kOther: as many more as a batch says

  bool is_list() const { return kind == Kind::kList || kind == Kind::kFixedList; }
  // Lists within lists down to a scalar or a struct; 0 for these.
  int depth() const { return is_list() ? 1 + children[0].depth() : 0; }
  const ArrowField& innermost() const { return is_list() ? children[0].innermost() : *this; }
};

// The columns of a Schema table, as the children of a struct. Refuses big-endian data.
StatusOr<ArrowField> ReadArrowSchema(const FlatTable& schema, Allowance& allowance);

// What `field` holds behind the dimensions of `outer`, those of the structure around: lists are
// ragged dimensions (of int32 row splits where the offsets are), fixed-size lists dense ones.
// Refuses names that no field has, and types that are not read.
StatusOr<TypeSpec> TypeOfArrow(const ArrowField& field, const PartialShape& outer);

// Puts the path of the column that is refused, if there is one, before the sentence.
Status AtColumn(Status status);

}  // namespace signet
