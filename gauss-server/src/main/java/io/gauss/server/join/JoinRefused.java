package io.gauss.server.join;

/** The machine does not become a node, and is told why. */
public final class JoinRefused extends RuntimeException {
  private static final long serialVersionUID = 1;

  public JoinRefused(String why) {
    super(why);
  }
}
