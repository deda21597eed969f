import type { SentContext } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, page, userEvent } from '../../testing/page.tsx'
import { conversation, message, runtime } from '../chat.test-kit.ts'
import { answers, button, it, region, sendButton, WIDE, write } from '../chat-page.test-kit.ts'
import type { FakeRun } from '../fake-chat.test-kit.ts'

const section = (key: string, title: string, more: Partial<SentContext['sections'][number]> = {}) => ({
  ...{ key, title, status: 'ok' as const, chars: 400, tokens: 100, items: 1, left_out: 0, truncated: false },
  ...more,
})

const steps = ['Read the log', 'Change the parser', 'Run the tests']

const plan = (labels: readonly string[]): SentContext['plan'] => ({
  decision: 'sequential',
  worthiness: 1,
  reasons: [],
  nodes: labels.map((label, n) => ({ id: `s${n}`, label, work: 5 })),
  edges: [],
})

const sent = (more: Partial<SentContext> = {}): SentContext => ({
  sections: [
    section('user', 'About you', { text: '- I prefer short answers.' }),
    section('plan', 'Plan', { text: steps.map((label, n) => `${n + 1}. ${label}`).join('\n') }),
    section('history', 'Conversation', { tokens: 40 }),
  ],
  skills: { skills: [], left_out: 0, status: 'ok' },
  plan: plan(steps),
  template: null,
  budget_tokens: 32_000,
  ...more,
})

/** The first events of a run: the sent context without its text, and the plan. */
const prepare = (run: FakeRun, { sections, skills, plan, budget_tokens }: SentContext) =>
  run
    .progress('context', {
      ...{ kind: 'context', status: 'completed', label: 'Context' },
      detail: {
        sections: sections.map(({ text: _text, ...one }) => one),
        ...{ skills: skills.skills, left_out: skills.left_out, template: null, budget_tokens },
      },
    })
    .progress('plan', { kind: 'plan', status: 'completed', label: 'Plan', detail: plan })

describe('The panel beside the messages', () => {
  it('shows the progress of the plan and the exact context that was sent', async ({ open, chat }) => {
    const shows = (status: string) => ({
      kind: 'step',
      status,
      parent_id: 'plan',
      detail: { evidence: ['tool-1'] },
    })
    chat.onRun = (run) =>
      prepare(run, sent())
        .progress('s0', shows('completed'))
        .progress('s1', shows('failed'))
        .say('Done.')
        .done()
    chat.sent = { 'run-1-user': sent() }
    await open(`/chat?c=${chat.add().id}`)
    await page.viewport(...WIDE)
    await write('Read the log, then change the parser, then run the tests.')
    await expect.element(region('Plan').getByText('1 of 3')).toBeVisible()
    const panel = region('Context sent')
    await expect.element(panel.getByText('About you')).toBeVisible()
    await expect.element(panel.getByText('240 of 32,000')).toBeVisible()
    await panel.getByRole('button', { name: 'Open as sent' }).click()
    const whole = page.getByRole('dialog', { name: 'Context as sent' })
    await expect.element(whole.getByText(/1\. Read the log/)).toBeVisible()
    await expect
      .element(
        whole.getByText(/^This section contains the earlier messages of this conversation, word for word\./),
      )
      .toBeVisible()
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    chat.onRun = (run) =>
      prepare(run, sent({ plan: plan(['Answer']) }))
        .say('And then nothing.')
        .done()
    await write('And then?')
    await expect.element(region('Plan').getByText('This message needs only one step.')).toBeVisible()
    await expect.element(sendButton()).toBeVisible()
    // The page fetches the context of an older message on demand.
    await answers().first().getByRole('button', { name: 'Context sent' }).click()
    await expect.element(panel.getByText(/^for the message at /)).toBeVisible()
    await expect.element(region('Plan').getByText('3 steps')).toBeVisible()
    await panel.getByRole('button', { name: 'Back to latest' }).click()
    await expect.element(region('Plan').getByText('This message needs only one step.')).toBeVisible()
  })

  it('shows a plan as an outline when the runtime reports no progress', async ({ open, chat }) => {
    chat.onRun = (run) => prepare(run, sent()).say('advice of ref-a').done()
    await open(`/chat?c=${chat.add().id}`)
    await page.viewport(...WIDE)
    await write('Read the log, then change the parser, then run the tests.')
    await expect
      .element(region('Plan').getByText(/The runtime did not report which steps ran\.$/))
      .toBeVisible()
    await expect.element(region('Plan').getByText('3 steps')).toBeVisible()
    expect(region('Plan').getByRole('progressbar').elements()).toEqual([])
    expect(region('Plan').getByText('done', { exact: true }).elements()).toEqual([])
  })

  it('adds and forgets facts about the person', async ({ open, chat, server }) => {
    const fact = { id: 'f1', text: 'I prefer short answers.', ts: Date.now() }
    server.on('POST /api/memory/facts', () => {
      chat.facts = [fact]
      return fact
    })
    server.on('DELETE /api/memory/facts/f1', () => {
      chat.facts = []
      return { forgotten: true }
    })
    await open(`/chat?c=${chat.add().id}`)
    await page.viewport(...WIDE)
    await button('Facts about you').click()
    const dialog = page.getByRole('dialog', { name: 'Facts about you' })
    await expect.element(dialog.getByText('No facts yet.')).toBeVisible()
    await dialog.getByRole('textbox', { name: 'Add fact' }).fill(` ${fact.text} `)
    await userEvent.keyboard('{Enter}')
    await expect.element(dialog.getByRole('listitem').filter({ hasText: fact.text })).toBeVisible()
    expect(server.requestsTo('POST /api/memory/facts').map(({ body }) => body)).toEqual([{ text: fact.text }])
    await dialog.getByRole('button', { name: `Forget “${fact.text}”` }).click()
    await expect.element(dialog.getByText('No facts yet.')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await button('Undo').click()
    await eventually(() => server.requestsTo('POST /api/memory/facts').length).toBe(2)
  })

  it('shows left-out context, the reason for a skill and what a runtime lacks', async ({ open, chat }) => {
    chat.sent = {
      m1: sent({
        sections: [
          section('notes', 'Your notes', {
            ...{ status: 'unavailable', note: 'no answer within 300 ms', tokens: 0, items: 0 },
          }),
          section('recalled', 'Recalled memory', { tokens: 1_900, items: 6, left_out: 35, truncated: true }),
          section('user', 'About you', { tokens: 1, text: 'Hi.' }),
        ],
        skills: {
          skills: [{ name: 'deploy', description: '', of: 'Hermes', score: 1.42, reasons: ['its name'] }],
          ...{ left_out: 49, status: 'ok' },
        },
        template: 'review',
      }),
    }
    chat.runtimes = [
      ...chat.runtimes,
      runtime('acp:nobody', { state: 'not_installed', detail: 'Install `panoptes-no-such-agent`.' }),
    ]
    chat.add(conversation('chat-1', { title: 'About m1', runtime: 'jarvis', messages: talk }))
    await open('/chat?c=chat-1')
    await page.viewport(...WIDE)
    const panel = region('Context sent')
    await expect.element(panel.getByText('no answer within 300 ms')).toBeVisible()
    await expect.element(panel.getByText('6 of 41, shortened')).toBeVisible()
    await expect.element(panel.getByText('35 left out')).toBeVisible()
    await expect.element(panel.getByText('1 of 50')).toBeVisible()
    await button('Why this skill').click()
    await expect.element(panel.getByText('its name')).toBeVisible()
    await button(/^Runtime:/).click()
    await expect.element(page.getByRole('menuitemradio', { name: /nobody.*not installed/ })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    const runtimes = region('Runtimes')
    await expect.element(runtimes.getByText('panoptes-no-such-agent')).not.toBeInTheDocument()
    await runtimes.getByRole('button', { name: /nobody/ }).click()
    await expect.element(runtimes.getByText('panoptes-no-such-agent')).toBeVisible()
    await expectAccessible()
    await panel.getByRole('button', { name: 'Open as sent' }).click()
    await expect.element(page.getByRole('heading', { name: 'About you 1 token' })).toBeVisible()
  })
})

const talk = [
  message('m1', 'user', { content: 'Why?', ts: Date.now() - 60_000 }),
  message('m2', 'assistant', { content: 'So.', ts: Date.now() - 50_000, ended_at: Date.now() }),
]
