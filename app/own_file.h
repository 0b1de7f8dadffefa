// Files that attnlab made and may make again, known by a mark near their start.
#ifndef ATTNLAB_APP_OWN_FILE_H_
#define ATTNLAB_APP_OWN_FILE_H_

#include <initializer_list>
#include <string>
#include <string_view>

namespace attnlab {

// UserError when there is a folder of that name, or, unless forced, a file without any of the
// marks.
void check_own_file(const std::string& path, bool force,
                    std::initializer_list<std::string_view> marks);

}  // namespace attnlab

#endif  // ATTNLAB_APP_OWN_FILE_H_
