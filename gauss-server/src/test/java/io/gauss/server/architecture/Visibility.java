package io.gauss.server.architecture;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.StringEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds public and protected types and members that nobody outside of their package uses, by class
 * files. What has to be public for another reason is left out by rule:
 *
 * <ul>
 *   <li>members that override or implement inherited ones, and members of interfaces;
 *   <li>what the compiler writes: accessors and constructors of records, an enum's methods,
 *       bridges;
 *   <li>types that are named in a string, as reflection does, and {@code main} methods;
 *   <li>types that are named in a file beside the sources, such as a configuration, with all
 *       members;
 *   <li>types by Chronicle's interfaces, of which the library makes objects;
 *   <li>interfaces of management, whose names end in MBean or MXBean;
 *   <li>what {@code isApi} takes, with all types in its signatures;
 *   <li>constants: the compiler copies many of them to where they are used, so that class files do
 *       not tell who uses them, and those of one table, such as a page's offsets, stay alike.
 * </ul>
 */
final class Visibility {
  private static final int OPEN = ClassFile.ACC_PUBLIC | ClassFile.ACC_PROTECTED;
  private static final String CHRONICLE = "net/openhft/";
  private static final Pattern NAME = Pattern.compile("io[.]gauss[.][\\w.$]+");
  private static final Pattern TYPE = Pattern.compile("L([\\w$]+(?:/[\\w$]+)+)[;<]");

  /** By internal name. */
  private final Map<String, Type> product = new HashMap<>();

  private final Map<String, Type> others = new HashMap<>();
  private final Map<String, Type> external = new HashMap<>();

  /** Packages by what they use: a type's internal name, or an owner's with a member behind it. */
  private final Map<String, Set<String>> users = new HashMap<>();

  private final List<Reference> references = new ArrayList<>();

  /** Types that are named in strings, and in files beside the sources. */
  private final Set<String> named = new HashSet<>();

  private final Set<String> configured = new HashSet<>();

  private final Predicate<String> isApi;
  private final SourceWords words;

  /** Where a word is found in sources. */
  interface SourceWords {
    /** Whether a source outside of a package has it. The package's name has slashes. */
    boolean hasOutside(String packageName, String word);
  }

  /**
   * A declaration that is more visible than it needs to be.
   *
   * @param owner the type's internal name
   * @param member null = the type itself
   * @param descriptor of the member
   * @param isUsed whether anybody uses it, in its package or beside itself
   */
  record Finding(String owner, String member, String descriptor, boolean isUsed)
      implements Comparable<Finding> {
    @Override
    public int compareTo(Finding other) {
      return toString().compareTo(other.toString());
    }

    @Override
    public String toString() {
      return member == null ? owner : owner + "." + member + descriptor;
    }
  }

  private record Reference(String user, String owner, String key) {}

  private record Member(
      String name, String descriptor, int flags, boolean isField, boolean isConstant) {
    String key() {
      return name + descriptor;
    }

    boolean is(int flag) {
      return (flags & flag) != 0;
    }
  }

  private record Type(
      String name,
      int flags,
      String superName,
      List<String> interfaces,
      List<Member> members,
      Set<String> keys,
      boolean isRecord,
      String recordDescriptor) {
    boolean is(int flag) {
      return (flags & flag) != 0;
    }

    String packageName() {
      return name.substring(0, Math.max(0, name.lastIndexOf('/')));
    }
  }

  /**
   * @param isApi types, by internal name, that others than we use
   */
  Visibility(Predicate<String> isApi, SourceWords words) {
    this.isApi = isApi;
    this.words = words;
  }

  /** Adds a class file of the product. */
  void product(byte[] file) {
    add(file, product);
  }

  /** Adds a class file of those that use the product. */
  void user(byte[] file) {
    add(file, others);
  }

  /** Adds a text beside the sources that names types, such as a configuration or a service file. */
  void names(String text) {
    Matcher types = NAME.matcher(text);
    while (types.find()) {
      configured.add(types.group().replace('.', '/'));
    }
  }

  private void add(byte[] file, Map<String, Type> to) {
    ClassModel model = ClassFile.of().parse(file);
    Type type = type(model);
    to.put(type.name(), type);
    for (PoolEntry entry : model.constantPool()) {
      note(type.packageName(), type.name(), entry);
    }
  }

  private void note(String user, String type, PoolEntry entry) {
    switch (entry) {
      case ClassEntry used -> use(user, type, used.asInternalName().replaceAll("^\\[+L|;$", ""));
      case Utf8Entry text -> {
        Matcher types = TYPE.matcher(text.stringValue());
        while (types.find()) {
          use(user, type, types.group(1));
        }
      }
      case StringEntry text -> named.add(text.stringValue().replace('.', '/'));
      case MemberRefEntry member ->
          references.add(
              new Reference(
                  user,
                  member.owner().asInternalName(),
                  member.name().stringValue() + member.type().stringValue()));
      default -> {}
    }
  }

  /**
   * @param from the type that uses; itself is no user
   */
  private void use(String user, String from, String what) {
    Set<String> by = users.computeIfAbsent(what, key -> new HashSet<>());
    if (!from.equals(what)) {
      by.add(user);
    }
  }

  private static Type type(ClassModel model) {
    String name = model.thisClass().asInternalName();
    int flags = model.flags().flagsMask();
    for (InnerClassInfo inner :
        model
            .findAttribute(Attributes.innerClasses())
            .map(attribute -> attribute.classes())
            .orElse(List.of())) {
      if (inner.innerClass().asInternalName().equals(name)) {
        flags = inner.flagsMask();
      }
    }
    List<Member> members = new ArrayList<>();
    Set<String> keys = new HashSet<>();
    model
        .fields()
        .forEach(
            field -> {
              boolean isConstant = field.findAttribute(Attributes.constantValue()).isPresent();
              members.add(
                  new Member(
                      field.fieldName().stringValue(),
                      field.fieldType().stringValue(),
                      field.flags().flagsMask(),
                      true,
                      isConstant));
            });
    model
        .methods()
        .forEach(
            method ->
                members.add(
                    new Member(
                        method.methodName().stringValue(),
                        method.methodType().stringValue(),
                        method.flags().flagsMask(),
                        false,
                        false)));
    members.forEach(member -> keys.add(member.key()));
    StringBuilder components = new StringBuilder("(");
    var record = model.findAttribute(Attributes.record());
    record.ifPresent(
        found ->
            found
                .components()
                .forEach(component -> components.append(component.descriptor().stringValue())));
    return new Type(
        name,
        flags,
        model.superclass().map(ClassEntry::asInternalName).orElse(null),
        model.interfaces().stream().map(ClassEntry::asInternalName).toList(),
        members,
        keys,
        record.isPresent(),
        components.append(")V").toString());
  }

  // ---------------------------------------------------------------- inheritance

  private Type find(String name) {
    Type found = product.get(name);
    if (found == null) {
      found = others.get(name);
    }
    return found != null ? found : external.computeIfAbsent(name, Visibility::load);
  }

  /** A type of the JDK or of a library; null when it is not on the class path. */
  private static Type load(String name) {
    try (InputStream in = ClassLoader.getSystemResourceAsStream(name + ".class")) {
      return in == null ? null : type(ClassFile.of().parse(in.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> parents(Type type) {
    List<String> parents = new ArrayList<>(type.interfaces());
    if (type.superName() != null) {
      parents.add(type.superName());
    }
    return parents;
  }

  /** All that it inherits from. */
  private Set<String> above(Type type) {
    Set<String> all = new LinkedHashSet<>();
    for (String parent : parents(type)) {
      if (all.add(parent)) {
        Type found = find(parent);
        if (found != null) {
          all.addAll(above(found));
        }
      }
    }
    return all;
  }

  /** Whether something above has a member of that name and descriptor, or cannot be looked at. */
  private boolean isInherited(Type type, String key) {
    for (String name : above(type)) {
      Type parent = find(name);
      if (parent == null || declares(parent, key)) {
        return true;
      }
    }
    return false;
  }

  /** Whether subclasses elsewhere see a member with that key. */
  private static boolean declares(Type type, String key) {
    return type.keys().contains(key)
        && type.members().stream().anyMatch(member -> member.key().equals(key) && member.is(OPEN));
  }

  private boolean overrides(Type type, Member member) {
    if (member.is(ClassFile.ACC_STATIC) || member.isField() || member.name().startsWith("<")) {
      return false;
    }
    if (isInherited(type, member.key())) {
      return true;
    }
    // With other types than above, by generics or a narrower result, the compiler adds a bridge.
    return type.members().stream()
        .filter(other -> other.is(ClassFile.ACC_BRIDGE) && other.name().equals(member.name()))
        .anyMatch(bridge -> isInherited(type, bridge.key()));
  }

  // ---------------------------------------------------------------- who uses what

  private static String key(String owner, String member) {
    return owner + "." + member;
  }

  private void resolve() {
    for (Reference reference : references) {
      Type owner = find(reference.owner());
      if (owner == null) {
        continue;
      }
      Set<String> declaring = new LinkedHashSet<>(above(owner));
      declaring.add(owner.name());
      for (String name : declaring) {
        Type type = product.get(name);
        if (type != null && type.keys().contains(reference.key())) {
          users
              .computeIfAbsent(key(name, reference.key()), key -> new HashSet<>())
              .add(reference.user());
        }
      }
    }
    for (Collection<Type> all : List.of(product.values(), others.values())) {
      all.forEach(this::inherit);
    }
  }

  /** Overriding a method is a use of it, and so is implementing an interface by what is above. */
  private void inherit(Type type) {
    Set<String> above = above(type);
    Set<String> wanted = new HashSet<>();
    for (String name : above) {
      Type parent = find(name);
      if (parent != null && parent.is(ClassFile.ACC_INTERFACE)) {
        wanted.addAll(parent.keys());
      }
    }
    for (String name : above) {
      Type parent = product.get(name);
      if (parent == null) {
        continue;
      }
      for (Member member : parent.members()) {
        boolean isOverridden = declares(type, member.key()) && !member.name().startsWith("<");
        if (isOverridden || wanted.contains(member.key())) {
          users
              .computeIfAbsent(key(name, member.key()), key -> new HashSet<>())
              .add(wanted.contains(member.key()) ? "an interface" : type.packageName());
        }
      }
    }
  }

  /** Types of {@code isApi}, and those in the signatures of what is public there. */
  private Set<String> api() {
    Set<String> api = new HashSet<>();
    List<String> left = new ArrayList<>();
    product.values().stream()
        .filter(type -> isApi.test(type.name()) && type.is(ClassFile.ACC_PUBLIC))
        .forEach(type -> left.add(type.name()));
    while (!left.isEmpty()) {
      Type type = product.get(left.removeLast());
      if (type == null || !api.add(type.name())) {
        continue;
      }
      left.addAll(parents(type));
      for (Member member : type.members()) {
        if (member.is(OPEN)) {
          Matcher types = TYPE.matcher(member.descriptor());
          while (types.find()) {
            left.add(types.group(1));
          }
        }
      }
    }
    return api;
  }

  // ---------------------------------------------------------------- findings

  /** What could be less visible, sorted. Call it once, after everything has been added. */
  Set<Finding> findings() {
    resolve();
    Set<Finding> found = new TreeSet<>();
    Set<String> api = api();
    for (Type type : product.values()) {
      if (api.contains(type.name()) || type.is(ClassFile.ACC_SYNTHETIC)) {
        continue;
      }
      if (type.is(OPEN) && !isNeeded(type)) {
        found.add(new Finding(type.name(), null, "", users.containsKey(type.name())));
      }
      for (Member member : type.members()) {
        if (member.is(OPEN) && !isNeeded(type, member)) {
          boolean isUsed = users.containsKey(key(type.name(), member.key()));
          found.add(new Finding(type.name(), member.name(), member.descriptor(), isUsed));
        }
      }
    }
    return found;
  }

  /** The type around a nested one, else itself. */
  private static String outer(Type type) {
    return type.name().replaceFirst("[$][^$]*$", "");
  }

  private boolean isUsedOutside(Type type, String what) {
    Set<String> by = users.getOrDefault(what, Set.of());
    return by.stream().anyMatch(user -> !user.equals(type.packageName()));
  }

  private boolean isNeeded(Type type) {
    String simple = type.name().replaceFirst(".*[/$]", "");
    boolean hasMain = type.keys().contains("main([Ljava/lang/String;)V");
    boolean hasConstants = type.members().stream().anyMatch(Member::isConstant);
    Type around = product.get(outer(type));
    boolean isOfInterface = around != null && around != type && around.is(ClassFile.ACC_INTERFACE);
    return isUsedOutside(type, type.name())
        || isOfInterface
        || named.contains(type.name())
        || configured.contains(type.name())
        || type.interfaces().stream().anyMatch(name -> name.startsWith(CHRONICLE))
        || hasMain
        || simple.endsWith("MBean")
        || simple.endsWith("MXBean")
        || hasConstants && words.hasOutside(type.packageName(), simple);
  }

  private boolean isNeeded(Type type, Member member) {
    boolean isWritten = !member.is(ClassFile.ACC_SYNTHETIC | ClassFile.ACC_BRIDGE);
    boolean isConstructor = member.name().equals("<init>");
    boolean isMain = member.key().equals("main([Ljava/lang/String;)V");
    boolean isOfRecord =
        type.isRecord()
            && (isConstructor && member.descriptor().equals(type.recordDescriptor())
                || type.members().stream()
                    .anyMatch(
                        field ->
                            field.isField()
                                && !field.is(ClassFile.ACC_STATIC)
                                && member.key().equals(field.name() + "()" + field.descriptor())));
    boolean isOfEnum =
        type.is(ClassFile.ACC_ENUM)
            && (member.is(ClassFile.ACC_ENUM)
                || member.name().equals("values")
                || member.name().equals("valueOf"));
    // What the compiler writes is as visible as the type; written by hand it looks the same.
    boolean isOnly =
        isConstructor
            && member.descriptor().matches("[(](L" + Pattern.quote(outer(type)) + ";)?[)]V")
            && type.members().stream().filter(other -> other.name().equals("<init>")).count() == 1;
    boolean isConstant =
        member.isField() && member.is(ClassFile.ACC_STATIC) && member.is(ClassFile.ACC_FINAL);
    return !isWritten
        || type.is(ClassFile.ACC_INTERFACE)
        || isMain
        || isOfRecord
        || isOfEnum
        || isOnly
        || isConstant
        || named.contains(type.name()) && isConstructor
        || configured.contains(type.name())
        || isUsedOutside(type, key(type.name(), member.key()))
        || overrides(type, member);
  }
}
