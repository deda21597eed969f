import { describe, expect, vi } from 'vitest'
import { drawnSeqs, EventLog, firstRowText, prompt, serveEvents } from '../events/events.test-kit.ts'
import { answerSettings } from '../settings/settings.test-kit.ts'
import type { FakeServer } from '../testing/fake-server.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { answerEmpty, me } from '../testing/replies.ts'

const EVENTS = '/settings/events'
const link = () => document.querySelector('header [role=status]')?.textContent

/** Stops the server: nothing responds and the stream breaks. */
function stopServer(server: FakeServer): void {
  server.disconnect('GET /api/*')
  server.stream.isUp = false
  server.stream.drop()
}

function restartServer(server: FakeServer, log: EventLog): void {
  answerEmpty(server)
  answerSettings(server)
  serveEvents(server, log)
  server.stream.isUp = true
}

describe('A lost connection', () => {
  it('shows the age of the list and resumes without losing an event', async ({ server, open, stopClock }) => {
    const log = new EventLog()
    log.append(prompt('before'))
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(firstRowText).toContain('“before”')
    const passTime = stopClock()
    stopServer(server)
    await eventually(link).toBe('Reconnecting')
    passTime(2_000)
    await expect
      .element(page.getByText(/^Disconnected for \d+ s, so the list may be out of date\./))
      .toBeVisible()
    expect(firstRowText()).toContain('“before”')
    await eventually(() => {
      passTime(10_000)
      return link()
    }).toBe('Disconnected')
    // Axe does not work without real timers.
    vi.useRealTimers()
    await expectAccessible()

    const missed = log.append(prompt('while away'))
    restartServer(server, log)
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await eventually(link).toBe('Connected')
    expect(server.stream.attempts.at(-1)?.searchParams.get('since')).toBe('1')
    server.stream.send({ type: 'batch', data: missed })
    await eventually(firstRowText).toContain('“while away”')
    expect(drawnSeqs()).toEqual([2, 1])
    await expect.element(page.getByText(/^Disconnected for/)).not.toBeInTheDocument()
  })

  it('claims neither that nothing is wrong nor that nobody is needed', async ({ server, open }) => {
    answerSettings(server)
    const clear = { checked_at: Date.now(), checks: [] }
    server.on('GET /api/sources', { sources: [] }).on('GET /api/health', clear)
    const claims = () => page.getByText(/^nothing to fix$|^No agent needs you/).elements().length
    await open('/settings')
    await eventually(claims).toBe(2)
    stopServer(server)
    await eventually(claims).toBe(0)
    answerSettings(server)
    server.on('GET /api/sources', { sources: [] }).on('GET /api/health', clear)
    server.stream.isUp = true
    await page.getByRole('button', { name: 'Try again' }).first().click()
    await eventually(claims).toBe(2)
  })

  it('is reported on other pages, which load by themselves after the reconnect', async ({
    server,
    open,
    stopClock,
  }) => {
    const log = new EventLog(5)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(() => drawnSeqs().length).toBe(5)
    const passTime = stopClock()
    stopServer(server)
    await userEvent.keyboard('8')
    const silent = page.getByText(/Panoptes is not responding\./)
    await eventually(() => {
      passTime(500)
      return silent.elements().length
    }).toBeGreaterThan(2)
    await page.getByRole('link', { name: 'Events', exact: true }).click()
    await eventually(() => {
      passTime(500)
      return silent.elements().length
    }).toBe(1)
    restartServer(server, log)
    await eventually(() => {
      passTime(500)
      return drawnSeqs()
    }).toEqual([5, 4, 3, 2, 1])
    await eventually(link).toBe('Connected')
    await expect.element(silent).not.toBeInTheDocument()
  })

  it('leaves no card of Settings empty after the reconnect', async ({ server, open, stopClock }) => {
    const log = new EventLog(5)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(() => drawnSeqs().length).toBe(5)
    const passTime = stopClock()
    stopServer(server)
    await userEvent.keyboard('8')
    const sources = page.getByRole('region', { name: 'Sources', exact: true })
    await eventually(() => {
      passTime(500)
      return sources.getByRole('alert').query()
    }).not.toBeNull()
    restartServer(server, log)
    await eventually(() => {
      passTime(500)
      return sources.getByText('1 not found').query()
    }).not.toBeNull()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
  })
})

describe('A browser that is no longer signed in', () => {
  it('sees the command to run and no earlier data', async ({ server, open, loads }) => {
    const log = new EventLog()
    log.append(prompt('seen before'))
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(firstRowText).toContain('“seen before”')
    // This also happens when the token was replaced or another Panoptes answers at the same address.
    server.fail('GET /api/*', 401, { detail: 'Sign in first.' })
    server.stream.isUp = false
    server.stream.drop()
    await expect.element(page.getByRole('heading', { name: 'This browser is not signed in' })).toBeVisible()
    await expect.element(page.getByText('npx panoptes up')).toBeVisible()
    await expect.element(page.getByText('“seen before”')).not.toBeInTheDocument()
    await eventually(() => document.title).toBe('Signed out · Panoptes')
    await expectAccessible()
    await page.getByRole('button', { name: 'I opened the link' }).click()
    expect(loads.splice(0)).toEqual([EVENTS])
  })

  it('is led to the sign-in page of a team', async ({ server, open, loads }) => {
    serveEvents(server, new EventLog(3))
    server
      .on('GET /api/me', me({ team: true, home: false, label: 'laptop' }))
      .on('GET /ready', { ready: true, takes_events: true, away: [] })
    await open(EVENTS)
    await expect.element(page.getByRole('button', { name: /laptop/ })).toBeVisible()
    server.fail('GET /api/*', 401, { detail: 'Sign in first.' })
    server.stream.isUp = false
    server.stream.drop()
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(loads.splice(0)).toEqual(['/'])
  })
})
