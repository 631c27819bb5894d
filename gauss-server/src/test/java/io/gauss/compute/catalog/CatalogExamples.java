package io.gauss.compute.catalog;

/** Rows of the catalog, for the registry of formats. */
public final class CatalogExamples {
  public static final int VERSION = CatalogCodec.VERSION;

  private CatalogExamples() {}

  public static byte[] schema() {
    return CatalogCodec.encode(new SchemaDef(16_400, "app"));
  }
}
