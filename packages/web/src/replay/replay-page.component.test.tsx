import '../design/design.css'
import type { Recording } from '@panoptes/schema'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import * as f from '../format.ts'
import {
  graph,
  makeDay,
  panel,
  panelName,
  replayBadge,
  rows,
  slider,
  table,
} from '../live/live-page.test-kit.ts'
import { ReplayPage } from './main.tsx'

const HOSTILE = '</script><script>document.title = "taken"</script>'
const day = makeDay()
const to = day.start + 60_000

/** A recording of the session, with a checkpoint at each event. */
const recording: Recording = {
  version: 1,
  from: day.start,
  to,
  sessions: [{ ...day.session, title: HOSTILE }],
  timeline: {
    from: day.start,
    to,
    slices: [{ ts: day.start, events: 9, errors: 1, alive: 3 }],
    marks: [...day.marks],
    marks_left_out: 0,
  },
  events: day.events,
  checkpoints: day.events.map(({ ts }) => ({ ts, agents: day.agentsAt(ts) })),
}

async function open(): Promise<void> {
  await page.viewport(1440, 900)
  const place = document.body.appendChild(document.createElement('div'))
  place.id = 'root'
  const root = createRoot(place)
  root.render(
    <StrictMode>
      <QueryClientProvider client={new QueryClient()}>
        <ReplayPage recording={recording} />
      </QueryClientProvider>
    </StrictMode>,
  )
  onTestFinished(() => {
    root.unmount()
    place.remove()
  })
}

describe('the page of a recording', () => {
  it('shows the agents of its beginning, and later ones after a jump or step', async () => {
    const request = vi.spyOn(globalThis, 'fetch')
    onTestFinished(() => request.mockRestore())
    await open()
    await expect.element(graph).toHaveAccessibleName(/^Graph of 1 agent in 1 session\./)
    await page.getByText('Table', { exact: true }).click()
    await expect.element(table).toBeVisible()
    expect(rows().join()).not.toContain('writer')
    await page.getByRole('button', { name: 'Jump to spawn' }).click()
    await vi.waitFor(() => expect(rows().join()).toContain('writer'), 30_000)
    expect(rows().join()).not.toContain('reader')
    await userEvent.keyboard('.')
    await vi.waitFor(() => expect(rows().join()).toContain('reader'), 30_000)
    await page.getByRole('row').filter({ hasText: 'reader' }).first().click()
    await expect.element(panelName).toHaveTextContent('reader')
    await expect.element(panel.getByText(`as of ${f.clock(day.start + 2_000)}`)).toBeVisible()
    await expect.element(panel.getByRole('link')).toHaveLength(0)
    expect(request).not.toHaveBeenCalled()
  })

  it('stops at its end and starts again from the beginning', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await open()
    const moment = () => slider.element().getAttribute('aria-valuetext')
    const begin = f.clock(day.start)
    await vi.waitFor(() => expect(moment()).toBe(begin), 30_000)
    await replayBadge.click()
    await expect.element(page.getByRole('button', { name: 'Pause' })).toBeVisible()
    vi.advanceTimersByTime(70_000)
    await vi.waitFor(() => expect(moment()).toBe(f.clock(to)), 30_000)
    await expect.element(graph).toHaveAccessibleName(/^Graph of 3 agents in 1 session\./)
    await page.getByRole('button', { name: 'Play' }).click()
    await vi.waitFor(() => expect(moment()).toBe(begin), 30_000)
    await expect.element(page.getByRole('button', { name: 'Back to live' })).toHaveLength(0)
  })
})
