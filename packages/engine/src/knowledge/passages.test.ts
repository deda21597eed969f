import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { passagesOf } from './passages.ts'

const told = (text: string) =>
  passagesOf(text, true).map(({ headings, text }) => [headings.join(' › '), text])

describe('passages of Markdown', () => {
  it('stand under their headings, however these are written', () => {
    const text = `before\n\n# Ship ##\n\nof wood\n\n## Mast\n\nof pine\n\nHull\n----\n\nof oak\r\n\r\nHarbour\n=======\nfar away`
    expect(told(text)).toEqual([
      ['', 'before'],
      ['Ship', 'of wood'],
      ['Ship › Mast', 'of pine'],
      ['Ship › Hull', 'of oak'],
      ['Harbour', 'far away'],
    ])
  })

  it('take nothing in code for a heading', () => {
    const code = '```sh\n# not a heading\n~~~\n```'
    expect(told(`# Run\n${code}\n# Stop\n~~~~\n# nor this\n~~~\n~~~~`)).toEqual([
      ['Run', code],
      ['Stop', '~~~~\n# nor this\n~~~\n~~~~'],
    ])
    expect(told('#hashtag\n\n---\n\ntext')).toEqual([['', '#hashtag\n\n---\n\ntext']])
  })

  it('are found by a heading that nothing stands under', () => {
    expect(told('# A\n## B\n## C\ntext\n# D')).toEqual([
      ['A › B', 'B'],
      ['A › C', 'text'],
      ['D', 'D'],
    ])
  })

  it('are short: paragraphs that fit are together, long ones are cut between words', () => {
    const paragraph = 'word '.repeat(80).trim()
    const found = passagesOf(`# A\n\n${[paragraph, paragraph, paragraph].join('\n\n')}`, true)
    expect(found.map(({ text }) => text)).toEqual([`${paragraph}\n\n${paragraph}`, paragraph])
    const long = passagesOf('word '.repeat(2_000), true)
    expect(long.every(({ text }) => text.length <= 1_000 && /^word .* word$/.test(text))).toBe(true)
    expect(long.map(({ text }) => text.split(' ').length).reduce((a, b) => a + b)).toBe(2_000)
  })
})

it('lose nothing but spaces, are never long, and stay whole characters', () => {
  const signs = fc.constantFrom('a', ' ', '\n', '\t', '字', '🎉', 'é', '。', '`')
  fc.assert(
    fc.property(fc.array(signs, { maxLength: 4_000 }), fc.boolean(), (list, isMarkdown) => {
      const text = list.join('')
      const found = passagesOf(text, isMarkdown)
      const plain = (whole: string) => whole.replace(/\s+/g, '')
      expect(plain(found.map((each) => each.text).join(''))).toBe(plain(text))
      for (const each of found)
        expect([each.text.length <= 1_000, each.text.isWellFormed()]).toEqual([true, true])
    }),
    { numRuns: 50 },
  )
})

it('take time that grows with the text alone', () => {
  const began = performance.now()
  for (const line of [
    '#'.repeat(100_000),
    ' '.repeat(100_000),
    '`'.repeat(100_000),
    '-'.repeat(100_000),
    '\n \t'.repeat(50_000),
  ])
    passagesOf(`${line}x\n${line}\n${line}`, true)
  expect(performance.now() - began).toBeLessThan(2_000)
})
