// Subjects: the benchmarks of `./dev bench`, one per file. The comment at the top of each file
// lists its rows.
//
// To add one, declare it here and list it in bench_main.cc.

#pragma once

#include "bench/measure.h"
#include "bench/report.h"

namespace signet {

void BenchWire(const BenchOptions& options, Report& report);          // wire.cc
void BenchObserve(const BenchOptions& options, Report& report);       // observe.cc
void BenchHttp(const BenchOptions& options, Report& report);          // http.cc
void BenchTls(const BenchOptions& options, Report& report);           // tls.cc
void BenchOverload(const BenchOptions& options, Report& report);      // overload.cc
void BenchLive(const BenchOptions& options, Report& report);          // live.cc
void BenchLiveCaptures(const BenchOptions& options, Report& report);  // live_captures.cc
void BenchRecipes(const BenchOptions& options, Report& report);       // recipes.cc
void BenchBatching(const BenchOptions& options, Report& report);      // batching.cc
void BenchDispatch(const BenchOptions& options, Report& report);      // dispatch.cc
void BenchStructure(const BenchOptions& options, Report& report);     // structure.cc
void BenchTypes(const BenchOptions& options, Report& report);         // types.cc
void BenchKernels(const BenchOptions& options, Report& report);       // kernels.cc
void BenchFormats(const BenchOptions& options, Report& report);       // formats.cc
void BenchNeeded(const BenchOptions& options, Report& report);        // needed.cc
void BenchOnnx(const BenchOptions& options, Report& report);          // onnx.cc
void BenchOnnxLoad(const BenchOptions& options, Report& report);      // onnx_load.cc
void BenchSavedModel(const BenchOptions& options, Report& report);    // saved_model.cc
void BenchVariables(const BenchOptions& options, Report& report);     // variables.cc

}  // namespace signet
