"""Words of the vocabulary that are a machine instruction or two: LLVM's text for them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Ready:
    """A word's text; it takes whole numbers and returns one. ``needs``: an extension that not every processor has."""

    text: str
    needs: str | None = None


READY = {
    "lowest": Ready("""
define internal i64 @lowest(i64 %pieces) alwaysinline nounwind {
  %at = call i64 @llvm.cttz.i64(i64 %pieces, i1 true)
  ret i64 %at
}"""),
    "nth": Ready("""
declare i64 @llvm.x86.bmi.pdep.64(i64, i64)
define internal i64 @nth(i64 %pieces, i64 %k) alwaysinline nounwind {
  %one = shl i64 1, %k
  %found = call i64 @llvm.x86.bmi.pdep.64(i64 %one, i64 %pieces)
  %at = call i64 @llvm.cttz.i64(i64 %found, i1 true)
  ret i64 %at
}""", needs="bmi2"),
    "count": Ready("""
define internal i64 @count(i64 %pieces) alwaysinline nounwind {
  %n = call i64 @llvm.ctpop.i64(i64 %pieces)
  ret i64 %n
}"""),
    "mix": Ready("""
define internal i64 @mix(i64 %luck, i64 %k) alwaysinline nounwind {
  %k1 = add i64 %k, 1
  %step = mul i64 %k1, -7046029254386353131
  %a = add i64 %luck, %step
  %a1 = lshr i64 %a, 30
  %a2 = xor i64 %a, %a1
  %b = mul i64 %a2, -4658895280553007687
  %b1 = lshr i64 %b, 27
  %b2 = xor i64 %b, %b1
  %c = mul i64 %b2, -7723592293110705685
  %c1 = lshr i64 %c, 31
  %c2 = xor i64 %c, %c1
  %r = lshr i64 %c2, 16
  ret i64 %r
}"""),
}

DECLARED = """
declare i64 @llvm.cttz.i64(i64, i1)
declare i64 @llvm.ctpop.i64(i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.abs.i64(i64, i1)
declare double @llvm.minnum.f64(double, double)
declare double @llvm.maxnum.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.pow.f64(double, double)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
"""
