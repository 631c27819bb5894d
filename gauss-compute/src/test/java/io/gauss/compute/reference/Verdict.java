package io.gauss.compute.reference;

/** How Gauss's answer stands to PostgreSQL's. */
enum Verdict {
  SAME_RESULT("same result"),
  /** The same SQLSTATE; texts may differ. */
  SAME_ERROR("same error"),
  DIFFERENT("different"),
  /** Refused with 0A000 where PostgreSQL does it. */
  UNSUPPORTED("unsupported"),
  /** Differs because an object is missing or was left as it was by an earlier statement. */
  CONSEQUENCE("consequence of an earlier one"),
  /** Not compared: what a statement shows is no matter of SQL, as with EXPLAIN. */
  NOT_COMPARED("not compared");

  private final String title;

  Verdict(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
