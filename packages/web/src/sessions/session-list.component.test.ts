import type { FoundSource, SavedFilter } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { agent } from '../live/agents.test-kit.ts'
import { eventually, expectAccessible, it, page, pressNow, userEvent } from '../testing/page.tsx'
import { me } from '../testing/replies.ts'
import {
  answerSessions,
  answerTranscript,
  indexStatus,
  pastSession,
  spent,
  statsRow,
} from './sessions.test-kit.ts'
import { parallelSession } from './transcript/sample-sessions.test-kit.ts'

const MINUTE = 60_000
const rows = () => [...document.querySelectorAll('tbody tr')]
const rowTexts = () => rows().map((row) => row.textContent ?? '')
const address = () => decodeURIComponent(location.search)
const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

const parallel = pastSession({
  id: 'parallel',
  title: 'RUN:parallel',
  messages: 25,
  tool_calls: 10,
  errors: 2,
})
const failure = pastSession({ id: 'failure', title: 'RUN:failure', errors: 1 })
const quiet = pastSession({
  id: 'quiet',
  title: 'Rename a module',
  project: 'atlas',
  model: 'gpt-5-codex',
  source: 'codex',
  spent: spent({ cost_unknown: 2 }),
})

describe('the list of sessions', () => {
  it('shows each session with its numbers and adds a new one at the next refetch', async ({
    server,
    open,
    passTime,
  }) => {
    let sessions = [{ ...parallel, last_at: Date.now() - 30 * MINUTE }, failure, quiet]
    answerSessions(server, () => sessions)
    await open('/sessions', [1440, 900])
    await eventually(() => rows().length).toBe(3)
    expect(rowTexts()[0]).toMatch(
      /RUN:parallel.*notes.*claude-code.*claude-opus-4-8.*30 min ago.*25.*10.*✕ 2.*\$0\.014/,
    )
    expect(rowTexts()[2]).toMatch(/Rename a module.*atlas.*codex.*gpt-5-codex.*–$/)
    await expect.element(page.getByText('3 sessions · 2 sources')).toBeVisible()
    await expectAccessible()
    sessions = [pastSession({ id: 'fresh', title: 'A fresh quince' }), ...sessions]
    await eventually(() => {
      passTime(5_000)
      return rowTexts()[0]
    }).toContain('A fresh quince')
    expect(rows()).toHaveLength(4)
  })

  it('marks a session whose agent is working', async ({ server, open }) => {
    answerSessions(server, () => [parallel, failure])
    server.on('GET /api/agents', [agent({ id: 'main', parent_id: null, session_id: 'parallel' })])
    await open('/sessions')
    await expect.element(page.getByRole('row', { name: /^working RUN:parallel/i })).toBeVisible()
    await expect.element(page.getByRole('row', { name: /^RUN:failure/ })).toBeVisible()
  })

  it('shows a computer column and filter when there are several computers', async ({ server, open }) => {
    answerSessions(server, () => [
      pastSession({ id: 'a', host: 'desk' }),
      pastSession({ id: 'b', host: 'laptop', title: 'On the road' }),
    ])
    await open('/sessions', [1440, 900])
    await expect.element(page.getByRole('columnheader', { name: 'computer' })).toBeVisible()
    await button(/^Computer/).click()
    await page.getByRole('menuitemcheckbox', { name: /^laptop/ }).click()
    await eventually(rowTexts).toEqual([expect.stringContaining('On the road')])
    expect(address()).toContain('host=laptop')
  })

  it('marks a session of which only the prompts are left', async ({ server, open }) => {
    const lost = pastSession({ id: 'lost', title: 'Find the leak', model: null, prompts_only: true })
    answerSessions(server, () => [pastSession({ id: 'whole' }), lost])
    await open('/sessions', [1440, 900])
    const row = page.getByRole('row', { name: /^Find the leak/ })
    await expect.element(row.getByText('prompts only')).toBeVisible()
    await expect.element(row.getByText('$0.014')).not.toBeInTheDocument()
    expect(page.getByText('prompts only').elements()).toHaveLength(1)
  })

  it('marks hits in a session of which only the prompts are left', async ({ server, open }) => {
    answerSessions(server, () => [])
    const hit = { source: 'claude-code', session_id: 'lost', n: 0, id: 'p', agent_id: 'main', role: 'user' }
    const about = { ts: null, title: 'Find it', project: 'notes', prompts_only: true, snippet: 'the leak' }
    server.on('GET /api/past/search', [{ ...hit, ...about }])
    await open('/sessions?q=leak', [1440, 900])
    await expect.element(page.getByText('notes · claude-code · prompts only')).toBeVisible()
  })

  it('explains an open session of which only the prompts are left, and names no cost', async ({
    server,
    open,
  }) => {
    const whole = parallelSession()
    const told = { ...whole, session: { ...whole.session, prompts_only: true } }
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    await open('/sessions?session=claude-code~parallel', [1440, 900])
    const note = 'claude-code deleted this session before Panoptes read it. Only your prompts are left.'
    await expect.element(page.getByText(note)).toBeVisible()
    await expect.element(page.getByText('Cost by step')).not.toBeInTheDocument()
    await expectAccessible()
  })

  it('renders only visible rows of hundreds and loads more near the end', async ({ server, open }) => {
    const many = Array.from({ length: 450 }, (_, n) => pastSession({ id: `s${n}`, title: `Session ${n}` }))
    answerSessions(server, () => many)
    await open('/sessions')
    await eventually(() => rows().length).toBeGreaterThan(10)
    expect(rows().length).toBeLessThan(60)
    const offsets = () => [
      ...new Set(server.requestsTo('GET /api/past/sessions').map(({ query }) => query.get('offset'))),
    ]
    expect(offsets()).toEqual(['0'])
    await page.getByRole('grid').click({ position: { x: 5, y: 5 } })
    const last = page.getByRole('row', { name: /Session 449/ })
    // Each press of End goes to the last row that is loaded by then.
    await eventually(async () => {
      await userEvent.keyboard('{End}')
      return last.query()
    }).not.toBeNull()
    await expect.element(last).toBeInViewport()
    expect(offsets()).toEqual(['0', '200', '400'])
    expect(rows().length).toBeLessThan(60)
    expect(document.querySelector('table')?.ariaRowCount ?? '').toBe('451')
  })

  it('shows the index progress and failures and can pause indexing', async ({ server, open, passTime }) => {
    let sessions = [parallel]
    let reading = indexStatus({ state: 'running', done: 120, total: 4_000 })
    const failed = indexStatus({ source: 'hermes', state: 'failed', problem: 'The disk is gone.' })
    answerSessions(server, () => sessions)
    server
      .on('GET /api/past/status', () => [reading, failed])
      .on('POST /api/past/status', () => {
        reading = { ...reading, state: 'paused' }
        return [reading, failed]
      })
    await open('/sessions')
    await expect
      .element(page.getByRole('progressbar', { name: 'Reading 120 of 4,000 sessions' }))
      .toBeVisible()
    const alert = page.getByRole('alert').filter({ hasText: 'The disk is gone.' })
    await expect.element(alert.getByRole('link', { name: 'Check health' })).toBeVisible()
    await eventually(() => rows().length).toBe(1)
    sessions = [...sessions, failure]
    reading = { ...reading, done: 121 }
    await eventually(() => {
      passTime(1_000)
      return rows().length
    }).toBe(2)
    await button('Pause').click()
    await expect.element(page.getByText('Reading is paused after 121 of 4,000 sessions.')).toBeVisible()
    await expect.element(button('Resume')).toBeVisible()
    expect(server.requestsTo('POST /api/past/status').map(({ body }) => body)).toEqual([{ paused: true }])
  })

  it('shows why it cannot load and tries again', async ({ server, open }) => {
    answerSessions(server, () => [parallel])
    server.fail('GET /api/past/sessions', 500, { detail: 'The index is locked.', next: 'Wait a moment.' })
    await open('/sessions')
    const alert = page.getByRole('alert').filter({ hasText: 'The index is locked. Wait a moment.' })
    await expect.element(alert).toBeVisible()
    answerSessions(server, () => [parallel])
    pressNow(alert.getByRole('button', { name: 'Try again' }))
    await eventually(() => rows().length).toBe(1)
    await expect.element(alert).not.toBeInTheDocument()
  })

  it('shows the searched places when there are no sessions', async ({ server, open }) => {
    answerSessions(server, () => [])
    const hermes: FoundSource = {
      id: 'hermes',
      name: 'Hermes',
      kind: 'agent',
      state: 'absent',
      path: null,
      detail: 'No ~/.hermes',
      next: null,
    }
    const claude: FoundSource = {
      ...hermes,
      ...{ id: 'claude-code', name: 'Claude Code', state: 'found', path: '/home/dev/.claude' },
      retention: { kind: 'days', days: 7 },
      saved: { state: 'saved', sessions: 0, deleted: 0, prompts_only: 0 },
    }
    server.on('GET /api/sources', { sources: [hermes, claude] })
    await open('/sessions')
    await expect.element(page.getByRole('heading', { name: 'No sessions yet' })).toBeVisible()
    await expect
      .element(
        page.getByText('Claude Code deletes sessions after 7 days. Panoptes has saved no sessions yet.'),
      )
      .toBeVisible()
    await expect
      .element(page.getByRole('list', { name: 'Places searched' }).getByText('No ~/.hermes'))
      .toBeVisible()
    await expectAccessible()
    await page.viewport(390, 844)
    await expect.element(page.getByRole('heading', { name: 'No sessions yet' })).toBeVisible()
    await expectAccessible()
    expect(document.documentElement.scrollWidth).toBe(390)
  })
})

describe('the filters of the list', () => {
  it('appear in the address and in the request', async ({ server, open }) => {
    answerSessions(server, () => [parallel, failure, quiet])
    server.on('GET /api/past/stats', ({ query }) =>
      query.get('by') === 'tool'
        ? [statsRow({ name: 'Agent', messages: null, spent: null })]
        : [statsRow({ name: 'notes', sessions: 2 }), statsRow({ name: 'atlas' })],
    )
    await open('/sessions')
    const lastQuery = () =>
      Object.fromEntries(server.requestsTo('GET /api/past/sessions').at(-1)?.query ?? [])
    await button(/^Project/).click()
    await page.getByRole('menuitemcheckbox', { name: /^notes/ }).click()
    await eventually(() => rows().length).toBe(2)
    await button('Has errors').click()
    await button('More').click()
    await button(/^Tool/).click()
    await page.getByRole('menuitemcheckbox', { name: /^Agent/ }).click()
    await eventually(lastQuery).toEqual({
      project: 'notes',
      errors: 'true',
      tool: 'Agent',
      limit: '200',
      offset: '0',
    })
    expect(address()).toMatch(/project=notes.*errors=true.*tool=Agent|project=notes.*tool=Agent.*errors=true/)
  })

  it('can be saved under a name, used again and removed', async ({ server, open }) => {
    let saved: SavedFilter[] = [
      { name: 'Dear ones', query: { min_cost_micro_usd: 5_000_000, source: 'codex' } },
    ]
    answerSessions(server, () => [parallel, failure, quiet])
    server
      .on('GET /api/past/filters', () => saved)
      .on('PUT /api/past/filters/:name', ({ path, body }) => {
        const one = { name: decodeURIComponent(path.split('/').at(-1) ?? ''), ...(body as object) }
        saved = [...saved, one as SavedFilter]
        return one
      })
      .on('DELETE /api/past/filters/:name', () => (saved = saved.slice(1)))
    await open('/sessions?project=notes&errors=true')
    await button('More').click()
    await button('Saved').click()
    await page.getByLabelText('Name', { exact: true }).fill('With errors')
    await button('Save these filters').click()
    const item = (name: string) => page.getByRole('listitem').filter({ hasText: name })
    await expect.element(item('With errors')).toBeVisible()
    await eventually(() => saved[1]).toEqual({
      name: 'With errors',
      query: { project: 'notes', errors: true },
    })
    await expectAccessible()
    await button('Remove Dear ones').click()
    await expect.element(item('Dear ones')).not.toBeInTheDocument()
    await eventually(() =>
      server.requestsTo('DELETE /api/past/filters/:name').map(({ path }) => path),
    ).toEqual(['/api/past/filters/Dear%20ones'])
    await userEvent.keyboard('{Escape}')
    await button('Undo').click()
    await button('Saved').click()
    await item('Dear ones').getByRole('button', { name: 'Use' }).click()
    await expect.element(page.getByRole('heading', { name: 'No matching sessions' })).toBeVisible()
    await expect.poll(() => new URLSearchParams(location.search).get('project')).toBeNull()
    expect(address()).toMatch(/source=codex.*cost=5|cost=5.*source=codex/)
  })

  it('are cleared at once and restored by Undo', async ({ server, open }) => {
    answerSessions(server, () => [parallel, quiet])
    await open('/sessions?model=nobody&cost=20')
    await expect.element(page.getByRole('heading', { name: 'No matching sessions' })).toBeVisible()
    await page.getByRole('button', { name: 'Clear filters' }).first().click()
    await eventually(() => rows().length).toBe(2)
    expect(address()).toBe('')
    await button('Undo').click()
    await eventually(address).toMatch(/model=nobody/)
    expect(address()).toMatch(/cost=20/)
  })

  it('can be saved by members only', async ({ server, open }) => {
    answerSessions(server, () => [parallel])
    server.on('GET /api/me', me({ team: true, role: 'viewer', home: false }))
    await open('/sessions?errors=true')
    await button('More').click()
    await button('Saved').click()
    await expect
      .element(
        page.getByText(
          'Only members and admins can save filters. Everyone in the space can use saved filters.',
        ),
      )
      .toBeVisible()
    await expect.element(button('Save these filters')).not.toBeInTheDocument()
  })
})
