// The flags that commands share, declared once like any parameter.
#ifndef ATTNLAB_APP_OPTIONS_H_
#define ATTNLAB_APP_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/streams.h"
#include "base/parameter.h"

namespace attnlab {

std::span<const std::string_view> choice_names(ColorChoice);  // auto, always, never

// How a result is printed, and where it is written.
struct OutputFlags {
  std::string format = "table";
  std::string output;
  std::string table;
  ColorChoice color = ColorChoice::kAuto;
  bool force = false;

  // `force_help`: where --force lets more pass than files that are in the way.
  void declare(ParameterList& list,
               const char* force_help = "overwrite files that are not attnlab's own");
};

// How experiments are run.
struct RunFlags {
  bool quiet = false;
  bool no_progress = false;
  bool plot = false;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> seed;
  std::optional<ByteSize> max_memory;
  std::optional<Duration> max_time;
  bool quick = false;
  bool resume = false;
  bool dry_run = false;
  bool print_config = false;

  // Leaves out what the experiment's own parameters, if there are any, have already, and --plot
  // where there is no figure.
  void declare(ParameterList& list, const ParameterList* own, bool has_figure);
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_OPTIONS_H_
