// The flags that every command shares, declared once like any parameter.
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

struct Options {
  std::string format = "table";
  std::string output;
  std::string table;
  std::optional<std::int64_t> threads;
  std::optional<std::int64_t> seed;
  bool quiet = false;
  ColorChoice color = ColorChoice::kAuto;
  bool no_progress = false;
  std::optional<ByteSize> max_memory;
  std::optional<Duration> max_time;
  bool quick = false;
  bool dry_run = false;
  bool print_config = false;
  bool force = false;

  // `has_seed`: the command's own parameters have a seed already.
  void declare(ParameterList& list, bool has_seed);
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_OPTIONS_H_
