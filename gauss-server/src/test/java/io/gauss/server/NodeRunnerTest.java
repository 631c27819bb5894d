package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** How a node that does not start ends. */
@ExtendWith(NativeProperties.class)
class NodeRunnerTest {
  @TempDir private Path directory;

  private int run(SqlState state) throws IOException {
    return new NodeRunner(directory, 1, "compute")
        .run(
            "127.0.0.1",
            0,
            metrics -> {
              throw new GaussException(state, "it does not start");
            },
            (node, port) -> {});
  }

  /** Its supervisor starts it again, as it does later. */
  @Test
  void aNodeThatLosesItsPlaceWhileItStartsIsToBeStartedAgain() throws IOException {
    assertEquals(NodeRunner.LOST, run(SqlState.ADMIN_SHUTDOWN));
  }

  @Test
  void aNodeThatIsRefusedIsNot() {
    assertThrows(GaussException.class, () -> run(SqlState.OBJECT_NOT_IN_PREREQUISITE_STATE));
  }
}
