(** More laws of partials and carries, for every binary operation: which blocks a partial has, sets
    of partials that arrive in any order, and carries of later pieces. docs/spec/theorems.md says
    what each theorem covers. *)
From Coq Require Import Arith Bool Lia List.
From Upsweep Require Import tree.
Import ListNotations.

Section partials.
Context {A : Type} (op : A -> A -> A) (x : nat -> A).
Implicit Types (s t : list (nat * A)).
Let part := part op x.
Let push := push op.
Let pushes := pushes op x.
Let block := block op x.

(** * The blocks of a partial: block_sequence of upsweep/core/combine_tree.hpp *)

(** From [b] on, each next block is the largest aligned one that ends at [e] or before. *)
Inductive largest_blocks e : nat -> list (nat * A) -> Prop :=
  | at_the_end : largest_blocks e e []
  | the_largest k j l : 2 ^ k * (j + 1) <= e -> Nat.odd j = true \/ e < 2 ^ k * (j + 2) ->
      largest_blocks e (2 ^ k * (j + 1)) l ->
      largest_blocks e (2 ^ k * j) ((k, block k j) :: l).

Lemma largest_blocks_do_not_merge e b l : largest_blocks e b l -> forall s,
  match s, l with (k, _) :: _, (k', _) :: _ => (k =? k') && Nat.odd (b / 2 ^ k') = false
  | _, _ => True end ->
  pushes s b (e - b) = rev l ++ s.
Proof.
  induction 1 as [|k j l fits largest blocks IH]; intros s apart; [now rewrite Nat.sub_diag|].
  replace (e - 2 ^ k * j) with (2 ^ k + (e - 2 ^ k * (j + 1))) by lia.
  unfold pushes in *. rewrite pushes_more, pushes_block.
  replace (2 ^ k * j + 2 ^ k) with (2 ^ k * (j + 1)) by lia.
  replace (tree.push op s _ _ _) with ((k, block k j) :: s).
  - rewrite IH; [simpl; now rewrite <- app_assoc|].
    destruct l as [|[k' u] l]; [exact I|]. destruct (k =? k') eqn:same; [|reflexivity].
    apply Nat.eqb_eq in same. subst k'. rewrite div_exact. simpl.
    inversion blocks as [|k' i l' fits' _ _ at_next]. subst.
    apply Nat.mul_cancel_l in at_next; [|now apply Nat.pow_nonzero]. subst i.
    destruct largest as [odd|]; [|lia].
    now rewrite Nat.add_1_r, Nat.odd_succ, <- Nat.negb_odd, odd.
  - destruct s as [|[l' u] s]; cbn [tree.push]; [reflexivity|]. now rewrite apart.
Qed.

(** A partial consists of the largest aligned blocks, from its beginning on. *)
Theorem partial_has_the_largest_blocks b e l : largest_blocks e b l -> part b e = rev l.
Proof.
  intros H. rewrite <- (app_nil_r (rev l)). now apply largest_blocks_do_not_merge.
Qed.

(** Every range has such blocks. *)
Theorem largest_blocks_exist b e : b <= e -> exists l, largest_blocks e b l.
Proof.
  intros. remember (e - b) as n. revert b H Heqn. induction n as [n IH] using lt_wf_ind. intros.
  destruct (Nat.eq_dec b e) as [->|]; [eexists; constructor|].
  assert (exists k j, b = 2 ^ k * j /\ 2 ^ k * (j + 1) <= e /\
          (Nat.odd j = true \/ e < 2 ^ k * (j + 2))) as (k & j & -> & fits & largest).
  { assert (forall d k j, b = 2 ^ k * j -> 2 ^ k * (j + 1) <= e -> e < 2 ^ k * 2 ^ d -> exists k j,
      b = 2 ^ k * j /\ 2 ^ k * (j + 1) <= e /\ (Nat.odd j = true \/ e < 2 ^ k * (j + 2))) as grow.
    { induction d; intros k j at_b fits few; [simpl in few; lia|].
      destruct (Nat.Even_or_Odd j) as [[c ->]|odd].
      2: { exists k, j. rewrite Nat.odd_spec. auto. }
      destruct (le_lt_dec (2 ^ k * (2 * c + 2)) e); [|exists k, (2 * c); auto].
      apply (IHd (S k) c); simpl in *; lia. }
    apply (grow e 0 b); simpl; try lia. pose proof (Nat.pow_gt_lin_r 2 e). lia. }
  pose proof (power k). destruct (IH (e - 2 ^ k * (j + 1)) ltac:(lia) (2 ^ k * (j + 1))) as [l].
  1-2: auto. eexists. constructor; eassumption.
Qed.

(** * A set of partials: upsweep/partial.hpp *)
Definition run : Type := nat * nat * list (nat * A).
Fixpoint insert b e s (runs : list run) := match runs with
  | [] => [(b, e, s)]
  | (b0, e0, s0) :: rest =>
      if e0 <? b then (b0, e0, s0) :: insert b e s rest
      else if e0 =? b then match rest with
        | (b1, e1, s1) :: more => if e =? b1 then (b0, e1, join op s0 b (join op s e s1)) :: more
                                  else (b0, e, join op s0 b s) :: rest
        | [] => [(b0, e, join op s0 b s)] end
      else if e =? b0 then (b, e0, join op s e s0) :: rest
      else (b, e, s) :: runs
  end.
Definition insert_all (pieces : list run) :=
  fold_right (fun '(b, e, s) runs => insert b e s runs) [] pieces.
Fixpoint covered (runs : list run) i := match runs with
  | [] => False | (b, e, _) :: rest => b <= i < e \/ covered rest i end.
(** Partials of x, none empty, no two of which have an element in common. *)
Fixpoint disjoint (pieces : list run) := match pieces with
  | [] => True
  | (b, e, s) :: rest =>
      (b < e /\ s = part b e /\ forall i, b <= i < e -> ~ covered rest i) /\ disjoint rest
  end.
(** The state of a set: partials in order, with gaps between them, the first at [first] or later. *)
Fixpoint in_order first (runs : list run) := match runs with
  | [] => True
  | (b, e, s) :: rest => first <= b < e /\ s = part b e /\ in_order (S e) rest
  end.

Lemma covered_from first runs i : in_order first runs -> covered runs i -> first <= i.
Proof.
  revert first. induction runs as [|[[b e] s] rest IH]; simpl; [tauto|].
  intros first (? & _ & ordered) [|later]; [lia|]. specialize (IH _ ordered later). lia.
Qed.
Lemma insert_keeps_order b e : b < e -> forall runs first, first <= b -> in_order first runs ->
  (forall i, b <= i < e -> ~ covered runs i) ->
  in_order first (insert b e (part b e) runs) /\
  (forall i, covered (insert b e (part b e) runs) i <-> covered runs i \/ b <= i < e).
Proof.
  intros some. induction runs as [|[[b0 e0] s0] rest IH]; intros first low ordered free.
  - simpl. repeat split; try lia; tauto.
  - simpl in ordered. destruct ordered as (bounds & -> & ordered). cbn [insert covered] in *.
    destruct (Nat.ltb_spec e0 b).
    { destruct (IH (S e0)) as [IHo IHc]; auto; [firstorder|]. simpl.
      repeat split; auto; try lia; rewrite IHc; tauto. }
    destruct (Nat.eqb_spec e0 b) as [->|].
    { destruct rest as [|[[b1 e1] s1] more].
      - unfold part. rewrite join_of_neighbors by lia. simpl. repeat split; auto; lia.
      - simpl in ordered. destruct ordered as (bounds1 & -> & ordered).
        assert (e <= b1) by (destruct (le_lt_dec e b1); auto; exfalso; apply (free b1); simpl; lia).
        unfold part. destruct (Nat.eqb_spec e b1) as [->|]; rewrite !join_of_neighbors by lia;
          simpl; repeat split; auto; try lia; intuition lia. }
    assert (e <= b0).
    { destruct (le_lt_dec e b0); auto. exfalso. apply (free (max b b0)); [lia|left; lia]. }
    unfold part. destruct (Nat.eqb_spec e b0) as [->|]; rewrite ?join_of_neighbors by lia;
      simpl; repeat split; auto; try lia; intuition lia.
Qed.
Lemma insert_all_keeps_order pieces : disjoint pieces ->
  in_order 0 (insert_all pieces) /\ forall i, covered (insert_all pieces) i <-> covered pieces i.
Proof.
  induction pieces as [|[[b e] s] rest IH]; simpl; [tauto|].
  intros ((some & -> & free) & H). destruct (IH H) as [ordered same].
  destruct (insert_keeps_order b e some _ 0 ltac:(lia) ordered) as [ordered' same'].
  - intros i. rewrite same. auto.
  - split; [assumption|]. intros i. rewrite same', same. tauto.
Qed.
Lemma same_runs : forall r1 r2 first, in_order first r1 -> in_order first r2 ->
  (forall i, covered r1 i <-> covered r2 i) -> r1 = r2.
Proof.
  induction r1 as [|[[b1 e1] s1] r1 IH]; intros [|[[b2 e2] s2] r2] first o1 o2 same; auto.
  - exfalso. apply (same b2). simpl in *. lia.
  - exfalso. apply (same b1). simpl in *. lia.
  - destruct o1 as (B1 & -> & o1), o2 as (B2 & -> & o2). simpl in same.
    pose proof (fun i => covered_from _ _ i o1) as from1.
    pose proof (fun i => covered_from _ _ i o2) as from2.
    assert (b1 = b2) as <-.
    { destruct (proj1 (same b1) ltac:(lia)) as [|H1], (proj2 (same b2) ltac:(lia)) as [|H2];
        try apply from1 in H2; try apply from2 in H1; lia. }
    assert (e1 = e2) as <-.
    { destruct (lt_eq_lt_dec e1 e2) as [[less|]|less]; auto; exfalso.
      - destruct (proj2 (same e1) ltac:(lia)) as [|H]; [|apply from1 in H]; lia.
      - destruct (proj1 (same e2) ltac:(lia)) as [|H]; [|apply from2 in H]; lia. }
    f_equal. apply (IH r2 (S e1) o1 o2). intros i. specialize (same i). specialize (from1 i).
    specialize (from2 i).
    split; intros H; [pose proof (from1 H)|pose proof (from2 H)]; intuition lia.
Qed.

(** Inserting is commutative: a set is the same whatever the order of its pieces and their cuts. *)
Theorem partial_set_in_any_order pieces others : disjoint pieces -> disjoint others ->
  (forall i, covered pieces i <-> covered others i) -> insert_all pieces = insert_all others.
Proof.
  intros [o1 same1]%insert_all_keeps_order [o2 same2]%insert_all_keeps_order same.
  apply (same_runs _ _ 0 o1 o2). intros i. now rewrite same1, same2.
Qed.

(** Pieces that cover [0, n), inserted in any order, leave one run: the partial of [0, n). *)
Theorem partial_set_of_the_whole pieces n : 0 < n -> disjoint pieces ->
  (forall i, covered pieces i <-> i < n) -> insert_all pieces = [(0, n, part 0 n)].
Proof.
  intros some H all. replace [(0, n, part 0 n)] with (insert_all [(0, n, part 0 n)]) by reflexivity.
  apply partial_set_in_any_order; [assumption|simpl; tauto|].
  intros i. rewrite all. simpl. lia.
Qed.
End partials.

(** * Carries of later pieces *)

(** The totals of a carry, the lowest digit first: a partial of what it has taken. *)
Fixpoint totals {A} k (d : list (option (A * option A))) := match d with
  | [] => [] | Some (u, _) :: d => (k, u) :: totals (S k) d | None :: d => totals (S k) d end.

(** The blocks of a carry that counts from 0 cover its elements, wherever they are aligned. *)
Theorem carry_of_a_later_piece {A} (op : A -> A -> A) x p K m n c :
  n <= 2 ^ K -> is_carry op (fun i => x (2 ^ K * m + i)) p n c ->
  tiled op x (2 ^ K * m) (2 ^ K * m + n) (totals 0 (fst c)).
Proof.
  intros fits [starts _]. replace (2 ^ K * m + n) with (2 ^ K * m + 2 ^ 0 * n) by (simpl; lia).
  enough (H : forall d k q, counts op (fun i => x (2 ^ K * m + i)) p k d q -> 2 ^ k * q <= 2 ^ K ->
    tiled op x (2 ^ K * m) (2 ^ K * m + 2 ^ k * q) (totals k d))
    by (apply H; simpl; [exact starts|lia]).
  induction d as [|o d IH]; intros k q counted room.
  - simpl in counted. subst q. rewrite Nat.mul_0_r, Nat.add_0_r. constructor.
  - destruct counted as [rest ->]. destruct (Nat.Even_or_Odd q) as [[h ->]|[h ->]].
    + destruct (even_number h) as [odd half]. rewrite odd. rewrite half in rest. cbn [totals].
      replace (2 ^ k * (2 * h)) with (2 ^ S k * h) in * by (simpl; lia). now apply IH.
    + destruct (odd_number h) as [odd half]. rewrite odd. rewrite half in rest. cbn [totals].
      replace (2 * h + 1 - 1) with (2 * h) by lia.
      assert (k <= K) by (apply (Nat.pow_le_mono_r_iff 2); lia).
      assert (2 ^ K * m = 2 ^ k * (2 ^ (K - k) * m)) as start.
      { rewrite Nat.mul_assoc, <- Nat.pow_add_r. do 2 f_equal. lia. }
      rewrite block_of_shifted with (a := 2 ^ (K - k) * m) by assumption.
      replace (2 ^ K * m + 2 ^ k * (2 * h + 1)) with (2 ^ k * (2 ^ (K - k) * m + 2 * h + 1)) by lia.
      constructor. replace (2 ^ k * (2 ^ (K - k) * m + 2 * h)) with (2 ^ K * m + 2 ^ S k * h)
        by (simpl; lia).
      apply IH; [assumption|simpl; lia].
Qed.

(** Appending a later carry, which counts from 0, is appending its elements. *)
Theorem carry_takes_a_later_carry {A} (op : A -> A -> A) x p q K m n c later :
  n <= 2 ^ K -> is_carry op x p (2 ^ K * m) c ->
  is_carry op (fun i => x (2 ^ K * m + i)) q n later ->
  is_carry op x p (2 ^ K * m + n) (carry_append op c (totals 0 (fst later))).
Proof.
  intros. eapply carry_takes_a_chunk; [eassumption|]. eapply carry_of_a_later_piece; eassumption.
Qed.
