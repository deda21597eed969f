import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrices } from '@panoptes/engine/models'
import { type Listed, openSources, type SessionSource } from '@panoptes/engine/sources'
import { type IndexChange, indexText, openSqliteIndex } from '@panoptes/engine/store'
import type { Session } from '@panoptes/schema'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateHermesState } from '../../../../fixtures/hermes/generator/index.ts'
import type { ReadPart } from './read-part.ts'
import { readElsewhere } from './reader.ts'
import { readAll } from './reading.ts'
import { type RefreshOptions, refresh } from './refresh.ts'

const prices = createPrices()
const archiving = { keeps: () => true, hashes: async () => new Map() }
let home: string
let indexFile: string
let source: SessionSource
let listed: readonly Listed[]

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-reading-'))
  generateHermesState({ file: join(home, 'state.db'), sessions: 120, messages: 30, seed: 5 })
  const found = openSources({ HERMES_HOME: home }).find(({ name }) => name === 'hermes')
  if (found === undefined) throw new Error('there is no such source')
  source = found
  const all: Listed[] = []
  for await (const record of source.list()) if (record.kind === 'listed') all.push(record)
  listed = all
  indexFile = join(home, 'history.db')
  const index = openSqliteIndex(indexFile)
  if (index.ok) await index.value.close()
  return () => rmSync(home, { recursive: true, force: true })
})

/** Joins the changes of each session: messages in one list, texts as the index takes them. */
function joinChanges(parts: readonly ReadPart[]): readonly unknown[] {
  const decoder = new TextDecoder()
  const textOf = (text: string | Uint8Array) =>
    typeof text === 'string' ? new TextEncoder().encode(indexText(text)) : text
  const idOf = (change: IndexChange) =>
    change.type === 'end' ? change.session.id : change.type === 'gone' ? '' : change.id
  return parts
    .flatMap(({ changes }) => changes)
    .sort((a, b) => idOf(a).localeCompare(idOf(b)))
    .flatMap((change: IndexChange): readonly unknown[] =>
      change.type === 'messages'
        ? change.messages.map((each) => ({ ...each, of: change.id, text: decoder.decode(textOf(each.text)) }))
        : change.type === 'chunk'
          ? [
              {
                ...change,
                chunk: { ...change.chunk, data: Buffer.from(change.chunk.data ?? []).toString('hex') },
              },
            ]
          : [change],
    )
}

const gathered = async (parts: AsyncIterable<ReadPart>): Promise<readonly ReadPart[]> => {
  const all: ReadPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

const newIndex = () => {
  const opened = openSqliteIndex(join(mkdtempSync(join(home, 'index-')), 'index.db'))
  if (!opened.ok) throw new Error(opened.message)
  onTestFinished(() => opened.value.close())
  return opened.value
}

describe('reading sessions', () => {
  const setup = () => ({
    role: 'reader' as const,
    file: indexFile,
    env: { HERMES_HOME: home },
    prices: {},
    forgotten: { key: new Uint8Array(), hashes: [] },
    catalogue: null,
    maxAgeDays: null,
    archive: { enabled: true, exclude: [], keep_days: null, max_size_mb: null },
    former: null,
    zone: 'UTC',
    skills: [],
  })
  const meanwhile = (some: readonly Listed[]) => readAll({ source, listed: some, prices, archiving })
  const begun = (parts: readonly ReadPart[]) =>
    parts.flatMap(({ changes }) => changes.flatMap((one) => (one.type === 'begin' ? [one.id] : [])))

  it('gives the same result in a worker, almost in order from the newest', async () => {
    const here = await gathered(readAll({ source, listed, prices, archiving }))
    const script = new URL('./worker.ts', import.meta.url)
    expect(here.reduce((sum, { done }) => sum + done, 0)).toBe(listed.length)
    const there = await gathered(readElsewhere(script, setup(), 'hermes', listed, meanwhile))
    expect(there.reduce((sum, { done }) => sum + done, 0)).toBe(listed.length)
    expect(joinChanges(there)).toEqual(joinChanges(here))
    const order = listed.map(({ id }) => id)
    for (const [at, id] of begun(there).entries()) expect(Math.abs(order.indexOf(id) - at)).toBeLessThan(100)
  })

  it('continues on the writing thread when the worker dies', async () => {
    const script = new URL('data:text/javascript,process.exit(1)')
    const there = await gathered(readElsewhere(script, setup(), 'hermes', listed, meanwhile))
    expect(begun(there)).toEqual(listed.map(({ id }) => id))
  })

  it('returns parts of limited size and never splits a small session', async () => {
    const parts = await gathered(readAll({ source, listed, prices }))
    expect(parts.length).toBeGreaterThan(5)
    for (const { changes } of parts) {
      const begun = changes.filter(({ type }) => type === 'begin').length
      expect(changes.filter(({ type }) => type === 'end').length).toBe(begun)
    }
  })

  it('fills the index identically when it is interrupted again and again', async () => {
    const all = async (index: ReturnType<typeof newIndex>) => {
      const found = await index.list({ limit: 1_000 })
      return found.ok ? found.value.map((each) => ({ ...each })) : []
    }
    const read: RefreshOptions['read'] = (changed, signal) =>
      readAll({ source, listed: changed, prices, signal })
    const whole = newIndex()
    await refresh({ source, index: whole, read })

    const interrupted = newIndex()
    let times = 0
    for (; times < 100; times += 1) {
      const stop = new AbortController()
      const onProgress = () => stop.abort()
      const result = await refresh({ source, index: interrupted, read, signal: stop.signal, onProgress })
      if (result.ok && result.value.unchanged === listed.length) break
    }
    expect(times).toBeGreaterThan(3)
    expect(await all(interrupted)).toEqual(await all(whole))
    const query = { text: 'worker', limit: 50 }
    const hits = async (index: ReturnType<typeof newIndex>) => {
      const found = await index.search(query)
      return found.ok ? found.value.length : -1
    }
    expect(await hits(interrupted)).toBe(await hits(whole))
  })
})

it("prices a session's total as many short requests, not as one long one", async () => {
  const usage = {
    input: 400_000,
    output: 20_000,
    cache_read: null,
    cache_write: null,
    cache_write_1h: null,
    reasoning: null,
  }
  const session: Session = {
    source: 'hermes',
    id: 's1',
    parent_id: null,
    lineage: 'root',
    title: null,
    project: null,
    cwd: null,
    git_branch: null,
    model: 'claude-sonnet-4-5',
    started_at: Date.UTC(2026, 10, 1),
    last_at: null,
    ended_at: null,
    fingerprint: 'f',
    usage,
  }
  const whole: SessionSource = {
    name: 'hermes',
    list: async function* () {},
    read: async function* () {
      yield { kind: 'session', session }
    },
    watch: () => () => undefined,
  }
  const one = { id: 's1', place: 'there', fingerprint: 'f' }
  const [part] = await gathered(readAll({ source: whole, listed: [one], prices }))
  expect(part?.changes.at(-1)).toMatchObject({ type: 'end', session: { cost_micro_usd: 1_500_000 } })
})
