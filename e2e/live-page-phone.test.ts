import { describe, expect, it } from 'vitest'
import { axe } from './axe.ts'
import { alive, dayOfAgents, graph, panel, phone, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const of = { source: 'hermes', session_id: 's2' }
const { day, event } = dayOfAgents()
const live = useLive([
  ...day,
  event(5_000, { event: 'session_start', ...of, agent_id: 'main', project: 'docs-site' }),
  event(5_001, { event: 'prompt', ...of, agent_id: 'main', prompt_preview: 'Go' }),
])

describe('Live on a phone', () => {
  it('shows one session at a time, the one that needs someone first, and turns to the next', async () => {
    const page = await live.open('/', phone)
    await eventually(() => alive(page)).toBe(3)
    await page.getByRole('status').filter({ hasText: 'session 1 of 2' }).waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Next session' }).tap()
    await eventually(() => alive(page)).toBe(1)
    await page.getByRole('button', { name: 'Previous session' }).tap()
    await eventually(() => alive(page)).toBe(3)
    expect(await axe(page)).toEqual([])
  })

  it('turns by a swipe, and to the session of an agent that is opened', async () => {
    const page = await live.open('/', phone)
    await eventually(() => alive(page)).toBe(3)
    const box = await graph(page).boundingBox()
    if (!box) throw new Error('no graph')
    const swipe = async (from: number, to: number) => {
      const y = box.y + 30
      await page.mouse.move(box.x + from, y)
      await page.mouse.down()
      await page.mouse.move(box.x + (from + to) / 2, y)
      await page.mouse.move(box.x + to, y)
      await page.mouse.up()
    }
    await swipe(300, 80)
    await eventually(() => alive(page)).toBe(1)
    await swipe(80, 300)
    await eventually(() => alive(page)).toBe(3)
    await page.goto(`${live.daemon().address}/?agent=hermes~s2~main`)
    await panel(page).getByRole('heading', { name: 'main' }).waitFor()
    await eventually(() => alive(page)).toBe(1)
  })

  it('does not move sideways, however long its chips are', async () => {
    const page = await live.open('/', phone)
    await eventually(() => alive(page)).toBe(3)
    // As with counts of many digits: what is for screen readers alone stands behind them.
    await page.locator('search').evaluate((bar) => {
      for (const chip of (bar as unknown as { children: Iterable<{ style: { minWidth: string } }> }).children)
        chip.style.minWidth = '140px'
    })
    const wide = await page.evaluate(
      () =>
        (globalThis as unknown as { document: { documentElement: { scrollWidth: number } } }).document
          .documentElement.scrollWidth,
    )
    expect(wide).toBe(390)
  })

  it('is large enough for a finger', async () => {
    const page = await live.open('/', phone)
    await eventually(() => alive(page)).toBe(3)
    const small = await page
      .locator('button:visible, a:visible')
      .evaluateAll((elements) =>
        elements
          .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
          .filter(({ height }) => height > 1 && height < 44),
      )
    expect(small).toEqual([])
  })
})
