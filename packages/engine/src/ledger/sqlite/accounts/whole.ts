import type { Account, SessionRef } from '@panoptes/schema'
import type { KnownAccount } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'
import { PLACES, type RowKind } from './facts.ts'
import type { AccountDoc } from './put.ts'

/** One account as JSON text, as it was put. */
export function wholeOf(statements: Statements, { source, id }: SessionRef): Account | null {
  const row = statements
    .of('SELECT number, fingerprint, made_of, doc FROM accounts WHERE source = ? AND session_id = ?')
    .get(source, id)
  if (row === undefined) return null
  const number = Number(row.number)
  const rows = <T>(kind: RowKind): T[] =>
    statements
      .of(`SELECT doc FROM account_${kind} WHERE id >= ? AND id < ? ORDER BY id`)
      .all(number * PLACES, (number + 1) * PLACES)
      .map(({ doc }) => JSON.parse(String(doc)))
  const { title, project, last_at, cells } = JSON.parse(String(row.doc)) as AccountDoc
  return {
    source,
    session_id: id,
    fingerprint: String(row.fingerprint),
    from: row.made_of as Account['from'],
    title,
    project,
    last_at,
    agents: rows('agents'),
    claims: rows('claims'),
    skills: rows('uses'),
    cells: cells.map(({ cell }) => cell),
  }
}

const A_PART = 1_000

/** Whole parts of a long list go ahead by `part`; the answer has the rest. */
export function knownOf(
  statements: Statements,
  source: string,
  part: (known: readonly KnownAccount[]) => void,
): readonly KnownAccount[] {
  let known: KnownAccount[] = []
  const rows = statements
    .of(
      'SELECT session_id AS id, fingerprint, made_of AS "from" FROM accounts WHERE source = ? ORDER BY session_id',
    )
    .iterate(source)
  for (const row of rows) {
    known.push({ ...row } as unknown as KnownAccount)
    if (known.length < A_PART) continue
    part(known)
    known = []
  }
  return known
}
