// Tells a builder the events of records written as JSON.

#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "signet/status.h"

namespace signet {

template <class Builder>
class RecordEvents : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit RecordEvents(Builder& builder) : builder_(builder) {}

  const Status& status() const { return status_; }

  bool null() override { return Note(builder_.Null()); }
  bool boolean(bool value) override {
    if constexpr (requires { builder_.Bool(value); }) return Note(builder_.Bool(value));
    if constexpr (!requires { builder_.Bool(value); }) return Note(builder_.Bool());
  }
  bool number_integer(int64_t value) override { return Note(builder_.Int(value)); }
  bool number_unsigned(uint64_t value) override { return Note(builder_.Int(value)); }
  bool number_float(double value, const std::string&) override {
    if constexpr (requires { builder_.Float(value); }) return Note(builder_.Float(value));
    if constexpr (!requires { builder_.Float(value); }) return Note(builder_.Float());
  }
  bool string(std::string& text) override {
    if constexpr (requires { builder_.String(text); }) return Note(builder_.String(text));
    if constexpr (!requires { builder_.String(text); }) return Note(builder_.String());
  }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return Note(builder_.BeginObject()); }
  bool key(std::string& name) override { return Note(builder_.Key(name)); }
  bool end_object() override { return Note(builder_.EndObject()); }
  bool start_array(size_t) override { return Note(builder_.BeginList()); }
  bool end_array() override { return Note(builder_.EndList()); }
  bool parse_error(size_t, const std::string&, const nlohmann::json::exception& error) override {
    return Note(InvalidArgument(error.what()));
  }

 private:
  bool Note(Status status) {
    if (!status.ok()) status_ = std::move(status);
    return status_.ok();
  }

  Builder& builder_;
  Status status_;
};

// Returns the first error of `builder` or of the text.
template <class Builder>
Status TellRecords(std::string_view text, Builder& builder) {
  RecordEvents<Builder> events(builder);
  nlohmann::json::sax_parse(text, &events);
  return events.status();
}

}  // namespace signet
