// fused_elementwise: runs a chain of elementwise ops as one op.

#include "core/ops/elementwise/fused_elementwise.h"

#include <charconv>

#include "core/ops/def/inference.h"
#include "core/ops/def/op_registry.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

const Attributes& NoFlags(const OpDef& op) {
  static const Attributes none;
  static const Attributes approximate({{"approximate", AttributeOf(false)}});
  static const Attributes to_float({{"to_float", AttributeOf(false)}});
  static const Attributes truncated({{"truncated", AttributeOf(false)}});
  if (op.attributes.empty()) return none;
  const std::string& flag = op.attributes[0].name;
  return flag == "approximate" ? approximate : flag == "to_float" ? to_float : truncated;
}

std::vector<std::string_view> SplitText(std::string_view text, std::string_view by) {
  std::vector<std::string_view> out;
  while (true) {
    size_t end = text.find(by);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + by.size());
  }
}

// Returns the op of elementwise.cc called `name`, or null.
const OpDef* LookupElementwise(std::string_view name) {
  static const auto* const ops = [] {
    auto* made = new OpRegistry;
    for (OpDef& op : ElementwiseOps()) SIGNET_CHECK(made->Add(std::move(op)).ok());
    return made;
  }();
  return ops->Lookup(name);
}

// Whether `op` works element by element and has no attributes other than a flag that NoFlags knows.
bool IsElementwise(const OpDef& op) {
  bool is_elementwise =
      op.family == OpFamily::kUnaryElementwise || op.family == OpFamily::kBinaryElementwise;
  if (!is_elementwise || op.infer == nullptr || op.attributes.size() > 1) return false;
  if (op.attributes.empty()) return true;
  const std::string& flag = op.attributes[0].name;
  return flag == "approximate" || flag == "to_float" || flag == "truncated";
}

StatusOr<std::vector<TypeSpec>> Infer(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<Instruction> program, ProgramOf(call));
  SIGNET_ASSIGN_OR_RETURN(std::vector<TypeSpec> types, RegisterTypes(call, program));
  // The shape of the last register is the broadcast shape of all registers that it depends on.
  PartialShape shape = *types.back().shape();
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    auto wider = BroadcastShapes(shape, *call.inputs[i].shape());
    if (!wider.ok()) return WithConstraint("C4", wider.status());
    shape = *wider;
  }
  return OneOutput(TensorType(types.back().As<TensorSpec>()->dtype(), shape));
}

}  // namespace

bool CanBeFused(const OpDef& op, const Attributes& attributes, DType dtype) {
  if (LookupElementwise(op.name) == nullptr || !IsElementwise(op)) return false;
  if (!IsFloat(dtype) && dtype != DType::kBool) return false;
  return op.attributes.empty() || attributes == NoFlags(op);
}

StatusOr<std::vector<Instruction>> ProgramOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string text,
                          WithConstraint("C3", call.attributes.String("program")));
  std::vector<Instruction> program;
  for (std::string_view line : SplitText(text, "; ")) {
    std::vector<std::string_view> words = SplitText(line, " ");
    const OpDef* op = LookupElementwise(words[0]);
    if (op == nullptr || !IsElementwise(*op) || words.size() != op->inputs.size() + 1) {
      return WithConstraint(
          "C3",
          InvalidArgument(
              "expected an elementwise op and a register for each of its inputs, found instruction "
              "`",
              line, "`"));
    }
    const size_t registers = call.inputs.size() + program.size();
    Instruction instruction{op, {}};
    for (size_t i = 1; i < words.size(); ++i) {
      size_t index = registers;
      std::from_chars(words[i].data(), words[i].data() + words[i].size(), index);
      if (index >= registers) {
        return WithConstraint("C3",
                              InvalidArgument("instruction `", line, "`: expected registers 0 to ",
                                              registers - 1, ", found ", words[i]));
      }
      instruction.arguments.push_back(static_cast<int>(index));
    }
    program.push_back(std::move(instruction));
  }
  if (program.size() > kMostInstructions || call.inputs.size() > kMostFusedInputs) {
    return WithConstraint(
        "C3", InvalidArgument("expected at most ", kMostInstructions, " instructions and ",
                              kMostFusedInputs, " inputs, found ", program.size(), " and ",
                              call.inputs.size()));
  }
  return program;
}

StatusOr<std::vector<TypeSpec>> RegisterTypes(const OpCall& call,
                                              std::span<const Instruction> program) {
  std::vector<TypeSpec> types(call.inputs.begin(), call.inputs.end());
  for (size_t i = 0; i < types.size(); ++i) {
    // C1: the inputs are tensors. C2: they have float dtypes or bool.
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    if (IsFloat(input->dtype()) || input->dtype() == DType::kBool) continue;
    return WithConstraint(
        "C2",
        InvalidArgument("input ", i, ": expected a float dtype or bool, found `", types[i], "`"));
  }
  for (const Instruction& instruction : program) {
    std::vector<TypeSpec> inputs;
    for (int argument : instruction.arguments)
      inputs.push_back(types[static_cast<size_t>(argument)]);
    auto made = instruction.op->infer({*instruction.op, inputs, NoFlags(*instruction.op)});
    if (!made.ok()) {
      return WithConstraint(
          "C4", InvalidArgument("`", instruction.op->name, "`: ", MessageOf(made.status())));
    }
    types.push_back((*made)[0]);
  }
  return types;
}

OpDef FusedElementwise() {
  return {
      .name = "fused_elementwise",
      .summary = "Runs elementwise ops one after another on pieces of the elements",
      .description =
          "Runs a program of elementwise ops on one piece of the elements at a time, so that "
          "intermediate values stay in the cache. A pass creates it from chains of elementwise "
          "ops. The program is a list of instructions separated by `; `, such as `mul 0 1; tanh "
          "2`: an op and a register for each of its inputs. The first registers are the inputs, "
          "followed by one register per instruction. The last register is the result.",
      .inputs = {"x", "xs..."},
      .attributes = {{"program"}},
      .result = "A tensor with the broadcast shape of all inputs.",
      .constraints =
          {"The inputs are tensors.", "The dtypes are float dtypes or bool.",
           "The program has this form, reads registers that exist, and has at most 64 instructions "
           "and 16 inputs.",
           "Each instruction accepts the dtypes of its registers, and the shapes broadcast."},
      .infer = Infer,
      .internal = true,
  };
}

}  // namespace signet
