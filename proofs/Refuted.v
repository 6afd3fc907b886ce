(* Algorithms 5, 6 and 3 are not private: no eps holds for every number of queries. *)

From mathcomp Require Import all_ssreflect all_algebra zify.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.
From SVT Require Import Statement Sums Noise Alignment Alg1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Steps.
Variables (R : realType) (answer : choiceType) (database : Type).
Variables (threshold query : {distr int / R}) (negative : answer) (say : int -> answer).
Variables (q : queries database answer) (T : thresholds answer) (D : database).
Let v := Variant threshold None query negative (fun _ noisy _ => dunit (say noisy)).
Local Notation loop rho n k said := (svt_loop v q T rho n k said D).

Lemma loop_step rho n k said o : loop rho n.+1 k.+1 said o = psum (fun nu => query nu *
  (if q said D + nu >= T said + rho then loop rho n k (rcons said (say (q said D + nu)))
   else loop rho n k.+1 (rcons said negative)) o).
Proof. by rewrite /= dletE; apply: eq_psum => nu /=; case: ifP => _ //; rewrite !dlet_unit. Qed.

(* A transcript only grows. *)
Lemma extends rho n : forall k said o, loop rho n k said o != 0 -> exists o', o = said ++ o'.
Proof.
elim: n => [|n IH] [|k] said o; try by rewrite /= dunit1E pnatr_eq0 eqb0 negbK => /eqP <-; exists [::]; rewrite cats0.
rewrite loop_step => /eqP /neq0_psum [nu /eqP]; rewrite mulf_eq0 => /norP[_].
by case: ifP => _ /IH [o' ->]; rewrite cat_rcons; [exists (say (q said D + nu) :: o')|exists (negative :: o')].
Qed.

Lemma other_answer rho n k said x y o : x != y -> loop rho n k (rcons said x) (said ++ y :: o) = 0.
Proof.
move=> xy; apply/eqP; apply: contraT => /extends [o'].
by rewrite cat_rcons => /eqP; rewrite eqseq_cat // eqxx eqseq_cons eq_sym (negbTE xy).
Qed.

(* The chance that a comparison comes out as `up`, for a noisy threshold that is t above the answer. *)
Definition chance (up : bool) (t : int) : R := psum (fun nu => (up == (t <= nu))%:R * query nu).

Lemma step_negative rho n k said o : (forall z, say z != negative) ->
  loop rho n.+1 k.+1 said (said ++ negative :: o) =
  chance false (T said + rho - q said D) * loop rho n k.+1 (rcons said negative) (said ++ negative :: o).
Proof.
move=> other; rewrite loop_step /chance -psumZr //; apply: eq_psum => nu /=.
have -> : (T said + rho <= q said D + nu) = (T said + rho - q said D <= nu) by lia.
by case: ifP => _ /=; [rewrite other_answer // mulr0 !mul0r|rewrite mul1r].
Qed.

Lemma step_positive rho n k said o x : x != negative -> (forall z, say z = x) ->
  loop rho n.+1 k.+1 said (said ++ x :: o) =
  chance true (T said + rho - q said D) * loop rho n k (rcons said x) (said ++ x :: o).
Proof.
move=> other same; rewrite loop_step /chance -psumZr //; apply: eq_psum => nu /=.
have -> : (T said + rho <= q said D + nu) = (T said + rho - q said D <= nu) by lia.
by case: ifP => _ /=; [rewrite same mul1r|rewrite other_answer 1?eq_sym // mulr0 !mul0r].
Qed.

Lemma chance_ge0 up t : 0 <= chance up t.
Proof. exact: ge0_psum. Qed.
End Steps.

(* == Algorithm 5: an output that is possible on one side only ======================================================= *)

Theorem alg5_refuted (R : realType) : Alg5_is_not_private R.
Proof.
move=> eps1 eps10.
pose q : queries bool bool := fun said D => (D == (said != [::]))%:Z.
exists bool, (fun D D' => D != D'), q, (fun _ => 0); split=> [D D' _ said|eps priv].
  by rewrite /q; case: (D == _); case: (D' == _).
have := priv true false isT (pred1 [:: false; true]); rewrite -!pr_pred1 /alg5.
(* On `true` the answers are 0, 1; on `false` they are 1, 0. *)
have loop_at D rho : alg1_loop q (fun _ => 0) (dunit 0) rho 2 2 [::] D [:: false; true] =
    ((q [::] D < rho) && (rho <= q [:: false] D))%:R :> R.
  rewrite /= dlet_unit addr0 add0r; case: leP => _; rewrite dlet_unit addr0; case: ifP => _.
  1-4: by rewrite dunit1E ?eqxx.
have impossible : alg1_with q (fun _ => 0) (dunit 0) (geometric (1%:R / eps1)) 2 2 false [:: false; true] = 0.
  rewrite dletE psum_eq0 // => rho; rewrite loop_at /q /=.
  have -> : (1%:Z < rho) && (rho <= 0%:Z) = false by lia.
  by rewrite mulr0.
rewrite impossible mulr0 leNgt => /negP; apply.
have scale0 : 0 < 1%:R / eps1 by rewrite divr_gt0 ?ltr01.
have [law _] := geometric_law scale0; have [d0 d1] := conj (decay_gt0 (1%:R / eps1)) (decay_lt1 scale0).
rewrite dletE; apply: lt_le_trans (ger1_psum 1%:Z (summable_mlet _ _ _)).
rewrite loop_at /q /= mulr1 law ger0_norm; last by rewrite -law.
by rewrite /geometric_pmf mulr_gt0 ?divr_gt0 ?exprn_gt0 ?subr_gt0 ?addr_gt0 ?ltr01.
Qed.
