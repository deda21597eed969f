import type { AccountFingerprint } from '../../accounts-port.ts'
import type { Statements } from '../statements.ts'

const A_PART = 1_000

/** Full parts of a long list are sent ahead through `part`; the answer contains the rest. */
export function readFingerprints(
  statements: Statements,
  source: string,
  part: (batch: readonly AccountFingerprint[]) => void,
): readonly AccountFingerprint[] {
  let accounts: AccountFingerprint[] = []
  const rows = statements
    .of(
      'SELECT session_id AS id, fingerprint, made_of AS "from" FROM accounts WHERE source = ? ORDER BY session_id',
    )
    .iterate(source)
  for (const row of rows) {
    accounts.push({ ...row } as unknown as AccountFingerprint)
    if (accounts.length < A_PART) continue
    part(accounts)
    accounts = []
  }
  return accounts
}
