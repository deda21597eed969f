import type { ContributionRow } from '@panoptes/engine/ledger'
import type { Contribution } from './aggregate.ts'
import { noValues, SESSION_VALUES, type SessionValues } from './metrics.ts'
import { isModel } from './models.ts'
import { earlier } from './passed.ts'

/** What is known of one session: what it adds, or that it never counts. */
export interface Kept {
  readonly fingerprint: string
  /** Nothing for one that had been put away when it was first met. */
  readonly contribution: Contribution | undefined
  /** Of such a one: when it last was, and how many messages it had. */
  readonly apart?: { readonly last_at: number | null; readonly message_count: number }
}

type Doc = Omit<Contribution, 'session_id' | 'values' | 'agent'> & { readonly values: Partial<SessionValues> }

export function rowOf(
  scope: string,
  source: string,
  id: string,
  { fingerprint, contribution, apart = NEVER }: Kept,
): ContributionRow {
  return { scope, source, id, fingerprint, doc: contribution ? docOf(contribution) : JSON.stringify(apart) }
}

const NEVER = { last_at: null, message_count: 0 }

function docOf({ session_id: _id, agent: _agent, values, ...about }: Contribution): string {
  const told: string[] = []
  for (const name of SESSION_VALUES) if (values[name] !== 0) told.push(`"${name}":${values[name]}`)
  return `${JSON.stringify(about).slice(0, -1)},"values":{${told.join()}}}`
}

export function keptOf({ id, fingerprint, doc }: ContributionRow): Kept {
  const { values, ...about } = JSON.parse(doc) as Partial<Doc> & { readonly message_count?: number }
  if (values === undefined) {
    const { last_at = null, message_count = 0 } = about
    return { fingerprint, contribution: undefined, apart: { last_at, message_count } }
  }
  return {
    fingerprint,
    contribution: {
      ...(about as Omit<Doc, 'values'>),
      session_id: id,
      values: complete(values),
    },
  }
}

/** What a session did not have is not written down. */
export function complete(values: Partial<SessionValues>): SessionValues {
  const all = noValues()
  for (const name of SESSION_VALUES) all[name] = values[name] ?? 0
  return all
}

const MOST_MODELS = 32

/** A session that lost messages still did what it did: no count of it ever falls. */
export function raised(before: Contribution | undefined, now: Contribution): Contribution {
  if (before === undefined) return now
  const values = noValues()
  for (const name of SESSION_VALUES) values[name] = Math.max(before.values[name], now.values[name])
  const models = new Set([...(before.earlier_models ?? []), before.model].filter(isModel))
  models.delete(now.model ?? '')
  const passed = earlier(before.passed, now.passed)
  const earlier_models = [...models].slice(0, MOST_MODELS)
  return {
    ...now,
    started_at: now.started_at ?? before.started_at,
    values,
    ...(passed && { passed }),
    ...(earlier_models.length > 0 && { earlier_models }),
  }
}
