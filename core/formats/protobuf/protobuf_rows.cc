#include "core/formats/protobuf/protobuf_rows.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/formats/common/missing_fields.h"
#include "core/formats/common/needed_columns.h"
#include "core/formats/protobuf/protobuf_row_reader.h"
#include "signet/structured_spec.h"

namespace signet {
namespace {

std::span<const int64_t> EndsOf(const BuilderAxis& axis) {
  return {reinterpret_cast<const int64_t*>(axis.splits.data()),
          axis.splits.size() / sizeof(int64_t)};
}

// Returns the row that contains an object of a table.
int64_t RowOf(const ProtobufTable& table, int64_t object) {
  for (const ProtobufTable* at = &table; at->parent != nullptr; at = at->parent) {
    if (at->in_parent->axis == nullptr) continue;
    auto ends = EndsOf(*at->in_parent->axis);
    object = std::upper_bound(ends.begin(), ends.end(), object) - ends.begin();
  }
  return object;
}

// Checks the lengths of rows where the type declares them or requires equal lengths.
Status CheckLengths(const ProtobufTable& table, const ProtobufTarget& target) {
  BuilderAxis& axis = *target.axis;
  axis.count = target.count();
  if (axis.declared == kUnknownDim && !axis.is_uniform) return absl::OkStatus();
  int64_t begin = 0;
  int64_t object = 0;
  for (int64_t end : EndsOf(axis)) {
    int64_t length = end - begin;
    if (axis.length == kUnknownDim) {
      axis.length = axis.declared == kUnknownDim ? length : axis.declared;
    }
    if (length != axis.length) {
      Status status = InvalidWithReason(
          "SHAPE_MISMATCH", "`", table.PathOf(target), "`: expected ", axis.length, " elements",
          axis.declared == kUnknownDim ? ", the same number as in the first row" : "", ", found ",
          length);
      return At(Cat("row ", RowOf(table, object)), std::move(status));
    }
    begin = end;
    ++object;
  }
  return absl::OkStatus();
}

Status FinishTable(ProtobufTable& table, const Limits& limits) {
  for (size_t i = 0; i < table.num_filled; ++i) {
    ProtobufTarget& target = table.targets[i];
    if (target.axis != nullptr) SIGNET_RETURN_IF_ERROR(CheckLengths(table, target));
    if (target.count() > limits.tensor_elements) {
      return ResourceExhausted("`", table.PathOf(target), "`: ", target.count(),
                               " elements; the limit is ", limits.tensor_elements,
                               " (--max_tensor_elements)");
    }
    if (target.message != nullptr) {
      SIGNET_RETURN_IF_ERROR(FinishTable(*target.message, limits));
    }
  }
  return absl::OkStatus();
}

// Returns the rank of the deepest column. The dimensions of a structure count for its fields.
int RankOf(const BuilderNode& node) {
  int deepest = 0;
  for (const BuilderNode* child : node.children) deepest = std::max(deepest, RankOf(*child));
  return static_cast<int>(node.axes.size()) + deepest;
}

}  // namespace

StatusOr<ProtobufRows> ProtobufRows::Make(const SelectedMessage& selection, const TypeSpec& spec,
                                          const Limits& limits, const std::vector<bool>& needs) {
  ProtobufRows rows(spec, limits);
  SIGNET_RETURN_IF_ERROR(rows.tree_.Compile(spec));
  if (int rank = RankOf(*rows.tree_.root()); rank > limits.rank) {
    return InvalidArgument("rank ", rank, "; the limit is ", limits.rank, " (--max_rank)");
  }
  SIGNET_ASSIGN_OR_RETURN(rows.tables_, ProtobufTables::Compile(selection, rows.tree_, needs));
  rows.room_.emplace(*rows.tree_.root(), limits.expanded_bytes);
  return rows;
}

Status ProtobufRows::Read(std::string_view row) {
  ProtobufRowReader reader(row, *room_, limits_.reject_unknown_fields);
  Status status = reader.Read(tables_.root());
  if (status.ok()) status = room_->EndRow(row.size());
  if (!status.ok()) return At(Cat("row ", rows_, reader.Place()), std::move(status));
  ++rows_;
  return absl::OkStatus();
}

StatusOr<Value> ProtobufRows::Finish() {
  BuilderNode& root = *tree_.root();
  if (root.axes.empty()) {
    if (rows_ != 1) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected one row for `", spec_, "`, found ",
                               rows_);
    }
  } else {
    BuilderAxis& axis = root.axes[0];
    if (axis.declared != kUnknownDim && axis.declared != rows_) {
      return InvalidWithReason("SHAPE_MISMATCH", "expected ", axis.declared, " rows for `", spec_,
                               "`, found ", rows_);
    }
    axis.count = rows_;
    axis.length = rows_;
  }
  int64_t bytes_left = room_->bytes_left();
  SIGNET_RETURN_IF_ERROR(FinishTable(tables_.root(), limits_));
  SIGNET_RETURN_IF_ERROR(FillUnneeded(root, bytes_left));
  return tree_.TakeValue();
}

StatusOr<Value> ValueFromProtobufRows(std::span<const std::string_view> rows,
                                      const ProtobufSchema& schema, std::string_view message_type,
                                      const TypeSpec& spec, const Limits& limits,
                                      const ProtobufOptions& options,
                                      const std::vector<bool>& needs) {
  SIGNET_ASSIGN_OR_RETURN(const auto* type, schema.FindMessage(message_type));
  SIGNET_ASSIGN_OR_RETURN(SelectedMessage selection,
                          spec ? SelectFieldsOf(spec, schema, *type, options, limits)
                               : SelectFields(schema, *type, options, limits));
  TypeSpec exact = spec;
  if (!exact) {
    SIGNET_ASSIGN_OR_RETURN(exact, TypeOf(selection));
  } else if (spec.rep().has_notes()) {
    SIGNET_ASSIGN_OR_RETURN(TypeSpec present, PresentType(spec, selection));
    if (present != spec) exact = std::move(present);  // otherwise with the notes of `spec`
  }
  const bool is_filled_in = spec && !(exact == spec);
  // All fields are read to detect unknown fields or to fill in missing ones.
  const std::vector<bool> all;
  const bool reads_all = is_filled_in || limits.reject_unknown_fields;
  SIGNET_ASSIGN_OR_RETURN(ProtobufRows reader,
                          ProtobufRows::Make(selection, exact, limits, reads_all ? all : needs));
  size_t bytes = 0;
  for (std::string_view row : rows) bytes += row.size();
  reader.Expect(bytes);
  for (std::string_view row : rows) SIGNET_RETURN_IF_ERROR(reader.Read(row));
  if (!is_filled_in) return reader.Finish();
  SIGNET_ASSIGN_OR_RETURN(Value found, reader.Finish());
  return FillMissing(found, spec, limits);
}

}  // namespace signet
