// Kernels that find keys in a vocabulary. A constant vocabulary is hashed once, when the kernel is
// made.

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include "core/kernels/indexing/indexing_kernels.h"
#include "core/kernels/loops/runs.h"
#include "core/values/zero_scalar.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// The words of a vocabulary and their positions. If a word occurs several times, its first position
// counts.
class Index {
 public:
  // Keeps `words` alive. With a context, counts the memory of the index as memory of the run.
  static StatusOr<std::shared_ptr<const Index>> Make(const Tensor& words, KernelContext* context) {
    constexpr size_t kEntryBytes = 56;  // bytes per word of a table that is half full
    auto index = std::make_shared<Index>();
    index->words_ = words;
    auto n = static_cast<size_t>(words.num_elements());
    std::optional<StopPoll> poll;
    if (context != nullptr) {
      SIGNET_RETURN_IF_ERROR(context->CountBytes(n * kEntryBytes));
      poll.emplace(*context);
    }
    if (words.is_string()) {
      index->strings_.reserve(n);
    } else {
      index->numbers_.reserve(n);
    }
    for (int64_t i = 0; i < words.num_elements(); ++i) {
      if (poll) SIGNET_RETURN_IF_ERROR(poll->Spend(50));
      if (words.is_string()) {
        index->strings_.try_emplace(TextAt(words, i), i);
      } else {
        index->numbers_.try_emplace(NumberAt(words, i), i);
      }
    }
    return std::shared_ptr<const Index>(std::move(index));
  }

  int64_t num_words() const { return words_.num_elements(); }

  // Returns the position of element `i` of `keys`, or `missing`.
  int64_t Find(const Tensor& keys, int64_t i, int64_t missing) const {
    if (keys.is_string()) {
      auto found = strings_.find(TextAt(keys, i));
      return found == strings_.end() ? missing : found->second;
    }
    auto found = numbers_.find(NumberAt(keys, i));
    return found == numbers_.end() ? missing : found->second;
  }

 private:
  static absl::string_view TextAt(const Tensor& tensor, int64_t i) {
    std::string_view text = tensor.string_at(i);
    return {text.data(), text.size()};
  }
  static int64_t NumberAt(const Tensor& tensor, int64_t i) {
    auto at = static_cast<size_t>(i);
    switch (tensor.dtype()) {
      case DType::kInt32:
        return tensor.elements<int32_t>()[at];
      case DType::kFloat32:
        return BitsOf(tensor.elements<float>()[at]);
      case DType::kFloat64:
        return BitsOf(tensor.elements<double>()[at]);
      default:
        return tensor.elements<int64_t>()[at];
    }
  }
  // Returns the same bits for numbers that are the same key: 0 and -0, and all NaN.
  static int64_t BitsOf(double number) {
    if (std::isnan(number)) return std::bit_cast<int64_t>(std::numeric_limits<double>::quiet_NaN());
    return std::bit_cast<int64_t>(number + 0.0);
  }

  Tensor words_;
  absl::flat_hash_map<absl::string_view, int64_t> strings_;
  absl::flat_hash_map<int64_t, int64_t> numbers_;  // the keys of floats are their bits
};

// The index of input 1. It is built in advance if input 1 is a constant.
class Vocabulary {
 public:
  static StatusOr<Vocabulary> Make(const OpCall& call) {
    Vocabulary vocabulary;
    if (const Tensor* constant = call.constant(1)) {
      SIGNET_ASSIGN_OR_RETURN(Tensor words, constant->Owned());
      SIGNET_ASSIGN_OR_RETURN(vocabulary.index_, Index::Make(words, nullptr));
    }
    return vocabulary;
  }

  StatusOr<std::shared_ptr<const Index>> For(KernelContext& context) const {
    if (index_ != nullptr) return index_;
    if (context.input(1).rank() != 1) {
      return WithConstraint("C2", InvalidArgument("vocabulary: expected a vector, found shape `",
                                                  context.input(1).shape(), "`"));
    }
    return Index::Make(context.input(1), &context);
  }

 private:
  std::shared_ptr<const Index> index_;
};

MadeKernel MakeLookup(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Make(request.call));
  SIGNET_ASSIGN_OR_RETURN(int64_t missing, request.call.attributes.Int("default"));
  return MakeKernel([vocabulary, missing](KernelContext& context) -> Status {
    const Tensor& keys = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(auto index, vocabulary.For(context));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, keys.shape()));
    auto* out = made->mutable_elements<int64_t>();
    return context.For(keys.num_elements(), 20, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = index->Find(keys, i, missing);
    });
  });
}

MadeKernel MakeLookupValue(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Vocabulary vocabulary, Vocabulary::Make(request.call));
  DType dtype = request.outputs[0].As<TensorSpec>()->dtype();
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(dtype));
  return MakeKernel([vocabulary, blank](KernelContext& context) -> Status {
    const Tensor& keys = context.input(0);
    const Tensor& values = context.input(2);
    bool given = context.num_inputs() > 3 && context.input(3).has_value();
    const Tensor& missing = given ? context.input(3) : blank;
    SIGNET_ASSIGN_OR_RETURN(auto index, vocabulary.For(context));
    if (values.rank() == 0 || values.shape().dim(0) != index->num_words()) {
      return WithConstraint(
          "C3", InvalidArgument("values: expected ", index->num_words(),
                                " rows, one per word, found shape `", values.shape(), "`"));
    }
    if (missing.num_elements() != 1) {
      return WithConstraint(
          "C4", InvalidArgument("default: expected a scalar, found shape `", missing.shape(), "`"));
    }
    Shape shape = keys.shape();
    int64_t inner = 1;
    for (int64_t dim : values.shape().dims().subspan(1)) {
      shape.push_back(dim);
      inner *= dim;
    }
    return MoveRuns(context, 0, values.dtype(), shape, [&](auto&& run) {
      StopPoll poll(context);
      for (int64_t i = 0; i < keys.num_elements(); ++i) {
        if (poll.Stops(20)) return;
        int64_t row = index->Find(keys, i, -1);
        if (row >= 0) {
          if (!run(values, row * inner, inner)) return;
        } else {
          for (int64_t j = 0; j < inner; ++j) {
            if (!run(missing, 0, 1)) return;
          }
        }
      }
    });
  });
}

constexpr KernelDef kLookupKernels[] = {
    {"lookup", MakeLookup},
    {"lookup_value", MakeLookupValue},
};

}  // namespace

std::span<const KernelDef> LookupKernels() { return kLookupKernels; }

}  // namespace signet
