// SaturationMeter: measures how much of the available processors the threads of this process need.
//
//   SaturationMeter meter;
//   ..                        // some seconds with calls
//   meter.Read()   =>   0.4   // 40 % of the processors
//
// 1. The need is the time in which threads ran, plus the time in which they were ready to run and
//    waited for a processor. Linux counts both per thread (/proc/self/task/*/schedstat).
// 2. The result is the need since an earlier reading, divided by the time since then, and by the
//    number of available processors. It exceeds 1 if more threads are ready than processors exist.
// 3. The earlier reading is the last one that is at least ten seconds old, or else the first one,
//    which the constructor makes. So several readers do not disturb one another.
//
// Not thread-safe.

#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <unordered_map>

namespace signet {

class SaturationMeter {
 public:
  SaturationMeter() { samples_.push_back(MakeSample()); }

  double Read();

 private:
  struct Sample {
    std::chrono::steady_clock::time_point time;
    double needed_ns = 0;  // since the first sample, of all threads that were seen
  };

  Sample MakeSample();

  std::unordered_map<std::string, double> threads_;  // the need of each thread since its start
  double needed_ns_ = 0;
  std::deque<Sample> samples_;  // ordered by time; never empty
};

}  // namespace signet
