package io.gauss.compute.catalog;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Privileges on relations, schemas and types, with the letters that PostgreSQL's access lists use.
 */
public enum Privilege {
  INSERT('a'),
  SELECT('r'),
  UPDATE('w'),
  DELETE('d'),
  TRUNCATE('D'),
  REFERENCES('x'),
  TRIGGER('t'),
  USAGE('U'),
  CREATE('C');

  /** Kinds of objects that privileges are granted on. */
  public enum ObjectKind {
    TABLE(EnumSet.range(INSERT, TRIGGER)),
    SEQUENCE(EnumSet.of(SELECT, UPDATE, USAGE)),
    SCHEMA(EnumSet.of(USAGE, CREATE)),
    TYPE(EnumSet.of(USAGE));

    private final Set<Privilege> privileges;

    ObjectKind(Set<Privilege> privileges) {
      this.privileges = privileges;
    }

    /** Privileges that exist for this kind. */
    public Set<Privilege> privileges() {
      return privileges;
    }

    public int all() {
      return mask(privileges);
    }

    /** Its name in messages. */
    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private final char letter;

  Privilege(char letter) {
    this.letter = letter;
  }

  char letter() {
    return letter;
  }

  public int bit() {
    return 1 << ordinal();
  }

  public static int mask(Set<Privilege> privileges) {
    int mask = 0;
    for (Privilege privilege : privileges) {
      mask |= privilege.bit();
    }
    return mask;
  }

  /** Null when there is no such privilege. */
  public static Privilege find(String name) {
    for (Privilege privilege : values()) {
      if (privilege.name().equalsIgnoreCase(name)) {
        return privilege;
      }
    }
    return null;
  }
}
