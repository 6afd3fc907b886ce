(* The other private variants: AboveThreshold, free gaps, released numbers, refreshed thresholds; and an analyst with
   coins. *)

From mathcomp Require Import all_ssreflect all_algebra zify.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.
From SVT Require Import Statement Sums Noise Alignment Alg1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Theorem above_threshold_private (R : realType) : Above_threshold_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n Delta0 eps10 eps20 sens.
have := @alg1_private R database adjacent q T Delta eps1 eps2 n 1%N Delta0 isT eps10 eps20 sens.
by rewrite /alg1 mulr1n mulr1.
Qed.

(* A variant that draws its threshold once is private, if what a positive says costs eps3 / c at most. *)
Lemma once_private (R : realType) (database : Type) (adjacent : database -> database -> Prop) (answer : choiceType)
    (q : queries database answer) (T : thresholds answer) (one1 one2 : bool) (f c Delta : nat) (eps1 eps2 eps3 : R) n
    (negative : answer) (positive : int -> int -> int -> {distr answer / R}) :
  (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 -> 0 <= eps3 ->
  sensitivity adjacent q Delta -> enough adjacent q f ->
  (forall (a a' noisy bar : int) (move : nat) x, `|a - a'| <= Delta%:Z ->
    positive a noisy bar x <= expR (eps3 / c%:R) * positive a' (noisy + move) (bar + move) x) ->
  private adjacent (svt (Variant (noise one1 (Delta%:R / eps1)) None (noise one2 (f%:R * c%:R * Delta%:R / eps2))
                                 negative positive) q T n c) (eps1 + eps2 + eps3).
Proof.
move=> Delta0 c0 eps10 eps20 eps30 sens factor shown; apply: private_pointwise => D D' adj o.
have pair := @svt_pair R database answer q T D D' one1 one2 f c Delta eps1 eps2 eps3.
have paid move said noisy bar x := shown _ _ noisy bar move x (sens _ _ adj said).
case: factor pair => [->|[-> mono]] pair.
  by apply: (pair Delta) => // said; have := sens _ _ adj said; lia.
case: (mono _ _ adj) => [rise|fall].
  by apply: (pair Delta) => // said; have := sens _ _ adj said; have := rise said; lia.
by apply: (pair 0%N) => // said; have := sens _ _ adj said; have := fall said; lia.
Qed.

Theorem gap_private (R : realType) : Gap_is_private R.
Proof.
move=> database adjacent V show q T one1 one2 f Delta eps1 eps2 n c Delta0 c0 eps10 eps20 sens factor.
rewrite -[eps1 + eps2]addr0; apply: once_private => // a a' noisy bar move x _.
rewrite mul0r expR0 mul1r /says_gap; have -> // : noisy + move - (bar + move) = noisy - bar by lia.
Qed.

Theorem alg7_private (R : realType) : Alg7_is_private R.
Proof.
move=> database adjacent q T f Delta eps1 eps2 eps3 n c Delta0 c0 eps10 eps20 eps30 sens factor.
have [c_ D_] := conj (nat_gt0 R c0) (nat_gt0 R Delta0).
apply: (@once_private R database adjacent _ q T false false) => // [|a a' noisy bar move x near]; first exact: ltW.
have scale0 : 0 < c%:R * Delta%:R / eps3 by rewrite divr_gt0 ?mulr_gt0.
rewrite /alg7 /says_fresh -[expR _]mulr1; apply: (move_draw (s := a - a')) => [||w|w]; rewrite ?ler01 //.
- exact: ltW (expR_gt0 _).
- apply: le_trans (geometric_moves scale0 w (a - a')) _; rewrite ler_wpmul2r // ler_expR ler_pdivr_mulr //.
  rewrite [leRHS](_ : _ = Delta%:R); first by rewrite ler_nat; lia.
  by rewrite mulrC mulrA divfK ?lt0r_neq0 // mulrAC mulfV ?mul1r ?lt0r_neq0.
- by rewrite mul1r; have -> : a' + (w + (a - a')) = a + w by lia.
Qed.

(* A refreshed threshold pays again before every positive but the first. *)
Lemma bill_again (R : realType) (again pos : R) (c : nat) : again * bill again pos 1 c.+1 = (again * pos) ^+ c.+1.
Proof.
elim: c => [|c IH]; first by rewrite /= !mulr1 expr1.
by rewrite exprS -IH; rewrite /= mul1r mulrA.
Qed.

Theorem sparse_private (R : realType) : Sparse_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n [//|c] Delta0 c0 eps10 eps20 sens.
have c_ : 0 < (c.+1%:R : R) by exact: nat_gt0.
apply: private_pointwise => D D' adj o.
have pay_threshold rho : geometric (c.+1%:R * Delta%:R / eps1) rho <=
    expR (eps1 / c.+1%:R) * geometric (c.+1%:R * Delta%:R / eps1) (rho + Delta).
  have := @price_of_move R false 1 c.+1 Delta Delta eps1 rho isT isT Delta0 eps10.
  by rewrite mul1n mul1r; apply.
have := @arrow_svt R database _ (sparse Delta c.+1 eps1 eps2) q T D D' Delta%:Z
  (expR (eps1 / c.+1%:R)) (expR (eps1 / c.+1%:R)) (expR (eps2 / c.+1%:R)) 1.
move/(_ _ _ _ _ _ _ _ _ _ n c.+1 o); rewrite bill_again -expRD -expRMm -mulrDl [c.+1%:R * _]mulrC divfK ?lt0r_neq0 //.
apply => //.
- by apply/one_le_exp/divr_ge0; apply: ltW.
- by apply/one_le_exp/divr_ge0; apply: ltW.
- by apply/one_le_exp/divr_ge0; apply: ltW.
- by move=> said; have := sens _ _ adj said; lia.
- by move=> law [<-].
- move=> said nu; have near := sens _ _ adj said.
  have [d dE] : exists d : nat, q said D + Delta%:Z - q said D' = d.
    by exists `|(q said D + Delta%:Z - q said D')%R|%N; lia.
  by rewrite dE; apply: (price_of_move false) => //; lia.
- by move=> *; rewrite mul1r.
Qed.

Theorem alg2_private (R : realType) : Alg2_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n c Delta0 c0 eps10 <- sens.
exact: sparse_private.
Qed.

Theorem svt_mass (R : realType) : Svt_has_mass_one R.
Proof.
move=> database answer v q T n c D; rewrite !pr_psum => threshold1 query1 again1 shown1.
apply: mass_dlet => // rho; elim: n c rho [::] => [|n IH] [|c] rho said; rewrite ?mass_dunit //=.
apply: mass_dlet => // nu; case: ifP => _ //; apply: mass_dlet => [|x]; first by rewrite -pr_psum.
apply: mass_dlet => // ; rewrite /next_threshold; case E: (refresh_noise v) => [law|]; rewrite ?mass_dunit //.
by case: c; rewrite ?mass_dunit // -pr_psum again1.
Qed.

Theorem mixture_private (R : realType) : Mixture_is_private R.
Proof.
move=> database adjacent coins outcome law M eps priv.
apply: private_pointwise => D D' adj o.
have e0 : 0 <= expR eps by exact: ltW (expR_gt0 _).
rewrite -[expR eps]mul1r; apply: keep_draw; rewrite ?ler01 // => w; first by rewrite mul1r.
by rewrite !pr_pred1; apply: priv.
Qed.
