import type { AchievementItem, AchievementsReply } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildItems } from '../achievement-items.ts'
import { aggregate } from '../aggregate.ts'
import { CATALOGUE } from '../catalogue.ts'
import { buildSnapshot } from '../snapshot.ts'
import { ACHIEVEMENTS_FORMATS, exportAchievements } from './index.ts'

const NEVER = { zone: 'UTC', isWeekend: () => false, isNight: () => false }
const NOON = 1_789_473_600
const META = {
  duration_ms: 1,
  sessions_scanned: 1,
  messages_scanned: 1,
  mode: 'full',
  error: null,
  sessions_total: 1,
  sessions_rescanned: 1,
  sessions_reused: 0,
  skipped: [],
} as const

const fresh = buildItems(CATALOGUE, aggregate([], NEVER, CATALOGUE), new Map())

/** An empty catalogue with these changes, by item id. */
function replyWith(changes: Readonly<Record<string, Partial<AchievementItem>>>, zone = 'UTC') {
  const items = fresh.map((item) => ({ ...item, ...changes[item.id] }))
  const reply: AchievementsReply = {
    ...buildSnapshot('all', zone, { items }, { ...META, skipped: [] }, NOON * 1_000),
    is_stale: false,
  }
  return reply
}

const metricsOf = (achievement: (typeof CATALOGUE)[number]): readonly string[] =>
  achievement.kind === 'multi_condition'
    ? achievement.requirements.map(({ metric }) => metric)
    : [achievement.threshold_metric]

const open = new Set(CATALOGUE.filter(({ secret }) => !secret).flatMap(metricsOf))
const HIDDEN = CATALOGUE.filter(({ secret }) => secret).map((achievement) => ({
  name: achievement.name,
  metrics: metricsOf(achievement).filter((metric) => !open.has(metric)),
}))

const cooked = (title: string): Partial<AchievementItem> => ({
  unlocked: true,
  state: 'unlocked',
  tier: 'Silver',
  progress: 612,
  next_tier: 'Gold',
  next_threshold: 1_200,
  unlocked_at: NOON,
  evidence: { session_id: 's1', title, value: 612 },
})

const HOSTILE =
  '<script>alert(1)</script> | [x](javascript:1) ![y](https://evil.example/p.png)\n\n# Heading\u202e\u0000'

describe('JSON export', () => {
  it('contains the counts and every item as served', () => {
    const reply = replyWith({ let_him_cook: cooked('A long evening') })
    const told = JSON.parse(exportAchievements(reply, 'json'))
    expect(told).toMatchObject({
      view: 'all',
      time_zone: 'UTC',
      counts: { unlocked_count: 1, discovered_count: 51, secret_count: 8, total_count: 60 },
    })
    expect(told.achievements).toEqual(reply.achievements)
  })

  it('contains the items of the requested state and the counts of all', () => {
    const told = JSON.parse(exportAchievements(replyWith({ let_him_cook: cooked('A') }), 'json', 'unlocked'))
    expect(told.achievements.map(({ id }: AchievementItem) => id)).toEqual(['let_him_cook'])
    expect(told.counts.total_count).toBe(60)
  })
})

describe('Markdown export', () => {
  it('has a table per category with tier, progress, day and evidence', () => {
    const text = exportAchievements(replyWith({ let_him_cook: cooked('A long evening') }), 'markdown')
    expect(text).toContain(
      '1 of 60 unlocked, 51 discovered, 8 secret: sessions of every agent, as of 2026-09-15 (UTC).',
    )
    expect(text.match(/^## .+$/gm)).toEqual([
      '## Agent Autonomy',
      '## Debugging Chaos',
      '## Vibe Coding',
      '## Hermes Native',
      '## Research/Web',
      '## Tool Mastery',
      '## Model Lore',
      '## Lifestyle',
    ])
    expect(text).toContain(
      '| Let Him Cook | Silver | 612 of 1,200 for Gold | 2026-09-15 | A long evening (612) |',
    )
    expect(text.match(/^\| (?!Achievement|---)/gm)).toHaveLength(60)
  })

  it('shows days in the time zone', () => {
    const late = { let_him_cook: { ...cooked('A'), unlocked_at: NOON + 12 * 3_600 - 1 } }
    expect(exportAchievements(replyWith(late, 'Pacific/Auckland'), 'markdown')).toContain('| 2026-09-16 |')
  })

  it('shows a session title as plain text on one line', () => {
    const text = exportAchievements(replyWith({ let_him_cook: cooked(HOSTILE) }), 'markdown', 'unlocked')
    const row = text.split('\n').find((line) => line.startsWith('| Let Him Cook'))
    expect(row).toContain('\\<script\\>alert\\(1\\)\\</script\\> \\| \\[x\\]\\(javascript:1\\)')
    expect(row).toContain('https\\://evil\\.example/p\\.png')
    expect(row).toContain('‹U\\+202E›')
    expect(text).not.toMatch(/^# Heading/m)
  })
})

describe('SVG export', () => {
  it('is a card of 1200 by 630 with counts, tiers and the newest unlocks first', () => {
    const svg = exportAchievements(
      replyWith({
        let_him_cook: cooked('A'),
        full_send: { unlocked: true, state: 'unlocked', unlocked_at: NOON + 86_400, tier: null },
      }),
      'svg',
    )
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="1200" height="630"/)
    expect(svg).toContain('>of 60 unlocked<')
    expect(svg.indexOf('Full Send')).toBeLessThan(svg.indexOf('Let Him Cook'))
    expect(svg).toContain('>Silver, Agent Autonomy, 2026-09-15<')
  })

  it('is the same for any requested state', () => {
    const reply = replyWith({ let_him_cook: cooked('A') })
    expect(exportAchievements(reply, 'svg', 'secret')).toBe(exportAchievements(reply, 'svg'))
  })

  it('loads nothing, runs nothing and reveals no session', () => {
    const svg = exportAchievements(replyWith({ let_him_cook: cooked('My secret project') }), 'svg')
    expect(svg).not.toContain('My secret project')
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(
      /http|href|url\(|<script|<style|<image|\son\w+=/,
    )
  })

  it('stays well-formed for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const svg = exportAchievements(replyWith({ let_him_cook: { ...cooked('A'), name } }), 'svg')
        expect(svg.replace(/<(\/?(svg|rect|text|circle)\b[^<>]*)>/g, '')).not.toMatch(/[<>]/)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: XML may not have them
        expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]|&(?!(amp|lt|gt|quot|#39);)/)
        expect(svg.isWellFormed()).toBe(true)
      }),
    )
  })
})

describe.each(ACHIEVEMENTS_FORMATS)('%s export', (format) => {
  it('hides what a secret achievement counts and requires', () => {
    const text = exportAchievements(replyWith({}), format)
    expect(HIDDEN).toHaveLength(8)
    for (const { name, metrics } of HIDDEN)
      for (const told of [name, ...metrics]) expect(text.includes(told), told).toBe(false)
  })

  it('removes secrets of known formats from titles', () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(12)}`
    const text = exportAchievements(replyWith({ let_him_cook: cooked(`use ${key} for it`) }), format)
    expect(text).not.toContain(key)
  })

  it('accepts an invalid date', () => {
    const odd = {
      let_him_cook: { ...cooked('A'), unlocked_at: 1e30 },
      full_send: { unlocked_at: Number.NaN },
    }
    expect(exportAchievements(replyWith(odd), format)).toContain('Let Him Cook')
  })
})
