import type { CountedRow } from '@panoptes/engine/sources'
import { describe, expect, it } from 'vitest'
import { HermesMessages } from './hermes-input.ts'

interface Fields {
  readonly role?: unknown
  readonly content?: unknown
  readonly time?: unknown
  readonly calls?: unknown
  readonly tool?: unknown
}

let id = 0n
const row = ({ role = 'assistant', content = null, time, calls = null, tool = null }: Fields): CountedRow => {
  id += 1n
  return [id, role, content, time ?? Number(id), null, calls, tool] as unknown as CountedRow
}
const told = (fields: Fields) => new HermesMessages().toMessage(row(fields))
const skippedOf = (fields: Fields) => {
  const reader = new HermesMessages()
  expect(reader.toMessage(row(fields))).toBeUndefined()
  return reader.skipped.map(({ reason }) => reason)
}

describe('row of Hermes', () => {
  it('calls the tools in its list, and its own tool unless it is a result', () => {
    const calls = JSON.stringify([
      { name: 'a', function: { name: 'not this' } },
      { function: { name: 'b' } },
      { function: {} },
      'no object',
      null,
      [{ name: 'nested' }],
      { name: '', function: { name: 'c' } },
    ])
    expect(told({ calls, tool: 'own' })?.calls).toEqual(['own', 'a', 'b', 'c'])
    expect(told({ role: 'tool', tool: 'own' })).toMatchObject({ calls: [], result: 'own' })
  })

  it('has no calls if the list cannot be parsed', () => {
    for (const calls of ['not json', '[{"name": "a"}', ''])
      expect(told({ content: 'text', calls })).toEqual({ text: 'text', calls: [] })
    expect(told({ calls: '{"name": "a"}' })?.calls).toEqual([])
    expect(told({ calls: '[{"name": "a", "x": NaN}]' })?.calls).toEqual(['a'])
  })

  it('is skipped and reported if a name is not text', () => {
    expect(skippedOf({ calls: '[{"function": "text"}]' })).toEqual(['a call has no function'])
    expect(skippedOf({ calls: '[{"name": 7}]' })).toEqual(['the name of a call is not text'])
    expect(skippedOf({ calls: '[{"function": {"name": ["x"]}}]' })).toEqual([
      'the name of a call is not text',
    ])
    expect(skippedOf({ tool: Buffer.from('x') })).toEqual(['the name of its tool is not text'])
    expect(skippedOf({ content: 99_999_999n })).toEqual(['its text is too long to read'])
    expect(skippedOf({ content: Buffer.from('x') })).toEqual(['its text is not a string'])
  })

  it('has the text that Python would write for structured content', () => {
    const structured = (json: string) => told({ content: `\u0000json:${json}` })?.text
    expect(structured('[{"type":"text","text":"café"}]')).toBe('[{"type": "text", "text": "caf\\u00e9"}]')
    expect(structured('"plain"')).toBe('plain')
    expect(structured('{broken')).toBe('\u0000json:{broken')
  })

  it('counts once if compaction carried it over, in a session of any length', () => {
    const reader = new HermesMessages()
    const long = 'x'.repeat(3_000_000)
    const texts = ['a', long, `${long}y`, 'b'].map((content, time) => ({ content, time }))
    const first = texts.map((fields) => reader.toNewMessage(row(fields)))
    const again = texts.map((fields) => reader.toNewMessage(row(fields)))
    expect(first.every((one) => one !== undefined)).toBe(true)
    expect(again).toEqual(texts.map(() => undefined))
    expect(reader.toNewMessage(row({ content: 'a', time: 0, role: 'user' }))).toBeDefined()
    expect(reader.toNewMessage(row({ content: 'b', time: 9 }))).toBeDefined()
  })
})
