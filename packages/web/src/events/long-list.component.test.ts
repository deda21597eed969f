import { describe, expect } from 'vitest'
import { eventually, it, page } from '../testing/page.tsx'
import {
  drawnRows,
  drawnSeqs,
  EventLog,
  firstRowText,
  postEvents,
  prompt,
  scrollTo,
  serveEvents,
  topSeq,
} from './events.test-kit.ts'

const EVENTS = '/settings/events'
const MANY = 50_000
const unread = page.getByText(/^Couldn’t load some rows\./)
const hasCells = (seq: number) => document.querySelectorAll(`#event-${seq} td`).length === 7

describe('A long list of events', () => {
  it('scrolls over 50,000 rows and renders only the visible ones', async ({ server, open }) => {
    serveEvents(server, new EventLog(MANY))
    await open(EVENTS)
    await eventually(topSeq).toBe(MANY)
    const table = page.getByRole('grid', { name: 'Events, newest first' })
    await expect.element(table).toHaveAttribute('aria-rowcount', String(MANY + 1))
    scrollTo(0.5)
    await eventually(() => Math.abs(topSeq() - MANY / 2)).toBeLessThan(60)
    await eventually(() => hasCells(topSeq())).toBe(true)
    await eventually(() => {
      scrollTo(1)
      return drawnSeqs().at(-1)
    }).toBe(1)
    await eventually(() => hasCells(1)).toBe(true)
    expect(drawnRows().length).toBeLessThan(80)
    expect(document.querySelector('#event-1')?.getAttribute('aria-rowindex')).toBe(String(MANY + 1))
  })

  it('keeps its place while events arrive and shows their number', async ({ server, open }) => {
    const log = new EventLog(MANY)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(MANY)
    scrollTo(0.3)
    await eventually(() => Math.abs(topSeq() - MANY * 0.7)).toBeLessThan(60)
    // The visible rows must be loaded before the list can be held.
    await eventually(() => hasCells(topSeq())).toBe(true)
    const top = topSeq()
    postEvents(server, log, prompt('one'), prompt('two'), prompt('three'))
    await expect.element(page.getByRole('button', { name: '3 newer' })).toBeVisible()
    expect(topSeq()).toBe(top)
    await page.getByRole('button', { name: '3 newer' }).click()
    await eventually(firstRowText).toContain('“three”')
  })

  it('opens at the event in the address', async ({ server, open }) => {
    serveEvents(server, new EventLog(MANY))
    await open(`${EVENTS}?event=20000`)
    await eventually(drawnSeqs).toContain(20_000)
    await expect.element(page.getByRole('complementary').getByText('#20,000').first()).toBeVisible()
  })

  it('marks forgotten events', async ({ server, open }) => {
    const log = new EventLog(30)
    serveEvents(server, log)
    server.on('GET /api/events', () => {
      const whole = log.page({ after: 0, limit: 200 }, ({ seq }) => seq !== 28)
      return { ...whole, events: whole.events.toReversed() }
    })
    await open(EVENTS)
    await eventually(() => document.querySelector('#event-28')?.textContent).toBe('28forgotten')
    expect(document.querySelector('#event-27')?.textContent).toContain('“prompt 27”')
  })

  it.for([
    ['the server was busy', () => Response.json({ code: 'busy', detail: 'Busy.' }, { status: 503 })],
    ['a connection broke', () => Promise.reject(new TypeError('Failed to fetch'))],
  ] as const)(
    'loads missing rows again without a click after %s',
    async ([, refuse], { server, open, stopClock }) => {
      const log = new EventLog(MANY)
      serveEvents(server, log)
      await open(EVENTS)
      await eventually(topSeq).toBe(MANY)
      const passTime = stopClock()
      server.on('GET /api/events', refuse)
      scrollTo(0.5)
      await eventually(() => {
        passTime(50)
        return unread.query()
      }).not.toBeNull()
      serveEvents(server, log)
      await eventually(() => {
        passTime(3_000)
        return unread.query()
      }).toBeNull()
      await eventually(() => hasCells(topSeq())).toBe(true)
    },
  )
})
