package io.gauss.storage.raft;

import java.io.IOException;
import java.util.Optional;
import java.util.function.LongFunction;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;

/** The log of a member in Ratis. */
record RatisLog(RaftServer.Division division) implements GroupLog {
  @Override
  public long committedIndex() {
    return division.getRaftLog().getLastCommittedIndex();
  }

  @Override
  public long nextIndex() {
    return division.getRaftLog().getNextIndex();
  }

  @Override
  public Entry entry(long index) throws IOException {
    LogEntryProto proto = division.getRaftLog().get(index);
    return proto == null
        ? null
        : new Entry(
            new LogPosition(proto.getTerm(), proto.getIndex()),
            proto.hasStateMachineLogEntry()
                ? proto.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer()
                : null,
            proto.getSerializedSize(),
            proto::toByteArray);
  }

  @Override
  public LogPosition position(long index) {
    return position(division.getRaftLog().getTermIndex(index));
  }

  static LogPosition position(TermIndex of) {
    return of == null ? null : new LogPosition(of.getTerm(), of.getIndex());
  }

  @Override
  public long[] followersNext() {
    return division.getInfo().getFollowerNextIndices();
  }

  @Override
  public Optional<SegmentRepair.Repaired> repair(long index, LongFunction<byte[]> intact)
      throws IOException {
    return SegmentRepair.repair(division, index, intact);
  }
}
