package io.gauss.compute.expr.call;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Expr;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.FunctionDef.Fn0;
import io.gauss.compute.expr.call.FunctionDef.Fn1;
import io.gauss.compute.expr.call.FunctionDef.Fn2;
import io.gauss.compute.expr.call.FunctionDef.Fn3;
import io.gauss.compute.expr.call.FunctionDef.FnN;
import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.Value;
import java.util.List;

/** Nodes that call the body of a function, by number of arguments. */
public final class Calls {
  private Calls() {}

  private abstract static class Call extends Expr {
    final FunctionDef function;
    final boolean strict;

    Call(FunctionDef function) {
      this.function = function;
      this.strict = function.strict();
    }

    @Override
    public PgType type() {
      return function.result();
    }

    @Override
    public Volatility volatility() {
      Volatility below = super.volatility();
      return function.volatility().compareTo(below) > 0 ? function.volatility() : below;
    }

    @Override
    public String toString() {
      return function.name() + children();
    }
  }

  public static final class Call0 extends Call {
    private final Fn0 body;

    public Call0(FunctionDef function, Fn0 body) {
      super(function);
      this.body = body;
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      body.apply(ctx, out);
    }
  }

  public static final class Call1 extends Call {
    private final Expr a;
    private final Fn1 body;

    public Call1(FunctionDef function, Expr[] arguments, Fn1 body) {
      super(function);
      this.a = arguments[0];
      this.body = body;
    }

    @Override
    public List<Expr> children() {
      return List.of(a);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      a.eval(ctx, in, row, x);
      if (strict && x.isNull) {
        out.setNull();
      } else {
        body.apply(ctx, x, out);
      }
      ctx.release();
    }
  }

  public static final class Call2 extends Call {
    private final Expr a;
    private final Expr b;
    private final Fn2 body;

    public Call2(FunctionDef function, Expr[] arguments, Fn2 body) {
      super(function);
      this.a = arguments[0];
      this.b = arguments[1];
      this.body = body;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, b);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      Value y = ctx.acquire();
      a.eval(ctx, in, row, x);
      b.eval(ctx, in, row, y);
      if (strict && (x.isNull || y.isNull)) {
        out.setNull();
      } else {
        body.apply(ctx, x, y, out);
      }
      ctx.release(2);
    }
  }

  static final class Call3 extends Call {
    private final Expr a;
    private final Expr b;
    private final Expr c;
    private final Fn3 body;

    Call3(FunctionDef function, Expr[] arguments, Fn3 body) {
      super(function);
      this.a = arguments[0];
      this.b = arguments[1];
      this.c = arguments[2];
      this.body = body;
    }

    @Override
    public List<Expr> children() {
      return List.of(a, b, c);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value x = ctx.acquire();
      Value y = ctx.acquire();
      Value z = ctx.acquire();
      a.eval(ctx, in, row, x);
      b.eval(ctx, in, row, y);
      c.eval(ctx, in, row, z);
      if (strict && (x.isNull || y.isNull || z.isNull)) {
        out.setNull();
      } else {
        body.apply(ctx, x, y, z, out);
      }
      ctx.release(3);
    }
  }

  public static final class CallN extends Call {
    private final Expr[] arguments;
    private final FnN body;

    public CallN(FunctionDef function, Expr[] arguments, FnN body) {
      super(function);
      this.arguments = arguments;
      this.body = body;
    }

    @Override
    public List<Expr> children() {
      return List.of(arguments);
    }

    @Override
    public void eval(EvalContext ctx, RowBatch in, int row, Value out) {
      Value[] values = new Value[arguments.length];
      boolean anyNull = false;
      for (int i = 0; i < values.length; i++) {
        values[i] = new Value();
        arguments[i].eval(ctx, in, row, values[i]);
        anyNull |= values[i].isNull;
      }
      if (strict && anyNull) {
        out.setNull();
      } else {
        body.apply(ctx, values, out);
      }
    }
  }
}
