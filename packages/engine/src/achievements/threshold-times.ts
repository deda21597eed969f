import type { Contribution } from './aggregate.ts'
import { CATALOGUE } from './catalogue.ts'
import { BESTS, type BestName, type SessionValue } from './metrics.ts'

/**
 * When values of a session reached the thresholds of one session, by value and threshold, in
 * milliseconds.
 */
export type Passed = Readonly<Partial<Record<SessionValue, Readonly<Record<string, number>>>>>

export const passedAt = (
  { passed }: Contribution,
  value: SessionValue,
  threshold: number,
): number | undefined => passed?.[value]?.[threshold]

const requirements = CATALOGUE.flatMap((achievement) =>
  achievement.kind === 'multi_condition'
    ? achievement.requirements.map(({ metric, gte }) => ({ metric, threshold: gte }))
    : achievement.tiers.map(({ threshold }) => ({ metric: achievement.threshold_metric, threshold })),
)

const findThresholds = (value: SessionValue): readonly number[] => {
  const wanted = requirements.filter(({ metric }) => BESTS[metric as BestName] === value)
  return [...new Set(wanted.map(({ threshold }) => threshold))].sort((a, b) => a - b)
}

/** The watched values, in the order they are reported. */
export const WATCHED: readonly SessionValue[] = [...new Set(Object.values(BESTS))]
const THRESHOLDS = WATCHED.map(findThresholds)

/**
 * Records, while a session is read, when its values reach a threshold of one session. For most
 * sessions that never happens.
 */
export class Passing {
  readonly #next = THRESHOLDS.map(([first]) => first ?? Number.POSITIVE_INFINITY)
  #passed: Partial<Record<SessionValue, Record<string, number>>> | undefined

  /** `which` is the index among the watched values. */
  look(which: number, count: number, at: number): void {
    if (count < (this.#next[which] as number)) return
    const name = WATCHED[which] as SessionValue
    for (const threshold of THRESHOLDS[which] ?? []) {
      if (threshold < (this.#next[which] as number)) continue
      this.#next[which] = threshold
      if (threshold > count) return
      this.#passed ??= {}
      this.#passed[name] = { ...this.#passed[name], [threshold]: at }
    }
    this.#next[which] = Number.POSITIVE_INFINITY
  }

  passed(): Passed | undefined {
    return this.#passed
  }
}

/** Returns the earlier of two times for each threshold. */
export function earlier(one: Passed | undefined, other: Passed | undefined): Passed | undefined {
  if (one === undefined || other === undefined) return one ?? other
  const merged: Partial<Record<SessionValue, Record<string, number>>> = {}
  for (const part of [one, other])
    for (const [value, times] of Object.entries(part) as [SessionValue, Record<string, number>][]) {
      const earliest = merged[value] ?? {}
      for (const [threshold, at] of Object.entries(times))
        earliest[threshold] = Math.min(earliest[threshold] ?? at, at)
      merged[value] = earliest
    }
  return merged
}
