#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""schemas.py - holds JSON that the programs wrote against docs/schema/. See schemas.sh.

    schemas.py SCHEMAS SOURCES NAMES DOCUMENTS [PLACE...]   checks the schemas, then the documents
    schemas.py --write SCHEMAS NAMES                        writes what the schemas have in common

NAMES is the output of print_names. DOCUMENTS has a folder for each schema, with documents; in a
file that ends in .jsonl each line is one. PLACE: "report:groups[].run_ns", a member that no
document need have. Exit status 77 is a skip.
"""
import copy
import json
import pathlib
import re
import sys

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: no Python module jsonschema: install Debian's python3-jsonschema")
    sys.exit(77)

HEAD = ('$schema', '$id', 'title', 'description', '$defs')
NAMES = {'provider_facts': 'provider'}  # of $defs that are a part of a document
LINE = 100  # columns up to which a list or an object stays on one line

# Words of the tools: a member of a schema, and the function or table that has all its values.
WORDS = (
    ('report:providers[].fallback', 'runtime/report/json.c', 'fallback_names'),
    ('report:groups[].program', 'runtime/report/json.c', 'program_name'),
    ('provider:state', 'tools/providers/text.c', 'provider_state'),
    ('provider:options[].type', 'tools/providers/text.c', 'provider_option_type'),
    ('provider:device_list[].kind', 'tools/providers/text.c', 'provider_device_kind'),
    ('doctor:allow_list.mode', 'tools/providers/text.c', 'provider_allow_mode'),
    ('verify:allow_list.mode', 'tools/providers/text.c', 'provider_allow_mode'),
    ('verify:plug_ins[].result', 'tools/plugins/verify.c', 'result_of'),
    ('known-providers:known_providers[].home', 'tools/providers/known.c', 'home_name'),
    ('bench-compare:verdict', 'tools/bench/compare_print.c', 'verdicts'),
    ('conform:results[].result', 'tools/conform/print.c', 'outcome_word'),
    ('check:result', 'tools/check/report.c', 'level_name'),
    ('check:tests[].result', 'tools/check/report.c', 'names'),
)

# Members that no document of this test need have, with the reason.
UNSEEN = {
    'value_info:sparse': 'no model has a sparse input',
}

failures = []


def fail(text):
    failures.append(text)
    print(f'FAILED: {text}', file=sys.stderr)


# ---- the files of schemas ------------------------------------------------------------------------

def layout(value, indent=0):
    """JSON with short lists and objects on one line."""
    flat = json.dumps(value)
    if len(flat) + indent + 20 <= LINE or not isinstance(value, (dict, list)) or not value:
        return flat
    pad = ' ' * (indent + 2)
    if isinstance(value, list):
        if all(not isinstance(item, (dict, list)) for item in value):
            lines, line = [], ''
            for item in value:
                word = json.dumps(item)
                if line and len(line) + len(word) + indent + 5 > LINE:
                    lines.append(line)
                    line = ''
                line += (', ' if line else '') + word
            return '[\n' + ',\n'.join(pad + line for line in lines + [line]) + \
                '\n' + ' ' * indent + ']'
        rows = [layout(item, indent + 2) for item in value]
        return '[\n' + ',\n'.join(pad + row for row in rows) + '\n' + ' ' * indent + ']'
    rows = [f'{json.dumps(key)}: {layout(item, indent + 2)}' for key, item in value.items()]
    return '{\n' + ',\n'.join(pad + row for row in rows) + '\n' + ' ' * indent + '}'


def read_schemas(folder):
    return {path.name[:-len('.schema.json')]: json.loads(path.read_text('utf-8'))
            for path in sorted(pathlib.Path(folder).glob('*.schema.json'))}


def read_names(path):
    names = {}
    for line in pathlib.Path(path).read_text('utf-8').splitlines():
        kind, name = line.split(' ', 1)
        names.setdefault(kind, []).append(name)
    return names


def body(schema):
    return {key: value for key, value in schema.items() if key not in HEAD}


def shared(schemas, names):
    """What $defs have to hold, by their names: words of the library, and whole documents."""
    wanted = {kind: {'enum': words} for kind, words in names.items()}
    wanted['report'] = body(schemas['report'])
    wanted['explanation'] = body(schemas['explanation'])
    facts = copy.deepcopy(body(schemas['provider']))
    for key in ('schema', 'operators'):
        del facts['properties'][key]
    facts['required'].remove('schema')
    wanted['provider_facts'] = facts
    return wanted


def write(folder, names):
    """Copies what several schemas have in common to where it is needed, in the usual layout."""
    schemas = read_schemas(folder)
    wanted = shared(schemas, names)
    for name, schema in schemas.items():
        for key, part in schema.get('$defs', {}).items():
            if key in wanted:
                text = part['description'] if 'description' in part else None
                part.clear()
                part.update({'description': text} if text else {}, **wanted[key])
        path = pathlib.Path(folder) / f'{name}.schema.json'
        path.write_text(layout(schema) + '\n', 'utf-8')


def check_shared(schemas, names):
    wanted = shared(schemas, names)
    found = {}
    for name, schema in schemas.items():
        for key, part in schema.get('$defs', {}).items():
            rest = {k: v for k, v in part.items() if k != 'description'}
            if key in wanted and rest != wanted[key]:
                fail(f"'{key}' in {name}.schema.json is out of date: run 'make update-schemas'")
            other, of_other = found.setdefault(key, (part, name))
            if part != other:
                fail(f"'{key}' differs between {name}.schema.json and {of_other}.schema.json")
    for kind in names:
        if kind not in found:
            fail(f'no schema lists the words of the library for: {kind}')


def resolve(root, schema, place=''):
    """Follows references, and takes the alternative that is not null; the place's name follows."""
    while True:
        if '$ref' in schema:
            name = schema['$ref'].removeprefix('#/$defs/')
            schema = root['$defs'][name]
            if 'properties' in schema or 'items' in schema:
                place = NAMES.get(name, name) + ':'
        elif 'anyOf' in schema:
            schema = next(s for s in schema['anyOf'] if s.get('type') != 'null')
        else:
            return schema, place


def below(place, key):
    return place + key if place.endswith(':') else f'{place}.{key}'


def members(root, schema, place):
    """All members of a schema, as (place, schema). A place is "report:groups[].copies"."""
    schema, place = resolve(root, schema, place)
    if 'items' in schema:
        yield from members(root, schema['items'], place + '[]')
    for key, value in schema.get('properties', {}).items():
        yield below(place, key), value
        yield from members(root, value, below(place, key))


def check_object(place, schema):
    if 'properties' in schema and schema.get('additionalProperties') is not False:
        fail(f'{place} takes any member')
    if 'properties' in schema and 'required' not in schema:
        fail(f'{place} requires no member')
    if schema.get('type') == 'object' and not ({'properties', 'additionalProperties'} & set(schema)):
        fail(f'{place} does not say what it holds')
    if 'array' in str(schema.get('type')) and 'items' not in schema:
        fail(f'{place} does not say what it lists')


def check_form(name, root):
    """Head, descriptions, and closed objects."""
    Draft202012Validator.check_schema(root)
    for key in HEAD[:4]:
        if not root.get(key):
            fail(f'{name}.schema.json has no {key}')
    if root['$schema'] != 'https://json-schema.org/draft/2020-12/schema':
        fail(f'{name}: not a schema of draft 2020-12')
    if not re.fullmatch(rf'urn:backplane:schema:{name}:[0-9]+', root['$id']):
        fail(f"{name}: its $id is {root['$id']}")
    const = root.get('properties', {}).get('schema', {}).get('const')
    version = root['$id'].rsplit(':', 1)[1]
    if root['type'] == 'object' and const != f'{name}/{version}':
        fail(f"{name}: its documents call themselves {const}, its $id is {root['$id']}")
    check_object(name, root)
    for place, schema in members(root, root, f'{name}:'):
        plain = resolve(root, schema)[0]
        if not schema.get('description', plain.get('description')):
            fail(f'{place} has no description')
        check_object(place, plain)
        if 'items' in plain:
            check_object(place + '[]', resolve(root, plain['items'])[0])
    used = set(re.findall(r'"\$ref": "#/\$defs/(\w+)"', json.dumps(root)))
    if used != set(root.get('$defs', {})):
        fail(f"{name}: $defs are not those in use: {used ^ set(root.get('$defs', {}))}")


def strings_of(source, what):
    """The strings in the function or table of that name in a file of C."""
    found = re.search(rf'\b{what}(\([^;{{]*\)\s*\{{.*?^\}}|(\[\w*\])+ = \{{.*?\}};)', source,
                      re.DOTALL | re.MULTILINE)
    return set(re.findall(r'"((?:[^"\\]|\\.)*)"', found.group(0))) if found else set()


def check_words(schemas, sources):
    for place, file, what in WORDS:
        source = (pathlib.Path(sources) / file).read_text('utf-8')
        words = strings_of(source, what)
        root = schemas[place.split(':')[0]]
        schema = dict(members(root, root, place.split(':')[0] + ':')).get(place, {})
        listed = {word for word in schema.get('enum', ()) if word is not None}
        if not words or words != listed:
            fail(f'{place} lists {sorted(listed)}, {what} in {file} has {sorted(words)}')


# ---- documents -----------------------------------------------------------------------------------

def read_documents(folder):
    for path in sorted(folder.iterdir()):
        text = path.read_text('utf-8')
        for number, part in enumerate(text.splitlines() if path.suffix == '.jsonl' else [text]):
            try:
                yield f'{path.name}:{number}', json.loads(part)
            except ValueError as error:
                fail(f'{folder.name}/{path.name} is not JSON: {error}: {part[:200]!r}')


def walk(root, schema, value, place, path, visit):
    """Calls visit(place, path, schema, value) for each part of a document."""
    visit(place, path, schema, value)
    schema, place = resolve(root, schema, place)
    if isinstance(value, dict):
        for key, item in value.items():
            if key in schema.get('properties', {}):
                walk(root, schema['properties'][key], item, below(place, key), path + (key,), visit)
    elif isinstance(value, list) and 'items' in schema:
        for i, item in enumerate(value):
            walk(root, schema['items'], item, place + '[]', path + (i,), visit)


def changed(document, path, change):
    made = copy.deepcopy(document)
    if not path:
        return change(made)
    at = made
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = change(at[path[-1]])
    return made


def without(key):
    return lambda value: {k: v for k, v in value.items() if k != key}


def faults_of(root, schema, value):
    """What must not be in the place of a valid value: (words, function that changes it)."""
    plain = resolve(root, schema)[0]
    if isinstance(value, dict) and 'properties' in plain:
        yield 'an unknown member', lambda v: {**v, 'unknown': 1}
        for key in plain['required']:
            yield f'no {key}', without(key)
    yield 'another type', lambda v: [[v]]
    if 'enum' in plain or 'const' in plain:
        yield 'an unknown word', lambda v: 'no such word'


def check_refusals(name, root, validator, document, done):
    """A fault at each place of a valid document is refused: the schema can say no."""
    def visit(place, path, schema, value):
        if place in done:
            return
        done.add(place)
        for words, change in faults_of(root, schema, value):
            if validator.is_valid(changed(document, path, change)):
                fail(f'{name}.schema.json takes {words} at {place}')
    walk(root, root, document, f'{name}:', (), visit)


def check_documents(name, root, folder, seen):
    """Validates documents, and puts each place that has another value than null into `seen`."""
    validator = Draft202012Validator(root)
    done, count = set(), 0

    def visit(place, path, schema, value):
        seen.setdefault(place, False)
        if value is not None:
            seen[place] = True

    for title, document in read_documents(folder):
        count += 1
        errors = sorted(validator.iter_errors(document), key=lambda error: len(error.path))
        for error in errors[:5]:
            place = '/'.join(str(step) for step in error.absolute_path)
            fail(f'{name}/{title}: at /{place}: {error.message[:500]}')
        walk(root, root, document, f'{name}:', (), visit)
        if not errors:
            check_refusals(name, root, validator, document, done)
    print(f'{name}: {count} documents, {len(done)} places')
    if count == 0:
        fail(f'{name}: no document')


def check_places(schemas, seen, unseen):
    """Each member that a schema describes is in a document, so that no schema outlives its code."""
    for name, root in schemas.items():
        for place, _ in members(root, root, f'{name}:'):
            if not seen.get(place) and place not in unseen:
                unseen[place] = ''
                fail(f'no document has {place}' + (' but as null' if place in seen else ''))


def main(arguments):
    if arguments and arguments[0] == '--write':
        write(arguments[1], read_names(arguments[2]))
        return 0
    schemas_folder, sources, names, documents, *unseen = arguments
    schemas, seen = read_schemas(schemas_folder), {}
    for name, schema in schemas.items():
        check_form(name, schema)
    check_shared(schemas, read_names(names))
    check_words(schemas, sources)
    for folder in pathlib.Path(documents).iterdir():
        if folder.name not in schemas:
            fail(f'documents of no schema: {folder.name}')
    for name, schema in schemas.items():
        folder = pathlib.Path(documents) / name
        if folder.is_dir():
            check_documents(name, schema, folder, seen)
        else:
            fail(f'{name}: no document')
    check_places(schemas, seen, {**UNSEEN, **{place: 'by the caller' for place in unseen}})
    return 1 if failures else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
