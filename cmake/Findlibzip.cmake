# Debian's own libzip-config.cmake insists on programs of other packages (zipcmp, zipmerge, ziptool).
# Defines the target libzip::zip.
find_path(libzip_INCLUDE_DIR zip.h)
find_library(libzip_LIBRARY zip)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(libzip DEFAULT_MSG libzip_LIBRARY libzip_INCLUDE_DIR)
if(libzip_FOUND AND NOT TARGET libzip::zip)
  add_library(libzip::zip UNKNOWN IMPORTED)
  set_target_properties(libzip::zip PROPERTIES
    IMPORTED_LOCATION ${libzip_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${libzip_INCLUDE_DIR})
endif()
