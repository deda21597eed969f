import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { generateNewEvents } from '@panoptes/engine/demo'
import type { NewEvent, Result } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from '../../redact/secrets.test-kit.ts'
import { account, createAgentAccount, createClaim } from '../conformance/accounts-kit.ts'
import type { EventStore } from '../port.ts'
import { openSqliteStore } from './sqlite-store.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-redact-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const value = <T>(result: Result<T>): T => {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

const open = async (): Promise<EventStore> => value(await openSqliteStore(join(folder, 'ledger.db')))

/**
 * Returns a text for every kind of secret, each behind another boundary, and how the secret is spelled there.
 */
function spelled() {
  const boundaries = Object.values(BOUNDARIES)
  return Object.values(SECRET_KINDS).map((make, n) => {
    const boundary = boundaries[n % boundaries.length]
    if (boundary === undefined) throw new Error('there are no boundaries')
    return boundary(make())
  })
}

/** A document may escape the spelling once more. */
const traces = (all: readonly { readonly spelled: string }[]): readonly string[] =>
  all.flatMap(({ spelled }) => [spelled, JSON.stringify(spelled).slice(1, -1)])

/** Returns which of these texts occur in any byte of the store's files. */
function found(texts: readonly string[]): readonly string[] {
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)))
  return texts.filter((text) => bytes.some((file) => file.includes(text)))
}

const older = (n: number, text: string): NewEvent => ({
  v: 1,
  key: `older:${n}`,
  ts: Date.UTC(2026, 8, 15, 9) + n,
  event: n % 2 === 0 ? 'session_start' : 'tool_use',
  source: 'custom',
  host: 'studio',
  session_id: `s${n % 7}`,
  ...(n % 2 === 0
    ? { title: text }
    : { id: `t${n}`, tool: 'Bash', preview: `${text}${' more'.repeat(100)}` }),
})

/** The port redacts nothing, so this equals what a version with older rules left. */
async function fill(store: EventStore, all: ReturnType<typeof spelled>): Promise<void> {
  const others = [...generateNewEvents({ seed: 5, events: 3_000 })]
  for (let at = 0; at < others.length; at += 500) {
    const own = all.map(({ text }, n) => older(at + n, text))
    const state = { state: { command: { ts: 1, text: all[0]?.text } } }
    const marks = { 'transcript:/home/dev/one.jsonl': JSON.stringify(state), spool: 'plain' }
    value(await store.append([...others.slice(at, at + 500), ...own], marks))
  }
  const accounts = all.map(({ text }, n) => {
    const of = account(`s${n}`, { title: text, project: text })
    return {
      ...of,
      agents: [createAgentAccount(of, { subagent_type: text })],
      claims: [createClaim(of, 0, { value: text })],
    }
  })
  value(await store.accounts.put(accounts))
}

async function events(store: EventStore): Promise<Record<string, unknown>[]> {
  const rows: string[] = []
  for (let after: number | null = 0; after !== null; ) {
    const page: { rows: readonly { json: string }[]; next: number | null } = value(
      await store.read({ after, limit: 5_000 }),
    )
    rows.push(...page.rows.map(({ json }) => json))
    after = page.next
  }
  return rows.map((json) => JSON.parse(json))
}

const bones = ({ title, preview, redacted, ...rest }: Record<string, unknown>) => rest

it('leaves no byte of a stored secret in the file or its write-ahead log, even when redaction was stopped half-way', async () => {
  const all = spelled()
  const texts = traces(all)
  const filled = await open()
  await fill(filled, all)
  const before = await events(filled)
  await filled.close()
  expect(found(texts).length).toBeGreaterThanOrEqual(all.length)

  const stopped = await open()
  let closed: Promise<void> | undefined
  const half = await stopped.redactStored({
    onProgress: () => {
      closed ??= stopped.close()
    },
  })
  expect(half).toMatchObject({ ok: false, code: 'stopped' })
  await closed
  expect(found(texts)).not.toEqual([])

  const store = await open()
  try {
    value(await store.redactStored())
    expect(found(texts)).toEqual([])
    const after = await events(store)
    expect(after.map(bones)).toEqual(before.map(bones))
    expect(after.filter(({ key }) => !String(key).startsWith('older:'))).toEqual(
      before.filter(({ key }) => !String(key).startsWith('older:')),
    )
    expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    expect(value(await store.marks(['spool']))).toEqual({ spool: 'plain' })
  } finally {
    await store.close()
  }
  expect(found(texts)).toEqual([])
})

it('rewrites no file when the store is already clean', async () => {
  const all = spelled()
  const first = await open()
  await fill(first, all)
  value(await first.redactStored())
  await first.close()
  const second = await open()
  // The appended event contains a secret, so it would change if the rules ran again.
  value(await second.append([older(100_001, all[0]?.text ?? '')]))
  expect(value(await second.redactStored())).toBe(0)
  expect((await events(second)).at(-1)?.preview).toContain(all[0]?.text)
  await second.close()
})

it("redacts a store again that an older version's rules cleaned", async () => {
  const all = spelled()
  const first = await open()
  await fill(first, all)
  await first.close()
  const db = new DatabaseSync(join(folder, 'ledger.db'))
  db.prepare("INSERT INTO meta VALUES ('redaction', ?)").run('{"rules":0,"after":null,"rows":0}')
  db.close()
  const second = await open()
  expect(value(await second.redactStored())).toBeGreaterThan(0)
  expect(found(traces(all))).toEqual([])
  await second.close()
})

it('lets appends through while it redacts the store', async () => {
  const store = await open()
  await fill(store, spelled())
  let appended: Promise<Result<unknown>> | undefined
  const order: string[] = []
  const cleaned = store
    .redactStored({
      onProgress: () => {
        appended ??= store.append([older(200_000, 'plain')]).finally(() => order.push('appended'))
      },
    })
    .finally(() => order.push('cleaned'))
  value(await cleaned)
  value((await appended) as Result<unknown>)
  expect(order).toEqual(['appended', 'cleaned'])
  expect((await events(store)).at(-1)?.key).toBe('older:200000')
  await store.close()
})
