import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from arbiter.game import Arbiter
from arbiter.sources.coverage import rows as data_rows
from arbiter.sources.lookup.entries import Entry
from arbiter.sources.lookup.index import Index
from arbiter.sources.lookup.players import Glossary, Questions
from arbiter.sources.lookup.words import STOP, sentences, words_of
from arbiter.value import Value

P = dict(phrase=1.0,max=1, thesaurus=.9, spread=0, concept=1.0, pair=.25, story=0.3, whole=2.0, second=0.0, gist=0.9, answer=0.7, data=0.7, rule=0.4, typo=0.8, excused=0.8, reading=1.0,
  question_bonus=1.0)


class Row(NamedTuple):
    entry: int
    text: str
    weight: float
    whole: bool = False


def make_rows(game, every, questions):
    number = {e.id: i for i, e in enumerate(every)}
    rows = []
    parts = {i: [] for i in range(len(every))}
    def add(i, text, weight, in_whole=True):
        rows.append(Row(i, text, weight))
        if in_whole: parts[i].append(text)
    for i, e in enumerate(every):
        if e.kind == 'rule': continue
        idw = re.sub(r"[/._-]", " ", e.id)
        scale = P['excused'] if e.status == 'excused' else P['reading'] if e.kind == 'reading' else 1.0
        text = f"{idw} {e.gist}"
        if e.kind == 'reading':
            r = game.readings.by_id[e.id]
            text += " " + " ".join(o.gist for o in r.options)
        add(i, text, P['gist'] * scale)
        q = questions.get(e.id)
        if q:
            for a in q.asked: add(i, a, scale)
            if q.answer or q.depends_on: add(i, q.answer + " " + q.depends_on, P['answer'] * scale)
    by = {}
    for row in data_rows(game):
        for c in row.cites: by.setdefault(c, []).append(row)
    for c, rs in by.items():
        if c not in number: continue
        for row in rs:
            name = str(row.content.get('name', row.content.get('id', '')))
            add(number[c], f"{name}", P['data'] / len(rs) ** .5, len(rs) <= 3)
    for rule in game.rules.values():
        gist = re.sub(r"^Decide (whether|what|how|which|where|who)?", "", rule.gist)
        for c in rule.cites:
            if c in number:
                rows.append(Row(number[c], gist, P['rule']))
    for i, ts in parts.items():
        if ts: rows.append(Row(i, " ".join(ts), 1.0, True))
    return rows


class Lookup:
    def __init__(self, game, every, questions, glossary):
        self.entries = every
        rows = make_rows(game, every, questions)
        self.rows = sorted([r for r in rows if not r.whole], key=lambda r: r.entry)
        self.wholes = [r for r in rows if r.whole]
        self.entry = np.array([r.entry for r in self.rows]); self.weight = np.array([r.weight for r in self.rows])
        self.wentry = np.array([r.entry for r in self.wholes])
        self.starts = np.flatnonzero(np.r_[True, self.entry[1:] != self.entry[:-1]])
        self.group = self.entry[self.starts]
        from arbiter.sources.ledger import load_yaml
        from pathlib import Path
        self.groups = [(k, *v) for k, v in glossary.terms.items()]
        self.n_gloss = len(self.groups)
        if P['thesaurus']: self.groups += load_yaml(Path(__file__).parent / 'thesaurus.yaml')
        self.index = Index([r.text for r in self.rows], [r.text for r in self.wholes], self.groups)
        self.entry = np.array([r.entry for r in self.rows]); self.weight = np.array([r.weight for r in self.rows])
        self.n_whole = sum(r.whole for r in self.rows)
        k = len(self.rows) - self.n_whole
        self.k = k
        self.starts = np.flatnonzero(np.r_[True, self.entry[1:k] != self.entry[:k-1]])
        self.group = self.entry[:k][self.starts]
        self.stop = {s[0] for s in self.index.stems(sorted(STOP)) if s}

    def correct(self, word):
        hits = process.extract(word, self.index.spellings, scorer=OSA.normalized_similarity, limit=3, score_cutoff=0.6)
        return [(w, s) for w, s, _ in hits if w[0] == word[0] or s > .8]

    def query(self, text):
        """concepts: list of (scale, [(column, phrase, weight)]) per position"""
        out = {}
        understood = {}
        unknown = []
        asking, story = sentences(text)
        vocab = self.index.vocabulary
        for sents, scale in ((asking, 1.0), (story, P['story'])):
            for s in sents:
                words = words_of(s)
                st = self.index.stems([s])[0]
                if len(st) != len(words): words = st
                typo = [1.0] * len(st)
                for n, (w, x) in enumerate(zip(words, list(st))):
                    if x not in vocab and x not in self.stop and len(w) > 3:
                        c = self.correct(w)
                        if c and c[0][1] >= 0.75:
                            understood[w] = c[0][0]
                            st[n] = self.index.stems([c[0][0]])[0][0]
                            typo[n] = P['typo']
                        else:
                            unknown.append((w, [x for x, _ in c]))
                def put(key, v, alts):
                    if v > out.get(key, (0, ()))[0]: out[key] = (v, alts)
                alts = [[] for _ in st]
                for n, (x, f) in enumerate(zip(st, typo)):
                    if x in vocab and x not in self.stop: alts[n].append(("stems", x, f))
                for a, b, terms in self.index.terms.within(st):
                    ws = [("terms", t, (P['concept'] if int(t[1:]) < self.n_gloss else P['thesaurus'])/ len(terms) ** P['spread']) for t in terms]
                    if b - a == 1: alts[a] += ws
                    else:
                        put(" ".join(st[a:b]), scale * P['phrase'], ws)
                for x, al in zip(st, alts):
                    if al: put(x, scale, al)
                content = [(x, f) for x, f in zip(st, typo) if x not in self.stop and x in vocab]
                for (x, f), (y, g) in zip(content, content[1:]):
                    if P['pair']: put(f"{x} {y}/p", P['pair'] * scale * min(f, g), [("stems", f"{x} {y}", 1.0)])
        return out, understood, unknown

    def score(self, table, n, weights):
        acc = np.zeros(n)
        for scale, alts in weights.values():
            if len(alts) == 1:
                r, s = self.index.postings(table, *alts[0][:2])
                acc[r] += scale * alts[0][2] * s
            else:
                tmp = np.zeros(n)
                for col, phrase, w in alts:
                    r, s = self.index.postings(table, col, phrase)
                    if P['max']: tmp[r] = np.maximum(tmp[r], w * s)
                    else: tmp[r] += w * s
                acc += scale * tmp
        return acc

    def search(self, text, most=10):
        weights, understood, unknown = self.query(text)
        acc = self.score("row", len(self.rows), weights) * self.weight
        total = np.zeros(len(self.entries))
        total[self.group] = np.maximum.reduceat(acc, self.starts)
        total[self.wentry] += P['whole'] * self.score("entry", len(self.wholes), weights)
        order = np.argsort(-total, kind="stable")[:most]
        return [(self.entries[i], float(total[i])) for i in order if total[i] > 0], understood, unknown
