import type { FoundMessage } from '@panoptes/schema'
import { searchQuery, searchReply } from '@panoptes/schema'
import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'
import { answerSessions, answerTranscript } from './sessions.test-kit.ts'
import { parallelSession } from './transcript/sample-sessions.test-kit.ts'

const hits = page.getByRole('list', { name: 'Search results' })
const field = page.getByLabelText('Search in all sessions')
const marks = () => [...document.querySelectorAll('[data-hits] mark')].map((mark) => mark.textContent)

const hit = (change: Partial<FoundMessage> = {}): FoundMessage => ({
  source: 'claude-code',
  session_id: 'parallel',
  n: 8,
  id: 'm8',
  agent_id: 'main',
  role: 'assistant',
  ts: Date.now() - 60_000,
  title: 'RUN:parallel',
  project: 'notes',
  snippet: 'Bash echo merged',
  ...change,
})

describe('the search in all sessions', () => {
  it('finds words while they are typed and opens the transcript at a hit', async ({ server, open }) => {
    const told = parallelSession()
    answerSessions(server, () => [told.session])
    answerTranscript(server, () => told)
    server.on('GET /api/past/search', ({ query }) => {
      const { q } = searchQuery.parse(Object.fromEntries(query))
      return searchReply.parse(q.startsWith('echo') ? [hit()] : [])
    })
    await open('/sessions?project=notes')
    await userEvent.keyboard('/echo merged')
    await eventually(marks).toEqual(['echo', 'merged'])
    await expect.element(hits.getByRole('listitem').first()).toMatchTextContent(/RUN:parallel.*1 hit/)
    const last = Object.fromEntries(server.requestsTo('GET /api/past/search').at(-1)?.query ?? [])
    expect(last).toEqual({ q: 'echo merged', project: 'notes', limit: '50', offset: '0' })
    await expectAccessible()
    await hits.getByRole('button').first().click()
    await eventually(() => document.querySelectorAll('#message-8 mark').length).toBeGreaterThan(1)
    await expect.poll(() => location.search).toMatch(/q=echo.*n=8/)
    await field.fill('nowhere-to-be-found')
    await expect.element(page.getByText(/^No messages contain all of these words\./)).toBeVisible()
  })

  it('loads more hits on demand and shows a few of each session', async ({ server, open }) => {
    answerSessions(server, () => [parallelSession().session])
    server.on('GET /api/past/search', ({ query }) => {
      const { offset, limit } = searchQuery.parse(Object.fromEntries(query))
      return Array.from({ length: 120 }, (_, n) => hit({ n, id: `m${n}`, snippet: `made ${n}` })).slice(
        offset,
        offset + limit,
      )
    })
    await open('/sessions?q=made')
    await expect.element(page.getByText('First 50 in 1 session')).toBeVisible()
    await expect.element(hits.getByRole('button', { name: '47 more hits' })).toBeVisible()
    await hits.getByRole('button', { name: 'Show more' }).click()
    await expect.element(page.getByText('First 100 in 1 session')).toBeVisible()
    await hits.getByRole('button', { name: 'Show more' }).click()
    await expect.element(page.getByText('120 in 1 session', { exact: true })).toBeVisible()
    await hits.getByRole('button', { name: '117 more hits' }).click()
    await expect.element(hits.getByRole('button', { name: 'Assistant made 119' })).toBeInTheDocument()
  })

  it('supports arrow keys, j and k', async ({ server, open }) => {
    answerSessions(server, () => [])
    server.on('GET /api/past/search', [hit(), hit({ session_id: 'other', title: 'Another', n: 2 })])
    await open('/sessions?q=echo')
    await expect.element(hits).toBeVisible()
    const focused = () => document.activeElement?.textContent
    await userEvent.keyboard('j')
    await eventually(focused).toMatch(/^RUN:parallel/)
    await userEvent.keyboard('{ArrowDown}{ArrowDown}')
    await eventually(focused).toMatch(/^Another/)
    await userEvent.keyboard('k')
    await eventually(focused).toMatch(/echo merged/)
  })

  it('shows why a search failed and tries again', async ({ server, open }) => {
    answerSessions(server, () => [])
    server.fail('GET /api/past/search', 500, { detail: 'The index is locked.' })
    await open('/sessions?q=echo')
    const alert = page.getByRole('alert').filter({ hasText: 'Search failed. The index is locked.' })
    await expect.element(alert).toBeVisible()
    server.on('GET /api/past/search', [hit()])
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.element(hits).toBeVisible()
  })
})
