#include "report/text_grid.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::size_t total_width(const std::vector<std::size_t>& widths) {
  const std::size_t gaps = widths.empty() ? 0 : widths.size() - 1;
  return std::accumulate(widths.begin(), widths.end(), kGap * gaps);
}

}  // namespace

TextGrid::TextGrid(std::vector<GridColumn> columns, const GridOptions& options)
    : columns_(std::move(columns)), options_(options) {
  for (const GridColumn& column : columns_) {
    std::size_t width = std::max(display_width(column.header), display_width(column.unit));
    for (const std::string& cell : column.cells) width = std::max(width, display_width(cell));
    widths_.push_back(width);
  }
}

bool TextGrid::fits() const { return total_width(widths_) <= room(); }

bool TextGrid::overflows() const {
  const std::vector<Block> all = blocks();
  return std::any_of(all.begin(), all.end(),
                     [&](const Block& block) { return total_width(block.widths) > room(); });
}

std::string TextGrid::text() const {
  std::string out;
  for (const Block& block : blocks()) {
    if (!out.empty()) out += '\n';
    out += block_text(block);
  }
  return out;
}

std::size_t TextGrid::room() const {
  return options_.width - std::min(options_.width, options_.indent);
}

// How narrow a column may become.
std::size_t TextGrid::least_width(std::size_t column) const {
  if (columns_[column].numeric) return widths_[column];
  return std::max(display_width(columns_[column].header),
                  std::min(widths_[column], options_.least_text));
}

// Gives each column of a block as much of its natural width as there is room for.
void TextGrid::share_width(Block& block) const {
  block.widths.clear();
  for (const std::size_t c : block.columns) block.widths.push_back(widths_[c]);
  while (total_width(block.widths) > room()) {  // the widest text gives way first
    std::size_t widest = block.widths.size();
    for (std::size_t i = 0; i < block.widths.size(); ++i) {
      if (block.widths[i] <= least_width(block.columns[i])) continue;
      if (widest == block.widths.size() || block.widths[i] > block.widths[widest]) widest = i;
    }
    if (widest == block.widths.size()) return;
    --block.widths[widest];
  }
}

std::vector<TextGrid::Block> TextGrid::blocks() const {
  Block keys;
  std::size_t key_width = 0;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (!columns_[c].key) continue;
    keys.columns.push_back(c);
    key_width += least_width(c) + kGap;
  }
  std::vector<Block> out{keys};
  std::size_t used = key_width;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].key) continue;
    if (used + least_width(c) > room() && out.back().columns.size() > keys.columns.size()) {
      out.push_back(keys);
      used = key_width;
    }
    out.back().columns.push_back(c);
    used += least_width(c) + kGap;
  }
  for (Block& block : out) {
    std::sort(block.columns.begin(), block.columns.end());
    share_width(block);
  }
  return out;
}

std::string TextGrid::block_text(const Block& block) const {
  std::vector<std::string> names, units;
  for (const std::size_t c : block.columns) {
    names.push_back(columns_[c].header);
    units.push_back(columns_[c].unit);
  }
  std::string out = line_text(block, names, nullptr);
  if (options_.color) {
    out.pop_back();
    out = std::string(options_.indent, ' ') + colored(out.substr(options_.indent), "4") + '\n';
  }
  const bool has_unit = std::any_of(units.begin(), units.end(),
                                    [](const std::string& unit) { return !unit.empty(); });
  if (has_unit) out += line_text(block, units, nullptr);
  const std::size_t rows = block.columns.empty() ? 0 : columns_[block.columns[0]].cells.size();
  for (std::size_t row = 0; row < rows; ++row) out += row_text(block, row);
  return out;
}

// A row, on several lines where texts are wrapped.
std::string TextGrid::row_text(const Block& block, std::size_t row) const {
  std::vector<std::vector<std::string>> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < block.columns.size(); ++i) {
    const GridColumn& column = columns_[block.columns[i]];
    const std::string& cell = column.cells[row];
    const bool whole = column.numeric || widths_[block.columns[i]] <= block.widths[i];
    cells.push_back(whole ? std::vector{cell} : wrapped_lines(cell, block.widths[i]));
    height = std::max(height, cells.back().size());
  }
  std::string out;
  for (std::size_t l = 0; l < height; ++l) {
    std::vector<std::string> texts;
    for (const auto& lines : cells) texts.push_back(l < lines.size() ? lines[l] : "");
    out += line_text(block, texts, &row);
  }
  return out;
}

// One text a column; `row` says which colours to use.
std::string TextGrid::line_text(const Block& block, const std::vector<std::string>& texts,
                                const std::size_t* row) const {
  std::string out(options_.indent, ' ');
  std::size_t blanks = 0;  // not yet written: there may be nothing after them
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const GridColumn& column = columns_[block.columns[i]];
    const std::string text = padded(texts[i], block.widths[i], column.numeric);
    const std::size_t start = text.find_first_not_of(' ');
    if (start == std::string::npos) {
      blanks += text.size() + kGap;
      continue;
    }
    const std::size_t end = text.find_last_not_of(' ') + 1;
    out.append(blanks + start, ' ');
    const bool tinted = options_.color && row != nullptr && !column.colors.empty();
    out += colored(text.substr(start, end - start), tinted ? column.colors[*row] : "");
    blanks = text.size() - end + kGap;
  }
  if (out.find_first_not_of(' ') == std::string::npos) out.clear();
  return out + '\n';
}

std::string colored(const std::string& text, const std::string& code) {
  return code.empty() ? text : "\x1b[" + code + "m" + text + "\x1b[0m";
}

}  // namespace attnlab
