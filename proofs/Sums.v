(* Sums over countable sets: what the library lacks, or has only as an admitted lemma.  Nothing on privacy. *)

From mathcomp Require Import all_ssreflect all_algebra finmap.
From mathcomp Require Import zify.
From mathcomp.classical Require Import boolp.
From mathcomp.analysis Require Import reals.
From mathcomp.analysis.altreals Require Import realsum distr.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variable R : realType.

Lemma sum_sub (T : choiceType) (F : T -> R) (r s : seq T) :
  (forall x, 0 <= F x) -> uniq r -> uniq s -> {subset r <= s} -> \sum_(x <- r) F x <= \sum_(x <- s) F x.
Proof.
move=> F0 Ur Us rs; have rE : perm_eq r [seq x <- s | x \in r].
  apply: uniq_perm; rewrite ?filter_uniq // => x; rewrite mem_filter.
  by case: (boolP (x \in r)) => //= /rs.
by rewrite (perm_big _ rE) big_filter [leRHS](bigID (mem r)) /= ler_addl sumr_ge0.
Qed.

Lemma summable_bound (T : choiceType) (F : T -> R) (M : R) :
  (forall x, 0 <= F x) -> 0 <= M -> (forall s, uniq s -> \sum_(x <- s) F x <= M) -> summable F.
Proof.
move=> F0 M0 bound; apply/summable_seqP; exists M => // s /bound; congr (_ <= _).
by apply: eq_bigr => x _; rewrite ger0_norm.
Qed.

(* == Whole numbers ================================================================================================ *)

Lemma psum_shift (F : int -> R) (s : int) : psum F = psum (fun z => F (z + s)).
Proof.
apply: (reindex_psum (P := predT)) => //.
by exists (fun z => z - s) => z _; rewrite ?addrK ?subrK.
Qed.

Lemma summable_shift (F : int -> R) (s : int) : summable F -> summable (fun z => F (z + s)).
Proof.
case/summable_seqP=> M M0 bound; apply/summable_seqP; exists M => // J UJ.
by rewrite -(big_map (fun z => z + s) xpredT (fun z => `|F z|)) bound ?map_inj_uniq //; apply: addIr.
Qed.

Lemma psum_halves (F : int -> R) : summable F -> psum F = psum (fun n => F (Posz n)) + psum (fun n => F (Negz n)).
Proof.
move=> smF; rewrite (psumID (fun k : int => 0 <= k) smF); congr (_ + _).
- rewrite (reindex_psum (P := [pred k : int | 0 <= k]) (h := Posz)).
  + by apply: eq_psum => n /=; rewrite mul1r.
  + by move=> k; rewrite inE; case: (0 <= k) => //; rewrite mul0r eqxx.
  + by exists absz => [n _ //|k]; rewrite inE => k0; rewrite gez0_abs.
- rewrite (reindex_psum (P := [pred k : int | ~~ (0 <= k)]) (h := Negz)).
  + by apply: eq_psum => n /=; rewrite mul1r.
  + by move=> k; rewrite inE; case: (0 <= k) => //; rewrite mul0r eqxx.
  + by exists (fun k : int => `|k|.-1%N) => [n _ //|k]; rewrite inE; case: k.
Qed.

Section Series.
Variable a : R.
Hypothesis a01 : 0 <= a < 1.

Let a0 : 0 <= a. Proof. by case/andP: a01. Qed.
Let a1 : 0 < 1 - a. Proof. by rewrite subr_gt0; case/andP: a01. Qed.

Lemma partial_series n : \sum_(i <- iota 0 n) a ^+ i <= (1 - a)^-1.
Proof.
have -> : \sum_(i <- iota 0 n) a ^+ i = (1 - a ^+ n) / (1 - a).
  have -> : iota 0 n = index_iota 0 n by rewrite /index_iota subn0.
  by rewrite big_mkord -[1 - a ^+ n]opprB subrX1 -mulNr opprB mulrAC mulfV ?mul1r ?lt0r_neq0.
rewrite -[leRHS]mul1r ler_wpmul2r ?invr_ge0 ?(ltW a1) //.
by rewrite ler_subl_addr ler_addl exprn_ge0.
Qed.

Lemma summable_series : summable (fun n : nat => a ^+ n).
Proof.
apply: (summable_bound (M := (1 - a)^-1)) => [n||s Us]; rewrite ?exprn_ge0 // ?invr_ge0 ?(ltW a1) //.
apply: le_trans (partial_series (\max_(x <- s) x).+1); apply: sum_sub => [n|||x xs] //; rewrite ?exprn_ge0 ?iota_uniq //.
by rewrite mem_iota /= ltnS; apply: (@leq_bigmax_seq _ _ xpredT id).
Qed.

(* S = 1 + a S. *)
Lemma psum_series : psum (fun n : nat => a ^+ n) = (1 - a)^-1.
Proof.
have split_off : psum (fun n : nat => a ^+ n) = 1 + a * psum (fun n : nat => a ^+ n).
  rewrite {1}(psumID (pred1 0%N) summable_series); congr (_ + _).
    rewrite (psum_finseq (r := [:: 0%N])) //.
      by rewrite big_seq1 /= mul1r expr0 normr1.
    by move=> n; rewrite !inE /=; case: (n == 0%N) => //; rewrite mul0r eqxx.
  rewrite (reindex_psum (P := [pred n | n != 0%N]) (h := succn)).
  + by rewrite -psumZ //; apply: eq_psum => n /=; rewrite mul1r exprS.
  + by move=> n; rewrite inE; apply: contraNN => /eqP ->; rewrite /= mul0r.
  + by exists predn => // n; rewrite inE; case: n.
apply/eqP; rewrite -(mulr1 _^-1) eq_sym -[_ == _](inj_eq (mulfI (lt0r_neq0 a1))) mulVKf ?lt0r_neq0 //.
by rewrite mulrBl mul1r {1}split_off addrK.
Qed.

Lemma summable_two_sided : summable (fun k : int => a ^+ `|k|%N).
Proof.
have M0 : 0 <= (1 - a)^-1 by rewrite invr_ge0 ltW.
apply: (summable_bound (M := (1 - a)^-1 + (1 - a)^-1)) => [k||s Us]; rewrite ?exprn_ge0 ?addr_ge0 //.
have [N sN] : exists N, forall k, k \in s -> (`|k| < N)%N.
  by exists (\max_(x <- s) `|x|%N).+1 => k ks; rewrite ltnS; apply: (@leq_bigmax_seq _ _ xpredT absz).
apply: (@le_trans _ _ (\sum_(k <- map Posz (iota 0 N) ++ map Negz (iota 0 N)) a ^+ `|k|%N)).
  apply: sum_sub => [k|//||k ks]; first by rewrite exprn_ge0.
    rewrite cat_uniq !map_inj_uniq ?iota_uniq //= => [|x y []|x y []] //; rewrite andbT.
    by apply/hasPn => _ /mapP[n _ ->]; apply/mapP => -[].
  rewrite mem_cat; case: k {ks} (sN k ks) => n kN; apply/orP; [left|right]; apply: map_f; rewrite mem_iota //.
  by move: kN; rewrite /= add0n; lia.
rewrite big_cat !big_map; apply: ler_add; first exact: partial_series.
apply: le_trans (partial_series N); apply: ler_sum => n _ /=.
by rewrite exprS ler_pimull ?exprn_ge0 //; case/andP: a01 => _ /ltW.
Qed.

Lemma psum_two_sided : psum (fun k : int => a ^+ `|k|%N) = (1 + a) / (1 - a).
Proof.
rewrite (psum_halves summable_two_sided) /= psum_series mulrDl mul1r; congr (_ + _).
by rewrite -psum_series -psumZ //; apply: eq_psum => n /=; rewrite exprS.
Qed.
End Series.

(* == Laws ========================================================================================================= *)

Lemma pr_psum (T : choiceType) (mu : {distr T / R}) : \P_[mu] predT = psum mu.
Proof. by apply: eq_psum => x; rewrite mul1r. Qed.

(* A law that is pointwise at most b times another is so on every set. *)
Lemma le_pr (T : choiceType) (b : R) (mu nu : {distr T / R}) (E : pred T) :
  0 <= b -> (forall x, mu x <= b * nu x) -> \P_[mu] E <= b * \P_[nu] E.
Proof.
move=> b0 le; rewrite /pr -psumZ //; apply: le_psum => [x|].
  by rewrite mulr_ge0 ?ler0n //= mulrCA ler_wpmul2l ?ler0n.
by apply: summableZ; apply: summable_condl.
Qed.

(* The sum over all pairs, both ways: what a draw followed by a draw adds up to. *)
Lemma psum_dlet (T U : choiceType) (mu : {distr T / R}) (f : T -> {distr U / R}) :
  psum (\dlet_(x <- mu) f x) = psum (fun x => mu x * psum (f x)).
Proof.
pose S p := mu p.1 * f p.1 p.2.
have smS : summable S.
  apply: (summable_bound (M := 1)) => [p||s Us]; rewrite ?mulr_ge0 ?ler01 //.
  pose X := undup (map fst s); pose Y := undup (map snd s).
  apply: (@le_trans _ _ (\sum_(p <- [seq (x, y) | x <- X, y <- Y]) S p)).
    apply: sum_sub => [p|//||p ps]; first by rewrite mulr_ge0.
      by apply: allpairs_uniq; rewrite ?undup_uniq // => -[? ?] [? ?] _ _ [-> ->].
    by case: p ps => x y ps; apply/allpairsP; exists (x, y); split => //=;
      rewrite mem_undup; apply/mapP; exists (x, y).
  have le1 (V : choiceType) (nu : {distr V / R}) r : uniq r -> \sum_(v <- r) nu v <= 1.
    move=> Ur; apply: le_trans (le1_mu nu); apply: le_trans (gerfinseq_psum Ur (summable_mu nu)).
    by apply: ler_sum => v _; rewrite ler_norm.
  rewrite big_allpairs; apply: le_trans (le1 _ mu X (undup_uniq _)).
  by apply: ler_sum => x _; rewrite /S /= -mulr_sumr ler_pimulr // le1 ?undup_uniq.
rewrite (eq_psum (F2 := fun y => psum (fun x => S (x, y)))); last by move=> y; rewrite dletE.
rewrite -psum_pair_swap // psum_pair //; apply: eq_psum => x /=.
by rewrite -psumZ.
Qed.

Lemma mass_dlet (T U : choiceType) (mu : {distr T / R}) (f : T -> {distr U / R}) :
  psum mu = 1 -> (forall x, psum (f x) = 1) -> psum (\dlet_(x <- mu) f x) = 1.
Proof. by move=> m1 f1; rewrite psum_dlet -[RHS]m1; apply: eq_psum => x; rewrite f1 mulr1. Qed.

Lemma mass_dunit (T : choiceType) (x : T) : psum (dunit x : {distr T / R}) = 1.
Proof.
rewrite (psum_finseq (r := [:: x])) // => [|y].
  by rewrite big_seq1 dunit1E eqxx normr1.
by rewrite !inE dunit1E pnatr_eq0 eqb0 negbK eq_sym.
Qed.
End Sums.
