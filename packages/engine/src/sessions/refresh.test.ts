import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteIndex, type SessionIndex } from '@panoptes/engine/ledger'
import { createPrices } from '@panoptes/engine/models'
import type { SessionRecord, SessionSource } from '@panoptes/engine/sources'
import type { Result, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'
import { readAll } from './reading.ts'
import { type RefreshOptions, refresh } from './refresh.ts'

let folder: string
let index: SessionIndex
/** The sessions that there are, by id. */
let there: Map<string, Told>

interface Told {
  readonly fingerprint: string
  readonly texts: readonly string[]
  /** What it ends with instead of the session. */
  readonly fails?: ReturnType<typeof failure>
}

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-refresh-'))
  index = value(openSqliteIndex(join(folder, 'index.db')))
  there = new Map()
})
afterEach(async () => {
  await index.close()
  rmSync(folder, { recursive: true, force: true })
})

const session = (id: string, fingerprint: string): Session => ({
  source: 'made-up',
  id,
  parent_id: null,
  lineage: 'root',
  title: id,
  project: null,
  cwd: null,
  git_branch: null,
  model: null,
  started_at: 1,
  last_at: 2,
  ended_at: null,
  fingerprint,
})

function* recordsOf(id: string, { texts, fingerprint, fails }: Told): Generator<SessionRecord> {
  for (const [n, text] of texts.entries())
    yield {
      kind: 'message',
      message: {
        id: `${id}-${n}`,
        agent_id: 'main',
        session_id: id,
        role: 'user',
        ts: n,
        model: null,
        state: 'active',
        hidden: false,
        usage: null,
        content: [{ type: 'text', text }],
      },
    }
  yield fails ? { kind: 'failed', failure: fails } : { kind: 'session', session: session(id, fingerprint) }
}

const source: SessionSource = {
  name: 'made-up',
  async *list() {
    for (const [id, { fingerprint }] of there)
      yield { kind: 'listed', id, fingerprint, place: `/there/${id}` }
  },
  async *read({ id }) {
    const told = there.get(id)
    if (told === undefined) yield { kind: 'failed', failure: failure('not_found', 'gone') }
    else yield* recordsOf(id, told)
  },
  watch: () => () => undefined,
}

const prices = createPrices()
const bring = async (more: Partial<RefreshOptions> = {}) =>
  value(
    await refresh({
      source,
      index,
      read: (listed, signal) => readAll({ source, listed, prices, signal }),
      ...more,
    }),
  )
const listed = async () => value(await index.list({ limit: 10 })).map(({ id }) => id)
const found = async (text: string) => value(await index.search({ text: `${text} `, limit: 50 })).length
const hidden = async () => value(await index.hidden())

/** More than fits into a part, and enough parts to be a large one. */
const large = (word: string): readonly string[] =>
  Array.from({ length: 9 }, () => `${word} ${'x'.repeat(140_000)}`)

/** Stops after the first part of what changed. */
const stopped = async () => {
  const stop = new AbortController()
  return bring({ signal: stop.signal, onProgress: () => stop.abort() })
}

describe('a session that is read again', () => {
  it('is shown as it was until it is read to its end', async () => {
    there.set('s', { fingerprint: '1', texts: large('before') })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after') })
    const seen: unknown[] = []
    const reader = value(openSqliteIndex(join(folder, 'index.db'), { readOnly: true }))
    await bring({
      read: async function* (changed) {
        for await (const part of readAll({ source, listed: changed, prices })) {
          yield part
          // Another source's writing keeps what is there of this one too.
          value(await index.write([{ type: 'leave', source: 'other', id: 'none' }]))
          const get = value(await reader.get('made-up', 's'))
          const hits = await Promise.all(
            ['before ', 'after '].map(async (text) => value(await reader.search({ text, limit: 50 })).length),
          )
          seen.push([get?.fingerprint, ...hits])
        }
      },
    })
    await reader.close()
    expect(seen).toHaveLength(10)
    expect(seen.slice(0, 9)).toEqual(Array.from({ length: 9 }, () => ['1', 9, 0]))
    expect(seen[9]).toEqual(['2', 0, 9])
  })

  it('stays as it was when reading it is stopped', async () => {
    there.set('s', { fingerprint: '1', texts: ['before'] })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after') })
    await stopped()
    expect([await found('before'), await found('after'), await hidden()]).toEqual([1, 0, []])
    await bring()
    expect([await found('before'), await found('after')]).toEqual([0, 9])
  })

  it('waits a while when it is large and was read just now, unless somebody waits for it', async () => {
    let now = 0
    const pace = new Pace(() => now)
    const look = (patient = true) => bring({ pace, patient })
    there.set('small', { fingerprint: '1', texts: ['a word'] })
    there.set('large', { fingerprint: '1', texts: large('a') })
    expect(await look()).toMatchObject({ read: 2, again_ms: null })
    there.set('small', { fingerprint: '2', texts: ['b word'] })
    there.set('large', { fingerprint: '2', texts: large('b') })
    const waiting = await look()
    expect(waiting).toMatchObject({ read: 1, unchanged: 0, again_ms: expect.any(Number) })
    expect(waiting.again_ms).toBeLessThanOrEqual(30_000)
    expect([await found('a'), await found('b')]).toEqual([9, 1])
    now += waiting.again_ms ?? 0
    expect(await look()).toMatchObject({ read: 1, again_ms: null })
    expect([await found('a'), await found('b')]).toEqual([0, 10])
    there.set('large', { fingerprint: '3', texts: large('c') })
    expect(await look(false)).toMatchObject({ read: 1, again_ms: null })
  })
})

describe('a session that cannot be read', () => {
  it('stays known while it is there, and is read when it can be', async () => {
    there.set('s', { fingerprint: '1', texts: ['before'] })
    await bring()
    for (const texts of [['after'], large('after')]) {
      there.set('s', { fingerprint: '2', texts, fails: failure('busy', 'locked for a moment') })
      expect((await bring()).problems).toMatchObject([{ code: 'busy' }])
      expect([await listed(), await found('before'), await hidden()]).toEqual([['s'], 1, []])
    }
    there.set('s', { fingerprint: '2', texts: ['after'] })
    await bring()
    expect([await found('before'), await found('after')]).toEqual([0, 1])
  })

  it('is dropped when it is no longer there', async () => {
    there.set('s', { fingerprint: '1', texts: ['before'] })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after'), fails: failure('not_found', 'gone') })
    await bring()
    expect([await listed(), await found('before'), await found('after')]).toEqual([[], 0, 0])
  })
})

describe('what a read that died left behind', () => {
  const half = {
    id: 'm',
    agent_id: 'main',
    role: 'user' as const,
    ts: 1,
    model: null,
    text: 'half',
    tools: [],
    errors: 0,
    usage: null,
    cost_micro_usd: null,
  }
  const begun = (id: string) =>
    index.write([
      { type: 'begin', source: 'made-up', id, place: '/there' },
      { type: 'messages', source: 'made-up', id, messages: [half] },
    ])

  it('goes with the next refresh, whether the session is still there or not', async () => {
    there.set('same', { fingerprint: '1', texts: ['whole'] })
    await bring()
    for (const id of ['same', 'gone']) value(await begun(id))
    expect(await hidden()).toHaveLength(2)
    await bring()
    expect([await hidden(), await listed(), await found('whole'), await found('half')]).toEqual([
      [],
      ['same'],
      1,
      0,
    ])
  })
})
