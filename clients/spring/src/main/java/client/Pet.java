package client;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.Table;

/** With a number that the database gives, and a deferred foreign key. */
@Entity
@Table(name = "pet", schema = "tool")
class Pet {
  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  Long id;

  @ManyToOne(fetch = FetchType.LAZY)
  @JoinColumn(name = "person")
  Person person;

  @Column(length = 60)
  String name;

  protected Pet() {}

  Pet(Person person, String name) {
    this.person = person;
    this.name = name;
  }
}
