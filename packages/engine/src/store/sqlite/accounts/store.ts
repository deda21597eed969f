import type { Deltas } from '../../accounts/account-writes.ts'
import { AccountWrites } from '../../accounts/account-writes.ts'
import { SPENT } from '../../accounts/cost-facts.ts'
import { KINDS, PLACES, type RowKind } from '../../accounts/facts.ts'
import { ANY } from '../../accounts/names.ts'
import type { SkillDates, TouchedSkill } from '../../accounts/skills.ts'
import type { AccountRow, AccountStore, StoredRow } from '../../accounts/store.ts'
import type { Statements } from '../statements.ts'

/** Adds and removes accounts within a transaction, and writes all sums once at the end. */
export function writeAccounts<T>(statements: Statements, work: (writes: AccountWrites) => T): T {
  const writes = new AccountWrites(createStore(statements))
  const done = work(writes)
  for (const sums of writes.sums) writeSums(statements, sums)
  writeDates(statements, writes.dates)
  return done
}

function createStore(statements: Statements): AccountStore {
  const numbers = new Map<string, number>()
  const give = (name: string): number => {
    const cached = numbers.get(name)
    if (cached !== undefined) return cached
    const found = statements.of('SELECT id FROM account_names WHERE name = ?').get(name)
    const number = Number(
      found?.id ?? statements.of('INSERT INTO account_names (name) VALUES (?)').run(name).lastInsertRowid,
    )
    numbers.set(name, number)
    return number
  }
  const dropCosts = (account: number) =>
    statements.of('DELETE FROM account_costs WHERE account = ?').run(account)
  return {
    give,
    find: (source, session_id) =>
      statements
        .of('SELECT number, day, doc FROM accounts WHERE source = ? AND session_id = ?')
        .get(source, session_id) as AccountRow | undefined,
    next: () =>
      Number(statements.of('SELECT coalesce(max(number), 0) + 1 AS next FROM accounts').get()?.next),
    save: ({ number, source, session_id, fingerprint, from, day, doc }) => {
      statements
        .of(
          `INSERT INTO accounts (number, source, session_id, fingerprint, made_of, day, doc) VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (number) DO UPDATE SET fingerprint = excluded.fingerprint, made_of = excluded.made_of, day = excluded.day, doc = excluded.doc`,
        )
        .run(number, source, session_id, fingerprint, from, day, doc)
    },
    drop: ({ number }) => {
      dropCosts(number)
      statements.of('DELETE FROM accounts WHERE number = ?').run(number)
    },
    rows: (kind, account) => readStoredRows(statements, kind, account),
    putRow: (kind, id, { at, source, project, kinds, doc }) => {
      const columns = ['id', 'at', 'source', 'project', ...KINDS[kind], 'doc']
      statements
        .of(
          `INSERT OR REPLACE INTO account_${kind} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
        )
        .run(id, at, source, project, ...kinds, doc)
    },
    dropRow: (kind, id) => {
      statements.of(`DELETE FROM account_${kind} WHERE id = ?`).run(id)
    },
    putCosts: ({ account, source, project }, costs) => {
      dropCosts(account)
      const put = statements.of(
        `INSERT INTO account_costs (model, day, account, source, project, ${SPENT.join(', ')})
         VALUES (?, ?, ?, ?, ?, ${SPENT.map(() => '?').join(', ')})`,
      )
      for (const { model, day, spent } of costs) put.run(model, day, account, source, project, ...spent)
    },
  }
}

function readStoredRows(statements: Statements, kind: RowKind, account: number): Map<number, StoredRow> {
  const rows = statements
    .of(`SELECT * FROM account_${kind} WHERE id >= ? AND id < ?`)
    .all(account * PLACES, (account + 1) * PLACES)
  return new Map(
    rows.map((row) => [
      Number(row.id),
      {
        at: row.at as number | null,
        source: Number(row.source),
        project: Number(row.project),
        kinds: KINDS[kind].map((name) => Number(row[name])),
        doc: String(row.doc),
      },
    ]),
  )
}

function writeSums(statements: Statements, sums: Deltas): void {
  const { table, key: named, counts, amounts: added } = sums
  const columns = [...named, ...added]
  const add = statements.of(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (${named.join(', ')})
     DO UPDATE SET ${added.map((name) => `${name} = ${name} + excluded.${name}`).join(', ')}`,
  )
  const isNone = [...named.map((name) => `${name} = ?`), ...counts.map((name) => `${name} = 0`)]
  const drop = statements.of(`DELETE FROM ${table} WHERE ${isNone.join(' AND ')}`)
  for (const { key, amounts, isLess } of sums.changes()) {
    // A numeric column accepts the text of a number.
    add.run(...key, ...amounts)
    if (isLess) drop.run(...key)
  }
}

function writeDates(statements: Statements, dates: SkillDates): void {
  const put = statements.of(
    `INSERT INTO account_skills (source, project, skill, last_used) VALUES (?, ?, ?, ?)
     ON CONFLICT (source, project, skill) DO UPDATE SET last_used = max(last_used, excluded.last_used)`,
  )
  const drop = statements.of('DELETE FROM account_skills WHERE source = ? AND project = ? AND skill = ?')
  for (const { key, newest, isGone } of dates.changes()) {
    if (isGone) drop.run(...key)
    const last = isGone ? lastUse(statements, key) : newest
    if (last !== undefined) put.run(...key, last)
  }
}

function lastUse(statements: Statements, [source, project, skill]: TouchedSkill['key']): number | undefined {
  const terms = [
    'skill = ?',
    ...(source === ANY ? [] : ['source = ?']),
    ...(project === ANY ? [] : ['project = ?']),
  ]
  const values = [skill, source, project].filter((value) => value !== ANY)
  const row = statements
    .of(`SELECT at FROM account_uses WHERE ${terms.join(' AND ')} ORDER BY at DESC LIMIT 1`)
    .get(...values)
  return row === undefined ? undefined : Number(row.at)
}
