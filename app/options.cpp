#include "app/options.h"

#include "report/format.h"

namespace attnlab {

std::span<const std::string_view> choice_names(ColorChoice) {
  static constexpr std::string_view kNames[] = {"auto", "always", "never"};
  return kNames;
}

void OutputFlags::declare(ParameterList& list, const char* force_help) {
  const auto add = [&list](const char* name, auto& field, const char* help) -> Parameter& {
    return list.add(name, field, help).group("output");
  };
  add("format", format, "what is printed").one_of(format_names());
  add("output", output, "write to PATH: a file by its extension, or a folder for everything")
      .alias("o")
      .file();
  add("table", table, "the table to print, where there are several");
  add("color", color, "colour in the terminal");
  add("force", force, force_help);
}

void RunFlags::declare(ParameterList& list, const ParameterList* own, bool has_figure) {
  const auto add = [&](const char* name, auto& field, const char* help, const char* group,
                       auto&& more) {
    if (own == nullptr || own->find(name) == nullptr)
      more(list.add(name, field, help).group(group));
  };
  const auto nothing = [](Parameter&) {};
  add("quiet", quiet, "print no tables and no progress", "output", nothing);
  add("no_progress", no_progress, "no progress line", "output", nothing);
  if (has_figure) add("plot", plot, "draw the figure as text below the tables", "output", nothing);
  add("threads", threads, "threads to use; auto: as many CPUs as affinity and quota allow",
      "running", [](Parameter& p) { p.range(1, 4096).unset("auto"); });
  add("seed", seed, "seed of every experiment that has one", "running",
      [](Parameter& p) { p.range(0, 9007199254740991.0).unset("the experiment's own"); });
  add("max_memory", max_memory, "memory a point may take; one that needs more is refused",
      "running", [](Parameter& p) { p.range(0, 1e18).unset("what is available, less 10 %"); });
  add("max_time", max_time, "time a point may take; one that needs more is skipped", "running",
      [](Parameter& p) { p.above(0).unset("none"); });
  add("quick", quick, "a tenth of samples, trials and repeats, at least 2", "running", nothing);
  add("resume", resume, "continue an interrupted run in its folder", "running", nothing);
  add("dry_run", dry_run, "only list the points, their memory and estimated time", "running",
      nothing);
  add("print_config", print_config, "only print the config that would run", "running", nothing);
}

}  // namespace attnlab
