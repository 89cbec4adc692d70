// RunProfile: the time of each node in one run of a plan, for people who look for the slow ones.
//
//   RunProfile profile;
//   control.profile = &profile;
//   auto result = concrete.Run(arguments, control);
//   profile.plans()[0].nodes[2].nanoseconds;   // of the third node
//
// The profile describes the plan, too, so that it can be read after the plan is gone. It has the
// nodes that are left after the passes. The bodies of a branch or a loop are plans of their own.
// The time of a node includes the time of its bodies; the time of a node in a body is the sum of
// all its runs.
//
// A run without a profile costs one comparison of a pointer per node. If a call runs several plans
// one after the other, for example because it is repeated, the profile has the last one. Not
// thread-safe; used by the thread that runs the plan.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"

namespace signet {

// A tensor that an edge had in the run.
struct ProfiledEdge {
  int slot = 0;
  DType dtype = DType::kFloat32;
  Shape shape = {};
  size_t bytes = 0;
};

struct ProfiledNode {
  std::string op = {};
  std::string attributes = {};             // `axis=1, keepdims=True`
  std::vector<int> inputs = {};            // slots, or kNoEdge
  std::vector<ProfiledEdge> outputs = {};  // of the last run
  std::vector<size_t> bodies = {};         // indices of plans
  double estimated_nanoseconds = 0;
  int64_t runs = 0;
  int64_t nanoseconds = 0;
};

struct ProfiledPlan {
  std::vector<ProfiledEdge> inputs;  // those that a node or a result reads
  std::vector<ProfiledEdge> constants;
  std::vector<int> results;  // slots
  std::vector<ProfiledNode> nodes;
  int64_t runs = 0;
  int64_t nanoseconds = 0;
};

class RunProfile {
 public:
  // The plan of the function, and then the bodies of its nodes.
  const std::vector<ProfiledPlan>& plans() const { return plans_; }

  // Records one run of a plan while it exists. Records nothing if `profile` is null.
  class PlanRun {
   public:
    PlanRun(RunProfile* profile, const Plan& plan, std::span<const Tensor* const> inputs) {
      if (profile != nullptr) Begin(*profile, plan, inputs);
    }
    ~PlanRun() {
      if (profile_ != nullptr) End();
    }
    PlanRun(const PlanRun&) = delete;
    PlanRun& operator=(const PlanRun&) = delete;

    // Called before each step, and after it, while its outputs are in the frame.
    void BeginStep() {
      if (profile_ != nullptr) [[unlikely]]
        step_start_ = Clock::now();
    }
    void EndStep(const PlanStep& step, Frame& frame) {
      if (profile_ != nullptr) [[unlikely]]
        RecordStep(step, frame);
    }

   private:
    using Clock = std::chrono::steady_clock;

    void Begin(RunProfile& profile, const Plan& plan, std::span<const Tensor* const> inputs);
    void End();
    void RecordStep(const PlanStep& step, Frame& frame);

    RunProfile* profile_ = nullptr;
    const Plan* plan_ = nullptr;
    size_t index_ = 0;  // of the plan
    Clock::time_point start_;
    Clock::time_point step_start_;
  };

 private:
  // Describes the plan and its bodies. Returns the index of the plan.
  size_t Describe(const Plan& plan);

  std::vector<ProfiledPlan> plans_;
  std::map<const Plan*, size_t> indices_;
  int depth_ = 0;  // runs that have begun
};

}  // namespace signet
