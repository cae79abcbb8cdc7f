(** What holds if the operator is associative: the tree is a correct reduction, and a computation
    that is right over the monoid of intervals is right over every monoid, after Chong, Donaldson,
    Ketema: A sound and complete abstraction for reasoning about parallel prefix sums (POPL 2014).
    docs/spec/theorems.md says what each theorem covers. *)
From Coq Require Import Arith Bool Lia List.
From Upsweep Require Import tree.
Import ListNotations.

Definition associative {A} (op : A -> A -> A) := forall a b c, op (op a b) c = op a (op b c).

(** * The tree of an associative operator *)
Section associative_operator.
Context {A : Type} (op : A -> A -> A) (assoc : associative op).

Lemma fold_of_pairs (x : nat -> A) p n :
  fold op p (map (block op x 1) (seq 0 n)) = fold op p (map x (seq 0 (2 * n))).
Proof.
  induction n; [reflexivity|]. replace (2 * S n) with (2 * n + 2) by lia.
  rewrite seq_S, seq_app, !map_app, !fold_app, IHn. cbn [map seq fold fold_left plus block].
  replace (S (2 * n)) with (2 * n + 1) by lia. unfold fold. simpl fold_left.
  destruct fold_left; simpl; [now rewrite assoc|reflexivity].
Qed.

(** If op is associative, a prefix is the left fold of its elements, in order. *)
Theorem prefix_is_left_fold_if_associative (x : nat -> A) p m :
  front op x p m = fold op p (map x (seq 0 m)).
Proof.
  revert x. induction m as [m IH] using lt_wf_ind. intros.
  assert (exists q r, m = 2 * q + r /\ r < 2) as (q & r & -> & few).
  { exists (m / 2), (m mod 2). split; [now apply Nat.div_mod_eq|now apply Nat.mod_upper_bound]. }
  destruct (Nat.eq_dec (2 * q + r) 0) as [none|some]; [now rewrite none|].
  pose proof (prefix_is_tiles_then_rest op x p 1 q r few) as tiles. change (2 ^ 1) with 2 in tiles.
  rewrite tiles, IH, fold_of_pairs, seq_app, map_app, fold_app by lia.
  destruct r as [|[|r]]; [reflexivity| |lia]. unfold front, total.
  change (Nat.log2 1) with 0. simpl. now rewrite !Nat.add_0_r.
Qed.

(** ** Segments as a scan: upsweep/ops/segmented.hpp *)

(** Whether a segment starts in a range, and the value since the last start. *)
Definition segmented (a b : bool * A) : bool * A :=
  if fst b then b else (fst a, op (snd a) (snd b)).

(** The segmented operator is associative if op is. *)
Theorem segmented_is_associative : associative segmented.
Proof.
  intros [f a] [g b] [[] c]; unfold segmented; simpl; [reflexivity|].
  destruct g; simpl; now rewrite ?assoc.
Qed.
Lemma map_seq_from {B} (x : nat -> B) b n : map (fun i => x (b + i)) (seq 0 n) = map x (seq b n).
Proof. induction n; [reflexivity|]. now rewrite !seq_S, !map_app, IHn. Qed.
End associative_operator.

(** A scan by the segmented operator starts over with each segment: what is before has no effect. *)
Theorem segmented_starts_over {A} (op : A -> A -> A) (x : nat -> bool * A) p b n :
  associative op -> fst (x b) = true ->
  front (segmented op) x p (b + S n) = front (segmented op) (fun i => x (b + i)) None (S n).
Proof.
  intros assoc starts. apply segmented_is_associative in assoc.
  rewrite !prefix_is_left_fold_if_associative, map_seq_from, seq_app by assumption.
  rewrite map_app, fold_app. simpl. unfold fold at 1 3. simpl. do 2 f_equal.
  destruct fold as [before|]; [|reflexivity]. simpl. unfold segmented. now rewrite starts.
Qed.

(** * The monoid of intervals: its identity, [b, e), or intervals that did not meet *)
Inductive interval := Identity | Range (b e : nat) | Error.
Definition meet i j := match i, j with
  | Identity, j => j
  | i, Identity => i
  | Range a b, Range c d => if b =? c then Range a d else Error
  | _, _ => Error
  end.

(** Intervals are a monoid: an operator like any other that the library takes. *)
Theorem intervals_are_a_monoid :
  associative meet /\ (forall i, meet Identity i = i) /\ (forall i, meet i Identity = i).
Proof.
  split; [|split; intros []; reflexivity].
  intros [|a b|] [|c d|] [|e f|]; simpl; try reflexivity;
    repeat (match goal with
      | E : (?n =? ?m) = _ |- context [?n =? ?m] => rewrite E
      | |- context [?n =? ?m] => destruct (n =? m) eqn:?
      end; simpl); reflexivity.
Qed.

(** The combine tree passes the check at every size. *)
Theorem tree_passes_the_check n :
  0 < n -> front meet (fun i => Range i (i + 1)) None n = Some (Range 0 n).
Proof.
  rewrite prefix_is_left_fold_if_associative by apply intervals_are_a_monoid.
  induction n as [|[|n] IH]; intros; [lia|reflexivity|].
  rewrite seq_S, map_app, fold_app, IH by lia. unfold fold. simpl. rewrite Nat.eqb_refl.
  do 2 f_equal. lia.
Qed.

(** What a program computes from its inputs, in whatever order its threads ran. *)
Inductive term := Input (i : nat) | Neutral | Apply (t u : term).
Example prefix_7 : prefix Apply Input 7 =
  let x := Input in let op := Apply in
  Some (op (op (op (op (x 0) (x 1)) (op (x 2) (x 3))) (op (x 4) (x 5))) (x 6)).
Proof. reflexivity. Qed.
Section evaluation.
Context {A : Type} (op : A -> A -> A) (e : A) (x : nat -> A).
Fixpoint eval t := match t with
  | Input i => x i | Neutral => e | Apply t u => op (eval t) (eval u) end.

(** A program as the steps it took: copies and applications, from register to register. *)
Inductive step := Copy (to from : nat) | Combine (to a b : nat).
Definition take (r : nat -> A) s i := match s with
  | Copy to from => if i =? to then r from else r i
  | Combine to a b => if i =? to then op (r a) (r b) else r i
  end.
Definition run := fold_left take.
End evaluation.
Definition checked := eval meet Identity (fun i => Range i (i + 1)).

(** A program computes over any operator what it computes over terms, evaluated there. *)
Theorem programs_compute_terms {A} op (e : A) x program : forall r i,
  run op program (fun i => eval op e x (r i)) i = eval op e x (run Apply program r i).
Proof.
  unfold run. assert (same : forall r q, (forall i, q i = eval op e x (r i)) -> forall i,
    fold_left (take op) program q i = eval op e x (fold_left (take Apply) program r i)); [|auto].
  induction program as [|s program IH]; intros r q H i; simpl; [apply H|]. apply IH. intros j.
  destruct s; simpl; destruct (j =? to); simpl; now rewrite ?H.
Qed.

(** Soundness: what is Range b c over the intervals is the fold of x_b .. x_(c-1), in order, over
    every monoid. *)
Theorem interval_check_is_sound {A} (op : A -> A -> A) e x t b c :
  associative op -> (forall a, op e a = a) -> (forall a, op a e = a) ->
  checked t = Range b c -> eval op e x t = fold_left op (map x (seq b (c - b))) e.
Proof.
  intros assoc left right.
  assert (outside : forall l a b, op a (fold_left op l b) = fold_left op l (op a b)).
  { induction l; intros; simpl; [reflexivity|]. now rewrite IHl, assoc. }
  enough (H : match checked t with
    | Identity => eval op e x t = e
    | Range b c => b <= c /\ eval op e x t = fold_left op (map x (seq b (c - b))) e
    | Error => True end) by (intros E; now rewrite E in H).
  induction t as [i| |t IHt u IHu]; simpl.
  - replace (i + 1 - i) with 1 by lia. simpl. rewrite left. split; [lia|reflexivity].
  - reflexivity.
  - unfold checked in *. simpl.
    destruct (eval meet _ _ t) as [|a m|]; simpl.
    1: now rewrite IHt, left.
    2: now destruct (eval meet _ _ u).
    destruct (eval meet _ _ u) as [|m' d|]; simpl; [now rewrite IHu, right| |exact I].
    destruct (m =? m') eqn:E; [|exact I]. apply Nat.eqb_eq in E. subst m'.
    destruct IHt as [? ->], IHu as [? ->]. split; [lia|].
    replace (d - a) with ((m - a) + (d - m)) by lia.
    rewrite seq_app, map_app, fold_left_app, outside, right. do 3 f_equal. lia.
Qed.

(** The same of a program: if register i passes the check, it has the reduction of 0 .. n-1. *)
Theorem checked_programs_reduce {A} (op : A -> A -> A) e x program r i n :
  associative op -> (forall a, op e a = a) -> (forall a, op a e = a) ->
  run meet program (fun i => checked (r i)) i = Range 0 n ->
  run op program (fun i => eval op e x (r i)) i = fold_left op (map x (seq 0 n)) e.
Proof.
  intros ? ? ?. unfold checked. rewrite !programs_compute_terms. intros.
  replace n with (n - 0) by lia. now apply interval_check_is_sound.
Qed.

(** An operator without an identity gets one: None. *)
Definition adjoin {A} (op : A -> A -> A) p q := match p, q with
  | Some a, Some b => Some (op a b) | None, q => q | p, None => p end.

(** Soundness for operators without an identity. *)
Theorem interval_check_is_sound_without_identity {A} (op : A -> A -> A) x t b c :
  associative op -> checked t = Range b c ->
  eval (adjoin op) None (fun i => Some (x i)) t = fold op None (map x (seq b (c - b))).
Proof.
  intros assoc check. rewrite (interval_check_is_sound _ _ _ _ b c).
  - rewrite <- map_map. generalize (map x (seq b (c - b))) (@None A). unfold fold.
    induction l; intros p; [reflexivity|]. simpl. rewrite IHl. now destruct p.
  - intros [] [] []; simpl; now rewrite ?assoc.
  - now intros [].
  - now intros [].
  - assumption.
Qed.

(** Completeness: what is in order over lists, a monoid, passes the check. *)
Theorem interval_check_is_complete t : forall b n, 0 < n ->
  eval (@app nat) [] (fun i => [i]) t = seq b n -> checked t = Range b (b + n).
Proof.
  assert (parts : forall l m b n, l ++ m = seq b n ->
    l = seq b (length l) /\ m = seq (b + length l) (length m) /\ n = length l + length m).
  { induction l; intros m b n H; simpl in *.
    - rewrite Nat.add_0_r, H, seq_length. auto.
    - destruct n; [discriminate|]. injection H as -> H. apply IHl in H as (H1 & H2 & ->).
      rewrite <- H1, Nat.add_succ_r. auto. }
  enough (H : forall b n, eval (@app nat) [] (fun i => [i]) t = seq b n ->
    checked t = if n =? 0 then Identity else Range b (b + n)).
  { intros b n some E. rewrite (H b n E). destruct n; [lia|reflexivity]. }
  unfold checked. induction t as [i| |t IHt u IHu]; intros b n E; simpl in E |- *.
  - destruct n as [|[|n]]; try discriminate. now injection E as ->.
  - now destruct n.
  - apply parts in E as (E1 & E2 & ->). rewrite (IHt _ _ E1), (IHu _ _ E2).
    destruct (eval _ _ _ t), (eval _ _ _ u); simpl; rewrite ?Nat.eqb_refl; try reflexivity;
      f_equal; lia.
Qed.
