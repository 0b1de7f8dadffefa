// Finds the values of a configuration under their many names and checks them; writes down what it
// read.
#ifndef ATTNLAB_IO_MODEL_CONFIG_BLOCK_H_
#define ATTNLAB_IO_MODEL_CONFIG_BLOCK_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "io/model_config.h"

namespace attnlab {

using KeyNames = std::span<const std::string_view>;  // names of one thing, the usual one first

inline constexpr std::int64_t kLargestSize = 1'000'000'000;
inline constexpr std::int64_t kMostLayers = 10'000;

// A key that must be there is not: an encoder beside the text model can be left out then.
class MissingKey : public UserError {
 public:
  using UserError::UserError;
};

// The notes of one file, each once.
class ConfigNotes {
 public:
  void add(NoteKind kind, std::string key, std::string value, std::string text);
  std::vector<ConfigNote> take() { return std::move(notes_); }

 private:
  std::vector<ConfigNote> notes_;
};

// An object of the file and the objects within it that are read as if they were part of it
// (attn_config, ffn_config). A value that is null counts as absent.
class ConfigBlock {
 public:
  ConfigBlock(const Json& object, std::string file, std::string path, ConfigNotes& notes);

  // The same block where every name is looked for with these prefixes, in this order: "encoder_"
  // finds encoder_layers and num_encoder_layers; "" finds the name itself.
  ConfigBlock with_prefixes(std::vector<std::string> prefixes) const;
  // An object within; no value when there is none. child() refuses a value that is no object,
  // child_object() passes over it.
  std::optional<ConfigBlock> child(std::string_view key) const;
  std::optional<ConfigBlock> child_object(std::string_view key) const;
  bool is_nested() const { return !path_.empty(); }
  const std::string& file() const { return file_; }

  struct Found {
    const Json* value;
    std::string key;  // its path within the file
  };
  std::optional<Found> find(KeyNames names) const;
  std::optional<Found> find(std::string_view name) const { return find(KeyNames(&name, 1)); }
  bool has(KeyNames names) const { return find(names).has_value(); }
  bool has(std::string_view name) const { return find(name).has_value(); }

  // Each of these notes what it read, and throws UserError for a value of another type or range.
  std::optional<std::int64_t> count(KeyNames names, std::int64_t least = 1,
                                    std::int64_t most = kLargestSize) const;
  std::optional<std::int64_t> count(std::string_view name, std::int64_t least = 1,
                                    std::int64_t most = kLargestSize) const {
    return count(KeyNames(&name, 1), least, most);
  }
  std::optional<bool> flag(KeyNames names) const;
  std::optional<bool> flag(std::string_view name) const { return flag(KeyNames(&name, 1)); }
  bool quiet_flag(std::string_view name) const;       // false where absent; not noted
  std::optional<double> ratio(KeyNames names) const;  // above 0
  std::optional<std::string> text(KeyNames names) const;
  std::optional<std::string> text(std::string_view name) const { return text(KeyNames(&name, 1)); }
  // A number for every layer, or a list with one a layer; a null in the list is 0.
  std::optional<std::vector<std::int64_t>> per_layer(KeyNames names, std::size_t layers,
                                                     std::int64_t least = 1) const;
  // A list of numbers of any length, each from least to most.
  std::optional<std::vector<std::int64_t>> list(std::string_view name, std::int64_t least,
                                                std::int64_t most) const;
  std::optional<std::vector<std::string>> words(std::string_view name) const;

  [[noreturn]] void refuse(const std::string& key, std::string problem, std::string remedy) const;
  [[noreturn]] void refuse_missing(KeyNames names) const;
  std::string key_path(std::string_view key) const;
  std::string place_of(const std::string& key) const { return file_ + ": " + key; }
  ConfigNotes& notes() const { return *notes_; }

 private:
  struct Scope {
    const Json* object;
    std::string path;  // "" or "text_config."
  };
  std::int64_t whole(const Json& value, const std::string& key, std::int64_t least,
                     std::int64_t most) const;
  void note_read(const Found& found) const;

  std::string file_, path_;
  std::vector<Scope> scopes_;
  std::vector<std::string> prefixes_{""};
  ConfigNotes* notes_;
};

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_BLOCK_H_
