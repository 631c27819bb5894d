package io.gauss.compute.catalog;

import java.util.ArrayList;
import java.util.List;

/**
 * The comments (COMMENT ON) on an object and its parts: a table's columns, indexes and constraints.
 * Like {@link AccessDef}, it has a catalog row of its own, which is dropped with the object.
 *
 * @param oid {@link SystemOids#comment} of the object
 */
public record CommentDef(int oid, List<Comment> comments) implements CatalogObject {
  /**
   * @param classOid of the catalog that the commented object is in: pg_class, pg_constraint, ...
   * @param objectOid of the commented object
   * @param attribute attnum of a column, 0 for others
   */
  public record Comment(int classOid, int objectOid, int attribute, String text) {
    boolean isOn(int otherClass, int otherObject, int otherAttribute) {
      return classOid == otherClass && objectOid == otherObject && attribute == otherAttribute;
    }
  }

  /** The same with a comment replaced or added; null text = removed. */
  public CommentDef with(int classOid, int objectOid, int attribute, String text) {
    List<Comment> changed = new ArrayList<>(comments);
    changed.removeIf(comment -> comment.isOn(classOid, objectOid, attribute));
    if (text != null) {
      changed.add(new Comment(classOid, objectOid, attribute, text));
    }
    return new CommentDef(oid, List.copyOf(changed));
  }
}
