// parse_date, parse_time, format_date, format_time, date_part, time_part: dates and times, which
// are int64 counts from 1970-01-01 00:00:00.
//
//   parse_date("2024-02-29")            =>  19782
//   date_part(19782, part="weekday")    =>  3

#include <algorithm>

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"
#include "core/ops/text/time_format.h"
#include "core/ops/text/time_part.h"

namespace signet {
namespace {

bool IsOfDates(const OpDef& op) { return op.name.ends_with("_date") || op.name == "date_part"; }

// C1: the input is a tensor of int32 or int64.
StatusOr<const TensorSpec*> CountInput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() == DType::kInt64 || x->dtype() == DType::kInt32) return x;
  return WithConstraint(
      "C1", InvalidArgument("input 0: expected int32 or int64, found `", call.inputs[0], "`"));
}

// C2: `format` is a format. C3: `unit` is the name of a unit.
Status CheckFormat(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string text, WithConstraint("C2", call.attributes.String("format")));
  return WithConstraint("C2", TimeFormat::Parse(text, IsOfDates(call.op)).status());
}
Status CheckUnit(const OpCall& call) { return WithConstraint("C3", UnitOf(call).status()); }

StatusOr<std::vector<TypeSpec>> InferParse(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_RETURN_IF_ERROR(CheckFormat(call));
  SIGNET_RETURN_IF_ERROR(CheckUnit(call));
  // C4: `default` is None or an integer.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", call.attributes.OptionalInt("default").status()));
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferFormat(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, CountInput(call));
  SIGNET_RETURN_IF_ERROR(CheckFormat(call));
  SIGNET_RETURN_IF_ERROR(CheckUnit(call));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferPart(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, CountInput(call));
  // C2: `part` is the name of a part.
  SIGNET_ASSIGN_OR_RETURN(std::string part, WithConstraint("C2", call.attributes.String("part")));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", ParseTimePart(part, IsOfDates(call.op)).status()));
  SIGNET_RETURN_IF_ERROR(CheckUnit(call));
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

constexpr char kFormatHelp[] =
    " `format` has the directives of strptime: %Y %y %m %b %B %d %j %a %A and %%";
constexpr char kTimesHelp[] = ", and for times %H %I %p %M %S %f";
constexpr char kCalendar[] = " The calendar is the Gregorian one of the years 1 to 9999.";
constexpr char kUnits[] =
    "`unit` is `days`, `seconds`, `milliseconds`, `microseconds`, or `nanoseconds`.";

// Adds the parts of the definition that all ops share.
OpDef MakeTimeOp(OpDef op) {
  op.inputs = {"x"};
  op.composites = "On a ragged value, the op works on the flat values.";
  op.expand = ExpandOnFlatValues;
  op.family = OpFamily::kUnaryElementwise;
  return op;
}

}  // namespace

StatusOr<TimeUnit> UnitOf(const OpCall& call) {
  if (IsOfDates(call.op)) return TimeUnit{};
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String("unit"));
  return TimeUnit::Parse(name);
}

StatusOr<TimePart> ParseTimePart(std::string_view name, bool dates_only) {
  constexpr std::string_view kNames[] = {"year",     "quarter", "month",     "day",
                                         "year_day", "week",    "weekday",   "hour",
                                         "minute",   "second",  "nanosecond"};
  const auto* end = dates_only ? kNames + static_cast<int>(TimePart::kHour) : std::end(kNames);
  const auto* found = std::find(std::begin(kNames), end, name);
  if (found != end) return static_cast<TimePart>(found - std::begin(kNames));
  return InvalidArgument("part: expected one of ",
                         Join(std::vector<std::string>(kNames, end), ", "), ", found `",
                         Printable(std::string(name)), "`");
}

std::vector<OpDef> TimeOps() {
  const AttributeDef unit = {"unit", AttributeOf("seconds")};
  const std::string texts = "The input is a tensor or a ragged value of strings.";
  const std::string counts = "The input is a tensor or a ragged value of int32 or int64.";
  const std::string valid_format = "`format` has at most 256 characters and only these directives.";
  return {
      MakeTimeOp({.name = "date_part",
                  .summary = "Returns a part of dates, such as the year or the weekday",
                  .description = Cat("Returns a part of each date, which is a number of days from "
                                     "1970-01-01. `part` is `year`, `quarter`, `month` (1 to 12), "
                                     "`day` (1 to 31), `year_day` (1 to 366), `week` (the week of "
                                     "ISO 8601), or `weekday` (Monday is 0).",
                                     kCalendar),
                  .attributes = {{"part"}},
                  .result = "A value of int64 with the shape of x.",
                  .constraints = {counts, "`part` is the name of a part.", "",
                                  "Each date is in the years 1 to 9999 (OUT_OF_RANGE)."},
                  .infer = InferPart}),
      MakeTimeOp({.name = "format_date",
                  .summary = "Writes dates as text",
                  .description = Cat("Writes each date, which is a number of days from 1970-01-01.",
                                     kFormatHelp, ".", kCalendar),
                  .attributes = {{"format", AttributeOf("%Y-%m-%d")}},
                  .result = "A value of strings with the shape of x.",
                  .constraints = {counts, valid_format, "",
                                  "Each date is in the years 1 to 9999 (OUT_OF_RANGE)."},
                  .infer = InferFormat}),
      MakeTimeOp({.name = "format_time",
                  .summary = "Writes times as text",
                  .description = Cat("Writes each time, which is a number of units from 1970-01-01 "
                                     "00:00:00.",
                                     kFormatHelp, kTimesHelp, ". ", kUnits, kCalendar),
                  .attributes = {{"format", AttributeOf("%Y-%m-%dT%H:%M:%S")}, unit},
                  .result = "A value of strings with the shape of x.",
                  .constraints = {counts, valid_format, "`unit` is the name of a unit.",
                                  "Each time is in the years 1 to 9999 (OUT_OF_RANGE)."},
                  .infer = InferFormat}),
      MakeTimeOp(
          {.name = "parse_date",
           .summary = "Reads dates from text",
           .description = Cat("Reads each whole string as a date, and returns the number of "
                              "days from 1970-01-01. Text that is not a date is an error, or "
                              "becomes `default`.",
                              kFormatHelp, ".", kCalendar),
           .attributes = {{"format", AttributeOf("%Y-%m-%d")}, {"default", NoneAttribute()}},
           .result = "A value of int64 with the shape of x.",
           .constraints = {texts, valid_format, "", "`default` is None or an integer.",
                           "Each string is a date, or `default` is given."},
           .infer = InferParse}),
      MakeTimeOp(
          {.name = "parse_time",
           .summary = "Reads times from text",
           .description = Cat("Reads each whole string as a time, and returns the number of "
                              "whole units from 1970-01-01 00:00:00. A format without a date "
                              "reads a time of the day. There are no time zones. Text that "
                              "is not a time is an error, or becomes `default`.",
                              kFormatHelp, kTimesHelp, ". ", kUnits, kCalendar),
           .attributes = {{"format", AttributeOf("%Y-%m-%dT%H:%M:%S")},
                          unit,
                          {"default", NoneAttribute()}},
           .result = "A value of int64 with the shape of x.",
           .constraints = {texts, valid_format, "`unit` is the name of a unit.",
                           "`default` is None or an integer.",
                           "Each string is a time whose count int64 can hold, or `default` "
                           "is given."},
           .infer = InferParse}),
      MakeTimeOp(
          {.name = "time_part",
           .summary = "Returns a part of times, such as the hour or the weekday",
           .description = Cat("Returns a part of each time, which is a number of units from "
                              "1970-01-01 00:00:00. `part` is a part of `date_part`, or "
                              "`hour` (0 to 23), `minute`, `second`, or `nanosecond` (of the "
                              "second). ",
                              kUnits, kCalendar),
           .attributes = {{"part"}, unit},
           .result = "A value of int64 with the shape of x.",
           .constraints = {counts, "`part` is the name of a part.", "`unit` is the name of a unit.",
                           "Each time is in the years 1 to 9999 (OUT_OF_RANGE)."},
           .infer = InferPart}),
  };
}

}  // namespace signet
