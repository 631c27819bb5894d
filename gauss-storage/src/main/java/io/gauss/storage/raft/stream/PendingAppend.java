package io.gauss.storage.raft.stream;

import io.gauss.storage.api.LogStream.AppendCallback;

/** An append between its caller and its answer. Used in the client's serial only. */
final class PendingAppend {
  enum State {
    WAITING,
    SENT,
    ANSWERED
  }

  final StreamRequest.Append request;
  final long offset;
  final long end;
  final AppendCallback callback;
  State state = State.WAITING;
  StreamAnswer answer;

  /** Tells an answer to this sending from one to an earlier. */
  int sending;

  /** What had been acknowledged when it was sent; the stream can only end above it. */
  long endWhenSent;

  PendingAppend(StreamRequest.Append request, long offset, long end, AppendCallback callback) {
    this.request = request;
    this.offset = offset;
    this.end = end;
    this.callback = callback;
  }
}
