// BuilderNode: the type of a value under construction and the columns that it fills.
//
// A type is compiled once into a tree of nodes; then each event of ValueBuilder uses one node. A
// structure of rank r and its fields are nodes. Their *axes* are levels of nested lists, and a
// field has only the axes after those of its structure. Internal to ValueBuilder and to the parsers
// that fill columns directly. Not thread-safe.

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
  int64_t length = kUnknownDim;    // of a uniform axis: the length of the first list
  bool is_uniform = false;         // all lists have the same length
  bool has_splits = false;         // the end of each list is recorded
  int64_t count = 0;               // elements of all lists so far
  GrowingBuffer splits;            // int64, without the leading 0

  // Returns the size of the dimension in a dense shape.
  int64_t size() const {
    if (declared != kUnknownDim) return declared;
    return length == kUnknownDim ? 0 : length;
  }
};

struct BuilderNode {
  enum class Kind : uint8_t { kColumn, kStructure, kSequence, kRecord, kLiteral };

  Kind kind;
  TypeSpec spec;
  std::vector<BuilderAxis> axes;  // columns and structures: their own axes, the outermost first
  bool is_needed = true;          // false: parsers may skip values that no component needs
  // The axis whose lists have length 0 or 1 and are not written: an optional value is null or its
  // one element. -1: none.
  int presence_axis = -1;
  // Fields of structures: the first axis of an element, if all axes of the element have the size 1.
  // A scalar there is the only element. -1: scalars are in lists.
  int scalar_axis = -1;
  // The replacements for a null or missing value after `default_axis` open lists, and for a null
  // element.
  TypeSpec default_value;
  int default_axis = 0;
  TypeSpec default_element;

  // Columns.
  DType dtype{};
  int ragged_rank = 0;
  DType splits_dtype = DType::kInt64;
  bool is_open = false;    // of unknown rank: lists add axes until the first scalar
  bool has_pairs = false;  // complex: the last axis is [real, imaginary]
  GrowingBuffer data;      // elements, or the ends of strings
  GrowingBuffer text;

  // Structures, records and sequences.
  std::vector<std::string> names;  // empty for a sequence
  bool is_sorted = false;          // by name
  std::vector<BuilderNode*> children;
  std::vector<int64_t> seen;  // per child: the number of the last object that had it
  int64_t object = 0;         // number of objects so far
  size_t num_seen = 0;        // number of children in the current object
  size_t position = 0;        // number of keys in the current object
  bool has_columns = false;   // an object of columns instead of a list of objects
  std::vector<size_t> order;  // per position: the child that was there last time

  // Sets scalar_axis. An element of the field begins at `axis`.
  void AllowScalarAt(int axis);
  // Returns true if a value of this node may be null or missing.
  bool TakesNull() const { return presence_axis >= 0 || default_value; }
  // Returns the child that is likely to come next, or an index past the last child.
  size_t Expected() const { return position < order.size() ? order[position] : children.size(); }
  // Returns the index of the child called `name`, or -1. Advances to the next position, and records
  // the child for this position.
  int Lookup(std::string_view name);
  // Returns the same index without any side effect.
  int IndexOf(std::string_view name) const;
};

// Owns the nodes of one type.
class BuilderTree {
 public:
  // Returns an error for types that no value has (`any`).
  Status Compile(const TypeSpec& spec);
  // Compiles the columns of a structure of rank 1 as items of a dict, with one list each:
  //   [{a: int64[]}]  =>  {"a": [1, 2]}
  Status CompileColumns(const TypeSpec& structured);
  BuilderNode* root() const { return root_; }
  // Returns the value and empties the columns. The type is that of the data: sizes that the spec
  // leaves open are filled in.
  StatusOr<Value> TakeValue();

 private:
  using Axes = std::vector<BuilderAxis*>;

  // Returns the components in the order of ComponentsOf.
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

  std::deque<BuilderNode> nodes_;  // a deque, because addresses must not change
  BuilderNode* root_ = nullptr;
};

}  // namespace signet
