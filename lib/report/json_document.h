// The result document (result.json), written again and again while a run goes on: every row is
// turned into text once, so that saving a long result costs little more than writing it.
#ifndef ATTNLAB_REPORT_JSON_DOCUMENT_H_
#define ATTNLAB_REPORT_JSON_DOCUMENT_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/json_text.h"
#include "report/result.h"
#include "report/text_pieces.h"

namespace attnlab {

class JsonDocument {
 public:
  // Turns the rows that were added since the last call into text. The number of tables must stay
  // what it was at the first call.
  void add_rows(const Result& result);
  // The rows of a table are other ones now (finish() of an experiment may complete old rows).
  void forget_rows(std::size_t table);
  // Takes over the provenance, which changes only at the start and at the end of a run.
  void set_provenance(const Result& result);
  // Takes over everything else: status, points, expectations, notes.
  void set_head(const Result& result);

  // The document as it was taken over, as pieces that follow each other; valid until the next
  // change.
  std::vector<std::string_view> pieces() const;

 private:
  struct Rows {
    std::optional<RowWriterJson> writer;
    std::size_t count = 0;
    TextPieces text;
    std::string head;  // of the table, up to and with `"rows": [`
  };
  std::string head_, provenance_, expectations_;
  std::vector<Rows> tables_;
};

// Whether a text that begins so is a result document of some version.
bool is_result_document(std::string_view start);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_JSON_DOCUMENT_H_
