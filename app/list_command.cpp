// `attnlab list`: everything there is, a line each.
#include "app/catalog.h"
#include "app/command.h"
#include "app/deliver.h"

namespace attnlab {
namespace {

class ListCommand : public Command {
 public:
  ListCommand()
      : Command({.name = "list",
                 .summary = "what exists: experiments, kernels, claims, formats",
                 .examples = {"attnlab list", "attnlab list --table formats --format csv"}}) {
    output_.declare(flags_);
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }
  ColorChoice color() const override { return output_.color; }

  ExitCode run(const Arguments&, const std::vector<std::string>& line,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    std::vector<Table> tables;
    for (const CatalogSection& section : catalog()) {
      Table& table = tables.emplace_back(
          section.name, "list",
          std::vector<Column>{{"name", "name of the " + section.kind, ColumnKind::kParameter},
                              {"summary", "what it is", ColumnKind::kExact}});
      for (const CatalogEntry& entry : section.entries) {
        table.add_row().set("name", entry.name).set("summary", entry.summary);
      }
    }
    return deliver_tables("list", std::move(tables), output_, line);
  }

 private:
  OutputFlags output_;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_list_command() { return std::make_unique<ListCommand>(); }

}  // namespace attnlab
