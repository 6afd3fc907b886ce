(* What is claimed: noise, privacy, programs, and the sentences that the other files prove.  Nothing is proved here.
   Whoever wants to know *what* was checked reads this file and no other; the theorem on Algorithm 1 is a hundred lines
   down, and what follows it has the same shape.  Trusted are Coq's kernel, three axioms of classical logic (`make
   proofs` prints them), and that this file says what is meant.

   Definition name arguments : type := body.   `name` stands for the body; `Prop` is the type of sentences
   Fixpoint ... , Record ...                    a recursion; a tuple with named parts
   Section ... End, Variable                    the variables of a section are arguments of all that is defined in it
   forall, exists, ->, /\, \/, ~                 for all, there is, if ... then, and, or, not
   A -> B, between types                        the functions from A to B
   fun x => y                                   the function that takes x to y
   int, nat, R, bool                            whole numbers, those from 0 on, real numbers, true or false
   seq A, [::], rcons said a                    lists, the empty one, `said` with a at its end
   option A                                     `None`, or `Some a`
   choiceType, [choiceType of A]                any type of outcomes (technical: one whose sets have a chosen member)
   match n with n'.+1 => x | _ => y end         x if n is n' + 1, else y
   x%:R, n%:Z                                   the whole number x as a real one, n as an `int`; %N: this is about `nat`
   `|x|, `|k|%N, x ^+ n, expR x                 absolute values, a power, the exponential function
   \sum_(o <- E) x                              the sum of x over the members o of the list E

   {distr A / R}                                the laws on A: probabilities that sum to at most 1
   mkdistrd f                                   the law with the formula f; if f is no law, the one that is 0 everywhere
   dunit x                                      the law that always gives x
   \dlet_(x <- law) rest                        draw x from the law, go on with the rest
   pred A, predT                                the sets of members of A, the set of all
   law x, \P_[law] E                            the probability of x, of the set E
   f =1 g                                       f and g have equal values                                              *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals sequences exp.
From mathcomp.analysis.altreals Require Import realsum distr.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Statement.
Variable R : realType.  (* The real numbers. *)

(* == Noise ======================================================================================================== *)

(* Two-sided geometric noise: Pr[k] is proportional to exp(-|k| / scale).  The law of `svt.Geometric(scale)`. *)
Definition decay (scale : R) : R := expR (- (1 / scale)).
Definition geometric_pmf (scale : R) (k : int) : R :=
  (1 - decay scale) / (1 + decay scale) * decay scale ^+ `|k|%N.
Definition geometric (scale : R) : {distr int / R} := mkdistrd (geometric_pmf scale).

(* The same from 0 upwards: `svt.Geometric(scale, sides=1)`. *)
Definition one_sided_pmf (scale : R) (k : int) : R :=
  if 0 <= k then (1 - decay scale) * decay scale ^+ `|k|%N else 0.
Definition one_sided (scale : R) : {distr int / R} := mkdistrd (one_sided_pmf scale).

(* One-sided if `one` is true, else two-sided. *)
Definition noise (one : bool) (scale : R) : {distr int / R} := if one then one_sided scale else geometric scale.

(* What is claimed of them: the formulas are laws, nowhere negative and of sum 1. *)
Definition Geometric_is_a_law : Prop := forall scale : R, 0 < scale ->
  geometric scale =1 geometric_pmf scale /\ \P_[geometric scale] predT = 1.

Definition One_sided_is_a_law : Prop := forall scale : R, 0 < scale ->
  one_sided scale =1 one_sided_pmf scale /\ \P_[one_sided scale] predT = 1.

(* == Privacy ====================================================================================================== *)

Section Privacy.
Variables (database : Type) (adjacent : database -> database -> Prop).

(* M is eps-differentially private: for adjacent D and D' and *every* set E of outcomes. *)
Definition private (outcome : choiceType) (M : database -> {distr outcome / R}) (eps : R) : Prop :=
  forall D D', adjacent D D' -> forall E : pred outcome, \P_[M D] E <= expR eps * \P_[M D'] E.

(* A query is asked of a database, and chosen by the answers so far. *)
Definition queries (answer : Type) := seq answer -> database -> int.
(* So is its threshold, which does not depend on the database. *)
Definition thresholds (answer : Type) := seq answer -> int.

(* Adjacent databases change no answer by more than Delta. *)
Definition sensitivity (answer : Type) (q : queries answer) (Delta : nat) : Prop :=
  forall D D', adjacent D D' -> forall said, `|q said D - q said D'| <= Delta%:Z.

(* All answers that change, change in the same direction. *)
Definition monotonic (answer : Type) (q : queries answer) : Prop :=
  forall D D', adjacent D D' ->
    (forall said, q said D <= q said D') \/ (forall said, q said D' <= q said D).
End Privacy.

(* == Algorithm 1, as printed ====================================================================================== *)

Section Algorithm1.
Variables (database : Type) (q : queries database bool) (T : thresholds bool).
Variable query_noise : {distr int / R}.

(* `left` positives may still be given, `steps` queries asked; `said` is the transcript so far.  Both above 0: draw nu,
   compare, go on with one step less and, after a positive, one positive less.  Otherwise: stop. *)
Fixpoint alg1_loop (rho : int) (steps left : nat) (said : seq bool) (D : database) : {distr (seq bool) / R} :=
  match steps, left with
  | steps'.+1, left'.+1 =>
      \dlet_(nu <- query_noise)
        if q said D + nu >= T said + rho
        then alg1_loop rho steps' left' (rcons said true) D
        else alg1_loop rho steps' left (rcons said false) D
  | _, _ => dunit said
  end.

Definition alg1_with (threshold_noise : {distr int / R}) (n c : nat) (D : database) : {distr (seq bool) / R} :=
  \dlet_(rho <- threshold_noise) alg1_loop rho n c [::] D.
End Algorithm1.

(* n queries, c positives: the query noise (one for each query), then the threshold noise (drawn once). *)
Definition alg1 (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 eps2 : R) (n c : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (geometric (2 * c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.

(* The theorem: the program is (eps1 + eps2)-differentially private. *)
Definition Alg1_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool)
         (Delta : nat) (eps1 eps2 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    sensitivity adjacent q Delta ->
    private adjacent (alg1 q T Delta eps1 eps2 n c) (eps1 + eps2).

(* A law may sum to less than 1, and a program without outcomes would be private.  This one has them: the sum is 1. *)
Definition Alg1_has_mass_one : Prop :=
  forall (database : Type) (q : queries database bool) (T : thresholds bool)
         (Delta : nat) (eps1 eps2 : R) (n c : nat) (D : database),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    \P_[alg1 q T Delta eps1 eps2 n c D] predT = 1.

(* Algorithm 7's noise for monotonic queries: half as much on the queries. *)
Definition alg1_monotonic (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 eps2 : R) (n c : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (geometric (c%:R * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.

Definition Alg1_monotonic_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool)
         (Delta : nat) (eps1 eps2 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    sensitivity adjacent q Delta -> monotonic adjacent q ->
    private adjacent (alg1_monotonic q T Delta eps1 eps2 n c) (eps1 + eps2).

(* One positive. *)
Definition above_threshold (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 eps2 : R) (n : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (geometric (2 * Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n 1.

Definition Above_threshold_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool) (Delta : nat) (eps1 eps2 : R) (n : nat),
    (0 < Delta)%N -> 0 < eps1 -> 0 < eps2 ->
    sensitivity adjacent q Delta ->
    private adjacent (above_threshold q T Delta eps1 eps2 n) (eps1 + eps2).

(* An analyst who also throws coins, unknown to the mechanism: a mixture of private mechanisms is private. *)
Definition Mixture_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop) (coins outcome : choiceType)
         (law : {distr coins / R}) (M : coins -> database -> {distr outcome / R}) (eps : R),
    (forall w, private adjacent (M w) eps) ->
    private adjacent (fun D => \dlet_(w <- law) M w D) eps.

(* == Real answers and continuous noise ============================================================================ *)

(* What is used of a continuous law: every bounded function f >= 0 has a mean, a larger function no smaller one, a factor
   can be taken out, and 1 has the mean 1.  The upper integral against a density is such a mean; where the function is
   measurable, and in the program below all are, it is the integral. *)
Definition bounded (f : R -> R) : Prop := exists M, forall z, 0 <= f z <= M.

Record real_law := Real_law {
  mean : (R -> R) -> R;
  mean_le : forall f g, bounded f -> bounded g -> (forall z, f z <= g z) -> mean f <= mean g;
  mean_scale : forall a f, 0 <= a -> bounded f -> mean (fun z => a * f z) = a * mean f;
  mean_1 : mean (fun _ => 1) = 1 }.

(* The one fact of analysis that is *not* proved: Laplace noise of scale b shifts so.  Its density has
   p(z) <= exp(|s| / b) p(z + s), and the integral of f(z) p(z + s) is that of f(z - s) p(z). *)
Definition shifts (law : real_law) (b : R) : Prop :=
  forall s f, bounded f -> mean law f <= expR (`|s| / b) * mean law (fun z => f (z - s)).

Section Real_algorithm1.
Variables (database : Type) (q : seq bool -> database -> R) (T : seq bool -> R) (query_noise : real_law).

(* The loop of alg1_loop, as the probability that its transcript is o. *)
Fixpoint real_loop (rho : R) (steps left : nat) (said : seq bool) (D : database) (o : seq bool) : R :=
  match steps, left with
  | steps'.+1, left'.+1 =>
      mean query_noise (fun nu =>
        if q said D + nu >= T said + rho
        then real_loop rho steps' left' (rcons said true) D o
        else real_loop rho steps' left (rcons said false) D o)
  | _, _ => if said == o then 1 else 0
  end.

Definition real_alg1 (threshold_noise : real_law) (n c : nat) (D : database) (o : seq bool) : R :=
  mean threshold_noise (fun rho => real_loop rho n c [::] D o).
End Real_algorithm1.

(* Algorithm 1 with real answers, for any noise that shifts as Laplace noise does.  There are finitely many transcripts,
   so a set of them is a list, and its probability a finite sum. *)
Definition Continuous_alg1_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : seq bool -> database -> R) (T : seq bool -> R) (Delta eps1 eps2 : R) (n c : nat)
         (threshold_noise query_noise : real_law),
    0 < Delta -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    (forall D D', adjacent D D' -> forall said, `|q said D - q said D'| <= Delta) ->
    shifts threshold_noise (Delta / eps1) -> shifts query_noise (2 * c%:R * Delta / eps2) ->
    let M := real_alg1 q T query_noise threshold_noise n c in
    forall D D', adjacent D D' -> forall E : seq (seq bool),
      \sum_(o <- E) M D o <= expR (eps1 + eps2) * \sum_(o <- E) M D' o.

(* == One loop for every variant =================================================================================== *)

Section Loop.
Variables (database : Type) (answer : choiceType).

(* A variant is data: its noise, and what is said at a negative and at a positive. *)
Record variant := Variant {
  threshold_noise : {distr int / R};
  refresh_noise : option {distr int / R};  (* Some law: the threshold noise is drawn again after a positive *)
  query_noise : {distr int / R};
  negative : answer;
  (* From the true answer, the noisy one and the noisy threshold: *)
  positive : int -> int -> int -> {distr answer / R} }.

Variables (v : variant) (q : queries database answer) (T : thresholds answer).

(* The noise that comes after a positive: a new one where there is such a law and `left` is not 0, else the old one. *)
Definition next_threshold (rho : int) (left : nat) : {distr int / R} :=
  match refresh_noise v, left with
  | Some law, _.+1 => law
  | _, _ => dunit rho
  end.

Fixpoint svt_loop (rho : int) (steps left : nat) (said : seq answer) (D : database) : {distr (seq answer) / R} :=
  match steps, left with
  | steps'.+1, left'.+1 =>
      \dlet_(nu <- query_noise v)
        if q said D + nu >= T said + rho
        then \dlet_(shown <- positive v (q said D) (q said D + nu) (T said + rho))
             \dlet_(rho' <- next_threshold rho left')
               svt_loop rho' steps' left' (rcons said shown) D
        else svt_loop rho steps' left (rcons said (negative v)) D
  | _, _ => dunit said
  end.

Definition svt (n c : nat) (D : database) : {distr (seq answer) / R} :=
  \dlet_(rho <- threshold_noise v) svt_loop rho n c [::] D.
End Loop.

Definition Svt_has_mass_one : Prop :=
  forall (database : Type) (answer : choiceType) (v : variant answer)
         (q : queries database answer) (T : thresholds answer) (n c : nat) (D : database),
    \P_[threshold_noise v] predT = 1 -> \P_[query_noise v] predT = 1 ->
    (forall law, refresh_noise v = Some law -> \P_[law] predT = 1) ->
    (forall true_answer noisy bar, \P_[positive v true_answer noisy bar] predT = 1) ->
    \P_[svt v q T n c D] predT = 1.

(* == Values of the loop, named as in svtlib (`svt.variant`) ======================================================= *)

Section Values.
Variables (Delta c : nat) (eps1 eps2 eps3 : R).

(* What a positive says: that it is one; a function of its gap; its answer with fresh noise; the noisy answer compared.
   Each is given the true answer, the noisy one and the noisy threshold; `_` is one that it does not use. *)
Definition says_true (_ _ _ : int) : {distr bool / R} := dunit true.
Definition says_gap (V : choiceType) (show : int -> V) (_ noisy bar : int) : {distr (option V) / R} :=
  dunit (Some (show (noisy - bar))).
Definition says_fresh (scale : R) (answer _ _ : int) : {distr (option int) / R} :=
  \dlet_(w <- geometric scale) dunit (Some (answer + w)).
Definition says_compared (_ noisy _ : int) : {distr (option int) / R} := dunit (Some noisy).

(* f is 2, or 1 for monotonic queries; one1 and one2 say whether the noise of threshold and queries is one-sided. *)
Definition gap (V : choiceType) (show : int -> V) (one1 one2 : bool) (f : nat) : variant [choiceType of option V] :=
  Variant (noise one1 (Delta%:R / eps1)) None (noise one2 (f%:R * c%:R * Delta%:R / eps2)) None (says_gap show).

Definition alg7 (f : nat) : variant [choiceType of option int] :=
  Variant (geometric (Delta%:R / eps1)) None (geometric (f%:R * c%:R * Delta%:R / eps2)) None
          (says_fresh (c%:R * Delta%:R / eps3)).

Definition sparse : variant [choiceType of bool] :=
  Variant (geometric (c%:R * Delta%:R / eps1)) (Some (geometric (c%:R * Delta%:R / eps1)))
          (geometric (2 * c%:R * Delta%:R / eps2)) false says_true.

Definition alg2 : variant [choiceType of bool] :=
  Variant (geometric (c%:R * Delta%:R / eps1)) (Some (geometric (c%:R * Delta%:R / eps2)))
          (geometric (2 * c%:R * Delta%:R / eps1)) false says_true.

Definition alg3 : variant [choiceType of option int] :=
  Variant (geometric (Delta%:R / eps1)) None (geometric (c%:R * Delta%:R / eps2)) None says_compared.
End Values.

(* Twice the noise, or once if the queries are monotonic. *)
Definition enough (answer database : Type) (adjacent : database -> database -> Prop)
    (q : queries database answer) (f : nat) : Prop :=
  f = 2%N \/ f = 1%N /\ monotonic adjacent q.

(* Whatever a positive says of its gap is free; with one-sided noise too. *)
Definition Gap_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop) (V : choiceType) (show : int -> V)
         (q : queries database (option V)) (T : thresholds (option V))
         (one1 one2 : bool) (f Delta : nat) (eps1 eps2 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    sensitivity adjacent q Delta -> enough adjacent q f ->
    private adjacent (svt (gap Delta c eps1 eps2 show one1 one2 f) q T n c) (eps1 + eps2).

(* A number with fresh noise for every positive, paid for with eps3. *)
Definition Alg7_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database (option int)) (T : thresholds (option int))
         (f Delta : nat) (eps1 eps2 eps3 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 -> 0 < eps3 ->
    sensitivity adjacent q Delta -> enough adjacent q f ->
    private adjacent (svt (alg7 Delta c eps1 eps2 eps3 f) q T n c) (eps1 + eps2 + eps3).

Definition Sparse_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool) (Delta : nat) (eps1 eps2 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> 0 < eps2 ->
    sensitivity adjacent q Delta ->
    private adjacent (svt (sparse Delta c eps1 eps2) q T n c) (eps1 + eps2).

(* At its own split, eps1 = eps2. *)
Definition Alg2_is_private : Prop :=
  forall (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool) (Delta : nat) (eps1 eps2 : R) (n c : nat),
    (0 < Delta)%N -> (0 < c)%N -> 0 < eps1 -> eps1 = eps2 ->
    sensitivity adjacent q Delta ->
    private adjacent (svt (alg2 Delta c eps1 eps2) q T n c) (eps1 + eps2).

(* == What is refuted =============================================================================================== *)

(* No query noise, no cut-off: as many positives as queries. *)
Definition alg5 (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 : R) (n : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (dunit 0) (geometric (Delta%:R / eps1)) n n.

(* Query noise that does not grow with c. *)
Definition alg4 (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 eps2 : R) (n c : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (geometric (Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n c.

(* The same without a cut-off. *)
Definition alg6 (database : Type) (q : queries database bool) (T : thresholds bool)
    (Delta : nat) (eps1 eps2 : R) (n : nat) : database -> {distr (seq bool) / R} :=
  alg1_with q T (geometric (Delta%:R / eps2)) (geometric (Delta%:R / eps1)) n n.

(* Refuted: for queries that change by at most 1, no eps holds. *)
Definition Alg5_is_not_private : Prop :=
  forall eps1 : R, 0 < eps1 ->
  exists (database : Type) (adjacent : database -> database -> Prop) (q : queries database bool) (T : thresholds bool),
    sensitivity adjacent q 1 /\ forall eps : R, ~ private adjacent (alg5 q T 1 eps1 2) eps.

Definition Alg6_is_not_private : Prop :=
  forall eps1 eps2 eps : R, 0 < eps1 -> 0 < eps2 ->
  exists (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database bool) (T : thresholds bool) (n : nat),
    sensitivity adjacent q 1 /\ ~ private adjacent (alg6 q T 1 eps1 eps2 n) eps.

(* 2c queries lose at least c eps2.  Algorithm 4 claims eps1 + eps2 with eps2 = 3 eps1, which is less from c = 2 on. *)
Definition Alg4_is_not_private : Prop :=
  forall (eps1 eps2 eps : R) (c : nat), 0 < eps1 -> 0 < eps2 -> eps < c%:R * eps2 ->
  exists (database : Type) (adjacent : database -> database -> Prop) (q : queries database bool) (T : thresholds bool),
    sensitivity adjacent q 1 /\ ~ private adjacent (alg4 q T 1 eps1 eps2 (c + c) c) eps.

Definition Alg3_is_not_private : Prop :=
  forall eps1 eps2 eps : R, 0 < eps1 -> 0 < eps2 ->
  exists (database : Type) (adjacent : database -> database -> Prop)
         (q : queries database (option int)) (T : thresholds (option int)) (n : nat),
    sensitivity adjacent q 1 /\ ~ private adjacent (svt (alg3 1 1 eps1 eps2) q T n 1) eps.

End Statement.
