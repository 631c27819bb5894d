package io.gauss.compute.cluster.memory;

import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import java.util.List;

/** Takes messages about pages, and their bytes, in the order in which each node sent them. */
public interface PageReceiver {
  /** Messages of homes in one frame. */
  void fromHome(List<FromHome> messages);

  /** Messages of the compute node in this slot and epoch in one frame. */
  void fromCompute(int slot, int epoch, List<FromHolder> messages);
}
