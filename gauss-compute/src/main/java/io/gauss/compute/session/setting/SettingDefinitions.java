package io.gauss.compute.session.setting;

import static io.gauss.compute.session.setting.SettingDefinition.bool;
import static io.gauss.compute.session.setting.SettingDefinition.number;
import static io.gauss.compute.session.setting.SettingDefinition.oneOf;
import static io.gauss.compute.session.setting.SettingDefinition.readOnly;
import static io.gauss.compute.session.setting.SettingDefinition.text;

import io.gauss.compute.routing.data.RoutingMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** All run-time settings of a session. Settings that are not listed do not exist (42704). */
public final class SettingDefinitions {
  /**
   * The PostgreSQL version that is reported to clients, which choose their catalog queries by it.
   */
  static final String SERVER_VERSION = "15.0";

  /**
   * Settings that are accepted and have no effect, because Gauss always behaves in that way. They
   * are those of docs/settings.md.
   */
  static final List<String> WITHOUT_EFFECT =
      List.of(
          "bytea_output",
          "client_encoding",
          "client_min_messages",
          "extra_float_digits",
          "IntervalStyle",
          "jit",
          "standard_conforming_strings",
          "synchronous_commit");

  /** The setting of SET ROLE; {@link #NO_ROLE} while the session acts as its user. */
  public static final String ROLE = "role";

  public static final String NO_ROLE = "none";
  public static final String SESSION_AUTHORIZATION = "session_authorization";
  public static final String IS_SUPERUSER = "is_superuser";

  private static final int MAX_TIMEOUT_MS = Integer.MAX_VALUE;

  private static final List<SettingDefinition> ALL =
      List.of(
          text("application_name", "", "Name of the application, shown in views."),
          oneOf("bytea_output", "hex", List.of("hex"), "Output format of bytea."),
          readOnly("block_size", "8192", "Bytes in a page."),
          text("client_encoding", "UTF8", "Encoding of the client."),
          oneOf(
              "client_min_messages",
              "notice",
              List.of(
                  "debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning",
                  "error"),
              "Lowest level of messages sent to the client."),
          text("DateStyle", "ISO, MDY", "Format of dates; ISO only."),
          oneOf(
              "default_table_access_method",
              "heap",
              List.of("heap"),
              "How tables are stored; for clients that compare tables with it."),
          oneOf(
              "default_transaction_isolation",
              "read committed",
              List.of("serializable", "repeatable read", "read committed", "read uncommitted"),
              "Isolation level of new transactions."),
          bool("default_transaction_read_only", false, "Whether new transactions are read-only."),
          number("extra_float_digits", 1, "", -15, 3, "Digits of floating-point output."),
          oneOf(
              "gauss.commit_wait",
              "global",
              List.of("global", "local"),
              "Whether a commit is answered when all nodes have heard of it, or when it is"
                  + " durable."),
          bool(
              "gauss.reroute",
              true,
              "Whether this node may forward transactions to others; no effect while it forwards"
                  + " none."),
          oneOf(
              "gauss.routing",
              "off",
              RoutingMode.labels(),
              "How the client chooses the compute node of a transaction; for gauss.routing."),
          number(
              "idle_in_transaction_session_timeout",
              0,
              "ms",
              0,
              MAX_TIMEOUT_MS,
              "A session idle in a transaction for longer is ended; 0 = never."),
          readOnly("in_hot_standby", "off", "Whether this is a standby."),
          readOnly("integer_datetimes", "on", "Timestamps are 64-bit integers."),
          oneOf("IntervalStyle", "postgres", List.of("postgres"), "Format of intervals."),
          readOnly(IS_SUPERUSER, "on", "Whether the current user is a superuser."),
          bool("jit", false, "Just-in-time compilation of expressions."),
          readOnly("lc_collate", "C", "Collation order."),
          readOnly("lc_ctype", "C.UTF-8", "Character classes."),
          number(
              "lock_timeout", 0, "ms", 0, MAX_TIMEOUT_MS, "Longest wait for a lock; 0 = for ever."),
          number(
              "log_min_duration_statement",
              -1,
              "ms",
              -1,
              MAX_TIMEOUT_MS,
              "Statements that take as long are logged; 0 = all, -1 = none."),
          number(
              "maintenance_work_mem",
              65536,
              "kB",
              1024,
              Integer.MAX_VALUE,
              "Memory of the sort for a new index or key before it spills to disk."),
          readOnly("max_identifier_length", "63", "Longest name in bytes."),
          readOnly("max_index_keys", "32", "Most columns in an index."),
          text(ROLE, NO_ROLE, "Role set by SET ROLE."),
          text(SearchPath.SETTING, SearchPath.DEFAULT, "Schemas that names are looked up in."),
          readOnly("server_encoding", "UTF8", "Encoding of the database."),
          readOnly("server_version", SERVER_VERSION, "PostgreSQL version that is followed."),
          readOnly("server_version_num", "150000", "PostgreSQL version that is followed."),
          text(SESSION_AUTHORIZATION, "gauss", "User of the session."),
          oneOf("standard_conforming_strings", "on", List.of("on"), "Backslashes are ordinary."),
          number(
              "statement_timeout", 0, "ms", 0, MAX_TIMEOUT_MS, "Longest statement; 0 = no bound."),
          oneOf(
              "synchronous_commit",
              "on",
              List.of("on", "remote_apply", "remote_write", "local", "off"),
              "Commits always wait for the log."),
          text("TimeZone", "UTC", "Time zone of timestamptz output."),
          oneOf(
              "transaction_isolation",
              "read committed",
              List.of("serializable", "repeatable read", "read committed", "read uncommitted"),
              "Isolation level of the current transaction."),
          bool("transaction_read_only", false, "Whether the current transaction is read-only."),
          number(
              "work_mem",
              4096,
              "kB",
              64,
              Integer.MAX_VALUE,
              "Memory of one sort, hash or materialisation before it spills to disk."));

  private static final Map<String, SettingDefinition> BY_NAME = new HashMap<>();

  static {
    for (SettingDefinition definition : ALL) {
      BY_NAME.put(definition.name().toLowerCase(Locale.ROOT), definition);
    }
  }

  private SettingDefinitions() {}

  /** The definition, or null when there is no such setting. Names are case-insensitive. */
  public static SettingDefinition find(String name) {
    return BY_NAME.get(name.toLowerCase(Locale.ROOT));
  }

  /** All, in order of name. */
  public static List<SettingDefinition> all() {
    List<SettingDefinition> sorted = new ArrayList<>(ALL);
    sorted.sort((a, b) -> a.name().compareToIgnoreCase(b.name()));
    return sorted;
  }
}
