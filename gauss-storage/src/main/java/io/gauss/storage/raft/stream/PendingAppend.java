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

  /** Distinguishes an answer to this sending from one to an earlier sending. */
  int sending;

  /** The acknowledged end when it was sent; the stream's end can only be at or above it. */
  long endWhenSent;

  PendingAppend(StreamRequest.Append request, long offset, long end, AppendCallback callback) {
    this.request = request;
    this.offset = offset;
    this.end = end;
    this.callback = callback;
  }
}
