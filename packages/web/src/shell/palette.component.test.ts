import { describe, expect } from 'vitest'
import { EventLog, serveEvents } from '../events/events.test-kit.ts'
import { agent, session } from '../live/agents.test-kit.ts'
import { LiveServer, shownAgents, WIDE } from '../live/live-page.test-kit.ts'
import { answerSettings, workReply } from '../settings/settings.test-kit.ts'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, expectAccessible, it, page, userEvent } from '../testing/page.tsx'

const EVENTS = '/settings/events'
const chosen = () => document.querySelector('[role=option][aria-selected=true]')?.textContent

async function typeIntoPalette(text: string): Promise<void> {
  await userEvent.keyboard('{Control>}k{/Control}')
  await expect.element(page.getByRole('combobox')).toHaveFocus()
  if (text !== '') await userEvent.keyboard(text)
}

describe('The palette', () => {
  it('opens a section of Settings by its name and marks the typed letters', async ({ server, open }) => {
    answerSettings(server)
    serveEvents(server, new EventLog(3))
    await open(EVENTS)
    await typeIntoPalette('stor')
    await eventually(chosen).toContain('Settings › Storage')
    await eventually(() => document.querySelector('[aria-selected=true] mark')?.textContent).toBe('Stor')
    await userEvent.keyboard('{Enter}')
    await eventually(() => location.pathname + location.hash).toBe('/settings#storage')
    await eventually(() => document.querySelector('[aria-current=location]')?.textContent).toBe('Storage')
  })

  it('supports arrow keys and closes with Escape', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    await open(EVENTS)
    await typeIntoPalette('')
    await eventually(chosen).toContain('Live')
    await userEvent.keyboard('{ArrowDown}')
    await eventually(chosen).toContain('Sessions')
    await userEvent.keyboard('{ArrowUp}{ArrowUp}')
    await eventually(chosen).toContain('Show all shortcuts')
    await expectAccessible()
    await userEvent.keyboard('{Escape}')
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
  })

  it('opens an event by its number', async ({ server, open }) => {
    answerSettings(server)
    serveEvents(server, new EventLog(2_000))
    await open('/settings')
    await typeIntoPalette('#1,234')
    await expect.element(page.getByRole('option', { name: /^Event #1,234/ })).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await eventually(() => location.pathname + location.search).toBe(`${EVENTS}?event=1234`)
    await expect.element(page.getByRole('complementary').getByText('#1,234').first()).toBeVisible()
  })

  it('finds alive agents and past sessions by title and project', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    const fixer = agent({ id: 'fixer-1', subagent_type: 'fixer', prompt_preview: 'Mend the build' })
    server.on('GET /api/sessions', [session({ title: 'Split billing', project: 'atlas-api' })])
    server.on('GET /api/agents', [fixer])
    server.stream.snapshot = { type: 'snapshot', seq: 3, alive: [fixer] }
    await open(EVENTS)
    await typeIntoPalette('@mend')
    await expect.element(page.getByRole('option', { name: /Mend the build/ })).toBeVisible()
    await userEvent.keyboard('{Escape}')
    await typeIntoPalette('#atlas')
    await expect.element(page.getByRole('option', { name: /^Split billing/ })).toBeVisible()
  })

  it('opens a finished session at its end and a running one live', async ({ server, open }) => {
    const live = new LiveServer(server)
    const over = { session_id: 's2', title: 'Over long ago', last_at: live.day.start - 60_000 }
    live.sessions = [...live.sessions, session(over)]
    await open('/', WIDE)
    await eventually(shownAgents).toBe(3)
    const params = () => Object.fromEntries(new URLSearchParams(location.search))
    await typeIntoPalette('#over long')
    await page.getByRole('option', { name: /^Over long ago/ }).click()
    await eventually(params).toEqual({ session: 'claude-code~s2', at: String(over.last_at) })
    await typeIntoPalette('#split')
    await page.getByRole('option', { name: /^Split billing/ }).click()
    await eventually(params).toEqual({ session: 'claude-code~s1' })
  })

  it('reports when no action matches', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    await open(EVENTS)
    await typeIntoPalette('>xyzzy')
    await expect.element(page.getByText(/^No results for “>xyzzy”\./)).toBeVisible()
  })

  it('does not count offered searches as results', async ({ server, open }) => {
    serveEvents(server, new EventLog(3))
    await open(EVENTS)
    await typeIntoPalette('xyzzy')
    await expect.element(page.getByRole('option', { name: /^Sessions with “xyzzy”/ })).toBeVisible()
    await expect.element(page.getByRole('status').filter({ hasText: 'found' })).toHaveTextContent('0 found')
    expect(page.getByRole('dialog').getByText('2', { exact: true }).elements()).toEqual([])
    await userEvent.keyboard('{Escape}')
    await typeIntoPalette('#999,999')
    await expect.element(page.getByRole('option', { name: /^Event #999,999/ })).toBeVisible()
    await expect.element(page.getByRole('status').filter({ hasText: 'found' })).toHaveTextContent('0 found')
  })

  it('changes the theme and backs up the store', async ({ server, open }) => {
    answerSettings(server)
    serveEvents(server, new EventLog(3))
    server.on('POST /api/backup', () =>
      workReply({
        type: 'result',
        value: { path: '/backups/ledger.db', bytes: 1_024, events: 3, last_seq: 3 },
      }),
    )
    await open(EVENTS)
    await typeIntoPalette('>light')
    await eventually(chosen).toContain('Switch to light')
    await userEvent.keyboard('{Enter}')
    await eventually(() => document.documentElement.dataset.theme).toBe('light')
    await typeIntoPalette('back up')
    await eventually(chosen).toContain('Back up the store')
    await userEvent.keyboard('{Enter}')
    await expect.element(page.getByText(/^Backed up, 1 KB/)).toBeVisible()
    await eventually(() => location.pathname + location.hash).toBe('/settings#storage')
  })

  it('hides refused actions from a viewer of a team', async ({ server, open }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    await open('/settings')
    await expect.element(page.getByRole('button', { name: /^Signed in as eve/ })).toBeVisible()
    await typeIntoPalette('>')
    await expect.element(page.getByRole('option', { name: /Switch to light/ })).toBeVisible()
    const offered = page
      .getByRole('option')
      .elements()
      .map(({ textContent }) => textContent)
    expect(offered.join(' ')).not.toMatch(/back ?up|projections|template|preset|health|conversation/i)
  })
})
