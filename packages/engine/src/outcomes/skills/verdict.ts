import type { SkillSum } from '@panoptes/engine/store'
import type { Config, SkillVerdict } from '@panoptes/schema'

export type SkillRules = Config['skills']

/** What is known about a skill. Times are in milliseconds. */
export interface Judged {
  /** Uses within the window; undefined if it was never used. */
  readonly sum: SkillSum | undefined
  readonly lastUsed: number | null
  /** When its folder was last changed; null if it has none here. */
  readonly changedAt: number | null
  /** Where the history begins; null if there is none. */
  readonly knownSince: number | null
}

export interface Verdict {
  readonly verdict: SkillVerdict
  readonly reason: string
}

export const DAY_MS = 86_400_000

/**
 * The rules in order: unused skills first, then failing ones, then successful ones. Only uses with
 * a known result count for or against a skill, but any use keeps it from being archived.
 */
export const decideVerdict = (judged: Judged, rules: SkillRules, now: number): Verdict =>
  judgeByLastUse(judged, rules, now) ?? byRate(judged.sum, rules)

function judgeByLastUse(
  { lastUsed, changedAt, knownSince }: Judged,
  { archive_after_days: limit }: SkillRules,
  now: number,
): Verdict | undefined {
  const isOld = (since: number) => now - since >= limit * DAY_MS
  if (lastUsed !== null) {
    if (!isOld(lastUsed)) return undefined
    return archive(`Last used ${daysText(now - lastUsed)} ago; the limit is ${days(limit)}.`)
  }
  if (changedAt === null) return watching('It has never been used.')
  if (!isOld(changedAt))
    return watching(
      `Never used, but its folder was changed ${daysText(now - changedAt)} ago; the limit is ${days(limit)}.`,
    )
  if (knownSince === null || !isOld(knownSince)) {
    const reach = knownSince === null ? 'is not known yet' : `goes back only ${daysText(now - knownSince)}`
    return watching(`It has no recorded use, but the history ${reach}; the limit is ${days(limit)}.`)
  }
  return archive(
    `Never used, and its folder was not changed for ${daysText(now - changedAt)}; the limit is ${days(limit)}.`,
  )
}

function byRate(sum: SkillSum | undefined, rules: SkillRules): Verdict {
  const { uses, judged, successes } = sum ?? { uses: 0, judged: 0, successes: 0 }
  const window = days(rules.window_days)
  if (uses === 0) return watching(`Not used in the last ${window}.`)
  if (judged === 0) return watching(`${usesText(uses)} in ${window}, with unknown results.`)
  const rate = successes / judged
  const open = uses > judged ? `; ${uses - judged} more with an unknown result` : ''
  const summary = `${successes} of ${usesText(judged)} in ${window} succeeded (${percent(rate)})${open}`
  const { re_extract_over_uses, re_extract_under_rate, validated_over_uses, validated_over_rate } = rules
  if (judged > re_extract_over_uses && rate < re_extract_under_rate)
    return {
      verdict: 're-extract',
      reason: `${summary}: under ${percent(re_extract_under_rate)}, of more than ${usesText(re_extract_over_uses)}.`,
    }
  if (judged > validated_over_uses && rate > validated_over_rate)
    return {
      verdict: 'validated',
      reason: `${summary}: over ${percent(validated_over_rate)}, of more than ${usesText(validated_over_uses)}.`,
    }
  return watching(`${summary}: ${lacking(judged, rate, rules)}.`)
}

function lacking(judged: number, rate: number, rules: SkillRules): string {
  const { re_extract_over_uses, re_extract_under_rate, validated_over_uses, validated_over_rate } = rules
  if (rate > validated_over_rate) return `it needs more than ${usesText(validated_over_uses)} to be validated`
  if (rate < re_extract_under_rate && judged <= re_extract_over_uses)
    return `it needs more than ${usesText(re_extract_over_uses)} for a verdict`
  return `neither under ${percent(re_extract_under_rate)} nor over ${percent(validated_over_rate)}`
}

const archive = (reason: string): Verdict => ({ verdict: 'archive', reason })
const watching = (reason: string): Verdict => ({ verdict: 'watching', reason })

const usesText = (count: number): string => `${count.toLocaleString('en-US')} ${count === 1 ? 'use' : 'uses'}`
const days = (count: number): string => `${count} ${count === 1 ? 'day' : 'days'}`
const daysText = (ms: number): string => days(Math.max(0, Math.floor(ms / DAY_MS)))

/** Never rounds across a threshold. */
const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`
