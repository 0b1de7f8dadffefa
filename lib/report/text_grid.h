// Columns of text side by side within a width. What does not fit is first wrapped (texts), then cut
// into blocks that each repeat the key columns.
#ifndef ATTNLAB_REPORT_TEXT_GRID_H_
#define ATTNLAB_REPORT_TEXT_GRID_H_

#include <cstddef>
#include <string>
#include <vector>

namespace attnlab {

struct GridColumn {
  std::string header;
  std::string unit{};                 // "ms", "MiB"; "" for none
  std::vector<std::string> cells{};   // one a row
  std::vector<std::string> colors{};  // SGR codes, one a row; empty: none
  bool numeric = false;               // aligned to the right, never wrapped
  bool key = false;                   // repeated in every block
};

struct GridOptions {
  std::size_t width = 80;
  std::size_t indent = 0;
  std::size_t least_text = 24;  // a text is not wrapped narrower than this
  bool color = false;
};

class TextGrid {
 public:
  TextGrid(std::vector<GridColumn> columns, const GridOptions& options);

  // Whether the columns fit side by side as they are.
  bool fits() const;
  // Whether text() has lines longer than the width: where a column of numbers is.
  bool overflows() const;
  // The lines, each with a newline and without blanks at its end; an empty line between blocks.
  std::string text() const;

 private:
  struct Block {
    std::vector<std::size_t> columns;
    std::vector<std::size_t> widths;  // of these columns
  };
  std::size_t room() const;
  std::size_t least_width(std::size_t column) const;
  void share_width(Block& block) const;
  std::vector<Block> blocks() const;
  std::string block_text(const Block& block) const;
  std::string row_text(const Block& block, std::size_t row) const;
  std::string line_text(const Block& block, const std::vector<std::string>& texts,
                        const std::size_t* row) const;

  std::vector<GridColumn> columns_;
  std::vector<std::size_t> widths_;  // natural ones
  GridOptions options_;
};

// The text in a colour, "1;31" for instance; unchanged without a code.
std::string colored(const std::string& text, const std::string& code);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_TEXT_GRID_H_
