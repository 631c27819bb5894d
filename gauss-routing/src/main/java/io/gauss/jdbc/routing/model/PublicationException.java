package io.gauss.jdbc.routing.model;

/** Published bytes that cannot be used. The present publication stays in use. */
public final class PublicationException extends Exception {
  private static final long serialVersionUID = 1;

  /** Why they cannot. */
  public enum Reason {
    /** Not a publication, or one of another kind. */
    NOT_ONE,
    /** A format that this version does not know. */
    TOO_NEW,
    /** Larger than allowed. */
    TOO_LARGE,
    /** Not all of it is there. */
    TRUNCATED,
    /** Its checksum does not match. */
    CORRUPT,
    /** Its parts are inconsistent. */
    INVALID,
    /** Not newer than the one in use. */
    STALE
  }

  private final Reason reason;

  public PublicationException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Why the bytes cannot be used. */
  Reason reason() {
    return reason;
  }
}
