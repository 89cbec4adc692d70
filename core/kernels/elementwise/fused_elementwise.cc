// fused_elementwise: runs the instructions of a program one after another on pieces of the elements
// that fit in cache.

#include "core/ops/elementwise/fused_elementwise.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/kernels/def/request.h"
#include "core/kernels/elementwise/elementwise_kernels.h"
#include "core/kernels/loops/broadcast.h"
#include "core/kernels/loops/pieces.h"
#include "core/kernels/simd/elementwise.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int64_t kPiece = 1024;   // elements
constexpr int64_t kLongRow = 256;  // rows of at least this many elements are pieces of their own

// The arithmetic of an instruction: either unary or binary.
struct Function {
  UnaryFn unary = nullptr;
  BinaryFn binary = nullptr;
  float cost = 0;
};

Function Find(std::string_view op, DType dtype) {
  Function found;
  auto look = [&](const auto& table, auto Function::*place) {
    for (const auto& row : table.rows) {
      if (row.op != op) continue;
      found.*place = row.by_dtype[static_cast<int>(dtype)];
      found.cost = row.cost;
    }
  };
  look(SIGNET_ACTIVE_TABLE(UnaryTable), &Function::unary);
  look(SIGNET_ACTIVE_TABLE(MathTable), &Function::unary);
  look(SIGNET_ACTIVE_TABLE(ArithmeticTable), &Function::binary);
  look(SIGNET_ACTIVE_TABLE(ComparisonTable), &Function::binary);
  return found;
}

struct Step {
  Function function;
  std::vector<int> arguments;  // registers
  int tile;                    // the tile that it writes; -1: the output
};

struct Register {
  size_t size;    // of an element, in bytes
  int tile = -1;  // the tile with the current piece; -1: the piece is in the input or in the output
};

class FusedKernel final : public Kernel {
 public:
  Status Init(const KernelRequest& request) {
    SIGNET_ASSIGN_OR_RETURN(std::vector<Instruction> program, ProgramOf(request.call));
    SIGNET_ASSIGN_OR_RETURN(std::vector<TypeSpec> types, RegisterTypes(request.call, program));
    num_inputs_ = request.call.inputs.size();
    std::vector<size_t> last(types.size(), 0);  // the last instruction that reads each register
    for (size_t i = 0; i < program.size(); ++i) {
      for (int argument : program[i].arguments) last[static_cast<size_t>(argument)] = i;
    }
    for (const TypeSpec& type : types) registers_.push_back({SizeOf(DTypeIn(type)), -1});
    // Inputs that are smaller than the result keep their tiles until the end.
    for (size_t i = 0; i < num_inputs_; ++i) registers_[i].tile = num_tiles_++;
    std::vector<int> free;
    for (size_t i = 0; i < program.size(); ++i) {
      const std::vector<int>& arguments = program[i].arguments;
      DType dtype = DTypeIn(types[static_cast<size_t>(arguments[0])]);
      Step step{Find(program[i].op->name, dtype), arguments, -1};
      if (step.function.unary == nullptr && step.function.binary == nullptr) {
        return WithConstraint("C3", InvalidArgument("`", program[i].op->name,
                                                    "` cannot be fused for `", NameOf(dtype), "`"));
      }
      unit_ += step.function.cost;
      if (i + 1 < program.size()) {
        if (free.empty()) free.push_back(num_tiles_++);
        step.tile = free.back();
        free.pop_back();
        registers_[num_inputs_ + i].tile = step.tile;
      }
      for (size_t k = 0; k < arguments.size(); ++k) {
        auto argument = static_cast<size_t>(arguments[k]);
        bool again = k > 0 && arguments[0] == arguments[k];
        if (argument >= num_inputs_ && last[argument] == i && !again) {
          free.push_back(registers_[argument].tile);
        }
      }
      steps_.push_back(std::move(step));
    }
    std::vector<Shape> shapes;
    for (const TypeSpec& input : request.call.inputs) {
      if (ShapeOf(input).num_elements()) shapes.emplace_back(ShapeOf(input).dims());
    }
    if (shapes.size() == num_inputs_) {
      std::vector<const Shape*> pointers;
      for (const Shape& shape : shapes) pointers.push_back(&shape);
      SIGNET_ASSIGN_OR_RETURN(layout_, LayoutOf(pointers));
    }
    set_cost(60 + unit_ * GuessElements(request.outputs[0]));
    return absl::OkStatus();
  }

  Status Run(KernelContext& context) const override {
    if (layout_) return RunLayout(context, *layout_);
    absl::InlinedVector<const Shape*, 8> shapes;
    for (size_t i = 0; i < num_inputs_; ++i) shapes.push_back(&context.input(i).shape());
    SIGNET_ASSIGN_OR_RETURN(Layout layout, LayoutOf(shapes));
    return RunLayout(context, layout);
  }

 private:
  static constexpr size_t kMostBytes = 8;  // of an element

  // The shape of the result, and how each input is broadcast to it. An input without a plan has the
  // shape of the result, and is read in place, or has one element.
  struct Layout {
    Shape shape;
    absl::InlinedVector<std::optional<BroadcastPlan>, 8> plans;
    int64_t row = 0;  // each input with a plan has one element per `row` output elements; 0: there
                      // is no such number
  };

  static StatusOr<Layout> LayoutOf(std::span<const Shape* const> shapes) {
    Layout layout{*shapes[0], {}};
    for (const Shape* input : shapes.subspan(1)) {
      if (*input == layout.shape) continue;
      const Shape* both[] = {&layout.shape, input};
      auto wider = BroadcastPlan::Make(both);
      if (!wider.ok()) return WithConstraint("C4", wider.status());
      layout.shape = wider->shape();
    }
    layout.row = -1;
    for (const Shape* input : shapes) {
      layout.plans.emplace_back();
      if (*input == layout.shape || input->num_elements() == 1) continue;
      const Shape* both[] = {&layout.shape, input};
      SIGNET_ASSIGN_OR_RETURN(BroadcastPlan plan, BroadcastPlan::Make(both));
      const int64_t repeats = plan.RepeatsOf(1);
      layout.row = layout.row == -1 || layout.row == repeats ? repeats : 0;
      layout.plans.back() = std::move(plan);
    }
    if (layout.row < kLongRow) layout.row = 0;
    return layout;
  }

  Status RunLayout(KernelContext& context, const Layout& layout) const {
    const Shape& shape = layout.shape;
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.Allocate(0, shape));
    const int64_t count = out->num_elements();
    if (count == 0) return absl::OkStatus();
    const double work = unit_ * static_cast<double>(count);
    const int64_t tasks = std::clamp<int64_t>(static_cast<int64_t>(work / kSmallestPiece), 1,
                                              context.parallel().num_threads() * int64_t{2});
    const auto piece = static_cast<size_t>(std::min(count, kPiece));
    const size_t tile_bytes = (piece * kMostBytes + 63) / 64 * 64;
    const size_t task_bytes = tile_bytes * static_cast<size_t>(num_tiles_);
    SIGNET_ASSIGN_OR_RETURN(std::byte * scratch,
                            context.Scratch(task_bytes * static_cast<size_t>(tasks)));
    return context.For(tasks, work / static_cast<double>(tasks), [&](int64_t first, int64_t end) {
      for (int64_t task = first; task < end; ++task) {
        Task own{context, layout, scratch + static_cast<size_t>(task) * task_bytes, tile_bytes,
                 *out};
        RunTask(own, count * task / tasks, count * (task + 1) / tasks);
      }
    });
  }

  struct Task {
    KernelContext& context;
    const Layout& layout;
    std::byte* tiles;
    size_t tile_bytes;
    Tensor& out;

    std::byte* tile(int i) const { return tiles + static_cast<size_t>(i) * tile_bytes; }
  };

  void RunTask(const Task& task, int64_t begin, int64_t end) const {
    absl::InlinedVector<const std::byte*, 24> at(registers_.size());
    for (size_t i = 0; i < num_inputs_; ++i) {
      if (task.context.input(i).num_elements() != 1) continue;
      Fill(task.context.input(i).data().data(), registers_[i].size, std::min(end - begin, kPiece),
           task.tile(registers_[i].tile));
    }
    for (size_t i = 0; i < registers_.size(); ++i) {
      if (registers_[i].tile >= 0) at[i] = task.tile(registers_[i].tile);
    }
    const size_t out_size = registers_.back().size;
    const int64_t row = task.layout.row;
    // The element with which each tile is filled.
    absl::InlinedVector<int64_t, 8> filled(num_inputs_, -1);
    int64_t count = 0;
    StopPoll poll(task.context);
    const auto cost = static_cast<int64_t>(unit_ * static_cast<double>(kPiece));
    for (int64_t first = begin; first < end; first += count) {
      if (poll.Stops(cost)) return;
      count = std::min(kPiece, end - first);
      if (row > 0) count = std::min(count, row - first % row);
      std::byte* out = task.out.data().mutable_data() + static_cast<size_t>(first) * out_size;
      for (size_t i = 0; i < num_inputs_; ++i) {
        const Tensor& input = task.context.input(i);
        if (input.num_elements() == 1) continue;
        const size_t size = registers_[i].size;
        if (!task.layout.plans[i]) {
          at[i] = input.data().data() + static_cast<size_t>(first) * size;
          continue;
        }
        std::byte* tile = task.tile(registers_[i].tile);
        if (row > 0) {
          const int64_t element = task.layout.plans[i]->IndexIn(1, first);
          if (element == filled[i]) continue;
          filled[i] = element;
          Fill(input.data().data() + static_cast<size_t>(element) * size, size,
               std::min(std::min(kPiece, row), end - begin), tile);
          continue;
        }
        if (task.layout.plans[i]->RepeatsOf(1) > 1) {
          FillRows(*task.layout.plans[i], input.data().data(), size, first, count, tile);
          continue;
        }
        const BroadcastPlan::Operand operands[] = {{out, 1}, {input.data().data(), size}};
        task.layout.plans[i]->ForEachRun(
            operands, first, first + count, [&](auto from, int64_t run, int64_t n) {
              std::memcpy(tile + static_cast<size_t>(run - first) * size, from[1],
                          static_cast<size_t>(n) * size);
            });
      }
      for (size_t i = 0; i < steps_.size(); ++i) {
        const Step& step = steps_[i];
        std::byte* to = step.tile < 0 ? out : task.tile(step.tile);
        const std::byte* x = at[static_cast<size_t>(step.arguments[0])];
        if (step.function.unary != nullptr) {
          step.function.unary(x, to, count);
        } else {
          step.function.binary(x, at[static_cast<size_t>(step.arguments[1])], to, count);
        }
      }
    }
  }

  template <class T>
  static void FillWith(const std::byte* element, int64_t count, std::byte* out) {
    std::fill_n(reinterpret_cast<T*>(out), count, *reinterpret_cast<const T*>(element));
  }
  static void Fill(const std::byte* element, size_t size, int64_t count, std::byte* out) {
    switch (size) {
      case 1:
        return FillWith<uint8_t>(element, count, out);
      case 2:
        return FillWith<uint16_t>(element, count, out);
      case 4:
        return FillWith<uint32_t>(element, count, out);
      default:
        return FillWith<uint64_t>(element, count, out);
    }
  }

  // Fills `tile` with the elements of `input` for output elements [first, first + count). Each row
  // of the output repeats one element of `input`.
  static void FillRows(const BroadcastPlan& plan, const std::byte* input, size_t size,
                       int64_t first, int64_t count, std::byte* tile) {
    const int64_t row = plan.RepeatsOf(1);
    for (int64_t at = first; at < first + count;) {
      const int64_t rest = std::min(first + count - at, row - at % row);
      Fill(input + static_cast<size_t>(plan.IndexIn(1, at)) * size, size, rest, tile);
      tile += static_cast<size_t>(rest) * size;
      at += rest;
    }
  }

  size_t num_inputs_ = 0;
  std::vector<Register> registers_;
  std::vector<Step> steps_;
  int num_tiles_ = 0;
  double unit_ = 0;               // nanoseconds per element
  std::optional<Layout> layout_;  // set if all shapes are known
};

StatusOr<std::unique_ptr<Kernel>> MakeFused(const KernelRequest& request) {
  auto kernel = std::make_unique<FusedKernel>();
  SIGNET_RETURN_IF_ERROR(kernel->Init(request));
  return kernel;
}

constexpr KernelDef kFusedElementwiseKernels[] = {{"fused_elementwise", MakeFused}};

}  // namespace

std::span<const KernelDef> FusedElementwiseKernels() { return kFusedElementwiseKernels; }

}  // namespace signet
