#include "io/model_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "io/model_config_block.h"
#include "io/model_config_defaults.h"
#include "io/model_config_keys.h"
#include "io/model_config_stack.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
// Long tables that hold no sizes: labels of classes, quantization of each of many matrices.
constexpr std::string_view kPassedOver[] = {"quantization_config", "compression_config", "id2label",
                                            "label2id", "task_specific_params"};
constexpr std::string_view kTextBlocks[] = {
    "text_config",       "llm_config", "language_config", "language_model_config",
    "text_model_config", "lm_config",  "thinker_config",  "decoder"};
constexpr std::pair<std::string_view, std::string_view> kTowers[] = {
    {"vision_config", "vision_tower"},
    {"vision_tower_config", "vision_tower"},
    {"visual", "vision_tower"},
    {"audio_config", "audio_tower"}};

// Writers of these files leave bare Infinity and NaN in them, which no JSON has; none is a size.
std::string without_infinities(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"-Infinity", "null     "}, {"Infinity", "null    "}, {"NaN", "\"-\""}};
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const auto& [word, instead] : kWords) {
        if (text.compare(i, word.size(), word) == 0) text.replace(i, word.size(), instead);
      }
    }
  }
  return text;
}

class Reader {
 public:
  Reader(const Json& object, std::string file)
      : file_(std::move(file)), root_(object, file_, "", notes_) {}

  ModelConfig read() {
    if (const auto type = root_.text("model_type")) out_.model_type = *type;
    const auto encoder = root_.child_object("encoder"), decoder = root_.child_object("decoder");
    if (encoder && decoder && !root_.has(keys::kHeads)) {
      read_pair(encoder->with_prefixes({"", "encoder_"}), decoder->with_prefixes({"", "decoder_"}));
    } else if (is_encoder_decoder(root_)) {
      read_pair(root_.with_prefixes({"encoder_", ""}), root_.with_prefixes({"decoder_", ""}));
    } else {
      read_text();
    }
    for (const auto& [key, name] : kTowers) read_tower(key, name);
    out_.notes = notes_.take();
    return std::move(out_);
  }

 private:
  static bool is_encoder_decoder(const ConfigBlock& block) {
    if (const auto flag = block.flag("is_encoder_decoder")) return *flag;
    return (block.has("encoder_layers") && block.has("decoder_layers")) ||
           (block.has("num_decoder_layers") && block.has("num_layers"));
  }

  void add(std::vector<LayerType> types) {
    std::move(types.begin(), types.end(), std::back_inserter(out_.shape.types));
  }

  // The text model: nested in a file for several kinds of input, or the file itself.
  void read_text() {
    std::optional<ConfigBlock> nested;
    std::string outer_type = out_.model_type;
    for (const std::string_view key : kTextBlocks) {
      const ConfigBlock& parent = nested ? *nested : root_;
      auto inner = parent.child_object(key);
      if (!inner) continue;
      // A block that says nothing, in a file that says all.
      const bool says_sizes = inner->has(keys::kWidth) || inner->has(keys::kHeads) ||
                              inner->has(keys::kLayers) || has_text_block(*inner);
      if (!says_sizes && root_.has(keys::kWidth) && root_.has(keys::kHeads)) continue;
      nested = std::move(inner);
      if (key != "thinker_config") break;
      if (const auto text = nested->child_object("text_config")) {
        nested = text;
        break;
      }
    }
    if (!nested) {
      StackOptions options;
      options.type = out_.model_type;
      read_stack_of(root_.with_prefixes({"", "decoder_"}), options);
      return;
    }
    if (is_encoder_decoder(*nested)) {
      read_pair(nested->with_prefixes({"encoder_", ""}), nested->with_prefixes({"decoder_", ""}));
      return;
    }
    StackOptions options;
    options.outer = &root_;
    if (const auto type = nested->text("model_type")) {
      options.type = *type;
    } else if (const auto known = text_type_within(outer_type); !known.empty()) {
      options.type = known;
      notes_.add(NoteKind::kAssumed, nested->key_path("model_type"), options.type,
                 "absent: the text model of " + outer_type);
    }
    read_stack_of(nested->with_prefixes({"", "decoder_"}), options);
  }

  static bool has_text_block(const ConfigBlock& block) {
    return std::any_of(std::begin(kTextBlocks), std::end(kTextBlocks),
                       [&](std::string_view key) { return block.child_object(key).has_value(); });
  }

  void read_stack_of(const ConfigBlock& block, const StackOptions& options) {
    const Stack stack = read_stack(block, options);
    out_.shape.width = stack.width;
    add(layer_types(stack.layers));
    if (block.flag("add_cross_attention").value_or(false)) {
      add_cross_attention(stack, block, 0, "cross_attention");
    }
    const auto vocabulary = block.count(keys::kVocabulary);
    out_.shape.vocabulary =
        vocabulary ? *vocabulary
                   : (options.outer ? options.outer->count(keys::kVocabulary).value_or(0) : 0);
  }

  // Each layer of a stack with a second attention, over another sequence.
  void add_cross_attention(const Stack& stack, const ConfigBlock& block, std::int64_t source_width,
                           const std::string& name) {
    std::vector<StackLayer> layers;
    const auto source = block.count("cross_attention_hidden_size").value_or(source_width);
    for (const StackLayer& layer : stack.layers) {
      if (!layer.shape.has_attention || layer.shape.is_cross) continue;
      StackLayer cross{name, layer.shape};
      cross.shape.is_cross = true;
      cross.shape.reach = {};
      cross.shape.ffn = {};
      cross.shape.source_width = source;
      layers.push_back(std::move(cross));
    }
    add(layer_types(layers));
  }

  void read_pair(const ConfigBlock& encoder, const ConfigBlock& decoder) {
    const auto options_of = [&](const ConfigBlock& block) {
      StackOptions options;
      options.type = block.with_prefixes({""}).text("model_type").value_or(out_.model_type);
      return options;
    };
    const StackOptions encoder_options = options_of(encoder);
    const StackOptions decoder_options = options_of(decoder);
    const Stack first = read_stack(encoder, encoder_options);
    const Stack second = read_stack(decoder, decoder_options);
    out_.shape.width = second.width;
    std::vector<LayerType> types = layer_types(named(first, "encoder_self_attention"));
    for (LayerType& type : types) type.is_encoder = true;
    add(std::move(types));
    add(layer_types(named(second, "decoder_self_attention")));
    add_cross_attention(second, decoder, first.width, "decoder_cross_attention");
    const auto vocabulary = decoder.count(keys::kVocabulary);
    out_.shape.vocabulary = vocabulary ? *vocabulary : root_.count(keys::kVocabulary).value_or(0);
  }

  static std::vector<StackLayer> named(const Stack& stack, const std::string& name) {
    std::vector<StackLayer> out = stack.layers;
    for (StackLayer& layer : out) {
      const bool is_plain = layer.name == "full_attention";
      layer.name = is_plain ? name : name + " (" + layer.name + ")";
    }
    return out;
  }

  // An image or audio encoder beside the text model: a row of its own where its sizes are known.
  void read_tower(std::string_view key, std::string_view name) {
    auto block = root_.child_object(key);
    if (!block) {
      if (const auto thinker = root_.child_object("thinker_config")) {
        block = thinker->child_object(key);
      }
      if (!block) return;
    }
    StackOptions options;
    options.is_tower = true;
    options.type = block->text("model_type").value_or("");
    try {
      Stack stack = read_stack(block->with_prefixes({"", "vt_", "encoder_"}), options);
      for (StackLayer& layer : stack.layers) layer.name = name;
      std::vector<LayerType> types = layer_types(stack.layers);
      for (LayerType& type : types) type.is_tower = true;
      add(std::move(types));
      note_patches(*block);
    } catch (const MissingKey& missing) {
      notes_.add(NoteKind::kNotCounted, std::string(key), "",
                 fmt::format("the {} is left out: {}", name, missing.mistakes().front().text()));
    }
  }

  // How many tokens a tower of square patches sees.
  void note_patches(const ConfigBlock& tower) {
    const auto image = tower.find("image_size"), patch = tower.find("patch_size");
    if (!image || !patch || !image->value->is_number_integer() ||
        !patch->value->is_number_integer()) {
      return;  // other forms: pairs of sizes, several images
    }
    const std::int64_t a_side = *tower.count("image_size") / *tower.count("patch_size");
    notes_.add(NoteKind::kDerived, image->key, std::to_string(a_side * a_side),
               "/ patch_size squared, the patches of an image");
  }

  std::string file_;
  ConfigNotes notes_;
  ConfigBlock root_;
  ModelConfig out_;
};

}  // namespace

ModelConfig parse_model_config(std::string_view text, const std::string& place) {
  const Json json = parse_json(without_infinities(std::string(text)), place, kPassedOver);
  if (!json.is_object()) {
    throw UserError(place, shown(json) + " is not an object",
                    "attnlab reads Hugging Face style configurations");
  }
  return Reader(json, place).read();
}

ModelConfig read_model_config(const std::string& path) {
  return parse_model_config(read_file(path, kMostBytes), path);
}

}  // namespace attnlab
