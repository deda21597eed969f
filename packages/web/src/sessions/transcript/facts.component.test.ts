import type { MarksInput, PastSession, SessionMarks } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../../testing/page.tsx'
import { answerSessions, answerTranscript } from '../sessions.test-kit.ts'
import { parallelSession } from './sample-sessions.test-kit.ts'

const PARALLEL = '/sessions?session=claude-code~parallel'
const WIDE = [1440, 900] as const
const facts = page.getByRole('complementary', { name: 'Session details' })
const transcript = page.getByRole('region', { name: 'Transcript' })

describe('the costs of a session', () => {
  it('are listed by step, and each step links to its message', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(PARALLEL, WIDE)
    const steps = facts.getByRole('list', { name: 'Cost by step' }).getByRole('button')
    await eventually(() => steps.elements().map((step) => step.ariaLabel)).toEqual([
      'Step 1: $0.012, 600 tokens, 3 tool calls, 2 errors',
      'Step 2: $0.004, 1,210 tokens, 1 tool call',
      'Step 3: $0.004, 1,210 tokens, 0 tool calls',
    ])
    await expect.element(facts.getByText('All steps: $0.020')).toBeVisible()
    await steps.last().click()
    await eventually(() => location.search).toMatch(/[?&]n=10(&|$)/)
    await eventually(() => document.getElementById('message-10')?.ariaCurrent).toBe('true')
  })

  it('show spending outside the transcript on its own line', async ({ server, open }) => {
    const told = parallelSession()
    const session = { ...told.session, outside_micro_usd: 4_000 }
    answerSessions(server, () => [session])
    answerTranscript(server, () => ({ ...told, session }))
    await open(PARALLEL, WIDE)
    await expect.element(facts.getByText('Outside the transcript: $0.004')).toBeVisible()
    await expect.element(facts.getByText('All steps: $0.020')).toBeVisible()
    await expect.element(transcript.getByText(/\$0\.020 · \$0\.004 outside the transcript/)).toBeVisible()
  })

  it('are unknown when the client reports no total and replies report no tokens', async ({
    server,
    open,
  }) => {
    const told = parallelSession()
    const session = { ...told.session, spent: { ...createZeroSpent(), usage_unknown: 4 } }
    answerSessions(server, () => [session])
    answerTranscript(server, () => ({ ...told, session }))
    await open(PARALLEL, WIDE)
    await expect.element(facts.getByText('Outside the transcript: unknown')).toBeVisible()
    await expect.element(transcript.getByText(/outside the transcript/)).not.toBeInTheDocument()
    const tokens = [...facts.getByRole('definition').elements()].slice(0, 5).map((one) => one.textContent)
    expect(tokens).toEqual(['–', '–', '–', '–', '4 replies'])
  })

  it('open from a button when there is no room for them', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(PARALLEL)
    await transcript.getByRole('button', { name: 'Costs' }).click()
    await expect.element(facts.getByText('All steps: $0.020')).toBeVisible()
    await facts.getByRole('button', { name: 'Close' }).click()
    await expect.element(facts).not.toBeInTheDocument()
  })
})

describe('tags and notes of a session', () => {
  it('are saved as they are typed and appear in the list', async ({ server, open }) => {
    const told = parallelSession()
    let session: PastSession = told.session
    answerSessions(server, () => [session])
    answerTranscript(server, () => ({ ...told, session }))
    server.on('PUT /api/past/sessions/claude-code/parallel/marks', ({ body }): SessionMarks => {
      const { source, id } = session
      const { tags = session.tags, note = session.note } = body as MarksInput
      session = { ...session, tags, note }
      return { source, id, tags, note }
    })
    const sent = () =>
      server.requestsTo('PUT /api/past/sessions/claude-code/parallel/marks').map(({ body }) => body)
    await open(PARALLEL, WIDE)
    await facts.getByLabelText('Add a tag').fill('sundry')
    await userEvent.keyboard('{Enter}')
    await expect.element(facts.getByRole('button', { name: 'Remove the tag sundry' })).toBeVisible()
    await expect.element(page.getByRole('row', { name: /RUN:parallel.*sundry/ })).toBeVisible()
    await facts.getByLabelText('Note').fill('Three at once')
    await userEvent.keyboard('{Tab}')
    await eventually(sent).toEqual([{ tags: ['sundry'] }, { note: 'Three at once' }])
    // The page moves when the saved note returns and a click could miss, so the test uses the keyboard.
    facts.getByRole('button', { name: 'Remove the tag sundry' }).element().focus()
    await userEvent.keyboard('{Enter}')
    await eventually(() => sent().at(-1)).toEqual({ tags: [] })
  })

  it('return to their old value when saving fails, with the reason', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    server.fail('PUT /api/past/sessions/claude-code/parallel/marks', 500, { detail: 'The disk is full.' })
    await open(PARALLEL, WIDE)
    await facts.getByLabelText('Add a tag').fill('sundry')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText('The disk is full.')).toBeVisible()
    await expect.element(facts.getByRole('button', { name: 'Remove the tag sundry' })).not.toBeInTheDocument()
  })
})

describe('forgetting a session', () => {
  it('needs confirmation and reports what was removed', async ({ server, open }) => {
    const told = parallelSession()
    let sessions = [told.session]
    answerSessions(server, () => sessions)
    answerTranscript(server, () => told)
    server.on('POST /api/past/forget', () => {
      sessions = []
      return { sessions: 1, removed: [{ from: 'index', what: 'messages', count: 11 }] }
    })
    await open(PARALLEL, WIDE)
    await facts.getByRole('button', { name: 'Forget this session' }).click()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(server.requestsTo('POST /api/past/forget')).toEqual([])
    await facts.getByRole('button', { name: 'Forget this session' }).click()
    await page.getByRole('button', { name: 'Forget', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Forgotten' })
    await expect.element(dialog.getByText('messages in the index: 11')).toBeVisible()
    expect(server.requestsTo('POST /api/past/forget').map(({ body }) => body)).toEqual([
      { sessions: [{ source: 'claude-code', id: 'parallel' }] },
    ])
    await expectAccessible()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await expect.element(transcript).not.toBeInTheDocument()
    await expect.element(page.getByRole('row', { name: /RUN:parallel/ })).not.toBeInTheDocument()
    await expect.poll(() => location.search).toBe('')
  })

  it('keeps the session and shows the reason when it fails', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    server.fail('POST /api/past/forget', 500, { detail: 'The log is being written.', next: 'Try again.' })
    await open(PARALLEL, WIDE)
    await facts.getByRole('button', { name: 'Forget this session' }).click()
    await page.getByRole('button', { name: 'Forget', exact: true }).click()
    await expect
      .element(page.getByRole('alert').filter({ hasText: 'The log is being written. Try again.' }))
      .toBeVisible()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expect.element(transcript.getByRole('heading', { name: 'RUN:parallel' })).toBeVisible()
  })
})
