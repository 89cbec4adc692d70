// ServingCall: one RPC of PredictionService that makes calls: how it reads the request and writes
// the response.
//
// The reactor (serving_reactor.h) finds the functions and executes the calls. An RPC makes one
// call, except MultiInference, which makes one per task, one after another. An object serves one
// RPC. Not thread-safe: one function at a time.

#pragma once

#include <memory>
#include <vector>

#include "core/formats/signet_wire/wire_cursor.h"
#include "core/serving/call/execute.h"
#include "core/serving/tensorflow/signatures.h"
#include "tensorflow_serving/model.pb.h"

namespace signet::tf {

// What one call of an RPC names.
struct ServingTask {
  Target target;
  Method method = Method::kPredict;
};

class ServingCall {
 public:
  virtual ~ServingCall() = default;

  // Reads what the request names, and none of its values. At least one task.
  virtual StatusOr<std::vector<ServingTask>> ReadTasks(const wire::Message& message,
                                                       const Limits& limits) = 0;
  // Reads the arguments of task `i`, whose function is `called`.
  virtual StatusOr<CallRequest> Read(const wire::Message& message, size_t i,
                                     const CalledFunction& called, const Limits& limits) = 0;
  // Adds the result of task `i` to the response.
  virtual Status Add(size_t i, const CalledFunction& called, CallOutput output) = 0;
  virtual wire::Pieces Write() = 0;
};

// Returns what a parsed ModelSpec names.
Target TargetOf(const ::tensorflow::serving::ModelSpec& spec);

// Reads a ModelSpec, which has few bytes, and skips what is not a part of it.
StatusOr<Target> ReadModelSpec(wire::WireSource& source, wire::WireCursor cursor);

// Writes the ModelSpec of the function that was called.
std::string WriteModelSpec(const Target& target, const CalledFunction& called);

}  // namespace signet::tf
