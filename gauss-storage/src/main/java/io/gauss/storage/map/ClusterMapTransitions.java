package io.gauss.storage.map;

import io.gauss.storage.map.api.ClusterMap;
import io.gauss.storage.map.command.MapCommand;
import io.gauss.storage.map.command.MapResult;
import io.gauss.storage.map.command.MapResult.Refusal;
import io.gauss.storage.map.command.MapResult.Refused;

/**
 * The cluster map's state machine: map and command to map and result. A pure function without
 * clocks, randomness or I/O, so that all replicas compute the same map and tests can explore it
 * exhaustively.
 *
 * <p>A command that is out of date, repeated or impossible gets an answer, never an exception: an
 * exception here would stop every replica alike.
 */
public final class ClusterMapTransitions {
  private ClusterMapTransitions() {}

  /**
   * Outcome of a command.
   *
   * @param map the same object as before when nothing changed
   */
  public record Applied(ClusterMap map, MapResult result) {}

  /** Applies one command. */
  public static Applied apply(ClusterMap map, MapCommand command) {
    if (!map.isInitialised() && !(command instanceof MapCommand.InitCluster)) {
      return new Applied(map, new Refused(Refusal.WRONG_CLUSTER, "there is no cluster yet"));
    }
    MapDraft draft = new MapDraft(map);
    MapResult result = change(draft, command);
    if (result instanceof Refused) {
      return new Applied(map, result);
    }
    DeathRules.raiseFloor(draft);
    return new Applied(draft.build(), result);
  }

  private static MapResult change(MapDraft draft, MapCommand command) {
    return switch (command) {
      case MapCommand.InitCluster c -> ClusterRules.init(draft, c);
      case MapCommand.ChangeSetting c -> ClusterRules.changeSetting(draft, c);
      case MapCommand.Register c -> JoinRules.register(draft, c);
      case MapCommand.AcknowledgeJoin c -> JoinRules.acknowledge(draft, c);
      case MapCommand.FinishJoin c -> JoinRules.finish(draft, c);
      case MapCommand.OpenToClients c -> JoinRules.openToClients(draft, c);
      case MapCommand.RenewLeases c -> LeaseRules.renew(draft, c);
      case MapCommand.Suspect c -> LeaseRules.suspect(draft, c);
      case MapCommand.Evict c -> LeaseRules.evict(draft, c);
      case MapCommand.ExpireLease c -> LeaseRules.expire(draft, c);
      case MapCommand.DeclareExited c -> LeaseRules.declareExited(draft, c);
      case MapCommand.Leave c -> LeaseRules.leave(draft, c);
      case MapCommand.Suspend c -> SuspensionRules.suspend(draft, c);
      case MapCommand.Resume c -> SuspensionRules.resume(draft, c);
      case MapCommand.Drain c -> ClusterRules.drain(draft, c);
      case MapCommand.RetireStorage c -> StreamRules.retireStorage(draft, c);
      case MapCommand.RemoveNode c -> ClusterRules.remove(draft, c);
      case MapCommand.StreamSealed c -> StreamRules.sealed(draft, c);
      case MapCommand.ForgetStream c -> StreamRules.forget(draft, c);
      case MapCommand.ChangeReplicas c -> StreamRules.changeReplicas(draft, c);
      case MapCommand.AcknowledgeDeath c -> DeathRules.acknowledge(draft, c);
      case MapCommand.TakeOver c -> DeathRules.takeOver(draft, c);
      case MapCommand.FinishRecovery c -> DeathRules.finish(draft, c);
      case MapCommand.MoveBuckets c -> BucketRules.move(draft, c);
      case MapCommand.GiveBuckets c -> BucketRules.give(draft, c);
      case MapCommand.FinishBucketMoves c -> BucketRules.finishMoves(draft, c);
      case MapCommand.CancelBucketMoves c -> BucketRules.cancelMoves(draft, c);
      case MapCommand.ListSlices c -> SliceRules.list(draft, c);
      case MapCommand.MoveSlices c -> SliceRules.move(draft, c);
      case MapCommand.FinishSliceMoves c -> SliceRules.finish(draft, c);
      case MapCommand.CancelSliceMoves c -> SliceRules.cancel(draft, c);
      case MapCommand.GiveUpReplicas c -> SliceRules.giveUp(draft, c);
      case MapCommand.AcknowledgeRebuild c -> BucketRules.acknowledgeRebuild(draft, c);
    };
  }
}
