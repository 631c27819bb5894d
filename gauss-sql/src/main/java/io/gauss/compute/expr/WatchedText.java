package io.gauss.compute.expr;

/**
 * A text that a regular expression is matched against. Some expressions take time exponential in
 * the length of the text, and java.util.regex cannot be interrupted. But it reads the text
 * character by character, so reading checks whether the session may continue.
 *
 * <p>Used by one thread at a time.
 */
public final class WatchedText implements CharSequence {
  private static final int READS_BETWEEN_CHECKS = 1 << 16;

  private final String text;
  private final Runnable longWork;
  private int reads;

  public WatchedText(String text, Runnable longWork) {
    this.text = text;
    this.longWork = longWork;
  }

  @Override
  public char charAt(int index) {
    if (++reads == READS_BETWEEN_CHECKS) {
      reads = 0;
      longWork.run();
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
