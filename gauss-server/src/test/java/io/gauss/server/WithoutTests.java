package io.gauss.server;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;

/**
 * Leaves out the tests of every module: compiled ones in a directory and, once a module is
 * packaged, those in its {@code -tests.jar}.
 */
public final class WithoutTests implements ImportOption {
  private static final ImportOption IN_DIRECTORIES = new ImportOption.DoNotIncludeTests();

  @Override
  public boolean includes(Location location) {
    return IN_DIRECTORIES.includes(location) && !location.contains("-tests.jar");
  }
}
