package io.gauss.server.docs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What tests want of a Markdown file: where it can be linked to, what it links to, and which names
 * of classes it has in backticks. Fenced code is left out.
 *
 * @param anchors of headings, as GitHub makes them, and of {@code <a id="...">}
 * @param links targets of links that name no scheme: paths, with or without an anchor
 * @param classNames in backticks, as {@code Page}, {@code Page.read} or {@code io.gauss.Page}
 */
record MarkdownPage(Set<String> anchors, List<String> links, List<ClassName> classNames) {
  private static final Pattern FENCED = Pattern.compile("^```.*?^```", flags());
  private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
  private static final Pattern ID = Pattern.compile("<a id=\"([^\"]+)\"");
  private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern SCHEME = Pattern.compile("[a-z]+:.*");
  private static final Pattern CLASS_NAME =
      Pattern.compile(
          "(?:[a-z]\\w*\\.)*((?:[A-Z][a-z0-9]+)(?:[A-Z][a-z0-9]*)*)(?:[.#](\\w+))?(?:\\(.*\\))?");

  /**
   * A class, and perhaps one of its members.
   *
   * @param member null = none is named
   */
  record ClassName(String type, String member) {}

  private static int flags() {
    return Pattern.MULTILINE | Pattern.DOTALL;
  }

  static MarkdownPage of(String text) {
    String prose = FENCED.matcher(text).replaceAll("");
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (Matcher m = HEADING.matcher(prose); m.find(); ) {
      String anchor = anchor(m.group(1));
      int before = seen.merge(anchor, 1, Integer::sum) - 1;
      anchors.add(before == 0 ? anchor : anchor + "-" + before);
    }
    for (Matcher m = ID.matcher(prose); m.find(); ) {
      anchors.add(m.group(1));
    }
    List<String> links = new ArrayList<>();
    for (Matcher m = LINK.matcher(CODE.matcher(prose).replaceAll("code")); m.find(); ) {
      if (!SCHEME.matcher(m.group(1)).matches()) {
        links.add(m.group(1));
      }
    }
    List<ClassName> names = new ArrayList<>();
    for (Matcher m = CODE.matcher(prose); m.find(); ) {
      Matcher name = CLASS_NAME.matcher(m.group(1));
      if (name.matches()) {
        names.add(new ClassName(name.group(1), name.group(2)));
      }
    }
    return new MarkdownPage(Set.copyOf(anchors), List.copyOf(links), List.copyOf(names));
  }

  private static String anchor(String heading) {
    String text = heading.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1").strip();
    return text.toLowerCase(Locale.ROOT).replaceAll("[^\\w\\- ]", "").replace(' ', '-');
  }
}
