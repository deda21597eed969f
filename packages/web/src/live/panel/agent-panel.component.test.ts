import { describe, expect } from 'vitest'
import { eventually, go, it, page, userEvent } from '../../testing/page.tsx'
import { agentPath, graph, LiveServer, panel, panelName, shownAgents } from '../live-page.test-kit.ts'

const said = () => panel.element().textContent

describe('the panel of an agent', () => {
  it('shows its place in the tree, prompt, usage and failed tools', async ({ server, open }) => {
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
    expect(said()).toContain('Sub-agents0')
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

  it('closes with Escape and with its button and leaves the address', async ({ server, open }) => {
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

  it('updates the skill and the outcome while the graph goes on', async ({ server, open }) => {
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

  it('copies the resume command and links the transcript if there is one', async ({
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

  it('reports an unknown agent and shows hostile text as text', async ({ server, open }) => {
    const live = new LiveServer(server)
    const hostile = '<img src=x onerror="document.title=\'taken\'">'
    live.add({ ...live.agent('r'), subagent_type: hostile, prompt_preview: hostile })
    await open(agentPath('nobody'))
    await expect.element(panel.getByText('The session s1 has no agent nobody.')).toBeVisible()
    await go(agentPath('r'))
    await expect.element(panelName).toHaveTextContent(hostile)
    await eventually(said).toContain(hostile)
    await eventually(() => document.title).toBe('(1) Live · Panoptes')
  })

  it('reports that the agent did not exist at a past moment', async ({ server, open }) => {
    const { day } = new LiveServer(server)
    await open(agentPath('f', `&at=${day.start + 2_500}`))
    await expect.element(panel.getByText('Panoptes has no record of this agent at that time.')).toBeVisible()
  })
})
