import { redactText } from '@panoptes/engine/redact'
import type { ContributionRow } from '@panoptes/engine/store'
import type { Contribution } from './aggregate.ts'
import { noValues, SESSION_VALUES, type SessionValues } from './metrics.ts'
import { isModel } from './models.ts'
import { earlier } from './threshold-times.ts'

/** The stored result for one session: its contribution, or a mark that it never counts. */
export interface SessionRecord {
  readonly fingerprint: string
  /** Undefined for a session that was archived when it was first seen. */
  readonly contribution: Contribution | undefined
  /** The last activity and number of messages of a session that never counts. */
  readonly apart?: { readonly last_at: number | null; readonly message_count: number }
}

type Doc = Omit<Contribution, 'session_id' | 'values' | 'agent'> & { readonly values: Partial<SessionValues> }

export function toRow(
  scope: string,
  source: string,
  id: string,
  { fingerprint, contribution, apart = NEVER }: SessionRecord,
): ContributionRow {
  return { scope, source, id, fingerprint, doc: contribution ? toDoc(contribution) : JSON.stringify(apart) }
}

const NEVER = { last_at: null, message_count: 0 }

function toDoc({ session_id: _id, agent: _agent, values, ...counted }: Contribution): string {
  const about = { ...counted, title: redactText(counted.title).text }
  const parts: string[] = []
  for (const name of SESSION_VALUES) if (values[name] !== 0) parts.push(`"${name}":${values[name]}`)
  return `${JSON.stringify(about).slice(0, -1)},"values":{${parts.join()}}}`
}

export function fromRow({ id, fingerprint, doc }: ContributionRow): SessionRecord {
  const { values, ...about } = JSON.parse(doc) as Partial<Doc> & { readonly message_count?: number }
  if (values === undefined) {
    const { last_at = null, message_count = 0 } = about
    return { fingerprint, contribution: undefined, apart: { last_at, message_count } }
  }
  return {
    fingerprint,
    contribution: {
      ...(about as Omit<Doc, 'values'>),
      // A title stored by an older version may still contain a secret.
      title: redactText(about.title ?? '').text,
      session_id: id,
      values: complete(values),
    },
  }
}

/** Fills in the zero values, which are not stored. */
export function complete(values: Partial<SessionValues>): SessionValues {
  const all = noValues()
  for (const name of SESSION_VALUES) all[name] = values[name] ?? 0
  return all
}

const MOST_MODELS = 32

/** A session that lost messages still did what it did, so no value ever falls. */
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
