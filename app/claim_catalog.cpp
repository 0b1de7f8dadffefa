// Claims in `list` and `describe`.
#include "app/catalog.h"
#include "experiments/verify_claim.h"

namespace attnlab {
namespace {

Table claim_table(const Claim& claim) {
  Table out(
      "claim", "describe",
      {{"says", "the claim in a few words", ColumnKind::kExact},
       {"text", "that it comes from", ColumnKind::kExact},
       {"kind", "counted, computed, timed, or a fact that is not measured", ColumnKind::kExact},
       {"how", "it is measured", ColumnKind::kExact},
       {"expected", "verdict of the ledger", ColumnKind::kExact},
       {"ledger", "what the ledger says of it", ColumnKind::kExact}});
  out.add_row()
      .set("says", claim.says)
      .set("text", claim.source)
      .set("kind", claim_kind_name(claim.kind))
      .set("how", claim.how)
      .set("expected", verdict_name(claim.expected))
      .set("ledger", claim.ledger);
  return out;
}

}  // namespace

CatalogSection claim_section() {
  CatalogSection out{"claims", "claim", {}};
  for (const Claim& claim : claims()) {
    out.entries.push_back({std::string(claim.name), std::string(claim.says),
                           std::string(claim.source),
                           [&claim] { return std::vector{claim_table(claim)}; }});
  }
  return out;
}

}  // namespace attnlab
