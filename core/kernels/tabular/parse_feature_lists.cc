// The kernel of `parse_feature_lists`.
//
// A parser of untrusted input. Each message is read twice: first, the place of each feature list is
// found, and its steps and values are counted; then they are written.

#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/example_fields.h"
#include "core/kernels/tabular/tabular_kernels.h"

namespace signet {
namespace {

// The bytes of a FeatureList, and whether the message has it.
struct ListPlace {
  std::string_view bytes = {};
  bool is_present = false;
};

// The outputs of one feature.
struct ListOutputs {
  Tensor* values = nullptr;
  int64_t* step_splits = nullptr;
  int64_t* row_splits = nullptr;
  bool* present = nullptr;
  int64_t num_values = 0;
  int64_t num_bytes = 0;  // of text
};

class FeatureListsKernel final : public Kernel {
 public:
  FeatureListsKernel(std::vector<std::string> names, std::vector<DType> dtypes)
      : names_(std::move(names)), dtypes_(std::move(dtypes)) {
    for (size_t i = 0; i < names_.size(); ++i) indices_.emplace(names_[i], i);
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    const int64_t rows = x.num_elements();
    std::vector<ListOutputs> outputs(names_.size());
    for (size_t i = 0; i < names_.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(4 * i + 2, {rows + 1}));
      SIGNET_ASSIGN_OR_RETURN(Tensor * present, context.Allocate(4 * i + 3, {rows}));
      outputs[i].row_splits = splits->mutable_elements<int64_t>();
      outputs[i].present = present->mutable_elements<bool>();
      outputs[i].row_splits[0] = 0;
    }
    StopPoll poll(context);
    std::vector<ListPlace> places(names_.size());
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(FindLists(poll, x.string_at(row), row, places));
      for (size_t i = 0; i < names_.size(); ++i) {
        SIGNET_RETURN_IF_ERROR(Count(row, i, places[i], outputs[i]));
      }
    }
    for (size_t i = 0; i < names_.size(); ++i) {
      ListOutputs& out = outputs[i];
      const Shape shape = {out.num_values};
      SIGNET_ASSIGN_OR_RETURN(Tensor * splits,
                              context.Allocate(4 * i + 1, {out.row_splits[rows] + 1}));
      out.step_splits = splits->mutable_elements<int64_t>();
      *out.step_splits = 0;
      if (dtypes_[i] == DType::kString) {
        SIGNET_ASSIGN_OR_RETURN(
            out.values, context.AllocateStrings(4 * i, shape, static_cast<size_t>(out.num_bytes)));
        out.values->mutable_elements<int64_t>()[0] = 0;
      } else {
        SIGNET_ASSIGN_OR_RETURN(out.values, context.Allocate(4 * i, shape));
      }
      out.num_values = 0;
      out.num_bytes = 0;
    }
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(FindLists(poll, x.string_at(row), row, places));
      for (size_t i = 0; i < names_.size(); ++i) Write(dtypes_[i], places[i], outputs[i]);
    }
    return absl::OkStatus();
  }

 private:
  static Status NoSequence(int64_t row) {
    return WithConstraint(
        "C3",
        InvalidArgument("row ", row, ": expected a serialized tensorflow.SequenceExample, found ",
                        "bytes that do not parse"));
  }

  // Finds the feature lists of one message.
  Status FindLists(StopPoll& poll, std::string_view message, int64_t row,
                   std::vector<ListPlace>& places) const {
    SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
    std::fill(places.begin(), places.end(), ListPlace());
    ProtoFields example(message);
    while (example.Next()) {
      if (example.number() != 2 || !example.is_bytes()) continue;
      ProtoFields lists(example.bytes());
      while (lists.Next()) {
        if (lists.number() != 1 || !lists.is_bytes()) continue;
        std::string_view key;
        std::string_view list;
        if (!ReadMapEntry(lists.bytes(), key, list)) return NoSequence(row);
        auto known = indices_.find(absl::string_view(key.data(), key.size()));
        if (known != indices_.end()) places[known->second] = {list, true};
      }
      if (lists.failed()) return NoSequence(row);
    }
    return example.failed() ? NoSequence(row) : absl::OkStatus();
  }

  // Counts the steps and the values of list `i` in one message, and checks them.
  Status Count(int64_t row, size_t i, const ListPlace& place, ListOutputs& out) const {
    const FeatureKind wanted = KindOfFeature(dtypes_[i]);
    int64_t num_steps = 0;
    ProtoFields steps(place.bytes);
    while (steps.Next()) {
      if (steps.number() != 1 || !steps.is_bytes()) continue;
      int kind;
      if (!ReadFeatureKind(steps.bytes(), kind)) return NoSequence(row);
      if (kind != kAbsentFeature && kind != wanted) {
        return WithConstraint(
            "C3", InvalidArgument("row ", row, ": feature list `", Printable(names_[i]), "`: step ",
                                  num_steps, ": expected ", NameOfFeatureKind(wanted), ", found ",
                                  NameOfFeatureKind(kind)));
      }
      ++num_steps;
      const bool is_feature =
          VisitValues(steps.bytes(), kind, [&](uint64_t, std::string_view text) {
            ++out.num_values;
            out.num_bytes += static_cast<int64_t>(text.size());
          });
      if (!is_feature) return NoSequence(row);
    }
    if (steps.failed()) return NoSequence(row);
    out.row_splits[row + 1] = out.row_splits[row] + num_steps;
    out.present[row] = place.is_present;
    return absl::OkStatus();
  }

  // Writes the steps and the values of a list in one message, which Count has accepted.
  static void Write(DType dtype, const ListPlace& place, ListOutputs& out) {
    ProtoFields steps(place.bytes);
    while (steps.Next()) {
      if (steps.number() != 1 || !steps.is_bytes()) continue;
      int kind;
      ReadFeatureKind(steps.bytes(), kind);
      VisitValues(steps.bytes(), kind, [&](uint64_t bits, std::string_view text) {
        const int64_t at = out.num_values++;
        if (dtype == DType::kInt64) {
          out.values->mutable_elements<int64_t>()[at] = static_cast<int64_t>(bits);
        } else if (dtype == DType::kFloat32) {
          const auto word = static_cast<uint32_t>(bits);
          std::memcpy(out.values->mutable_elements<float>() + at, &word, sizeof word);
        } else {
          auto* bytes = const_cast<std::byte*>(out.values->bytes().data());
          if (!text.empty()) std::memcpy(bytes + out.num_bytes, text.data(), text.size());
          out.num_bytes += static_cast<int64_t>(text.size());
          out.values->mutable_elements<int64_t>()[at + 1] = out.num_bytes;
        }
      });
      *++out.step_splits = out.num_values;
    }
  }

  const std::vector<std::string> names_;
  const std::vector<DType> dtypes_;
  absl::flat_hash_map<std::string, size_t> indices_;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseFeatureLists(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto names, request.call.attributes.Strings("features"));
  std::vector<DType> dtypes;
  for (size_t i = 0; i < names.size(); ++i) dtypes.push_back(DTypeIn(request.outputs[4 * i]));
  return std::make_unique<FeatureListsKernel>(std::move(names), std::move(dtypes));
}

constexpr KernelDef kParseFeatureListsKernels[] = {{"parse_feature_lists", MakeParseFeatureLists}};

}  // namespace

std::span<const KernelDef> ParseFeatureListsKernels() { return kParseFeatureListsKernels; }

}  // namespace signet
