import { describe, expect, it } from 'vitest'
import { tiered, together } from './achievement.ts'
import { buildItems } from './achievement-items.ts'
import { aggregate, type Contribution } from './aggregate.ts'
import { latestUnlocks, newestUnlock } from './latest-unlocks.ts'
import type { SessionValues } from './metrics.ts'
import { complete } from './stored-contribution.ts'
import { mergeUnlocks } from './unlocks.ts'

const NEVER = { zone: 'UTC', isWeekend: () => false, isNight: () => false }
const DAY = 86_400_000
const about = { id: 'x', name: 'X', category: 'Lifestyle', icon: 'moon', description: '' } as const
const most = tiered(about, 'max_tool_calls_in_session', [200, 500, 1_200, 3_000, 8_000])
const git = tiered({ ...about, id: 'git' }, 'git_events', [10, 20, 30, 40, 50])
const hidden = tiered({ ...about, id: 'hidden', secret: true }, 'docker_conflict_events', [1, 2, 3, 4, 5])
const both = together({ ...about, id: 'both' }, { max_tool_calls_in_session: 200, git_events: 10 })

const session = (
  id: string,
  day: number,
  values: Partial<SessionValues>,
  more: Partial<Contribution> = {},
): Contribution => ({
  session_id: id,
  title: `About ${id}`,
  source: 'cli',
  model: null,
  started_at: day * DAY,
  last_at: (day + 1) * DAY,
  values: complete(values),
  agent: 'hermes',
  ...more,
})

const CATALOGUE = [most, git, hidden, both]
const of = (...sessions: Contribution[]) => aggregate(sessions, NEVER, CATALOGUE)
const itemsFor = (...sessions: Contribution[]) => {
  const sums = of(...sessions)
  return buildItems(CATALOGUE, sums, mergeUnlocks(CATALOGUE, sums, new Map()))
}

describe('date of a tier', () => {
  it('is when a single session reached it, not when the session ended', () => {
    const passed = { tool_call_count: { 200: 3 * DAY, 500: 9 * DAY } }
    const long = session('long', 1, { tool_call_count: 510 }, { last_at: 200 * DAY, passed })
    const short = session('short', 5, { tool_call_count: 201 })
    for (const order of [
      [long, short],
      [short, long],
    ] as const)
      expect([...(of(...order).reached.get('x') ?? [])]).toEqual([
        ['Copper', 3 * DAY],
        ['Silver', 9 * DAY],
      ])
  })

  it('is the end of the deciding session for a sum, and of the last one for several conditions', () => {
    const passed = { tool_call_count: { 200: 2 * DAY } }
    const one = session('one', 1, { tool_call_count: 200, git_events: 4 }, { passed })
    const two = session('two', 6, { git_events: 6 })
    const { reached } = of(two, one)
    expect([...(reached.get('git') ?? [])]).toEqual([['Copper', 7 * DAY]])
    expect([...(reached.get('both') ?? [])]).toEqual([[null, 7 * DAY]])
  })

  it('is the newest one if the latest unlocks are requested', () => {
    const [items] = [
      itemsFor(session('a', 1, { tool_call_count: 250, git_events: 9 }), session('b', 8, { git_events: 21 })),
    ]
    expect(latestUnlocks(items, 9).map(({ id }) => id)).toEqual(['git', 'both', 'x'])
    const raised = { ...items[0], unlocked_at: 5, tier_dates: { Copper: 5, Silver: (99 * DAY) / 1_000 } }
    expect(newestUnlock(raised as never)).toBe((99 * DAY) / 1_000)
    expect(latestUnlocks([...items.slice(1), raised as never], 1)).toEqual([raised])
  })
})

describe('best session', () => {
  it('is named for a sum, a maximum and several conditions, even before the unlock', () => {
    const items = itemsFor(
      session('a', 1, { tool_call_count: 150, git_events: 1 }),
      session('b', 2, { tool_call_count: 20, git_events: 6 }, { agent: 'codex' }),
      session('c', 3, { git_events: 2 }),
    )
    const best = new Map(items.map(({ id, best_session }) => [id, best_session]))
    expect(best.get('x')).toEqual({ source: 'hermes', session_id: 'a', title: 'About a', value: 150 })
    expect(best.get('git')).toEqual({ source: 'codex', session_id: 'b', title: 'About b', value: 6 })
    expect(best.get('both')).toMatchObject({ session_id: 'a', value: 42 })
  })

  it('is hidden for an undiscovered secret and a forgotten session', () => {
    const items = itemsFor(session('\u001fgone', 1, { tool_call_count: 250, docker_conflict_events: 0 }))
    const [first, , secret] = items
    expect(first).toMatchObject({ unlocked: true, evidence: null })
    expect(first).not.toHaveProperty('best_session')
    expect(secret).toMatchObject({ state: 'secret' })
    expect(secret).not.toHaveProperty('best_session')
    const found = itemsFor(session('a', 1, { docker_conflict_events: 1 }))[2]
    expect(found).toMatchObject({ unlocked: true, best_session: { session_id: 'a' } })
  })
})
