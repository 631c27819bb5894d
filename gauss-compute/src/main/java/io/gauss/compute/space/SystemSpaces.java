package io.gauss.compute.space;

/** Numbers of the spaces that every database has. Part of the format. */
public final class SystemSpaces {
  /** The system space: meta page and space directory. */
  public static final int SYSTEM = 1;

  /** Undo segments and transaction tables lie in {@link #UNDO_COUNT} spaces from here on. */
  public static final int UNDO = 2;

  public static final int UNDO_COUNT = 2;

  /** Catalog tables and their indexes: {@code CATALOG} up to {@code CATALOG_END - 1}. */
  public static final int CATALOG = 16;

  public static final int CATALOG_END = 128;

  /** The first space that {@link Spaces#create} gives out. */
  public static final int FIRST_USER = CATALOG_END;

  /** Page of the system space that holds the {@link MetaPage}. */
  public static final int META_PAGE = 1;

  private SystemSpaces() {}
}
