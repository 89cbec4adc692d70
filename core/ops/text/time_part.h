// TimePart: the part of a date or time that date_part and time_part return.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"
#include "core/ops/text/time_format.h"

namespace signet {

enum class TimePart : uint8_t {
  kYear,
  kQuarter,
  kMonth,
  kDay,
  kYearDay,
  kWeek,
  kWeekday,
  kHour,  // the parts from here on are parts of times
  kMinute,
  kSecond,
  kNanosecond,
};
StatusOr<TimePart> ParseTimePart(std::string_view name, bool dates_only);

// Returns the unit of a call of an op of times.cc: days for the ops on dates.
StatusOr<TimeUnit> UnitOf(const OpCall& call);

}  // namespace signet
