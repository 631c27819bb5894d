package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.TransportException;
import io.gauss.common.transport.TransportException.Reason;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.peer.PeerListener;
import io.gauss.compute.peer.PeerNodes;
import io.gauss.compute.session.wire.ActivityLayout;
import io.gauss.compute.session.wire.ActivityLayout.Activity;
import io.gauss.compute.sql.state.SystemState.NotifyRow;
import io.gauss.compute.sql.state.SystemState.SessionRow;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Questions to other nodes, of which one answers and one does not. */
class ClusterSessionsTest {
  private static final int SELF = 1;
  private static final int ANSWERS = 2;
  private static final int SILENT = 3;
  private static final Activity ACTIVITY =
      new Activity(
          List.of(new SessionRow(20_000_001, "gauss", null, null, "idle", "SELECT 1", null)),
          List.of(),
          List.of(),
          new NotifyRow(1, 2, 3, 4, 5, 6, 7, 8));

  private final ClusterSessions sessions = new ClusterSessions(null, new TwoOthers());
  private final EngineContext ctx = new EngineContext(null);

  private static final class TwoOthers implements PeerNodes {
    @Override
    public int self() {
      return SELF;
    }

    @Override
    public Answerer answerer(int slot) {
      return new Answerer(slot, 1);
    }

    @Override
    public boolean has(int node) {
      return node == ANSWERS || node == SILENT;
    }

    @Override
    public boolean has(int node, int epoch) {
      return has(node);
    }

    @Override
    public CompletableFuture<ByteBuf> call(
        int node, MessageType type, ByteBuf payload, long timeoutNanos) {
      payload.release();
      return node == ANSWERS
          ? CompletableFuture.completedFuture(ActivityLayout.write(allocator().buffer(), ACTIVITY))
          : CompletableFuture.failedFuture(
              new TransportException(Reason.TIMEOUT, true, "no answer"));
    }

    @Override
    public void send(int node, MessageType type, ByteBuf payload) {
      throw new AssertionError("nothing is sent that has no answer");
    }

    @Override
    public void send(int node, int epoch, MessageType type, ByteBuf payload) {
      send(node, type, payload);
    }

    @Override
    public ByteBufAllocator allocator() {
      return UnpooledByteBufAllocator.DEFAULT;
    }

    @Override
    public void addListener(PeerListener listener) {
      throw new AssertionError("nobody listens");
    }
  }

  @Test
  void aNodeThatDoesNotAnswerIsThereWithoutSessions() {
    assertEquals(Map.of(ANSWERS, List.of(ACTIVITY), SILENT, List.of()), sessions.others(ctx));
  }

  @Test
  void aSignalToANodeThatDoesNotAnswerFails() {
    GaussException e =
        assertThrows(GaussException.class, () -> sessions.cancel(ctx, 30_000_007, 10));
    assertEquals(SqlState.CANNOT_CONNECT_NOW, e.state());
  }

  @Test
  void sessionsOfNodesThatAreNotThereAreNobody() {
    assertFalse(sessions.cancel(ctx, 40_000_007, 10));
    assertFalse(sessions.cancel(ctx, 7, 10));
    assertFalse(sessions.cancel(ctx, Integer.MAX_VALUE, 10));
    assertFalse(sessions.terminate(ctx, -1, 10, 1_000));
    assertFalse(sessions.cancel(ctx, 10_000_007, 10));
  }
}
