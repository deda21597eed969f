import { describe, expect } from 'vitest'
import { emulateTouch } from '../testing/browser.ts'
import type { FakeServer } from '../testing/fake-server.ts'
import { eventually, expectAccessible, go, it, page } from '../testing/page.tsx'
import { main, session } from './agents.test-kit.ts'
import { graph, LiveServer, PHONE, panel, panelName, shownAgents } from './live-page.test-kit.ts'

/** Serves a session with three agents, one of them waiting, and a session with a single agent. */
function serveTwoSessions(server: FakeServer): LiveServer {
  const live = new LiveServer(server)
  const other = { source: 'hermes', session_id: 's2', started_at: live.day.start + 5_000 }
  live.sessions = [...live.sessions, session({ ...other, project: 'docs-site', title: null })]
  return live.add(main({ ...other, last_at: live.day.start + 5_001 }))
}

/** Swipes across the graph. */
function swipe(from: number, to: number): void {
  const canvas = graph.element()
  const { left, top } = canvas.getBoundingClientRect()
  const send = (type: string, x: number) =>
    canvas.dispatchEvent(
      new PointerEvent(type, {
        pointerId: 1,
        pointerType: 'touch',
        bubbles: true,
        clientX: left + x,
        clientY: top + 30,
      }),
    )
  send('pointerdown', from)
  send('pointermove', (from + to) / 2)
  send('pointermove', to)
  send('pointerup', to)
}

describe('Live on a phone', () => {
  it('shows one session at a time, starting with the one that needs someone', async ({ server, open }) => {
    serveTwoSessions(server)
    await open('/', PHONE)
    await eventually(shownAgents).toBe(3)
    await expect.element(page.getByText('session 1 of 2')).toBeInTheDocument()
    await page.getByRole('button', { name: 'Next session' }).click()
    await eventually(shownAgents).toBe(1)
    await expect.element(page.getByText('session 2 of 2')).toBeInTheDocument()
    await page.getByRole('button', { name: 'Previous session' }).click()
    await eventually(shownAgents).toBe(3)
    await expectAccessible()
  })

  it('changes the session by a swipe and when an agent is opened', async ({ server, open }) => {
    serveTwoSessions(server)
    await open('/', PHONE)
    await eventually(shownAgents).toBe(3)
    swipe(300, 80)
    await eventually(shownAgents).toBe(1)
    swipe(80, 300)
    await eventually(shownAgents).toBe(3)
    await go('/?agent=hermes~s2~main')
    await expect.element(panelName).toHaveTextContent('main')
    await eventually(shownAgents).toBe(1)
  })

  it('does not scroll sideways, however long its filter chips are', async ({ server, open }) => {
    serveTwoSessions(server)
    await open('/', PHONE)
    await eventually(shownAgents).toBe(3)
    // Counts with many digits widen the chips like this, and text for screen readers follows them.
    const bar = document.querySelector('search')
    if (!bar) throw new Error('there are no filters')
    for (const chip of bar.children) (chip as HTMLElement).style.minWidth = '140px'
    expect(bar.scrollWidth).toBeGreaterThan(390)
    expect(document.documentElement.scrollWidth).toBe(390)
  })

  it('makes all controls large enough for a finger', async ({ server, open }) => {
    serveTwoSessions(server)
    await open('/', PHONE)
    emulateTouch()
    await eventually(shownAgents).toBe(3)
    await eventually(() => tooSmall('button, a')).toEqual([])
    await go('/?view=table&agent=claude-code~s1~w')
    await expect.element(panel.getByRole('button', { name: 'Copy resume command' })).toBeVisible()
    await eventually(() => tooSmall('button')).toEqual([])
  })
})

/** Visible controls that are too small for a finger. */
const tooSmall = (controls: string) =>
  [...document.querySelectorAll<HTMLElement>(controls)]
    .filter((element) => element.checkVisibility())
    .map((element) => ({ text: element.textContent, height: element.getBoundingClientRect().height }))
    .filter(({ height }) => height > 1 && height < 44)
