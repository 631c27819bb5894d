package io.gauss.server;

import io.gauss.server.join.ClusterAuthority;
import io.gauss.server.join.JoinToken;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Tokens with which other machines become nodes of this machine's cluster. For one thread. */
final class JoinTokens {
  private static final int MOST_MINUTES = 7 * 24 * 60;

  private final NodeDescription node;
  private final ClusterAuthority authority;
  private final Instant now;
  private final Instant expires;

  private JoinTokens(
      NodeDescription node, ClusterAuthority authority, Instant now, Instant expires) {
    this.node = node;
    this.authority = authority;
    this.now = now;
    this.expires = expires;
  }

  /**
   * @param data directory of the node, with its links followed
   * @param minutes for how long they are good
   * @throws RefusedException when the node does not give out tokens
   */
  static JoinTokens of(Path data, int minutes) throws IOException {
    if (minutes < 1 || minutes > MOST_MINUTES) {
      throw new RefusedException("--minutes " + minutes + ": 1 to " + MOST_MINUTES);
    }
    NodeDescription node =
        NodeDescription.read(data)
            .orElseThrow(
                () ->
                    new RefusedException(
                        data
                            + " is not the directory of a node of a cluster of machines; such a"
                            + " cluster begins with `gauss up --advertise HOST --data` and an empty"
                            + " directory"));
    if (!ClusterAuthority.isIn(data)) {
      throw new RefusedException(
          "tokens are given out on the machine where the cluster began, which has its certificate"
              + " authority; this is node "
              + node.node());
    }
    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    return new JoinTokens(
        node, ClusterAuthority.open(data), now, now.plus(Duration.ofMinutes(minutes)));
  }

  /** A new one, good once. */
  JoinToken give() {
    return authority.tokens().give(node.host(), node.joinPort(), expires, now);
  }

  Instant expires() {
    return expires;
  }

  /** The command that is typed on the other machine. */
  String command(String token) {
    return "./gauss join %s:%d --token %s --advertise ITS-HOST --data DIR"
        .formatted(node.host(), node.joinPort(), token);
  }
}
