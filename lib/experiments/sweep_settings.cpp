#include "experiments/sweep_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "attention/registry.h"

namespace attnlab {
namespace {

constexpr double kLargestLength = 1 << 24;  // n^2 floats of every head still fit 64 bits

std::vector<std::string> kernel_names() {
  std::vector<std::string> out;
  for (const Kernel& kernel : kernels()) {
    if (out.empty() || out.back() != kernel.name) out.emplace_back(kernel.name);
  }
  return out;
}

// "best", "all", and the SIMD targets of this build.
std::vector<std::string> isa_words() {
  std::vector<std::string> out{"best", "all"};
  for (const Isa isa :
       {Isa::kSse4, Isa::kAvx2, Isa::kAvx512, Isa::kAvx512Bf16, Isa::kAmx, Isa::kNeon}) {
    const bool is_built = std::any_of(kernels().begin(), kernels().end(),
                                      [&](const Kernel& kernel) { return kernel.isa == isa; });
    if (is_built) out.emplace_back(isa_name(isa));
  }
  return out;
}

}  // namespace

std::span<const std::string_view> choice_names(SweepScope) {
  static constexpr std::string_view kNames[] = {"attention", "module", "block"};
  return kNames;
}

std::span<const std::string_view> choice_names(SweepPhase) {
  static constexpr std::string_view kNames[] = {"prefill", "decode", "generate"};
  return kNames;
}

void SweepSettings::declare(ParameterList& list) {
  declare_grid(list, "kernels, measured against each other");
  list.add("scope", scope, "attention; module: + W_Q, W_K, W_V, W_O; block: a whole layer");
  declare_sizes(list);
  list.add("nq", nq, "queries, where they are not n").range(1, kLargestLength).unset("n");
  list.add("nk", nk, "keys, where they are not n").range(1, kLargestLength).unset("n");
  declare_operator(list);
  list.add("features", features, "random features of performer").range(1, 1 << 20);
  declare_running(list);
  list.add("runs", runs, "fresh processes that each measure every point").range(1, 1000);
  list.add("phase", phase,
           "prefill; decode: one query on n cached keys; generate: n tokens one by one");
  list.add("cache", cache, "generate with a cache of keys and values, or compute all anew");
  list.add("baseline", baseline, "kernel that speedup is against").one_of(kernel_names());
  declare_seed(list);
  list.add("max_memory", max_memory,
           "memory a kernel's row may take; one that needs more is refused")
      .group("running")
      .range(0, 1e18)
      .unset("what is available, less 10 %");
  list.add("max_time", max_time, "time a kernel's row may take; one that needs more is skipped")
      .group("running")
      .above(0)
      .unset("none");
}

void SweepSettings::declare_grid(ParameterList& list, const std::string& kernel_help) {
  list.add("n", n, "sequence length: queries and keys").range(1, kLargestLength);
  list.add("kernel", kernel, kernel_help).one_of(kernel_names());
}

void SweepSettings::declare_seed(ParameterList& list) {
  list.add("seed", seed, "seed of inputs, rows that are checked, order").range(0, kLargestSeed);
}

void SweepSettings::declare_sizes(ParameterList& list) {
  list.add("d_model", d_model, "width of the model").alias("D").range(1, 1 << 20);
  list.add("heads", heads, "query heads").range(1, 1 << 16);
  list.add("kv_heads", kv_heads, "heads of keys and values").range(1, 1 << 16).unset("heads");
  list.add("head_dim", head_dim, "size of a head; auto: d_model / heads").range(1, 1 << 16);
  list.add("head_dim_v", head_dim_v, "size of a head's values").range(1, 1 << 16).unset("head_dim");
  list.add("batch", batch, "sequences at once").range(1, 1 << 20);
}

void SweepSettings::declare_operator(ParameterList& list) {
  list.add("causal", causal, "which keys a query sees");
  list.add("window", window, "keys a query sees; of window and bigbird").range(1, kLargestLength);
  list.add("global_tokens", global_tokens,
           "positions that see and are seen by all; of window and "
           "bigbird")
      .range(0, kLargestLength);
  list.add("stride", stride,
           "distance of the keys that strided sees; sqrt: the root of their number")
      .range(1, kLargestLength)
      .unset("sqrt");
  list.add("random_blocks", random_blocks, "blocks of 64 random keys; of bigbird").range(0, 64);
}

void SweepSettings::declare_running(ParameterList& list) {
  list.add("dtype", dtype, "type of q, k and v (int8: of a cache's k and v); sums are float32")
      .one_of({"f32", "bf16", "f16", "int8"});
  list.add("output_dtype", output_dtype, "type of the output; flash writes bf16 too")
      .one_of({"f32", "bf16"});
  list.add("fpmath", fpmath, "strict; bf16: f32 may be rounded to it to be multiplied");
  list.add("threads", threads, "threads; auto: as many CPUs as affinity and quota allow")
      .range(1, 4096);
  list.add("isa", isa, "instruction set of the kernels that have several").one_of(isa_words());
  list.add("scale", scale, "what scores are multiplied by: 1/sqrt(d), 1, 1/d, or a number");
  list.add("repeats", repeats, "samples of each kernel").range(1, 1e6).quick(10, 2);
  list.add("warmup", warmup, "calls of each kernel before its samples").range(0, 1e6);
  list.add("min_time", min_time, "a sample lasts at least this long").unit("s").range(0, 3600);
}

void SweepSettings::check(const std::string& place, std::vector<Mistake>& mistakes) const {
  const auto wrong = [&](const char* name, std::string problem, std::string remedy) {
    mistakes.push_back({child_place(place, name), std::move(problem), std::move(remedy)});
  };
  for (std::size_t i = 0; i < kernel.size(); ++i) {
    if (std::find(kernel.begin(), kernel.begin() + static_cast<std::ptrdiff_t>(i), kernel[i]) !=
        kernel.begin() + static_cast<std::ptrdiff_t>(i)) {
      wrong("kernel", kernel[i] + " is named twice", "name each kernel once");
    }
  }
  for (const std::int64_t h : heads) {
    if (kv_heads && h % *kv_heads != 0) {
      wrong("kv_heads", fmt::format("{} heads cannot share {} key heads evenly", h, *kv_heads),
            "give a number that divides heads");
    }
    for (const std::int64_t width : d_model) {
      const bool is_auto = std::any_of(head_dim.begin(), head_dim.end(),
                                       [](AutoCount count) { return count.value == 0; });
      if (is_auto && width % h != 0) {
        wrong("head_dim", fmt::format("d_model {} is not a multiple of {} heads", width, h),
              "give head_dim, or other heads");
      }
    }
  }
  const bool is_layer = scope != SweepScope::kAttention;
  if (is_layer && phase != SweepPhase::kPrefill) {
    wrong("scope", "a " + choice_name(scope) + " is measured in phase prefill alone",
          "leave out scope or phase");
  }
  if (is_layer && dtype != std::vector<std::string>{"f32"}) {
    wrong("dtype", "a " + choice_name(scope) + " is computed in f32", "leave it out");
  }
  const bool is_one_call = !is_layer && phase != SweepPhase::kGenerate;
  if (!is_one_call && output_dtype != "f32") {
    wrong("output_dtype", "bf16 is for single calls of a kernel", "leave it out");
  }
  if (!is_one_call && fpmath != FpMath::kStrict) {
    wrong("fpmath", "bf16 is for single calls of a kernel", "leave it out");
  }
  if (scope == SweepScope::kBlock && (nq || nk)) {
    wrong(nq ? "nq" : "nk", "a block has as many queries as keys", "give n alone");
  }
  if (phase != SweepPhase::kPrefill && (nq || nk)) {
    wrong(nq ? "nq" : "nk", "has no meaning in phase " + choice_name(phase), "give n alone");
  }
  if (n.size() > 1 && nq && nk) {
    wrong("n", "has no effect where nq and nk are given: its points would be the same",
          "give one n, or leave out nq or nk");
  }
  const bool any_given = std::any_of(head_dim.begin(), head_dim.end(),
                                     [](AutoCount count) { return count.value != 0; });
  if (!is_layer && d_model.size() > 1 && any_given) {
    wrong("d_model",
          "has no effect on scope attention where head_dim is given: its points would be the same",
          "give one d_model, leave out head_dim, or give scope module");
  }
  if (!cache && phase != SweepPhase::kGenerate) {
    wrong("cache", "has no meaning in phase " + choice_name(phase), "give phase generate");
  }
}

std::vector<SweepKernel> SweepSettings::kernels(const Problem& problem) const {
  std::vector<SweepKernel> out;
  const auto add = [&](const std::string& name, std::string_view isa_text, const Kernel* found,
                       std::string reason) {
    const bool is_there = std::any_of(out.begin(), out.end(), [&](const SweepKernel& other) {
      return other.name == name && other.isa == isa_text;
    });
    if (!is_there) out.push_back({name, std::string(isa_text), found, std::move(reason)});
  };
  for (const std::string& name : kernel) {
    std::vector<const Kernel*> entries;
    for (const Kernel& entry : attnlab::kernels()) {
      if (entry.name == name) entries.push_back(&entry);
    }
    for (const std::string& wanted : isa) {
      if (wanted == "best" || entries.size() == 1) {  // a single entry has no SIMD code of its own
        const Kernel* best = find_kernel(name, problem);
        const std::string better = better_kernels(name, problem);
        add(name, isa_name(best->isa), best, better.empty() ? "" : "not " + better);
        continue;
      }
      bool any = false;
      for (const Kernel* entry : entries) {
        const std::string absence = isa_absence(entry->isa);
        if (wanted == "all") {
          const bool other_products =
              entry->products == Dtype::kBf16 && !entry->supports(problem, nullptr);
          if (!absence.empty() || other_products) continue;
        } else if (isa_name(entry->isa) != wanted) {
          continue;
        }
        any = true;
        add(name, isa_name(entry->isa), absence.empty() ? entry : nullptr, absence);
      }
      if (!any) add(name, wanted, nullptr, "this kernel has no code for " + wanted);
    }
  }
  return out;
}

}  // namespace attnlab
