#include "app/gnuplot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "app/signals.h"
#include "app/temporary_folder.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/watch.h"
#include "machine/process.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;

class UntilSignal : public Watch {
 public:
  bool stopped() const override { return stop_signal() != 0; }
};

// The line of gnuplot's messages that tells what is wrong: the last that is not empty.
std::string complaint_in(const std::string& messages) {
  std::string out = "it says nothing";
  for (const std::string& line : split(messages, '\n')) {
    if (line.find_first_not_of(" \t\r^") != std::string::npos) out = line;
  }
  return printable(out, 200);
}

bool is_figure(std::string_view bytes, FigureFormat format) {
  if (format == FigureFormat::kPng) return bytes.starts_with("\x89PNG");
  return (bytes.starts_with("<?xml") || bytes.starts_with("<svg")) &&
         bytes.find("<svg") != std::string_view::npos &&
         bytes.find("</svg>") != std::string_view::npos;
}

// XML allows no "]]>" in a text, and gnuplot leaves it there. It writes no CDATA sections itself.
void escape_section_ends(std::string& svg) {
  for (std::size_t at = svg.find("]]>"); at != std::string::npos; at = svg.find("]]>", at)) {
    svg.replace(at, 3, "]]&gt;");
  }
}

}  // namespace

std::string find_gnuplot() {
  const char* path = std::getenv("PATH");
  if (path == nullptr) return "";
  for (const std::string& folder : split(path, ':')) {
    if (folder.empty()) continue;
    const std::string candidate = (fs::path(folder) / "gnuplot").string();
    std::error_code error;
    if (fs::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) {
      return fs::absolute(candidate, error).string();
    }
  }
  return "";
}

std::string draw(const std::string& gnuplot, const GnuplotFiles& files,
                 const GnuplotOptions& options) {
  const TemporaryFolder folder("plot");
  const char* script = "figure.gp";
  write_file(folder.file(script), {files.script});
  write_file(folder.file(options.data_file), {files.data});
  // --default-settings: a user's ~/.gnuplot would change what is drawn.
  const ProcessResult drawn =
      run_process(gnuplot, {"--default-settings", script}, {}, UntilSignal(), folder.path());
  if (stop_signal() != 0) return "";
  const auto fail = [&](const std::string& what) {
    throw RunError(gnuplot, "could not draw the figure" + what,
                   "without gnuplot on PATH its script and data are written instead");
  };
  const std::string complaint = complaint_in(drawn.errors);
  if (drawn.exit_code != 0) fail(fmt::format(" (exit code {}): {}", drawn.exit_code, complaint));
  const std::string figure = folder.file(options.output_file);
  std::error_code error;
  if (!fs::exists(figure, error) || fs::file_size(figure, error) == 0) fail(": " + complaint);
  std::string bytes = read_file(figure, kMostBytes);
  if (!is_figure(bytes, options.format)) fail(": what it wrote is no figure");
  if (options.format == FigureFormat::kSvg) escape_section_ends(bytes);
  return bytes;
}

}  // namespace attnlab
