import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { budget, evidence } from '../ledger/ledger.test-kit.ts'
import { changeAlerts } from '../live/alerts/settings.ts'
import { eventually, go, it, page } from '../testing/page.tsx'
import { budgetEvent } from './budgets.test-kit.ts'

const WIDE = [1600, 900] as const
const ten = (spent: number, level: 'under' | 'near' | 'over') =>
  budget({ limit_micro_usd: 10_000_000, spent_micro_usd: spent * 1_000_000, level })
const passed = (seq: number, level: 'near' | 'over', spent_usd: number) =>
  budgetEvent({ seq, key: `k${seq}`, ts: Date.now(), level, spent_usd, limit_usd: 10 })

const rail = () => page.getByRole('navigation', { name: 'Pages' })
const notices = () => page.getByRole('region', { name: 'Notices' })

/** The titles of the shown browser notifications. */
const notifications: string[] = []

beforeEach(() => {
  notifications.length = 0
  vi.stubGlobal(
    'Notification',
    class {
      static readonly permission = 'granted'
      onclick: (() => void) | null = null
      constructor(title: string) {
        notifications.push(title)
      }
    },
  )
})
afterEach(() => vi.unstubAllGlobals())

describe('A budget', () => {
  it('announces both levels on the page, in the rail and through the browser', async ({ server, open }) => {
    server.on('GET /api/health', { checked_at: Date.now(), checks: [] }).on('GET /api/tokens', { tokens: [] })
    server.on('GET /api/ledger/budgets', [ten(0, 'under')])
    changeAlerts({ on: true })
    await open('/settings#budgets', WIDE)
    const section = page.getByRole('region', { name: 'Budgets', exact: true })
    await expect.element(section.getByText('$0.00 of $10.00')).toBeVisible()

    server.on('GET /api/ledger/budgets', [ten(8.5, 'near')])
    server.stream.send({ type: 'event', data: passed(1, 'near', 8.5) })
    const near = 'Budget nearly used up: Today, $8.50 of $10.00'
    await expect.element(notices().getByText(near)).toBeVisible()
    await expect.element(rail().getByRole('link', { name: 'Today $8.50 of $10.00' })).toBeVisible()
    await expect.element(section.getByText('nearly used up')).toBeVisible()

    server.on('GET /api/ledger/budgets', [ten(10.5, 'over')])
    server.stream.send({ type: 'batch', data: [passed(2, 'over', 10.5)] })
    const over = 'Budget used up: Today, $10.50 of $10.00'
    await expect.element(notices().getByText(over)).toBeVisible()
    await eventually(() => notifications).toEqual([near, over])
    await go('/')
    await expect.element(page.getByText(`${over}.`)).toBeVisible()
  })

  it('shows in Settings how many replies are unpriced and where money was spent', async ({
    server,
    open,
  }) => {
    server.on('GET /api/health', { checked_at: Date.now(), checks: [] }).on('GET /api/tokens', { tokens: [] })
    server.on('GET /api/ledger/budgets', [budget({ cost_unknown: 2, evidence: evidence(3) })])
    await open('/settings#budgets', WIDE)
    const section = page.getByRole('region', { name: 'Budgets', exact: true })
    await expect.element(section.getByText(/2 replies unpriced/)).toBeVisible()
    const link = section.getByRole('link').element()
    const place = new URL((link as HTMLAnchorElement).href)
    expect([place.pathname, place.searchParams.get('tab')]).toEqual(['/ledger', 'costs'])
  })

  it('sends no browser notification unless the person turned them on', async ({ server, open }) => {
    await open('/')
    server.stream.send({ type: 'event', data: passed(1, 'over', 10.5) })
    await expect.element(notices().getByText(/^Budget used up/)).toBeVisible()
    expect(notifications).toEqual([])
  })

  it('shows the spending of today in the rail when there is no budget', async ({ server, open }) => {
    await open('/', WIDE)
    await expect.element(rail().getByRole('link', { name: 'Today $0.00' })).toBeVisible()
    const { query } = server.requestsTo('GET /api/ledger/costs').at(-1) ?? {}
    const midnight = new Date().setHours(0, 0, 0, 0)
    await eventually(() => query?.get('since')).toBe(String(midnight))
  })

  it('links from its notice to the Ledger', async ({ server, open }) => {
    server.on('GET /api/ledger/overview', () => new Promise(() => {}))
    for (const name of ['skills', 'claims', 'outcomes', 'calibration'] as const)
      server.on(`GET /api/ledger/${name}`, () => new Promise(() => {}))
    await open('/')
    server.stream.send({ type: 'event', data: passed(1, 'near', 8.5) })
    await notices().getByRole('button', { name: 'Show' }).click()
    await eventually(() => location.pathname).toBe('/ledger')
  })
})
