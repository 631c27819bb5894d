package io.gauss.common.error;

/**
 * An expected failure that a client gets as an ErrorResponse: SQLSTATE, message, and PostgreSQL's
 * further fields. A broken invariant is not one of these, see {@link
 * io.gauss.common.invariant.Invariant}.
 */
public class GaussException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final SqlState state;
  private String detail;
  private String hint;
  private int position;
  private String context;
  private String schema;
  private String table;
  private String column;
  private String constraint;
  private String dataType;

  public GaussException(SqlState state, String message) {
    super(message);
    this.state = state;
  }

  public GaussException(SqlState state, String message, Throwable cause) {
    super(message, cause);
    this.state = state;
  }

  /** An unsupported feature: 0A000 with its name. */
  public static GaussException notSupported(String what) {
    return new GaussException(SqlState.FEATURE_NOT_SUPPORTED, what + " is not supported");
  }

  public SqlState state() {
    return state;
  }

  public GaussException detail(String text) {
    this.detail = text;
    return this;
  }

  public GaussException hint(String text) {
    this.hint = text;
    return this;
  }

  /**
   * @param oneBased character position in the statement text
   */
  public GaussException position(int oneBased) {
    this.position = oneBased;
    return this;
  }

  /** The statement's position in its input: PostgreSQL's CONTEXT. The innermost one stays. */
  public GaussException context(String text) {
    if (context == null) {
      this.context = text;
    }
    return this;
  }

  public GaussException table(String schemaName, String tableName) {
    this.schema = schemaName;
    this.table = tableName;
    return this;
  }

  public GaussException column(String name) {
    this.column = name;
    return this;
  }

  public GaussException constraint(String name) {
    this.constraint = name;
    return this;
  }

  /** The type that an error is about. */
  public GaussException dataType(String schemaName, String name) {
    this.schema = schemaName;
    this.dataType = name;
    return this;
  }

  public String detail() {
    return detail;
  }

  public String hint() {
    return hint;
  }

  public int position() {
    return position;
  }

  public String context() {
    return context;
  }

  public String schema() {
    return schema;
  }

  public String table() {
    return table;
  }

  public String column() {
    return column;
  }

  public String constraint() {
    return constraint;
  }

  public String dataType() {
    return dataType;
  }
}
