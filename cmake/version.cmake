# Writes OUTPUT, a header with the commit that is built; run at every build, it touches the file only
# when the commit changed. Expects SOURCE_DIR and OUTPUT.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE failed ERROR_QUIET)
if(failed OR NOT EXISTS ${SOURCE_DIR}/.git)
  set(commit unknown)
endif()
set(text "#define ATTNLAB_COMMIT \"${commit}\"\n")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUTPUT} "${text}")
endif()
