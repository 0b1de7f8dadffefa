// Text on its way into HTML: escaped for where it stands, so that a value of a file is shown and
// never read as markup.
#ifndef ATTNLAB_REPORT_HTML_TEXT_H_
#define ATTNLAB_REPORT_HTML_TEXT_H_

#include <string>
#include <string_view>

#include "base/json.h"

namespace attnlab {

// For the content of an element and for an attribute in double quotes: & < > " ' are written as
// references. Bytes that are no UTF-8 and control characters are left out or replaced.
std::string html_text(std::string_view text);

// JSON for a <script type="application/json">: '<' is written \u003c, so that neither `</script`
// nor `<!--` can occur.
std::string script_json(const Json& value);

// An element without attributes but a class ("" for none), around text or markup.
std::string text_element(std::string_view name, std::string_view class_name, std::string_view text);
std::string markup_element(std::string_view name, std::string_view class_name,
                           std::string_view markup);

// A link to a place of the same page.
std::string link_to(std::string_view id, std::string_view text);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_HTML_TEXT_H_
