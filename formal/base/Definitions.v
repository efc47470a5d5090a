(* Prints the definitions that statements rest on, each after those that it rests on itself: whoever reads these and the
   statements needs no other file. The walk is over Coq's own terms, so no name can be missed. *)
From Ltac2 Require Import Ltac2.
Import Ltac2.Constr.Unsafe.

Ltac2 say (before : string) (c : constr) :=
  Message.print (Message.concat (Message.of_string before) (Message.of_constr c)).
Ltac2 say_names (before : message) (names : constr list) := Message.print (List.fold_left (fun text c =>
  Message.concat text (Message.concat (Message.of_string " ") (Message.of_constr c))) names before).

(* What is defined in formal/ and not in Coq's library. *)
Ltac2 ours (r : Std.reference) := match Env.path r with root :: _ => Ident.equal root @ConsistencyLab | [] => false end.
Ltac2 parts (c : constr) : constr list :=
  match kind c with
  | Cast c _ t => [c; t]
  | Prod b c => [Constr.Binder.type b; c]
  | Lambda b c => [Constr.Binder.type b; c]
  | LetIn b v c => [v; Constr.Binder.type b; c]
  | App f cs => f :: Array.to_list cs
  | Case _ p _ c cs => p :: c :: Array.to_list cs
  | Fix _ _ bs cs => List.append (List.map Constr.Binder.type (Array.to_list bs)) (Array.to_list cs)
  | _ => []
  end.
(* What is ours in a term, after what was found already. *)
Ltac2 rec needs (found : constr list) (c : constr) : constr list :=
  let once r := if ours r then if List.exist (Constr.equal c) found then found else List.append found [c] else found in
  match kind c with
  | Constant k _ => once (Std.ConstRef k)
  | Ind i _ => once (Std.IndRef i)
  | Constructor _ _ => needs found (Constr.type c)
  | _ => List.fold_left needs (parts c) found
  end.
Ltac2 body (c : constr) : constr :=
  match kind c with
  | Constant k _ => Std.eval_cbv { Std.rBeta := false; Std.rMatch := false; Std.rFix := false; Std.rCofix := false;
      Std.rZeta := false; Std.rDelta := false; Std.rConst := [Std.ConstRef k] } c
  | _ => c
  end.
(* A definition in lines: its body and its type, or its constructors with their types. *)
Ltac2 lines (c : constr) : (string * constr) list :=
  match kind c with
  | Ind i _ =>
      let data := Ind.data i in
      let rec built n := if Int.equal n (Ind.nconstructors data) then [] else
        let k := Env.instantiate (Std.ConstructRef (Ind.get_constructor data n)) in
        ("     | ", k) :: ("       : ", Constr.type k) :: built (Int.add n 1) in
      ("     : ", Constr.type c) :: built 0
  | _ => [("     = ", body c); ("     : ", Constr.type c)]
  end.
Ltac2 rec define (seen : constr list) (c : constr) : constr list :=
  if List.exist (Constr.equal c) seen then seen else
  let told := lines c in
  let on := List.filter (fun d => Bool.neg (Constr.equal c d))
    (List.fold_left (fun found line => let (_, c) := line in needs found c) told []) in
  let seen := List.fold_left define on (c :: seen) in
  say "" c; List.iter (fun line => let (before, c) := line in say before c) told;
  say_names (Message.of_string "     rests on") on; seen.

(* The theorems of a tuple: the definitions that each rests on, those that were not printed before, and their names. *)
Ltac2 rec theorems (c : constr) : constr list :=
  match kind c with
  | App _ cs => List.append (theorems (Array.get cs 2)) (theorems (Array.get cs 3))
  | _ => [c]
  end.
Ltac2 define_all (tuples : constr list) :=
  let told seen c :=
    let on := needs [] (Constr.type c) in
    let seen := List.fold_left define on seen in
    say_names (Message.concat (Message.of_constr c) (Message.of_string " rests on")) on; seen in
  let _ := List.fold_left told (List.flat_map (fun c => theorems (body c)) tuples) [] in ().
