package io.gauss.bench;

/**
 * A load of clients with PostgreSQL's driver.
 *
 * @param simple whether statements are sent as texts with their parameters in them, and nothing is
 *     prepared
 */
public record RerouteLoad(String name, Workload workload, boolean simple) {
  /** The URL of a client of the node at an address. */
  String url(String address) {
    return "jdbc:postgresql://" + address + "/gauss" + (simple ? "?preferQueryMode=simple" : "");
  }

  /** The URL by which the tables are loaded. */
  String loadingUrl(String address) {
    return "jdbc:postgresql://" + address + "/gauss?reWriteBatchedInserts=true";
  }
}
