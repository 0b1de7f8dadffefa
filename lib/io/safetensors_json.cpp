// The JSON of a .safetensors header, event by event: a header may have 100 MB and more keys than a
// document in memory bears.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "io/safetensors_header.h"

namespace attnlab {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";
constexpr const char* kRemedy = "the file is damaged or not written by safetensors: save it again";

using Events = nlohmann::json_sax<nlohmann::json>;

// Where in the header an event happens.
enum class Level { kTop, kTensors, kTensor, kShape, kOffsets, kMetadata, kSkipped };

class HeaderEvents : public Events {
 public:
  explicit HeaderEvents(const std::string& place) : place_(place) {}

  std::vector<SafetensorsInfo> take() {
    refuse_twice();
    return std::move(tensors_);
  }

  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("a truth value"); }
  bool number_integer(number_integer_t value) override {
    return other(std::to_string(value));  // only negative numbers come here
  }
  bool number_float(number_float_t, const string_t& text) override { return other(text); }
  bool binary(binary_t&) override { return other("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ != Level::kShape && level_ != Level::kOffsets) return other(std::to_string(value));
    if (std::cmp_greater(value, std::numeric_limits<std::int64_t>::max())) {
      fail(fmt::format("{} is too large: it passes 2^63", value));
    }
    auto& list = level_ == Level::kShape ? tensors_.back().shape : tensors_.back().offsets;
    list.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(string_t& text) override {
    if (level_ == Level::kMetadata) return true;
    if (level_ != Level::kTensor || key_ != "dtype") return other("a text");
    tensors_.back().dtype = std::move(text);
    return true;
  }

  bool start_object(std::size_t) override {
    if (level_ == Level::kTop) {
      level_ = Level::kTensors;
    } else if (level_ == Level::kTensors) {
      level_ = key_ == kMetadataKey ? Level::kMetadata : Level::kTensor;
      seen_ = {};
      if (level_ == Level::kTensor) tensors_.push_back({std::move(key_), "", {}, {}});
    } else {
      enter_other("an object");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ == Level::kTensor && key_ == "shape") {
      level_ = Level::kShape;
    } else if (level_ == Level::kTensor && key_ == "data_offsets") {
      level_ = Level::kOffsets;
    } else {
      enter_other("a list");
    }
    return true;
  }

  bool key(string_t& text) override {
    if (level_ == Level::kSkipped) return true;
    if (level_ == Level::kTensors && text == kMetadataKey && std::exchange(has_metadata_, true)) {
      fail("the key __metadata__ is given twice");
    }
    if (level_ == Level::kMetadata) metadata_.push_back(text);
    key_ = std::move(text);
    if (level_ == Level::kTensor) {
      for (std::size_t i = 0; i < std::size(kKeys); ++i) {
        if (key_ == kKeys[i] && std::exchange(seen_[i], true)) {
          fail(fmt::format("the key {} is given twice", key_));
        }
      }
    }
    return true;
  }

  bool end_object() override {
    switch (level_) {
      case Level::kTensor:
        for (std::size_t i = 0; i < std::size(kKeys); ++i) {
          if (!seen_[i]) fail(fmt::format("the key {} is missing", kKeys[i]));
        }
        level_ = Level::kTensors;
        break;
      case Level::kMetadata:
        level_ = Level::kTensors;
        break;
      case Level::kSkipped:
        leave_other();
        break;
      default:
        level_ = Level::kTop;
    }
    return true;
  }

  bool end_array() override {
    if (level_ == Level::kSkipped) {
      leave_other();
      return true;
    }
    if (level_ == Level::kOffsets && tensors_.back().offsets.size() != 2) {
      fail("data_offsets needs two numbers, begin and end");
    }
    level_ = Level::kTensor;
    return true;
  }

  bool parse_error(std::size_t byte, const std::string&,
                   const nlohmann::json::exception& error) override {
    std::string_view message = error.what();  // "[json.exception...] parse error at ...: syntax..."
    const std::size_t colon = message.find(": ");
    if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
    throw UserError(fmt::format("{}: header, byte {}", place_, byte), printable(message, 200),
                    kRemedy);
  }

 private:
  static constexpr const char* kKeys[] = {"dtype", "shape", "data_offsets"};

  [[noreturn]] void fail(const std::string& problem) const {
    std::string place = place_ + ": header";
    if (level_ == Level::kMetadata) place += fmt::format(": {}", kMetadataKey);
    if (!tensors_.empty() && level_ >= Level::kTensor && level_ <= Level::kOffsets) {
      place = fmt::format("{}: {}", place_, shown_name(tensors_.back().name));
    }
    throw UserError(place, problem, kRemedy);
  }

  bool is_known() const {
    return std::find(std::begin(kKeys), std::end(kKeys), key_) != std::end(kKeys);
  }

  // A value that is none of the format's at this place: passed over under an unknown key.
  bool other(const std::string& what) const {
    switch (level_) {
      case Level::kSkipped:
        return true;
      case Level::kTensor:
        if (!is_known()) return true;
        fail(fmt::format("{} is {}, not {}", key_, printable(what),
                         key_ == "dtype" ? "a text" : "a list of numbers"));
      case Level::kShape:
        fail(fmt::format("{} in the shape is no whole number from 0 on", printable(what)));
      case Level::kOffsets:
        fail(fmt::format("{} in data_offsets is no whole number from 0 on", printable(what)));
      case Level::kMetadata:
        fail(fmt::format("{} is {}, not a text", printable(key_), printable(what)));
      case Level::kTensors:
        fail(fmt::format("{} is {}, not an object", printable(key_), printable(what)));
      case Level::kTop:
        break;
    }
    fail(fmt::format("the header is {}, not an object", printable(what)));
  }

  void enter_other(const std::string& what) {
    other(what);
    if (level_ != Level::kSkipped) outside_ = level_;
    level_ = Level::kSkipped;
    ++skipped_;
  }

  void leave_other() {
    if (--skipped_ == 0) level_ = outside_;
  }

  // Names given twice, found at the end: a header may have a million.
  void refuse_twice() {
    std::vector<std::string_view> names;
    for (const SafetensorsInfo& tensor : tensors_) names.push_back(tensor.name);
    for (const bool of_metadata : {false, true}) {
      if (of_metadata) names.assign(metadata_.begin(), metadata_.end());
      std::sort(names.begin(), names.end());
      const auto twice = std::adjacent_find(names.begin(), names.end());
      if (twice == names.end()) continue;
      throw UserError(fmt::format("{}: header{}", place_, of_metadata ? ": __metadata__" : ""),
                      fmt::format("the key {} is given twice", shown_name(*twice)), kRemedy);
    }
  }

  const std::string& place_;
  std::vector<SafetensorsInfo> tensors_;
  std::vector<std::string> metadata_;  // its keys
  std::string key_;
  Level level_ = Level::kTop, outside_ = Level::kTop;
  std::size_t skipped_ = 0;  // how many lists and objects are open in what is passed over
  bool has_metadata_ = false;
  std::array<bool, std::size(kKeys)> seen_{};
};

}  // namespace

std::vector<SafetensorsInfo> parse_safetensors_json(std::string_view text,
                                                    const std::string& place) {
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {  // ends the parser's text
    throw UserError(fmt::format("{}: header, byte {}", place, zero + 1), "a zero byte is no JSON",
                    kRemedy);
  }
  HeaderEvents events(place);
  nlohmann::json::sax_parse(text.begin(), text.end(), &events);
  return events.take();
}

}  // namespace attnlab
