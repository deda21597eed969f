import type { StoredEvent } from '@panoptes/schema'
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
  scrollTo,
  serveEvents,
  topSeq,
} from './events.test-kit.ts'

const EVENTS = '/settings/events'

/**
 * Every fifth event is a usage event. Every third of the others is a finished call, and half of those failed.
 */
const mixed = (seq: number): Partial<StoredEvent> => {
  if (seq % 5 === 0) return { event: 'usage', model: 'claude-sonnet-5' }
  return seq % 3 === 0 ? { event: 'tool_done', id: `call ${seq}`, tool: 'Bash', ok: seq % 2 === 0 } : {}
}

describe('The filters of the event list', () => {
  it('find text in any case, also in later events', async ({ server, open }) => {
    const log = new EventLog(100)
    log.append(prompt('Needle in the hay'), prompt('only hay'))
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(102)
    await userEvent.keyboard('/nEEdle')
    await eventually(drawnSeqs).toEqual([101])
    await eventually(() => location.search).toBe('?text=nEEdle')
    postEvents(server, log, prompt('hay again'), prompt('another needle'))
    await eventually(drawnSeqs).toEqual([104, 101])
    expect(firstRowText()).toContain('another needle')
    await userEvent.keyboard('{Escape}')
    await eventually(() => drawnRows().length).toBeGreaterThan(10)
    await expect.poll(() => location.search).toBe('')
  })

  it('apply to the list and the export, and can be cleared and undone', async ({ server, open }) => {
    const log = new EventLog(12, mixed)
    serveEvents(server, log)
    const { counters } = status()
    server.on('GET /api/status', () =>
      status({
        counters: { ...counters, by_kind: { prompt: 7, tool_done: 3, usage: 2, agent_done: 1 } },
      }),
    )
    await open(EVENTS)
    await eventually(topSeq).toBe(12)
    await page.getByRole('button', { name: /^Kinds/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^tool_done/ }).click()
    await page.getByRole('menuitemcheckbox', { name: /^agent_done/ }).click()
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('menu')).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'Only failed' }).click()
    await eventually(drawnSeqs).toEqual([9, 3])
    await expect.poll(() => location.search).toBe('?kind=tool_done%2Cagent_done&failed=true')
    expect(Object.fromEntries(server.requestsTo('GET /api/events').at(-1)?.query ?? [])).toMatchObject({
      kind: 'tool_done,agent_done',
      failed: '1',
    })
    await expect
      .element(page.getByRole('link', { name: 'Export' }))
      .toHaveAttribute('href', '/api/export?kind=tool_done%2Cagent_done&failed=1')
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await eventually(topSeq).toBe(12)
    await page.getByRole('button', { name: 'Undo' }).click()
    await eventually(topSeq).toBe(9)
  })

  it('narrow the list to the source, session and agent in the address', async ({ server, open }) => {
    const log = new EventLog(50)
    log.append(
      { source: 'codex', session_id: 's2', agent_id: 'a7' },
      { source: 'codex', session_id: 's2' },
      { source: 'codex', session_id: 's3', agent_id: 'a7' },
      { session_id: 's2', agent_id: 'a7' },
    )
    serveEvents(server, log)
    await open(`${EVENTS}?source=codex&session=s2&agent=a7`)
    await eventually(drawnSeqs).toEqual([51])
    for (const name of ['Source: codex', 'Session: s2', 'Agent: a7'])
      await expect.element(page.getByRole('button', { name })).toBeVisible()
  })

  it('load more matches while the reader scrolls', async ({ server, open }) => {
    const log = new EventLog(5_000, mixed)
    serveEvents(server, log)
    await open(`${EVENTS}?kind=usage`)
    await eventually(topSeq).toBe(5_000)
    await eventually(() => {
      scrollTo(1)
      return drawnSeqs().at(-1)
    }).toBe(5)
    const seqs = drawnSeqs()
    expect(seqs).toEqual(seqs.map((_, i) => 5 * (seqs.length - i)))
    await expect.element(page.getByText(/of 1,000/)).toBeVisible()
  })

  it('offer to clear them when nothing matches', async ({ server, open }) => {
    serveEvents(server, new EventLog(20))
    await open(`${EVENTS}?text=nobody-ever-said-this`)
    await expect.element(page.getByRole('heading', { name: 'No matching events' })).toBeVisible()
    await expectAccessible()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await eventually(topSeq).toBe(20)
    await expect.poll(() => location.search).toBe('')
  })
})
