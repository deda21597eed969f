import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { took } from '../tool-calls/cpu-time.test-kit.ts'
import { detectLanguage, stubsIn } from './stub-signs.ts'

const linesOf = (path: string, source: string): readonly string[] | undefined => {
  const language = detectLanguage(path)
  return language === undefined ? undefined : stubsIn(source, language).map(({ line }) => line)
}

describe('stub detection', () => {
  it.each([
    ['src/a.rs', 'fn a() { todo!() }'],
    ['src/a.rs', '    unimplemented!("later")'],
    ['a.py', '    raise NotImplementedError'],
    ['a.py', '    raise NotImplementedError("later")'],
    ['a.py', '    pass  # TODO: implement'],
    ['a.ts', "  throw new Error('not implemented')"],
    ['a.ts', '  throw new Error("Not implemented yet")'],
    ['a.tsx', '  throw new Error(`parse: not implemented`)'],
    ['a.js', "  throw new TypeError('TODO')"],
    ['a.ts', '  throw new NotImplementedError()'],
    ['a.ts', '  // TODO: handle errors'],
    ['a.ts', '  // TODO'],
    ['a.ts', '  // TODO implement'],
    ['a.ts', '  return 0 // FIXME(me): real value'],
    ['a.ts', '  /* TODO: wire this up */'],
    ['a.ts', '  // placeholder'],
    ['a.ts', '  // This is just a placeholder for now'],
    ['a.ts', '  // Placeholder implementation'],
    ['a.ts', '  return null // stub'],
    ['a.ts', '  // not implemented yet'],
    ['a.go', '\tpanic("not implemented")'],
    ['a.go', '\treturn nil, errors.New("not implemented")'],
    ['a.kt', '    TODO("later")'],
    ['a.scala', '  def a: Int = ???'],
    ['A.cs', '    throw new NotImplementedException();'],
    ['A.java', '    throw new UnsupportedOperationException("Not implemented");'],
    ['a.swift', '    fatalError("not implemented")'],
    ['a.rb', '    # TODO: write it'],
    ['a.sql', '-- TODO: add the index'],
    ['a.html', '<!-- TODO: the form goes here -->'],
    ['a.vue', '<!-- placeholder -->'],
  ])('finds a stub in %s: %s', (path, line) => {
    expect(linesOf(path, `x\n${line}\ny`)).toEqual([line.trim()])
  })

  it.each([
    ['a.ts', "const PATTERNS = ['todo!()', 'unimplemented!()', 'TODO: x']"],
    ['a.ts', 'const todo = new TodoList() // todos are sorted by date'],
    ['a.ts', '// TODO items are kept in the order of their dates'],
    ['a.ts', '// counts lines that hold TODO: or FIXME:'],
    ['a.tsx', '<input placeholder="Not implemented" />'],
    ['a.tsx', "  placeholder={t('search')}"],
    ['a.css', 'input::placeholder { color: red }'],
    ['a.ts', '// A placeholder is shown while the list loads'],
    ['a.ts', '// replaces the placeholder in the template'],
    ['a.ts', '// the placeholder text of the field'],
    ['a.ts', "res.status(501).send('Not implemented')"],
    ['a.ts', 'class NotImplementedError extends Error {}'],
    ['a.ts', "if (error.message === 'not implemented') retry()"],
    ['a.ts', "throw new Error('the todo was not found')"],
    ['a.ts', '/// a URL: https://example.org/TODO: none'],
    ['a.rs', '/// Unlike `todo!()` this never panics.'],
    ['a.rs', 'println!("todo!()");'],
    ['a.rs', 'if name == "unimplemented!" { x() }'],
    ['a.py', '"""TODO: a docstring that speaks of raise NotImplementedError"""'],
    ['a.py', 'except NotImplementedError:'],
    ['a.py', 'return NotImplemented'],
    ['a.go', 'var ErrNotImplemented = errors.New("not implemented")'],
    ['a.kt', 'val list = todo.TODO(1)'],
    ['a.sql', 'insert into todo values (1)'],
    ['a.ts', 'const stub = sinon.stub(api)'],
    ['a.ts', '// implements the rest of the interface'],
  ])('finds none in %s: %s', (path, line) => {
    expect(linesOf(path, `x\n${line}\ny`)).toEqual([])
  })

  it.each([
    'README.md',
    'notes.txt',
    'TODO',
    'data.json',
    'config.yaml',
    'src/a.test.ts',
    'src/a_test.go',
    'tests/a.rs',
    'src/__tests__/a.ts',
    'test_a.py',
    'fixtures/a.py',
    'docs/a.ts',
    'types.d.ts',
    'src/ATest.java',
  ])('ignores %s', (path) => {
    expect(linesOf(path, 'todo!()\n// TODO: implement\nraise NotImplementedError')).toBeUndefined()
  })

  it('works wherever the project is', () => {
    expect(linesOf('/tmp/test-of-mine/src/a.rs', 'todo!()')).toEqual(['todo!()'])
    expect(linesOf('/home/me/tests/app/src/lib/a.rs', 'todo!()')).toEqual(['todo!()'])
  })

  it('ignores an abstract method', () => {
    expect(
      linesOf('a.py', 'class Shape(ABC):\n  @abstractmethod\n  def a(self):\n    raise NotImplementedError'),
    ).toEqual([])
    expect(linesOf('a.py', 'class BaseShape:\n  def a(self):\n    raise NotImplementedError')).toEqual([])
    expect(
      linesOf(
        'a.py',
        'class Base:\n  pass\nclass Round(Base):\n  def a(self):\n    raise NotImplementedError',
      ),
    ).toEqual(['raise NotImplementedError'])
  })

  it('distinguishes multi-line strings and comments from code', () => {
    expect(linesOf('a.ts', 'const a = `\n// TODO: x\n`\n')).toEqual([])
    expect(linesOf('a.rs', '/*\nfn a() { todo!() }\n*/\nfn b() {}')).toEqual([])
    expect(linesOf('a.ts', '/*\n * TODO: x\n */')).toEqual(['* TODO: x'])
  })

  it('accepts any text, in linear time', async () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'\'"`/*#\\\n TODO:stub{}<!-') }), (source) => {
        for (const path of ['a.ts', 'a.py', 'a.html', 'a.rs', 'a.sql']) linesOf(path, source)
      }),
    )
    for (const part of [
      "'",
      '"',
      '/*',
      '//TODO',
      'todo ',
      'todo\n',
      '`',
      '// TODO: x\n',
      "todo '\n",
      'throw new Error(',
      'class \n',
    ])
      for (const path of ['a.ts', 'a.py'])
        expect(await took(() => linesOf(path, `todo ${part.repeat(1_000_000 / part.length)}`))).toBeLessThan(
          3_000,
        )
  })
})
