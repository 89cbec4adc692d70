// ValueBuilder::Typed: the part of ValueBuilder that builds a value of a given type, a state
// machine over nodes.

#pragma once

#include <string>
#include <vector>

#include "core/values/builders/builder_node.h"
#include "core/values/builders/value_builder.h"

namespace signet {

class ValueBuilder::Typed {
 public:
  explicit Typed(BuilderLimits limits) : limits_(limits) {}
  Status Compile(const TypeSpec& spec);
  Status CompileColumns(const TypeSpec& structured);

  Status BeginList();
  Status EndList();
  Status BeginObject();
  Status Key(std::string_view name);
  Status EndObject();
  Status Scalar(const Literal& value);  // only for a literal type
  Status Null();
  Status Bool(bool value);
  Status Int(absl::int128 value);
  Status Float(double value);
  Status String(std::string_view bytes);

  bool TakesObject() const;
  // Remembers keys that the type does not have, for the error of a missing key.
  bool TakesKey(std::string_view name);
  bool IsTypePart(std::string_view key) const;
  std::optional<DType> ScalarDType() const;
  std::string Path() const;
  StatusOr<Value> Finish();

 private:
  // An open list or object.
  struct Frame {
    // kPresence: the list of an optional value, which is not written.
    enum class Kind : uint8_t { kAxis, kSequence, kObject, kPresence };
    Kind kind;
    size_t index;  // the axis, the next element of a sequence, or the current child of an object
    BuilderNode* node;
    int64_t start;  // of an axis: its count at the beginning of the list
  };
  enum class Expects : uint8_t { kValue, kKey, kEnd };
  // The keys of one object that its type does not have.
  struct UnknownKeys {
    const BuilderNode* node = nullptr;
    int64_t object = 0;
    std::vector<std::string> keys = {};
  };

  Status Push(Frame frame);
  void Expect(BuilderNode* node, size_t axis);
  void ExpectChild();
  Status EndValue();
  bool AtElement() const { return axis_ == node_->axes.size(); }
  // Returns true at the beginning of an optional value, which may be null.
  bool IsAtPresence() const;
  // Returns true where a scalar is the only element of lists of one.
  bool AtOnlyScalar() const { return static_cast<int>(axis_) == node_->scalar_axis; }
  // Returns true at an element, or at the pair of a complex element.
  bool AtScalar() const {
    return AtElement() || (node_->has_pairs && axis_ + 1 == node_->axes.size());
  }

  // Returns a hint for an object without the key of a child.
  std::string HintForMissing(const BuilderNode& node, size_t child) const;
  Status EndAxis(const Frame& frame);
  Status EndMissing(BuilderNode& node, size_t child);
  Status Replay(const TypeSpec& default_value);
  Status OpenAxis();
  Status CloseAxes();
  Status EnterColumn(std::string_view found);
  Status LeaveColumn(Status appended);
  Status Charge(size_t bytes);

  Status WithPlace(Status status) const;
  Status Misplaced(std::string_view found) const;
  std::string Wanted() const;

  const BuilderLimits limits_;
  BuilderTree tree_;
  std::vector<Frame> frames_;
  // What may come next: a value of node_ with axis_ open lists, a key, or only an end.
  Expects expects_ = Expects::kValue;
  BuilderNode* node_ = nullptr;
  size_t axis_ = 0;
  UnknownKeys unknown_;
  bool is_pair_ = false;  // a number is expected where a [real, imaginary] pair is
  size_t implied_ = 0;    // the lists of one around a scalar, which are not written
  int64_t elements_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace signet
