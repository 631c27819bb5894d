package io.gauss.server.architecture.example.open;

/** Has members that the test of visibility has to find, and some that it must leave alone. */
public class TooOpen implements Comparable<TooOpen> {
  public int nobodysField;

  public TooOpen(int ignored) {
    nobodysField = ignored;
  }

  public TooOpen(String used) {
    this(used.length() + new OnlyHere(1).part());
  }

  public int usedByAnother() {
    return ofItsPackage();
  }

  public int ofItsPackage() {
    return nobodysField;
  }

  protected void nobodys() {}

  @Override
  public int compareTo(TooOpen other) {
    return 0;
  }

  /** Of which sources elsewhere have the name, and class files nothing. */
  public static final class Constants {
    public static final int COPIED = 1;

    private Constants() {}
  }

  /** Of which nobody has the name. */
  public static final class MoreConstants {
    public static final int COPIED = 2;

    private MoreConstants() {}
  }

  /** A type that nobody outside of the package needs, with what its compiler adds. */
  public record OnlyHere(int part) {}
}
