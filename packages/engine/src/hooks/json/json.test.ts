import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { appendItem, appendMember, detectLayout, parseJson, removeChild } from './tree.ts'

const rootOf = (text: string) => {
  const parsed = parseJson(text)
  return parsed.ok && parsed.root.kind !== 'scalar' ? parsed.root : expect.fail('not a container')
}
const documents = fc.record({
  value: fc.dictionary(fc.string(), fc.jsonValue()),
  indent: fc.constantFrom('', '  ', '    ', '\t'),
  crlf: fc.boolean(),
  end: fc.constantFrom('', '\n', '\n\n'),
})
const written = ({
  value,
  indent,
  crlf,
  end,
}: {
  value: object
  indent: string
  crlf: boolean
  end: string
}) => {
  const text = JSON.stringify(value, null, indent) + end
  return crlf ? text.replaceAll('\n', '\r\n') : text
}

describe('the JSON tree', () => {
  it('parses what JSON.parse parses, with the same result', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        let expected = true
        try {
          JSON.parse(text)
        } catch {
          expected = false
        }
        expect(parseJson(text).ok).toBe(expected)
      }),
    )
  })

  it.each([
    ['{\n  "a": 1,\n}', 3, 1, 'a name in double quotes is expected here'],
    ['{\n  "a": tru\n}', 2, 8, 'tru is not a JSON value'],
    ['{"a": [1, 2}', 1, 12, '"," or "]" is expected here'],
    ['{} x', 1, 4, 'nothing may follow the end of the document'],
    ['{"a": "never ends', 1, 7, 'this text in quotes does not end'],
    ['{\n  // no\n}', 2, 3, 'a name in double quotes is expected here'],
  ])('locates the mistake in %j', (text, line, column, reason) => {
    const parsed = parseJson(text)
    expect(parsed).toMatchObject({ ok: false, line, column })
    expect(parsed.ok ? '' : parsed.reason).toContain(reason)
  })

  it('refuses hostile nesting', () => {
    expect(parseJson('['.repeat(100_000)).ok).toBe(false)
  })

  it('inserts a last member and restores the same bytes when it is removed', () => {
    fc.assert(
      fc.property(documents, fc.jsonValue(), (document, added) => {
        const text = written(document)
        const more = appendMember(text, rootOf(text) as never, 'added here', added, detectLayout(text))
        expect(JSON.parse(more)).toEqual({
          ...JSON.parse(text),
          'added here': JSON.parse(JSON.stringify(added)),
        })
        const root = rootOf(more)
        const back = removeChild(more, root, root.children.length - 1)
        expect(back).toBe(Object.keys(document.value).length === 0 ? text.replace(/\{\s*\}/, '{}') : text)
      }),
    )
  })

  it('keeps the formatting of a list', () => {
    const text = '{\n\t"list": [1, 2]\n}'
    const root = rootOf(text)
    const list = root.kind === 'object' ? root.children[0]?.value : undefined
    expect(appendItem(text, list as never, { a: 3 }, detectLayout(text))).toBe(
      '{\n\t"list": [1, 2, {"a":3}]\n}',
    )
  })
})
