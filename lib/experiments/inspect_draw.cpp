// q, k and v drawn at random: words, which have no values, and heads of --n.
#include <algorithm>

#include "experiments/inspect_operands.h"
#include "random/fill.h"
#include "random/mulberry32.h"

namespace attnlab {
namespace {

class Drawn : public OperandSource {
 public:
  Drawn(const InspectSettings& settings, std::int64_t d, std::uint64_t seed)
      : rng_(settings.rng), seed_(seed) {
    const bool is_words = settings.input() == InspectInput::kWords;
    shape_.d = d;
    shape_.nq = is_words ? static_cast<std::int64_t>(settings.words().size()) : *settings.n;
    shape_.nk = shape_.nq;
    shape_.axes = 2;
    if (is_words) return;
    shape_.heads = settings.heads;
    shape_.axes = settings.heads == 1 ? 2 : 3;
    shape_.kv_heads = settings.kv_heads.value_or(settings.heads);
    shape_.dv = d;
  }

  void read(std::int64_t, std::int64_t kv_head, HeadGroup<float>& out,
            const Watch& watch) override {
    draw(kv_head, out, watch);
  }
  void read(std::int64_t, std::int64_t kv_head, HeadGroup<double>& out,
            const Watch& watch) override {
    draw(kv_head, out, watch);
  }

 private:
  template <class T>
  void draw(std::int64_t kv_head, HeadGroup<T>& out, const Watch& watch) const {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    out.q.resize(size(shape_.group() * shape_.nq * shape_.d));
    out.k.resize(size(shape_.nk * shape_.d));
    out.v.resize(size(shape_.dv ? shape_.nk * *shape_.dv : 0));
    if (rng_ == Rng::kPhilox) {
      fill(out.q, kv_head * 3, watch);
      fill(out.k, kv_head * 3 + 1, watch);
      fill(out.v, kv_head * 3 + 2, watch);
      return;
    }
    const std::int64_t vectors = shape_.group() + (shape_.dv ? 2 : 1);  // a token
    Mulberry32 generator(seed_,
                         static_cast<std::uint64_t>(2 * kv_head * shape_.nq * vectors * shape_.d));
    const auto next = [&](std::vector<T>& to, std::int64_t row) {
      for (std::int64_t c = 0; c < shape_.d; ++c) {
        to[size(row * shape_.d + c)] = static_cast<T>(generator.normal());
      }
    };
    for (std::int64_t token = 0; token < shape_.nq; ++token) {
      if (token % kTokensBetweenLooks == 0 && watch.stopped()) return;
      for (std::int64_t head = 0; head < shape_.group(); ++head) {
        next(out.q, head * shape_.nq + token);
      }
      next(out.k, token);
      if (shape_.dv) next(out.v, token);
    }
  }

  template <class T>
  void fill(std::vector<T>& to, std::int64_t stream, const Watch& watch) const {
    std::vector<float> drawn(std::min(to.size(), kNumbersBetweenLooks));
    for (std::size_t first = 0; first < to.size() && !watch.stopped(); first += drawn.size()) {
      const std::span<float> part =
          std::span(drawn).first(std::min(drawn.size(), to.size() - first));
      fill_random(part, {.seed = seed_, .stream = static_cast<std::uint64_t>(stream)},
                  static_cast<std::int64_t>(first));
      std::copy(part.begin(), part.end(), to.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

  static constexpr std::int64_t kTokensBetweenLooks = 1024;
  static constexpr std::size_t kNumbersBetweenLooks = std::size_t{1} << 20;
  const Rng rng_;
  const std::uint64_t seed_;
};

}  // namespace

std::unique_ptr<OperandSource> drawn_operands(const InspectSettings& settings, std::int64_t d,
                                              std::uint64_t seed) {
  return std::make_unique<Drawn>(settings, d, seed);
}

}  // namespace attnlab
