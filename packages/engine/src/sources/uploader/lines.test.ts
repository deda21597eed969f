import { hash } from 'node:crypto'
import { type TranscriptChange, transcriptChange } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageOf } from '../../store/transcripts/transcripts.test-kit.ts'
import { Lines } from './lines.ts'
import { Remembered, type Told } from './remembered.ts'

const WHICH = { source: 'claude-code', id: 's', telling: 'now' }
const jsonOf = (text: string) => JSON.stringify(messageOf('s', text, text))
const told = (texts: readonly string[]): Told => ({
  telling: 'before',
  hashes: texts.map((text) => hash('sha256', jsonOf(text), 'base64url')),
})

/** The lines, checked as a hub checks them. */
function linesOf(texts: readonly string[], before?: Told): readonly TranscriptChange[] {
  const lines = new Lines(WHICH, before)
  const made = texts.flatMap((text) => [
    ...lines.add('messages', jsonOf(text), hash('sha256', jsonOf(text), 'base64url')),
  ])
  return [...made, ...lines.flushed()].map((line) => transcriptChange.parse(JSON.parse(line)))
}

/** What somebody makes of the lines who has what was told before. */
const understood = (lines: readonly TranscriptChange[], before: readonly string[]): readonly string[] => {
  const texts: string[] = []
  for (const line of lines) {
    expect('at' in line && line.at).toBe(texts.length)
    if (line.type === 'messages') texts.push(...line.messages.map(({ id }) => id))
    if (line.type === 'same') texts.push(...before.slice(line.from, line.from + line.count))
  }
  return texts
}

const numbered = (count: number, name = 'm') => Array.from({ length: count }, (_, n) => `${name}${n}`)

describe('upload lines', () => {
  it('refer to all unchanged messages in one line', () => {
    const before = numbered(1_000)
    expect(linesOf([...before, 'new'], told(before))).toMatchObject([
      { type: 'same', at: 0, of: 'before', from: 0, count: 1_000 },
      { type: 'messages', at: 1_000, messages: [{ id: 'new' }] },
    ])
  })

  it('contain only the changed messages between unchanged ones', () => {
    const before = [...numbered(300), ...numbered(200, 'agent')]
    const after = [...numbered(299), 'm299, changed', 'new', ...numbered(200, 'agent')]
    expect(linesOf(after, told(before))).toMatchObject([
      { type: 'same', from: 0, count: 299 },
      { type: 'messages', messages: [{ id: 'm299, changed' }, { id: 'new' }] },
      { type: 'same', at: 301, from: 300, count: 200 },
    ])
  })

  it('reproduce the session after any change', () => {
    const texts = fc.array(fc.constantFrom(...numbered(12)), { maxLength: 40 })
    fc.assert(
      fc.property(texts, texts, texts, texts, (head, old, now, tail) => {
        const before = [...head, ...old, ...tail]
        const after = [...head, ...now, ...tail]
        expect(understood(linesOf(after, told(before)), before)).toEqual(after)
      }),
    )
  })
})

describe('remembered uploads', () => {
  const of = (count: number): Told => ({ telling: 't', hashes: Array(count).fill('h') })

  it('are the most recent ones within a size limit, without short sessions', () => {
    const remembered = new Remembered()
    remembered.set('short', of(99))
    expect(remembered.get('short')).toBeUndefined()
    for (const key of ['a', 'b', 'a', 'c']) remembered.set(key, of(40_000))
    expect(['a', 'b', 'c'].filter((key) => remembered.get(key))).toEqual(['a', 'c'])
    remembered.set('huge', of(100_001))
    expect(['a', 'c', 'huge'].filter((key) => remembered.get(key))).toEqual(['a', 'c'])
    expect([remembered.delete('a'), remembered.delete('a')]).toEqual([true, false])
    for (const key of ['d', 'e']) remembered.set(key, of(30_000))
    expect(['c', 'd', 'e'].every((key) => remembered.get(key))).toBe(true)
  })
})
