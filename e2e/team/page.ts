import type { Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { EVENTS } from '../page-kit.ts'

/** A browser with the events page open. */
export interface Viewer {
  /** What the page shows now. */
  readonly sees: () => Promise<Sight>
  /** Errors in the page, except that a hub or the database was unreachable. */
  readonly faults: () => readonly string[]
  readonly close: () => Promise<void>
}

export interface Sight {
  /** The number of stored events that the page displays. */
  readonly stored: number
  /** The number of events in its list. */
  readonly listed: number
  /** The seq of the newest event in the list. */
  readonly newest: number
  /** The number of visible rows that are still empty. */
  readonly empty: number
}

const AWAY = /Failed to load resource|WebSocket connection to|net::ERR_/

/** Opens the page once and never reloads it. */
export async function openViewer(address: string, token: string): Promise<Viewer> {
  const { page, complaints, close } = await openPage()
  const headers = { origin: address }
  await page.context().request.post(`${address}/auth/token`, { form: { token }, headers })
  await page.goto(`${address}${EVENTS}`)
  await page.getByText('Stored', { exact: true }).waitFor()
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
  const stored = page.locator('dt', { hasText: 'Stored' }).locator('xpath=following-sibling::dd')
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

/** Reads a number in any format. */
const digits = (text: string | null): number => Number((text ?? '').replace(/\D/g, ''))
