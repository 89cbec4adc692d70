// The kernel of `ngram_weights`. The n-grams form a tree of words, which is built when the kernel
// is made if they are constants. Each word of a row leads one level down.

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include "core/kernels/def/request.h"
#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/tabular_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

struct Rule {
  int64_t num_columns = 0;
  int64_t min_length = 1;
  int64_t max_length = 1;
  int64_t max_skips = 0;
  bool counts = true;  // otherwise, the result is 1 if the n-gram occurs
  bool weighs = false;
};

class NgramTree {
 public:
  // Keeps `pool` alive. Returns an error with label C5 (docs/reference/ops/tabular.md) if the
  // inputs do not describe n-grams. With a context, counts the memory of the tree and checks
  // whether the call must end.
  static StatusOr<std::shared_ptr<const NgramTree>> Make(Tensor pool, const Tensor& starts,
                                                         const Tensor& columns, const Rule& rule,
                                                         KernelContext* context) {
    auto tree = std::make_shared<NgramTree>();
    tree->pool_ = std::move(pool);
    int64_t words = tree->pool_.num_elements();
    if (words >= std::numeric_limits<int32_t>::max()) {
      return WithConstraint("C5", ResourceExhausted("memory for a pool of ", words,
                                                    " words exceeds the range of int64"));
    }
    std::optional<StopPoll> poll;
    if (context != nullptr) {
      // A word, its node, and its column, in tables that are half full.
      constexpr size_t kWordBytes = 120;
      SIGNET_RETURN_IF_ERROR(context->CountBytes(static_cast<size_t>(words) * kWordBytes));
      poll.emplace(*context);
    }
    int64_t ngram = 0;
    for (int64_t length = 1; length <= starts.num_elements(); ++length) {
      auto at = static_cast<size_t>(length);
      int64_t begin = starts.elements<int64_t>()[at - 1];
      int64_t end = length < starts.num_elements() ? starts.elements<int64_t>()[at] : words;
      if (begin < 0 || end < begin || end > words || (end - begin) % length != 0) {
        return WithConstraint(
            "C5", InvalidArgument("n-grams of ", length, " words: expected a range of a pool of ",
                                  words, " words, found [", begin, ", ", end, ")"));
      }
      if (poll) SIGNET_RETURN_IF_ERROR(poll->Spend(5));
      for (; begin < end; begin += length, ++ngram) {
        if (poll) SIGNET_RETURN_IF_ERROR(poll->Spend(10 + 100 * length));
        if (ngram >= columns.num_elements()) {
          return WithConstraint("C5",
                                InvalidArgument("columns: expected one element per n-gram, found ",
                                                columns.num_elements()));
        }
        int64_t column = columns.elements<int64_t>()[static_cast<size_t>(ngram)];
        if (column < 0 || column >= rule.num_columns) {
          return WithConstraint("C5", InvalidArgument("columns: expected at least 0 and less than ",
                                                      rule.num_columns, ", found ", column));
        }
        if (length < rule.min_length || length > rule.max_length) continue;
        tree->Add(begin, length, static_cast<int32_t>(column));
      }
    }
    return std::shared_ptr<const NgramTree>(std::move(tree));
  }

  // Calls found(column) for each n-gram of the list that occurs in elements [begin, end) of `x`,
  // until the call must end. `words` has room for one number per element.
  template <class Found>
  void Visit(StopPoll& poll, const Tensor& x, int64_t begin, int64_t end, const Rule& rule,
             int32_t* words, Found found) const {
    const int64_t count = end - begin;
    for (int64_t i = 0; i < count; ++i) {
      if (poll.Stops(40)) return;
      words[i] = WordOf(x, begin + i);
    }
    for (int64_t step = 1; step <= rule.max_skips + 1; ++step) {
      // N-grams of one word have no words to skip.
      if (step > 1 && rule.max_length == 1) break;
      for (int64_t start = 0; start < count; ++start) {
        if (poll.Stops(10)) return;
        int32_t node = 0;
        int64_t at = start;
        for (int64_t length = 1; length <= rule.max_length && at < count; ++length, at += step) {
          node = Next(node, words[at]);
          if (node < 0 || poll.Stops(10)) break;
          int32_t column = columns_[static_cast<size_t>(node)];
          if (column >= 0 && (length > 1 || step == 1)) found(column);
        }
      }
    }
  }

 private:
  static absl::string_view TextAt(const Tensor& x, int64_t i) {
    std::string_view text = x.string_at(i);
    return {text.data(), text.size()};
  }
  static uint64_t KeyOf(int32_t node, int32_t word) {
    return static_cast<uint64_t>(static_cast<uint32_t>(node)) << 32 | static_cast<uint32_t>(word);
  }

  // Returns the number of a word of the pool, or -1.
  int32_t WordOf(const Tensor& x, int64_t i) const {
    if (x.is_string()) {
      auto found = strings_.find(TextAt(x, i));
      return found == strings_.end() ? -1 : found->second;
    }
    auto found = ints_.find(x.elements<int64_t>()[static_cast<size_t>(i)]);
    return found == ints_.end() ? -1 : found->second;
  }

  int32_t Next(int32_t node, int32_t word) const {
    if (word < 0) return -1;
    auto found = nodes_.find(KeyOf(node, word));
    return found == nodes_.end() ? -1 : found->second;
  }

  void Add(int64_t begin, int64_t length, int32_t column) {
    int32_t node = 0;
    for (int64_t i = begin; i < begin + length; ++i) {
      auto fresh = static_cast<int32_t>(strings_.size() + ints_.size());
      int32_t word =
          pool_.is_string()
              ? strings_.try_emplace(TextAt(pool_, i), fresh).first->second
              : ints_.try_emplace(pool_.elements<int64_t>()[static_cast<size_t>(i)], fresh)
                    .first->second;
      auto [next, is_new] =
          nodes_.try_emplace(KeyOf(node, word), static_cast<int32_t>(columns_.size()));
      if (is_new) columns_.push_back(-1);
      node = next->second;
    }
    columns_[static_cast<size_t>(node)] = column;
  }

  Tensor pool_;
  absl::flat_hash_map<absl::string_view, int32_t> strings_;
  absl::flat_hash_map<int64_t, int32_t> ints_;
  absl::flat_hash_map<uint64_t, int32_t> nodes_;
  std::vector<int32_t> columns_ = {-1};  // per node; -1: no n-gram ends there
};

Status CheckVector(const Tensor& x) {
  if (x.rank() == 1) return absl::OkStatus();
  return WithConstraint("C2", InvalidArgument("expected a vector, found shape `", x.shape(), "`"));
}

Status Run(KernelContext& context, const Rule& rule, std::shared_ptr<const NgramTree> tree) {
  const Tensor& x = context.input(0);
  if (x.rank() != 1 && x.rank() != 2) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 0: expected a vector or a matrix, found shape `", x.shape(), "`"));
  }
  if (tree == nullptr) {
    for (size_t i = 1; i <= 3; ++i) SIGNET_RETURN_IF_ERROR(CheckVector(context.input(i)));
    SIGNET_ASSIGN_OR_RETURN(tree, NgramTree::Make(context.input(1), context.input(2),
                                                  context.input(3), rule, &context));
  }
  const float* weights = nullptr;
  int64_t num_weights = 0;
  if (rule.weighs && context.num_inputs() > 4 && context.input(4).has_value()) {
    SIGNET_RETURN_IF_ERROR(CheckVector(context.input(4)));
    weights = context.input(4).elements<float>().data();
    num_weights = context.input(4).num_elements();
  }
  int64_t length = x.shape().dim(x.rank() - 1);
  int64_t rows = x.rank() == 1 ? 1 : x.shape().dim(0);
  Shape shape = x.shape();
  shape.set_dim(x.rank() - 1, rule.num_columns);
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, shape));
  auto* out = made->mutable_elements<float>();
  const auto num_words = static_cast<size_t>(rows) * static_cast<size_t>(length);
  SIGNET_ASSIGN_OR_RETURN(std::byte * memory, context.Scratch(num_words * sizeof(int32_t)));
  auto* words = reinterpret_cast<int32_t*>(memory);
  const double cost =
      50.0 * static_cast<double>(length) + 0.3 * static_cast<double>(rule.num_columns);
  return context.For(rows, cost, [&](int64_t begin, int64_t end) {
    StopPoll poll(context);
    for (int64_t row = begin; row < end; ++row) {
      float* own = out + row * rule.num_columns;
      const bool goes_on = ForSegments(poll, rule.num_columns, 1, [&](int64_t first, int64_t last) {
        std::fill(own + first, own + last, 0.0f);
      });
      if (!goes_on) return;
      tree->Visit(poll, x, row * length, (row + 1) * length, rule, words + row * length,
                  [&](int32_t column) { own[column] = rule.counts ? own[column] + 1 : 1; });
      ForSegments(poll, std::min(num_weights, rule.num_columns), 1,
                  [&](int64_t first, int64_t last) {
                    for (int64_t i = first; i < last; ++i) own[i] *= weights[i];
                  });
    }
  });
}

MadeKernel MakeNgramWeights(const KernelRequest& request) {
  const OpCall& call = request.call;
  Rule rule;
  SIGNET_ASSIGN_OR_RETURN(rule.num_columns, call.attributes.Int("num_columns"));
  SIGNET_ASSIGN_OR_RETURN(rule.min_length, call.attributes.Int("min_length"));
  SIGNET_ASSIGN_OR_RETURN(rule.max_length, call.attributes.Int("max_length"));
  SIGNET_ASSIGN_OR_RETURN(rule.max_skips, call.attributes.Int("max_skips"));
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  rule.counts = mode != "idf";
  rule.weighs = mode != "tf";
  std::shared_ptr<const NgramTree> tree;
  if (call.constant(1) && call.constant(2) && call.constant(3)) {
    SIGNET_ASSIGN_OR_RETURN(Tensor pool, call.constant(1)->Owned());
    SIGNET_ASSIGN_OR_RETURN(tree, NgramTree::Make(std::move(pool), *call.constant(2),
                                                  *call.constant(3), rule, nullptr));
  }
  auto kernel =
      MakeKernel([rule, tree](KernelContext& context) { return Run(context, rule, tree); });
  double walks = static_cast<double>((1 + rule.max_skips) * rule.max_length);
  kernel->set_cost(100 + GuessElements(call.inputs[0]) * (50 + 20 * walks) +
                   0.3 * GuessElements(request.outputs[0]));
  return kernel;
}

constexpr KernelDef kNgramWeightKernels[] = {{"ngram_weights", MakeNgramWeights}};

}  // namespace

std::span<const KernelDef> NgramWeightKernels() { return kNgramWeightKernels; }

}  // namespace signet
