# SPDX-License-Identifier: GPL-2.0-or-later
"""Buckets of histograms, as the kernel has them."""

FIRST_EXP, LAST_EXP, SUB_BITS = 10, 38, 3


def bucket(ns):
    exp = ns.bit_length() - 1
    if exp < FIRST_EXP:
        return 0
    if exp >= LAST_EXP:
        return ((LAST_EXP - FIRST_EXP) << SUB_BITS) + 1
    return 1 + ((exp - FIRST_EXP) << SUB_BITS) + ((ns >> (exp - SUB_BITS)) & 7)
