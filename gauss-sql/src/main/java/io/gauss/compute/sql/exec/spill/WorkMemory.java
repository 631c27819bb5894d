package io.gauss.compute.sql.exec.spill;

/**
 * The budget and the disk of a statement whose rows may not fit into memory: sorts, hash tables and
 * spools hold rows up to the budget and write the rest to temporary files.
 */
public interface WorkMemory {
  /** Bytes that one sort, hash table or spool may use before it spills. */
  long workMemoryBytes();

  TemporaryFiles temporaryFiles();

  /**
   * To be called before each access to a temporary file.
   *
   * @throws RuntimeException when the statement must not wait now, or has to stop
   */
  void beforeWait();
}
