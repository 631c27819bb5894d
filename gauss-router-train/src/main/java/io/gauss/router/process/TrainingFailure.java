package io.gauss.router.process;

import java.util.Locale;

/** In which ways a process can fail to train. */
public enum TrainingFailure {
  /** It could not be started. */
  START,
  /** It has ended, or was killed. */
  ENDED,
  /** It did not answer in time, and was killed. */
  LATE,
  /** What it has sent is no answer. */
  RUBBISH,
  /** It says that training has failed. */
  FAILED,
  /** It says that there is no PyTorch. */
  NO_ENGINE;

  /** As metrics name it. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
