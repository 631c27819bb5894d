package io.gauss.memory.lock;

import io.gauss.storage.map.api.PageBuckets;

/**
 * Name of a locked object.
 *
 * @param id number of the table or object; key of the advisory lock, of two keys the first in the
 *     upper half
 */
public record LockName(Kind kind, long id) {
  private static final int KIND_SHIFT = 58;

  /** Kinds of locked objects. The numbers are part of formats. */
  public enum Kind {
    TABLE(1),
    /** Anything else that DDL changes: schemas, sequences, roles. */
    OBJECT(2),
    /** An advisory lock with one key. */
    ADVISORY(3),
    /** An advisory lock with two keys. */
    ADVISORY_PAIR(4);

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

  /** The advisory lock with this key. */
  public static LockName advisory(long key) {
    return new LockName(Kind.ADVISORY, key);
  }

  /** The advisory lock with these two keys, which is none of those with one. */
  public static LockName advisory(int first, int second) {
    return new LockName(
        Kind.ADVISORY_PAIR, (long) first << Integer.SIZE | Integer.toUnsignedLong(second));
  }

  public boolean isAdvisory() {
    return kind == Kind.ADVISORY || kind == Kind.ADVISORY_PAIR;
  }

  /** Of an advisory lock: the upper half of its key, or the first of its two keys; unsigned. */
  public long upperKey() {
    return id >>> Integer.SIZE;
  }

  /** The lower half, or the second key; unsigned. */
  public long lowerKey() {
    return Integer.toUnsignedLong((int) id);
  }

  /** Number of its keys: the {@code objsubid} of pg_locks. */
  public int keys() {
    return kind == Kind.ADVISORY_PAIR ? 2 : 1;
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
