import type { Route } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { counted } from './achievements-home.ts'
import { ASKED, useAchievements } from './achievements-page.ts'
import { axe } from './axe.ts'
import { eventually } from './page-kit.ts'

const here = useAchievements()
const { open } = here

describe('counting', () => {
  it('shows how far it is, what is known so far, and then everything', async () => {
    const whole = await counted(here.daemon)
    const page = await open('/settings')
    const status = { ...whole.scan_meta.status, state: 'running', progress: { done: 1_234, total: 5_025 } }
    const meta = { ...whole.scan_meta, sessions_scanned_so_far: 1_234, status }
    const stages = [
      {
        ...whole,
        generated_at: 0,
        unlocked_count: 0,
        scan_meta: { ...meta, mode: 'pending', sessions_total: 0 },
      },
      { ...whole, scan_meta: { ...meta, mode: 'in_progress', sessions_total: 5_025 } },
      {
        ...whole,
        is_stale: true,
        scan_meta: { ...whole.scan_meta, status: { ...status, progress: { done: 2, total: 3 } } },
      },
    ]
    let stage = 0
    await page.route(ASKED, (route) =>
      stages[stage] ? route.fulfill({ json: stages[stage] }) : route.continue(),
    )
    await page.keyboard.press('3')
    await page.getByRole('heading', { name: 'Read your sessions' }).waitFor()
    await page.getByRole('progressbar', { name: 'Read 1,234 of 5,025 sessions' }).waitFor()
    stage = 1
    await page.getByText('Read 1,234 of 5,025 sessions. What is shown counts what was read so far.').waitFor()
    await eventually(() => page.getByRole('article').count()).toBe(60)
    stage = 2
    await page.getByRole('status').filter({ hasText: 'Counting what is new' }).getByText('2 / 3').waitFor()
    stage = 3
    await eventually(() => page.getByText('Counting what is new').count()).toBe(0)
    await page.getByText(/^\d+ sessions read · counted/).waitFor()
  })

  it('is begun by the button where nothing was counted yet', async () => {
    const whole = await counted(here.daemon)
    const page = await open('/settings')
    const unread = { ...whole.scan_meta, mode: 'pending', sessions_total: 0 }
    let begun = false
    await page.route(ASKED, (route) =>
      begun
        ? route.continue()
        : route.fulfill({ json: { ...whole, generated_at: 0, unlocked_count: 0, scan_meta: unread } }),
    )
    await page.route('**/api/rescan', (route) => {
      begun = true
      return route.continue()
    })
    await page.keyboard.press('3')
    await page.getByRole('button', { name: 'Read your sessions' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
  })

  it('that fails at first says why, and what comes of another try', async () => {
    const whole = await counted(here.daemon)
    const page = await open('/settings')
    const error = 'The database is locked.'
    const status = { ...whole.scan_meta.status, state: 'running', last_error: error }
    const meta = { ...whole.scan_meta, mode: 'pending', sessions_total: 0, error }
    const unread = { ...whole, generated_at: 0, unlocked_count: 0, error }
    const progress = { done: 3, total: 9 }
    let stage = 0
    await page.route(ASKED, (route) => {
      if (stage === 0) return route.fulfill({ status: 503, json: { title: 'Not counted', detail: error } })
      if (stage === 2) return route.continue()
      return route.fulfill({ json: { ...unread, scan_meta: { ...meta, status: { ...status, progress } } } })
    })
    await page.route('**/api/rescan', (route) => {
      stage = 1
      return route.continue()
    })
    await page.keyboard.press('3')
    const alert = page.getByRole('alert').filter({ hasText: `could not be counted. ${error}` })
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.getByText('Counting again').waitFor()
    await page.getByRole('progressbar', { name: 'Read 3 of 9 sessions' }).waitFor()
    stage = 2
    await eventually(() => page.getByRole('article').count()).toBe(60)
    expect(await page.getByRole('alert').count()).toBe(0)
    // The browser itself complains of what is refused.
    await here.closeUnheard()
  })

  it('that finds none of the sessions that were chosen leaves the others in reach', async () => {
    const whole = await counted(here.daemon)
    const page = await open('/settings')
    const scan_meta = { ...whole.scan_meta, sessions_total: 0 }
    await page.route(/source=hermes&wait=0/, (route) =>
      route.fulfill({ json: { ...whole, view: 'hermes', unlocked_count: 0, scan_meta } }),
    )
    await page.keyboard.press('3')
    await page.locator('label', { hasText: 'Hermes only' }).click()
    await page.getByText('No session of Hermes was found yet.').waitFor()
    expect(await axe(page)).toEqual([])
    await page.locator('label', { hasText: 'All sources' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
  })

  it('that fails leaves what was counted before, with its age, and another try', async () => {
    const whole = await counted(here.daemon)
    const page = await open('/settings')
    const bodies: unknown[] = []
    const broken = {
      ...whole,
      generated_at: Date.now() / 1_000 - 900,
      error: 'The database is locked.',
      scan_meta: { ...whole.scan_meta, status: { ...whole.scan_meta.status, state: 'failed' } },
    }
    let shown: object = broken
    await page.route(ASKED, (route) => route.fulfill({ json: shown }))
    await page.route('**/api/rescan', (route: Route) => {
      bodies.push(route.request().postDataJSON())
      return route.continue()
    })
    await page.keyboard.press('3')
    const alert = page.getByRole('alert').filter({ hasText: 'The database is locked.' })
    await alert.getByText('What is shown is from 15 min ago.').waitFor()
    expect(await page.getByRole('article').count()).toBe(60)
    expect(await axe(page)).toEqual([])
    await alert.getByRole('button', { name: 'Try again' }).click()
    await eventually(() => bodies).toEqual([{ full: false, source: 'all' }])
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Read everything again' }).click()
    await eventually(() => bodies.at(-1)).toEqual({ full: true, source: 'all' })
    const { scan_meta: meta } = whole
    shown = { ...whole, is_stale: true, scan_meta: { ...meta, error: 'One database is damaged.' } }
    await page.getByRole('button', { name: 'Rescan' }).click()
    await page.getByText('Some sessions could not be counted. One database is damaged.').waitFor()
  })

  it('is asked for once, however fast someone comes and goes', async () => {
    await counted(here.daemon)
    const page = await open('/')
    const asked: string[] = []
    page.on('request', (request) => ASKED.test(request.url()) && asked.push(request.url()))
    page.on('requestfailed', (request) => ASKED.test(request.url()) && asked.pop())
    for (const key of ['3', '2', '3', '1', '3', '2', '3']) await page.keyboard.press(key)
    await eventually(() => page.getByRole('article').count()).toBe(60)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'Achievements' }).click()
    await eventually(() => page.getByRole('article').count()).toBe(60)
    // One that was broken off by leaving may have been answered by then.
    expect(new Set(asked)).toEqual(new Set([`${here.daemon.address}/api/achievements?source=all&wait=0`]))
    expect(asked.length).toBeLessThanOrEqual(2)
    const before = asked.length
    await page.goto(`${here.daemon.address}/achievements`)
    await eventually(() => page.getByRole('article').count()).toBe(60)
    expect(asked).toHaveLength(before + 1)
  })
})
