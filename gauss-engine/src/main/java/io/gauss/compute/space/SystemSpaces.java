package io.gauss.compute.space;

import io.gauss.common.page.SpaceDirectoryLayout;
import io.gauss.common.page.UndoSpaces;

/**
 * Numbers of the spaces that every database has, except those of undo ({@link UndoSpaces}). Part of
 * the format.
 */
public final class SystemSpaces {
  /** The system space: meta page and space directory. */
  public static final int SYSTEM = SpaceDirectoryLayout.SPACE;

  /** Catalog tables and their indexes: {@code CATALOG} up to {@code CATALOG_END - 1}. */
  public static final int CATALOG = 16;

  public static final int CATALOG_END = UndoSpaces.BEFORE_FIRST;

  /** The first space that {@link Spaces#create} returns. */
  public static final int FIRST_USER = UndoSpaces.END;

  /** Page of the system space that holds the {@link MetaPage}. */
  public static final int META_PAGE = 1;

  private SystemSpaces() {}
}
