#include "io/model_config_defaults.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace attnlab {
namespace {

// Public defaults of the model types that other configurations nest.
constexpr TypeSizes kSizes[] = {
    // type, width, heads, kv_heads, head_dim, layers, ffn, window
    {"llama", 4096, 32, 0, 0, 32, 11008, 0},
    {"mistral", 4096, 32, 8, 0, 32, 14336, 4096},
    {"mixtral", 4096, 32, 8, 0, 32, 14336, 0},
    {"qwen2", 4096, 32, 32, 0, 32, 22016, 0},
    {"qwen2_vl_text", 8192, 64, 8, 0, 80, 29568, 0},
    {"qwen2_5_vl_text", 8192, 64, 8, 0, 80, 29568, 0},
    {"qwen2_moe", 2048, 16, 16, 0, 24, 5632, 0},
    {"qwen3", 4096, 32, 32, 128, 32, 22016, 0},
    {"qwen3_moe", 2048, 32, 4, 128, 24, 6144, 0},
    {"qwen3_vl_text", 4096, 32, 32, 128, 32, 22016, 0},
    {"qwen3_vl_moe_text", 2048, 16, 16, 128, 24, 5632, 0},
    {"qwen3_next", 2048, 16, 2, 256, 48, 5632, 0},
    {"qwen3_5_text", 4096, 16, 4, 256, 32, 12288, 0},
    {"qwen3_5_moe_text", 2048, 16, 2, 256, 40, 0, 0},
    {"gemma", 3072, 16, 16, 256, 28, 24576, 0},
    {"gemma2", 2304, 8, 4, 256, 26, 9216, 4096},
    {"gemma3_text", 2304, 8, 4, 256, 26, 9216, 4096},
    {"gemma3n_text", 2048, 8, 2, 256, 35, 16384, 512},
    {"opt", 768, 12, 0, 0, 12, 3072, 0},
    {"gpt2", 768, 12, 0, 0, 12, 3072, 0},
    {"gpt_neox", 6144, 64, 0, 0, 44, 24576, 0},
    {"bert", 768, 12, 0, 0, 12, 3072, 0},
    {"roberta", 768, 12, 0, 0, 12, 3072, 0},
    {"xlm-roberta", 768, 12, 0, 0, 12, 3072, 0},
    {"t5", 512, 8, 0, 64, 6, 2048, 0},
    {"phi", 2048, 32, 0, 0, 24, 8192, 0},
    {"phi3", 3072, 32, 0, 0, 32, 8192, 0},
    {"starcoder2", 3072, 24, 2, 0, 30, 12288, 0},
    {"stablelm", 2560, 32, 32, 0, 32, 6912, 0},
    {"granite", 4096, 32, 0, 0, 32, 11008, 0},
    {"cohere", 8192, 64, 0, 0, 40, 22528, 0},
    {"cohere2", 8192, 64, 0, 0, 40, 22528, 4096},
    {"internlm2", 4096, 32, 0, 0, 32, 11008, 0},
    {"persimmon", 4096, 64, 0, 0, 36, 16384, 0},
    {"deepseek_v2", 4096, 32, 0, 0, 32, 11008, 0},
    {"deepseek_v3", 7168, 128, 128, 0, 61, 18432, 0},
    {"llama4_text", 5120, 40, 8, 128, 48, 8192, 0},
    {"mllama_text_model", 4096, 32, 8, 0, 40, 14336, 0},
    {"clip_text_model", 512, 8, 0, 0, 12, 2048, 0},
    {"clip_vision_model", 768, 12, 0, 0, 12, 3072, 0},
    {"siglip_text_model", 768, 12, 0, 0, 12, 3072, 0},
    {"siglip_vision_model", 768, 12, 0, 0, 12, 3072, 0},
    {"vit", 768, 12, 0, 0, 12, 3072, 0},
    {"dinov2", 768, 12, 0, 0, 12, 0, 0},
    {"pixtral", 1024, 16, 0, 0, 24, 4096, 0},
};

constexpr std::pair<std::string_view, std::string_view> kTextTypes[] = {
    {"llava", "llama"},
    {"llava_next", "llama"},
    {"llava_onevision", "qwen2"},
    {"vipllava", "llama"},
    {"video_llava", "llama"},
    {"paligemma", "gemma"},
    {"gemma3", "gemma3_text"},
    {"gemma3n", "gemma3n_text"},
    {"blip-2", "opt"},
    {"llama4", "llama4_text"},
    {"mllama", "mllama_text_model"},
    {"idefics2", "mistral"},
    {"idefics3", "llama"},
    {"smolvlm", "llama"},
    {"clip", "clip_text_model"},
    {"siglip", "siglip_text_model"},
    {"qwen2_vl", "qwen2_vl_text"},
    {"qwen2_5_vl", "qwen2_5_vl_text"},
    {"qwen3_vl", "qwen3_vl_text"},
    {"aria", "llama"},
    {"fuyu", "persimmon"},
    {"qwen3_vl_moe", "qwen3_vl_moe_text"},
};

constexpr std::pair<std::string_view, std::int64_t> kWindowPeriods[] = {
    {"gemma2", 2},  {"gemma3_text", 6}, {"gemma3", 6},  {"gemma3n_text", 5}, {"gemma4_text", 6},
    {"gpt_oss", 2}, {"cohere2", 4},     {"exaone4", 4}, {"olmo3", 4},        {"afmoe", 4},
};

constexpr std::string_view kGated[] = {
    "gemma",        "gemma2",      "gemma3",       "gemma3_text",
    "gemma3n_text", "gemma4_text", "gemma4",       "recurrent_gemma",
    "t5gemma",      "qwen",        "chatglm",      "dbrx",
    "modernbert",   "gpt_oss",     "grok-1",       "llama",
    "mistral",      "mixtral",     "cohere",       "cohere2",
    "falcon_h1",    "openelm",     "minicpm",      "deepseek_v2",
    "deepseek_v3",  "deepseek_v4", "kimi_linear",  "kimi_k2",
    "jamba",        "llama4_text", "nemotron-nas", "baichuan",
    "internlm2",    "exaone",      "exaone4",      "mllama_text_model",
    "phi3",         "qwen2",       "qwen3",        "longcat_flash",
    "lfm2",         "lfm2_moe",    "plamo2",       "step3p5",
    "step3p7"};
constexpr std::string_view kNotGated[] = {"gpt2",
                                          "gpt_neo",
                                          "gpt_neox",
                                          "gptj",
                                          "bloom",
                                          "falcon",
                                          "opt",
                                          "phi",
                                          "starcoder2",
                                          "bert",
                                          "roberta",
                                          "nemotron",
                                          "nemotron_h",
                                          "gpt_bigcode",
                                          "vit",
                                          "whisper",
                                          "codegen",
                                          "persimmon",
                                          "albert",
                                          "clip_vision_model",
                                          "siglip_vision_model",
                                          "xglm",
                                          "mpt"};
constexpr std::string_view kOutputGates[] = {"qwen3_next",  "qwen3_5",          "qwen3_5_text",
                                             "qwen3_5_moe", "qwen3_5_moe_text", "afmoe",
                                             "step3p5",     "step3p7"};
constexpr std::string_view kMultiQuery[] = {"gpt_bigcode"};

template <std::size_t N>
bool contains(const std::string_view (&list)[N], std::string_view type) {
  return std::find(std::begin(list), std::end(list), type) != std::end(list);
}

template <class T, std::size_t N>
std::optional<T> value_in(const std::pair<std::string_view, T> (&list)[N], std::string_view type) {
  for (const auto& [name, value] : list) {
    if (name == type) return value;
  }
  return std::nullopt;
}

}  // namespace

const TypeSizes* sizes_of_type(std::string_view type) {
  const auto found = std::find_if(std::begin(kSizes), std::end(kSizes),
                                  [&](const TypeSizes& sizes) { return sizes.type == type; });
  return found == std::end(kSizes) ? nullptr : &*found;
}

std::string_view text_type_within(std::string_view outer_type) {
  return value_in(kTextTypes, outer_type).value_or("");
}

std::optional<std::int64_t> window_period_of_type(std::string_view type) {
  return value_in(kWindowPeriods, type);
}

std::optional<bool> gated_feed_forward_of_type(std::string_view type) {
  if (contains(kGated, type)) return true;
  if (contains(kNotGated, type)) return false;
  return std::nullopt;
}

bool has_output_gate(std::string_view type) { return contains(kOutputGates, type); }
bool has_chunked_layers(std::string_view type) { return type == "llama4_text" || type == "llama4"; }
bool has_double_layers(std::string_view type) { return type == "longcat_flash"; }
bool is_multi_query_type(std::string_view type) { return contains(kMultiQuery, type); }

}  // namespace attnlab
