import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { alive, dayOfAgents, graph, panel, panelName, rowsOf, table, useLive } from './live-kit.ts'
import { eventually } from './page-kit.ts'

const over = { source: 'hermes', session_id: 'yesterday' }
const { day, event, start } = dayOfAgents()
const live = useLive([
  ...day,
  event(-7_200_000, { event: 'session_start', ...over, project: 'docs-site', title: 'Rewrite the guides' }),
  event(-7_190_000, { event: 'agent_spawn', ...over, id: 'g', subagent_type: 'glossary' }),
  event(-7_100_000, { event: 'session_end', ...over }),
])

describe('the keys of Live', () => {
  it('go along the tree by the arrows and say where they are', async () => {
    const page = await live.open()
    const at = async (key: string) => {
      await page.keyboard.press(key)
      return eventually(() => panelName(page))
    }
    await (await at('ArrowDown')).toBe('main')
    await (await at('ArrowDown')).toBe('writer')
    await (await at('ArrowRight')).toBe('fixer')
    await (await at('ArrowLeft')).toBe('writer')
    await (await at('ArrowDown')).toBe('reader')
    await (await at('ArrowUp')).toBe('writer')
    await page
      .getByRole('status')
      .filter({ hasText: 'atlas-api › writer, waits: allow Bash?' })
      .waitFor({ state: 'attached' })
  })

  it('come closer and fit the whole again', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    const scale = () =>
      graph(page).evaluate(
        (canvas) =>
          (canvas as unknown as { panoptesStage: { camera(): { scale: number } } }).panoptesStage.camera()
            .scale,
      )
    const whole = await scale()
    await page.getByRole('button', { name: 'Closer' }).click()
    await eventually(scale).toBeGreaterThan(whole)
    await page.keyboard.press('f')
    await eventually(scale).toBeCloseTo(whole, 5)
  })

  it('change to the table and back, and lead to the filters', async () => {
    const page = await live.open()
    await page.keyboard.press('t')
    await table(page).waitFor()
    await page.keyboard.press('t')
    await graph(page).waitFor()
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.textContent')).toContain('All states')
  })
})

describe('⌘K finds a session', () => {
  const choose = async (page: Page, typed: string, title: RegExp) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type(typed)
    await page.getByRole('option', { name: title }).click()
  }

  it('that runs, and shows it alone', async () => {
    const page = await live.open('/settings')
    await choose(page, '#split', /Split billing.*now/)
    await eventually(() => alive(page)).toBe(3)
    await page.getByRole('button', { name: /^Session Split billing/ }).waitFor()
    expect(await page.getByText(/^Replay at /).count()).toBe(0)
  })

  it('that is over, and opens it at its end, also from Live itself', async () => {
    const page = await live.open()
    await eventually(() => alive(page)).toBe(3)
    await choose(page, 'guides', /Rewrite the guides/)
    await page.getByText(/^Replay at /).waitFor()
    await eventually(() => graph(page).getAttribute('aria-label')).toContain('in 1 session')
    await eventually(() => new URL(page.url()).searchParams.get('at')).toBe(String(start - 7_100_000))
    await page.keyboard.press('t')
    await eventually(async () => (await rowsOf(page)).join()).toContain('glossary')
    expect((await rowsOf(page)).join()).not.toContain('writer')
    await page.getByRole('button', { name: /^Session Rewrite/ }).click()
    await page.keyboard.press('l')
    await page.getByText(/^Replay at /).waitFor({ state: 'detached' })
    await eventually(async () => (await rowsOf(page)).join()).toContain('writer')
    await eventually(() => new URL(page.url()).search).toBe('?view=table')
    expect(await panel(page).count()).toBe(0)
  })
})
