package io.gauss.server;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * For tests that run a node's command in this process: the next test may be the first that loads
 * native libraries, and the directory that {@link NativeDirectory} has named is gone by then.
 */
final class NativeProperties implements BeforeEachCallback, AfterEachCallback {
  private final Map<String, String> before = new HashMap<>();

  @Override
  public void beforeEach(ExtensionContext context) {
    for (String property : NativeDirectory.PROPERTIES) {
      before.put(property, System.getProperty(property));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) {
    before.forEach(
        (property, value) -> {
          if (value == null) {
            System.clearProperty(property);
          } else {
            System.setProperty(property, value);
          }
        });
  }
}
