package io.gauss.storage.map.command;

import io.gauss.storage.map.api.BucketSet;
import java.util.List;

/** The result of a command. */
public sealed interface MapResult {

  /** Done, now or by an earlier, equal command. */
  record Done() implements MapResult {}

  /**
   * Answer to {@link MapCommand.Register}.
   *
   * @param slot of a compute node, else 0
   * @param leaseMillis duration of the lease, counted from when the command was sent; 0 = none
   */
  record Registered(int node, int slot, int epoch, int leaseMillis) implements MapResult {}

  /** Answers to {@link MapCommand.RenewLeases}, in the same order. */
  record Renewed(List<RenewalAnswer> answers) implements MapResult {
    public Renewed {
      answers = List.copyOf(answers);
    }
  }

  /** Outcome of a renewal. The numbers are part of formats. */
  enum RenewalAnswer {
    GRANTED(1),
    /** The epoch is over: the node must stop, and join again. */
    DEAD(2),
    /** The node is to stop; its lease is not renewed. */
    EVICTED(3);

    private final int id;

    RenewalAnswer(int id) {
      this.id = id;
    }

    public int id() {
      return id;
    }

    /**
     * The answer of this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static RenewalAnswer of(int id) {
      for (RenewalAnswer answer : values()) {
        if (answer.id == id) {
          return answer;
        }
      }
      throw new IllegalArgumentException("answer to a renewal " + id);
    }
  }

  /**
   * Done for some of the buckets or slices that the command names.
   *
   * @param skipped those for which nothing changed
   * @param message why the first of them was skipped
   */
  record AllBut(BucketSet skipped, Refusal why, String message) implements MapResult {}

  /** Nothing changed. */
  record Refused(Refusal why, String message) implements MapResult {}

  /** The reason for a refusal, for programs. The numbers are part of formats. */
  enum Refusal {
    /** It can never succeed as it is. */
    INVALID(1),
    /** The epoch of the sender, or of the node it names, is over or unknown. */
    WRONG_EPOCH(2),
    /** Something else has to happen first; the same command may succeed later. */
    NOT_YET(3),
    /** A renewal came in between. */
    RENEWED(4),
    /** There is no cluster yet, or this node belongs to another one. */
    WRONG_CLUSTER(5),
    /** The node's build does not know the cluster's formats. */
    UNKNOWN_FORMAT(6);

    private final int id;

    Refusal(int id) {
      this.id = id;
    }

    public int id() {
      return id;
    }

    /**
     * The refusal of this number.
     *
     * @throws IllegalArgumentException when there is none
     */
    public static Refusal of(int id) {
      for (Refusal refusal : values()) {
        if (refusal.id == id) {
          return refusal;
        }
      }
      throw new IllegalArgumentException("refusal " + id);
    }
  }

  static MapResult done() {
    return new Done();
  }

  static MapResult invalid(String message) {
    return new Refused(Refusal.INVALID, message);
  }

  static MapResult wrongEpoch(int node, int epoch) {
    return new Refused(
        Refusal.WRONG_EPOCH, "epoch " + epoch + " of node " + node + " is over or unknown");
  }

  static MapResult notYet(String message) {
    return new Refused(Refusal.NOT_YET, message);
  }
}
