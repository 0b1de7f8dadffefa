// q, k and v out of tensor files, layer by layer, and the mask.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "base/text.h"
#include "experiments/inspect_operands.h"
#include "io/tensor_file.h"

namespace attnlab {
namespace {

class FromFiles : public OperandSource {
 public:
  FromFiles(TensorHeads q, TensorHeads k, std::optional<TensorHeads> v, int axes)
      : q_(std::move(q)), k_(std::move(k)), v_(std::move(v)) {
    shape_ = {.batch = q_.batch(),
              .heads = q_.heads(),
              .kv_heads = k_.heads(),
              .nq = q_.length(),
              .nk = k_.length(),
              .d = q_.head_dim(),
              .axes = axes};
    if (v_) shape_.dv = v_->head_dim();
    check();
  }
  void set_layer(Cell layer) { layer_ = std::move(layer); }

  void read(std::int64_t batch, std::int64_t kv_head, HeadGroup<float>& out,
            const Watch& watch) override {
    read_all(batch, kv_head, out, watch);
  }
  void read(std::int64_t batch, std::int64_t kv_head, HeadGroup<double>& out,
            const Watch& watch) override {
    read_all(batch, kv_head, out, watch);
  }

 private:
  static void need_same(std::string_view what, std::int64_t of_q, std::int64_t other,
                        const TensorHeads& q, const TensorHeads& tensor) {
    if (of_q == other) return;
    throw UserError(tensor.place(),
                    fmt::format("has {} {}, but {} has {}", other, what, q.place(), of_q),
                    "see the shapes with --list, and the order of the axes with --layout");
  }

  void check() const {
    need_same("sequences", q_.batch(), k_.batch(), q_, k_);
    need_same("as size of a head", q_.head_dim(), k_.head_dim(), q_, k_);
    if (q_.heads() % k_.heads() != 0) {
      throw UserError(k_.place(),
                      fmt::format("has {} heads, which the {} of {} cannot share evenly",
                                  k_.heads(), q_.heads(), q_.place()),
                      "see the shapes with --list, and the order of the axes with --layout");
    }
    if (!v_) return;
    need_same("sequences", k_.batch(), v_->batch(), k_, *v_);
    need_same("heads", k_.heads(), v_->heads(), k_, *v_);
    need_same("rows", k_.length(), v_->length(), k_, *v_);
  }

  template <class T>
  void read_all(std::int64_t batch, std::int64_t kv_head, HeadGroup<T>& out, const Watch& watch) {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const std::int64_t head_size = shape_.nq * shape_.d;
    out.q.resize(size(shape_.group() * head_size));
    out.k.resize(size(shape_.nk * shape_.d));
    out.v.resize(size(shape_.dv ? shape_.nk * *shape_.dv : 0));
    out.beyond = 0;
    for (std::int64_t head = 0; head < shape_.group(); ++head) {
      read_rows(q_, batch, kv_head * shape_.group() + head,
                std::span(out.q).subspan(size(head * head_size), size(head_size)), out, watch);
    }
    read_rows(k_, batch, kv_head, std::span(out.k), out, watch);
    if (v_) read_rows(*v_, batch, kv_head, std::span(out.v), out, watch);
  }

  // A head, some rows at a time, so that it can be given up.
  template <class T>
  static void read_rows(TensorHeads& from, std::int64_t batch, std::int64_t head, std::span<T> to,
                        HeadGroup<T>& out, const Watch& watch) {
    constexpr std::int64_t kRows = 1 << 14;
    for (std::int64_t row = 0; row < from.length() && !watch.stopped(); row += kRows) {
      const std::int64_t count = std::min(kRows, from.length() - row);
      const auto part = to.subspan(static_cast<std::size_t>(row * from.head_dim()),
                                   static_cast<std::size_t>(count * from.head_dim()));
      if constexpr (std::is_same_v<T, float>) {
        out.beyond += from.read(batch, head, {row, count}, part);
      } else {
        from.read(batch, head, {row, count}, part);
      }
    }
  }

  TensorHeads q_, k_;
  std::optional<TensorHeads> v_;
};

int axes_of(const TensorFile& file, std::size_t entry) {
  return static_cast<int>(file.entries()[entry].shape.size());
}

std::unique_ptr<FromFiles> named_files(const InspectSettings& settings) {
  const auto [path, name] = tensor_address(*settings.q);
  std::shared_ptr<TensorFile> file = open_tensor_file(path);
  const std::size_t entry = file->find(name);
  const int axes = axes_of(*file, entry);
  std::optional<TensorHeads> v;
  if (settings.v) v = open_tensor_heads(*settings.v, settings.layout);
  return std::make_unique<FromFiles>(TensorHeads(std::move(file), entry, settings.layout),
                                     open_tensor_heads(*settings.k, settings.layout), std::move(v),
                                     axes);
}

// "q=NAME,k=NAME,v=NAME"; UserError for anything else.
struct TensorNames {
  std::string q, k, v;

  TensorNames(const std::string& text, const std::string& place) {
    for (const std::string& part : split(text, ',')) {
      const std::size_t equals = part.find('=');
      const std::string key = part.substr(0, equals);
      std::string* const to = key == "q" ? &q : key == "k" ? &k : key == "v" ? &v : nullptr;
      if (equals == std::string::npos || to == nullptr || !to->empty() ||
          equals + 1 == part.size()) {
        throw UserError(place, printable(part) + " does not name q, k or v, or one of them again",
                        "write q=NAME,k=NAME or q=NAME,k=NAME,v=NAME");
      }
      *to = part.substr(equals + 1);
    }
    if (q.empty() || k.empty()) {
      throw UserError(place, "q and k are not both named", "write q=NAME,k=NAME");
    }
    const bool is_pattern = has_star(q);
    if (has_star(k) != is_pattern || (!v.empty() && has_star(v) != is_pattern)) {
      throw UserError(place, "only some of the names have a *",
                      "put it in all of them, or in none");
    }
  }
  static bool has_star(const std::string& name) { return name.find('*') != std::string::npos; }
  // The name with the star's text in its place.
  static std::string filled(const std::string& name, const std::string& star) {
    const std::size_t at = name.find('*');
    return at == std::string::npos ? name : name.substr(0, at) + star + name.substr(at + 1);
  }
  // What the star of the pattern stands for in a name, where it fits.
  static std::optional<std::string> star_of(const std::string& pattern, const std::string& name) {
    const std::size_t at = pattern.find('*'), tail = pattern.size() - at - 1;
    if (name.size() < pattern.size() || name.compare(0, at, pattern, 0, at) != 0 ||
        name.compare(name.size() - tail, tail, pattern, at + 1, tail) != 0) {
      return std::nullopt;
    }
    return name.substr(at, name.size() - tail - at);
  }
};

// [count] in place becomes [count, repeats].
template <class T>
void repeat_each(T* numbers, std::int64_t count, std::int64_t repeats) {
  for (std::int64_t i = count; i-- > 0;) {
    const T value = numbers[i];
    std::fill_n(numbers + i * repeats, repeats, value);
  }
}

Cell layer_cell(const std::string& star) {
  const auto number = integer_from_text(star);
  return number ? Cell(*number) : Cell(printable(star, 100));
}

// The texts that the star of q stands for; by number where all are numbers.
std::vector<std::string> stars_of(const TensorFile& file, const std::string& pattern) {
  std::vector<std::string> out;
  bool all_numbers = true;
  for (const TensorEntry& entry : file.entries()) {
    if (const auto star = TensorNames::star_of(pattern, entry.name)) {
      all_numbers = all_numbers && integer_from_text(*star).has_value();
      out.push_back(*star);
    }
  }
  if (all_numbers) {
    std::sort(out.begin(), out.end(), [](const std::string& a, const std::string& b) {
      return integer_from_text(a) < integer_from_text(b);
    });
  }
  return out;
}

}  // namespace

std::vector<std::unique_ptr<OperandSource>> file_operands(const InspectSettings& settings,
                                                          const std::string& place) {
  std::vector<std::unique_ptr<OperandSource>> out;
  if (!settings.file) {
    out.push_back(named_files(settings));
    return out;
  }
  const TensorNames names(*settings.tensors, child_place(place, "tensors"));
  const std::shared_ptr<TensorFile> file = open_tensor_file(*settings.file);
  const auto heads = [&](const std::string& name, const std::string& star) {
    return TensorHeads(file, file->find(TensorNames::filled(name, star)), settings.layout);
  };
  const bool is_pattern = TensorNames::has_star(names.q);
  const std::vector<std::string> stars =
      is_pattern ? stars_of(*file, names.q) : std::vector<std::string>{""};
  if (stars.empty()) {
    throw UserError(*settings.file, "no array fits " + printable(names.q),
                    "see what there is with --list");
  }
  for (const std::string& star : stars) {
    std::optional<TensorHeads> v;
    if (!names.v.empty()) v = heads(names.v, star);
    auto source =
        std::make_unique<FromFiles>(heads(names.q, star), heads(names.k, star), std::move(v),
                                    axes_of(*file, file->find(TensorNames::filled(names.q, star))));
    if (is_pattern) source->set_layer(layer_cell(star));
    out.push_back(std::move(source));
  }
  return out;
}

MaskData::MaskData(const std::string& address, const OperandShape& shape) {
  const auto [path, name] = tensor_address(address);
  const std::unique_ptr<TensorFile> file = open_tensor_file(path);
  const std::size_t at = file->find(name);
  const TensorEntry& entry = file->entries()[at];
  if (!entry.is_bool && !entry.dtype) {
    throw UserError(file->place_of(at), entry.refusal,
                    "a mask is boolean (false hides), or numbers that are added to the scores");
  }
  const Index4 whole{shape.batch, shape.heads, shape.nq, shape.nk};
  Index4 sizes{1, 1, 1, 1};
  const std::size_t axes = entry.shape.size();
  bool fits = axes <= 4;
  for (std::size_t axis = 0; fits && axis < axes; ++axis) {
    const std::size_t to = 4 - axes + axis;
    sizes[to] = entry.shape[axis];
    fits = sizes[to] == whole[to] || sizes[to] == 1;
  }
  if (!fits) {
    throw UserError(file->place_of(at),
                    fmt::format("of shape {} does not fit scores of shape {}",
                                shape_text(entry.shape), shape_text(whole)),
                    "each axis from the last on is as long as that of the scores, or 1");
  }
  // Kernels read a mask along the keys: one that is the same for all of them is written out.
  const std::int64_t repeats = sizes[3] == whole[3] ? 1 : whole[3];
  const std::int64_t count = element_count(sizes);
  sizes[3] = whole[3];
  stride_ = row_major_strides(sizes);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (sizes[axis] == 1) stride_[axis] = 0;
  }
  shape_ = {.kind = entry.is_bool ? MaskKind::kBoolean : MaskKind::kAdditive,
            .per_batch = sizes[0] > 1,
            .per_head = sizes[1] > 1,
            .per_query = sizes[2] > 1};
  data_ = AlignedBuffer(count * repeats * (entry.is_bool ? 1 : 4));
  const auto all = static_cast<std::size_t>(count);
  if (entry.is_bool) {
    file->read_flags(at, whole_box(entry), {data_.as<std::uint8_t>(), all});
    repeat_each(data_.as<std::uint8_t>(), count, repeats);
  } else {
    read_additive(*file, at, {data_.as<float>(), all});
    repeat_each(data_.as<float>(), count, repeats);
  }
}

// Finite numbers stay finite: one that float32 cannot hold becomes the largest that it can, which
// hides a key from a softmax without taking it away.
void MaskData::read_additive(TensorFile& file, std::size_t entry, std::span<float> out) {
  const TensorBox box = whole_box(file.entries()[entry]);
  if (file.entries()[entry].dtype != Dtype::kF64) {
    file.read(entry, box, out);
  } else {
    std::vector<double> exact(out.size());
    file.read(entry, box, exact);
    constexpr double kLargest = std::numeric_limits<float>::max();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double x = exact[i];
      out[i] = static_cast<float>(std::isfinite(x) ? std::clamp(x, -kLargest, kLargest) : x);
    }
  }
  for (std::size_t i = 0; i < out.size() && warning_.empty(); ++i) {
    if (out[i] < std::numeric_limits<float>::infinity()) continue;
    warning_ = fmt::format(
        "the mask has {}, first as its number {} of {}; it spoils the queries that meet it",
        std::isnan(out[i]) ? "NaN" : "Inf", i, out.size());
  }
}

MaskView MaskData::view(std::int64_t batch, std::int64_t first_head) const {
  const std::int64_t offset = batch * stride_[0] + first_head * stride_[1];
  const std::int64_t bytes = shape_.kind == MaskKind::kBoolean ? 1 : 4;
  return {.kind = shape_.kind,
          .data = shape_.kind == MaskKind::kNone ? nullptr : data_.data() + offset * bytes,
          .stride = {0, stride_[1], stride_[2], stride_[3]}};
}

}  // namespace attnlab
