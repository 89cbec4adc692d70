#include "core/graph/flat/run_loop.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/checked_math.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int64_t kPieceBytes = 64;  // what a piece takes besides its elements, about

// The shape of nothing collected: no rows, and no size that is not known.
Shape EmptyShape(const TypeSpec& piece) {
  std::vector<int64_t> dims;
  const PartialShape& shape = *piece.shape();
  for (int i = 0; shape.has_rank() && i < shape.rank(); ++i) {
    dims.push_back(i == 0 ? 0 : std::max<int64_t>(shape.dim(i), 0));
  }
  if (dims.empty()) dims.push_back(0);
  return Shape(std::span<const int64_t>(dims));
}

// The type of the elements along dimension 0 of a piece, which has a rank of at least 1.
TypeSpec ElementSpec(const Tensor& piece) {
  return TensorType(piece.dtype(), Shape(piece.shape().dims().subspan(1)));
}

StatusOr<Shape> JoinedShape(std::span<const Tensor> pieces) {
  std::vector<int64_t> dims(pieces[0].shape().dims().begin(), pieces[0].shape().dims().end());
  for (size_t k = 1; k < pieces.size(); ++k) {
    auto other = pieces[k].shape().dims();
    if (other.size() != dims.size() ||
        !std::equal(dims.begin() + 1, dims.end(), other.begin() + 1)) {
      return InvalidArgument("the result of round ", k, ": expected `", ElementSpec(pieces[0]),
                             "` as in round 0, found `", ElementSpec(pieces[k]),
                             "`; to stack vectors of different lengths as rows, set `ragged`");
    }
    auto rows = CheckedAdd(dims[0], other[0]);
    if (!rows) return ResourceExhausted("more rows than an int64 counts");
    dims[0] = *rows;
  }
  return Shape(std::span<const int64_t>(dims));
}

StatusOr<Tensor> ConcatStrings(std::span<const Tensor> pieces, const Shape& shape) {
  size_t bytes = 0;
  for (const Tensor& piece : pieces) {
    bytes += static_cast<size_t>(piece.offsets().back() - piece.offsets().front());
  }
  SIGNET_ASSIGN_OR_RETURN(
      Buffer offsets,
      Buffer::Allocate(sizeof(int64_t) * (static_cast<size_t>(shape.num_elements()) + 1)));
  SIGNET_ASSIGN_OR_RETURN(Buffer text, Buffer::Allocate(bytes));
  auto* offset = reinterpret_cast<int64_t*>(offsets.mutable_data());
  int64_t end = 0;
  *offset++ = 0;
  for (const Tensor& piece : pieces) {
    auto from = piece.offsets();
    for (size_t i = 1; i < from.size(); ++i) *offset++ = end + from[i] - from[0];
    auto count = static_cast<size_t>(from.back() - from[0]);
    if (count > 0) {
      std::memcpy(text.mutable_data() + end, piece.bytes().data() + from[0], count);
    }
    end += static_cast<int64_t>(count);
  }
  return Tensor::Trusted(DType::kString, shape, std::move(offsets), std::move(text));
}

StatusOr<Tensor> Concat(std::span<const Tensor> pieces) {
  SIGNET_ASSIGN_OR_RETURN(Shape shape, JoinedShape(pieces));
  DType dtype = pieces[0].dtype();
  SIGNET_RETURN_IF_ERROR(
      CheckShape(shape.dims(), dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype)));
  if (dtype == DType::kString) return ConcatStrings(pieces, shape);
  SIGNET_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(dtype, shape));
  std::byte* to = joined.data().mutable_data();
  for (const Tensor& piece : pieces) {
    size_t bytes = piece.data().size();
    if (bytes > 0) std::memcpy(to, piece.data().data(), bytes);
    to += bytes;
  }
  return joined;
}

template <class T>
StatusOr<Tensor> JoinSplits(std::span<const Tensor> pieces) {
  int64_t entries = 1;
  for (const Tensor& piece : pieces) entries += piece.num_elements() - 1;
  SIGNET_ASSIGN_OR_RETURN(Tensor joined, Tensor::Allocate(DTypeOf<T>::value, Shape({entries})));
  T* to = joined.template mutable_elements<T>();
  int64_t end = 0;
  *to++ = 0;
  for (const Tensor& piece : pieces) {
    auto splits = piece.template elements<T>();
    auto last = CheckedAdd(end, splits.back());
    if (!last || *last > std::numeric_limits<T>::max()) {
      return ResourceExhausted("row splits beyond what their dtype holds");
    }
    for (size_t i = 1; i < splits.size(); ++i) *to++ = static_cast<T>(end + splits[i]);
    end = *last;
  }
  return joined;
}

StatusOr<Tensor> JoinPieces(JoinRule rule, std::span<const Tensor> pieces, const TypeSpec& piece) {
  DType dtype = piece.As<TensorSpec>()->dtype();
  switch (rule) {
    case JoinRule::kConcat:
      return Concat(pieces);
    case JoinRule::kSplits:
      return dtype == DType::kInt32 ? JoinSplits<int32_t>(pieces) : JoinSplits<int64_t>(pieces);
    case JoinRule::kSum: {
      int64_t total = 0;
      for (const Tensor& each : pieces) {
        auto sum = CheckedAdd(total, each.scalar<int64_t>());
        if (!sum) return ResourceExhausted("more rows than an int64 counts");
        total = *sum;
      }
      return Tensor::Scalar(total);
    }
  }
  __builtin_unreachable();
}

StatusOr<Tensor> EmptyTensor(const TypeSpec& piece) {
  DType dtype = piece.As<TensorSpec>()->dtype();
  Shape shape = EmptyShape(piece);
  if (dtype != DType::kString) return Tensor::Allocate(dtype, shape);
  return Tensor::Strings(shape, {});
}

// What one round of a loop after the other leaves behind.
class Rounds {
 public:
  Rounds(const LoopRun& loop, std::span<const Tensor* const> inputs)
      : loop_(loop), before_(loop.budget.bytes), pieces_(loop.form.collected.size()) {
    for (int i = 0; i < loop.form.carried; ++i) {
      given_.push_back(inputs[static_cast<size_t>(i) + 2]->data().data());
      carried_.push_back(*inputs[static_cast<size_t>(i) + 2]);
    }
  }

  const Tensor& carried(size_t i) const { return carried_[i]; }

  // Takes in the results of a body, behind its test.
  Status Take(std::span<Tensor> results) {
    int64_t bytes = 0;
    for (size_t i = 0; i < carried_.size(); ++i) {
      carried_[i] = std::move(results[i]);
      bool is_input = carried_[i].data().data() == given_[i];
      bytes += is_input ? 0 : static_cast<int64_t>(carried_[i].num_bytes());
    }
    for (size_t i = 0; i < pieces_.size(); ++i) {
      Tensor& piece = results[carried_.size() + i];
      collected_bytes_ += static_cast<int64_t>(piece.num_bytes()) + kPieceBytes;
      pieces_[i].push_back(std::move(piece));
    }
    loop_.budget.bytes = before_;
    return At("what a loop carries and has collected",
              loop_.budget.TakeBytes(static_cast<size_t>(collected_bytes_ + bytes)));
  }

  StatusOr<Components> Finish() {
    Components outputs;
    for (Tensor& each : carried_) {
      SIGNET_ASSIGN_OR_RETURN(Tensor owned, OwnedWithin(loop_.budget, each));
      outputs.push_back(std::move(owned));
    }
    for (size_t i = 0; i < pieces_.size(); ++i) {
      const Collected& form = loop_.form.collected[i];
      if (form.backward) std::reverse(pieces_[i].begin(), pieces_[i].end());
      int64_t bytes = 0;
      for (const Tensor& piece : pieces_[i]) bytes += static_cast<int64_t>(piece.num_bytes());
      SIGNET_RETURN_IF_ERROR(At("what a loop has collected, joined",
                                loop_.budget.TakeBytes(static_cast<size_t>(bytes))));
      bool nothing = pieces_[i].empty() && form.rule == JoinRule::kConcat;
      auto joined = nothing ? EmptyTensor(loop_.pieces[i])
                            : JoinPieces(form.rule, pieces_[i], loop_.pieces[i]);
      SIGNET_ASSIGN_OR_RETURN(Tensor output, std::move(joined));
      outputs.push_back(std::move(output));
    }
    loop_.budget.KeepOnly(before_, BytesOf(outputs));
    return outputs;
  }

 private:
  const LoopRun& loop_;
  const int64_t before_;                 // held when the loop began
  std::vector<const std::byte*> given_;  // where what is carried began: not held by the loop
  std::vector<Tensor> carried_;
  std::vector<std::vector<Tensor>> pieces_;  // by collected output, then round
  int64_t collected_bytes_ = 0;
};

size_t BodyOf(const Tensor& index, size_t num_bodies) {
  if (index.dtype() == DType::kBool) {
    return index.scalar<bool>() ? 0 : std::min<size_t>(1, num_bodies - 1);
  }
  int64_t number =
      index.dtype() == DType::kInt32 ? index.scalar<int32_t>() : index.scalar<int64_t>();
  bool known = number >= 0 && number < static_cast<int64_t>(num_bodies);
  return known ? static_cast<size_t>(number) : num_bodies - 1;
}

}  // namespace

StatusOr<Components> RunSwitch(size_t num_bodies, std::span<const Tensor* const> inputs,
                               RunBody run) {
  return run(BodyOf(*inputs[0], num_bodies), inputs.subspan(1));
}

StatusOr<Components> RunLoop(const LoopRun& loop, std::span<const Tensor* const> inputs,
                             RunBody run) {
  const int64_t limit = inputs[0]->has_value() ? inputs[0]->scalar<int64_t>() : INT64_MAX;
  bool going = !inputs[1]->has_value() || inputs[1]->scalar<bool>();
  Rounds rounds(loop, inputs);
  Tensor round;
  std::vector<const Tensor*> given(inputs.begin() + 1, inputs.end());
  given[0] = &round;
  const auto carried = static_cast<size_t>(loop.form.carried);
  for (size_t i = 0; i < carried; ++i) given[i + 1] = &rounds.carried(i);
  for (int64_t i = 0; going && i < limit; ++i) {
    SIGNET_RETURN_IF_ERROR(loop.check());
    SIGNET_RETURN_IF_ERROR(loop.budget.TakeSteps(loop.steps));
    round = Tensor::Scalar(i);
    SIGNET_ASSIGN_OR_RETURN(Components results, run(0, given));
    std::span<Tensor> kept(results.data(), results.size());
    if (loop.form.tests) {
      going = kept[0].scalar<bool>();
      kept = kept.subspan(1);
    }
    SIGNET_RETURN_IF_ERROR(rounds.Take(kept));
  }
  return rounds.Finish();
}

}  // namespace signet
