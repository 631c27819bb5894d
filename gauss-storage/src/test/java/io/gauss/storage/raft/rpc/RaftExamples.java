package io.gauss.storage.raft.rpc;

import io.gauss.common.transport.MessageType;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto.NotificationProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftGroupIdProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexReplyProto;
import org.apache.ratis.proto.RaftProtos.ReadIndexRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.proto.RaftProtos.TermIndexProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.MessageLite;

/** Messages between members of Raft groups, by type: the question, then the answer. */
public final class RaftExamples {
  private static final RaftRpcRequestProto ASKS =
      RaftRpcRequestProto.newBuilder()
          .setRequestorId(ByteString.copyFromUtf8("s201"))
          .setReplyId(ByteString.copyFromUtf8("s202"))
          .setRaftGroupId(RaftGroupIdProto.newBuilder().setId(ByteString.copyFrom(new byte[16])))
          .setCallId(5)
          .build();
  private static final RaftRpcReplyProto SAYS =
      RaftRpcReplyProto.newBuilder()
          .setRequestorId(ByteString.copyFromUtf8("s201"))
          .setReplyId(ByteString.copyFromUtf8("s202"))
          .setCallId(5)
          .setSuccess(true)
          .build();
  private static final TermIndexProto BEFORE =
      TermIndexProto.newBuilder().setTerm(3).setIndex(8).build();

  static final AppendEntriesRequestProto HEARTBEAT =
      AppendEntriesRequestProto.newBuilder()
          .setServerRequest(ASKS)
          .setLeaderTerm(3)
          .setPreviousLog(BEFORE)
          .setLeaderCommit(7)
          .build();
  static final AppendEntriesReplyProto HEARD =
      AppendEntriesReplyProto.newBuilder()
          .setServerReply(SAYS)
          .setTerm(3)
          .setNextIndex(10)
          .setMatchIndex(9)
          .setFollowerCommit(7)
          .build();
  static final AppendEntriesRequestProto ENTRY =
      HEARTBEAT.toBuilder()
          .addEntries(
              LogEntryProto.newBuilder()
                  .setTerm(3)
                  .setIndex(9)
                  .setStateMachineLogEntry(
                      StateMachineLogEntryProto.newBuilder()
                          .setLogData(ByteString.copyFromUtf8("abc"))))
          .build();

  private RaftExamples() {}

  public static Map<MessageType, List<ByteBuf>> all() {
    Map<MessageType, List<ByteBuf>> all = new LinkedHashMap<>();
    all.put(StorageMessages.RAFT_APPEND, List.of(message(ENTRY), message(HEARD)));
    all.put(
        StorageMessages.RAFT_HEARTBEATS,
        List.of(message(HEARTBEAT, HEARTBEAT), message(null, HEARD)));
    all.put(
        StorageMessages.RAFT_VOTE,
        List.of(
            message(
                RequestVoteRequestProto.newBuilder()
                    .setServerRequest(ASKS)
                    .setCandidateTerm(4)
                    .setCandidateLastEntry(BEFORE)
                    .setPreVote(true)
                    .build()),
            message(
                RequestVoteReplyProto.newBuilder()
                    .setServerReply(SAYS)
                    .setTerm(4)
                    .setLastEntry(BEFORE)
                    .build())));
    all.put(
        StorageMessages.RAFT_INSTALL,
        List.of(
            message(
                InstallSnapshotRequestProto.newBuilder()
                    .setServerRequest(ASKS)
                    .setLeaderTerm(3)
                    .setNotification(
                        NotificationProto.newBuilder().setFirstAvailableTermIndex(BEFORE))
                    .build()),
            message(
                InstallSnapshotReplyProto.newBuilder()
                    .setServerReply(SAYS)
                    .setTerm(3)
                    .setResult(InstallSnapshotResult.SNAPSHOT_INSTALLED)
                    .setSnapshotIndex(8)
                    .build())));
    all.put(
        StorageMessages.RAFT_STAND,
        List.of(
            message(
                StartLeaderElectionRequestProto.newBuilder()
                    .setServerRequest(ASKS)
                    .setLeaderLastEntry(BEFORE)
                    .build()),
            message(StartLeaderElectionReplyProto.newBuilder().setServerReply(SAYS).build())));
    all.put(
        StorageMessages.RAFT_READ,
        List.of(
            message(ReadIndexRequestProto.newBuilder().setServerRequest(ASKS).build()),
            message(
                ReadIndexReplyProto.newBuilder().setServerReply(SAYS).setReadIndex(7).build())));
    return all;
  }

  static ByteBuf message(MessageLite... parts) {
    return RaftMessageLayout.writeParts(UnpooledByteBufAllocator.DEFAULT, parts);
  }
}
