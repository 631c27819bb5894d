package io.gauss.compute.cluster.memory;

import io.gauss.memory.wire.PageMessage;
import java.util.List;

/** Takes messages about pages, and their bytes, in the order in which each node sent them. */
public interface PageReceiver {
  /** What homes said in one frame. */
  void fromHome(List<PageMessage> messages);

  /** What the compute node in this slot and epoch said in one frame. */
  void fromCompute(int slot, int epoch, List<PageMessage> messages);
}
