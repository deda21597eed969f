import type { Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { EVENTS } from '../page-kit.ts'

/** Somebody who has the events open in a browser. */
export interface Viewer {
  /** What stands there now. */
  readonly sees: () => Promise<Sight>
  /** What went wrong in the page; that a hub or the database was away is no fault of it. */
  readonly faults: () => readonly string[]
  readonly close: () => Promise<void>
}

export interface Sight {
  /** How many events the page says there are. */
  readonly stored: number
  /** How many its list can show. */
  readonly listed: number
  /** The number of the newest in it. */
  readonly newest: number
  /** How many lines in view are still empty. */
  readonly empty: number
}

const AWAY = /Failed to load resource|WebSocket connection to|net::ERR_/

/** Opens the page once, and leaves it open: it is never loaded again. */
export async function openViewer(address: string, token: string): Promise<Viewer> {
  const { page, complaints, close } = await openPage()
  const headers = { origin: address }
  await page.context().request.post(`${address}/auth/token`, { form: { token }, headers })
  await page.goto(`${address}${EVENTS}`)
  await page.getByText('In the ledger').waitFor()
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  return {
    sees: () => look(page),
    faults: () => [
      ...complaints.filter((said) => !AWAY.test(said)),
      ...(loads === 0 ? [] : [`the page was loaded ${loads} times again`]),
    ],
    close,
  }
}

async function look(page: Page): Promise<Sight> {
  const stored = page.locator('dt', { hasText: 'In the ledger' }).locator('xpath=following-sibling::dd')
  const grid = page.getByRole('grid')
  if ((await grid.count()) === 0) return { stored: 0, listed: 0, newest: 0, empty: 0 }
  const first = grid.locator('tbody tr').first().locator('td').first()
  const [told, rows, newest, empty] = await Promise.all([
    stored.textContent(),
    grid.getAttribute('aria-rowcount'),
    first.textContent(),
    grid.locator('tbody td[aria-hidden]').count(),
  ])
  return { stored: digits(told), listed: Number(rows) - 1, newest: digits(newest), empty }
}

/** However a number is written. */
const digits = (text: string | null): number => Number((text ?? '').replace(/\D/g, ''))
