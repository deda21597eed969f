import { hash } from 'node:crypto'
import type { Account } from '@panoptes/schema'

/** What an account is made by. It goes up when the same session would come out otherwise. */
export const RULES = 3

/** What an account hangs on beside its session. */
export interface MadeBy {
  readonly zone: string
  /** Another mark, another price. */
  readonly markOf: (model: string) => string
}

interface Parts {
  readonly rules: number
  readonly zone: string
  /** What its source, or the log, knows it by. */
  readonly of: string
  /** The marks of the prices of its models. */
  readonly prices: Readonly<Record<string, string>>
  /** Somebody in it is still at work: it is judged again though it does not change. */
  readonly open?: true
  /** Of the log: the first event it was ever made of, and the last. */
  readonly log?: CountedLog
}

export type CountedLog = readonly [first: number, last: number]

/** What an account is known by. It names its models, so that only what hangs on a changed price is read again. */
export function fingerprintOf(
  account: Account,
  of: string,
  { zone, markOf }: MadeBy,
  log?: CountedLog,
): string {
  const models = new Set(account.cells.flatMap(({ model }) => (model === null ? [] : [model])))
  const prices = Object.fromEntries([...models].sort().map((model) => [model, short(markOf(model))]))
  return JSON.stringify({ rules: RULES, zone, of: short(of), prices, ...(log && { log }) } satisfies Parts)
}

/** Whether an account is the one that a fold makes with this fingerprint, which does not say who is still at work. */
export function isFolded(known: string | undefined, version: string): boolean {
  const { open: _, ...parts } = (known === undefined ? undefined : partsOf(known)) ?? {}
  return JSON.stringify(parts) === version
}

/** Whether an account that is known by this would come out the same. */
export function isCurrent(known: string | undefined, of: string, { zone, markOf }: MadeBy): boolean {
  const parts = known === undefined ? undefined : partsOf(known)
  if (parts?.rules !== RULES || parts.zone !== zone || parts.of !== short(of)) return false
  return Object.entries(parts.prices).every(([model, mark]) => short(markOf(model)) === mark)
}

/** Which events an account is made of; undefined where it does not say. */
export const countedLog = (known: string): CountedLog | undefined => partsOf(known)?.log

export const isOpen = (known: string): boolean => partsOf(known)?.open === true

/** The account with its fingerprint saying whether all of its agents are through. */
export function withOpen(account: Account): Account {
  const { open: _, ...parts } = partsOf(account.fingerprint) ?? { of: account.fingerprint }
  const open = account.agents.some(({ finished }) => !finished)
  return { ...account, fingerprint: JSON.stringify(open ? { ...parts, open } : parts) }
}

function partsOf(known: string): Parts | undefined {
  try {
    const parts: unknown = JSON.parse(known)
    return typeof parts === 'object' && parts !== null && 'rules' in parts ? (parts as Parts) : undefined
  } catch {
    return undefined
  }
}

const short = (text: string): string => hash('sha256', text, 'base64url').slice(0, 16)
