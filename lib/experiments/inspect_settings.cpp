#include "experiments/inspect_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr double kLongest = 1 << 24;
constexpr std::string_view kLessonWords = "кот сел на коврик и уснул";
constexpr std::int64_t kMostRows = 1'000'000;
constexpr double kMulberryNumbers = 4294967296.0;

// "5" or "0:10", both ends included; none where it is neither.
std::optional<std::pair<std::int64_t, std::int64_t>> row_range(const std::string& text) {
  const std::vector<std::string> ends = split(text, ':');
  const auto first = integer_from_text(ends[0]);
  const auto last = ends.size() == 2 ? integer_from_text(ends[1]) : first;
  if (ends.size() > 2 || !first || !last || *first < 0 || *last < *first) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

std::span<const std::string_view> choice_names(HeadLayout) {
  static const std::string_view kNames[] = {layout_name(HeadLayout::kBhnd),
                                            layout_name(HeadLayout::kBnhd)};
  return kNames;
}

void InspectSettings::declare(ParameterList& list_of) {
  list_of.add("tokens", tokens, "words that attend to each other, with q and k drawn at random")
      .unset("the lesson's six, where nothing else is asked for");
  list_of.add("n", n, "inspect random q, k and v of this length").range(1, kLongest).unset("none");
  list_of.add("d", d, "size of a head of what is drawn").range(1, 1 << 16);
  list_of.add("heads", heads, "query heads of what --n draws").range(1, 1 << 16);
  list_of.add("kv_heads", kv_heads, "key heads of what --n draws").range(1, 1 << 16).unset("heads");
  list_of
      .add("q", q,
           "queries: FILE, or FILE:NAME of a file of several arrays; .npy, .npz, "
           ".safetensors")
      .file()
      .unset("none");
  list_of.add("k", k, "keys, as q").file().unset("none");
  list_of.add("v", v, "values, as q; only norms and the output need them").file().unset("none");
  list_of.add("file", file, "a file of several arrays, of which --tensors names some")
      .file()
      .unset("none");
  list_of
      .add("tensors", tensors,
           "q=NAME,k=NAME[,v=NAME] in that file; a * in each, as in layers.*.q, stands for a layer")
      .unset("none");
  list_of.add("list", list, "only show what arrays a file has").file().unset("none");
  list_of.add("layout", layout, "order of the axes in files: [b, h, n, d] or [b, n, h, d]");
  list_of.add("scale", scale, "what scores are multiplied by: 1/sqrt(d), 1, 1/d or a number");
  list_of
      .add("temperature", temperature, "what scaled scores are divided by; 0 is the argmax limit")
      .range(0, 1e300);
  list_of.add("causal", causal, "which keys a query sees");
  list_of
      .add("window", window,
           "keys a query sees with its own when causal; otherwise those nearer than this")
      .range(1, kLongest)
      .unset("all");
  list_of
      .add(
          "mask", mask,
          "a boolean array (false hides) or numbers added to scaled scores, [n, n] to [b, h, n, n]")
      .file()
      .unset("none");
  list_of.add("rng", rng, "generator: the lesson's mulberry32, or philox");
  list_of.add("seed", seed, "seed of the generator").range(0, kLargestSeed);
  list_of.add("compare_scale", compare_scale, "show scale none and sqrt side by side");
  list_of.add("draws", draws, "words: also tell how often this many other seeds saturate")
      .range(0, 1e9)
      .quick(10, 2);
  list_of.add("rows", rows, "queries whose whole rows of weights are wanted: 0,5,100:109")
      .unset("all, where the weights are few");
  list_of.add("sinks", sinks, "list the keys that draw more than 0.3 of the weight on average");
  list_of
      .add("map", map,
           "cells a side, at most, of a map of the weights; pooled evenly where n is larger")
      .range(1, 1024)
      .unset("none; 64 when -o names a figure");
  list_of.add("write_output", write_output, "write the attention's output, float32, to this .npy")
      .file()
      .unset("none");
}

InspectInput InspectSettings::input() const {
  if (list) return InspectInput::kList;
  if (q || k || v || file || tensors) return InspectInput::kFiles;
  return n ? InspectInput::kRandom : InspectInput::kWords;
}

std::vector<std::string> InspectSettings::words() const {
  std::string text = tokens.value_or(std::string(kLessonWords));
  std::replace_if(
      text.begin(), text.end(), [](char letter) { return letter == '\t' || letter == '\n'; }, ' ');
  std::vector<std::string> out;
  for (const std::string& word : split(text, ' ')) {
    if (!word.empty()) out.push_back(printable(word, 200));
  }
  return out;
}

std::vector<std::int64_t> InspectSettings::wanted_rows() const {
  std::vector<std::int64_t> out;
  if (!rows) return out;
  for (const std::string& part : split(*rows, ',')) {
    const auto range = row_range(part);
    if (!range) continue;
    for (std::int64_t row = range->first; row <= range->second; ++row) out.push_back(row);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<ScaleRule> InspectSettings::scales() const {
  if (!compare_scale) return scale;
  return {{ScaleRule::Rule::kNone, 1}, {ScaleRule::Rule::kSqrt, 1}};
}

void InspectSettings::check(const std::string& place, std::vector<Mistake>& mistakes) const {
  const auto add = [&](const char* name, std::string problem, std::string remedy) {
    mistakes.push_back({child_place(place, name), std::move(problem), std::move(remedy)});
  };
  check_seed(rng, seed, place, mistakes);
  const int inputs = int{tokens.has_value()} + int{n.has_value()} + int{q || k || v} +
                     int{file || tensors} + int{list.has_value()};
  if (inputs > 1) {
    add(list              ? "list"
        : file || tensors ? "file"
        : q || k || v     ? "q"
                          : "n",
        "is given beside another source of q and k",
        "keep one of tokens, n, q with k, file with tensors, list");
    return;
  }
  if ((q || k || v) && !(q && k)) add(q ? "k" : "q", "is missing", "name both q and k");
  if (file.has_value() != tensors.has_value()) {
    add(file ? "tensors" : "file", "is missing",
        "name a file and its tensors: --file x.safetensors --tensors q=NAME,k=NAME");
  }
  if (input() == InspectInput::kWords && words().empty()) {
    add("tokens", "has no words", "give words with blanks between them");
  }
  if (input() == InspectInput::kRandom && kv_heads && heads % *kv_heads != 0) {
    add("kv_heads", fmt::format("{} heads cannot share {} key heads evenly", heads, *kv_heads),
        "give a divisor of heads");
  }
  if (is_drawn() && rng == Rng::kMulberry32) {
    const double length = n ? static_cast<double>(*n) : static_cast<double>(words().size());
    const double numbers =
        6 * length * static_cast<double>(heads * *std::max_element(d.begin(), d.end()));
    if (numbers > kMulberryNumbers) {
      add("rng", "mulberry32 repeats itself after 2^32 numbers, fewer than are drawn",
          "use --rng philox");
    }
  }
  if (compare_scale && scale.size() > 1) {
    add("compare_scale", "and several scales are given", "leave out one of them");
  }
  if (draws > 0 && input() != InspectInput::kWords) {
    add("draws", "is for words alone", "leave it out, or give --tokens");
  }
  if (rows) {
    std::int64_t count = 0;
    for (const std::string& part : split(*rows, ',')) {
      const auto range = row_range(part);
      if (!range) {
        add("rows", printable(part) + " is no query and no range of them", "write 0,5,100:109");
        return;
      }
      count += std::min(range->second - range->first + 1, kMostRows + 1);
      if (count > kMostRows) {
        add("rows", "are over a million", "ask for fewer");
        return;
      }
    }
  }
  check_use(add);
  if (write_output) {
    if (input() == InspectInput::kWords) {
      add("write_output", "words have no values", "use --n and --d, or files");
    }
    if (input() == InspectInput::kFiles && !v && !file) {
      add("write_output", "needs values", "name them with --v");
    }
    if (d.size() > 1 || scales().size() > 1 || temperature.size() > 1) {
      add("write_output", "is one file, but there are several points",
          "give one value of d, scale and temperature");
    }
  }
}

void InspectSettings::check_use(const AddMistake& add) const {
  const auto refuse = [&](bool is_given, const char* name, const char* why) {
    if (is_given) add(name, why, "leave it out");
  };
  const InspectInput source = input();
  if (source == InspectInput::kList) {
    for (const auto& [given, name] :
         {std::pair(write_output.has_value(), "write_output"), std::pair(rows.has_value(), "rows"),
          std::pair(mask.has_value(), "mask"), std::pair(sinks, "sinks"),
          std::pair(compare_scale, "compare_scale")}) {
      refuse(given, name, "has no meaning beside list, which shows names and shapes alone");
    }
  }
  if (source != InspectInput::kRandom) {
    refuse(heads != 1, "heads", "is for what --n draws");
    refuse(kv_heads.has_value(), "kv_heads", "is for what --n draws");
  }
  if (!is_drawn())
    refuse(d != std::vector<std::int64_t>{64}, "d", "is for what is drawn: files have their own");
  if (is_drawn()) refuse(layout != HeadLayout::kBhnd, "layout", "is for files");
  if (compare_scale && scale.size() == 1) {
    refuse(scale.front().rule != ScaleRule::Rule::kSqrt, "scale",
           "is given beside compare_scale, which shows none and sqrt");
  }
}

std::vector<InspectPoint> InspectSettings::points(std::size_t layers) const {
  std::vector<InspectPoint> out;
  if (input() == InspectInput::kList) return {InspectPoint{}};
  const auto add_all = [&](std::size_t layer, std::int64_t size) {
    for (const ScaleRule& one : scales()) {
      for (const double heat : temperature) out.push_back({layer, size, one, heat});
    }
  };
  if (is_drawn()) {
    for (const std::int64_t size : d) add_all(0, size);
  } else {
    for (std::size_t layer = 0; layer < layers; ++layer) add_all(layer, 0);
  }
  return out;
}

std::vector<std::string> InspectSettings::axes() const {
  std::vector<std::string> out;
  if (input() == InspectInput::kList) return out;
  if (is_drawn() && d.size() > 1) out.push_back("d");
  if (scales().size() > 1) out.push_back("scale");
  if (temperature.size() > 1) out.push_back("temperature");
  return out;
}

}  // namespace attnlab
