package io.gauss.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A benchmark: its tables, its transactions, and the conditions that must hold afterwards. Runs
 * over plain JDBC.
 */
public interface Workload {
  String name();

  /** Names of the transaction kinds; {@link Terminal#runOne} returns an index into them. */
  List<String> kinds();

  /** Drops and creates the tables. */
  void createSchema(Connection connection) throws SQLException;

  /** Parts that can be loaded in parallel. */
  int loadParts();

  /** Loads one part; the connection is not in autocommit mode and is committed at the end. */
  void loadPart(Connection connection, int part, SplittableRandom random) throws SQLException;

  /** After all parts: indexes, foreign keys, statistics. */
  void finishLoad(Connection connection) throws SQLException;

  /** Whether tables of this size exist already. */
  boolean isLoaded(Connection connection) throws SQLException;

  /**
   * The group of a terminal: terminals of a group belong together, and on the same node if each has
   * one.
   */
  default int group(int terminal) {
    return terminal;
  }

  /** A client with a separate connection, in the transaction mode that the workload needs. */
  Terminal newTerminal(Connection connection, int id, SplittableRandom random) throws SQLException;

  /** Consistency conditions after the run; a message for each that does not hold. */
  List<String> violations(Connection connection) throws SQLException;

  /** Runs transactions one after the other on one thread. */
  interface Terminal {
    /**
     * Runs one transaction to its commit.
     *
     * @return its kind
     * @throws SQLException when it failed; the runner rolls back
     */
    int runOne() throws SQLException;

    /** Kind of the transaction that was begun last, for counting failures. */
    int currentKind();
  }
}
