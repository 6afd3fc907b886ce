(* Geometric noise: its formula is a law of mass 1, and moving it costs exp(distance / scale). *)

From mathcomp Require Import all_ssreflect all_algebra zify.
From mathcomp.classical Require Import boolp.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.
From SVT Require Import Statement Sums.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A formula that is nowhere negative and sums to 1 is the law that it is taken for. *)
Lemma mkdistrd_law (R : realType) (f : int -> R) :
  (forall k, 0 <= f k) -> summable f -> psum f = 1 ->
  mkdistrd f =1 f /\ \P_[mkdistrd f : {distr int / R}] predT = 1.
Proof.
move=> f0 smf f1; have isd : isdistr f.
  split=> // J UJ; rewrite -f1; apply: le_trans (gerfinseq_psum UJ smf).
  by apply: ler_sum => k _; rewrite ler_norm.
have fE : mkdistrd f =1 f.
  have either b (r : reflect `[< isdistr f >] b) :
      mu (if r is ReflectT p return {distr int / R} then mkdistr (asboolW p) else dnull) =1 f.
    by case: r => // -[]; apply/asboolP.
  exact: (either _ idP).
by split=> //; rewrite pr_psum (eq_psum fE).
Qed.

Section Noise.
Variables (R : realType) (scale : R).
Hypothesis scale0 : 0 < scale.
Local Notation a := (decay scale).

Lemma decay_gt0 : 0 < a. Proof. exact: expR_gt0. Qed.
Lemma decay_lt1 : a < 1. Proof. by rewrite expR_lt1 oppr_lt0 divr_gt0 ?ltr01. Qed.
Lemma decay01 : 0 <= a < 1. Proof. by rewrite decay_lt1 ltW ?decay_gt0. Qed.

Theorem geometric_law : geometric scale =1 geometric_pmf scale /\ \P_[geometric scale] predT = 1.
Proof.
have a0 := decay_gt0; have a1 : 0 < 1 - a by rewrite subr_gt0 decay_lt1.
have C0 : 0 <= (1 - a) / (1 + a) by rewrite divr_ge0 ?ltW // addr_gt0 ?ltr01.
apply: mkdistrd_law => [k||].
- by rewrite /geometric_pmf mulr_ge0 ?exprn_ge0 // ltW.
- by apply: summableZ; apply: summable_two_sided decay01.
- rewrite (psumZ (fun k : int => a ^+ `|k|%N)) // psum_two_sided ?decay01 // mulrA divfK ?mulfV ?lt0r_neq0 //.
  by rewrite addr_gt0 ?ltr01.
Qed.

Theorem one_sided_law : one_sided scale =1 one_sided_pmf scale /\ \P_[one_sided scale] predT = 1.
Proof.
have a0 := decay_gt0; have a1 : 0 < 1 - a by rewrite subr_gt0 decay_lt1.
have ge0 k : 0 <= one_sided_pmf scale k.
  by rewrite /one_sided_pmf; case: ifP => // _; rewrite mulr_ge0 ?exprn_ge0 // ltW.
have sm : summable (one_sided_pmf scale).
  apply: (@le_summable _ _ _ (fun k : int => (1 - a) * a ^+ `|k|%N)) => [k|]; last first.
    by apply: summableZ; apply: summable_two_sided decay01.
  by rewrite ge0 /one_sided_pmf /=; case: ifP => // _; rewrite mulr_ge0 ?exprn_ge0 // ltW.
apply: mkdistrd_law => //; rewrite (psum_halves sm) (psum_eq0 (f := fun n => _ (Negz n))) // addr0.
by rewrite (psumZ (fun n : nat => a ^+ n)) ?(ltW a1) // psum_series ?decay01 // mulfV ?lt0r_neq0.
Qed.

(* The price of a move: |j| units along the scale. *)
Lemma price (n : nat) : expR (n%:R / scale) * a ^+ n = 1.
Proof.
rewrite /decay -expRMm -expRD -[RHS]expR0; congr expR.
by rewrite mulrN mulrA mulr1 subrr.
Qed.

Lemma decay_moves (k j : int) : a ^+ `|k|%N <= expR (`|j|%N%:R / scale) * a ^+ `|(k + j)%R|%N.
Proof.
have -> : a ^+ `|k|%N = expR (`|j|%N%:R / scale) * a ^+ (`|j| + `|k|)%N by rewrite exprD mulrA price mul1r.
rewrite ler_wpmul2l ?(ltW (expR_gt0 _)) //.
rewrite ler_wiexpn2l ?(ltW decay_gt0) ?(ltW decay_lt1) //; lia.
Qed.

(* Two-sided noise moves both ways, one-sided noise up. *)
Lemma geometric_moves (k j : int) : geometric scale k <= expR (`|j|%N%:R / scale) * geometric scale (k + j).
Proof.
have [E _] := geometric_law; rewrite !E /geometric_pmf mulrCA ler_wpmul2l ?decay_moves //.
by rewrite divr_ge0 ?subr_ge0 ?addr_ge0 ?(ltW decay_gt0) ?(ltW decay_lt1) ?ler01.
Qed.

Lemma one_sided_moves_up (k : int) (d : nat) : one_sided scale k <= expR (d%:R / scale) * one_sided scale (k + d).
Proof.
have [E _] := one_sided_law; rewrite !E /one_sided_pmf.
have a1 : 0 <= 1 - a by rewrite subr_ge0 ltW ?decay_lt1.
case: ifP => k0; last first.
  by rewrite mulr_ge0 ?(ltW (expR_gt0 _)) //; case: ifP => // _; rewrite mulr_ge0 ?exprn_ge0 ?(ltW decay_gt0).
have -> : 0 <= k + d by lia.
by rewrite mulrCA ler_wpmul2l // (decay_moves k d).
Qed.

Lemma noise_moves_up (one : bool) (k : int) (d : nat) :
  noise one scale k <= expR (d%:R / scale) * noise one scale (k + d).
Proof. by case: one; [exact: one_sided_moves_up|exact: (geometric_moves k d)]. Qed.
End Noise.
