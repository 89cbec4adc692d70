#include "core/runtime/run_profile.h"

namespace signet {
namespace {

ProfiledEdge EdgeOf(int slot, const Tensor& tensor) {
  if (!tensor.has_value()) return {.slot = slot};
  return {
      .slot = slot, .dtype = tensor.dtype(), .shape = tensor.shape(), .bytes = tensor.num_bytes()};
}

}  // namespace

size_t RunProfile::Describe(const Plan& plan) {
  const size_t index = plans_.size();
  indices_[&plan] = index;
  plans_.emplace_back();
  ProfiledPlan described;
  for (const auto& [slot, tensor] : plan.constants()) {
    described.constants.push_back(EdgeOf(slot, tensor));
  }
  for (const PlanResult& result : plan.results()) described.results.push_back(result.slot);
  for (const PlanStep& step : plan.steps()) {
    ProfiledNode node{.op = step.op->name,
                      .attributes = step.attributes,
                      .inputs = step.inputs,
                      .estimated_nanoseconds = step.cost};
    for (const PlanOutput& output : step.outputs) {
      node.outputs.push_back({.slot = output.slot, .dtype = output.dtype});
    }
    if (step.control != nullptr) {
      for (const auto& body : step.control->bodies) node.bodies.push_back(Describe(*body));
    }
    described.nodes.push_back(std::move(node));
  }
  plans_[index] = std::move(described);
  return index;
}

void RunProfile::PlanRun::Begin(RunProfile& profile, const Plan& plan,
                                std::span<const Tensor* const> inputs) {
  profile_ = &profile;
  plan_ = &plan;
  if (profile.depth_++ == 0) {
    profile.plans_.clear();
    profile.indices_.clear();
    profile.Describe(plan);
  }
  index_ = profile.indices_.at(&plan);
  ProfiledPlan& recorded = profile.plans_[index_];
  recorded.inputs.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int slot = plan.input_slots()[i];
    if (slot != kNoEdge) recorded.inputs.push_back(EdgeOf(slot, *inputs[i]));
  }
  start_ = Clock::now();
}

void RunProfile::PlanRun::RecordStep(const PlanStep& step, Frame& frame) {
  const auto time = Clock::now() - step_start_;
  const auto number = static_cast<size_t>(&step - plan_->steps().data());
  ProfiledNode& node = profile_->plans_[index_].nodes[number];
  ++node.runs;
  node.nanoseconds += std::chrono::nanoseconds(time).count();
  for (ProfiledEdge& output : node.outputs) output = EdgeOf(output.slot, frame.at(output.slot));
}

void RunProfile::PlanRun::End() {
  ProfiledPlan& recorded = profile_->plans_[index_];
  ++recorded.runs;
  recorded.nanoseconds += std::chrono::nanoseconds(Clock::now() - start_).count();
  --profile_->depth_;
}

}  // namespace signet
