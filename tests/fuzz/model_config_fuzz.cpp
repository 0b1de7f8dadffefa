// Whatever the bytes, reading a model configuration ends in shapes whose counts are exact or
// refused, or in a UserError that names a place. libFuzzer; start it on tests/data/model-configs.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "cost/training.h"
#include "io/model_config.h"

namespace attnlab {
namespace {

void count_all(const LayerType& type) {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1000}, std::int64_t{1'000'000'000}}) {
    for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
      LayerShape shape = type.shape;
      shape.causal = causal;
      const LayerCost cost = layer_cost(shape, extent_of(shape, n, n));
      const LayerCost step = layer_cost(shape, decode_extent(shape, n));
      for (const LayerCost* one : {&cost, &step}) {
        for (const LayerPart& part : one->parts) {
          ATTNLAB_CHECK(!part.macs.value() || *part.macs.value() >= 0);
          ATTNLAB_CHECK(!part.bytes.value() || *part.bytes.value() >= 0);
        }
      }
      if (shape.latent) ATTNLAB_CHECK(absorbed_decode(shape, n).attention.value().value_or(1) > 0);
      training_cost(shape, n, AttentionStorage::kThreeStep, StorageType::kF32);
    }
  }
}

}  // namespace
}  // namespace attnlab

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attnlab;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ModelConfig config = parse_model_config(text, "m.json");
    ATTNLAB_CHECK(!config.shape.types.empty());
    ATTNLAB_CHECK(config.shape.width > 0);
    for (const LayerType& type : config.shape.types) {
      ATTNLAB_CHECK(type.layers > 0);
      if (type.shape.has_attention) {
        ATTNLAB_CHECK(type.shape.heads > 0 && type.shape.kv_heads > 0);
        ATTNLAB_CHECK(type.shape.head_dim > 0 && type.shape.head_dim_v > 0);
      }
      count_all(type);
    }
    const auto groups = config.shape.groups();
    for (const LinearWork work :
         {LinearWork::kProjections, LinearWork::kProjectionsAndFeedForward}) {
      const Crossover found = crossover(groups, work);
      ATTNLAB_CHECK(found.n.has_value() == found.reason.empty());
    }
  } catch (const UserError& error) {
    for (const Mistake& mistake : error.mistakes()) ATTNLAB_CHECK(!mistake.place.empty());
  }
  return 0;
}
