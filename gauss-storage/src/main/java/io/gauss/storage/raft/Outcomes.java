package io.gauss.storage.raft;

import java.util.concurrent.CompletionException;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;

/** What Ratis's answers say about a command. */
final class Outcomes {
  private Outcomes() {}

  static Submitted of(RaftClientReply reply) {
    return reply.isSuccess()
        ? new Submitted.Applied(reply.getMessage().getContent().asReadOnlyByteBuffer())
        : of(reply.getException());
  }

  static Submitted of(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return switch (cause) {
      case LeaderNotReadyException e -> new Submitted.Busy(e.getMessage());
      case ResourceUnavailableException e -> new Submitted.Busy(e.getMessage());
      // Including NotLeaderException: a leader that steps down returns it for commands in its log.
      default -> new Submitted.Unknown(cause);
    };
  }
}
