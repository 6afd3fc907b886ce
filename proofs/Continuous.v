(* Algorithm 1 with real answers and continuous noise: the same alignment.  Of the noise only `shifts` is used, so the
   shift of a density is all that analysis has to add. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp.
From mathcomp.analysis Require Import reals sequences exp.
From SVT Require Import Statement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Means.
Variables (R : realType) (law : real_law R).
Implicit Types (f g : R -> R) (b C : R).

Lemma bounded_const C : 0 <= C -> bounded (fun _ : R => C).
Proof. by move=> C0; exists C => z; rewrite C0 lexx. Qed.

Lemma bounded_shift f s : bounded f -> bounded (fun z => f (z - s)).
Proof. by case=> M fM; exists M. Qed.

Lemma bounded_scale f C : 0 <= C -> bounded f -> bounded (fun z => C * f z).
Proof. by move=> C0 [M fM]; exists (C * M) => z; case/andP: (fM z) => f0 le; rewrite mulr_ge0 ?ler_wpmul2l. Qed.

Lemma mean_const C : 0 <= C -> mean law (fun _ => C) = C.
Proof.
move=> C0; have := mean_scale law C0 (bounded_const ler01); rewrite mean_1 mulr1 => {2}<-.
by congr mean; rewrite mulr1.
Qed.

Lemma mean_ge0 f : bounded f -> 0 <= mean law f.
Proof.
move=> fb; rewrite -(mean_const (lexx 0)); apply: mean_le => // [|z]; first exact: bounded_const.
by case: fb => M /(_ z) /andP[].
Qed.

Lemma mean_le1 f : bounded f -> (forall z, f z <= 1) -> mean law f <= 1.
Proof. by move=> fb f1; rewrite -[leRHS](mean_1 law); apply: mean_le => //; apply: bounded_const ler01. Qed.

(* A draw that need not move, and one that moves by s and pays for it. *)
Lemma keep_mean f g C : 0 <= C -> bounded f -> bounded g -> (forall z, f z <= C * g z) -> mean law f <= C * mean law g.
Proof. by move=> C0 fb gb le; rewrite -mean_scale //; apply: mean_le => //; apply: bounded_scale. Qed.

Lemma move_mean f g s scale b C : shifts law scale -> 0 <= C -> expR (`|s| / scale) <= b -> bounded f -> bounded g ->
  (forall z, f (z - s) <= C * g z) -> mean law f <= b * (C * mean law g).
Proof.
move=> sh C0 pay fb gb le; apply: le_trans (sh s f fb) _.
apply: le_trans (ler_wpmul2r (mulr_ge0 C0 (mean_ge0 gb)) pay); rewrite ler_wpmul2l ?(ltW (expR_gt0 _)) //.
by apply: keep_mean => //; apply: bounded_shift.
Qed.
End Means.

(* The arithmetic of the two moves, as in Alignment.v. *)
Section Moves.
Variables (R : realType) (a a' t rho m nu : R).

Lemma stays_below : a' <= a + m -> ~~ (a + nu >= t + rho) -> ~~ (a' + nu >= t + (rho + m)).
Proof.
rewrite -!ltNge => le_a below; rewrite addrA; apply: le_lt_trans (_ : a + m + nu < _); first by rewrite ler_add2r.
by rewrite (addrAC a) ltr_add2r.
Qed.

Lemma stays_above : (a + (nu - (a + m - a')) >= t + rho) = (a' + nu >= t + (rho + m)).
Proof.
rewrite [t + (rho + m)]addrA -[LHS](ler_add2r m); congr (_ <= _).
by rewrite opprB addrAC addrCA ![a + m + _]addrCA subrr addr0.
Qed.
End Moves.

Section Alignment.
Variables (R : realType) (database : Type) (q : seq bool -> database -> R) (T : seq bool -> R).
Variables (query_noise : real_law R) (scale move pay : R) (D D' : database).
Hypotheses (pay1 : 1 <= pay) (query_shifts : shifts query_noise scale).
Hypothesis negatives_stay : forall said, q said D' <= q said D + move.
Hypothesis pay_positive : forall said, expR (`|q said D + move - q said D'| / scale) <= pay.
Local Notation loop := (real_loop q T query_noise).

Lemma bounded_step x y (above : R -> bool) : 0 <= x <= 1 -> 0 <= y <= 1 ->
  bounded (fun nu : R => if above nu then x else y).
Proof. by exists 1 => nu; case: ifP. Qed.

Lemma loop01 steps : forall left rho said F o, 0 <= loop rho steps left said F o <= 1.
Proof.
have bit (b : bool) : 0 <= (if b then 1 else 0 : R) <= 1 by case: b; rewrite lexx ler01.
elim: steps => [|steps IH] [|left] rho said F o //=; rewrite mean_ge0 ?mean_le1 //; try exact: bounded_step.
by move=> nu; case: ifP => _; exact: proj2 (elimT andP (IH _ _ _ _ _)).
Qed.

(* A transcript only grows: what does not begin with `said` has probability 0. *)
Lemma only_grows steps : forall left rho said F o, take (size said) o != said -> loop rho steps left said F o = 0.
Proof.
have stopped said o : take (size said) o != said -> (if said == o then 1 else 0 : R) = 0.
  by case: (said =P o) => // <-; rewrite take_size eqxx.
elim: steps => [|steps IH] [|left] rho said F o off /=; try exact: stopped.
have off' b : take (size (rcons said b)) o != rcons said b.
  apply: contraNneq off => on; rewrite size_rcons in on.
  by rewrite -(take_take (leqnSn _) o) on -cats1 take_size_cat.
rewrite (_ : (fun nu => _) = fun=> 0) ?mean_const //.
by apply/funext => nu; rewrite !IH ?off' //; case: ifP.
Qed.

Lemma arrow steps : forall left rho said o,
  loop rho steps left said D o <= pay ^+ left * loop (rho + move) steps left said D' o.
Proof.
have pay0 : 0 <= pay := le_trans ler01 pay1.
have payn0 k : 0 <= pay ^+ k by rewrite exprn_ge0.
have base left rho said o : (if said == o then 1 else 0 : R) <= pay ^+ left * (if said == o then 1 else 0).
  by case: ifP; rewrite ?mulr0 // mulr1 exprn_ege1.
elim: steps => [|steps IH] [|left] rho said o; try exact: base.
rewrite /=; set P := loop rho _ _ _ D o; set N := loop rho _ _ _ D o.
set P' := loop (rho + move) _ _ _ D' o; set N' := loop (rho + move) _ _ _ D' o.
have [le_P le_N] : P <= pay ^+ left * P' /\ N <= pay ^+ left.+1 * N' by split; exact: IH.
have [P01 N01 P'01 N'01] : [/\ 0 <= P <= 1, 0 <= N <= 1, 0 <= P' <= 1 & 0 <= N' <= 1] by split; exact: loop01.
case: (boolP (take (size said).+1 o == rcons said true)) => [/eqP on|off].
  (* The answer is positive: the noise moves. *)
  have [-> ->] : N = 0 /\ N' = 0.
    split; apply: only_grows; rewrite size_rcons on; apply/eqP => /(congr1 (last true));
    by rewrite !last_rcons.
  rewrite exprS -mulrA; apply: (move_mean query_shifts (payn0 left) (pay_positive said)).
  1,2: by apply: bounded_step; rewrite ?lexx ?ler01.
  by move=> nu; rewrite stays_above; case: ifP; rewrite ?mulr0.
(* The answer is negative, or there is none: the noise stays. *)
have [-> ->] : P = 0 /\ P' = 0 by split; apply: only_grows; rewrite size_rcons.
apply: keep_mean => [//|||nu]; try by apply: bounded_step; rewrite ?lexx ?ler01.
case: ifP => [_|/negbT down]; first by rewrite mulr_ge0 //; case: ifP => // _; case/andP: N'01.
by rewrite ifN ?(stays_below (negatives_stay said) down).
Qed.
End Alignment.

Theorem continuous_alg1_private (R : realType) : Continuous_alg1_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n c threshold_noise query_noise Delta0 c0 eps10 eps20 sens.
move=> threshold_shifts query_shifts /= D D' adj E; rewrite mulr_sumr; apply: ler_sum => o _.
have c_ : 0 < (c%:R : R) by rewrite ltr0n.
pose pay := expR (eps2 / c%:R); have pay1 : 1 <= pay by rewrite -(expR0 R) ler_expR divr_ge0 ?ltW.
have -> : expR (eps1 + eps2) = expR eps1 * pay ^+ c by rewrite /pay -expRMm [c%:R * _]mulrC divfK ?lt0r_neq0 // -expRD.
have close said : `|q said D + Delta - q said D'| <= 2 * Delta.
  rewrite addrAC; apply: le_trans (ler_norm_add _ _) _.
  by rewrite (gtr0_norm Delta0) mulrDl mul1r ler_add2r sens.
rewrite -mulrA; apply: (move_mean (s := Delta) threshold_shifts).
- by rewrite exprn_ge0 // (le_trans ler01).
- by rewrite (gtr0_norm Delta0) ler_expR invf_div mulrC divfK ?lt0r_neq0.
- by exists 1 => rho; apply: loop01.
- by exists 1 => rho; apply: loop01.
have shifted := arrow (D := D) (D' := D') (move := Delta) T pay1 query_shifts.
move=> rho; rewrite -{2}[rho](subrK Delta); apply: shifted => said.
  by have := sens _ _ adj said; rewrite distrC ler_norml ler_subl_addl => /andP[].
rewrite ler_expR ler_pdivr_mulr ?divr_gt0 ?mulr_gt0 ?ltr0n //; apply: le_trans (close said) _.
by rewrite [leRHS]mulrC mulrA divfK ?lt0r_neq0 // mulrAC mulfK ?lt0r_neq0.
Qed.
