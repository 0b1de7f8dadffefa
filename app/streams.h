// The standard streams: whether a person sees them, and writing that notices when it fails.
#ifndef ATTNLAB_APP_STREAMS_H_
#define ATTNLAB_APP_STREAMS_H_

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace attnlab {

// Whoever read our standard output has gone (`| head -1`): stop, without an error.
class ClosedPipe : public std::exception {};

// Writes all of the text to standard output. ClosedPipe, or RunError when it cannot be written.
void write_stdout(std::string_view text);

bool stdout_is_terminal();
bool stderr_is_terminal();
// Whether standard error is a terminal that can erase a line.
bool shows_progress();

// Whether a stream takes colour: --color, NO_COLOR, TERM=dumb, a terminal, in this order.
enum class ColorChoice { kAuto, kAlways, kNever };
bool wants_color(ColorChoice choice, bool is_terminal);

// The columns of the terminal on a stream: its size, COLUMNS, or 80.
enum class StandardStream { kOutput, kError };
std::size_t terminal_width(StandardStream stream = StandardStream::kOutput);

}  // namespace attnlab

#endif  // ATTNLAB_APP_STREAMS_H_
