package io.gauss.storage.raft.stream;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A state machine's answer to a command, as bytes within one process: from the state machine
 * through the group to the service on the same node.
 */
final class StreamAnswers {
  private static final int APPENDED = 1;
  private static final int WRONG_OFFSET = 2;
  private static final int FENCED = 3;
  private static final int STATE = 4;
  private static final int SUBSCRIBED = 5;
  private static final int BYTES = 1 + 3 * 8 + 4;

  private StreamAnswers() {}

  static ByteBuffer encode(StreamAnswer answer) {
    ByteBuffer to = ByteBuffer.allocate(BYTES).order(ByteOrder.LITTLE_ENDIAN);
    switch (answer) {
      case StreamAnswer.Appended appended -> to.put((byte) APPENDED).putLong(appended.endOffset());
      case StreamAnswer.WrongOffset wrong -> to.put((byte) WRONG_OFFSET).putLong(wrong.endOffset());
      case StreamAnswer.Fenced fenced -> to.put((byte) FENCED).putInt(fenced.epoch());
      case StreamAnswer.State state -> {
        StreamInfo info = state.info();
        to.put((byte) STATE).putLong(info.start()).putLong(info.end());
        to.putLong(info.lastLsn()).putInt(info.epoch());
      }
      case StreamAnswer.Subscribed subscribed ->
          to.put((byte) SUBSCRIBED)
              .putLong(subscribed.start())
              .putLong(subscribed.tenure())
              .putLong(subscribed.from());
      default -> throw new IllegalArgumentException("not a state machine's answer: " + answer);
    }
    return to.position(0);
  }

  static StreamAnswer decode(ByteBuffer bytes) {
    ByteBuffer from = bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    int kind = from.get();
    return switch (kind) {
      case APPENDED -> new StreamAnswer.Appended(from.getLong());
      case WRONG_OFFSET -> new StreamAnswer.WrongOffset(from.getLong());
      case FENCED -> new StreamAnswer.Fenced(from.getInt());
      case STATE ->
          new StreamAnswer.State(
              new StreamInfo(from.getLong(), from.getLong(), from.getLong(), from.getInt()));
      case SUBSCRIBED ->
          new StreamAnswer.Subscribed(from.getLong(), from.getLong(), from.getLong());
      default -> throw new IllegalStateException("answer " + kind);
    };
  }
}
