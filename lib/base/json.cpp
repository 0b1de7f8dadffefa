#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr std::size_t kMostLevels = 100;
constexpr std::size_t kMostKeys = 10'000;  // ordered_json looks a key up in linear time

// Follows the parser through the document: where it is, and which keys each open object has.
class Guard {
 public:
  explicit Guard(std::string place) : place_(std::move(place)) {}

  bool operator()(int /*depth*/, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    switch (event) {
      case Event::object_start:
      case Event::array_start:
        enter_value();
        open_.push_back({event == Event::array_start, 0, "", {}});
        if (open_.size() > kMostLevels) {
          throw UserError(place_, fmt::format("nested deeper than {} levels", kMostLevels),
                          "flatten it");
        }
        break;
      case Event::object_end:
      case Event::array_end:
        open_.pop_back();
        break;
      case Event::key:
        add_key(parsed.get<std::string>());
        break;
      case Event::value:
        enter_value();
        break;
    }
    return true;
  }

 private:
  struct Level {
    bool is_array;
    std::size_t count;
    std::string key;
    std::unordered_set<std::string> keys;
  };

  void enter_value() {
    if (!open_.empty()) ++open_.back().count;
  }

  void add_key(const std::string& key) {
    Level& level = open_.back();
    level.key = key;
    if (!level.keys.insert(key).second) {
      throw UserError(path(), "this key is given twice", "keep one of the two");
    }
    if (level.keys.size() > kMostKeys) {
      throw UserError(path(), fmt::format("more than {} keys in one object", kMostKeys));
    }
  }

  std::string path() const {
    std::string out = place_ + ":";
    for (const Level& level : open_) {
      out = level.is_array ? child_place(out, level.count - 1) : child_place(out, level.key);
    }
    return out;
  }

  std::string place_;
  std::vector<Level> open_;
};

std::string line_and_column(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  const auto is_first_byte = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto column = std::count_if(before.begin() + static_cast<std::ptrdiff_t>(line_start),
                                    before.end(), is_first_byte);
  return fmt::format("line {}, column {}", line, column + 1);
}

// nlohmann's message without its own prefix: "[json.exception.parse_error.101] parse error at line
// 1, column 2: syntax error while ... - unexpected X".
std::string bare_message(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  return printable(message, 200);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place) {
  if (text.starts_with("\xEF\xBB\xBF")) {
    throw UserError(place + ": line 1, column 1", "the file begins with a byte order mark (BOM)",
                    "save it as UTF-8 without one");
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw UserError(place, "is empty", "a JSON value is needed; see `attnlab schema`");
  }
  try {
    return Json::parse(text.begin(), text.end(), Guard(place));
  } catch (const Json::parse_error& error) {
    const std::size_t byte = error.byte > 0 ? error.byte - 1 : 0;
    throw UserError(place + ": " + line_and_column(text, byte), bare_message(error.what()),
                    "see `attnlab schema` for what is allowed");
  } catch (const Json::out_of_range& error) {  // 1e999: no position is given for it
    throw UserError(place, bare_message(error.what()), "numbers end at 1.8e308");
  }
}

Json read_json_file(const std::string& path) {
  return parse_json(read_file(path, kMostBytes), path);
}

std::string shown(const Json& value) {
  return printable(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string child_place(const std::string& place, std::string_view key) {
  std::string name = printable(key, 40);
  if (place == kFlags) {
    std::replace(name.begin(), name.end(), '_', '-');
    return place + name;
  }
  if (place.empty()) return name;
  return place + (place.ends_with(':') ? " " : ".") + name;
}

std::string child_place(const std::string& place, std::size_t index) {
  return fmt::format("{}[{}]", place, index);
}

}  // namespace attnlab
