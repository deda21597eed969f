import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import {
  account,
  cell,
  createAgentAccount,
  createClaim,
  createSkillUse,
  NOON,
} from '../../conformance/accounts-kit.ts'
import { exchange, head } from '../../conformance/conversing-kit.ts'
import { day, event } from '../../conformance/event-kit.ts'
import { value } from '../../conformance/lab.ts'
import { injection, turn } from '../../conformance/rows-kit.ts'
import { openSqliteStore } from '../../index.ts'
import type { EventStore } from '../../port.ts'

/** Generates numbers from 0 up to a limit that are the same for the same seed. */
export function randomBelow(seed: number): (limit: number) => number {
  let state = seed >>> 0
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 4_294_967_296) * limit)
  }
}

/**
 * Creates a store with something in every kind of table, whose file looks as it does while a process has it
 * open.
 */
export async function filledStore(file: string, count: number): Promise<EventStore> {
  const store = value(await openSqliteStore(file))
  for (let at = 0; at < count; at += 500)
    value(
      await store.append(
        day(7 + at, 500).map((each, i) => ({ ...each, key: `${at}-${i}` })),
        { [`read-${at}`]: `${at}` },
      ),
    )
  value(
    await store.append([
      event(1, { key: 'long', session_id: 'long', prompt_preview: 'word '.repeat(4_000) }),
    ]),
  )
  value(await store.append([event(2, { key: 'private', session_id: 'private' })]))
  const { annotations, achievementStore, conversations, accounts, turns, templateUses } = store
  for (let at = 0; at < 40; at += 1) {
    value(
      await annotations.mark(
        { source: 'hermes', id: `s${at}` },
        { tags: [`t${at}`], note: `note ${at} `.repeat(40) },
      ),
    )
    value(await conversations.create(head(`c${at}`)))
    await exchange(conversations, `c${at}`, `turn${at}`)
  }
  const contributions = Array.from({ length: 200 }, (_, at) => ({
    scope: 'hermes /a',
    source: 'hermes',
    id: `s${at}`,
    fingerprint: `f${at}`,
    doc: JSON.stringify({ title: `About ${at} `.repeat(10), values: { message_count: at } }),
  }))
  value(await achievementStore.contribute(contributions))
  value(
    await achievementStore.unlock([{ view: 'all', id: 'first', doc: '{"unlocked_at":5,"evidence":null}' }]),
  )
  const made = Array.from({ length: 60 }, (_, at) => {
    const of = { source: 'hermes', session_id: `s${at}`, project: null }
    return account(`s${at}`, {
      last_at: NOON + at * 1_000,
      agents: [createAgentAccount(of)],
      claims: [createClaim(of, 0)],
      skills: [createSkillUse(of, `u${at}`)],
      cells: [cell('2026-09-15')],
    })
  })
  value(await accounts.put(made))
  value(await turns.keep(Array.from({ length: 40 }, (_, at) => turn(`turn-${at}`))))
  for (const key of ['a', 'b']) value(await templateUses.inject(injection(key)))
  return store
}

/** Copies the file and its write-ahead log, as a kill would leave them. */
export function copyStore(from: string, to: string): void {
  copyFileSync(from, to)
  if (existsSync(`${from}-wal`)) copyFileSync(`${from}-wal`, `${to}-wal`)
}

type Row = Readonly<Record<string, unknown>>

/** Returns all rows of a table as text. */
export function rowsIn(file: string, table: string): ReadonlySet<string> {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return new Set(
      db
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map((row) => JSON.stringify(Object.values(row as Row))),
    )
  } finally {
    db.close()
  }
}

/**
 * Returns the most events in one page, and how many events lie in the pages before a position in the file.
 */
export function eventsByPage(file: string, end: number): { readonly most: number; readonly before: number } {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    const row = db
      .prepare(
        `SELECT max(ncell) AS most, sum(ncell) FILTER (WHERE pageno * pgsize <= ?) AS before
         FROM dbstat WHERE name = 'events' AND pagetype = 'leaf'`,
      )
      .get(end)
    return { most: Number(row?.most), before: Number(row?.before) }
  } finally {
    db.close()
  }
}

export function change(file: string, by: (bytes: Buffer) => Buffer | undefined): void {
  const bytes = readFileSync(file)
  writeFileSync(file, by(bytes) ?? bytes)
}
