package io.gauss.bench.raft;

import io.gauss.storage.raft.GroupId;
import io.gauss.storage.raft.GroupMember;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.rpc.SupportedRpcType;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/** Ratis as it comes: its own client, and one entry per record. */
final class PlainRatis implements Committers.Log, Closeable {
  private static final int OUTSTANDING = 4096;

  private final RaftClient client;
  private final ByteString record;

  PlainRatis(GroupId group, List<GroupMember> members, SupportedRpcType rpc, int recordBytes) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, rpc);
    RaftClientConfigKeys.Async.setOutstandingRequestsMax(properties, OUTSTANDING);
    List<RaftPeer> peers =
        members.stream()
            .map(
                m ->
                    RaftPeer.newBuilder()
                        .setId("s" + m.node())
                        .setAddress(m.host() + ":" + m.port())
                        .setPriority(m.priority())
                        .build())
            .toList();
    client =
        RaftClient.newBuilder()
            .setProperties(properties)
            .setRaftGroup(RaftGroup.valueOf(RaftGroupId.valueOf(group.uuid()), peers))
            .setLeaderId(peers.getFirst().getId())
            .build();
    record = ByteString.copyFrom(new byte[recordBytes]);
  }

  @Override
  public void commit(Runnable durable) {
    client
        .async()
        .send(Message.valueOf(record))
        .whenComplete(
            (reply, failure) -> {
              if (failure != null || !reply.isSuccess()) {
                throw new IllegalStateException("plain Ratis: " + reply, failure);
              }
              durable.run();
            });
  }

  @Override
  public void close() throws IOException {
    client.close();
  }

  /** Accepts every entry and does nothing with it. */
  static final class Machine extends BaseStateMachine {
    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
      var entry = transaction.getLogEntry();
      updateLastAppliedTermIndex(entry.getTerm(), entry.getIndex());
      return CompletableFuture.completedFuture(Message.EMPTY);
    }
  }
}
