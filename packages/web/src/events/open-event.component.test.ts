import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { drawnRows, drawnSeqs, EventLog, postEvents, prompt, serveEvents, topSeq } from './events.test-kit.ts'

const EVENTS = '/settings/events'
const panel = page.getByRole('complementary')
const openSeq = () => Number(new URLSearchParams(location.search).get('event'))

/** A log with a call, a prompt, and the failed end of the call. */
const calls = () => {
  const log = new EventLog(5)
  const call = { session_id: 'calls', agent_id: 'a1', id: 'toolu_x', tool: 'Bash' }
  log.append({ ...call, event: 'tool_use' }, prompt('in between', 'calls'), {
    ...call,
    event: 'tool_done',
    ok: false,
  })
  return log
}

describe('An open event', () => {
  it('moves with j and k while the list is held, and closes with Escape', async ({ server, open }) => {
    const log = new EventLog(100)
    serveEvents(server, log)
    await open(EVENTS)
    await eventually(topSeq).toBe(100)
    await userEvent.keyboard('j')
    await expect.element(panel.getByText('"seq"')).toBeVisible()
    expect(openSeq()).toBe(100)
    await userEvent.keyboard('jj')
    await eventually(openSeq).toBe(98)
    await userEvent.keyboard('k')
    await eventually(openSeq).toBe(99)
    postEvents(server, log, prompt('newer than the open one'))
    await expect.element(page.getByRole('button', { name: '1 newer' })).toBeVisible()
    expect(topSeq()).toBe(100)
    await userEvent.keyboard('{Escape}')
    await expect.element(panel).not.toBeInTheDocument()
    await eventually(topSeq).toBe(101)
  })

  it('shows its JSON as text, even if it contains markup', async ({ server, open }) => {
    const log = new EventLog()
    log.append(prompt('<img src=x onerror="document.title=1"><script>document.title=2</script>', 'hostile'))
    serveEvents(server, log)
    await open(`${EVENTS}?session=hostile`)
    await eventually(drawnSeqs).toEqual([1])
    drawnRows()[0]?.click()
    await expect.element(panel.getByText(/onerror/)).toBeVisible()
    expect(document.querySelectorAll('[id=root] img, [id=root] script')).toHaveLength(0)
    await eventually(() => document.title).toBe('Events · Panoptes')
  })

  it('links to the other events of its call and filters by its agent', async ({ server, open }) => {
    serveEvents(server, calls())
    await open(`${EVENTS}?session=calls`)
    await expect.element(page.getByText('✕ Bash')).toBeVisible()
    await userEvent.keyboard('j')
    await expect.element(panel.getByText('Same call')).toBeVisible()
    await panel.getByRole('button', { name: /tool_use/ }).click()
    await expect.element(panel.getByRole('heading', { level: 2 })).toHaveTextContent('tool_use')
    expect(openSeq()).toBe(6)
    await panel.getByRole('button', { name: 'Only this agent' }).click()
    await eventually(drawnSeqs).toEqual([8, 6])
    await expect.poll(() => location.search).toContain('agent=a1')
    await expectAccessible()
  })

  it('reports that the event in the address is not in the store', async ({ server, open }) => {
    serveEvents(server, new EventLog(10))
    await open(`${EVENTS}?event=999999999`)
    await expect.element(panel.getByText(/^This event is not in the store\./)).toBeVisible()
  })

  it('copies its JSON with c', async ({ server, open, copied }) => {
    const log = calls()
    serveEvents(server, log)
    await open(`${EVENTS}?event=8`)
    await expect.element(panel.getByText('"seq"')).toBeVisible()
    await userEvent.keyboard('c')
    await eventually(copied).toBe(JSON.stringify(log.at(8), null, 2))
  })

  it('covers the list on a phone and passes axe', async ({ server, open }) => {
    serveEvents(server, calls())
    await open(`${EVENTS}?event=8`, [390, 844])
    await expect.element(panel.getByText('Same call')).toBeVisible()
    await expectAccessible()
    await panel.getByRole('button', { name: 'Close' }).click()
    await expect.element(panel).not.toBeInTheDocument()
    await eventually(() => drawnSeqs()[0]).toBe(8)
    await expectAccessible()
  })
})
