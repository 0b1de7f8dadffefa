// What a training step keeps, against sums written out by hand.
#include "cost/training.h"

#include "support/catch.h"

namespace attnlab {
namespace {

std::int64_t number(const Count& count) {
  REQUIRE(count.value().has_value());
  return *count.value();
}

LayerShape small() {
  LayerShape out;
  out.batch = 2;
  out.width = 32;
  out.heads = 4;
  out.kv_heads = 2;
  out.head_dim = out.head_dim_v = 8;
  out.ffn = {false, 128};
  return out;
}

}  // namespace

TEST_CASE("a plain layer keeps norms, Q, K, V, outputs and feed-forward activations", "[cost]") {
  const TrainingCost cost =
      training_cost(small(), 10, AttentionStorage::kThreeStep, StorageType::kF32);
  // Two norms (4 D), Q and the output (2 h d), K and V (2 kv d), twice the inner width.
  CHECK(number(cost.activation_bytes) == 2 * 10 * (4 * 32 + 2 * 32 + 2 * 16 + 2 * 128) * 4);
  CHECK(number(cost.score_bytes) == 2 * 4 * 10 * 10 * 4);
  CHECK(number(cost.input_bytes) == 2 * 10 * 32 * 4);
}

TEST_CASE("the fused kernel keeps one float32 a row and head", "[cost]") {
  for (const StorageType type : {StorageType::kF32, StorageType::kBf16}) {
    const TrainingCost cost = training_cost(small(), 10, AttentionStorage::kFused, type);
    CHECK(number(cost.score_bytes) == 2 * 4 * 10 * 4);
    const TrainingCost other = training_cost(small(), 10, AttentionStorage::kThreeStep, type);
    CHECK(number(cost.activation_bytes) == number(other.activation_bytes));
  }
}

TEST_CASE("bfloat16 halves what is kept, but for the log-sum-exp", "[cost]") {
  const TrainingCost wide =
      training_cost(small(), 10, AttentionStorage::kThreeStep, StorageType::kF32);
  const TrainingCost narrow =
      training_cost(small(), 10, AttentionStorage::kThreeStep, StorageType::kBf16);
  CHECK(number(wide.all()) == 2 * number(narrow.all()));
}

TEST_CASE("scores grow with n squared, everything else with n", "[cost]") {
  const TrainingCost one =
      training_cost(small(), 100, AttentionStorage::kThreeStep, StorageType::kF32);
  const TrainingCost two =
      training_cost(small(), 200, AttentionStorage::kThreeStep, StorageType::kF32);
  CHECK(number(two.score_bytes) == 4 * number(one.score_bytes));
  CHECK(number(two.activation_bytes) == 2 * number(one.activation_bytes));
}

TEST_CASE("only active experts keep activations, gated ones three", "[cost]") {
  LayerShape dense = small(), experts = small();
  dense.ffn = {true, 64};
  experts.ffn = {true, 0, 32, 8, 2};
  const auto kept = [](const LayerShape& shape) {
    return number(
        training_cost(shape, 10, AttentionStorage::kFused, StorageType::kF32).activation_bytes);
  };
  CHECK(kept(dense) == kept(experts));
  LayerShape none = dense;
  none.ffn = {};
  CHECK(kept(dense) - kept(none) == 2 * 10 * (2 * 32 + 3 * 64) * 4);
}

}  // namespace attnlab
