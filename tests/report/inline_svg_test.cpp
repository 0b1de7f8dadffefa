#include "report/inline_svg.h"

#include <string>

#include "support/catch.h"

using namespace attnlab;

TEST_CASE("ids and references within tags get the prefix, texts stay", "[report]") {
  const std::string svg =
      "<?xml version=\"1.0\"?>\n<svg width=\"8\">\n<title>Gnuplot</title>\n<desc>made</desc>\n"
      "<defs><path id='a' d='M0'/></defs>\n<g id=\"b\"><use xlink:href='#a'/>"
      "<text filter=\"url(#a)\"> id='a' href='#a' url(#a)</text></g>\n</svg>\n";
  const std::string out = inline_svg(svg, "p1-", "so & so");
  CHECK(out ==
        "<svg role=\"img\" aria-label=\"so &amp; so\" width=\"8\">\n"
        "<defs><path id='p1-a' d='M0'/></defs>\n<g id=\"p1-b\"><use xlink:href='#p1-a'/>"
        "<text filter=\"url(#p1-a)\"> id='a' href='#a' url(#a)</text></g>\n</svg>\n");
}

TEST_CASE("groups that draw nothing are left out, those that do stay", "[report]") {
  const std::string out = inline_svg(
      "<svg>\n<g a=\"1\">\n</g>\n<g b=\"1\">\n<g c=\"1\">\n\n</g>\n</g>\n<g d=\"1\"><g "
      "e=\"1\"></g>\n<rect/></g>\n<g f=\"1\"><rect/>\n<g h=\"1\">\n</g></g></svg>",
      "", "t");
  for (const char* gone : {"<g a", "<g b", "<g c", "<g e", "<g h"}) {
    INFO(gone);
    CHECK(out.find(gone) == std::string::npos);
  }
  CHECK(out.find("<g d=\"1\">") != std::string::npos);
  CHECK(out.find("<g f=\"1\"><rect/>") != std::string::npos);
  CHECK(out.ends_with("</g></svg>"));
}

TEST_CASE("what is no SVG gives nothing", "[report]") { CHECK(inline_svg("", "p", "t").empty()); }
