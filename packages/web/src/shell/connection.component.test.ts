import { describe, expect, vi } from 'vitest'
import { drawnSeqs, EventLog, firstRowText, prompt, serveEvents } from '../events/events.test-kit.ts'
import { answerSettings } from '../settings/settings.test-kit.ts'
import type { FakeServer } from '../testing/fake-server.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { answerEmpty, me } from '../testing/replies.ts'

const EVENTS = '/settings/events'
const link = () => document.querySelector('header [role=status]')?.textContent

/** Ends the server: nothing answers, and the stream breaks. */
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
  it('is named with the age of what is shown, and goes on where it was without a lost event', async ({
    server,
    open,
    stopClock,
  }) => {
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
      .element(page.getByText(/^Not connected for \d+ s: the list is as old as that\./))
      .toBeVisible()
    expect(firstRowText()).toContain('“before”')
    await eventually(() => {
      passTime(10_000)
      return link()
    }).toBe('Disconnected')
    // Axe needs timers.
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
    await expect.element(page.getByText(/^Not connected for/)).not.toBeInTheDocument()
  })

  it('is said on pages that are opened meanwhile, which fill by themselves once it is back', async ({
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
    const silent = page.getByText(/Panoptes does not answer\./)
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

  it('leaves no card of Settings empty once it is back', async ({ server, open, stopClock }) => {
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

describe('A browser that the server does not know any more', () => {
  it('says what to run, and shows nothing of before', async ({ server, open, loads }) => {
    const log = new EventLog()
    log.append(prompt('seen before'))
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(firstRowText).toContain('“seen before”')
    // As where the token was replaced, or another Panoptes answers at the same address.
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

  it('leads back to the sign-in of a team', async ({ server, open, loads }) => {
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
