#include "io/model_config_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::string_view kInnerBlocks[] = {
    "attn_config",    "attention_config", "attn_cfg",   "attention",
    "self_attention", "ffn_config",       "moe_config", "moe"};

// "encoder_" + "num_layers": encoder_num_layers, num_encoder_layers.
std::vector<std::string> prefixed(const std::string& prefix, std::string_view name) {
  if (prefix.empty()) return {std::string(name)};
  std::vector<std::string> out{prefix + std::string(name)};
  for (const std::string_view start : {"num_", "n_"}) {
    if (!name.starts_with(start)) continue;
    const std::string rest(name.substr(start.size()));
    out.push_back(std::string(start) + prefix + rest);
  }
  return out;
}

}  // namespace

std::string_view name_of(NoteKind kind) {
  constexpr std::string_view kNames[] = {"read", "derived", "assumed", "not counted"};
  return kNames[static_cast<int>(kind)];
}

void ConfigNotes::add(NoteKind kind, std::string key, std::string value, std::string text) {
  const bool is_known = std::any_of(notes_.begin(), notes_.end(), [&](const ConfigNote& note) {
    return note.kind == kind && note.key == key && note.text == text;
  });
  if (!is_known) notes_.push_back({kind, std::move(key), std::move(value), std::move(text)});
}

ConfigBlock::ConfigBlock(const Json& object, std::string file, std::string path, ConfigNotes& notes)
    : file_(std::move(file)), path_(std::move(path)), notes_(&notes) {
  scopes_.push_back({&object, path_});
  for (const std::string_view key : kInnerBlocks) {
    const auto inner = object.find(key);
    if (inner != object.end() && inner->is_object()) {
      scopes_.push_back({&*inner, path_ + std::string(key) + "."});
    }
  }
}

ConfigBlock ConfigBlock::with_prefixes(std::vector<std::string> prefixes) const {
  ConfigBlock out = *this;
  out.prefixes_ = std::move(prefixes);
  return out;
}

std::optional<ConfigBlock> ConfigBlock::child(std::string_view key) const {
  const Json& object = *scopes_.front().object;
  const auto inner = object.find(key);
  if (inner == object.end() || inner->is_null()) return std::nullopt;
  const std::string path = path_ + std::string(key);
  if (!inner->is_object()) refuse(path, shown(*inner) + " is not an object", "");
  return ConfigBlock(*inner, file_, path + ".", *notes_);
}

std::optional<ConfigBlock> ConfigBlock::child_object(std::string_view key) const {
  const Json& object = *scopes_.front().object;
  const auto inner = object.find(key);
  if (inner == object.end() || !inner->is_object()) return std::nullopt;
  return ConfigBlock(*inner, file_, path_ + std::string(key) + ".", *notes_);
}

std::optional<ConfigBlock::Found> ConfigBlock::find(KeyNames names) const {
  for (const std::string& prefix : prefixes_) {
    for (const std::string_view name : names) {
      for (const std::string& key : prefixed(prefix, name)) {
        for (const Scope& scope : scopes_) {
          const auto value = scope.object->find(key);
          if (value != scope.object->end() && !value->is_null()) {
            return Found{&*value, scope.path + key};
          }
        }
      }
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> ConfigBlock::count(KeyNames names, std::int64_t least,
                                               std::int64_t most) const {
  const auto found = find(names);
  if (!found) return std::nullopt;
  const std::int64_t out = whole(*found->value, found->key, least, most);
  note_read(*found);
  return out;
}

std::optional<bool> ConfigBlock::flag(KeyNames names) const {
  const auto found = find(names);
  if (!found) return std::nullopt;
  if (!found->value->is_boolean()) {
    refuse(found->key, shown(*found->value) + " is neither true nor false", "");
  }
  note_read(*found);
  return found->value->get<bool>();
}

bool ConfigBlock::quiet_flag(std::string_view name) const {
  const auto found = find(name);
  if (!found) return false;
  if (!found->value->is_boolean()) {
    refuse(found->key, shown(*found->value) + " is neither true nor false", "");
  }
  return found->value->get<bool>();
}

std::optional<double> ConfigBlock::ratio(KeyNames names) const {
  const auto found = find(names);
  if (!found) return std::nullopt;
  const bool good = found->value->is_number() && found->value->get<double>() > 0 &&
                    found->value->get<double>() <= 1e6;
  if (!good) refuse(found->key, shown(*found->value) + " is not a number above 0", "");
  note_read(*found);
  return found->value->get<double>();
}

std::optional<std::string> ConfigBlock::text(KeyNames names) const {
  const auto found = find(names);
  if (!found || !found->value->is_string()) return std::nullopt;
  note_read(*found);
  return found->value->get<std::string>();
}

std::optional<std::vector<std::int64_t>> ConfigBlock::per_layer(KeyNames names, std::size_t layers,
                                                                std::int64_t least) const {
  const auto found = find(names);
  if (!found) return std::nullopt;
  std::vector<std::int64_t> out;
  if (!found->value->is_array()) {
    out.assign(layers, whole(*found->value, found->key, least, kLargestSize));
  } else {
    if (found->value->size() != layers) {
      refuse(found->key, fmt::format("a list of {} for {} layers", found->value->size(), layers),
             "give one number, or one for each layer");
    }
    for (std::size_t i = 0; i < layers; ++i) {
      const Json& item = (*found->value)[i];
      out.push_back(item.is_null() ? 0
                                   : whole(item, child_place(found->key, i), least, kLargestSize));
    }
  }
  note_read(*found);
  return out;
}

std::optional<std::vector<std::int64_t>> ConfigBlock::list(std::string_view name,
                                                           std::int64_t least,
                                                           std::int64_t most) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  if (!found->value->is_array()) refuse(found->key, shown(*found->value) + " is not a list", "");
  std::vector<std::int64_t> out;
  for (std::size_t i = 0; i < found->value->size(); ++i) {
    out.push_back(whole((*found->value)[i], child_place(found->key, i), least, most));
  }
  note_read(*found);
  return out;
}

std::optional<std::vector<std::string>> ConfigBlock::words(std::string_view name) const {
  const auto found = find(name);
  if (!found || !found->value->is_array()) return std::nullopt;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < found->value->size(); ++i) {
    const Json& item = (*found->value)[i];
    if (!item.is_string()) {
      refuse(child_place(found->key, i), shown(item) + " is not the name of a layer type", "");
    }
    out.push_back(item.get<std::string>());
  }
  note_read(*found);
  return out;
}

void ConfigBlock::refuse(const std::string& key, std::string problem, std::string remedy) const {
  throw UserError(place_of(key), std::move(problem), std::move(remedy));
}

void ConfigBlock::refuse_missing(KeyNames names) const {
  std::vector<std::string> others;
  for (const std::string_view name : names.subspan(1)) others.emplace_back(name);
  throw MissingKey(
      place_of(key_path(names[0])),
      "is missing" + (others.empty() ? "" : ", also under the names " + join(others, ", ")),
      "attnlab reads Hugging Face style configurations");
}

std::string ConfigBlock::key_path(std::string_view key) const { return path_ + std::string(key); }

std::int64_t ConfigBlock::whole(const Json& value, const std::string& key, std::int64_t least,
                                std::int64_t most) const {
  if (!value.is_number_integer()) {
    refuse(key, shown(value) + " is not a whole number",
           fmt::format("a whole number from {} to {} belongs here", least, most));
  }
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX;
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most) {
    refuse(key, shown(value) + " is out of range",
           fmt::format("a whole number from {} to {} belongs here", least, most));
  }
  return value.get<std::int64_t>();
}

void ConfigBlock::note_read(const Found& found) const {
  notes_->add(NoteKind::kRead, found.key, shown(*found.value), "");
}

}  // namespace attnlab
