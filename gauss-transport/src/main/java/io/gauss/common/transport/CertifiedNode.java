package io.gauss.common.transport;

import java.security.cert.X509Certificate;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The node that a certificate of a cluster's own authority names: {@code CN=node-N}, signed by
 * {@code CN=Gauss cluster ...}. Such a node is a member of the cluster for each of its roles, with
 * the numbers {@code N} for compute, 100 + N for memory, 200 + N for storage.
 *
 * <p>Certificates of other authorities name hosts, or whatever their operator likes, and are those
 * of no node.
 *
 * @param node its number, from 1 on
 */
public record CertifiedNode(int node) {
  /** What the name of a cluster's own authority begins with; letters and digits follow. */
  public static final String AUTHORITY = "CN=Gauss cluster ";

  private static final String NODE = "CN=node-";
  private static final Pattern AUTHORITIES = Pattern.compile(AUTHORITY + "[0-9a-z]+");
  private static final Pattern NODES = Pattern.compile(NODE + "([1-9][0-9]{0,4})");
  private static final int FIRST_MEMORY = 100;
  private static final int FIRST_STORAGE = 200;

  /** The node that a certificate names; empty when it is not one of a cluster's own authority. */
  public static Optional<CertifiedNode> of(X509Certificate certificate) {
    Matcher name = NODES.matcher(certificate.getSubjectX500Principal().getName());
    return name.matches()
            && AUTHORITIES.matcher(certificate.getIssuerX500Principal().getName()).matches()
        ? Optional.of(new CertifiedNode(Integer.parseInt(name.group(1))))
        : Optional.empty();
  }

  /** The name of its certificates. */
  public String name() {
    return NODE + node;
  }

  /** The number of the node's member of the cluster for a role that has one. */
  public int member(NodeRole role) {
    return switch (role) {
      case COMPUTE -> node;
      case MEMORY -> FIRST_MEMORY + node;
      case STORAGE -> FIRST_STORAGE + node;
      case TOOL -> NodeIdentity.MAX_NODE;
    };
  }

  /** The node that has a member, by the member's number. */
  public static int ofMember(int member) {
    if (member > FIRST_STORAGE) {
      return member - FIRST_STORAGE;
    }
    return member > FIRST_MEMORY ? member - FIRST_MEMORY : member;
  }
}
