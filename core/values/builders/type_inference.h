// TypeInference: infers the type of records from the events of ValueBuilder.
//
//   [{"a": 1, "b": ["x"]}, {"a": 2.5, "b": []}]  =>  [{a: float32[], b: string[(?)]}]
//
//   object        a structure with one dimension per surrounding list; all objects at one place are
//                 in the same number of lists and have the same keys
//   scalars       a scalar tensor; in one list, a vector; in more lists, a ragged value, even if
//                 all rows have the same length
//   empty lists   short rows; if there are only empty lists, float32
//   dtypes        bool; string; integers are int32, or int64 if one of them requires it; integers
//                 and floats together are float32. No other dtypes mix
//
// Only the common properties of each place are stored, not the values. Errors start with the path,
// like those of ValueBuilder. Reasons: STRUCTURE_MISMATCH (objects and other values at one place,
// different keys), SHAPE_MISMATCH (lists of different depth), DTYPE_MISMATCH, NOT_CONVERTIBLE
// (null). After an error, the object must not be used. Rules: docs/reference/types.md, values
// without a type. Not thread-safe.

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

// What the caller knows in advance; for lists of scalars only.
struct InferOptions {
  std::optional<DType> dtype = {};        // of the scalars, which are converted to it
  std::optional<int> ragged_rank = {};    // 0: a tensor of any rank
  std::optional<Shape> inner_shape = {};  // sizes of the last dimensions, which are dense
  DType splits_dtype = DType::kInt64;

  bool operator==(const InferOptions&) const = default;
};

struct InferLimits {
  int max_depth = 64;         // of nested lists and objects
  int64_t max_fields = 4096;  // number of different keys at all places together
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
  Status Null();  // always an error: no type has a null
  Status Bool();
  Status Int(absl::int128 value);
  Status Float();
  Status String();
  // Returns the path of the next event: `recipes[3].title`; empty at the top.
  std::string Path() const;

  // Returns the type of the events so far, with unknown sizes, or an error if the value is
  // incomplete.
  StatusOr<TypeSpec> Finish() const;

 private:
  enum class Kind : uint8_t { kBool, kInt, kFloat, kString };
  static constexpr int kNone = -1;

  // The events at one place of the records: a field, or the whole. Depths count the surrounding
  // lists, from the outermost.
  struct Column {
    int scalar_depth = kNone;
    int object_depth = kNone;
    int empty_depth = kNone;   // of the deepest empty list, including that list
    std::optional<Kind> kind;  // of the scalars; floats and integers together are floats
    bool is_wide = false;      // an integer does not fit in int32
    // For objects:
    std::map<std::string, Column*, std::less<>> fields;
    int64_t objects = 0;
    std::vector<std::string_view> order;  // of the names of the fields, as they came
    size_t num_seen = 0;                  // fields that the current object has
    int64_t last_object = 0;              // for a field: the last surrounding object that had it
  };
  // An open list or object.
  struct Frame {
    bool is_object;
    Column* column;
    int64_t count = 0;          // of a list: the number of elements so far
    std::string_view key = {};  // of an object: the key whose value comes next,
    Column* field = nullptr;    // and its column; null: a key or the end comes next
  };

  StatusOr<Column*> Place(std::string_view found);
  Status AddScalar(Kind kind);
  Status Push(Frame frame);
  void EndValue();
  Status CheckDepth(std::string_view found, int wanted, std::string_view others) const;
  Status CheckEmptyLists(const Column& column, std::string_view found) const;
  StatusOr<Column*> AddField(Column& column, std::string_view name);
  Status WithPlace(Status status) const;

  StatusOr<TypeSpec> TypeOf(const Column& column) const;
  StatusOr<TypeSpec> TypeOfScalars(const Column& column, const InferOptions& options) const;

  const InferOptions options_;
  const InferLimits limits_;
  // the first is the whole; a deque, because addresses must not change
  std::deque<Column> columns_;
  std::vector<Frame> frames_;
  int depth_ = 0;  // number of open lists
  bool is_done_ = false;
};

}  // namespace signet
