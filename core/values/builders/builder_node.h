// BuilderNode: the type of a value under construction, with the columns that it fills.
//
// A type is compiled once into a tree of nodes; then each event of ValueBuilder touches one node.
// A structure of rank r and its fields are nodes whose *axes* are levels of nested lists: a field
// has only the axes behind those of its structure. Internal to ValueBuilder and
// to the doors that fill columns themselves. One thread.

#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/values/growing_buffer.h"
#include "signet/dtype.h"
#include "signet/value.h"

namespace signet {

// One level of nested lists.
struct BuilderAxis {
  int64_t declared = kUnknownDim;  // the length that every list must have
  int64_t length = kUnknownDim;    // of a uniform axis: that of the first list
  bool is_uniform = false;         // all lists have one length
  bool has_splits = false;         // where each list ends is recorded
  int64_t count = 0;               // elements of all lists so far
  GrowingBuffer splits;            // int64, without the leading 0

  // The size of the dimension in a dense shape.
  int64_t size() const {
    if (declared != kUnknownDim) return declared;
    return length == kUnknownDim ? 0 : length;
  }
};

struct BuilderNode {
  enum class Kind : uint8_t { kColumn, kStructure, kSequence, kRecord, kLiteral };

  Kind kind;
  TypeSpec spec;
  std::vector<BuilderAxis> axes;  // columns and structures: its own, outermost first
  bool is_needed = true;          // for doors that pass over what nobody reads
  // The axis whose lists have length 0 or 1 and are not written: an optional value is null, or its
  // one element. -1: none.
  int presence_axis = -1;
  // What stands for a null or missing value behind `default_axis` open lists, and for a null
  // element.
  TypeSpec default_value;
  int default_axis = 0;
  TypeSpec default_element;

  // Columns.
  DType dtype{};
  int ragged_rank = 0;
  DType splits_dtype = DType::kInt64;
  bool is_open = false;    // of unknown rank: lists open axes until a scalar is met
  bool has_pairs = false;  // complex: the last axis is [real, imaginary]
  GrowingBuffer data;      // elements, or ends of texts
  GrowingBuffer text;

  // Structures, records and sequences.
  std::vector<std::string> names;  // empty for a sequence
  bool is_sorted = false;          // by name
  std::vector<BuilderNode*> children;
  std::vector<int64_t> seen;  // per child: the last object that had it
  int64_t object = 0;         // objects begun
  size_t num_seen = 0;        // children that the object at hand has
  size_t position = 0;        // keys that the object at hand has had
  bool has_columns = false;   // an object of columns in place of a list of objects
  std::vector<size_t> order;  // per position: the child that was there last time

  // Whether null can stand for a value of this node, and the value can thus be left out.
  bool TakesNull() const { return presence_axis >= 0 || default_value; }
  // The child that is likely to come next; no index of one behind the last.
  size_t Expected() const { return position < order.size() ? order[position] : children.size(); }
  // Index of the child called `name`, or -1. Moves on to the next position, and remembers this one.
  int Lookup(std::string_view name);
  // The same, and nothing else.
  int IndexOf(std::string_view name) const;
};

// Owns the nodes of one type.
class BuilderTree {
 public:
  // Refuses types that values do not have (`any`).
  Status Compile(const TypeSpec& spec);
  // The columns of a structure of rank 1 as items of a dict, a list each:
  //   [{a: int64[]}]  =>  {"a": [1, 2]}
  Status CompileColumns(const TypeSpec& structured);
  BuilderNode* root() const { return root_; }
  // The value, whose type is that of the data: sizes that the spec leaves open are filled in.
  // Empties the columns.
  StatusOr<Value> TakeValue();

 private:
  using Axes = std::vector<BuilderAxis*>;

  // In the order of ComponentsOf.
  StatusOr<Components> TakeComponents();
  StatusOr<BuilderNode*> CompileNode(const TypeSpec& spec, const Axes& outer);
  StatusOr<BuilderNode*> CompileColumn(const TypeSpec& spec, DType dtype, int ragged_rank,
                                       const Axes& outer);
  StatusOr<BuilderNode*> CompileStructure(const TypeSpec& spec, Axes outer);
  Status CompileChildren(BuilderNode& node, std::span<const TypeSpec> types, const Axes& outer);
  BuilderNode* Add(BuilderNode::Kind kind, const TypeSpec& spec);

  Status Take(BuilderNode& node, Axes outer, Components& out);
  Status TakeColumn(BuilderNode& node, const Axes& outer, Components& out);
  Status TakeStructure(BuilderNode& node, Axes outer, Components& out);

  std::deque<BuilderNode> nodes_;  // addresses stay
  BuilderNode* root_ = nullptr;
};

}  // namespace signet
