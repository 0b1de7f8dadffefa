// What exists: the sections that `list` shows and `describe` knows. A new kind of thing
// is a function that makes its section, and one line in catalog.cpp.
#ifndef ATTNLAB_APP_CATALOG_H_
#define ATTNLAB_APP_CATALOG_H_

#include <functional>
#include <string>
#include <vector>

#include "report/table.h"

namespace attnlab {

struct CatalogEntry {
  std::string name;
  std::string summary;  // one line
  std::string source;   // the text, paper or specification it follows; "" for none
  // The tables that describe it beyond name, summary and source.
  std::function<std::vector<Table>()> details;
};

struct CatalogSection {
  std::string name;  // the table in `list`: "experiments"
  std::string kind;  // of one entry: "experiment"
  std::vector<CatalogEntry> entries;
};

std::vector<CatalogSection> catalog();

CatalogSection experiment_section();
CatalogSection kernel_section();
CatalogSection claim_section();
CatalogSection format_section();

}  // namespace attnlab

#endif  // ATTNLAB_APP_CATALOG_H_
