import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrices } from '@panoptes/engine/models'
import { Pace, type SessionRecord, type SessionSource } from '@panoptes/engine/sources'
import { openSqliteIndex, openSqliteStore, type SessionIndex } from '@panoptes/engine/store'
import type { Message, Session } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { forgettable } from './forget.ts'
import { readAll } from './reading.ts'
import { type RefreshOptions, refresh } from './refresh.ts'

let folder: string
let index: SessionIndex
/** The existing sessions by id. */
let there: Map<string, Told>
/** A clock that advances by the reading times of the sessions. */
let clock: number

interface Told {
  readonly fingerprint: string
  readonly texts: readonly string[]
  /** How long reading it takes. */
  readonly takes?: number
  /** The failure that ends the read instead of the session. */
  readonly fails?: ReturnType<typeof failure>
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-refresh-'))
  index = unwrap(openSqliteIndex(join(folder, 'index.db')))
  there = new Map()
  clock = 0
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

const messageOf = (session_id: string, n: number, text: string): Message => ({
  id: `${session_id}-${n}`,
  agent_id: 'main',
  session_id,
  role: 'user',
  ts: n,
  model: null,
  state: 'active',
  hidden: false,
  usage: null,
  content: [{ type: 'text', text }],
})

function* recordsOf(id: string, { texts, fingerprint, fails }: Told): Generator<SessionRecord> {
  for (const [n, text] of texts.entries()) yield { kind: 'message', message: messageOf(id, n, text) }
  yield fails ? { kind: 'failed', failure: fails } : { kind: 'session', session: session(id, fingerprint) }
}

const source: SessionSource = {
  name: 'made-up',
  async *list() {
    for (const [id, { fingerprint }] of there)
      yield { kind: 'listed', id, fingerprint, place: `/there/${id}` }
  },
  async *read({ id }) {
    const scripted = there.get(id)
    if (scripted === undefined) yield { kind: 'failed', failure: failure('not_found', 'gone') }
    else {
      clock += scripted.takes ?? 0
      yield* recordsOf(id, scripted)
    }
  },
  watch: () => () => undefined,
}

const prices = createPrices()
const bring = async (more: Partial<RefreshOptions> = {}) =>
  unwrap(
    await refresh({
      source,
      index,
      read: (listed, signal) => readAll({ source, listed, prices, signal, now: () => clock }),
      ...more,
    }),
  )
const listed = async () => unwrap(await index.list({ limit: 10 })).map(({ id }) => id)
const found = async (text: string) => unwrap(await index.search({ text: `${text} `, limit: 50 })).length
const hidden = async () => unwrap(await index.hidden())

/** Text for more parts than a large session needs. */
const large = (word: string): readonly string[] =>
  Array.from({ length: 9 }, () => `${word} ${'x'.repeat(140_000)}`)

/** Stops after the first part of the changes. */
const stopped = async () => {
  const stop = new AbortController()
  return bring({ signal: stop.signal, onProgress: () => stop.abort() })
}

describe('re-reading a session', () => {
  it('shows the old state until the read is complete', async () => {
    there.set('s', { fingerprint: '1', texts: large('before') })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after') })
    const seen: unknown[] = []
    const reader = unwrap(openSqliteIndex(join(folder, 'index.db'), { readOnly: true }))
    await bring({
      read: async function* (changed) {
        for await (const part of readAll({ source, listed: changed, prices })) {
          yield part
          // A write for another source must not disturb this one either.
          unwrap(await index.write([{ type: 'leave', source: 'other', id: 'none' }]))
          const get = unwrap(await reader.get('made-up', 's'))
          const hits = await Promise.all(
            ['before ', 'after '].map(
              async (text) => unwrap(await reader.search({ text, limit: 50 })).length,
            ),
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

  it('keeps the old state when the read is interrupted', async () => {
    there.set('s', { fingerprint: '1', texts: ['before'] })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after') })
    await stopped()
    expect([await found('before'), await found('after'), await hidden()]).toEqual([1, 0, []])
    await bring()
    expect([await found('before'), await found('after')]).toEqual([0, 9])
  })

  it('postpones a large session that was read recently, unless somebody waits for it', async () => {
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

describe('a session with a slow read', () => {
  it('is postponed by 49 times that duration, while its neighbours are not', async () => {
    let now = 0
    const pace = new Pace(() => now)
    const tell = (fingerprint: string) => {
      there.set('quick', { fingerprint, texts: ['a word'], takes: 19 })
      there.set('slow', { fingerprint, texts: ['a word'], takes: 200 })
      there.set('other', { fingerprint, texts: ['a word'] })
    }
    tell('1')
    await bring({ pace, patient: true })
    tell('2')
    expect(await bring({ pace, patient: true })).toMatchObject({ read: 2, again_ms: 9_800 })
    now = 9_800
    expect(await bring({ pace, patient: true })).toMatchObject({ read: 1, again_ms: null })
  })
})

describe('a session that cannot be read', () => {
  it('stays in the index while it exists and is read when possible', async () => {
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

  it('is dropped when it no longer exists', async () => {
    there.set('s', { fingerprint: '1', texts: ['before'] })
    await bring()
    there.set('s', { fingerprint: '2', texts: large('after'), fails: failure('not_found', 'gone') })
    await bring()
    expect([await listed(), await found('before'), await found('after')]).toEqual([[], 0, 0])
  })
})

it('counts apart what was written: a session that cannot be read is read each time', async () => {
  there.set('a', { fingerprint: '1', texts: ['one'] })
  there.set('b', { fingerprint: '1', texts: ['two'], fails: failure('io', 'it is damaged') })
  expect(await bring()).toMatchObject({ read: 2, written: 1 })
  expect(await bring()).toMatchObject({ read: 1, written: 0 })
})

describe('a source that cannot list all of its sessions', () => {
  it('loses none of the unlisted sessions and reports why', async () => {
    there.set('a', { fingerprint: '1', texts: ['one'] })
    there.set('b', { fingerprint: '1', texts: ['two'] })
    await bring()
    there.delete('a')
    there.set('c', { fingerprint: '1', texts: ['three'] })
    const partly: SessionSource = {
      ...source,
      async *list(signal) {
        yield { kind: 'failed', failure: failure('io', 'a folder cannot be read') }
        yield* source.list(signal)
      },
    }
    expect(await bring({ source: partly })).toMatchObject({
      read: 1,
      dropped: 0,
      unchanged: 1,
      problems: [{ code: 'io' }],
    })
    expect((await listed()).toSorted()).toEqual(['a', 'b', 'c'])
    expect(await bring()).toMatchObject({ read: 0, dropped: 1, unchanged: 2, problems: [] })
    expect((await listed()).toSorted()).toEqual(['b', 'c'])
  })
})

describe('postponed sessions', () => {
  it('are checked when the first of them is due', async () => {
    const pace = new Pace(() => 0)
    const tell = (fingerprint: string) => {
      there.set('slow', { fingerprint, texts: ['a word'], takes: 200 })
      there.set('slower', { fingerprint, texts: ['a word'], takes: 400 })
    }
    tell('1')
    await bring({ pace, patient: true })
    tell('2')
    expect(await bring({ pace, patient: true })).toMatchObject({ read: 0, unchanged: 0, again_ms: 9_800 })
  })
})

describe('leftovers of an interrupted read', () => {
  const begin = async (id: string) => {
    const before = there.get(id)
    there.set(id, { fingerprint: '2', texts: large('half') })
    const listed = [{ id, fingerprint: '2', place: `/there/${id}` }]
    for await (const part of readAll({ source, listed, prices })) {
      unwrap(await index.write(part.changes))
      break
    }
    there.delete(id)
    if (before !== undefined) there.set(id, before)
  }

  it('are removed by the next refresh, whether the session still exists or not', async () => {
    there.set('same', { fingerprint: '1', texts: ['whole'] })
    await bring()
    for (const id of ['same', 'gone']) await begin(id)
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

describe('forgettable sessions', () => {
  it('include partly read, expired and incompletely forgotten ones', async () => {
    there.set('old-1', { fingerprint: '1', texts: ['x'] })
    await bring()
    unwrap(await index.retain(3))
    unwrap(await index.write([{ type: 'begin', source: 'made-up', id: 'begun-1', place: '/there' }]))
    const store = unwrap(await openSqliteStore(join(folder, 'ledger.db')))
    unwrap(await store.forgetting.begin([{ source: 'made-up', id: 'pending-1' }]))
    const fitting = async (pattern: string) =>
      unwrap(await forgettable(index, store, pattern)).map(({ id }) => id)
    expect(await fitting('*-1')).toEqual(['begun-1', 'old-1', 'pending-1'])
    expect(await fitting('begun')).toEqual(['begun-1'])
    await store.close()
  })
})
