import type { KnownAccount } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'

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
