package io.gauss.compute.catalog;

import io.gauss.compute.type.EnumLabels;
import io.gauss.compute.type.EnumLabels.Label;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Quoting;
import java.util.List;
import java.util.Set;

/** An enum type and the array type over it. Immutable. */
public final class EnumDef implements TypeDef {
  private final int oid;
  private final int arrayOid;
  private final String schema;
  private final String name;
  private final String arrayName;
  private final PgType type;

  /**
   * @param arrayOid oid of the array type
   * @param arrayName name of the array type, which is in the same schema
   * @param labels in any order
   */
  public EnumDef(
      int oid, int arrayOid, String schema, String name, String arrayName, List<Label> labels) {
    this(
        oid,
        arrayOid,
        schema,
        name,
        arrayName,
        new EnumLabels(Quoting.identifier(name), List.copyOf(labels)));
  }

  private EnumDef(
      int oid, int arrayOid, String schema, String name, String arrayName, EnumLabels labels) {
    this.oid = oid;
    this.arrayOid = arrayOid;
    this.schema = schema;
    this.name = name;
    this.arrayName = arrayName;
    this.type = PgType.enumType(oid, arrayOid, schema, name, arrayName, labels);
  }

  @Override
  public int oid() {
    return oid;
  }

  @Override
  public int arrayOid() {
    return arrayOid;
  }

  @Override
  public String schema() {
    return schema;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String arrayName() {
    return arrayName;
  }

  /** The labels in their order. */
  public List<Label> labels() {
    return type.labels().inOrder();
  }

  @Override
  public PgType type() {
    return type;
  }

  @Override
  public EnumDef withName(String newSchema, String newName, String newArrayName) {
    return new EnumDef(oid, arrayOid, newSchema, newName, newArrayName, labels());
  }

  public EnumDef withLabels(List<Label> newLabels) {
    return new EnumDef(oid, arrayOid, schema, name, arrayName, newLabels);
  }

  /**
   * The type in the view of the transaction that has changed it.
   *
   * @param added oids of labels that the transaction has added
   */
  EnumDef withUncommitted(Set<Integer> added) {
    EnumLabels labels = type.labels().withUncommitted(added);
    return labels == type.labels()
        ? this
        : new EnumDef(oid, arrayOid, schema, name, arrayName, labels);
  }
}
