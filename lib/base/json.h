// Strict JSON: what nlohmann/json lets pass and a user would call a mistake is refused.
#ifndef ATTNLAB_BASE_JSON_H_
#define ATTNLAB_BASE_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace attnlab {

// Keys keep the order of the text.
using Json = nlohmann::ordered_json;

// The value that a JSON text holds. UserError, with line and column, for a syntax error, a byte
// order mark, an empty text; with the path, for a key given twice, nesting deeper than 100 levels,
// more than 10,000 keys in one object. `place` names the text in messages.
Json parse_json(std::string_view text, const std::string& place);

// parse_json of a file of at most 64 MiB.
Json read_json_file(const std::string& path);

// A value as a message shows it: one line, shortened.
std::string shown(const Json& value);

// The place of what flags say: its child "head_dim" is "--head-dim".
inline constexpr std::string_view kFlags = "--";

// "configs/a.json: experiments[0]" + ".samples": how messages name a place within a document.
std::string child_place(const std::string& place, std::string_view key);
std::string child_place(const std::string& place, std::size_t index);

}  // namespace attnlab

#endif  // ATTNLAB_BASE_JSON_H_
