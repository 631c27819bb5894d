/**
 * From statement text to {@link io.gauss.compute.sql.parse.PgStatement}: PostgreSQL's lexical rules
 * in {@code PgLexer}, queries and DML by a parser that is generated from Calcite's template with
 * PostgreSQL's grammar added, everything else by recursive descent over the same tokens.
 *
 * <h2>The tree of queries and DML</h2>
 *
 * Calcite's own classes wherever they fit; names are folded. Positions: {@code getLineNum()} is
 * always 1 and {@code getColumnNum()} is the character offset in the statement text, from 1 (what
 * an error response calls position).
 *
 * <ul>
 *   <li>Query: {@code SqlSelect} (or {@link io.gauss.compute.sql.parse.PgSelect} with DISTINCT ON;
 *       {@code isDistinct()}, select list may be empty, FROM may be null), UNION/INTERSECT/EXCEPT
 *       calls of {@code SqlStdOperatorTable}, {@code VALUES} call over {@code ROW} calls, {@code
 *       EXPLICIT_TABLE}; around it {@code SqlOrderBy} (orderList, offset, fetch; fetch is any
 *       expression, null = LIMIT ALL; items are expressions in optional {@code DESC}, in optional
 *       {@code NULLS_FIRST}/{@code NULLS_LAST}), {@link io.gauss.compute.sql.parse.PgLocking},
 *       {@code SqlWith}. Order from outside: SqlWith, PgLocking, SqlOrderBy, body.
 *   <li>FROM: {@code SqlJoin} (comma, CROSS, INNER, LEFT, RIGHT, FULL; ON, USING, NATURAL), {@code
 *       AS(item, alias, columns...)}, {@code SqlIdentifier}, query, {@code COLLECTION_TABLE(call)}
 *       for a function, {@code LATERAL(item)}, {@code PgOperators.ONLY(identifier)}. {@code
 *       PgOperators.WITH_ORDINALITY(COLLECTION_TABLE(call))}.
 *   <li>Select items: expression, {@code AS(expression, alias)}, star identifiers ({@code
 *       isStar()}).
 *   <li>Constants: {@code SqlNumericLiteral} (signed already when written as {@code -1}; {@code
 *       1.50} keeps its scale; {@code 1e5} is numeric as in PostgreSQL), {@code
 *       SqlCharStringLiteral} for every string, whose type is unknown, booleans, null; {@code $n}
 *       is {@code SqlDynamicParam} with index n - 1.
 *   <li>{@code CAST(x AS t)}, {@code x::t} and {@code t 'x'} are all {@code CAST(x,
 *       SqlDataTypeSpec)}: {@link io.gauss.compute.sql.parse.PgTypeSpec#of}.
 *   <li>{@code AND}, {@code OR} (long chains are balanced trees of binary calls), {@code NOT},
 *       {@code = <> < <= > >=}, {@code + - * /}, unary minus and plus, {@code IS [NOT]
 *       NULL/TRUE/FALSE/UNKNOWN}, {@code IS [NOT] DISTINCT FROM}, {@code [NOT] BETWEEN} (also
 *       SYMMETRIC), {@code [NOT] IN} (second operand a {@code SqlNodeList} or a query), {@code
 *       [NOT] LIKE} and {@code SIMILAR TO} (third operand = ESCAPE), {@code
 *       SqlLibraryOperators.[NOT_]ILIKE}, {@code EXISTS}, {@code some(kind)} and {@code all(kind)}
 *       for {@code = ANY (...)} (second operand a query or an array expression), {@code ROW},
 *       {@code ARRAY_VALUE_CONSTRUCTOR}, {@code ARRAY_QUERY}, {@code ITEM}, {@code DOT}, {@code
 *       SqlCase}, {@code DEFAULT()}: operators of {@code SqlStdOperatorTable}. A query in an
 *       expression's place is a scalar sub-query.
 *   <li>Any other operator ({@code || % ^ & | # << >> ~ ~* !~ -> ->> ...}): {@link
 *       io.gauss.compute.sql.parse.PgOperators#binary} or {@code prefix}, by its name.
 *   <li>Functions: calls of {@code SqlUnresolvedFunction}, name from {@code getNameAsId()},
 *       DISTINCT from {@code getFunctionQuantifier()}, {@code count(*)} has one star operand.
 *       Wrapped in {@code PgOperators.AGGREGATE_ORDER_BY}, {@code FILTER}, {@code OVER} in this
 *       order from inside. Special syntax becomes the functions that PostgreSQL uses: {@code
 *       EXTRACT(f FROM x)} = extract('f', x), {@code POSITION(a IN b)} = position(b, a), {@code
 *       SUBSTRING(x FROM a FOR b)} = substring(x, a, b), {@code SUBSTRING(x SIMILAR p ESCAPE e)} =
 *       substring(x, p, e), {@code OVERLAY} = overlay, {@code TRIM} = btrim, ltrim, rtrim(x,
 *       chars), {@code x AT TIME ZONE z} = timezone(z, x), {@code x OVERLAPS y} = overlaps(4
 *       arguments). {@code coalesce, nullif, greatest, least, grouping} and {@code current_date,
 *       current_timestamp, localtimestamp, current_user, session_user, user, current_schema,
 *       current_catalog} ... are functions of these names (with no argument, or the precision).
 * </ul>
 */
package io.gauss.compute.sql.parse;
