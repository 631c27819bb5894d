package io.gauss.storage.raft;

import java.io.File;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** Ratis's properties from our settings, with the reason for each that differs from its default. */
final class RatisProperties {
  /** Length and checksum that a log adds around an entry. */
  private static final int ENTRY_FRAME_BYTES = 16;

  /** Ten years. */
  private static final int NEVER_DAYS = 3_650;

  private RatisProperties() {}

  static RaftProperties of(RaftSettings settings) {
    RaftProperties properties = new RaftProperties();
    rpc(properties, settings);
    elections(properties, settings);
    log(properties, settings);
    forgetting(properties);
    requests(properties);
    return properties;
  }

  private static void rpc(RaftProperties properties, RaftSettings settings) {
    RaftConfigKeys.Rpc.setType(properties, new CheckedRpc());
    RaftServerConfigKeys.Rpc.setRequestTimeout(properties, time(settings.requestTimeout()));
  }

  private static void elections(RaftProperties properties, RaftSettings settings) {
    TimeDuration min = time(settings.electionTimeoutMin());
    TimeDuration max = time(settings.electionTimeoutMax());
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, min);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, max);
    // A group that has just been added has no leader to wait for.
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(properties, min.multiply(0.2));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(properties, max.multiply(0.3));
    // A leader without a majority reports to its clients after this time that it does not lead.
    RaftServerConfigKeys.LeaderElection.setLeaderStepDownWaitTime(properties, max.multiply(2.0));
    RaftServerConfigKeys.LeaderElection.setPreVote(properties, true);
    // A process that was paused, for example with its machine, continues. By default a pause of a
    // minute closes the server for good; a leader steps down in any case.
    RaftServerConfigKeys.setCloseThreshold(
        properties, TimeDuration.valueOf(NEVER_DAYS, TimeUnit.DAYS));
  }

  private static void log(RaftProperties properties, RaftSettings settings) {
    File directory = settings.directory().toFile();
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory));
    // The default lies outside the data directory.
    RaftServerConfigKeys.setRemovedGroupsDir(properties, new File(directory, "removed"));
    RaftServerConfigKeys.Log.setSegmentSizeMax(properties, bytes(settings.segmentBytes()));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, bytes(settings.preallocateBytes()));
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(
        properties, bytes(settings.maxEntryBytes()));
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, bytes(settings.maxEntryBytes() + ENTRY_FRAME_BYTES));
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, bytes(settings.cacheBytes()));
    // Entries that only note the commit index double the entries and the forces.
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    // Both acknowledge entries that are not forced. They are off by default, and are set here so
    // that they stay off.
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    // With it a member takes a request for known by its first index alone, and may acknowledge
    // entries that got lost with a connection.
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
  }

  /** A member that is down or slow does not keep the others' logs from being purged. */
  private static void forgetting(RaftProperties properties) {
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
    // Ratis does not transfer files; it notifies the state machine, which fetches the state.
    RaftServerConfigKeys.Log.Appender.setInstallSnapshotEnabled(properties, false);
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, false);
  }

  private static void requests(RaftProperties properties) {
    // Below the limits of the log's queue, so that a submitter is refused and never waits for the
    // queue.
    RaftServerConfigKeys.Write.setByteLimit(properties, SizeInBytes.valueOf("32MB"));
    RaftServerConfigKeys.Write.setElementLimit(properties, 2048);
    // Answers reflect everything committed at the time of the query, not a leader's belief.
    RaftServerConfigKeys.Read.setOption(properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    // Commands are idempotent by their content, so nothing relies on cached answers.
    RaftServerConfigKeys.RetryCache.setExpiryTime(properties, TimeDuration.ONE_SECOND);
  }

  private static TimeDuration time(Duration duration) {
    return TimeDuration.valueOf(duration.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static SizeInBytes bytes(int bytes) {
    return SizeInBytes.valueOf(bytes);
  }
}
