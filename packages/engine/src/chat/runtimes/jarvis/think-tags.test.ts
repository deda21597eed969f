import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ThinkTags } from './model-call.ts'

const split = (...pieces: readonly string[]) => {
  const tags = new ThinkTags()
  const all = [...pieces.flatMap((piece) => [...tags.take(piece)]), ...tags.end()]
  const of = (type: string) => all.filter((one) => one.type === type).map(({ delta }) => delta)
  return { text: of('text').join(''), reasoning: of('reasoning').join('') }
}

describe('think tags', () => {
  it('at the beginning are removed from the answer', () => {
    expect(split('<think>\nIt is 4.</think>\n\nFour.')).toEqual({ text: 'Four.', reasoning: 'It is 4.' })
    expect(split(' <Thinking>a</thinking>b')).toEqual({ text: 'b', reasoning: 'a' })
  })
  it('anywhere else are text', () => {
    const said = 'Write <think>x</think> before it.'
    expect(split(said)).toEqual({ text: said, reasoning: '' })
  })
  it('that never close are thoughts to the end', () => {
    expect(split('<think>on and on')).toEqual({ text: '', reasoning: 'on and on' })
  })
  it('are not confused with text that only begins like a tag', () => {
    for (const said of ['<th', '<table>', '<', '   ', '<thinker>'])
      expect(split(said)).toEqual({ text: said, reasoning: '' })
  })
  it('are found however the text is split', () => {
    const said = '\n<think>a <b> </thin c</think>\n\nThe </think> answer.'
    const whole = split(said)
    expect(whole).toEqual({ text: 'The </think> answer.', reasoning: 'a <b> </thin c' })
    fc.assert(
      fc.property(fc.array(fc.nat(said.length), { maxLength: 20 }), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), said.length]
        expect(split(...cuts.map((from, at) => said.slice(from, cuts[at + 1] ?? said.length)))).toEqual(whole)
      }),
    )
  })
})
