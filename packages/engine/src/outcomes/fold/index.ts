import type { Prices } from '@panoptes/engine/models'
import { type Fold, ownFingerprint } from '@panoptes/engine/sources'
import type { Account } from '@panoptes/schema'
import { daysOf } from '../follow/days.ts'
import { Ends } from '../follow/ends.ts'
import { fingerprintOf, RULES } from '../follow/fingerprint.ts'
import { SessionAccount } from '../make/session.ts'

export const ACCOUNT = 'account'

export interface AccountFoldSetup {
  readonly prices: Prices
  /** The time zone that determines days. */
  readonly zone: string
  /** Whether a slash command of this name is a skill. */
  readonly isSkill: (name: string) => boolean
}

/** Makes the account of a session from its messages, with its claims still unchecked. */
export function accountFold({ prices, zone, isSkill }: AccountFoldSetup): Fold {
  const by = { zone, markOf: prices.markOf }
  const dayOf = daysOf(zone)
  return {
    name: ACCOUNT,
    rules: `${RULES} ${zone}`,
    start: (source, listed) => {
      const account = new SessionAccount(listed, { source, prices, dayOf, isSkill })
      const ends = new Ends(source)
      return {
        take: (record) => {
          account.take(record)
          ends.take(record)
        },
        end: (session) => {
          ends.take({ kind: 'session', session })
          const made = ends.told(account.account(session))
          const fingerprint = fingerprintOf(made, ownFingerprint(listed), by)
          const value: Account = { ...made, fingerprint }
          return { version: fingerprint, value }
        },
      }
    },
  }
}
