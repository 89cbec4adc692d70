#include "core/kernels/loops/broadcast.h"

#include <algorithm>
#include <cstring>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int64_t kTile = 512;      // elements
constexpr int64_t kLongRow = 64;    // rows of at least this many elements run one at a time
constexpr size_t kMaxElement = 16;  // bytes

struct alignas(64) Tile {
  std::byte bytes[static_cast<size_t>(kTile) * kMaxElement];
};

template <class Visitor>
void VisitSize(size_t size, Visitor visit) {
  struct alignas(8) Wide {
    uint64_t parts[2];
  };
  switch (size) {
    case 1:
      return visit(uint8_t{});
    case 2:
      return visit(uint16_t{});
    case 4:
      return visit(uint32_t{});
    case 8:
      return visit(uint64_t{});
    default:
      return visit(Wide{});
  }
}

void Fill(const void* element, size_t size, int64_t count, void* out) {
  VisitSize(size, [&](auto tag) {
    using T = decltype(tag);
    std::fill_n(static_cast<T*>(out), count, *static_cast<const T*>(element));
  });
}

}  // namespace

StatusOr<BroadcastPlan> BroadcastPlan::Make(std::span<const Shape* const> operands) {
  BroadcastPlan plan;
  plan.num_operands_ = operands.size();
  bool scalars = true;
  for (const Shape* operand : operands) scalars &= operand->rank() == 0;
  if (scalars) return plan;  // one element, and each operand is dense
  PartialShape shape = PartialShape::OfRank(0);
  for (const Shape* operand : operands) {
    SIGNET_ASSIGN_OR_RETURN(shape, BroadcastShapes(shape, *operand));
  }
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape.dims()));
  plan.shape_ = shape.ToShape();
  plan.num_elements_ = plan.shape_.num_elements();

  int rank = plan.shape_.rank();
  std::array<Dims, kMaxOperands> strides;
  for (size_t k = 0; k < operands.size(); ++k) {
    strides[k].assign(static_cast<size_t>(rank), 0);
    int offset = rank - operands[k]->rank();
    int64_t stride = 1;
    for (int axis = operands[k]->rank() - 1; axis >= 0; --axis) {
      int64_t dim = operands[k]->dim(axis);
      if (dim != 1) strides[k][static_cast<size_t>(offset) + static_cast<size_t>(axis)] = stride;
      stride *= dim;
    }
  }
  // From the innermost dimension to the outermost: a dimension is merged with the next inner
  // dimension if every operand steps over the two like over one dimension.
  for (int axis = rank - 1; axis >= 0; --axis) {
    auto at = static_cast<size_t>(axis);
    int64_t dim = plan.shape_.dim(axis);
    if (dim == 1) continue;
    bool joins = !plan.dims_.empty();
    for (size_t k = 0; joins && k < operands.size(); ++k) {
      joins = strides[k][at] == plan.strides_[k].front() * plan.dims_.front();
    }
    if (joins) {
      plan.dims_.front() *= dim;
      continue;
    }
    plan.dims_.insert(plan.dims_.begin(), dim);
    for (size_t k = 0; k < operands.size(); ++k) {
      plan.strides_[k].insert(plan.strides_[k].begin(), strides[k][at]);
    }
  }
  for (size_t k = 0; k < operands.size(); ++k) {
    bool dense = true;
    bool outer = false;  // whether the operand has a nonzero stride along an outer dimension
    int64_t stride = 1;
    for (size_t i = plan.dims_.size(); i-- > 0;) {
      dense = dense && plan.strides_[k][i] == stride;
      outer = outer || (i + 1 < plan.dims_.size() && plan.strides_[k][i] != 0);
      stride *= plan.dims_[i];
    }
    bool inner = !plan.dims_.empty() && plan.strides_[k].back() != 0;
    plan.kinds_[k] = dense   ? Kind::kDense
                     : outer ? Kind::kOther
                     : inner ? Kind::kPeriodic
                             : Kind::kScalar;
  }
  return plan;
}

StatusOr<std::optional<BroadcastPlan>> BroadcastPlan::MakeKnown(std::span<const TypeSpec> inputs) {
  Shape shapes[kMaxOperands];
  const Shape* operands[kMaxOperands];
  for (size_t i = 0; i < inputs.size(); ++i) {
    const PartialShape& shape = *inputs[i].shape();
    if (!shape.IsFullyDefined()) return std::optional<BroadcastPlan>();
    shapes[i] = shape.ToShape();
    operands[i] = &shapes[i];
  }
  SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, Make({operands, inputs.size()}));
  return std::optional<BroadcastPlan>(std::move(plan));
}

int64_t BroadcastPlan::IndexIn(size_t operand, int64_t i) const {
  int64_t index = 0;
  for (size_t d = dims_.size(); d-- > 0;) {
    index += i % dims_[d] * strides_[operand][d];
    i /= dims_[d];
  }
  return index;
}

void BroadcastPlan::ForEachRun(std::span<const Operand> operands, int64_t begin, int64_t end,
                               Run run) const {
  Tile tiles[kMaxOperands];
  std::array<const void*, kMaxOperands> at = {};
  // Number of leading elements of a scalar or a row that the tile of an operand already contains;
  // they need not be copied again.
  std::array<int64_t, kMaxOperands> filled = {};
  bool tiled = false;
  for (size_t k = 0; k < num_operands_; ++k) tiled = tiled || kinds_[k] != Kind::kDense;
  int64_t row = inner();
  bool long_rows = row >= kLongRow && dims_.size() > 1;

  for (int64_t i = begin; i < end;) {
    int64_t column = i % row;
    int64_t count = end - i;
    if (tiled && long_rows) {
      count = std::min(count, row - column);
      for (size_t k = 0; k < num_operands_; ++k) {
        if (kinds_[k] != Kind::kDense && strides_[k].back() == 0) count = std::min(count, kTile);
      }
    } else if (tiled) {
      // A tile consists of whole rows, so that a tile of a repeated row can be used again.
      int64_t whole = row <= kTile ? kTile - kTile % row : kTile;
      count = std::min(count, column == 0 || row > kTile ? whole : row - column);
    }
    for (size_t k = 0; k < num_operands_; ++k) {
      const auto* data = static_cast<const std::byte*>(operands[k].data);
      size_t size = operands[k].size;
      auto element = [&](int64_t index) { return data + static_cast<size_t>(index) * size; };
      std::byte* tile = tiles[k].bytes;
      if (kinds_[k] == Kind::kDense) {
        at[k] = element(i);
      } else if (kinds_[k] == Kind::kScalar || (long_rows && strides_[k].back() == 0)) {
        bool keeps = kinds_[k] == Kind::kScalar;
        if (!keeps || filled[k] < count) {
          Fill(element(IndexIn(k, i)), size, count, tile);
          filled[k] = count;
        }
        at[k] = tile;
      } else if (long_rows) {
        at[k] = element(IndexIn(k, i));
      } else if (kinds_[k] == Kind::kPeriodic && column == 0 && filled[k] >= count) {
        at[k] = tile;
      } else {
        VisitSize(size, [&](auto tag) {
          using T = decltype(tag);
          auto* out = reinterpret_cast<T*>(tile);
          int64_t step = strides_[k].back();
          for (int64_t done = 0; done < count;) {
            const auto* from = reinterpret_cast<const T*>(element(IndexIn(k, i + done)));
            int64_t rest = std::min(count - done, row - (i + done) % row);
            for (int64_t j = 0; j < rest; ++j) out[done + j] = from[j * step];
            done += rest;
          }
        });
        filled[k] = column == 0 ? count : 0;
        at[k] = tile;
      }
    }
    run(at, i, count);
    i += count;
  }
}

}  // namespace signet
