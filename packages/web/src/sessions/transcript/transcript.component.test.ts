import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../../testing/page.tsx'
import { me } from '../../testing/replies.ts'
import { answerSessions, answerTranscript, pastSession } from '../sessions.test-kit.ts'
import { growingSession, hostileSession, longSession, parallelSession } from './sample-sessions.test-kit.ts'

const WIDE = [1440, 900] as const
const PARALLEL = '/sessions?session=claude-code~parallel'
const transcript = page.getByRole('region', { name: 'Transcript' })
const message = (n: number) => document.getElementById(`message-${n}`)

describe('a transcript', () => {
  it('nests an agent under its call, folded until it is opened', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(PARALLEL, WIDE)
    const agent = transcript.getByRole('button', { name: /^Explore probe/ })
    await expect
      .element(agent)
      .toMatchTextContent(/Exploreprobe · claude-opus-4-8 · sub-agent · 4 s · 2 tool calls2 errors\$0\.008/)
    await expect.element(transcript.getByText('Task')).not.toBeInTheDocument()
    await agent.click()
    await expect.element(transcript.getByText('Task', { exact: true })).toBeVisible()
    await eventually(() => transcript.getByText('failed', { exact: true }).elements().length).toBe(2)
    await expect.element(transcript.getByText('End of the session: 11 messages')).toBeInTheDocument()
    await expectAccessible()
    await agent.click()
    await expect.element(transcript.getByText('Task', { exact: true })).not.toBeInTheDocument()
  })

  it('opens the agent that contains the message in the address', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(`${PARALLEL}&n=6`)
    await eventually(() => message(5)?.ariaCurrent).toBe('true')
    await expect.element(transcript.getByText('Exit code 2')).toBeInViewport()
  })

  it('can be copied as Markdown and exported in three formats', async ({ server, open, copied }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(PARALLEL)
    await transcript.getByRole('button', { name: 'Export' }).click()
    await eventually(() =>
      page
        .getByRole('menuitem')
        .elements()
        .map((item) => item.getAttribute('href')),
    ).toEqual([
      null,
      ...['jsonl', 'markdown', 'html'].map(
        (format) => `/api/past/sessions/claude-code/parallel/export?format=${format}`,
      ),
    ])
    await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click()
    await expect.element(page.getByText('Copied 11 messages as Markdown')).toBeVisible()
    expect(copied()).toMatch(/^# RUN:parallel\n.*Exit code 2.*merged\.$/s)
    await transcript.getByRole('article').first().hover()
    await transcript.getByRole('button', { name: 'Copy this message as Markdown' }).first().click()
    await expect.element(page.getByText('Copied 1 message as Markdown')).toBeVisible()
    expect(copied()).toMatch(/^## You · [\d:]+\n\nRUN:parallel$/)
  })

  it('links to its last moment in Live', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open(PARALLEL)
    await expect
      .element(transcript.getByRole('link', { name: 'Show in Live' }))
      .toHaveAttribute('href', `/?session=claude-code%7Eparallel&at=${told.session.last_at}`)
  })

  it('shows new messages while it is open', async ({ server, open, passTime }) => {
    let told = growingSession(['A fresh quince'])
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open('/sessions?session=claude-code~growing')
    await expect.element(transcript.getByText('End of the session: 1 message')).toBeVisible()
    told = growingSession(['A fresh quince', 'And a medlar'])
    await eventually(() => {
      passTime(3_000)
      return message(1)?.textContent
    }).toBe('And a medlar')
  })

  it('shows hostile content as text and runs none of it', async ({ server, open }) => {
    const told = hostileSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    server.on('GET /api/past/sessions/claude-code/hostile/messages/2', told.whole)
    await open('/sessions?session=claude-code~hostile', WIDE)
    await eventually(() => message(0)?.textContent).toContain('‹U+001B›[2J ‹U+202E›txt.exe')
    await userEvent.keyboard('O')
    await expect.element(transcript.getByText('const b = 2')).toBeInTheDocument()
    await expect.element(transcript.getByText('a thought')).toBeInTheDocument()
    await expect
      .element(
        transcript.getByText(
          /Panoptes could not read 3 parts and left them out\. The first: .*hostile\.jsonl:2/,
        ),
      )
      .toBeVisible()
    await expect.element(transcript.getByText('Image, image/svg+xml, 6 B: not shown')).toBeInTheDocument()
    await transcript.getByRole('button', { name: 'Show 46,000 more characters' }).click()
    await transcript.getByRole('button', { name: /^Load the other [\d,]+ characters$/ }).click()
    await expect
      .element(transcript.getByRole('button', { name: 'Show 50,000 more characters' }))
      .toBeInTheDocument()
    expect(document.querySelector('main img, main script, main iframe')).toBeNull()
    expect(document.title).toMatch(/Sessions · Panoptes$/)
    await expectAccessible()
  })

  it('uses the singular for one more character of a long text', async ({ server, open }) => {
    const growing = growingSession(['x'.repeat(4_001)])
    answerSessions(server, () => [growing.session])
    answerTranscript(server, () => growing)
    await open('/sessions?session=claude-code~growing')
    await transcript.getByRole('button', { name: 'Show 1 more character' }).click()
    await eventually(() => message(0)?.textContent).toBe('x'.repeat(4_001))
  })

  it('reports a session that does not exist', async ({ server, open }) => {
    answerSessions(server, () => [pastSession()])
    const gone = { detail: 'claude-code has no session none.', next: 'See the list.' }
    server
      .fail('GET /api/past/sessions/claude-code/none', 404, gone)
      .fail('GET /api/past/sessions/claude-code/none/outline', 404, gone)
    await open('/sessions?session=claude-code~none')
    await expect
      .element(page.getByRole('alert').filter({ hasText: 'claude-code has no session none. See' }))
      .toBeVisible()
    await page.getByRole('button', { name: 'Close' }).click()
    await eventually(() => location.search).toBe('')
  })

  it('reports an address that names no session', async ({ server, open }) => {
    answerSessions(server, () => [pastSession()])
    await open('/sessions?session=nonsense')
    await expect
      .element(page.getByText('This link does not point to a session. Choose a session from the list.'))
      .toBeVisible()
  })

  it('hides all member actions from a viewer of a team', async ({ server, open }) => {
    const told = parallelSession()
    const session = { ...told.session, host: 'laptop', tags: ['sundry'], note: 'Three at once' }
    answerSessions(server, () => [session])
    answerTranscript(server, () => ({ ...told, session }))
    server.on('GET /api/me', me({ team: true, role: 'viewer', home: false }))
    await open(PARALLEL, WIDE)
    await expect.element(page.getByText('Three at once')).toBeVisible()
    await expect.element(page.getByText('Person on laptop')).toBeVisible()
    for (const name of ['Make a template', 'Forget this session', 'Remove the tag sundry'])
      await expect.element(page.getByRole('button', { name })).not.toBeInTheDocument()
    await expect.element(page.getByLabelText('Note', { exact: true })).not.toBeInTheDocument()
  })
})

describe('a long transcript', () => {
  it('loads only nearby messages and keeps its place while earlier ones load', async ({ server, open }) => {
    const told = longSession(3_000)
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open('/sessions?session=claude-code~long&n=2401', WIDE)
    const place = () => message(2_401)?.getBoundingClientRect().top
    const inView = () => {
      const top = place()
      return top !== undefined && top > 100 && top < 800
    }
    await eventually(inView).toBe(true)
    const drawn = (slot: number) => document.querySelector(`#slot-main-${slot}:not([data-unread])`) !== null
    await eventually(() => drawn(23)).toBe(true)
    await eventually(() => drawn(20)).toBe(true)
    await eventually(inView).toBe(true)
    expect(document.querySelectorAll('[data-entry]').length).toBeLessThan(100)
    const from = server
      .requestsTo('GET /api/past/sessions/claude-code/long')
      .map(({ query }) => Number(query.get('from')))
    expect(from[0]).toBe(2_400)
    expect(Math.min(...from)).toBeGreaterThan(1_000)
    // A session opened from the list starts at its first message.
    await userEvent.keyboard('{Escape}')
    await expect.element(transcript).not.toBeInTheDocument()
    await page.getByRole('row', { name: /A long session/ }).click()
    await eventually(() => message(0)?.textContent).toBe('A long session')
    await expect.element(transcript.getByRole('button', { name: /^Bash make part-1 / })).toBeVisible()
    expect(message(2_401)).toBeNull()
  })

  it('folds a row of calls behind one line that opens them', async ({ server, open }) => {
    const told = longSession(21)
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open('/sessions?session=claude-code~long')
    const call = transcript.getByRole('button', { name: /^Bash make part-9 / })
    await expect.element(call).not.toBeInTheDocument()
    await transcript.getByRole('button', { name: '9 more tool calls · 0 failed' }).click()
    await expect.element(call).toBeInTheDocument()
  })
})
