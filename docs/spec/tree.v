(** The laws of the combine tree. Nothing is assumed of the operator [op], so an equation here is
    one of bits. docs/spec/theorems.md says what each theorem covers. *)
From Coq Require Import Arith Bool Lia List.
Import ListNotations.

(** * Definitions: blocks, prefixes, reductions and scans *)
Section tree.
Context {A : Type} (op : A -> A -> A).
Implicit Types (x y : nat -> A) (p : option A).

(** The total of the aligned block of 2^k elements that starts at x[2^k * j]. *)
Fixpoint block x k j : A := match k with
  | 0 => x j
  | S k => op (block x k (2 * j)) (block x k (2 * j + 1))
  end.

(** The left fold of a list. [p] is the value before its first element; None: there is none. *)
Definition and_then p a := match p with None => a | Some p => op p a end.
Definition fold p l := fold_left (fun p a => Some (and_then p a)) l p.

(** The aligned blocks (k, j) of the [k] lowest binary digits of [m], the largest first. *)
Fixpoint digits k m : list (nat * nat) := match k with
  | 0 => []
  | S k => (if Nat.odd (m / 2 ^ k) then [(k, m / 2 ^ k - 1)] else []) ++ digits k m
  end.
Definition total x (b : nat * nat) := block x (fst b) (snd b).

(** The fold of [p] and of the blocks that [0, m) splits into; prefix(m) if p = None. *)
Definition front x p m := fold p (map (total x) (digits (S (Nat.log2 m)) m)).
Definition prefix x m := front x None m.

(** A result with an initial value: init op prefix(m), or the operator's own way, [front]. *)
Definition behind x p m := match p, prefix x m with
  | Some i, Some a => Some (op i a) | Some i, None => Some i | None, a => a end.
Definition reduce x p n := behind x p n.
Definition exclusive_scan x p n := map (behind x p) (seq 0 n).
Definition inclusive_scan x p n := map (fun i => behind x p (i + 1)) (seq 0 n).

(** * 1. Reductions and scans *)

(** A reduction has the bits of the last element of the inclusive scan. *)
Theorem reduce_is_last_inclusive x p n d :
  0 < n -> reduce x p n = last (inclusive_scan x p n) d.
Proof.
  destruct n; [lia|]; intros _. unfold inclusive_scan. rewrite seq_S, map_app. cbn [map plus].
  now rewrite last_last, Nat.add_1_r.
Qed.

(** Element i of the exclusive scan is the reduction of the first i elements. *)
Theorem exclusive_is_reduce_before x p n i d :
  i < n -> nth i (exclusive_scan x p n) d = reduce x p i.
Proof.
  intros. unfold exclusive_scan. rewrite nth_indep with (d' := behind x p 0).
  - rewrite map_nth, seq_nth; auto.
  - now rewrite map_length, seq_length.
Qed.

(** * 2. Blocks and tiles *)

Lemma power k : 0 < 2 ^ k.
Proof. pose proof (Nat.pow_nonzero 2 k). lia. Qed.
Lemma div_power k q r : r < 2 ^ k -> (2 ^ k * q + r) / 2 ^ k = q.
Proof. intros. pose proof (power k). rewrite Nat.mul_comm, Nat.div_add_l, Nat.div_small; lia. Qed.
Lemma div_exact k q : (2 ^ k * q) / 2 ^ k = q.
Proof. pose proof (power k). pose proof (div_power k q 0). rewrite Nat.add_0_r in *. auto. Qed.

(** A block is the operator of its two halves. *)
Theorem block_is_op_of_halves x k j :
  block x (S k) j = op (block x k (2 * j)) (block x k (2 * j + 1)).
Proof. reflexivity. Qed.

(** A block depends on its own elements only. *)
Theorem block_depends_on_its_elements x y k : forall j,
  (forall i, 2 ^ k * j <= i < 2 ^ k * (j + 1) -> x i = y i) -> block x k j = block y k j.
Proof.
  induction k; intros j same; cbn [block].
  - apply same. simpl. lia.
  - f_equal; apply IHk; intros; apply same; simpl; lia.
Qed.

(** A block of totals of blocks is a block of elements. *)
Theorem block_of_blocks x k i : forall j, block (block x k) i j = block x (i + k) j.
Proof. induction i; intros; simpl; [reflexivity|]. now rewrite !IHi. Qed.

(** An input that starts at a multiple of a block's size has the same blocks. *)
Theorem block_of_shifted x k : forall b a j,
  b = 2 ^ k * a -> block (fun i => x (b + i)) k j = block x k (a + j).
Proof.
  induction k; intros; cbn [block].
  - f_equal. simpl in *. lia.
  - rewrite !IHk with (a := 2 * a) by (simpl in *; lia). f_equal; f_equal; lia.
Qed.

Lemma digits_enough m k d : m < 2 ^ k -> digits (d + k) m = digits k m.
Proof.
  induction d; intros; simpl; [reflexivity|].
  rewrite Nat.div_small; [now rewrite IHd|].
  rewrite Nat.pow_add_r. pose proof (power d). nia.
Qed.
Lemma front_digits x p k m : m < 2 ^ k -> front x p m = fold p (map (total x) (digits k m)).
Proof.
  intros. unfold front. destruct (Nat.eq_dec m 0) as [->|].
  - replace k with (k + 0) by lia. rewrite digits_enough by (simpl; lia). reflexivity.
  - pose proof (Nat.log2_spec m ltac:(lia)) as [low high].
    assert (Nat.log2 m < k) by (apply (Nat.pow_lt_mono_r_iff 2); lia).
    replace k with ((k - S (Nat.log2 m)) + S (Nat.log2 m)) by lia.
    now rewrite digits_enough.
Qed.
Lemma fold_app p l m : fold p (l ++ m) = fold (fold p l) m.
Proof. apply fold_left_app. Qed.
Lemma digits_of_tiles x k q r d : r < 2 ^ k ->
  map (total x) (digits (d + k) (2 ^ k * q + r)) =
  map (total (block x k)) (digits d q) ++ map (total x) (digits k (2 ^ k * q + r)).
Proof.
  intros. induction d; [reflexivity|]. simpl. rewrite !map_app, IHd, app_assoc. f_equal. f_equal.
  replace ((2 ^ k * q + r) / 2 ^ (d + k)) with (q / 2 ^ d).
  - destruct Nat.odd; [|reflexivity]. unfold total. simpl. now rewrite block_of_blocks.
  - rewrite Nat.pow_add_r, (Nat.mul_comm (2 ^ d)), <- Nat.div_div, div_power;
      auto using Nat.pow_nonzero.
Qed.
Lemma digits_of_rest x k q r l : l <= k ->
  map (total x) (digits l (2 ^ k * q + r)) =
  map (total (fun i => x (2 ^ k * q + i))) (digits l r).
Proof.
  induction l; intros; [reflexivity|]. simpl. rewrite !map_app, IHl by lia. f_equal.
  assert (even : exists c, 2 ^ k * q = 2 ^ l * (2 * c)).
  { exists (2 ^ (k - S l) * q). replace k with (S l + (k - S l)) at 1 by lia.
    rewrite Nat.pow_add_r. simpl. lia. }
  destruct even as [c even].
  replace ((2 ^ k * q + r) / 2 ^ l) with (2 * c + r / 2 ^ l).
  - replace (Nat.odd (2 * c + r / 2 ^ l)) with (Nat.odd (r / 2 ^ l))
      by (rewrite (Nat.add_comm (2 * c)), Nat.odd_add_mul_2; reflexivity).
    destruct (Nat.odd (r / 2 ^ l)) eqn:odd; [|reflexivity]. unfold total. simpl. f_equal.
    rewrite block_of_shifted with (a := 2 * c) by assumption. f_equal.
    destruct (r / 2 ^ l); [discriminate|lia].
  - rewrite even, (Nat.mul_comm (2 ^ l)), Nat.div_add_l; [reflexivity|]. pose proof (power l). lia.
Qed.

(** Whole tiles first: the tree over totals of tiles of 2^k, then over the r elements after them,
    is the tree over the elements. *)
Theorem prefix_is_tiles_then_rest x p k q r : r < 2 ^ k ->
  front x p (2 ^ k * q + r) = front (fun i => x (2 ^ k * q + i)) (front (block x k) p q) r.
Proof.
  intros. pose proof (Nat.pow_gt_lin_r 2 q ltac:(lia)).
  rewrite (front_digits _ _ (q + k)) by (rewrite Nat.pow_add_r; pose proof (power k); nia).
  rewrite (front_digits _ p q), (front_digits _ _ k) by assumption.
  now rewrite digits_of_tiles, fold_app, digits_of_rest.
Qed.

(** Without a rest: a prefix of q tiles is the tree over their totals. *)
Theorem prefix_of_tiles x p k q : front x p (2 ^ k * q) = front (block x k) p q.
Proof.
  pose proof (prefix_is_tiles_then_rest x p k q 0 (power k)) as H.
  rewrite Nat.add_0_r in H. exact H.
Qed.

(** After an even number of blocks of 2^k, one more block is one more application. *)
Theorem prefix_takes_next_block x p k c :
  front x p (2 ^ k * (2 * c + 1)) =
  Some (and_then (front x p (2 ^ k * (2 * c))) (block x k (2 * c))).
Proof.
  rewrite !prefix_of_tiles.
  pose proof (prefix_is_tiles_then_rest (block x k) p 1 c 1 ltac:(simpl; lia)) as H.
  pose proof (prefix_of_tiles (block x k) p 1 c) as G. change (2 ^ 1) with 2 in *.
  rewrite H, G. unfold front at 1. simpl. unfold total. simpl. do 3 f_equal; lia.
Qed.

(** A prefix depends on its elements only, not on the length of the input. *)
Theorem prefix_depends_on_its_elements x y p m :
  (forall i, i < m -> x i = y i) -> front x p m = front y p m.
Proof.
  intros same. unfold front. f_equal. generalize (S (Nat.log2 m)). intros k.
  induction k; [reflexivity|]. simpl. rewrite !map_app, IHk. f_equal.
  destruct (Nat.odd (m / 2 ^ k)) eqn:odd; [|reflexivity]. simpl. f_equal.
  apply block_depends_on_its_elements. simpl. intros. apply same.
  pose proof (Nat.mul_div_le m (2 ^ k)). pose proof (power k).
  destruct (m / 2 ^ k); [discriminate|nia].
Qed.

(** * 3. The carry: a binary counter, as upsweep/core/combine_tree.hpp has it *)

(** For each digit that is 1, its block's total and the prefix before that block; and the prefix. *)
Definition carry : Type := list (option (A * option A)) * option A.
Fixpoint add (d : list (option (A * option A))) p t : carry := match d with
  | Some (u, before) :: d => let (d, p) := add d before (op u t) in (None :: d, p)
  | None :: d => (Some (t, p) :: d, Some (and_then p t))
  | [] => ([Some (t, p)], Some (and_then p t))
  end.
Fixpoint add_at d p k t : carry := match k, d with
  | 0, d => add d p t
  | S k, o :: d => let (d, p) := add_at d p k t in (o :: d, p)
  | S k, [] => let (d, p) := add_at [] p k t in (None :: d, p)
  end.
Definition carry_push (c : carry) k t := add_at (fst c) (snd c) k t.

(** [d] has the digits of m from digit k on. [c] is the carry after m elements of x, with the
    value [p] before them: its last part is [front x p m], which includes prefix(m). *)
Fixpoint counts x p k d m := match d with
  | [] => m = 0
  | o :: d => counts x p (S k) d (m / 2) /\
      o = if Nat.odd m then Some (block x k (m - 1), front x p (2 ^ k * (m - 1))) else None
  end.
Definition is_carry x p m (c : carry) := counts x p 0 (fst c) m /\ snd c = front x p m.

Lemma even_number c : Nat.odd (2 * c) = false /\ 2 * c / 2 = c.
Proof. rewrite Nat.odd_mul, Nat.mul_comm, Nat.div_mul by lia. auto. Qed.
Lemma odd_number c : Nat.odd (2 * c + 1) = true /\ (2 * c + 1) / 2 = c.
Proof. rewrite Nat.add_comm, Nat.odd_add_mul_2, Nat.mul_comm, Nat.div_add by lia. auto. Qed.
Lemma add_counts x p0 : forall d k m p, counts x p0 k d m -> p = front x p0 (2 ^ k * m) ->
  let c := add d p (block x k m) in
  counts x p0 k (fst c) (m + 1) /\ snd c = front x p0 (2 ^ k * (m + 1)).
Proof.
  induction d as [|o d IH]; intros k m p.
  - simpl. intros -> ->. simpl. split; [split; [reflexivity|]|]; [reflexivity|].
    symmetry. apply (prefix_takes_next_block x p0 k 0).
  - intros [rest ->] ->. destruct (Nat.Even_or_Odd m) as [[c ->]|[c ->]].
    + destruct (even_number c) as [odd half], (odd_number c) as [odd' half'].
      rewrite odd. rewrite half in rest. cbn [add fst snd counts].
      rewrite odd', half', prefix_takes_next_block. repeat split; [assumption|].
      now replace (2 * c + 1 - 1) with (2 * c) by lia.
    + destruct (odd_number c) as [odd half], (even_number (c + 1)) as [odd' half'].
      rewrite odd. rewrite half in rest. cbn [add].
      replace (2 * c + 1 - 1) with (2 * c) by lia.
      replace (2 ^ k * (2 * c)) with (2 ^ S k * c) by (simpl; lia).
      specialize (IH (S k) c _ rest eq_refl). cbn [block] in IH. destruct add as [d' p'].
      cbn [fst snd counts] in *. destruct IH as [counted ->].
      replace (2 * c + 1 + 1) with (2 * (c + 1)) by lia. rewrite odd', half'.
      repeat split; [assumption|]. f_equal. simpl. lia.
Qed.
Lemma add_at_counts x p0 k : forall d l m p,
  counts x p0 l d (2 ^ k * m) -> p = front x p0 (2 ^ (l + k) * m) ->
  let c := add_at d p k (block x (l + k) m) in
  counts x p0 l (fst c) (2 ^ k * (m + 1)) /\ snd c = front x p0 (2 ^ (l + k) * (m + 1)).
Proof.
  induction k; intros d l m p.
  - rewrite Nat.add_0_r. simpl. rewrite !Nat.add_0_r. intros. destruct d; apply add_counts; auto.
  - intros counted ->. pose proof (power k).
    assert (half : forall m, Nat.odd (2 ^ S k * m) = false /\ 2 ^ S k * m / 2 = 2 ^ k * m).
    { intros. replace (2 ^ S k * m0) with (2 ^ k * m0 * 2) by (simpl; lia).
      rewrite Nat.div_mul, Nat.odd_mul, andb_false_r by lia. auto. }
    replace (l + S k) with (S l + k) by lia.
    destruct d as [|o d]; cbn [add_at].
    + specialize (IHk [] (S l) m _ ltac:(simpl in *; nia) eq_refl). destruct add_at. simpl in *.
      destruct (half (m + 1)) as [-> ->]. tauto.
    + destruct counted as [rest ->]. destruct (half m) as [e1 e2]. rewrite e2 in rest.
      specialize (IHk d (S l) m _ rest eq_refl). destruct add_at. cbn [fst snd counts] in *.
      destruct (half (m + 1)) as [-> ->]. rewrite e1. tauto.
Qed.

(** A new carry has no totals; its prefix is the initial value, if there is one. *)
Theorem carry_begins x p : is_carry x p 0 ([], p).
Proof. split; reflexivity. Qed.

(** A carry takes an aligned block of 2^k elements by its total. *)
Theorem carry_takes_a_block x p c k m : is_carry x p (2 ^ k * m) c ->
  is_carry x p (2 ^ k * (m + 1)) (carry_push c k (block x k m)).
Proof. intros [counted read]. exact (add_at_counts x p k _ 0 m _ counted read). Qed.

(** A carry takes an element: the prefixes that a carry has in turn are those of a scan. *)
Theorem carry_takes_an_element x p c m :
  is_carry x p m c -> is_carry x p (m + 1) (carry_push c 0 (x m)).
Proof.
  intros. replace (m + 1) with (2 ^ 0 * (m + 1)) by (simpl; lia).
  apply (carry_takes_a_block x p c 0). simpl. now rewrite Nat.add_0_r.
Qed.

(** * 4. Partials, as upsweep/partial.hpp has them *)

(** The totals of a partial, each with its block's log2 size, the last block first. Appending the
    block of 2^k elements at [e] merges it with its sibling, and that block with its own. *)
Implicit Types s t : list (nat * A).
Fixpoint push s e k a := match s with
  | (l, u) :: rest => if (l =? k) && Nat.odd (e / 2 ^ k)
                      then push rest (e - 2 ^ k) (S k) (op u a) else (k, a) :: s
  | [] => [(k, a)]
  end.
Fixpoint size t := match t with [] => 0 | (k, _) :: t => size t + 2 ^ k end.
(** The partial [t] from position [m] on appended to [s], which ends there. *)
Fixpoint join s m t := match t with
  | [] => s | (k, a) :: t => push (join s m t) (m + size t) k a end.
Fixpoint pushes x s b n := match n with
  | 0 => s | S n => push (pushes x s b n) (b + n) 0 (x (b + n)) end.
(** The partial of [b, e), made element by element. *)
Definition part x b e := pushes x [] b (e - b).

(** Aligned blocks, one after another, that cover [b, e), however a backend cuts it. *)
Inductive tiled x b : nat -> list (nat * A) -> Prop :=
  | no_tile : tiled x b b []
  | one_more s k j : tiled x b (2 ^ k * j) s -> tiled x b (2 ^ k * (j + 1)) ((k, block x k j) :: s).

Lemma tiled_size x b e s : tiled x b e s -> b + size s = e.
Proof. induction 1; simpl; lia. Qed.
Lemma pushes_more x s b n m : pushes x s b (n + m) = pushes x (pushes x s b n) (b + n) m.
Proof.
  induction m; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r. simpl.
  now rewrite IHm, Nat.add_assoc.
Qed.
Lemma pushes_block x k : forall s j,
  pushes x s (2 ^ k * j) (2 ^ k) = push s (2 ^ k * j) k (block x k j).
Proof.
  induction k; intros; [simpl; now rewrite !Nat.add_0_r|].
  destruct (even_number j) as [even _], (odd_number j) as [odd _].
  replace (2 ^ S k * j) with (2 ^ k * (2 * j)) by (simpl; lia).
  replace (2 ^ S k) with (2 ^ k + 2 ^ k) by (simpl; lia). rewrite pushes_more.
  replace (2 ^ k * (2 * j) + 2 ^ k) with (2 ^ k * (2 * j + 1)) by lia. rewrite !IHk.
  replace (push s _ k _) with ((k, block x k (2 * j)) :: s).
  - cbn [push]. rewrite Nat.eqb_refl, div_exact, odd. cbn [andb block]. f_equal. lia.
  - destruct s as [|[l u] s]; cbn [push]; [reflexivity|].
    now rewrite div_exact, even, andb_false_r.
Qed.
Lemma tiled_push x b k : forall s j, tiled x b (2 ^ k * j) s ->
  tiled x b (2 ^ k * (j + 1)) (push s (2 ^ k * j) k (block x k j)).
Proof.
  intros s. revert k. induction s as [|[l u] s IH]; intros k j tiles; simpl; [now constructor|].
  destruct (l =? k) eqn:same; [|now constructor]. apply Nat.eqb_eq in same. subst l.
  rewrite div_exact. destruct (Nat.odd j) eqn:odd; simpl; [|now constructor].
  inversion tiles as [|t l i rest same]. subst l.
  apply Nat.mul_cancel_l in same; [|now apply Nat.pow_nonzero].
  apply Nat.odd_spec in odd. destruct odd as [c ->]. assert (i = 2 * c) as -> by lia. subst.
  specialize (IH (S k) c). rewrite <- block_is_op_of_halves.
  replace (2 ^ k * (2 * c + 1) - 2 ^ k) with (2 ^ S k * c) by (simpl; lia).
  replace (2 ^ k * (2 * c + 1 + 1)) with (2 ^ S k * (c + 1)) by (simpl; lia).
  apply IH. now replace (2 ^ S k * c) with (2 ^ k * (2 * c)) by (simpl; lia).
Qed.
Lemma tiled_pushes x b n : tiled x b (b + n) (pushes x [] b n).
Proof.
  induction n; [rewrite Nat.add_0_r; constructor|]. simpl.
  pose proof (tiled_push x b 0 (pushes x [] b n) (b + n)) as H. simpl in H.
  rewrite !Nat.add_0_r in H. rewrite Nat.add_succ_r, <- Nat.add_1_r. auto.
Qed.

(** A partial consists of aligned blocks that cover its range. *)
Theorem partial_is_tiled x b e : b <= e -> tiled x b e (part x b e).
Proof. intros. replace e with (b + (e - b)) at 1 by lia. apply tiled_pushes. Qed.

(** Appending a range by the totals of blocks is appending its elements, however it is cut. *)
Theorem blocks_append_as_elements x s m e t : tiled x m e t -> join s m t = pushes x s m (e - m).
Proof.
  induction 1 as [|t k j tiles IH]; [now rewrite Nat.sub_diag|]. simpl.
  apply tiled_size in tiles. rewrite IH, tiles, <- pushes_block.
  replace (2 ^ k * (j + 1) - m) with (2 ^ k * j - m + 2 ^ k) by lia. rewrite pushes_more.
  f_equal. lia.
Qed.

(** Joining the partials of neighbors gives the partial of both. *)
Theorem join_of_neighbors x b m e : b <= m <= e -> join (part x b m) m (part x m e) = part x b e.
Proof.
  intros. rewrite (blocks_append_as_elements x _ m e) by (apply partial_is_tiled; lia).
  unfold part. replace (e - b) with ((m - b) + (e - m)) by lia. rewrite pushes_more. f_equal. lia.
Qed.

(** Joining partials of neighbors is associative in every bit. *)
Theorem join_is_associative x a b c d : a <= b <= c -> c <= d ->
  let p := part x a b in let q := part x b c in let r := part x c d in
  join (join p b q) c r = join p b (join q c r).
Proof. intros. subst p q r. now rewrite !join_of_neighbors by lia. Qed.

(** What joining neighbors in any order and grouping makes of the pieces of a range. *)
Inductive joined x : nat -> nat -> list (nat * A) -> Prop :=
  | of_elements b e : b <= e -> joined x b e (part x b e)
  | of_neighbors b m e s t : joined x b m s -> joined x m e t -> joined x b e (join s m t).

(** Any order and grouping of joins, middle pieces first or not, gives the same partial. *)
Theorem joins_in_any_order x b e s : joined x b e s -> b <= e /\ s = part x b e.
Proof.
  induction 1 as [|b m e s t ? [? ->] ? [? ->]]; [auto|]. split; [lia|].
  apply join_of_neighbors. lia.
Qed.

(** The totals of [t] appended to a carry, in order. *)
Definition carry_append c t := fold_right (fun b c => carry_push c (fst b) (snd b)) c t.

(** A carry takes a chunk of any length, cut into aligned blocks in any way, as its elements. *)
Theorem carry_takes_a_chunk x p c m e t :
  is_carry x p m c -> tiled x m e t -> is_carry x p e (carry_append c t).
Proof. intros H. induction 1; [assumption|]. now apply carry_takes_a_block. Qed.

(** A partial of [0, n), joined in any order, has the result of one reduction: prefix(n). *)
Theorem joined_partial_gives_prefix x p n s :
  joined x 0 n s -> snd (carry_append ([], p) s) = front x p n.
Proof.
  intros [_ ->]%joins_in_any_order. apply (carry_takes_a_chunk x p _ 0); [apply carry_begins|].
  apply partial_is_tiled. lia.
Qed.

(** * 5. Segments, windows and lines: each is a whole input *)
Definition segment x b : nat -> A := fun i => x (b + i).

(** The result of a segment does not depend on where it lies or on what lies beside it. *)
Theorem segment_has_the_result_of_reduce_alone x y p b c n :
  (forall i, i < n -> x (b + i) = y (c + i)) ->
  front (segment x b) p n = front (segment y c) p n /\
  reduce (segment x b) p n = reduce (segment y c) p n.
Proof.
  intros. unfold reduce, behind, prefix.
  now rewrite !(prefix_depends_on_its_elements (segment x b) (segment y c)).
Qed.
End tree.
