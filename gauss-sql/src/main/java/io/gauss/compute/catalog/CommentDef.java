package io.gauss.compute.catalog;

import java.util.ArrayList;
import java.util.List;

/**
 * What COMMENT says of an object and of its parts: a table's columns, indexes and constraints. It
 * has a catalog row of its own, like {@link AccessDef}, which goes with the object.
 *
 * @param oid {@link SystemOids#comment} of the object
 */
public record CommentDef(int oid, List<Comment> comments) implements CatalogObject {
  /**
   * @param classOid of the catalog that the commented object is in: pg_class, pg_constraint, ...
   * @param objectOid of what is commented
   * @param attribute attnum of a column, 0 for others
   */
  public record Comment(int classOid, int objectOid, int attribute, String text) {
    boolean isOn(int otherClass, int otherObject, int otherAttribute) {
      return classOid == otherClass && objectOid == otherObject && attribute == otherAttribute;
    }
  }

  /** The same with a comment in the place of the one before; null text = without one. */
  public CommentDef with(int classOid, int objectOid, int attribute, String text) {
    List<Comment> changed = new ArrayList<>(comments);
    changed.removeIf(comment -> comment.isOn(classOid, objectOid, attribute));
    if (text != null) {
      changed.add(new Comment(classOid, objectOid, attribute, text));
    }
    return new CommentDef(oid, List.copyOf(changed));
  }
}
