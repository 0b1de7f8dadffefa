// The names under which configurations of different families keep the same size.
#ifndef ATTNLAB_IO_MODEL_CONFIG_KEYS_H_
#define ATTNLAB_IO_MODEL_CONFIG_KEYS_H_

#include <string_view>

namespace attnlab::keys {

inline constexpr std::string_view kWidth[] = {"hidden_size", "d_model",   "n_embd",      "n_embed",
                                              "model_dim",   "embed_dim", "emb_dim",     "dim",
                                              "n_embed_dim", "width",     "hidden_width"};
inline constexpr std::string_view kHeads[] = {
    "num_attention_heads", "n_head",   "n_heads", "num_heads", "attention_heads", "num_query_heads",
    "n_attention_heads",   "num_head", "heads"};
inline constexpr std::string_view kLayers[] = {
    "num_hidden_layers",      "n_layer", "n_layers",  "num_layers", "layers",
    "num_transformer_layers", "depth",   "num_blocks"};
inline constexpr std::string_view kKvHeads[] = {
    "num_key_value_heads", "num_kv_heads",
    "n_kv_heads",          "n_head_kv",
    "kv_n_heads",          "num_heads_kv",
    "n_heads_kv",          "multi_query_group_num",
    "num_query_groups",    "num_attention_groups",
    "n_query_groups",      "kv_heads",
    "n_kv_head",           "num_key_value_heads_per_layer"};
// Query heads that share one head of keys and values.
inline constexpr std::string_view kGroupSize[] = {
    "n_heads_in_group", "num_gqa_groups",   "gqa_group_size",       "kv_group_size",
    "heads_per_group",  "group_size",       "num_key_value_groups", "num_queries_per_kv",
    "q_per_kv",         "query_group_size", "attention_group_size"};
inline constexpr std::string_view kHeadDim[] = {"head_dim",
                                                "d_kv",
                                                "kv_channels",
                                                "d_head",
                                                "attention_head_dim",
                                                "attention_head_size",
                                                "dim_head",
                                                "head_size",
                                                "qk_head_dim",
                                                "head_dim_qk",
                                                "hidden_size_per_head",
                                                "d_k"};
inline constexpr std::string_view kHeadDimV[] = {"v_head_dim", "head_dim_v", "value_head_dim",
                                                 "v_head_size", "d_v"};
inline constexpr std::string_view kFfn[] = {
    "intermediate_size",    "ffn_dim", "n_inner",           "d_ff",       "d_inner",
    "ffn_hidden_size",      "dim_ff",  "inner_hidden_size", "ffn_size",   "ff_intermediate_size",
    "feed_forward_size",    "dff",     "mlp_dim",           "hidden_dim", "mlp_hidden_size",
    "ffn_intermediate_size"};
inline constexpr std::string_view kFfnRatio[] = {"expansion_ratio", "mlp_ratio",
                                                 "ffn_expansion_ratio", "mlp_expansion_factor"};
inline constexpr std::string_view kVocabulary[] = {
    "padded_vocab_size", "vocab_size", "decoder_vocab_size", "n_vocab", "n_words", "n_token"};
inline constexpr std::string_view kWindow[] = {
    "sliding_window",   "sliding_window_size",    "attention_window_size", "window_size",
    "attn_window_size", "local_attention_window", "local_window_size"};
inline constexpr std::string_view kExperts[] = {
    "num_local_experts", "n_routed_experts", "num_experts",       "moe_num_experts",
    "num_moe_experts",   "n_experts",        "num_routed_experts"};
inline constexpr std::string_view kActiveExperts[] = {"num_experts_per_tok",
                                                      "experts_per_token",
                                                      "num_experts_per_token",
                                                      "moe_top_k",
                                                      "moe_topk",
                                                      "top_k_experts",
                                                      "moe_k",
                                                      "router_top_k",
                                                      "moe_router_topk",
                                                      "num_selected_experts",
                                                      "n_experts_per_token",
                                                      "n_activated_experts"};
inline constexpr std::string_view kExpertWidth[] = {
    "moe_intermediate_size", "expert_intermediate_size", "expert_ffn_hidden_size",
    "moe_ffn_hidden_size",   "expert_hidden_size",       "expert_ffn_dim"};
inline constexpr std::string_view kSharedExperts[] = {
    "n_shared_experts", "num_shared_experts", "num_shared_expert", "moe_num_shared_experts"};
inline constexpr std::string_view kSharedWidth[] = {
    "shared_expert_intermediate_size", "moe_shared_expert_intermediate_size",
    "shared_intermediate_size", "share_expert_dim", "shared_expert_hidden_size"};
inline constexpr std::string_view kDenseWidth[] = {"dense_intermediate_size",
                                                   "intermediate_size_mlp"};
inline constexpr std::string_view kExpertInput[] = {"moe_latent_size", "routed_expert_hidden_size"};
inline constexpr std::string_view kActivation[] = {
    "hidden_act", "hidden_activation", "activation_function", "mlp_hidden_act",
    "ffn_act_fn", "activation",        "activation_type",     "act_fn"};

}  // namespace attnlab::keys

#endif  // ATTNLAB_IO_MODEL_CONFIG_KEYS_H_
