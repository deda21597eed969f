import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent, Result } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { account, cell, createAgentAccount, createClaim, createSkillUse } from './conformance/accounts-kit.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'

const MARKER = 'zyzzogeton'
const ONE = { source: 'custom', id: `s-${MARKER}` }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-forget-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

const files = () => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(MARKER))

const marked = (n: number): NewEvent => ({
  v: 1,
  key: `${MARKER}:${n}`,
  ts: Date.UTC(2026, 8, 15, 9) + n,
  event: n % 3 === 0 ? 'agent_spawn' : 'tool_use',
  source: ONE.source,
  host: 'studio',
  session_id: ONE.id,
  ...(n % 3 === 0 ? { id: `${MARKER}-${n}` } : { id: `t${n}`, tool: 'Bash', agent_id: 'main' }),
  preview: `${MARKER} ${'long '.repeat(n % 40 === 0 ? 2_000 : 10)}`,
})

const whose = account(ONE.id, { source: ONE.source, title: MARKER, project: MARKER })
const amounted = {
  ...whose,
  agents: [createAgentAccount(whose, { agent_id: MARKER, subagent_type: MARKER })],
  claims: [createClaim(whose, 0, { value: MARKER })],
  skills: [createSkillUse(whose, MARKER, { skill: MARKER })],
  cells: [cell('2026-09-15', { agent_id: MARKER, model: MARKER, skill: MARKER })],
}

it('leaves no byte of a forgotten session in the file or its write-ahead log', async () => {
  const store = value(await openSqliteStore(join(folder, 'ledger.db')))
  try {
    const others = [...generateNewEvents({ seed: 5, events: 6_000 })]
    for (let at = 0; at < others.length; at += 500) {
      const own = Array.from({ length: 100 }, (_, n) => marked(at + n))
      value(await store.append([...others.slice(at, at + 500), ...own]))
    }
    value(await store.annotations.mark(ONE, { tags: [MARKER], note: MARKER }))
    value(await store.accounts.put([amounted]))
    value(
      await store.accounts.journal([
        { journal: 'agents', source: ONE.source, session_id: ONE.id, line: MARKER, mark: '1' },
      ]),
    )
    expect(files().length).toBeGreaterThan(0)
    value(await store.forgetting.begin([ONE]))
    expect(value(await store.forgetting.remove([ONE]))).toContainEqual({
      from: 'ledger',
      what: 'events',
      count: 1_200,
    })
    value(await store.forgetting.end([ONE]))
    expect(files()).toEqual([])
    expect(
      value(await store.append([marked(99_999), ...generateNewEvents({ seed: 6, events: 10 })])).accepted,
    ).toBe(10)
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    expect(files()).toEqual([])
  } finally {
    await store.close()
  }
  expect(files()).toEqual([])
})

it('finishes forgetting a session after it was stopped half-way', async () => {
  const file = join(folder, 'ledger.db')
  const first = value(await openSqliteStore(file))
  value(
    await first.append([
      ...generateNewEvents({ seed: 5, events: 3_000 }),
      ...Array.from({ length: 3_000 }, (_, n) => marked(n)),
    ]),
  )
  value(await first.forgetting.begin([ONE]))
  const stop = new AbortController()
  const stopped = first.forgetting.remove([ONE], { signal: stop.signal, onProgress: () => stop.abort() })
  expect(await stopped).toMatchObject({ ok: false, code: 'stopped' })
  await first.close()
  const again = value(await openSqliteStore(file))
  try {
    expect(value(await again.forgetting.pending())).toEqual([ONE])
    value(await again.forgetting.remove([ONE]))
    value(await again.forgetting.end([ONE]))
    expect(files()).toEqual([])
    expect(value(await again.rebuild({ check: true })).differences).toBe(0)
    expect(value(await again.counters()).value.events).toBe(3_000)
  } finally {
    await again.close()
  }
})

it('finishes forgetting a session without visible agents when it was stopped before its rows were rebuilt', async () => {
  const store = value(await openSqliteStore(join(folder, 'ledger.db')))
  try {
    const others = generateNewEvents({ seed: 5, events: 100 })
    value(await store.append([...others, { ...marked(1), event: 'session_start', from_hook: true }]))
    value(await store.forgetting.begin([ONE]))
    const stop = new AbortController()
    // There are enough others after it that the stop arrives in time, however busy the machine is.
    const nobody = Array.from({ length: 2_000 }, (_, n) => ({ source: 'custom', id: `nobody-${n}` }))
    const stopped = store.forgetting.remove([ONE, ...nobody], {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    })
    expect(await stopped).toMatchObject({ ok: false, code: 'stopped' })
    const ids = async () =>
      value(await store.sessions({ limit: 1_000 })).value.map(({ session_id }) => session_id)
    expect(await ids()).toContain(ONE.id)
    value(await store.forgetting.remove([ONE]))
    value(await store.forgetting.end([ONE]))
    expect(await ids()).not.toContain(ONE.id)
    expect(value(await store.counters()).value.events).toBe(100)
    expect(files()).toEqual([])
  } finally {
    await store.close()
  }
})

it("forgets the read positions of a session's transcripts, and no others", async () => {
  const store = value(await openSqliteStore(join(folder, 'ledger.db')))
  try {
    const at = '/home/dev/.claude/projects/-dev'
    const own = [
      `${at}/dev.jsonl`,
      `${at}/dev/subagents/agent-a.jsonl`,
      'C:\\p\\dev\\subagents\\agent-b.jsonl',
    ]
    const others = [`${at}/dev2.jsonl`, `${at}/a-dev.jsonl`, `${at}/devs/subagents/agent-dev.jsonl`]
    const names = [...own, ...others].map((path) => `transcript:${path}`)
    const marks = Object.fromEntries(names.map((name) => [name, '{}']))
    value(await store.append([...generateNewEvents({ seed: 5, events: 10 })], marks))
    const left = async () => Object.keys(value(await store.marks(names))).sort()
    for (const [source, count] of [
      ['codex', 6],
      ['claude-code', 3],
    ] as const) {
      value(await store.forgetting.remove([{ source, id: 'dev' }]))
      expect(await left()).toHaveLength(count)
    }
    expect(await left()).toEqual(others.map((path) => `transcript:${path}`).sort())
  } finally {
    await store.close()
  }
})
