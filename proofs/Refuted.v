(* Algorithms 5, 6 and 3 are not private: no eps holds for every number of queries.  Nor is Algorithm 4: no eps holds
   for every number of positives. *)

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

(* == Algorithms 6 and 3: a loss that grows with the number of queries ============================================= *)

Section Tails.
Variables (R : realType) (scale : R).
Hypothesis scale0 : 0 < scale.
Local Notation a := (decay scale).
Local Notation mu := (geometric scale).

Lemma geometric_gt0 (k : int) : 0 < mu k.
Proof.
have [-> _] := geometric_law scale0; have [d0 d1] := conj (decay_gt0 scale) (decay_lt1 scale0).
by rewrite /geometric_pmf mulr_gt0 ?divr_gt0 ?exprn_gt0 ?subr_gt0 ?addr_gt0 ?ltr01.
Qed.

(* One step further out has a times the probability. *)
Lemma one_out (k j : int) : `|j|%N = `|k|.+1 -> mu j = a * mu k.
Proof. by have [E _] := geometric_law scale0; move=> jk; rewrite !E /geometric_pmf jk exprS mulrCA. Qed.

Lemma summable_chance up t : summable (fun nu => (up == (t <= nu))%:R * mu nu).
Proof. by apply: (summable_condl (fun nu => up == (t <= nu))). Qed.

Lemma chance_gt0 up t : 0 < chance mu up t.
Proof.
apply: lt_le_trans (ger1_psum (if up then t else t - 1) (summable_chance up t)).
rewrite (_ : up == _ = true); last by case: up; lia.
by rewrite mul1r ger0_norm // geometric_gt0.
Qed.

(* What a comparison loses when the answer moves by 1 against it: the factor a on one side of 0, nothing on the other. *)
Definition loses (up : bool) (t : int) : R := if up == (0 < t) then a else 1.

Lemma loses_ge0 up t : 0 <= loses up t.
Proof. by rewrite /loses; case: ifP; rewrite ?ler01 // ltW ?decay_gt0. Qed.

Lemma chance_moves (up : bool) t :
  chance mu up (t + (if up then 1 else -1)) <= loses up t * chance mu up t.
Proof.
rewrite /loses; case: (boolP (up == (0 < t))) => [side|_].
  rewrite /chance [leLHS](psum_shift _ (if up then 1 else -1)) -psumZ ?(ltW (decay_gt0 _)) //.
  apply: le_psum => [nu|]; last by apply: summableZ; apply: summable_chance.
  rewrite mulr_ge0 ?ler0n //= ler_add2r mulrCA; case: (boolP (up == (t <= nu))) => [same|_]; last by rewrite !mul0r.
  by rewrite !mul1r (@one_out nu) //; case: up side same => /eqP side /eqP same; lia.
rewrite mul1r; apply: le_psum => [nu|]; last exact: summable_chance.
by rewrite mulr_ge0 ?ler0n //= ler_wpmul2r // ler_nat; case: up; lia.
Qed.
End Tails.

(* However small the loss of one step, enough of them pass every eps. *)
Lemma enough_steps (R : realType) (scale eps : R) : 0 < scale -> exists m, expR eps * decay scale ^+ m < 1.
Proof.
move=> s0; exists (Num.bound (`|eps| * scale)); set m := Num.bound _.
rewrite /decay -expRMm -expRD expR_lt1 mulrN subr_lt0 mul1r ltr_pdivl_mulr //.
apply: le_lt_trans (archi_boundP (_ : 0 <= `|eps| * scale)); last by rewrite mulr_ge0 ?normr_ge0 ?ltW.
by rewrite ler_wpmul2r ?ler_norm // ltW.
Qed.

(* What would have to hold, and cannot: p <= e p', p' <= l p and e l < 1, with p > 0. *)
Lemma not_both (R : realType) (p p' e l : R) : 0 < p -> 0 <= e -> e * l < 1 -> p' <= l * p -> p <= e * p' -> False.
Proof.
move=> p0 e0 el p'p pp'; suff : p < p by rewrite ltxx.
apply: le_lt_trans pp' _; apply: le_lt_trans (ler_wpmul2l e0 p'p) _.
by rewrite mulrA -[ltRHS]mul1r ltr_pmul2r.
Qed.

Section Half.
Variables (R : realType) (scale1 scale2 : R) (m : nat).
Hypotheses (scale10 : 0 < scale1) (scale20 : 0 < scale2).
Local Notation mu := (geometric scale2 : {distr int / R}).
Local Notation nu := (geometric scale1 : {distr int / R}).

(* All answers are 0 on `true`; on `false` the first m have risen by 1 and the others have fallen by 1. *)
Definition halves : queries bool bool := fun said D => if D then 0 else if (size said < m)%N then 1 else -1.
Definition target : seq bool := nseq m false ++ nseq m true.
Local Notation loop rho n k said D := (svt_loop (printed nu mu) halves (fun _ => 0) rho n k said D).

Lemma step_halves rho n k said b o D : said ++ b :: o = target ->
  loop rho n.+1 k.+1 said D (said ++ b :: o) =
  chance mu b (rho + (if D then 0 else if b then 1 else -1)) *
  loop rho n (if b then k else k.+1) (rcons said b) D (said ++ b :: o).
Proof.
move=> on_target; have bE : b = (m <= size said)%N.
  have : nth true (said ++ b :: o) (size said) = nth true target (size said) by rewrite on_target.
  rewrite nth_cat ltnn subnn /= => ->; rewrite nth_cat size_nseq; case: ltnP => lt_m.
    by rewrite nth_nseq lt_m.
  by rewrite nth_nseq; case: ifP.
case: b bE {on_target} => bE.
  rewrite (@step_positive _ _ _ _ _ _ (fun _ => true)) //; congr (chance _ _ _ * _).
  by rewrite /halves ltnNge -bE; case: D => /=; lia.
rewrite (@step_negative _ _ _ _ _ _ (fun _ => true)) //; congr (chance _ _ _ * _).
by rewrite /halves ltnNge -bE; case: D => /=; lia.
Qed.

(* The target ends with positives, so it is not cut off before its end if there are enough of them to give. *)
Lemma last_counts (b : bool) o : last b o -> (0 < count id (b :: o))%N.
Proof. by elim: o b => [|x o IH] b /=; [case: b|move/IH => /=; lia]. Qed.

Lemma positives_last (b : bool) o k : last true (b :: o) -> (count id (b :: o) <= k)%N ->
  exists k', [/\ k = k'.+1, last true o & (count id o <= if b then k' else k)%N].
Proof.
move=> /= end1 le_k; have := leq_trans (last_counts end1) le_k; case: k le_k => // k le_k _.
by exists k; split=> //; [case: o end1 {le_k}|case: b le_k {end1}].
Qed.

Lemma halves_gt0 rho o : forall said k, said ++ o = target -> last true o -> (count id o <= k)%N ->
  0 < loop rho (size o) k said true (said ++ o).
Proof.
elim: o => [|b o IH] said k on_target end1 le_k; first by rewrite /= cats0 dunit1E eqxx ltr01.
have [k' [kE end1' le_k']] := positives_last end1 le_k; subst k; rewrite step_halves // mulr_gt0 ?chance_gt0 //.
by rewrite -cat_rcons; apply: IH; rewrite ?cat_rcons.
Qed.

Lemma halves_lose rho o : forall said k, said ++ o = target -> last true o -> (count id o <= k)%N ->
  loop rho (size o) k said false (said ++ o) <=
    \prod_(b <- o) loses scale2 b rho * loop rho (size o) k said true (said ++ o).
Proof.
elim: o => [|b o IH] said k on_target end1 le_k; first by rewrite big_nil mul1r /=.
have [k' [kE end1' le_k']] := positives_last end1 le_k; subst k; rewrite !step_halves // big_cons mulrACA addr0.
rewrite ler_pmul ?chance_ge0 ?chance_moves //.
by rewrite -cat_rcons; apply: IH; rewrite ?cat_rcons.
Qed.

(* Wherever the threshold lies, one of the two halves loses a at each of its m steps. *)
Lemma halves_refute eps left : (m <= left)%N -> expR eps * decay scale2 ^+ m < 1 ->
  ~ private (fun D D' => D != D') (alg1_with halves (fun _ => 0) mu nu (m + m) left) eps.
Proof.
move=> le_left small priv; have := priv true false isT (pred1 target); rewrite -!pr_pred1.
have [sizeE countE end1] : [/\ size target = (m + m)%N, (count id target <= left)%N & last true target].
  rewrite size_cat count_cat !size_nseq !count_nseq mul0n mul1n last_cat; split=> //.
  by case: (m) => //= k; elim: k.
have loopE D rho := esym (@printed_loop R bool halves (fun _ => 0) nu mu D target (m + m) left rho [::]).
apply: (not_both _ (ltW (expR_gt0 eps)) small); rewrite /alg1_with.
  rewrite dletE; apply: lt_le_trans (ger1_psum 0%:Z (summable_mlet _ _ _)).
  rewrite ger0_norm ?mulr_ge0 // mulr_gt0 ?geometric_gt0 // loopE -sizeE.
  exact: (@halves_gt0 _ target [::] _ erefl end1 countE).
rewrite -[decay _ ^+ m]mul1r; apply: keep_draw; rewrite ?ler01 ?exprn_ge0 ?(ltW (decay_gt0 _)) // => rho.
  by rewrite mul1r.
rewrite !loopE -sizeE; apply: le_trans (@halves_lose rho target [::] _ erefl end1 countE) _.
rewrite ler_wpmul2r // big_cat !big_nseq !iter_mulr_1 /loses.
by case: (0 < rho) => /=; rewrite expr1n ?mul1r ?mulr1.
Qed.

Lemma sensitivity_halves : sensitivity (fun D D' => D != D') halves 1.
Proof. by move=> D D' _ said; rewrite /halves; case: (size said < m)%N; case: D; case: D'. Qed.
End Half.

Theorem alg6_refuted (R : realType) : Alg6_is_not_private R.
Proof.
move=> eps1 eps2 eps eps10 eps20.
have [scale10 scale20] : 0 < 1%:R / eps1 /\ 0 < 1%:R / eps2 by split; rewrite divr_gt0 ?ltr01.
have [m small] := enough_steps eps scale20.
exists bool, (fun D D' => D != D'), (halves m), (fun _ => 0), (m + m)%N; split; first exact: sensitivity_halves.
by apply: halves_refute => //; exact: leq_addr.
Qed.

Theorem alg4_refuted (R : realType) : Alg4_is_not_private R.
Proof.
move=> eps1 eps2 eps c eps10 eps20 below.
exists bool, (fun D D' => D != D'), (halves c), (fun _ => 0); split; first exact: sensitivity_halves.
apply: halves_refute => //; rewrite ?divr_gt0 ?ltr01 //.
by rewrite /decay -expRMm -expRD expR_lt1 mulrN subr_lt0 div1r invf_div divr1.
Qed.

(* == Algorithm 3: the number that is released says that the noisy threshold is not above it ======================== *)

Section Number.
Variables (R : realType) (eps1 eps2 : R) (m : nat).
Hypotheses (eps10 : 0 < eps1) (eps20 : 0 < eps2).
Local Notation scale := (1%:R * 1%:R / eps2).
Local Notation mu := (geometric scale : {distr int / R}).

Let scale0 : 0 < scale. Proof. by rewrite divr_gt0 ?mulr_gt0 ?ltr01. Qed.

(* All answers are 0 on `true`; on `false` the first m have risen by 1.  The last one is 0, and released as 0. *)
Definition risen : queries bool (option int) := fun said D => if D then 0 else if (size said < m)%N then 1 else 0.
Definition ends_with_0 (j : nat) : seq (option int) := nseq j None ++ [:: Some 0].
Local Notation loop rho n said D := (svt_loop (alg3 1 1 eps1 eps2) risen (fun _ => 0) rho n 1 said D).

Lemma step_risen rho n said o D : (size said < m)%N ->
  loop rho n.+1 said D (said ++ None :: o) =
  chance mu false (rho + (if D then 0 else -1)) * loop rho n (rcons said None) D (said ++ None :: o).
Proof.
move=> lt_m; rewrite (@step_negative _ _ _ _ _ _ (@Some int)) //; congr (chance _ _ _ * _).
by rewrite /risen lt_m; case: D => /=; lia.
Qed.

Lemma last_risen rho said D : (m <= size said)%N ->
  loop rho 1 said D (said ++ [:: Some 0]) = if rho <= 0 then mu 0 else 0.
Proof.
move=> le_m; rewrite (@loop_step _ _ _ _ _ _ (@Some int)) (psum_finseq (r := [:: 0%:Z])) // => [|nu].
  rewrite big_seq1 /risen ltnNge le_m /= addr0 add0r; have -> : (if D then 0 else 0) = 0 :> int by case: D.
  by case: ifP => _; rewrite dunit1E -cats1 eqseq_cat // eqxx /= ?mulr1 ?mulr0 ?normr0 // ger0_norm.
rewrite !inE /risen ltnNge le_m /=; have -> : (if D then 0 else 0) = 0 :> int by case: D.
rewrite !add0r; apply: contraR => nu0; case: ifP => _; rewrite dunit1E -cats1 eqseq_cat // eqxx /= ?mulr0 //.
by rewrite eqseq_cons andbT (inj_eq (@Some_inj _)) (negbTE nu0) mulr0.
Qed.

Lemma risen_cat said j : said ++ ends_with_0 j.+1 = rcons said None ++ ends_with_0 j.
Proof. by rewrite cat_rcons. Qed.

Lemma risen_gt0 j : forall said, (size said + j = m)%N -> 0 < loop 0 j.+1 said true (said ++ ends_with_0 j).
Proof.
elim: j => [|j IH] said sizeE; first by rewrite last_risen ?lexx ?geometric_gt0 //; lia.
rewrite step_risen; last by lia.
by rewrite mulr_gt0 ?chance_gt0 // risen_cat IH // size_rcons; lia.
Qed.

Lemma risen_lose rho j : forall said, (size said + j = m)%N ->
  loop rho j.+1 said false (said ++ ends_with_0 j) <=
    decay scale ^+ j * loop rho j.+1 said true (said ++ ends_with_0 j).
Proof.
case: (lerP rho 0) => side.
  elim: j => [|j IH] said sizeE; first by rewrite !last_risen ?mul1r //; lia.
  rewrite !step_risen; try lia.
  rewrite exprS mulrACA addr0 ler_pmul ?chance_ge0 //; last by rewrite risen_cat IH // size_rcons; lia.
  by have := chance_moves scale0 false rho; rewrite /loses ltNge side.
elim: j => [|j IH] said sizeE; first by rewrite !last_risen ?mul1r //; lia.
have zero D i : forall s, (size s + i = m)%N -> loop rho i.+1 s D (s ++ ends_with_0 i) = 0.
  elim: i => [|i IHi] s sE; first by rewrite last_risen ?leNgt ?side //; lia.
  by rewrite step_risen ?risen_cat ?IHi ?mulr0 ?size_rcons //; lia.
by rewrite !zero // mulr0.
Qed.
End Number.

Theorem alg3_refuted (R : realType) : Alg3_is_not_private R.
Proof.
move=> eps1 eps2 eps eps10 eps20.
have scale0 : 0 < 1%:R * 1%:R / eps2 by rewrite divr_gt0 ?mulr_gt0 ?ltr01.
have scale1 : 0 < 1%:R / eps1 by rewrite divr_gt0 ?ltr01.
have [m small] := enough_steps eps scale0.
exists bool, (fun D D' => D != D'), (risen m), (fun _ => 0), m.+1; split=> [D D' _ said|priv].
  by rewrite /risen; case: (size said < m)%N; case: D; case: D'.
have := priv true false isT (pred1 (ends_with_0 m)); rewrite -!pr_pred1 => bad.
apply: (not_both _ (ltW (expR_gt0 eps)) small _ bad); rewrite /svt.
  rewrite dletE; apply: lt_le_trans (ger1_psum 0%:Z (summable_mlet _ _ _)).
  rewrite ger0_norm; last exact: mulr_ge0 (ge0_mu _ _) (ge0_mu _ _).
  exact: mulr_gt0 (geometric_gt0 scale1 0) (@risen_gt0 R eps1 eps2 m eps10 eps20 m [::] (add0n m)).
have a0 : 0 <= decay (1%:R * 1%:R / eps2) ^+ m by rewrite exprn_ge0 // ltW ?decay_gt0.
rewrite -[decay _ ^+ m]mul1r; apply: (keep_draw ler01 a0) => rho; first by rewrite mul1r.
exact: (@risen_lose R eps1 eps2 m eps10 eps20 rho m [::] (add0n m)).
Qed.
