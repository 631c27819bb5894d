package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.invariant.Invariant;

/**
 * Whether this node may tell its clients anything (law 10: no lease, no answer). Asked before every
 * answer. While it is shut for now, answers are held, and given when it opens again; when it stays
 * shut for longer than that, or is shut for good, the client is told why and its connection ends.
 *
 * <p>Thread-safe.
 */
public interface AnswerGate {
  /** Of a node that depends on nobody. */
  AnswerGate ALWAYS_OPEN =
      new AnswerGate() {
        @Override
        public boolean isOpen() {
          return true;
        }

        @Override
        public long patienceNanos() {
          return 0;
        }

        @Override
        public GaussException why() {
          throw Invariant.broken("nothing is held: the gate is open");
        }
      };

  /** For the path of every statement: no more than a reading of the clock. */
  boolean isOpen();

  /** While it is shut: for how long an answer is held in all; 0 when it never opens again. */
  long patienceNanos();

  /** What clients are told instead of their answers. */
  GaussException why();
}
