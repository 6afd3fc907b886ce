(* The proof of Algorithm 1, for any noise: the threshold noise moves by `move`, the noise of a negative stays,
   the noise of a positive moves by `move` and by what the answer has lost.  This is the arrow of the picture in
   chapter 4 (chapters/04_standard_svt.ipynb), and the lemma `arrow` below.

   Read first, in Statement.v, down to Alg1_is_private, and then "One loop for every variant": the proof is about that
   loop, `svt_loop`, and Algorithm 1 is one of its variants (`printed_svt` in Alg1.v).  Then here the statements of
   `move_draw`, `move_comparison` and `arrow`, then the proof of `arrow` (twenty lines).  Then in Alg1.v the statements
   of `price_of_move`, `printed_svt` and `private_pointwise`, then `svt_pair` and `alg1_private`.

   The scripts are in ssreflect.  `move=> x` introduces x, `move: x` and `have := e` put something before the goal;
   `rewrite e` replaces from left to right, `-e` from right to left, `!e` as often as it goes, `?e` if it goes; `//`
   closes what is trivial, `by t` is t and then nothing left; `have x : A` proves A first; `[leRHS]` is the right of <=;
   `elim: n => [|n IH]` is induction, 0 and then n + 1 with the hypothesis IH; `case: ifP` tells the two branches of an
   `if` apart; `@l a b` gives the lemma l all its arguments, `(s := t)` one of them, `move/(_ a)` puts a for the first
   `forall` of what stands before the goal; `last first` takes the last case first; `lia` decides what is linear in
   whole numbers.
   The names of lemmas say what they are: `mulr_ge0` a product is >= 0, `ler_wpmul2l` multiplies both sides from the
   left by something >= 0, `mulrCA`, `mulrACA`, `mulrA` regroup factors.  `psum f` is the sum of all f x, `dletE` says
   that a draw is a sum, `summable...` that a sum is finite. *)

From mathcomp Require Import all_ssreflect all_algebra zify.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.
From SVT Require Import Statement Sums.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Draws.
Variables (R : realType) (U : choiceType).
Implicit Types (mu : {distr int / R}) (b C : R) (o : U).

(* A draw that need not move. *)
Lemma keep_draw (V : choiceType) (mu mu' : {distr V / R}) (f f' : V -> {distr U / R}) b C o :
  0 <= b -> 0 <= C -> (forall x, mu x <= b * mu' x) -> (forall x, f x o <= C * f' x o) ->
  (\dlet_(x <- mu) f x) o <= b * C * (\dlet_(x <- mu') f' x) o.
Proof.
move=> b0 C0 le_mu le_f; rewrite !dletE -psumZ ?mulr_ge0 //; apply: le_psum => [x|].
  by rewrite mulr_ge0 //= mulrACA ler_pmul.
by apply: summableZ; apply: summable_mlet.
Qed.

(* A draw that moves by s, and pays b for it. *)
Lemma move_draw mu (f f' : int -> {distr U / R}) (s : int) b C o :
  0 <= b -> 0 <= C -> (forall z, mu z <= b * mu (z + s)) -> (forall z, f z o <= C * f' (z + s) o) ->
  (\dlet_(z <- mu) f z) o <= b * C * (\dlet_(z <- mu) f' z) o.
Proof.
move=> b0 C0 le_mu le_f; rewrite !dletE [X in _ <= _ * X](psum_shift _ s) -psumZ ?mulr_ge0 //.
apply: le_psum => [z|]; first by rewrite mulr_ge0 //= mulrACA ler_pmul.
by apply: summableZ; apply: (summable_shift (F := fun z => mu z * f' z o)); apply: summable_mlet.
Qed.

(* One comparison.  A negative stays a negative, and its noise does not move.  A positive's noise moves by s, which
   costs b, and it stays a positive; what comes after it costs B, so both together b * B, which C covers.  The
   hypotheses: the prices; then what is asked of negatives; then what is asked of positives. *)
Lemma move_comparison mu (above above' : pred int) (pos pos' : int -> {distr U / R}) (neg neg' : {distr U / R})
    (s : int) b B C o :
  0 <= b -> 0 <= B -> b * B <= C ->
  (forall nu, ~~ above nu -> ~~ above' nu) -> neg o <= C * neg' o ->
  (forall nu, above nu -> above' (nu + s)) -> (forall nu, mu nu <= b * mu (nu + s)) ->
  (forall nu, above nu -> pos nu o <= B * pos' (nu + s) o) ->
  (\dlet_(nu <- mu) if above nu then pos nu else neg) o <=
    C * (\dlet_(nu <- mu) if above' nu then pos' nu else neg') o.
Proof.
move=> b0 B0 bBC stay le_neg move_above le_mu le_pos.
have C0 : 0 <= C := le_trans (mulr_ge0 b0 B0) bBC.
pose F nu := mu nu * (if above nu then pos nu else neg) o.
pose F' nu := mu nu * (if above' nu then pos' nu else neg') o.
have F0 nu : 0 <= F' nu by rewrite mulr_ge0.
have smF : summable F by apply: summable_mlet.
have smF' : summable F' by apply: summable_mlet.
(* Both sums in two: the noise that gives a positive, and the noise that does not. *)
rewrite !dletE -/F -/F' (psumID above smF) (psumID above' smF') mulrDr; apply: ler_add; rewrite -psumZ //.
  (* Positives: the sum on the right does not change if nu is moved by s; then term by term. *)
  rewrite [leRHS](psum_shift _ s); apply: le_psum => [nu|]; last first.
    apply: (summable_shift (F := fun nu => C * ((above' nu)%:R * F' nu))).
    by apply: summableZ; apply: summable_condl.
  rewrite !mulr_ge0 ?ler0n //= /F /F'; case: ifP => [up|_]; last by rewrite mul0r !mulr_ge0 ?ler0n.
  rewrite move_above // !mul1r mulrCA.
  apply: le_trans (_ : (b * mu (nu + s)) * (B * pos' (nu + s) o) <= _); first by rewrite ler_pmul ?le_pos.
  by rewrite mulrACA [leRHS]mulrCA ler_wpmul2r ?mulr_ge0.
(* The others: term by term, nothing moves. *)
apply: le_psum => [nu|]; last by apply: summableZ; apply: summable_condl.
rewrite !mulr_ge0 ?ler0n //= /F /F'; case: (boolP (above nu)) => [_|down].
  by rewrite mul0r !mulr_ge0 ?ler0n.
by rewrite (negbTE (stay _ down)) !mul1r mulrCA ler_wpmul2l.
Qed.
End Draws.

(* The arithmetic of the two moves: a and a' are the answers on D and D', t the threshold, m the move of rho. *)
Lemma stays_below (a a' t rho m nu : int) : a' <= a + m -> ~~ (a + nu >= t + rho) -> ~~ (a' + nu >= t + (rho + m)).
Proof. lia. Qed.

Lemma stays_above (a a' t rho m nu : int) : a + nu >= t + rho -> a' + (nu + (a + m - a')) >= t + (rho + m).
Proof. lia. Qed.

Lemma moved_answer (a a' m nu : int) : a' + (nu + (a + m - a')) = a + nu + m.
Proof. lia. Qed.

Section Alignment.
Variables (R : realType) (database : Type) (answer : choiceType).
Variables (v : variant R answer) (q : queries database answer) (T : thresholds answer) (D D' : database).

Variable move : int.        (* of the threshold noise *)
(* The price of moving the first threshold, one that is drawn again, a positive, and of what a positive shows. *)
Variables first_price again_price positive_price shown_price : R.
Hypotheses (first1 : 1 <= first_price) (again1 : 1 <= again_price).
Hypotheses (positive1 : 1 <= positive_price) (shown1 : 1 <= shown_price).

(* What the answers do: none is on D' more than `move` above what it is on D. *)
Hypothesis negatives_stay : forall said, q said D' <= q said D + move.
(* What the noise does. *)
Hypothesis pay_threshold : forall rho, threshold_noise v rho <= first_price * threshold_noise v (rho + move).
Hypothesis pay_again : forall law, refresh_noise v = Some law -> forall rho, law rho <= again_price * law (rho + move).
Hypothesis pay_positive : forall said nu,
  query_noise v nu <= positive_price * query_noise v (nu + (q said D + move - q said D')).
Hypothesis pay_shown : forall said noisy bar x,
  positive v (q said D) noisy bar x <= shown_price * positive v (q said D') (noisy + move) (bar + move) x.

(* What `left` positives may cost.  After the last one no threshold is drawn again, so none is paid for. *)
Fixpoint bill (left : nat) : R :=
  match left with
  | 0 => 1
  | left'.+1 => positive_price * (shown_price * ((if left' is 0 then 1 else again_price) * bill left'))
  end.

Lemma bill_ge1 left : 1 <= bill left.
Proof.
elim: left => [|k IH] //=; have : 1 <= (if k is 0 then 1 else again_price) by case: (k).
by move=> again_or_not; rewrite !mulr_ege1.
Qed.

Lemma bill_ge0 left : 0 <= bill left.
Proof. exact: le_trans ler01 (bill_ge1 left). Qed.

(* The arrow: with rho on D and rho + move on D', every transcript is as likely, up to what its positives cost. *)
Lemma arrow steps : forall left rho said o,
  svt_loop v q T rho steps left said D o <= bill left * svt_loop v q T (rho + move) steps left said D' o.
Proof.
have [again0 positive0 shown0] : [/\ 0 <= again_price, 0 <= positive_price & 0 <= shown_price].
  by split; apply: (le_trans ler01).
elim: steps => [|steps IH] [|left] rho said o; rewrite ?ler_pemull ?bill_ge1 //.
(* Both may go on: one comparison.  Its b is the price of a positive, its B all that comes after, its C the bill. *)
change (bill left.+1) with (positive_price * (shown_price * ((if left is 0 then 1 else again_price) * bill left))).
have rest0 : 0 <= (if left is 0 then 1 else again_price) * bill left.
  by rewrite mulr_ge0 ?bill_ge0 //; case: (left); rewrite ?ler01.
(* `lexx`: C is b * B itself. *)
rewrite /=; apply: (move_comparison (s := q said D + move - q said D') positive0 _ (lexx _)).
- by rewrite mulr_ge0.
- by move=> nu; exact: stays_below (negatives_stay said).  (* a negative stays one *)
- exact: IH.  (* and the rest of the run is compared by induction *)
- by move=> nu; exact: stays_above.  (* a positive stays one *)
- exact: pay_positive.
(* After a positive: what it shows, then the threshold, which stays or is drawn again. *)
move=> nu _; rewrite moved_answer addrA; apply: keep_draw => [//|//|x|x]; first exact: pay_shown.
rewrite /next_threshold; case E: (refresh_noise v) => [law|]; last first.
  rewrite !dlet_unit; apply: le_trans (IH _ _ _ _) _; rewrite ler_wpmul2r // ler_pemull ?bill_ge0 //.
  by case: (left).
case: left rest0 => [|left] _.
  by rewrite !dlet_unit mul1r.
by apply: move_draw => //; [exact: bill_ge0|exact: pay_again].
Qed.

Lemma arrow_svt n c o : svt v q T n c D o <= first_price * bill c * svt v q T n c D' o.
Proof.
apply: move_draw => //; [exact: le_trans ler01 _|exact: bill_ge0|move=> rho]; exact: arrow.
Qed.
End Alignment.
