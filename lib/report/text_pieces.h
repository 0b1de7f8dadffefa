// A long text as pieces that follow each other: one string that grew would be copied often.
#ifndef ATTNLAB_REPORT_TEXT_PIECES_H_
#define ATTNLAB_REPORT_TEXT_PIECES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

class TextPieces {
 public:
  // The piece to append the next line to; valid until the next call.
  std::string& next() {
    constexpr std::size_t kPiece = std::size_t{1} << 17;
    if (pieces_.empty() || pieces_.back().size() > kPiece) {
      pieces_.emplace_back().reserve(kPiece + kPiece / 8);
    }
    return pieces_.back();
  }
  const std::vector<std::string>& pieces() const { return pieces_; }

 private:
  std::vector<std::string> pieces_;
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_TEXT_PIECES_H_
