// `attnlab describe X`: one experiment, kernel or format in detail.
#include "app/catalog.h"
#include "app/command.h"
#include "app/deliver.h"
#include "base/check.h"

namespace attnlab {
namespace {

std::vector<std::string> entry_names() {
  std::vector<std::string> out;
  for (const CatalogSection& section : catalog()) {
    for (const CatalogEntry& entry : section.entries) out.push_back(entry.name);
  }
  return out;
}

std::vector<Table> tables_of(const CatalogSection& section, const CatalogEntry& entry) {
  Table about("about", "describe",
              {{"name", "its name", ColumnKind::kParameter},
               {"kind", "what kind of thing it is", ColumnKind::kExact},
               {"summary", "what it does", ColumnKind::kExact},
               {"source", "what it follows", ColumnKind::kExact}});
  about.add_row()
      .set("name", entry.name)
      .set("kind", section.kind)
      .set("summary", entry.summary)
      .set("source", entry.source.empty() ? Cell() : Cell(entry.source));
  std::vector<Table> out{std::move(about)};
  for (Table& table : entry.details()) out.push_back(std::move(table));
  return out;
}

class DescribeCommand : public Command {
 public:
  DescribeCommand()
      : Command({.name = "describe",
                 .summary = "one of them in detail: parameters, columns, sources",
                 .positionals = {{.name = "NAME", .words = entry_names()}},
                 .examples = {"attnlab describe variance",
                              "attnlab describe cost --table columns --format markdown",
                              "attnlab describe flash"}}) {
    output_.declare(flags_);
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    for (const CatalogSection& section : catalog()) {
      for (const CatalogEntry& entry : section.entries) {
        if (entry.name != arguments.positionals[0]) continue;
        return deliver_tables("describe", tables_of(section, entry), output_, line);
      }
    }
    ATTNLAB_CHECK(!"a name that is allowed is in the catalogue");
    return ExitCode::kBadInput;
  }

 private:
  OutputFlags output_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_describe_command() { return std::make_unique<DescribeCommand>(); }

}  // namespace attnlab
