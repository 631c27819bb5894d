package io.gauss.compute.sql.parse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.sql.parse.impl.GaussSqlParser;
import io.gauss.compute.sql.parse.impl.ParseException;
import io.gauss.compute.sql.parse.impl.Token;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntArrayList;
import org.apache.calcite.runtime.CalciteContextException;
import org.apache.calcite.sql.SqlCall;
import org.apache.calcite.sql.SqlNode;
import org.apache.calcite.sql.SqlNodeList;

/**
 * Parses statement texts. Static and thread-safe; every failure is a {@link GaussException}: 42601
 * with PostgreSQL's wording and position, 54001 for too deep nesting, 0A000 for syntax that is
 * known and refused early.
 */
public final class PgParser {
  /** Bound of a tree's depth, so that recursive walks over it have enough stack. */
  static final int DEPTH_MAX = 1000;

  private PgParser() {}

  /**
   * Parses a text of any number of statements, as in a simple query. A blank text gives one {@code
   * Empty}.
   */
  public static List<ParsedStatement> parseAll(String sql) {
    return parseAll(sql, () -> {});
  }

  /**
   * The same for a text that may be long.
   *
   * @param interrupts called again and again; throws to end the parsing
   */
  public static List<ParsedStatement> parseAll(String sql, Runnable interrupts) {
    PgLexer lexer = new PgLexer().scan(sql).interrupts(interrupts);
    List<ParsedStatement> statements = new ArrayList<>();
    int from = 0;
    while (true) {
      int to = from;
      while (to < lexer.count() && !lexer.isOperator(to, ';')) {
        to++;
      }
      if (to > from) {
        lexer.step();
        statements.add(parse(lexer, from, to));
      }
      if (to >= lexer.count()) {
        break;
      }
      from = to + 1;
    }
    if (statements.isEmpty()) {
      statements.add(new ParsedStatement(new PgStatement.Empty(), "", 0, 0));
    }
    return statements;
  }

  /**
   * Parses the one statement of an extended query's Parse message.
   *
   * @throws GaussException 42601 also when there are several
   */
  public static ParsedStatement parse(String sql) {
    List<ParsedStatement> statements = parseAll(sql);
    if (statements.size() > 1) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR, "cannot insert multiple commands into a prepared statement");
    }
    return statements.get(0);
  }

  /** Parses a single expression: defaults and conditions that the catalog keeps as text. */
  public static SqlNode parseExpression(String sql) {
    PgLexer lexer = new PgLexer().scan(sql);
    PgTokenSource tokens = new PgTokenSource(lexer, 0, lexer.count());
    SqlNode expression =
        checked(lexer, new GaussSqlParser(tokens), GaussSqlParser::PgExpressionEof);
    if (tokens.parametersMax() > 0) {
      throw new GaussException(
          SqlState.UNDEFINED_PARAMETER, "there is no parameter $" + tokens.parametersMax());
    }
    return expression;
  }

  /** The error for a statement with a parameter where none can be given. */
  public static GaussException noParameter(ParsedStatement statement) {
    PgLexer lexer = new PgLexer().scan(statement.text());
    int first = 0;
    while (lexer.kind(first) != PgLexer.PARAMETER) {
      first++;
    }
    return new GaussException(
            SqlState.UNDEFINED_PARAMETER, "there is no parameter " + lexer.source(first))
        .position(statement.offset() + lexer.start(first) + 1);
  }

  private static ParsedStatement parse(PgLexer lexer, int from, int to) {
    PgStatement statement;
    int parameters = 0;
    try {
      if (UtilityParser.startsQuery(lexer, from, to)) {
        PgTokenSource tokens = new PgTokenSource(lexer, from, to);
        statement = read(lexer, tokens);
        if (tokens.into() != null && statement instanceof PgStatement.Query query) {
          statement =
              new PgStatement.CreateTableAs(
                  tokens.into().table(),
                  false,
                  tokens.into().temporary(),
                  null,
                  List.of(),
                  query,
                  true);
        }
        parameters = tokens.parametersMax();
      } else {
        UtilityParser utility = new UtilityParser(lexer, from, to);
        statement = utility.statement();
        parameters = utility.parametersMax();
      }
    } catch (StackOverflowError e) {
      throw PgTokenSource.tooDeep();
    }
    int start = lexer.start(from);
    return new ParsedStatement(
        statement, lexer.text().substring(start, lexer.end(to - 1)), start, parameters);
  }

  /** Parses a whole range as a query or DML statement inside another statement. */
  static PgStatement query(PgLexer lexer, PgTokenSource tokens) {
    PgStatement statement = read(lexer, tokens);
    if (tokens.into() != null) {
      throw new GaussException(SqlState.SYNTAX_ERROR, "SELECT ... INTO is not allowed here")
          .position(tokens.into().table().position());
    }
    return statement;
  }

  private static PgStatement read(PgLexer lexer, PgTokenSource tokens) {
    GaussSqlParser parser = new GaussSqlParser(tokens);
    SqlNode node = checked(lexer, parser, GaussSqlParser::PgStatementEof);
    return switch (node) {
      case PgInsert insert -> new PgStatement.Insert(insert);
      case PgUpdate update -> new PgStatement.Update(update);
      case PgDelete delete -> new PgStatement.Delete(delete);
      default -> new PgStatement.Query(node);
    };
  }

  /** One production of the generated parser. */
  interface Production<T> {
    T parse(GaussSqlParser parser) throws ParseException;
  }

  static <T> T checked(PgLexer lexer, GaussSqlParser parser, Production<T> production) {
    try {
      T result = production.parse(parser);
      if (result instanceof SqlNode node) {
        checkDepth(node);
      }
      return result;
    } catch (ParseException e) {
      Token offending = e.currentToken == null ? null : e.currentToken.next;
      PgTokenSource tokens = (PgTokenSource) parser.token_source;
      GaussException failure =
          lexer.syntaxError(offending == null ? lexer.count() : tokens.indexOf(offending));
      failure.initCause(e);
      throw failure;
    } catch (CalciteContextException e) {
      // A check of Calcite's own node classes; there is no PostgreSQL wording for it.
      GaussException failure =
          new GaussException(SqlState.SYNTAX_ERROR, "syntax error: " + e.getMessage());
      failure.initCause(e);
      throw failure;
    } catch (StackOverflowError e) {
      throw PgTokenSource.tooDeep();
    }
  }

  /** Walks the tree with an explicit stack. */
  private static void checkDepth(SqlNode root) {
    ArrayDeque<SqlNode> nodes = new ArrayDeque<>();
    IntArrayList depths = new IntArrayList();
    nodes.push(root);
    depths.pushInt(1);
    while (!nodes.isEmpty()) {
      SqlNode node = nodes.pop();
      int depth = depths.popInt();
      List<SqlNode> children =
          switch (node) {
            case SqlNodeList list -> list.getList();
            case SqlCall call -> call.getOperandList();
            default -> List.of();
          };
      if (depth > DEPTH_MAX) {
        throw PgTokenSource.tooDeep();
      }
      for (SqlNode child : children) {
        if (child != null) {
          nodes.push(child);
          depths.pushInt(depth + 1);
        }
      }
    }
  }
}
