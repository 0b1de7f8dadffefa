// Reads a Hugging Face style model configuration (config.json) of any family into the shapes of its
// layers, by rules on keys, and tells which keys it read and what it assumed.
// The rules and their order: docs/cost.md. Files: model_config_block finds values under their many
// names, _pattern says which layers attend and how far, _stack the sizes of heads, _experts the
// feed-forward layers, _defaults what is known of a model type alone, _types gathers equal layers.
#ifndef ATTNLAB_IO_MODEL_CONFIG_H_
#define ATTNLAB_IO_MODEL_CONFIG_H_

#include <string>
#include <string_view>
#include <vector>

#include "cost/model.h"

namespace attnlab {

enum class NoteKind {
  kRead,        // a key of the file
  kDerived,     // follows from other keys by a rule
  kAssumed,     // no key says so: a default, or what is known of the model type
  kNotCounted,  // the file has something whose cost is left out
};
std::string_view name_of(NoteKind kind);  // read, derived, assumed, not counted

struct ConfigNote {
  NoteKind kind = NoteKind::kRead;
  std::string key;    // "text_config.hidden_size"; of a derived value, the absent key
  std::string value;  // as the file writes it; of a derived value, the result
  std::string text;   // why: "hidden_size / num_attention_heads"; empty for what was read
};

struct ModelConfig {
  std::string model_type;  // as the file calls it, or ""
  ModelShape shape;
  std::vector<ConfigNote> notes;
};

// UserError, naming file and key, for what is no such file: a size that is missing, no whole number
// above 0, or too large; heads that do not divide; lists of another length than the layers.
ModelConfig read_model_config(const std::string& path);
// The same for a text; `place` names it in messages.
ModelConfig parse_model_config(std::string_view text, const std::string& place);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_H_
