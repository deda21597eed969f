import { describe, expect } from 'vitest'
import { eventually, go, it, page, userEvent } from '../../testing/page.tsx'
import { agentPath, graph, LiveServer, panel, panelName, shownAgents } from '../live-page.test-kit.ts'

const said = () => panel.element().textContent

describe('the panel of an agent', () => {
  it('tells where it stands, what it was asked, what it took and which of its tools failed', async ({
    server,
    open,
  }) => {
    const live = new LiveServer(server)
    await open(agentPath('r'))
    await expect
      .element(panel.getByText(/^atlas-api › main › writer › reader · claude-haiku-4/))
      .toBeVisible()
    await eventually(said).toContain('Read1✕ 1500 ms')
    expect(said()).toContain('Do the work of reader')
    expect(said()).toContain('Tokens in–')
    expect(said()).toContain('Money–')
    expect(said()).toContain('Tool calls1✕ 1')
    expect(said()).toContain('Children0')
    const [request] = server.requestsTo('GET /api/agents/s1/r')
    expect(request?.query.get('source')).toBe('claude-code')
    const line = panel.getByRole('list').last().getByRole('link').first()
    await expect.element(line).toHaveAttribute('href', '/settings/events?event=6')
    const usage = { input: 9_000, output: 400, cache_read: 3_000, cache_write: 0, cost_micro_usd: 1_230_000 }
    live.tell([{ ...live.agent('r'), last_at: Date.now(), usage: { ...usage, cost_unknown: 0 } }])
    await eventually(said).toContain('Money$1.23')
    expect(said()).toContain('Tokens in12k25% cached')
    expect(said()).toContain('Tokens out400')
  })

  it('is closed by Escape and by its button, and the address forgets the agent', async ({ server, open }) => {
    new LiveServer(server)
    await open(agentPath('r'))
    await expect.element(panelName).toHaveTextContent('reader')
    await userEvent.keyboard('{Escape}')
    await expect.element(panel).not.toBeInTheDocument()
    await expect.poll(() => location.search).toBe('')
    await go(agentPath('w'))
    await panel.getByRole('button', { name: 'Close' }).click()
    await expect.element(panel).not.toBeInTheDocument()
    await expect.poll(() => location.search).toBe('')
  })

  it('says what the skill came to and how the agent ended, while the graph goes on', async ({
    server,
    open,
  }) => {
    const live = new LiveServer(server)
    const ts = live.day.start
    const claims = { count: 2, last: { value: 'about 5 min', tier: 'ESTIMATE-HTC', ts } }
    const reader = { ...live.agent('r'), skill: { name: 'tidy-up', ts, success: null }, claims }
    live.add(reader)
    await open(agentPath('r'))
    await expect.element(page.getByText(/reader, .*skill tidy-up · ESTIMATE/)).toBeInTheDocument()
    live.tell([
      {
        ...reader,
        state: 'done',
        outcome: 'partial',
        skill: { ...reader.skill, success: false },
        ended_at: Date.now(),
        last_at: Date.now(),
      },
    ])
    await expect.element(panel.getByText('skill tidy-up ✕')).toBeVisible()
    await expect.element(panel.getByText('done: partial')).toBeVisible()
    await eventually(shownAgents).toBe(2)
    await expect.element(graph).toBeVisible()
  })

  it('offers the command that goes on with the session, and the transcript where one was written', async ({
    server,
    open,
    copied,
  }) => {
    const live = new LiveServer(server)
    await open(agentPath('w'))
    const copy = panel.getByRole('button', { name: 'Copy resume command' })
    await copy.click()
    await eventually(copied).toBe('claude --resume s1')
    await expect.element(panel.getByRole('link', { name: 'Open in Sessions' })).not.toBeInTheDocument()
    live.transcripts = true
    await go(agentPath('r'))
    const link = panel.getByRole('link', { name: 'Open in Sessions' })
    await expect.element(link).toBeVisible()
    expect(decodeURIComponent(link.element().getAttribute('href') ?? '')).toBe(
      '/sessions?session=claude-code~s1',
    )
  })

  it('says that an agent is not known, and shows hostile words as they are', async ({ server, open }) => {
    const live = new LiveServer(server)
    const hostile = '<img src=x onerror="document.title=\'taken\'">'
    live.add({ ...live.agent('r'), subagent_type: hostile, prompt_preview: hostile })
    await open(agentPath('nobody'))
    await expect.element(panel.getByText('There is no agent nobody in the session s1.')).toBeVisible()
    await go(agentPath('r'))
    await expect.element(panelName).toHaveTextContent(hostile)
    await eventually(said).toContain(hostile)
    await eventually(() => document.title).toBe('(1) Live · Panoptes')
  })

  it('says of a past moment that the agent was not there yet', async ({ server, open }) => {
    const { day } = new LiveServer(server)
    await open(agentPath('f', `&at=${day.start + 2_500}`))
    await expect.element(panel.getByText('This agent is not in sight at this moment.')).toBeVisible()
  })
})
