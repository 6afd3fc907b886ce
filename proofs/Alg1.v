(* Algorithm 1 as printed: private for every eps1, eps2, c, Delta, adaptive queries and thresholds; with half the query
   noise for monotonic queries; and its mass is 1. *)

From mathcomp Require Import all_ssreflect all_algebra zify.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.
From SVT Require Import Statement Sums Noise Alignment.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Prices.
Variable R : realType.
Implicit Types (x y eps : R) (c d Delta : nat).

Lemma nat_gt0 c : (0 < c)%N -> (0 : R) < c%:R. Proof. by rewrite ltr0n. Qed.

Lemma one_le_exp x : 0 <= x -> 1 <= expR x.
Proof. by move=> x0; rewrite -[1 in leLHS](expR0 R) ler_expR. Qed.

(* A move up by d <= f * Delta, with noise of scale f * c * Delta / eps, costs at most exp(eps / c). *)
Lemma price_of_move (one : bool) (f c Delta d : nat) eps k :
  (0 < f)%N -> (0 < c)%N -> (0 < Delta)%N -> 0 < eps -> (d <= f * Delta)%N ->
  let law := noise one (f%:R * c%:R * Delta%:R / eps) in
  law k <= expR (eps / c%:R) * law (k + d).
Proof.
move=> f0 c0 D0 e0 le_d; have [f_ c_ D_] := And3 (nat_gt0 f0) (nat_gt0 c0) (nat_gt0 D0).
have scale0 : 0 < f%:R * c%:R * Delta%:R / eps by rewrite divr_gt0 ?mulr_gt0.
apply: le_trans (noise_moves_up scale0 one k d) _; rewrite ler_wpmul2r // ler_expR.
rewrite ler_pdivr_mulr // [leRHS](_ : _ = f%:R * Delta%:R); last first.
  by rewrite mulrC mulrA divfK ?lt0r_neq0 // mulrAC mulfK ?lt0r_neq0.
by rewrite -natrM ler_nat.
Qed.
End Prices.

(* The loop of all variants, with true and false for answers, is the printed program. *)
Section Printed.
Variables (R : realType) (database : Type) (q : queries database bool) (T : thresholds bool).
(* The noise of the threshold, of the queries: `Variant` takes them in this order, `alg1_with` in the other. *)
Variables (threshold query : {distr int / R}).

Definition printed : variant R [choiceType of bool] := Variant threshold None query false (fun _ _ _ => dunit true).

Lemma printed_loop D o steps : forall left rho said,
  svt_loop printed q T rho steps left said D o = alg1_loop q T query rho steps left said D o.
Proof.
elim: steps => [|steps IH] [|left] rho said //=; rewrite !dletE; apply: eq_psum => nu /=; congr (_ * _).
by case: ifP => _ //; rewrite dlet_unit dlet_unit IH.
Qed.

Lemma printed_svt n c D o : svt printed q T n c D o = alg1_with q T query threshold n c D o.
Proof. by rewrite !dletE; apply: eq_psum => rho /=; rewrite printed_loop. Qed.

Lemma printed_le n c D D' o (e : R) :
  svt printed q T n c D o <= e * svt printed q T n c D' o ->
  alg1_with q T query threshold n c D o <= e * alg1_with q T query threshold n c D' o.
Proof.
have le_eq (x x' y y' : R) : x = x' -> y = y' -> x <= e * y -> x' <= e * y' by move=> -> ->.
exact: le_eq (printed_svt n c D o) (printed_svt n c D' o).
Qed.

Lemma mass_loop D steps : psum query = 1 -> forall left rho said, psum (alg1_loop q T query rho steps left said D) = 1.
Proof.
move=> m1; elim: steps => [|steps IH] [|left] rho said; rewrite ?mass_dunit //=.
by apply: mass_dlet => // nu; case: ifP.
Qed.
End Printed.

(* One pair of databases, any variant that draws its threshold once.  The threshold noise moves by `move`, which covers
   every answer that rises; a positive's noise moves by at most f * Delta.  `svt_pair` is `arrow_svt` with the prices of
   the noise filled in: exp(eps1) once, and c times exp(eps2 / c) and exp(eps3 / c). *)
Section Pair.
Variables (R : realType) (database : Type) (answer : choiceType).
Variables (q : queries database answer) (T : thresholds answer) (D D' : database).
Variables (one1 one2 : bool) (f c Delta : nat) (eps1 eps2 eps3 : R) (move n : nat).
Variables (negative : answer) (positive : int -> int -> int -> {distr answer / R}).
Hypotheses (f0 : (0 < f)%N) (c0 : (0 < c)%N) (Delta0 : (0 < Delta)%N) (eps10 : 0 < eps1) (eps20 : 0 < eps2).
Hypothesis eps30 : 0 <= eps3.
Hypothesis move_le : (move <= Delta)%N.
Hypothesis answers : forall said, q said D' <= q said D + move /\ q said D + move <= q said D' + (f * Delta)%N.
Hypothesis pay_shown : forall said noisy bar x,
  positive (q said D) noisy bar x <= expR (eps3 / c%:R) * positive (q said D') (noisy + move) (bar + move) x.

Lemma bill_once pos shown left : bill 1 pos shown left = (pos * shown) ^+ left :> R.
Proof. by elim: left => //= k ->; rewrite exprS; case: k => [|k]; rewrite mul1r mulrA. Qed.

Lemma svt_pair (v := Variant (noise one1 (Delta%:R / eps1)) None (noise one2 (f%:R * c%:R * Delta%:R / eps2))
                             negative positive) o :
  svt v q T n c D o <= expR (eps1 + eps2 + eps3) * svt v q T n c D' o.
Proof.
have c_ : 0 < (c%:R : R) by exact: nat_gt0.
have := @arrow_svt R database answer v q T D D' move (expR eps1) 1 (expR (eps2 / c%:R)) (expR (eps3 / c%:R)).
(* The bill: exp(eps1) * (exp(eps2 / c) * exp(eps3 / c)) ^ c = exp(eps1 + eps2 + eps3).  In `move/(_ ...)` the _ are the
   hypotheses of `arrow_svt`.  `//` proves three of them; the other six are the six bullets. *)
move/(_ _ _ _ _ _ _ _ _ _ n c o); rewrite bill_once -!expRD -expRMm -expRD mulrDr.
rewrite ![c%:R * _]mulrC !divfK ?lt0r_neq0 // addrA; apply => //.
(* What `arrow_svt` asks for: prices of at least 1, negatives that stay, and what the two moves cost. *)
- exact: one_le_exp (ltW eps10).
- by apply/one_le_exp/divr_ge0; apply: ltW.
- by apply/one_le_exp/divr_ge0 => //; apply: ltW.
- by move=> said; case: (answers said).
- move=> rho; have := price_of_move one1 rho (isT : 0 < 1)%N (isT : 0 < 1)%N Delta0 eps10.
  by move/(_ move); rewrite mul1n !mul1r divr1 => /(_ move_le).
- move=> said nu; have [up close] := answers said.
  have [d dE] : exists d : nat, q said D + move - q said D' = d
    by exists `|(q said D + move - q said D')%R|%N; lia.
  by rewrite dE; apply: price_of_move => //; lia.
Qed.
End Pair.

Lemma private_pointwise (R : realType) (database : Type) (adjacent : database -> database -> Prop)
    (outcome : choiceType) (M : database -> {distr outcome / R}) (eps : R) :
  (forall D D', adjacent D D' -> forall o, M D o <= expR eps * M D' o) -> private adjacent M eps.
Proof. by move=> le D D' adj E; apply: le_pr => [|o]; [exact: ltW (expR_gt0 _)|exact: le]. Qed.

(* == The theorems ================================================================================================= *)

Theorem alg1_private (R : realType) : Alg1_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n c Delta0 c0 eps10 eps20 sens.
apply: private_pointwise => D D' adj o.
apply: printed_le; rewrite -[eps1 + eps2]addr0.
(* Both noises two-sided, f = 2, eps3 = 0 as a positive shows nothing more, and the threshold moves by Delta. *)
apply: (@svt_pair R database _ q T D D' false false 2 c Delta eps1 eps2 0 Delta) => // [said|said noisy bar x].
  by have := sens _ _ adj said; lia.
by rewrite mul0r expR0 mul1r.
Qed.

Theorem alg1_monotonic_private (R : realType) : Alg1_monotonic_is_private R.
Proof.
move=> database adjacent q T Delta eps1 eps2 n c Delta0 c0 eps10 eps20 sens mono.
apply: private_pointwise => D D' adj o.
(* If the answers rise, so does the threshold; if they fall, it stays. *)
have pair := @svt_pair R database _ q T D D' false false 1 c Delta eps1 eps2 0.
apply: printed_le; rewrite -[eps1 + eps2]addr0 -[X in geometric (X * _ / _)]mul1r.
case: (mono _ _ adj) => [rise|fall].
- apply: (pair Delta) => // said; last by move=> *; rewrite mul0r expR0 mul1r.
  by have := sens _ _ adj said; have := rise said; lia.
- apply: (pair 0%N) => // said; last by move=> *; rewrite mul0r expR0 mul1r.
  by have := sens _ _ adj said; have := fall said; lia.
Qed.

Theorem alg1_mass (R : realType) : Alg1_has_mass_one R.
Proof.
move=> database q T Delta eps1 eps2 n c D Delta0 c0 eps10 eps20.
have scale0 (x eps : R) : 0 < x -> 0 < eps -> psum (geometric (x / eps)) = 1.
  by move=> x0 e0; rewrite -pr_psum; case: (geometric_law (divr_gt0 x0 e0)).
rewrite pr_psum; apply: mass_dlet => [|rho]; first by rewrite scale0 ?nat_gt0.
by apply: mass_loop; rewrite scale0 ?mulr_gt0 ?nat_gt0.
Qed.

Theorem geometric_is_a_law (R : realType) : Geometric_is_a_law R.
Proof. by move=> scale scale0; apply: geometric_law. Qed.

Theorem one_sided_is_a_law (R : realType) : One_sided_is_a_law R.
Proof. by move=> scale scale0; apply: one_sided_law. Qed.
