// What is known of a model type alone, for what its configuration leaves out. Everything taken from
// here is noted as assumed.
#ifndef ATTNLAB_IO_MODEL_CONFIG_DEFAULTS_H_
#define ATTNLAB_IO_MODEL_CONFIG_DEFAULTS_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace attnlab {

// The sizes of a model type whose configuration, nested in another, omits them. 0: none known;
// then heads of keys and values equal the heads, and a head is width / heads.
struct TypeSizes {
  std::string_view type;
  std::int64_t width, heads, kv_heads, head_dim, layers, ffn, window;
};
const TypeSizes* sizes_of_type(std::string_view type);  // nullptr when unknown

// The model type of a text model nested in one of this type without saying what it is; "" if
// unknown.
std::string_view text_type_within(std::string_view outer_type);

// Of each `period` layers the last attends to everything, the others to a window; no value where
// the type has no such rule of its own.
std::optional<std::int64_t> window_period_of_type(std::string_view type);

// Whether the feed-forward layer has a gate, where the type is known to differ from what its
// activation suggests.
std::optional<bool> gated_feed_forward_of_type(std::string_view type);

// The types whose attention output passes a gate even when no key says so.
bool has_output_gate(std::string_view type);
// The types whose attention layers are all local in chunks but for every fourth.
bool has_chunked_layers(std::string_view type);
// The types whose layers have two attentions, a dense layer after each, experts beside the first.
bool has_double_layers(std::string_view type);
// The types with one head of keys and values although a key may say otherwise.
bool is_multi_query_type(std::string_view type);

}  // namespace attnlab

#endif  // ATTNLAB_IO_MODEL_CONFIG_DEFAULTS_H_
