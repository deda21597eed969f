import { failure, type NewEvent, type RejectedLine, type Result, success } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCapture } from './capture.ts'

interface Captured {
  readonly events: readonly NewEvent[]
  readonly slices: readonly number[]
  readonly rejected: readonly RejectedLine[]
  readonly rejectedCount: number
}

type Agents = ReadonlyMap<string, { source: string; session: string }>

function setUp(agents: Agents = new Map()) {
  let clock = 1_000_000
  const asked: string[][] = []
  const capture = createCapture({
    host: 'here',
    now: () => clock,
    findAgents: async (ids) => {
      asked.push([...ids])
      return success(
        new Map(
          ids.flatMap((id) => {
            const found = agents.get(id)
            return found ? [[id, found] as const] : []
          }),
        ),
      )
    },
  })
  const readText = async (text: string): Promise<Captured> => {
    const events: NewEvent[] = []
    const slices: number[] = []
    const captured = await capture.normalise(text, async (slice) => {
      events.push(...slice)
      slices.push(slice.length)
      return success(null)
    })
    return { ...unwrap(captured), events, slices }
  }
  return {
    asked,
    capture,
    advance: (ms: number) => {
      clock += ms
    },
    read: async (...lines: unknown[]): Promise<Captured> =>
      readText(lines.map((line) => JSON.stringify(line)).join('\n')),
    readText,
  }
}

function unwrap<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const start = { event: 'session_start', session_id: 's1' }
const keysOf = (captured: Captured) => captured.events.map((event) => event.key)

describe('what an event must say', () => {
  it('completes a line, envelope first and the rest in its order', async () => {
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

  it('takes ISO 8601 and milliseconds, source and host as given', async () => {
    const { events } = await setUp().read({
      ...start,
      ts: '2026-01-02T03:04:05Z',
      source: 'mine',
      host: 'there',
    })
    expect(events[0]).toMatchObject({ ts: Date.UTC(2026, 0, 2, 3, 4, 5), source: 'mine', host: 'there' })
  })

  it('takes any name of a source, and null for none', async () => {
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

  it('counts blank lines but passes over them', async () => {
    const { events, rejected } = await setUp().readText(`\n  \n${JSON.stringify(start)}\r\n\nnope\n`)
    expect(events).toHaveLength(1)
    expect(rejected).toEqual([{ line: 5, path: '', reason: 'is not JSON' }])
  })

  it('takes a JSON array and an object over several lines', async () => {
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

  it('keeps fields with dangerous names as fields', async () => {
    const line =
      '{"event":"novel","session_id":"s","__proto__":{"polluted":true},"constructor":1,"toString":"x"}'
    const { events } = await setUp().readText(line)
    expect(JSON.stringify(events[0])).toContain(
      '"__proto__":{"polluted":true},"constructor":1,"toString":"x"}',
    )
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(Object.getPrototypeOf(events[0])).toBe(Object.prototype)
  })

  it('takes secrets out and says how many', async () => {
    const { events } = await setUp().read({ ...start, title: 'with password=hunter2' })
    expect(events[0]).toMatchObject({ title: 'with password=[redacted:password]', redacted: 1 })
  })

  it('comes in slices, by lines and by length, and ends where one cannot be stored', async () => {
    const { readText, capture } = setUp()
    const lines = (count: number, pad = '') =>
      Array.from({ length: count }, (_, n) => JSON.stringify({ ...start, key: `k${n}`, pad })).join('\n')
    const short = await readText(lines(4_500))
    expect(short.slices).toEqual([2_000, 2_000, 500])
    expect(short.events.map((event) => event.key)).toEqual(Array.from({ length: 4_500 }, (_, n) => `k${n}`))
    expect(Math.max(...(await readText(lines(100, 'x'.repeat(100_000)))).slices)).toBeLessThan(12)
    let stored = 0
    const full = await capture.normalise(lines(4_500), async (events) => {
      if (stored > 0) return failure('disk_full', 'The disk is full.')
      stored += events.length
      return success(null)
    })
    expect(full).toMatchObject({ ok: false, code: 'disk_full' })
    expect(stored).toBe(2_000)
  })

  it('lists a thousand bad lines and counts the others', async () => {
    const { rejected, rejectedCount } = await setUp().readText('x\n'.repeat(5_000))
    expect(rejectedCount).toBe(5_000)
    expect(rejected).toHaveLength(1_001)
    expect(rejected.at(-1)?.reason).toContain('4000 lines')
  })
})

describe('the session of a line of the first vocabulary', () => {
  const sessions = (captured: Captured) => captured.events.map((event) => event.session_id)

  it('is the parent of its spawn', async () => {
    const captured = await setUp().read({ event: 'agent_spawn', id: 'a1', parent_id: 's9' })
    expect(sessions(captured)).toEqual(['s9'])
  })

  it('is its agent’s, known from an earlier line, an earlier body or the ledger', async () => {
    const { read, asked } = setUp(new Map([['a3', { source: 'custom', session: 's3' }]]))
    const first = await read(
      { event: 'agent_spawn', id: 'a1', parent_id: 's1' },
      { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
      { event: 'tool_use', id: 't2', agent_id: 'a3', tool: 'Bash' },
      { event: 'agent_link', id: 'a4', session_id: 's4' },
      { event: 'agent_done', id: 'a4' },
    )
    expect(sessions(first)).toEqual(['s1', 's1', 's3', 's4', 's4'])
    expect(sessions(await read({ event: 'agent_done', id: 'a1' }))).toEqual(['s1'])
    expect(asked).toEqual([['a1', 'a3', 'a4']])
  })

  it('stays its agent’s when that agent spawns others', async () => {
    const spawnA = { event: 'agent_spawn', id: 'A', parent_id: 'P' }
    const spawnB = { event: 'agent_spawn', id: 'B', parent_id: 'A' }
    const work = [
      { event: 'tool_use', id: 't1', agent_id: 'A', tool: 'Bash' },
      { event: 'agent_done', id: 'A' },
      { event: 'tool_use', id: 't2', agent_id: 'B', tool: 'Bash' },
    ]
    expect(sessions(await setUp().read(spawnA, spawnB, ...work))).toEqual(['P', 'A', 'P', 'P', 'A'])
    const apart = setUp()
    await apart.read(spawnA)
    await apart.read(spawnB)
    expect(sessions(await apart.read(...work))).toEqual(['P', 'P', 'A'])
    const restarted = setUp(new Map([['A', { source: 'custom', session: 'P' }]]))
    expect(sessions(await restarted.read(spawnB, ...work))).toEqual(['A', 'P', 'P', 'A'])
  })

  it('is its agent’s, however many agents one body names', async () => {
    const count = 30_000
    const agents = new Map(
      Array.from({ length: count }, (_, n) => [`a${n}`, { source: 'custom', session: `s${n}` }] as const),
    )
    const { read } = setUp(agents)
    const lines = <T>(make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
    await read(...lines((n) => ({ event: 'agent_spawn', id: `a${n}`, parent_id: `s${n}` })))
    const used = await read(...lines((n) => ({ event: 'tool_use', id: `t${n}`, agent_id: `a${n}` })))
    expect(sessions(used)).toEqual(lines((n) => `s${n}`))
  })

  it('is unknown otherwise, and for main', async () => {
    const captured = await setUp(new Map([['main', { source: 'custom', session: 'no' }]])).read(
      { event: 'tool_use', id: 't1', agent_id: 'nobody' },
      { event: 'tool_use', id: 't2', agent_id: 'main' },
      { event: 'agent_spawn', id: 'a1', parent_id: null },
    )
    expect(sessions(captured)).toEqual(['unknown', 'unknown', 'unknown'])
  })

  it('is what a skill names as its agent, where that is a session that is known', async () => {
    const captured = await setUp().read(
      { event: 'skill_use', id: 'k1', agent_id: 's7', skill: 'review' },
      { event: 'agent_spawn', id: 'a1', parent_id: 's7' },
      { event: 'skill_use', id: 'k2', agent_id: 's7', skill: 'review' },
      { event: 'skill_use', id: 'k3', agent_id: 'main', skill: 'review' },
    )
    expect(sessions(captured)).toEqual(['unknown', 's7', 's7', 'unknown'])
  })

  it('changes no key when it becomes known later', async () => {
    const { read } = setUp()
    const line = { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' }
    const before = await read(line)
    await read({ event: 'agent_spawn', id: 'a1', parent_id: 's1' })
    const after = await read(line)
    expect(sessions(after)).toEqual(['s1'])
    expect(keysOf(after)).toEqual(keysOf(before))
  })

  it('does not take the word unknown for an id', async () => {
    const captured = await setUp().read(
      { event: 'agent_spawn', id: 'unknown', parent_id: 's1', prompt_preview: 'one' },
      { event: 'agent_spawn', id: 'unknown', parent_id: 's1', prompt_preview: 'two' },
    )
    expect(new Set(keysOf(captured)).size).toBe(2)
  })
})

describe('keys', () => {
  it('are the given one, else made of the id, else of the content with its time', async () => {
    const captured = await setUp().read(
      { ...start, key: 'mine' },
      { ...start, event: 'prompt', id: 'p:1', source: 'cc' },
      { ...start, ts: 5 },
      { ...start, ts: 6 },
    )
    const [given, byId, early, late] = keysOf(captured)
    expect(given).toBe('mine')
    expect(byId).toBe('cc:s1:p%3A1:prompt')
    expect(early).not.toBe(late)
  })

  it('tell a colon of the source from one between the parts', async () => {
    const captured = await setUp().read(
      { event: 'x', session_id: 's', id: 'i', source: 'a:b' },
      { event: 'x', session_id: 'b:s', id: 'i', source: 'a' },
    )
    expect(keysOf(captured)).toEqual(['a%3Ab:s:i:x', 'a:b%3As:i:x'])
  })

  it('over the limit are hashed', async () => {
    const long = 'k'.repeat(600)
    const captured = await setUp().read(
      { ...start, key: long },
      { ...start, event: 'prompt', id: 'i'.repeat(510) },
    )
    expect(captured.rejected).toEqual([])
    for (const key of keysOf(captured)) expect(key).toMatch(/^sha256:[\w-]{32}$/)
  })

  it('make a line without id and time the same as its like within five seconds, and new later', async () => {
    const { read, advance } = setUp()
    const [first] = keysOf(await read(start))
    advance(5_000)
    expect(keysOf(await read(start))).toEqual([first])
    advance(1)
    expect(keysOf(await read(start))).not.toEqual([first])
  })
})

describe('any mixture of lines', () => {
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

  it('keeps the good ones, in order and with their unknown fields, and names each bad one', async () => {
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

  it('gets the same keys however it is split, and when it comes again', async () => {
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
  ])('of %s take time by their length', async (_name, body) => {
    const started = performance.now()
    await setUp().readText(body)
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})
