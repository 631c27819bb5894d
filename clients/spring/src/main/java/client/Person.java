package client;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import jakarta.persistence.SequenceGenerator;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** With columns of JSON, an array, and a version. */
@Entity
@Table(name = "person", schema = "tool")
class Person {
  record Address(String city, List<String> lines) {}

  @Id
  @GeneratedValue(strategy = GenerationType.SEQUENCE, generator = "person_seq")
  @SequenceGenerator(name = "person_seq", sequenceName = "person_seq", schema = "tool")
  Long id;

  @Version int version;

  @Column(length = 60)
  String name;

  @JdbcTypeCode(SqlTypes.JSON)
  @Column(columnDefinition = "jsonb")
  Address address;

  @JdbcTypeCode(SqlTypes.JSON)
  @Column(columnDefinition = "json")
  Map<String, Object> raw;

  @Column(columnDefinition = "text[]")
  @JdbcTypeCode(SqlTypes.ARRAY)
  String[] tags;

  LocalDate born;

  @Column(precision = 10, scale = 2)
  BigDecimal score = BigDecimal.ZERO;

  @OneToMany(mappedBy = "person", cascade = CascadeType.ALL, orphanRemoval = true)
  List<Pet> pets = new ArrayList<>();

  protected Person() {}

  Person(String name) {
    this.name = name;
  }

  void add(String pet) {
    pets.add(new Pet(this, pet));
  }
}
