import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BudgetState } from '@panoptes/schema'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { eventually, post, stored, usePages } from './page-kit.ts'

const CONFIG = `
budgets:
  limits:
    - { per: day, usd: 10 }
    - { per: session, usd: 100 }
`
const pages = usePages()
let home: TestHome
let daemon: Daemon
beforeAll(async () => {
  home = await makeHome()
  await mkdir(home.panoptes, { recursive: true })
  await writeFile(join(home.panoptes, 'config.yaml'), CONFIG)
  daemon = await startDaemon({ home })
})
afterAll(async () => {
  await daemon?.stop()
  await home?.remove()
})

const spend = (id: string, cost_usd: number) =>
  post(daemon, [
    {
      event: 'usage',
      source: 'custom',
      session_id: 'shop',
      agent_id: 'main',
      id,
      key: id,
      model: 'm',
      cost_usd,
    },
  ])
/** Runs in the page: notifications that were shown, by their title. */
function keepNotes(): void {
  const scope = globalThis as unknown as {
    Notification: new (title: string, options: object) => object
    notes: string[]
  }
  scope.notes = []
  scope.Notification = class extends scope.Notification {
    constructor(title: string, options: object) {
      super(title, options)
      scope.notes.push(title)
    }
  }
}
const notesOf = (page: Page) => page.evaluate(() => (globalThis as unknown as { notes: string[] }).notes)
const spent = async () => {
  const [today] = (await (await daemon.request('/api/ledger/budgets')).json()) as readonly BudgetState[]
  return (today?.spent_micro_usd ?? 0) / 1_000_000
}
const told = async () =>
  (await stored(daemon, 'kind=budget')).events.map(({ budget, level }) => [budget, level])

describe('a budget', () => {
  it('is told once when it is nearly used up and once when it is, on every page and by the browser', async () => {
    const page = await pages.open(daemon, '/settings#budgets', {
      permissions: ['notifications'],
      own: true,
      viewport: { width: 1600, height: 900 },
    })
    await page.addInitScript(keepNotes)
    await page.reload()
    await page
      .getByRole('group', { name: 'When an agent needs you' })
      .getByText('On', { exact: true })
      .click()
    const section = page.getByRole('region', { name: 'Budgets', exact: true })
    await section.getByText('$0.00 of $10.00').waitFor()
    const rail = page.getByRole('navigation', { name: 'Pages' })

    await spend('u1', 8.5)
    const notices = page.getByRole('region', { name: 'Notices' })
    await notices.getByText('The budget is nearly used up: Today, $8.50 of $10.00').waitFor()
    await rail.getByText('$8.50 of $10.00').waitFor()
    await section.getByText('nearly used up').waitFor()

    await spend('u2', 2)
    await notices.getByText('The budget is used up: Today, $10.50 of $10.00').waitFor()
    expect(await notesOf(page)).toEqual([
      'The budget is nearly used up: Today, $8.50 of $10.00',
      'The budget is used up: Today, $10.50 of $10.00',
    ])
    await rail.getByRole('link', { name: 'Live' }).click()
    await page.getByText('The budget is used up: Today, $10.50 of $10.00.').waitFor()

    await spend('u3', 1)
    await eventually(spent).toBe(11.5)
    expect(await told()).toEqual([
      ['Today', 'over'],
      ['Today', 'near'],
    ])
  })
})
