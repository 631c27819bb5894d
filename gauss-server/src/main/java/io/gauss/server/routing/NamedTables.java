package io.gauss.server.routing;

import io.gauss.compute.node.ComputeNode;

/** Tables as a node's catalog has them. */
record NamedTables(ComputeNode node) implements SampleReader.Tables {
  @Override
  public boolean isColumn(int tableOid, String name) {
    return node.isColumn(tableOid, name);
  }

  @Override
  public String name(int oid) {
    return node.tableName(oid);
  }
}
