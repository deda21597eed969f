import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { status } from '../testing/replies.ts'
import {
  drawnRows,
  drawnSeqs,
  EventLog,
  firstRowText,
  postEvents,
  prompt,
  serveEvents,
  topSeq,
} from './events.test-kit.ts'

const EVENTS = '/settings/events'

describe('The live end of the event list', () => {
  it('explains how to get events and shows the first one when it arrives', async ({ server, open }) => {
    const log = new EventLog()
    serveEvents(server, log)
    await open(EVENTS)
    await expect.element(page.getByRole('heading', { name: 'No events yet' })).toBeVisible()
    await expect.element(page.getByText('npx panoptes demo')).toBeVisible()
    await expectAccessible()
    postEvents(server, log, prompt('the very first'))
    await expect.element(page.getByText('“the very first”')).toBeVisible()
    expect(drawnRows()).toHaveLength(1)
  })

  it('shows a new event on top of the others, newest first', async ({ server, open }) => {
    const log = new EventLog(2_000)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(2_000)
    postEvents(server, log, prompt('posted just now'))
    await eventually(firstRowText).toContain('“posted just now”')
    const seqs = drawnSeqs()
    expect(seqs).toEqual(seqs.map((_, i) => 2_001 - i))
  })

  it('shows every event of a burst of thousands', async ({ server, open }) => {
    const log = new EventLog(100)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(100)
    for (let i = 0; i < 5; i += 1)
      postEvents(server, log, ...Array.from({ length: 2_000 }, (_, n) => prompt(`burst ${i} ${n}`)))
    await eventually(topSeq).toBe(10_100)
    expect(drawnSeqs()).toEqual(drawnSeqs().map((_, i) => 10_100 - i))
    await eventually(firstRowText).toContain('burst 4 1999')
  })

  it('stays in place while paused and resumes at the newest event', async ({ server, open }) => {
    const log = new EventLog(100)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(100)
    await userEvent.keyboard('[Space]')
    await expect.element(page.getByText(/^Paused\./)).toBeVisible()
    postEvents(server, log, prompt('while paused'), prompt('while paused too'))
    await expect.element(page.getByRole('button', { name: '2 newer' })).toBeVisible()
    expect(topSeq()).toBe(100)
    await userEvent.keyboard('l')
    await eventually(firstRowText).toContain('“while paused too”')
  })

  it('loads events that the stream missed and reports their number', async ({ server, open, stopClock }) => {
    const log = new EventLog(50)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(50)
    const passTime = stopClock()
    log.append(...Array.from({ length: 212 }, (_, n) => prompt(`missed ${n}`)))
    server.stream.send({ type: 'gap', from: 51, to: 262 })
    postEvents(server, log, prompt('after the gap'))
    await expect.element(page.getByText('Missed 212 events, catching up')).toBeVisible()
    await eventually(() => {
      passTime(50)
      return drawnRows()[1]?.textContent
    }).toContain('“missed 211”')
    expect(topSeq()).toBe(263)
    await eventually(() => {
      passTime(5_000)
      return page.getByText('Missed 212 events, catching up').query()
    }).toBeNull()
  })

  it('reloads everything after the log went back, even if it has grown since', async ({
    server,
    open,
    stopClock,
  }) => {
    serveEvents(server, new EventLog(12))
    await open(EVENTS)
    await eventually(topSeq).toBe(12)
    serveEvents(server, new EventLog(15, (seq) => prompt(`restored ${seq}`)))
    const passTime = stopClock()
    server.stream.drop(1012)
    passTime(1_000)
    await eventually(topSeq).toBe(15)
    await eventually(() => drawnRows().filter((row) => row.textContent?.includes('“restored')).length).toBe(
      15,
    )
  })
})

describe('The statistics above the event list', () => {
  it('show the rate, lag and counts, and why the last line was rejected', async ({ server, open }) => {
    serveEvents(server, new EventLog(1_234))
    const { storage, flow, ...rest } = status()
    server.on('GET /api/status', {
      ...rest,
      storage: { ...storage, events: 1_234 },
      flow: {
        ...flow,
        events_per_second: 12.5,
        lag_p50_ms: 4,
        lag_p99_ms: 2_300,
        missed: 212,
        rejected: 7,
        last_rejected: { line: 1, path: 'session_id', reason: 'is missing' },
      },
    })
    await open(EVENTS)
    const figures = page.getByRole('region', { name: 'Stream statistics' })
    await expect.element(figures.getByText('last: line 1, session_id is missing')).toBeVisible()
    for (const [label, value] of [
      ['Rate', '12.5'],
      ['Lag, p50', '4'],
      ['Lag, p99', '2.3'],
      ['Stored', '1,234'],
      ['Missed', '212'],
      ['Rejected', '7'],
    ] as const) {
      const figure = figures.getByText(label, { exact: true }).element().parentElement
      expect(figure?.textContent, label).toContain(value)
    }
  })
})
