package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/**
 * The libraries that are shipped fit each other. Maven takes the version that is declared nearest,
 * which may be older than what another library was built with, and which changes with every
 * dependency that comes or goes, those of tests among them.
 */
class LibraryVersionsTest {
  private static final String CLASS = ".class";

  private final Set<String> classes = new HashSet<>();

  /** By package, the files that have classes of it. */
  private final Map<String, Set<Path>> packages = new HashMap<>();

  @Test
  void noLibraryWantsAClassThatTheVersionOfAnotherOneDoesNotHave() throws IOException {
    List<Path> libraries = ShippedJars.libraries();
    assertTrue(libraries.size() > 50, libraries.toString());
    for (Path library : libraries) {
      collect(library);
    }
    Set<String> missing = new TreeSet<>();
    for (Path library : libraries) {
      check(library, missing);
    }
    assertEquals(Set.of(), missing);
  }

  private void collect(Path library) throws IOException {
    try (ZipFile jar = new ZipFile(library.toFile())) {
      jar.stream()
          .map(ZipEntry::getName)
          .filter(name -> name.endsWith(CLASS))
          .map(name -> name.substring(0, name.length() - CLASS.length()))
          .forEach(
              name -> {
                classes.add(name);
                packages.computeIfAbsent(packageOf(name), p -> new HashSet<>()).add(library);
              });
    }
  }

  private void check(Path library, Set<String> missing) throws IOException {
    try (ZipFile jar = new ZipFile(library.toFile())) {
      List<? extends ZipEntry> entries =
          jar.stream()
              .filter(entry -> entry.getName().endsWith(CLASS))
              .filter(entry -> !entry.getName().startsWith("META-INF"))
              .toList();
      for (ZipEntry entry : entries) {
        try (InputStream in = jar.getInputStream(entry)) {
          for (PoolEntry constant : ClassFile.of().parse(in.readAllBytes()).constantPool()) {
            if (constant instanceof ClassEntry named) {
              check(library, named.asInternalName(), missing);
            }
          }
        }
      }
    }
  }

  /** Packages of which no library has a class are of something optional. */
  private void check(Path library, String name, Set<String> missing) {
    if (name.startsWith("[") || classes.contains(name)) {
      return;
    }
    Set<Path> others = packages.getOrDefault(packageOf(name), Set.of());
    if (others.stream().anyMatch(other -> !other.equals(library))) {
      missing.add(
          "%s of %s, for %s"
              .formatted(
                  name, others.stream().map(Path::getFileName).toList(), library.getFileName()));
    }
  }

  private static String packageOf(String name) {
    return name.substring(0, Math.max(0, name.lastIndexOf('/')));
  }
}
