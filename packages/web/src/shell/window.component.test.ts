import { describe, expect, onTestFinished } from 'vitest'
import { EventLog, serveEvents, topSeq } from '../events/events.test-kit.ts'
import { answerSettings } from '../settings/settings.test-kit.ts'
import { emulateTouch, readFocus } from '../testing/browser.ts'
import type { FakeServer } from '../testing/fake-server.ts'
import { commands, eventually, expectAccessible, go, it, page, userEvent } from '../testing/page.tsx'
import { answerEmpty } from '../testing/replies.ts'

const EVENTS = '/settings/events'
const heading = () => document.querySelector('h1')?.textContent
const theme = () => document.documentElement.dataset.theme

/**
 * Leaves every request pending except those of the window, because each page must render before its data
 * arrives.
 */
function answerNothingElse(server: FakeServer): void {
  server.on('GET /api/*', () => new Promise(() => undefined))
  answerEmpty(server)
}

describe('The window', () => {
  it('opens each page with its key and names it in the tab title', async ({ server, open }) => {
    answerNothingElse(server)
    await open('/')
    for (const [key, name] of [
      ['2', 'Sessions'],
      ['3', 'Achievements'],
      ['4', 'Templates'],
      ['5', 'Ledger'],
      ['6', 'MoA'],
      ['7', 'Chat'],
      ['8', 'Settings'],
      ['1', 'Live'],
    ] as const) {
      await userEvent.keyboard(key)
      await eventually(heading).toBe(name)
      await eventually(() => document.title).toBe(`${name} · Panoptes`)
    }
  })

  it('reports an unknown address and links to Live', async ({ open }) => {
    await open('/nowhere')
    await eventually(heading).toBe('Page not found')
    await page.getByRole('link', { name: 'Go to Live' }).click()
    await eventually(heading).toBe('Live')
  })

  it('opens every page even with invalid parameters', async ({ server, open }) => {
    answerNothingElse(server)
    await open('/?at=abc')
    await eventually(() => location.search).toBe('')
    for (const [address, name] of [
      ['/?at=abc&view=%7B%7D&agent=%25zz', 'Live'],
      ['/?at=99999999999999999', 'Live'],
      ['/?at=9000000000000000&session=[1]', 'Live'],
      ['/sessions?since=abc&until=99999999999999999&n=x&session=%25zz~a&cost=[]', 'Sessions'],
      ['/achievements?source=%5B%5D&category=%7B%7D&state=null&sort=3', 'Achievements'],
      ['/templates?type=%5B%5D&name=%7B%7D', 'Templates'],
      ['/ledger?tab=%5B%5D&days=abc&session=%25zz&outcome=%7B%7D&skill=null&by=3', 'Ledger'],
      ['/moa?turn=%5B%5D&preset=%7B%7D&session=null&tab=3&open=%25zz&make=x', 'MoA'],
      ['/chat?id=%5B%5D&new=3', 'Chat'],
      ['/settings?at=abc', 'Settings'],
      ['/settings/events?event=abc&kind=[]&failed=%7B%7D&text=null', 'Events'],
    ] as const) {
      await go(address)
      await eventually(heading).toBe(name)
    }
  })

  it('keeps working around a crashed page and offers to reload it', async ({
    server,
    open,
    complaints,
    loads,
  }) => {
    answerSettings(server)
    serveEvents(server, new EventLog(3))
    await open('/settings')
    server.on('GET /api/status', { flow: null })
    await go(EVENTS)
    await expect.element(page.getByRole('heading', { name: 'This page crashed' }).first()).toBeVisible()
    await page.getByRole('button', { name: 'Reload' }).click()
    expect(loads.splice(0)).toEqual([EVENTS])
    await userEvent.keyboard('{Control>}k{/Control}')
    await expect.element(page.getByRole('dialog')).toBeVisible()
    expect(complaints.splice(0).join()).toContain('TypeError')
  })

  it('ignores shortcuts while someone types into a field', async ({ server, open }) => {
    serveEvents(server, new EventLog(30))
    await open(EVENTS)
    await eventually(topSeq).toBe(30)
    await userEvent.keyboard('/2?j')
    await expect.element(page.getByLabelText('Filter by text or key')).toHaveValue('2?j')
    expect(heading()).toBe('Events')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  })

  it('shows all shortcuts and enables them again after the dialog closes', async ({ server, open }) => {
    answerSettings(server)
    serveEvents(server, new EventLog(3))
    await open(EVENTS)
    await userEvent.keyboard('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect.element(dialog.getByText('back to live').first()).toBeInTheDocument()
    await expectAccessible()
    await userEvent.keyboard('8')
    expect(heading()).toBe('Events')
    await userEvent.keyboard('{Escape}')
    await expect.element(dialog).not.toBeInTheDocument()
    await userEvent.keyboard('8')
    await eventually(heading).toBe('Settings')
  })

  it('follows the chosen or the system theme and stores the choice', async ({ server, open }) => {
    answerSettings(server)
    onTestFinished(() => commands.emulateMedia({ colorScheme: null }))
    await open('/settings#appearance')
    expect(theme()).toBe('dark')
    await page.getByText('Light', { exact: true }).click()
    await eventually(theme).toBe('light')
    expect(localStorage.getItem('panoptes.theme')).toBe('light')
    await page.getByText('System', { exact: true }).click()
    await commands.emulateMedia({ colorScheme: 'dark' })
    await eventually(theme).toBe('dark')
    await commands.emulateMedia({ colorScheme: 'light' })
    await eventually(theme).toBe('light')
    expect(localStorage.getItem('panoptes.theme')).toBe('system')
  })

  it('shrinks the rail to icons at 1280 pixels and to a bar on a phone', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    await open(EVENTS, [1_440, 900])
    const box = () => page.getByRole('navigation', { name: 'Pages' }).element().getBoundingClientRect()
    await eventually(() => box().width).toBeGreaterThan(150)
    await page.viewport(1_280, 800)
    await eventually(() => box().width).toBeLessThanOrEqual(56)
    await page.viewport(390, 844)
    await eventually(() => box().width).toBe(390)
    await eventually(() => box().y).toBeGreaterThan(700)
  })

  it('animates only when motion is allowed', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    onTestFinished(() => commands.emulateMedia({ reducedMotion: 'reduce' }))
    await open(EVENTS)
    await userEvent.keyboard('?')
    const dialog = page.getByRole('dialog')
    await expect.element(dialog).toBeVisible()
    const duration = () => getComputedStyle(dialog.element()).transitionDuration
    expect(duration()).toBe('0s')
    await commands.emulateMedia({ reducedMotion: 'no-preference' })
    await eventually(duration).toBe('0.2s, 0.2s')
  })

  it('shows a focus ring on everything that Tab reaches', async ({ server, open }) => {
    serveEvents(server, new EventLog(300))
    await open(EVENTS)
    await eventually(topSeq).toBe(300)
    const names: string[] = []
    for (let at = 0; at < 40; at += 1) {
      await userEvent.keyboard('{Tab}')
      const focus = readFocus()
      if (focus === null || names.includes(focus.name)) break
      names.push(focus.name)
      expect(focus).toMatchObject({ hasRing: true })
    }
    for (const name of [
      'Skip to content',
      'Search or jump to',
      'Filter by text or key',
      'Events, newest first',
    ])
      expect(
        names.some((one) => one.startsWith(name)),
        `${name} in ${names.join(', ')}`,
      ).toBe(true)
  })

  it('has controls large enough for a finger on a phone', async ({ server, open }) => {
    serveEvents(server, new EventLog(300))
    await open(EVENTS, [390, 844])
    emulateTouch()
    await eventually(() => document.querySelectorAll('tbody tr').length).toBeGreaterThan(5)
    const small = () =>
      [...document.querySelectorAll('button, a, tbody tr')]
        .filter((element) => element.checkVisibility({ visibilityProperty: true }))
        .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
        .filter(({ height }) => height > 1 && height < 44)
    await eventually(small).toEqual([])
    await expectAccessible()
  })
})
