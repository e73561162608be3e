#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""structure.py - does the tree keep its structure? Reads sources and, with --objects, what was built of them.

usage: structure.py [--objects BUILD] CHECK...
  layers   a file includes only what layers.txt lets its folder include
  circles  no folders include each other in a circle, and no more than four files do; with --objects,
           no more than four files call each other in a circle
  folders  no folder has more than 40 files
  words    no word of words.txt stands where words.txt forbids it

Run in the root of a checkout. Prints a line for each mistake; exits 1 if there is one.
"""
import argparse
import collections
import os
import re
import subprocess
import sys

HERE = os.path.join('tests', 'style')
CODE = ('text/', 'runtime/', 'plugins/', 'sdk/', 'tools/', 'examples/')
SOURCE = re.compile(r'\.(c|h|inc)$')
MOST_FILES = 40
MOST_IN_CIRCLE = 4

# Folders that -I names: an include is looked for beside its file, then in those that hold the file.
ROOTS = ('plugins/cpu/', 'plugins/dnnl/', 'plugins/cann_sim/', 'plugins/opencl/', 'plugins/nnapi_sim/', 'plugins/',
         'runtime/', 'tools/', 'examples/', 'sdk/')

mistakes = 0


def wrong(text):
    global mistakes
    mistakes += 1
    print('FAILED: ' + text)


def lines_of(name):
    """The lines of a table of this folder, without comments, with their numbers."""
    with open(os.path.join(HERE, name), encoding='utf-8') as table:
        for number, line in enumerate(table, 1):
            line = line.split('#')[0].rstrip()
            if line:
                yield number, line


def tracked():
    out = subprocess.run(['git', 'ls-files', '-z'], check=True, capture_output=True, text=True).stdout
    return [path for path in out.split('\0') if path and os.path.exists(path)]


# ---- includes --------------------------------------------------------------------------------------------------------

def includes(files):
    """{file: [(line, included file of the tree)]} of all code."""
    known = set(files)
    found = {}
    directive = re.compile(r'\s*#\s*(?:include|define\s+\w+)\s*(?:"([^"]+)"|<([^>]+)>)')
    for path in files:
        if not path.startswith(CODE) or not SOURCE.search(path):
            continue
        rows = found.setdefault(path, [])
        with open(path, encoding='utf-8', errors='replace') as source:
            for number, line in enumerate(source, 1):
                match = directive.match(line)
                if not match:
                    continue
                name = match.group(1) or match.group(2)
                places = [root + name for root in ROOTS if path.startswith(root) or root == 'sdk/']
                if path.startswith(('text/', 'runtime/', 'tools/')):
                    places.append(name)  # -I$(srcdir), for text/
                if match.group(1):
                    places.insert(0, os.path.normpath(os.path.join(os.path.dirname(path), name)))
                rows += [(number, place) for place in places if place in known][:1]
    return found


def read_layers():
    """[(folder, folders that it may include)], and the circles that are allowed: [set of files]."""
    layers, circles = [], []
    for number, line in lines_of('layers.txt'):
        kind, _, rest = line.partition(':')
        if kind.startswith('circle'):
            circles.append(set(rest.split()))
            continue
        below = []
        for word in rest.split():
            if word == 'above':  # all rows so far of the same top folder
                below += [folder for folder, _ in layers if folder.split('/')[0] == kind.split('/')[0]]
            else:
                below.append(word)
        layers.append((kind.strip(), below))
    return layers, circles


def within(path, folder):
    return path.startswith(folder + '/')


def check_layers(files):
    layers, _ = read_layers()
    for path, rows in includes(files).items():
        of = [(folder, below) for folder, below in layers if within(path, folder)]
        if not of:
            wrong('%s: its folder is not in %s/layers.txt: add it, with what it may include' % (path, HERE))
            continue
        folder, below = max(of, key=lambda row: len(row[0]))
        for number, target in rows:
            if not within(target, folder) and not any(within(target, other) for other in below):
                wrong('%s:%d includes %s; %s may include itself%s (%s/layers.txt)' %
                      (path, number, target, folder, ''.join(', ' + other for other in below), HERE))


# ---- circles ---------------------------------------------------------------------------------------------------------

def circles_of(graph):
    """Strongly connected components of more than one node (Tarjan), without recursion."""
    index, low, on_stack, stack, found = {}, {}, set(), [], []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, rest = work[-1]
            for other in rest:
                if other not in graph:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(sorted(graph[other]))))
                    break
                if other in on_stack:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    members = []
                    while True:
                        members.append(stack.pop())
                        on_stack.discard(members[-1])
                        if members[-1] == node:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
    return found


def tell_circle(what, members, graph):
    wrong('%s: %d in a circle' % (what, len(members)))
    for member in members:
        print('    %s -> %s' % (member, ' '.join(sorted(graph[member] & set(members)))))


def folder_graph(found):
    """Folders by what their files include; a folder and one inside of it are one matter."""
    graph = collections.defaultdict(set)
    for path, rows in found.items():
        here = os.path.dirname(path)
        graph[here]
        for _, target in rows:
            there = os.path.dirname(target)
            if here != there and not within(here, there) and not within(there, here):
                graph[here].add(there)
    return graph


def include_graph(found):
    """Files by what they include."""
    graph = collections.defaultdict(set)
    for path, rows in found.items():
        graph[path] |= {target for _, target in rows} - {path}
        for _, target in rows:
            graph[target]
    return graph


def call_graph(build, part):
    """Objects of a part of the build by whose functions and data they use, from nm."""
    defines, uses = {}, {}
    for folder, _, names in os.walk(os.path.join(build, part)):
        for name in names:
            if not name.endswith('.o') or (os.path.basename(folder) != '.libs' and
                                           os.path.exists(os.path.join(folder, '.libs', name))):
                continue
            path = os.path.relpath(os.path.join(folder, name), build).replace('.libs/', '')
            path = os.path.join(os.path.dirname(path), os.path.basename(path).split('-', 1)[-1])[:-2]
            if not os.path.exists(path + '.c'):
                continue  # of a source that has gone
            out = subprocess.run(['nm', os.path.join(folder, name)], capture_output=True, text=True).stdout
            used = uses.setdefault(path, set())
            for line in out.splitlines():
                row = line.split()
                if len(row) == 2 and row[0] == 'U':
                    used.add(row[1])
                elif len(row) == 3 and row[1] in 'TDBRVWC':
                    defines.setdefault(row[2], path)
    return {path: {defines[name] for name in used if name in defines} - {path} for path, used in uses.items()}


def check_circles(files, build):
    _, allowed = read_layers()
    found = includes(files)
    for members in circles_of(folder_graph(found)):
        tell_circle('folders that include each other', members, folder_graph(found))
    graphs = [('files that include each other', include_graph(found))]
    if build:
        for part in ('runtime', 'plugins/cpu', 'plugins/dnnl', 'plugins/cann_sim', 'tools'):
            graphs.append(('files of %s that call each other' % part, call_graph(build, part)))
    for what, graph in graphs:
        for members in circles_of(graph):
            if len(members) > MOST_IN_CIRCLE and not any(set(members) <= circle for circle in allowed):
                tell_circle(what, members, graph)


# ---- folders and words -----------------------------------------------------------------------------------------------

def check_folders(files):
    for folder, n in sorted(collections.Counter(os.path.dirname(path) for path in files).items()):
        if n > MOST_FILES:
            wrong('%s has %d files; divide it: %d are as many as one looks through' % (folder or '.', n, MOST_FILES))


def check_words(files):
    rows = []
    for number, line in lines_of('words.txt'):
        word, field, where = [part.strip() for part in line.split(' => ')]
        rows.append((re.compile(word), field, re.compile(where)))
    for path in files:
        if path.startswith(HERE) or not re.search(r'\.(c|h|inc|cc|md|sh|py|mk|awk|in)$|^setup$', path):
            continue
        mine = [(word, field) for word, field, where in rows if where.match(path)]
        if not mine:
            continue
        with open(path, encoding='utf-8', errors='replace') as text:
            for number, line in enumerate(text, 1):
                for word, field in mine:
                    match = word.search(line)
                    if match:
                        wrong("%s:%d: '%s': say %s" % (path, number, match.group(0), field))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--objects', metavar='BUILD', help='a build folder, for circles of calls')
    parser.add_argument('checks', nargs='+', choices=('layers', 'circles', 'folders', 'words'))
    args = parser.parse_args()
    files = tracked()
    for check in args.checks:
        if check == 'layers':
            check_layers(files)
        elif check == 'circles':
            check_circles(files, args.objects)
        elif check == 'folders':
            check_folders(files)
        else:
            check_words(files)
    return 1 if mistakes else 0


if __name__ == '__main__':
    sys.exit(main())
