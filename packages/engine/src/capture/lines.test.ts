import type { NewEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keysOf, setUp, start } from './normalise.test-kit.ts'

describe('a mixture of good and bad lines', () => {
  const fieldName = fc.string({ maxLength: 12 }).filter((name) => !envelope.has(name))
  const envelope = new Set(['v', 'key', 'ts', 'event', 'source', 'host', 'session_id', 'seq', 'redacted'])
  const good = fc
    .tuple(
      fc.dictionary(fieldName, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 }),
      fc.stringMatching(/^novel_[a-z]{1,8}$/),
      fc.stringMatching(/^[a-z0-9]{1,10}$/),
    )
    .map(([fields, event, session_id]) => ({ ...fields, event, session_id }))
  const bad = fc.constantFrom('nope', '[1]', '{', '7', 'null', '{"event":"prompt"}', '{"session_id":"s"}')
  const isGood = (line: unknown): line is Record<string, unknown> => typeof line === 'object'

  it('keeps the good lines in order with unknown fields, and reports each bad one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(good, bad), { maxLength: 20 }), async (lines) => {
        const text = lines.map((line) => (isGood(line) ? JSON.stringify(line) : line)).join('\n')
        const { events, rejected } = await setUp().readText(text)
        const expected = lines.filter(isGood)
        expect(events.map(withoutEnvelope)).toEqual(
          expected.map((line) => withoutEnvelope(JSON.parse(JSON.stringify(line)))),
        )
        const badLines = lines.flatMap((line, index) => (isGood(line) ? [] : [index + 1]))
        expect(rejected.map((line) => line.line)).toEqual(badLines)
      }),
    )
  })

  it('gets the same keys however it is split, and when it is sent again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(good, { maxLength: 12 }), fc.nat(12), async (lines, cut) => {
        const { read } = setUp()
        const whole = keysOf(await read(...lines))
        const parts = [
          ...keysOf(await read(...lines.slice(0, cut))),
          ...keysOf(await read(...lines.slice(cut))),
        ]
        expect(parts).toEqual(whole)
      }),
    )
  })

  function withoutEnvelope(event: NewEvent | Record<string, unknown>) {
    return Object.entries(event)
      .filter(([name]) => !envelope.has(name) || name === 'event' || name === 'session_id')
      .sort(([a], [b]) => (a < b ? -1 : 1))
  }
})

describe('hostile bodies', () => {
  it('are rejected when one line is far too long, whatever it starts with', async () => {
    for (const begin of [' ', 'x', '😀']) {
      const { rejected } = await setUp().readText(`${begin.repeat(1_000_000)}{}\n${JSON.stringify(start)}`)
      expect(rejected).toEqual([{ line: 1, path: '', reason: 'is longer than 256 KB' }])
    }
  })

  const open = '{"event":"x","session_id":"s","a":'
  it.each([
    ['blank lines', '\n'.repeat(2_000_000)],
    ['spaces', ' '.repeat(2_000_000)],
    ['brackets', '['.repeat(1_000_000)],
    ['open objects', `${open}`.repeat(60_000)],
    ['quotes', `"`.repeat(1_000_000)],
    ['half lines', '{\n'.repeat(500_000)],
    ['empty objects', '{}\n'.repeat(200_000)],
    ['words', 'x\n'.repeat(100_000)],
    ['assignments', `${open}"${'token:'.repeat(40_000)}"}\n`.repeat(4)],
    [
      'wide objects',
      `{"event":"x","session_id":"s",${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}\n`.repeat(
        5,
      ),
    ],
  ])('of %s parse in linear time', async (_name, body) => {
    // CPU time of this process, so that other work on the computer does not count.
    const before = process.threadCpuUsage()
    await setUp().readText(body)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })
})
