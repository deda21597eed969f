import { afterEach, beforeEach, describe, expect, vi } from 'vitest'
import { eventually, it, page } from '../../testing/page.tsx'
import { agent } from '../agents.test-kit.ts'
import { LiveServer, needs, panelName, shownAgents, WIDE } from '../live-page.test-kit.ts'
import { changeAlerts } from './settings.ts'

/** Causes within five seconds are combined into one notification. */
const MERGE_MS = 5_000

/** Replaces browser notifications, which nobody could see here. */
class FakeNotification {
  static readonly permission = 'granted'
  static shown: FakeNotification[] = []
  onclick: (() => void) | null = null
  isClosed = false
  readonly title: string
  readonly body: string

  constructor(title: string, options: NotificationOptions) {
    this.title = title
    this.body = options.body ?? ''
    FakeNotification.shown.push(this)
  }

  close(): void {
    this.isClosed = true
  }
}

const titles = () => FakeNotification.shown.map(({ title }) => title)

beforeEach(() => {
  FakeNotification.shown = []
  vi.stubGlobal('Notification', FakeNotification)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const waiting = (id: string, type: string, ago = 11_000) => {
  const since = Date.now() - ago
  const wait = { state: 'waiting', wait_reason: 'allow Bash?', wait_since: since, last_at: since } as const
  return agent({ id, subagent_type: type, ...wait })
}

describe('notifications of Live', () => {
  it('name the waiting agent and its reason on another page, and close when it resumes', async ({
    server,
    open,
  }) => {
    const live = new LiveServer(server)
    live.add({ ...live.agent('w'), state: 'working', wait_reason: null, wait_since: null })
    live.add({ ...live.agent('f'), ended_at: live.day.start })
    server.on('GET /api/health', { checked_at: Date.now(), checks: [] }).on('GET /api/tokens', { tokens: [] })
    await open('/settings', WIDE)
    await page
      .getByRole('group', { name: 'When an agent needs you, or a budget is used up' })
      .getByText('On', { exact: true })
      .click()
    const migrator = waiting('m', 'migrator')
    live.tell([migrator])
    await expect.element(needs.getByText('migrator')).toBeVisible()
    await expect.element(needs.getByText('allow Bash? · atlas-api')).toBeVisible()
    vi.advanceTimersByTime(MERGE_MS)
    await eventually(titles).toEqual(['migrator waits: allow Bash?'])
    expect(FakeNotification.shown[0]?.body).toMatch(/^atlas-api · \d+ s$/)
    live.tell([{ ...migrator, state: 'working', last_at: Date.now() }])
    await eventually(() => FakeNotification.shown[0]?.isClosed).toBe(true)
  })

  it('report a failure and open the agent', async ({ server, open }) => {
    const live = new LiveServer(server)
    live.add({ ...live.agent('w'), state: 'working', wait_reason: null, wait_since: null })
    live.add({ ...live.agent('f'), last_at: live.day.start - 60_000, ended_at: live.day.start - 60_000 })
    server.on('GET /api/events', { events: [], next: null, first: 1, last: 9 })
    changeAlerts({ on: true })
    await open('/settings/events')
    const now = Date.now()
    live.tell([agent({ id: 'c', subagent_type: 'checker', state: 'failed', ended_at: now, last_at: now })])
    await eventually(() => {
      vi.advanceTimersByTime(MERGE_MS)
      return titles()
    }).toEqual(['checker failed'])
    FakeNotification.shown[0]?.onclick?.()
    await expect.element(panelName).toHaveTextContent('checker')
    expect(decodeURIComponent(location.search)).toBe('?agent=claude-code~s1~c')
  })

  it('do not appear for a visible agent', async ({ server, open }) => {
    const live = new LiveServer(server)
    changeAlerts({ on: true })
    await open('/', WIDE)
    await eventually(shownAgents).toBe(3)
    live.tell([waiting('v', 'viewed')])
    await expect.element(needs.getByText('viewed')).toBeVisible()
    await eventually(shownAgents).toBe(4)
    vi.advanceTimersByTime(2 * MERGE_MS)
    expect(titles()).toEqual([])
  })
})
