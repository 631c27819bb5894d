package io.gauss.memory.lock;

import io.gauss.memory.bucket.PageBuckets;

/**
 * Name of a locked object.
 *
 * @param id number of the table or object, key of the advisory lock
 */
public record LockName(Kind kind, long id) {
  private static final int KIND_SHIFT = 58;

  /** Kinds of locked objects. The numbers are part of formats. */
  public enum Kind {
    TABLE(1),
    /** Anything else that DDL changes: schemas, sequences, roles. */
    OBJECT(2),
    ADVISORY(3);

    private static final Kind[] ALL = values();

    private final int id;

    Kind(int id) {
      this.id = id;
    }

    public int id() {
      return id;
    }

    /**
     * The kind of this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Kind of(int id) {
      if (id < 1 || id > ALL.length) {
        throw new IllegalArgumentException("kind " + id + " of a lock");
      }
      return ALL[id - 1];
    }
  }

  /** The bucket whose home decides about the lock. */
  public int bucket() {
    return PageBuckets.ofKey(id ^ (long) kind.id() << KIND_SHIFT);
  }

  /** The same in each run, which an enum's own is not: locks are iterated. */
  @Override
  public int hashCode() {
    return 31 * Long.hashCode(id) + kind.id();
  }

  @Override
  public String toString() {
    return kind + " " + id;
  }
}
