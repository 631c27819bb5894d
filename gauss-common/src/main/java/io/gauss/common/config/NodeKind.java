package io.gauss.common.config;

import java.util.Locale;

/** The kinds of nodes that have settings, with their names on the command line. */
public enum NodeKind {
  COMPUTE,
  MEMORY,
  STORAGE;

  /** In lower case, as it is typed. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
