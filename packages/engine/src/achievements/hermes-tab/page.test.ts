import type { AchievementItem } from '@panoptes/schema'
import { afterEach, expect, it, vi } from 'vitest'
import { hermesTab } from './page.ts'

afterEach(() => void vi.unstubAllGlobals())

interface Element {
  readonly type: unknown
  readonly props: Readonly<Record<string, unknown>> | null
  readonly children: readonly unknown[]
}

const isElement = (one: unknown): one is Element =>
  typeof one === 'object' && one !== null && 'children' in one
const within = (one: unknown): readonly Element[] =>
  isElement(one) ? [one, ...one.children.flatMap(within)] : []

/** Renders the tab with these achievements. */
async function drawn(achievements: readonly Partial<AchievementItem>[]): Promise<readonly Element[]> {
  let state: unknown
  let began = false
  const show = (next: unknown) => {
    state = next
  }
  const react = {
    createElement: (type: unknown, props: Element['props'], ...children: readonly unknown[]) => ({
      type,
      props,
      children,
    }),
    useState: (first: unknown) => [state ?? first, show],
    useEffect: (effect: () => unknown) => {
      if (!began) effect()
      began = true
    },
  }
  let tab = (): unknown => undefined
  const register = (_name: string, page: () => unknown) => {
    tab = page
  }
  vi.stubGlobal('location', { origin: 'http://127.0.0.1:9119' })
  vi.stubGlobal('__HERMES_PLUGIN_SDK__', { React: react })
  vi.stubGlobal('__HERMES_PLUGINS__', { register })
  vi.stubGlobal('fetch', async () => Response.json({ achievements, scan_meta: {} }))
  hermesTab({ name: 'tab', address: 'http://127.0.0.1:8201', origin: 'http://127.0.0.1:9119' })
  tab()
  await vi.waitFor(() => expect(state).toMatchObject({ kind: 'achievements' }), 30_000)
  return within(tab())
}

it('draws each bar from zero to the next tier, and a full one for completed items', async () => {
  const tiers: AchievementItem['tiers'] = [{ name: 'Copper', threshold: 10 }]
  const shown = await drawn([
    {
      id: 'a',
      tiers,
      unlocked: true,
      next_tier: 'Silver',
      progress: 30,
      next_threshold: 40,
      progress_pct: 5,
    },
    { id: 'b', tiers, unlocked: true, next_tier: null, progress: 90, next_threshold: 40 },
    { id: 'c', unlocked: false, next_tier: null, progress: 62, next_threshold: 100 },
    { id: 'd', unlocked: true, next_tier: null, progress: 29, next_threshold: 100 },
    { id: 'e', unlocked: false, next_tier: null, progress: 0, next_threshold: null },
  ])
  const bars = shown.filter(({ type }) => type === 'progress').map(({ props }) => [props?.value, props?.max])
  expect(bars).toEqual([
    [30, 40],
    [1, 1],
    [62, 100],
    [1, 1],
    [0, 1],
  ])
})

it('names the session behind an item, even before the unlock', async () => {
  const session = { session_id: 's1', title: '', value: 3 }
  const shown = await drawn([
    { id: 'a', evidence: { ...session, title: 'Fix the clock' } },
    { id: 'b', best_session: { ...session, source: 'hermes' } },
  ])
  const texts = shown.flatMap(({ children }) => children).filter((one) => typeof one === 'string')
  expect(texts).toContain('Best: Fix the clock')
  expect(texts).toContain('Best: s1')
})
