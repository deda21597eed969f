import { redactText } from '@panoptes/engine/redact'
import type { AchievementItem, AchievementsReply } from '@panoptes/schema'

export type ItemState = AchievementItem['state']

/** What an export shows: the counts of all of them, and the items that were asked for. */
export interface Shown {
  readonly reply: AchievementsReply
  readonly items: readonly AchievementItem[]
}

const SECOND_MS = 1_000
const LAST_DATE_MS = 8.64e15

/** The items in one state, or all; what is a secret in the title of a session is taken out. */
export const shownOf = (reply: AchievementsReply, state?: ItemState): Shown => ({
  reply,
  items: reply.achievements
    .filter((item) => state === undefined || item.state === state)
    .map((item) => ({
      ...item,
      ...(item.evidence && { evidence: withoutSecrets(item.evidence) }),
      ...(item.best_session && { best_session: withoutSecrets(item.best_session) }),
    })),
})

const withoutSecrets = <T extends { readonly title: string }>(evidence: T): T => ({
  ...evidence,
  title: redactText(evidence.title).text,
})

/** The day of a moment, by the clock of the zone; nothing for what is no moment. */
export function dayOf(seconds: number | null | undefined, zone: string): string | undefined {
  if (seconds === null || seconds === undefined) return undefined
  const ms = seconds * SECOND_MS
  if (!(Math.abs(ms) <= LAST_DATE_MS)) return undefined
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  }).formatToParts(ms)
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

const NUMBER = new Intl.NumberFormat('en-US')

export const figure = (value: number): string => NUMBER.format(value)

/** Whose sessions were counted. */
export const WHOSE = { all: 'sessions of every agent', hermes: 'sessions of Hermes' } as const
