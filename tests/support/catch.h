// Catch2 of Debian 12 (2.13) and of Debian 13 and Ubuntu 24.04 (3.x) under one include.
#ifndef ATTNLAB_TESTS_SUPPORT_CATCH_H_
#define ATTNLAB_TESTS_SUPPORT_CATCH_H_

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif

#endif  // ATTNLAB_TESTS_SUPPORT_CATCH_H_
