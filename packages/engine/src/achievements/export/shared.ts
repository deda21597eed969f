import { redactText } from '@panoptes/engine/redact'
import type { AchievementItem, AchievementsReply } from '@panoptes/schema'

export type ItemState = AchievementItem['state']

/** The content of an export: all counts, and the selected items. */
export interface Shown {
  readonly reply: AchievementsReply
  readonly items: readonly AchievementItem[]
}

const SECOND_MS = 1_000
const LAST_DATE_MS = 8.64e15

/** Selects the items of one state or all, and redacts session titles. */
export const selectItems = (reply: AchievementsReply, state?: ItemState): Shown => ({
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

/** Formats the day of a moment in the time zone; undefined for an invalid date. */
export function formatDay(seconds: number | null | undefined, zone: string): string | undefined {
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

/** Describes which sessions were counted. */
export const WHOSE = { all: 'sessions of every agent', hermes: 'sessions of Hermes' } as const
