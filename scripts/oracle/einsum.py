#!/usr/bin/python3
"""Computes contractions by numpy.einsum, as an oracle that shares no code with attnlab.

    scripts/oracle/einsum.py > tests/data/tensor/einsum.json

The file in the repository was made once by the versions it names; the tests read it, not this script.
Operands hold small whole numbers, so that sums are exact in any order: results must be equal, not near.
`refused` are expressions with shapes that numpy.einsum refuses, too.
"""
import json
import platform
import sys

import numpy as np

SEED = 20261130
CASES = [  # expression, shapes
    ("bhqd,bhkd->bhqk", [(2, 3, 4, 5), (2, 3, 6, 5)]),
    ("bhqk,bhkd->bhqd", [(2, 3, 4, 6), (2, 3, 6, 5)]),
    ("bnm,mhd->bnhd", [(2, 4, 6), (6, 2, 3)]),
    ("i->i", [(7,)]), ("i->", [(7,)]), ("ij->ji", [(3, 5)]), ("ij->j", [(3, 5)]), ("ij->", [(3, 5)]),
    ("ba", [(3, 4)]), ("ijk->kij", [(2, 3, 4)]), ("ii", [(5, 5)]), ("ii->i", [(5, 5)]), ("iii->i", [(3, 3, 3)]),
    ("iij->ji", [(3, 3, 4)]), ("iji->j", [(3, 4, 3)]), ("ijij->ij", [(2, 3, 2, 3)]), ("iijj->ij", [(3, 3, 2, 2)]),
    ("i,i", [(6,), (6,)]), ("i,i->i", [(6,), (6,)]), ("i,j->ij", [(3,), (4,)]), ("i,j", [(3,), (4,)]),
    ("j,i", [(3,), (4,)]), ("i,j->", [(3,), (4,)]), ("ij,j", [(3, 4), (4,)]), ("ij,j->i", [(3, 4), (4,)]),
    ("i,ij->j", [(3,), (3, 4)]), ("ij,jk", [(3, 4), (4, 5)]), ("ij,jk->ki", [(3, 4), (4, 5)]),
    ("ij,kj->ik", [(3, 4), (5, 4)]), ("ji,jk->ik", [(4, 3), (4, 5)]), ("ji,kj->ik", [(4, 3), (5, 4)]),
    ("ij,ij->", [(3, 4), (3, 4)]), ("ij,ij->ij", [(3, 4), (3, 4)]), ("ij,ji->", [(3, 4), (4, 3)]),
    ("ij,ij->i", [(3, 4), (3, 4)]), ("ij,ik->ijk", [(3, 4), (3, 2)]), ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("abc,cd->dab", [(2, 3, 4), (4, 5)]), ("abc,abd->bcd", [(2, 3, 4), (2, 3, 5)]), ("ij,kl->il", [(2, 3), (4, 5)]),
    ("ii,ij->j", [(3, 3), (3, 4)]), ("ii,jj->", [(3, 3), (4, 4)]), ("iij,jk->ik", [(3, 3, 4), (4, 2)]),
    (",ij->ij", [(), (3, 4)]), (",", [(), ()]), ("->", [()]), ("i,->i", [(4,), ()]),
    ("...", [(2, 3)]), ("...i->...", [(2, 3, 4)]), ("i...->...i", [(2, 3, 4)]), ("...ij,...jk->...ik", [(2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk", [(6, 2, 3, 4), (2, 4, 5)]), ("...ij,jk->...ik", [(2, 2, 3, 4), (4, 5)]),
    ("i...,i...->...", [(3, 2, 4), (3, 2, 4)]), ("...,...", [(3, 1), (1, 4)]), ("...i,...i->...", [(2, 1, 5), (3, 5)]),
    ("...ii->...i", [(2, 3, 3)]), ("a...b,b...->a...", [(2, 3, 4), (4, 3)]), ("b...->...", [(4,)]),
    (" i j , j k -> i k ", [(3, 4), (4, 5)]), ("Ab,bA->A", [(3, 4), (4, 3)]), ("bA,Ac", [(3, 4), (4, 2)]),
    ("ij,jk,kl->il", [(2, 6), (6, 3), (3, 5)]), ("ij,jk,kl", [(5, 2), (2, 6), (6, 3)]), ("i,i,i->", [(5,), (5,), (5,)]),
    ("i,j,k->kji", [(2,), (3,), (4,)]), ("ij,ik,il->jkl", [(4, 2), (4, 3), (4, 2)]), ("ij,jk,ki->", [(2, 3), (3, 4), (4, 2)]),
    ("ab,bc,cd,de->ae", [(2, 3), (3, 4), (4, 3), (3, 2)]), ("ab,cb,cd,ed->ae", [(2, 3), (4, 3), (4, 2), (3, 2)]),
    ("bqhd,bkhd,bkhe->bqhe", [(2, 3, 2, 4), (2, 5, 2, 4), (2, 5, 2, 3)]), ("a,ab,abc,abcd->d", [(2,), (2, 3), (2, 3, 2), (2, 3, 2, 4)]),
    ("...a,ab,bc->...c", [(2, 3, 4), (4, 2), (2, 3)]), ("abcd,bd,a->c", [(2, 3, 4, 2), (3, 2), (2,)]),
]
REFUSED = [
    ("ij,jk->ix", [(3, 4), (4, 5)]), ("ij->ii", [(3, 4)]), ("ij,jk", [(3, 4), (5, 6)]), ("ijk,jk", [(3, 4), (4, 5)]),
    ("ii->i", [(3, 4)]), ("i..j", [(3, 4)]), ("......i", [(3,)]), ("i->j->i", [(3,)]), ("i>j", [(3,)]), ("i-j", [(3,)]),
    ("i1->i", [(3, 1)]), ("ij", [(3,)]), ("ij,", [(3, 4), (2,)]), ("i->i,", [(3,)]), ("i,j->ij", [(3,)]), ("i...->i", [(2, 3)]),
    ("...i,...i->...", [(2, 4), (3, 4)]), ("...ij->...", [(3,)]), ("i->...i...", [(3,)]), ("é", [(3,)]),
]


def main():
    rng = np.random.default_rng(SEED)
    cases = []
    for expression, shapes in CASES:
        operands = [rng.integers(-4, 5, shape) for shape in shapes]
        result = np.asarray(np.einsum(expression, *operands))
        cases.append({"expression": expression, "shapes": [list(s) for s in shapes],
                      "operands": [np.ravel(o).tolist() for o in operands],
                      "result_shape": list(result.shape), "result": result.ravel().tolist()})
    refused = []
    for expression, shapes in REFUSED:
        try:
            np.einsum(expression, *(np.ones(shape) for shape in shapes))
        except (ValueError, UnicodeError):
            refused.append({"expression": expression, "shapes": [list(s) for s in shapes]})
            continue
        raise SystemExit(f"numpy takes {expression} {shapes}")
    made_by = f"scripts/oracle/einsum.py, NumPy {np.__version__}, Python {platform.python_version()}, seed {SEED}"
    text = json.dumps({"made_by": made_by, "cases": cases, "refused": refused}, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.write(text.replace("},{", "},\n{") + "\n")


if __name__ == "__main__":
    main()
