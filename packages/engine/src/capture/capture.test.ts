import { failure, type RejectedLine, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { setUp, start } from './normalise.test-kit.ts'

describe('the time of an event', () => {
  const { capture } = setUp()

  it('is never later than now for events from agent files', () => {
    const written = (ts: number) =>
      capture.written([{ event: 'prompt', source: 'claude-code', session_id: 's1', key: `k${ts}`, ts }])
    expect(written(999_000)).toMatchObject([{ ts: 999_000, via: 'transcript' }])
    expect(written(2_000_000)).toMatchObject([{ ts: 1_000_000 }])
  })

  it("is the hook's own time within five minutes before its arrival", () => {
    const hear = (ts?: number) => {
      const notice = {
        event: 'notice',
        source: 'mine',
        session_id: 's1',
        ...(ts === undefined ? {} : { ts }),
      }
      const reader = { source: 'mine', read: () => ({ events: [notice] }) }
      return capture.hook(reader, JSON.stringify({ ts }), 1_000_000)[0]?.ts
    }
    expect([hear(), hear(900_000), hear(1), hear(1_000_001)]).toEqual([
      1_000_000, 900_000, 700_000, 1_000_000,
    ])
  })
})

describe('reading event lines', () => {
  it('completes a line with the envelope first and the other fields in order', async () => {
    const { events } = await setUp().read({
      zebra: 1,
      tool: 'Bash',
      id: 't1',
      event: 'tool_use',
      session_id: 's1',
      apple: 2,
    })
    expect(JSON.stringify(events[0])).toBe(
      '{"v":1,"key":"custom:s1:t1:tool_use","ts":1000000,"event":"tool_use","source":"custom","host":"here",' +
        '"session_id":"s1","zebra":1,"tool":"Bash","id":"t1","apple":2}',
    )
  })

  it('accepts ISO 8601 and milliseconds, and keeps source and host', async () => {
    const { events } = await setUp().read({
      ...start,
      ts: '2026-01-02T03:04:05Z',
      source: 'mine',
      host: 'there',
    })
    expect(events[0]).toMatchObject({ ts: Date.UTC(2026, 0, 2, 3, 4, 5), source: 'mine', host: 'there' })
  })

  it('accepts 0 and 1 as success of a skill and counts two ids as two uses', async () => {
    const use = { event: 'skill_use', skill: 'tidy', session_id: 's1' }
    const { events, rejected } = await setUp().read(
      { ...use, id: 'a', success: 1 },
      { ...use, id: 'b', success: 0 },
      { ...use, id: 'c', success: 2 },
    )
    expect(events).toMatchObject([
      { success: true, key: 'custom:s1:a:skill_use' },
      { success: false, key: 'custom:s1:b:skill_use' },
    ])
    expect(rejected).toMatchObject([{ path: 'success' }])
  })

  it('accepts any source name and defaults a null source', async () => {
    const { events, rejected } = await setUp().read(
      { ...start, source: 'My Agent 2.0' },
      { ...start, source: null },
      { ...start, source: 'a\u001fb' },
      { ...start, source: 'x'.repeat(65) },
    )
    expect(events.map((event) => event.source)).toEqual(['My Agent 2.0', 'custom'])
    expect(rejected.map(({ line, path }) => [line, path])).toEqual([
      [3, 'source'],
      [4, 'source'],
    ])
  })

  it.each<[string, string, Omit<RejectedLine, 'line'>]>([
    ['text that is not JSON', '{"event"', { path: '', reason: 'is not JSON' }],
    ['a list', '{"event":"x","session_id":"s"}\n[1]', { path: '', reason: 'is not a JSON object' }],
    ['a number', '17', { path: '', reason: 'is not a JSON object' }],
    ['no event', '{"session_id":"s"}', { path: 'event', reason: 'is missing' }],
    ['an event that is no text', '{"event":5,"session_id":"s"}', { path: 'event', reason: 'must be text' }],
    ['no session', '{"event":"prompt"}', { path: 'session_id', reason: 'is missing' }],
    ['no session of an unknown kind', '{"event":"novel"}', { path: 'session_id', reason: 'is missing' }],
    [
      'a wrong type deep inside',
      '{"event":"usage","session_id":"s","input":"many"}',
      { path: 'input', reason: 'must be a whole number' },
    ],
    [
      'a line that is too long',
      `{"event":"x","a":"${'x'.repeat(300_000)}"}`,
      { path: '', reason: 'is longer than 256 KB' },
    ],
    [
      'a line that is nested too deep',
      `{"event":"x","session_id":"s","a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      { path: '', reason: 'is nested deeper than 64 levels' },
    ],
  ])('rejects %s with the place and the reason', async (_name, text, expected) => {
    const { rejected } = await setUp().readText(text)
    expect(rejected).toEqual([{ line: text.includes('\n') ? 2 : 1, ...expected }])
  })

  it.each([
    ['lists', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['objects', `${'{"a":'.repeat(500_000)}1${'}'.repeat(500_000)}`],
  ])(
    'rejects only the events whose %s are nested too deep, however a body is written',
    async (_name, deep) => {
      const event = (id: string, a: string) => `{"event":"x",\n"session_id":"${id}","a":${a}}`
      const reason = 'is nested deeper than 64 levels'
      const events = [event('before', '1'), event('deep', deep), event('after', '2')]
      const lines = await setUp().readText(events.map((each) => each.replace('\n', '')).join('\n'))
      expect(lines.events.map((each) => each.session_id)).toEqual(['before', 'after'])
      expect(lines.rejected).toEqual([{ line: 2, path: '', reason }])
      const array = await setUp().readText(`[${events.join(',')}]`)
      expect(array.events.map((each) => each.session_id)).toEqual(['before', 'after'])
      expect(array.rejected).toEqual([{ line: 2, path: '', reason }])
      for (const body of [deep, event('deep', deep), `[${event('deep', deep)}]`])
        expect(await setUp().readText(body)).toMatchObject({ events: [], rejected: [{ line: 1, reason }] })
    },
  )

  it('counts blank lines and skips them', async () => {
    const { events, rejected } = await setUp().readText(`\n  \n${JSON.stringify(start)}\r\n\nnope\n`)
    expect(events).toHaveLength(1)
    expect(rejected).toEqual([{ line: 5, path: '', reason: 'is not JSON' }])
  })

  it('reads a JSON array and a multi-line object', async () => {
    const { readText } = setUp()
    const other = { ...start, session_id: 's2' }
    const array = await readText(JSON.stringify([start, 5, other], null, 2))
    expect(array.events.map((event) => event.session_id)).toEqual(['s1', 's2'])
    expect(array.rejected).toEqual([{ line: 2, path: '', reason: 'is not a JSON object' }])
    expect((await readText(JSON.stringify(other, null, 2))).events).toHaveLength(1)
  })

  it('ignores a seq from outside', async () => {
    const { events } = await setUp().read({ ...start, seq: 99 })
    expect(events[0]).not.toHaveProperty('seq')
  })

  it('keeps fields with dangerous names as plain fields', async () => {
    const line =
      '{"event":"novel","session_id":"s","__proto__":{"polluted":true},"constructor":1,"toString":"x"}'
    const { events } = await setUp().readText(line)
    expect(JSON.stringify(events[0])).toContain(
      '"__proto__":{"polluted":true},"constructor":1,"toString":"x"}',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(events[0])).toBe(Object.prototype)
  })

  it('removes secrets and reports their number', async () => {
    const { events } = await setUp().read({ ...start, title: 'with password=hunter2' })
    expect(events[0]).toMatchObject({ title: 'with password=[redacted:password]', redacted: 1 })
  })

  it('stores in slices, limited by lines and length, and stops at the first failure', async () => {
    const { readText, capture } = setUp()
    const lines = (count: number, pad = '') =>
      Array.from({ length: count }, (_, n) => JSON.stringify({ ...start, key: `k${n}`, pad })).join('\n')
    const short = await readText(lines(4_500))
    expect(short.slices).toEqual([2_000, 2_000, 500])
    expect(short.events.map((event) => event.key)).toEqual(Array.from({ length: 4_500 }, (_, n) => `k${n}`))
    expect(Math.max(...(await readText(lines(100, 'x'.repeat(100_000)))).slices)).toBeLessThan(12)
    let stored = 0
    const full = await capture.normalise(Buffer.from(lines(4_500)), async (events) => {
      if (stored > 0) return failure('disk_full', 'The disk is full.')
      stored += events.length
      return success(null)
    })
    expect(full).toMatchObject({ ok: false, code: 'disk_full' })
    expect(stored).toBe(2_000)
  })

  it('lists a thousand bad lines and counts the rest', async () => {
    const { rejected, rejectedCount } = await setUp().readText('x\n'.repeat(5_000))
    expect(rejectedCount).toBe(5_000)
    expect(rejected).toHaveLength(1_001)
    expect(rejected.at(-1)).toMatchObject({
      line: 1_001,
      reason: 'and 4000 more rejected lines that are not listed',
    })
    const one = await setUp().readText('x\n'.repeat(1_001))
    expect(one.rejected.at(-1)?.reason).toBe('and 1 more rejected line that is not listed')
  })
})
