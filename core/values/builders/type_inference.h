// TypeInference: finds out the type of records from the events of ValueBuilder.
//
//   [{"a": 1, "b": ["x"]}, {"a": 2.5, "b": []}]  =>  [{a: float32[], b: string[(?)]}]
//
//   object        a structure, in a list for each of its dimensions: all objects at one place are
//   in
//                 as many lists, and have the same keys
//   scalars       a scalar tensor; in one list a vector; in more a ragged value, also where all
//                 rows are of one length
//   empty lists   short rows; nothing but empty lists is float32
//   dtypes        bool; string; integers int32, or int64 if any needs it; with a float among them
//                 float32. Nothing else mixes
//
// Only what one place has in common is kept, not the values. A refusal starts with the path, as
// those of ValueBuilder do; reasons: STRUCTURE_MISMATCH (objects beside others, other keys),
// SHAPE_MISMATCH (lists of other depth), DTYPE_MISMATCH, NOT_CONVERTIBLE (null). After a refusal
// the inference is of no more use. Rules: docs/reference/types.md, values without a type. One
// thread.

#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/numeric/int128.h>

#include "signet/dtype.h"
#include "signet/type_spec.h"

namespace signet {

// What is known before; for lists of scalars only.
struct InferOptions {
  std::optional<DType> dtype = {};        // of the scalars, which convert to it
  std::optional<int> ragged_rank = {};    // 0: a tensor, whatever its rank
  std::optional<Shape> inner_shape = {};  // the sizes of the last dimensions, which are dense
  DType splits_dtype = DType::kInt64;

  bool operator==(const InferOptions&) const = default;
};

struct InferLimits {
  int max_depth = 64;         // lists and objects within others
  int64_t max_fields = 4096;  // different keys, at whatever depth
  std::string_view fields_flag = {};
};

class TypeInference {
 public:
  explicit TypeInference(InferOptions options = {}, InferLimits limits = {});

  Status BeginList();
  Status EndList();
  Status BeginObject();
  Status Key(std::string_view name);
  Status EndObject();
  Status Null();  // always refused: no type has it
  Status Bool();
  Status Int(absl::int128 value);
  Status Float();
  Status String();
  // Where the next event belongs: `recipes[3].title`; empty at the top.
  std::string Path() const;

  // The type of what was seen, sizes unknown; refused when it is not complete.
  StatusOr<TypeSpec> Finish() const;

 private:
  enum class Kind : uint8_t { kBool, kInt, kFloat, kString };
  static constexpr int kNone = -1;

  // What has been seen at one place of the records: a field, or the whole. Depths count the lists
  // around, from the outermost on.
  struct Column {
    int scalar_depth = kNone;
    int object_depth = kNone;
    int empty_depth = kNone;   // of the deepest empty list, which counts itself
    std::optional<Kind> kind;  // of the scalars; floats with integers among them are floats
    bool is_wide = false;      // an integer is beyond int32
    // Of objects:
    std::map<std::string, Column*, std::less<>> fields;
    int64_t objects = 0;
    std::vector<std::string_view> order;  // of the fields' names, as they came
    size_t num_seen = 0;                  // fields that the object at hand has
    int64_t last_object = 0;              // as a field: the last object around that had it
  };
  // An open list or object.
  struct Frame {
    bool is_object;
    Column* column;
    int64_t count = 0;          // of a list: the elements before
    std::string_view key = {};  // of an object: the key whose value is due,
    Column* field = nullptr;    // and its column; null: a key or the end is due
  };

  StatusOr<Column*> Place(std::string_view found);
  Status AddScalar(Kind kind);
  Status Push(Frame frame);
  void EndValue();
  Status CheckDepth(std::string_view found, int wanted, std::string_view others) const;
  Status CheckEmptyLists(const Column& column, std::string_view found) const;
  StatusOr<Column*> AddField(Column& column, std::string_view name);
  Status Refused(Status status) const;

  StatusOr<TypeSpec> TypeOf(const Column& column) const;
  StatusOr<TypeSpec> TypeOfScalars(const Column& column, const InferOptions& options) const;

  const InferOptions options_;
  const InferLimits limits_;
  std::deque<Column> columns_;  // the first is the whole; addresses stay
  std::vector<Frame> frames_;
  int depth_ = 0;  // open lists
  bool is_done_ = false;
};

}  // namespace signet
