// The stages of a kernel that can be left out, so that it can be told what each of them costs
// (`attnlab profile`). A run without one of them has no meaning but its time: the stages after it
// work on zeros or on what lay in their place.
#ifndef ATTNLAB_ATTENTION_STAGES_H_
#define ATTNLAB_ATTENTION_STAGES_H_

#include <cstdint>
#include <string_view>

namespace attnlab {

enum class Stage : std::uint8_t {
  kScores,      // q . k
  kSoftmax,     // maximum, exponential, sum of weights, rescaling of what was summed before
  kSum,         // weights times v
  kPacking,     // queries and output brought into the kernel's layout and back
  kConversion,  // half types widened to float32
};
inline constexpr Stage kStages[] = {Stage::kScores, Stage::kSoftmax, Stage::kSum, Stage::kPacking,
                                    Stage::kConversion};

constexpr std::string_view stage_name(Stage stage) {
  constexpr std::string_view kNames[] = {"scores", "softmax", "weighted_sum", "packing",
                                         "conversion"};
  return kNames[static_cast<int>(stage)];
}

class StageSet {
 public:
  constexpr StageSet() = default;
  template <class... Stages>
  constexpr explicit StageSet(Stages... stages)
      : bits_(static_cast<std::uint8_t>((bit(stages) | ... | 0))) {}

  constexpr bool has(Stage stage) const { return (bits_ & bit(stage)) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  // Whether all of `other` are among these.
  constexpr bool covers(StageSet other) const { return (other.bits_ & ~bits_) == 0; }
  constexpr bool operator==(const StageSet&) const = default;

 private:
  static constexpr int bit(Stage stage) { return 1 << static_cast<int>(stage); }
  std::uint8_t bits_ = 0;
};

// Which stages code runs, as a template argument: all of them, which costs nothing, or all but
// some.
struct AllStages {
  explicit constexpr AllStages(StageSet) {}
  static constexpr bool kAll = true;
  static constexpr bool has(Stage) { return true; }
};
struct SomeStages {
  explicit constexpr SomeStages(StageSet without) : left_out(without) {}
  static constexpr bool kAll = false;
  constexpr bool has(Stage stage) const { return !left_out.has(stage); }
  StageSet left_out;
};

}  // namespace attnlab

#endif  // ATTNLAB_ATTENTION_STAGES_H_
