// Gathers equal layers and gives the kinds names that tell them apart.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "io/model_config_stack.h"

namespace attnlab {
namespace {

// What may differ between layers of one name, in the order in which a name tells it.
using Trait = std::function<std::string(const LayerShape&)>;

std::vector<Trait> traits() {
  return {
      [](const LayerShape& s) -> std::string {
        if (s.ffn.experts > 0) return "experts";
        return s.ffn.dense > 0 ? "dense" : "no feed-forward";
      },
      [](const LayerShape& s) { return fmt::format("{} kv heads", s.kv_heads); },
      [](const LayerShape& s) { return fmt::format("{} heads", s.heads); },
      [](const LayerShape& s) { return fmt::format("heads of {}", s.head_dim); },
      [](const LayerShape& s) { return fmt::format("window {}", s.reach.window.value_or(0)); },
      [](const LayerShape& s) -> std::string { return s.shares_keys ? "shared keys" : "own keys"; },
      [](const LayerShape& s) { return fmt::format("ffn {}", s.ffn.dense); },
      [](const LayerShape& s) { return fmt::format("experts of {}", s.ffn.expert); },
      [](const LayerShape& s) {
        return fmt::format("{} of {} experts", s.ffn.active_experts, s.ffn.experts);
      },
  };
}

bool all_differ(const std::vector<LayerType*>& types) {
  std::set<std::string> names;
  for (const LayerType* type : types) names.insert(type->name);
  return names.size() == types.size();
}

// Adds to the names of these types the traits in which they differ, until no two are alike.
void tell_apart(std::vector<LayerType*>& types) {
  for (const Trait& trait : traits()) {
    if (all_differ(types)) return;
    const std::string first = trait(types.front()->shape);
    const bool differ = std::any_of(types.begin(), types.end(), [&](const LayerType* type) {
      return trait(type->shape) != first;
    });
    if (!differ) continue;
    for (LayerType* type : types) type->name += ", " + trait(type->shape);
  }
}

}  // namespace

std::vector<LayerType> layer_types(const std::vector<StackLayer>& layers) {
  std::vector<LayerType> out;
  for (const StackLayer& layer : layers) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const LayerType& type) {
      return type.name == layer.name && type.shape == layer.shape;
    });
    if (same != out.end()) {
      ++same->layers;
    } else {
      out.push_back({layer.name, 1, layer.shape});
    }
  }
  std::map<std::string, std::vector<LayerType*>> by_name;
  for (LayerType& type : out) by_name[type.name].push_back(&type);
  for (auto& [name, types] : by_name) tell_apart(types);
  return out;
}

}  // namespace attnlab
