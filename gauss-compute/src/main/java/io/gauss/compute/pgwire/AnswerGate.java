package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.common.invariant.Invariant;

/**
 * Whether this node may answer its clients (law 10: no lease, no answer). Checked before every
 * answer. While it is temporarily shut, answers are held, and sent when it opens again; when it
 * stays shut for too long, or for good, the client gets the reason and its connection ends.
 *
 * <p>Thread-safe.
 */
public interface AnswerGate {
  /** Of a node that depends on no other. */
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

  /** Called for every statement: costs no more than reading the clock. */
  boolean isOpen();

  /** While it is shut: how long an answer is held in total; 0 when it never opens again. */
  long patienceNanos();

  /** The error that clients get instead of their answers. */
  GaussException why();
}
