/**
 * PostgreSQL's types: values, their text and binary forms, order and arithmetic of dates and
 * numbers. Begin with {@link io.gauss.compute.type.PgType} and {@link
 * io.gauss.compute.type.TypeCodec}.
 */
package io.gauss.compute.type;
