# SPDX-License-Identifier: MIT
"""manual.py - writes what the man pages of section 3 have from the public headers; see manual.sh.

    manual.py HEADER... -- PAGE...          fails, with a diff, if a page is not what the headers say
    manual.py --write HEADER... -- PAGE...  writes the pages

A page says in a line `.\\" functions: PATTERN...` which functions it documents; the longest pattern that
matches a function wins. A type belongs to the page of its name, else to that of the function after it.
Between `.\\" begin PART` and `.\\" end`, the parts names, synopsis, functions and types are made here; all
else is written by hand.
"""

import difflib
import fnmatch
import re
import sys
import textwrap

PREPROCESSOR = re.compile(r'#(?:[^\n]*\\\n)*[^\n]*')
COMMENT = re.compile(r'/\*.*?\*/', re.S)
# a token of text that mdoc has a macro for, between punctuation: (before)(token)(after)
TOKEN = re.compile(r'^([(\["]*)(.*?)([)\].,:;"]*)$')
SENTENCE_END = re.compile(r'(?<=[.?!])\s+(?=[A-Z*`(\[])|(?<=[:])\s+(?=BP_E_)')

FUNCTIONS = set()  # names of all functions of the headers


class Item:
    """A declaration of a header with the comment before it."""

    def __init__(self, kind, name, text, comment, follows):
        self.kind = kind  # 'function' or 'type'
        self.name = name
        self.text = text
        self.comment = comment
        self.follows = follows  # shares the comment of the item before it
        self.page = None


def fail(text):
    sys.exit(f'FAILED: {text}')


# ---- reading headers -------------------------------------------------------------------------------


def comment_lines(comment):
    """The lines of a comment without its stars."""
    inner = comment[2:-2]
    lines = [re.sub(r'^\s*\* ?', '', line).rstrip() for line in inner.split('\n')]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    if lines:
        lines[0] = lines[0].lstrip()
    return lines


def end_of_declaration(text, at):
    """Where the declaration at this place ends: after its semicolon, or after the body of a function."""
    depth = 0
    is_function = text.startswith('static inline', at)
    while at < len(text):
        if text.startswith('/*', at):
            at = text.index('*/', at) + 2
            continue
        char = text[at]
        depth += (char == '{') - (char == '}')
        at += 1
        if depth == 0 and (char == ';' or (char == '}' and is_function)):
            return at
    fail('a declaration without an end')


def item_of(text, comment, follows):
    """What is declared by this text; None: nothing that a page shows."""
    if text.startswith(('BP_API', 'static inline')):
        prototype = text.split('{')[0] if text.startswith('static') else text.rstrip(';')
        prototype = re.sub(r'\b(BP_API|BP_CHECKED|static|inline)\b', ' ', prototype)
        prototype = ' '.join(prototype.split())
        name = re.match(r'[^(]*?(\w+)\s*\(', prototype).group(1)
        return Item('function', name, prototype, comment, follows)
    if text.startswith('typedef'):
        name = re.search(r'\(\*(\w+)\)|(\w+)\s*;$', text)
        return Item('type', name.group(1) or name.group(2), text, comment, follows)
    if text.startswith('enum'):
        return Item('type', '', text, comment, follows)
    if re.match(r'#define BP_(?!API|CHECKED)\w+ ', text):
        return Item('type', '', text, comment, follows)
    return None


def read_header(path):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    at = text.index('extern "C" {') + len('extern "C" {')
    at = text.index('#endif', at) + len('#endif')
    items, comment, is_fresh = [], None, True
    while True:
        space = re.compile(r'\s*').match(text, at).group()
        at += len(space)
        if at >= len(text) or text.startswith('#ifdef __cplusplus', at):
            return items
        if '\n\n' in space:
            is_fresh = True
        found = COMMENT.match(text, at)
        if found:
            at = found.end()
            if '\n' not in space and items and items[-1].comment is None:
                items[-1].comment = comment_lines(found.group())  # on the line of its declaration
            elif '\n' not in space and items and not items[-1].follows:
                items[-1].comment += comment_lines(found.group())
            else:
                comment, is_fresh = comment_lines(found.group()), False
                if '----' in found.group():
                    comment, is_fresh = None, True
            continue
        found = PREPROCESSOR.match(text, at)
        end = found.end() if found else end_of_declaration(text, at)
        declaration = text[at:end]
        at = end
        follows = comment is None and not is_fresh
        item = item_of(declaration, comment, follows)
        comment, is_fresh = None, False
        if item:
            items.append(item)


# ---- mdoc ------------------------------------------------------------------------------------------


def escape(text):
    if not text:
        return '\\&'
    text = text.replace('\\', '\\e')
    return '\\&' + text if text.startswith(('.', "'")) else text


def macro_of(token):
    """The macro line for a token, without punctuation; None: it is a word."""
    found = re.fullmatch(r'(bp_\w+)(\(\))?', token)
    if found and (found.group(2) or found.group(1) in FUNCTIONS):
        return f'Fn {found.group(1)}'
    if found:
        return f'Vt {token}'
    if token == 'NULL' or re.fullmatch(r'(BP|BACKPLANE)_[A-Z0-9_]+', token):
        return f'Dv {token}'
    if re.fullmatch(r'`[\w]+`', token):
        return f'Fa {token[1:-1]}'
    if re.fullmatch(r'bp_\w+(\.\w+)+', token):
        return f'Va {token}'
    found = re.fullmatch(r'([a-z][\w-]*)\(([1-8])\)', token)
    if found:
        return f'Xr {found.group(1)} {found.group(2)}'
    return None


def sentence(text):
    """A sentence as lines of mdoc."""
    lines, words = [], []

    def flush():
        for line in textwrap.wrap(' '.join(words), 100, break_long_words=False,
                                  break_on_hyphens=False):
            lines.append(escape(line))
        words.clear()

    for word in text.split():
        before, token, after = TOKEN.match(word).groups()
        if after.startswith(')') and token.endswith('('):
            token, after = token + ')', after[1:]
        found = re.match(r'(\w[\w-]*\([1-8])$', token)
        if found and after.startswith(')'):
            token, after = token + ')', after[1:]
        macro = macro_of(token)
        if not macro or '"' in before + after:
            words.append(word)
            continue
        flush()
        call = ' '.join([*macro.split(' '), *after])
        lines.append(f'.No {" ".join(before)} Ns {call}' if before else f'.{call}')
    flush()
    return lines


def paragraphs(lines):
    """Text of a comment as mdoc: sentences on lines of their own, code that is indented as it is."""
    out, text, code = [], [], []

    def flush():
        if text:
            if out:
                out.append('.Pp')
            joined = ' '.join(' '.join(text).split())
            joined = re.sub(r'(^|(?<=[.)]) )\[([a-z][^\]]*)\]', r'\1Threads: \2.', joined)
            for part in SENTENCE_END.split(joined):
                out.extend(sentence(part))
            text.clear()
        if code:
            while not code[-1]:
                code.pop()
            out.append('.Bd -literal -offset indent')
            out.extend(escape(line) for line in code)
            out.append('.Ed')
            code.clear()

    for line in lines:
        if line.startswith('    '):
            if text:
                flush()
            code.append(line[4:])
        elif code and not line:
            code.append('')
        elif not line:
            flush()
        else:
            if code:
                flush()
            text.append(line)
    flush()
    return out


def split_arguments(text):
    """The arguments of a prototype; commas in parentheses part none."""
    out, depth, part = [], 0, ''
    for char in text:
        depth += (char == '(') - (char == ')')
        if char == ',' and depth == 0:
            out.append(part.strip())
            part = ''
        else:
            part += char
    return out + [part.strip()]


def names(page):
    found = [item.name for item in page.functions]
    if page.name not in found:
        found.insert(0, page.name)
    return [f'.Nm {name} ,' for name in found[:-1]] + [f'.Nm {found[-1]}']


def synopsis(page):
    out = []
    for item in page.functions:
        found = re.fullmatch(r'(.*?[\s*])(\w+)\s*\((.*)\)', item.text)
        result, name, arguments = found.groups()
        result = result.strip()
        out.append(f'.Ft "{result}"' if ' ' in result else f'.Ft {result}')
        out.append(f'.Fo {name}')
        out.extend(f'.Fa "{argument}"' for argument in split_arguments(arguments))
        out.append('.Fc')
    return out


def functions(page):
    out = ['.Bl -tag -width Ds']
    for item in page.functions:
        out.append(f'.It Fn {item.name}')
        if item.comment:
            out.extend(paragraphs(item.comment))
        elif item.shared:
            out.extend(['As', f'.Fn {item.shared} .'])
    return out + ['.El']


def types(page):
    out = []
    for item in page.types:
        if out:
            out.append('.Pp')
        if item.comment:
            out.extend(paragraphs(item.comment))
        out.append('.Bd -literal')
        out.extend(escape(line) for line in item.text.split('\n'))
        out.append('.Ed')
    return out


PARTS = {'names': names, 'synopsis': synopsis, 'functions': functions, 'types': types}


# ---- pages -----------------------------------------------------------------------------------------


class Page:
    def __init__(self, path):
        self.path = path
        self.name = re.sub(r'\.3$', '', path.rsplit('/', 1)[-1])
        with open(path, encoding='utf-8') as file:
            self.lines = file.read().split('\n')
        self.patterns = [pattern for line in self.lines if line.startswith('.\\" functions: ')
                         for pattern in line.split()[2:]]
        if not self.patterns:
            fail(f'{path} does not say which functions it documents')
        self.functions = []
        self.types = []

    def made(self):
        out, is_skipping, parts = [], False, set()
        for line in self.lines:
            found = re.fullmatch(r'\.\\" begin (\w+)', line)
            if found:
                out.append(line)
                out.extend(PARTS[found.group(1)](self))
                parts.add(found.group(1))
                is_skipping = True
            elif line == '.\\" end':
                is_skipping = False
            if not is_skipping:
                out.append(line)
        missing = set(PARTS) - parts - (set() if self.types else {'types'})
        if missing or is_skipping:
            fail(f'{self.path} has no place for: {", ".join(sorted(missing)) or "an end"}')
        return out


def page_of(name, pages):
    found = [(len(pattern), page) for page in pages for pattern in page.patterns
             if fnmatch.fnmatchcase(name, pattern)]
    if not found:
        fail(f'no page has a pattern for {name}: add it to a line "functions:" in docs/*.3')
    return max(found, key=lambda pair: pair[0])[1]


def assign(items, pages):
    by_name = {page.name: page for page in pages}
    after, shared = None, None
    for item in reversed(items):
        if item.kind == 'function':
            item.page = after = page_of(item.name, pages)
        else:
            item.page = by_name.get(item.name) or after
    for item in items:
        if item.kind == 'function':
            if item.comment:
                shared = item.name
            item.shared = shared if not item.comment else None
            item.page.functions.append(item)
        elif item.page:
            item.page.types.append(item)
        else:
            fail(f'{item.name or item.text.splitlines()[0]} has no function after it and no page')


def main():
    arguments = sys.argv[1:]
    is_writing = arguments[0] == '--write'
    arguments = arguments[is_writing:]
    gap = arguments.index('--')
    pages = [Page(path) for path in arguments[gap + 1:]]
    items = [item for path in arguments[:gap] for item in read_header(path)]
    FUNCTIONS.update(item.name for item in items if item.kind == 'function')
    assign(items, pages)
    is_due = False
    for page in pages:
        made = page.made()
        if made == page.lines:
            continue
        is_due = True
        if is_writing:
            with open(page.path, 'w', encoding='utf-8') as file:
                file.write('\n'.join(made))
        else:
            print('\n'.join(difflib.unified_diff(page.lines, made, page.path, 'the headers', lineterm='')))
    if is_due and not is_writing:
        fail("man pages are not what the headers say; run 'make update-manual'")


main()
