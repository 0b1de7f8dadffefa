// Names that must differ in a document: the second "d=4" becomes "d=4 #2".
#ifndef ATTNLAB_REPORT_UNIQUE_NAMES_H_
#define ATTNLAB_REPORT_UNIQUE_NAMES_H_

#include <string>
#include <unordered_map>
#include <unordered_set>

namespace attnlab {

class UniqueNames {
 public:
  // The name, or the name with the smallest number that nobody has yet.
  std::string make(const std::string& name);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> uses_;  // of a name that was asked for again
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_UNIQUE_NAMES_H_
