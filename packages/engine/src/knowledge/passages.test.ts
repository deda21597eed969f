import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitPassages } from './passages.ts'

const passages = (text: string) =>
  splitPassages(text, true).map(({ headings, text }) => [headings.join(' › '), text])

describe('Markdown passages', () => {
  it('carry their headings in any heading style', () => {
    const text = `before\n\n# Ship ##\n\nof wood\n\n## Mast\n\nof pine\n\nHull\n----\n\nof oak\r\n\r\nHarbour\n=======\nfar away`
    expect(passages(text)).toEqual([
      ['', 'before'],
      ['Ship', 'of wood'],
      ['Ship › Mast', 'of pine'],
      ['Ship › Hull', 'of oak'],
      ['Harbour', 'far away'],
    ])
  })

  it('ignore headings inside code', () => {
    const code = '```sh\n# not a heading\n~~~\n```'
    expect(passages(`# Run\n${code}\n# Stop\n~~~~\n# nor this\n~~~\n~~~~`)).toEqual([
      ['Run', code],
      ['Stop', '~~~~\n# nor this\n~~~\n~~~~'],
    ])
    expect(passages('#hashtag\n\n---\n\ntext')).toEqual([['', '#hashtag\n\n---\n\ntext']])
  })

  it('include headings without text of their own', () => {
    expect(passages('# A\n## B\n## C\ntext\n# D')).toEqual([
      ['A › B', 'B'],
      ['A › C', 'text'],
      ['D', 'D'],
    ])
  })

  it('join short paragraphs and cut long ones between words', () => {
    const paragraph = 'word '.repeat(80).trim()
    const found = splitPassages(`# A\n\n${[paragraph, paragraph, paragraph].join('\n\n')}`, true)
    expect(found.map(({ text }) => text)).toEqual([`${paragraph}\n\n${paragraph}`, paragraph])
    const long = splitPassages('word '.repeat(2_000), true)
    expect(long.every(({ text }) => text.length <= 1_000 && /^word .* word$/.test(text))).toBe(true)
    expect(long.map(({ text }) => text.split(' ').length).reduce((a, b) => a + b)).toBe(2_000)
  })
})

it('loses only whitespace, keeps passages short and characters whole', () => {
  const signs = fc.constantFrom('a', ' ', '\n', '\t', '字', '🎉', 'é', '。', '`')
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 4_000 }), fc.boolean(), (list, isMarkdown) => {
      const text = list.join('')
      const found = splitPassages(text, isMarkdown)
      const plain = (whole: string) => whole.replace(/\s+/g, '')
      expect(plain(found.map((each) => each.text).join(''))).toBe(plain(text))
      for (const each of found)
        expect([each.text.length <= 1_000, each.text.isWellFormed()]).toEqual([true, true])
    }),
    { numRuns: 50 },
  )
})

it('takes time linear in the text', () => {
  const began = performance.now()
  for (const line of [
    '#'.repeat(100_000),
    ' '.repeat(100_000),
    '`'.repeat(100_000),
    '-'.repeat(100_000),
    '\n \t'.repeat(50_000),
  ])
    splitPassages(`${line}x\n${line}\n${line}`, true)
  expect(performance.now() - began).toBeLessThan(2_000)
})
