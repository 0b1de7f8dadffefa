#include "app/figure_file.h"

#include <cstdint>

#include "app/own_file.h"
#include "base/text.h"
#include "report/html_text.h"

namespace attnlab {
namespace {

constexpr std::string_view kMark = "made by attnlab plot";

std::string xml_text(std::string_view text) { return html_text(printable(text, 1000)); }

// Replaces what stands between an opening and a closing tag, the first time they occur.
void replace_element(std::string& text, const std::string& name, const std::string& content) {
  const std::string open = "<" + name + ">", close = "</" + name + ">";
  const std::size_t begin = text.find(open);
  const std::size_t end = text.find(close, begin);
  if (begin == std::string::npos || end == std::string::npos) return;
  text.replace(begin + open.size(), end - begin - open.size(), content);
}

// The check sum of PNG chunks (ISO 3309: CRC-32), bit by bit: they are short.
std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = 0xFFFFFFFFu;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>((value >> shift) & 0xFF);
  return out;
}

// A tEXt chunk behind the header chunk, which is always the first and 25 bytes long.
void insert_chunk(std::string& png) {
  constexpr std::size_t kAfterHeader = 8 + 25;
  if (png.size() < kAfterHeader || png.compare(1, 3, "PNG") != 0) return;
  const std::string content = "tEXtSoftware" + std::string(1, '\0') + std::string(kMark);
  png.insert(kAfterHeader, big_endian(static_cast<std::uint32_t>(content.size() - 4)) + content +
                               big_endian(crc32(content)));
}

}  // namespace

std::string marked_figure(std::string bytes, FigureFormat format, std::string_view title) {
  if (format == FigureFormat::kPng) {
    insert_chunk(bytes);
  } else {
    replace_element(bytes, "title", xml_text(title));
    replace_element(bytes, "desc", xml_text(title) + ", " + std::string(kMark));
  }
  return bytes;
}

void check_replaceable(const std::string& path, bool force) {
  check_own_file(path, force, {kMark, kGnuplotFileStart});
}

}  // namespace attnlab
