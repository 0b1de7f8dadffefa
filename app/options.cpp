#include "app/options.h"

#include "report/format.h"

namespace attnlab {

std::span<const std::string_view> choice_names(ColorChoice) {
  static constexpr std::string_view kNames[] = {"auto", "always", "never"};
  return kNames;
}

void Options::declare(ParameterList& list, bool has_seed) {
  const auto add = [&list](const char* name, auto& field, const char* help,
                           const char* group) -> Parameter& {
    return list.add(name, field, help).group(group);
  };
  add("format", format, "what is printed", "output").one_of(format_names());
  add("output", output, "write to PATH: a file by its extension, or a folder for everything",
      "output")
      .alias("o")
      .file();
  add("table", table, "the table to print, where there are several", "output");
  add("quiet", quiet, "print no tables and no progress", "output");
  add("color", color, "colour in the terminal", "output");
  add("no_progress", no_progress, "no progress line", "output");
  add("force", force, "overwrite files that are not attnlab's own", "output");
  add("threads", threads, "threads to use; auto: as many CPUs as affinity and quota allow",
      "running")
      .range(1, 4096)
      .unset("auto");
  if (!has_seed) {
    add("seed", seed, "seed of every experiment that has one", "running")
        .range(0, 9007199254740991.0)
        .unset("config");
  }
  add("max_memory", max_memory, "memory a point may take; auto: what is available, less 10 %",
      "running")
      .range(0, 1e18)
      .unset("auto");
  add("max_time", max_time, "time a point may take; a longer one is skipped", "running")
      .above(0)
      .unset("none");
  add("quick", quick, "a tenth of samples, trials and repeats, at least 2", "running");
  add("dry_run", dry_run, "only list the points, their memory and estimated time", "running");
  add("print_config", print_config, "only print the config that would run", "running");
}

}  // namespace attnlab
