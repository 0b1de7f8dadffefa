# Writes OUTPUT, a C++ file with the text of INPUT as the constant NAME, which a header declares; so
# styles and scripts stay files of their own kind.
file(READ ${INPUT} text)
string(FIND "${text}" ")embedded\"" end)
if(NOT end EQUAL -1)
  message(FATAL_ERROR "${INPUT} holds the mark that ends its text in C++")
endif()
file(WRITE ${OUTPUT} "#include <string_view>\n\nnamespace attnlab {\nextern const std::string_view ${NAME};\nconst std::string_view ${NAME} = R\"embedded(${text})embedded\";\n}  // namespace attnlab\n")
